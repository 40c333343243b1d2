/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fabric_yaml: what the parts of the topology.yaml reader share.
 */
#ifndef LEAFSPINE_FABRIC_YAML_H
#define LEAFSPINE_FABRIC_YAML_H

#include <yaml.h>

#include "fabric_conf.h"

enum yaml_kind {
	YAML_TREE, YAML_BLOCK, YAML_FLAT, YAML_RING, YAML_TORUS,
	YAML_KINDS
};

/* One topology of the file. */
struct yaml_topology {
	char *name;		/* owned; NULL: none that can be read */
	enum yaml_kind kind;	/* YAML_KINDS: none was given */
	bool is_default;	/* cluster_default: true */
	bool taken;
	struct conf_place place;
	struct conf conf;	/* its switches or blocks; its own */
};

struct yaml_file {
	struct diag *diag;
	yaml_document_t document;
	struct yaml_topology *topologies;
	size_t count, room;
	bool no_memory;
};

/* Reads all topologies of the document, faults in file->diag. */
void fabric_yaml_walk(struct yaml_file *file);

/*
 * Moves the switches that make the fabric into CONF. 0, or -1 without memory.
 * CONF stays empty where no topology can be one, which is then an error.
 */
int fabric_yaml_choose(struct yaml_file *file, struct conf *conf);

const char *fabric_yaml_kind_name(enum yaml_kind kind);

#endif
