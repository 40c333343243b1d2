/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * occupancy: what is free under each leaf.
 */
#ifndef LEAFSPINE_OCCUPANCY_H
#define LEAFSPINE_OCCUPANCY_H

#include "bundle.h"
#include "core/state.h"

/* Some nodes: how many, and which, as a hostlist. */
struct node_group {
	uint32_t *nodes;	/* owned */
	uint32_t count;
	char *names;		/* owned */
};

/* A leaf, or the rail leaves above the same nodes: what jobs see as one. */
struct occupancy_leaf {
	char *name;		/* owned */
	uint32_t component;	/* numbered in the order of the leaves */
	struct node_group all;
	struct node_group idle;	/* up, and no GPU taken */
	struct node_group down;
	uint64_t gpus;
	uint64_t free_gpus;
	struct bundle bundle;
};

struct occupancy {
	struct occupancy_leaf *leaves;	/* owned */
	uint32_t count;
	uint32_t component_count;	/* fabrics that are not connected */
};

/* 0, or -1 without memory. */
int occupancy_init(struct occupancy *occupancy, const struct state *state);
void occupancy_done(struct occupancy *occupancy);

#endif
