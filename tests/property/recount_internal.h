/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recount_internal: what the three files of the recount share. */
#ifndef LEAFSPINE_TEST_RECOUNT_INTERNAL_H
#define LEAFSPINE_TEST_RECOUNT_INTERNAL_H

#include "recount.h"

/* Where a rank stands: in the grid, in the experts' grid and in the fabric. */
struct rank {
	uint32_t t, c, d, p;
	uint32_t x, e, y;
	uint32_t node;
	uint32_t gpu;
};

struct counting {
	const struct recount_input *in;
	struct rank *ranks;
	uint32_t world;
	uint32_t *group;	/* ranks of the group at hand, ascending */
	uint32_t size;
	struct recount *out;
};

/* Zeroed memory; ends the test program where there is none. */
void *recount_need(size_t count, size_t size);

/* recount_fabric.c */
bool recount_share_leaf(const struct fabric *fabric, uint32_t a, uint32_t b);
bool recount_under_spine(const struct fabric *fabric, uint32_t node,
			 uint32_t spine);
/* The leaf that traffic on RAIL takes at NODE; a missing rail wraps. */
uint32_t recount_leaf_of_rail(const struct fabric *fabric, uint32_t node,
			      uint32_t rail);

/* recount_flows.c: the patterns over the group at hand. */
void recount_ring(struct counting *c, enum dimension dimension, double bytes);
void recount_all_to_all(struct counting *c, enum dimension dimension,
			double bytes);
void recount_all_reduce(struct counting *c, enum dimension dimension,
			double bytes);
void recount_both_ways(struct counting *c, enum dimension dimension,
		       uint32_t a, uint32_t b, double bytes);

/* FIRSTS: the first member on each node of the group; returns the nodes. */
uint32_t recount_first_members(const struct counting *c, uint32_t *firsts);

/*
 * Numbers the connected classes of the ranks FIRSTS, a node each, under "joined
 * by a level up to HIGHEST" (HIGHEST < 0: under "shares a leaf"), each class by
 * its first member's place. Returns how many.
 */
uint32_t recount_classes(const struct counting *c, const uint32_t *firsts,
			 uint32_t nodes, int highest, uint32_t *ret_class);

#endif
