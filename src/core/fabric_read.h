/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fabric_read: a fabric from a file, whatever its format.
 *
 * The format goes by the end of the file's name: .conf is Slurm's
 * topology.conf, .yaml its topology.yaml, all else is JSON (formats.md
 * section 1). A name of the form "synth:TEXT" is read as a one-line synthetic
 * form, see fabric_read_synth.
 */
#ifndef LEAFSPINE_FABRIC_READ_H
#define LEAFSPINE_FABRIC_READ_H

#include "diag.h"
#include "fabric.h"

/* A larger file is refused: 256 MiB. */
#define FABRIC_FILE_MAX (256UL << 20)

/*
 * Each returns the fabric, or NULL with the faults in DIAG (made by diag_init
 * with the name that messages shall bear). DIAG may hold warnings on success.
 */
struct fabric *fabric_read_file(const char *path, struct diag *diag);
struct fabric *fabric_read_json(const char *text, size_t length,
				struct diag *diag);
struct fabric *fabric_read_conf(const char *text, size_t length,
				struct diag *diag);
struct fabric *fabric_read_yaml(const char *text, size_t length,
				struct diag *diag);

/*
 * A whole fabric from one line, after hwloc's synthetic topologies: tiers from
 * the top down, each with its number under one parent group, then options.
 *
 *   "spine:4 leaf:8 node:16"          4 Spines, 8 leaves, 16 nodes each
 *   "core:2 pod:2 spine:4 leaf:8 node:16"   2 pods of 4 Spines and 8 leaves
 *   "leaf:1 node:16"                  one leaf, no Spine
 *   "fabric:2 spine:2 leaf:2 node:4"  two fabrics that are not connected
 *   options: gpus=8 nics=8 nic_gbps=400 gbps=400 links=1 core_gbps=400
 *            core_links=1 rails=8 domain=4
 *
 * Every leaf is cabled to every Spine of its pod with `links` links of `gbps`,
 * every Spine to every core switch. With rails=R each "leaf" is a scalable unit
 * of R leaves, one a rail (nics defaults to R). domain=K makes NVLink domains
 * of K consecutive nodes under one leaf. Nodes are n0001, n0002, ...; leaves
 * leaf1, ... (leaf1r0, ... with rails), Spines spine1, ..., core1, ...,
 * counted through all pods and fabrics.
 */
struct fabric *fabric_read_synth(const char *text, struct diag *diag);

#endif
