/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state: what of a fabric is taken: nodes down, GPUs in use, links that are
 * slow or loaded, node weights, Slurm's node order (formats.md section 4).
 *
 * Shapes: arrays by node index or switch index of the fabric, which must
 * outlive the state.
 */
#ifndef LEAFSPINE_STATE_H
#define LEAFSPINE_STATE_H

#include "diag.h"
#include "fabric.h"
#include "kinds.h"
#include "nodeset.h"
#include "parallelism.h"

struct state {
	const struct fabric *fabric;
	struct kinds kinds;
	struct nodeset down;
	uint32_t *gpus_used;	/* by node: GPUs 0 .. used-1 are taken */
	uint32_t *weights;	/* by node; all 1 by default */
	uint32_t *positions;	/* by node: place in Slurm's node table */
	/* By switch, its bundle of uplinks in each direction, Gbit/s. */
	double *healthy_gbps;	/* built less what health took */
	bool *links_set;	/* by uplink: by state_set_link */
	double *load_up_gbps;	/* put there by running jobs */
	double *load_down_gbps;
};

/* Nothing taken, everything healthy. NULL without memory. */
struct state *state_new(const struct fabric *fabric);
void state_free(struct state *state);

/* Reads a state file. NULL with the faults in DIAG. */
struct state *state_read_file(const struct fabric *fabric, const char *path,
			      const struct parallelism *site,
			      struct diag *diag);
struct state *state_read_json(const struct fabric *fabric, const char *text,
			      size_t length, const struct parallelism *site,
			      struct diag *diag);

/* GPUs of a node that a new job could have; 0 when it is down. */
uint32_t state_free_gpus(const struct state *state, uint32_t node);

/*
 * What is left between a switch and one of its parents, in Gbit/s and both
 * directions; more than was built counts as built. -1 where they are not
 * linked (in either order), 1 where that pair was set already.
 */
int state_set_link(struct state *state, uint32_t a, uint32_t b, double gbps);

/*
 * Adds a running job: COUNT nodes in rank order, GPUS[k] of node k (NULL: all).
 * Takes the GPUs and, where PROFILE is not NULL, puts its load on the links; a
 * job's load on a link is at most the line rate of its NICs below it.
 * 0; -1 without memory. The GPUs must be free.
 */
int state_add_job(struct state *state, const uint32_t *nodes,
		  const uint32_t *gpus, uint32_t count,
		  const struct job_profile *profile);

/* What is left of a switch's bundle: at least 1 % of what was built. */
double state_up_left_gbps(const struct state *state, uint32_t sw);
double state_down_left_gbps(const struct state *state, uint32_t sw);

#endif
