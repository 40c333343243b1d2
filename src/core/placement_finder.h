/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placement_finder: what the parts of placement_shape_find share.
 */
#ifndef LEAFSPINE_PLACEMENT_FINDER_H
#define LEAFSPINE_PLACEMENT_FINDER_H

#include "placement_shape.h"

struct placement_finder {
	const struct placement_request *request;
	const uint32_t *nodes;
	uint32_t count;
	struct placement_free room;
	uint32_t *scratch;	/* with room for the nodes */
	struct placement_shape *ret;
	struct placement_lack *lack;
	struct placement_error *error;
};

/* qsort's order of uint32_t, the largest first. */
int placement_descending(const void *a, const void *b);

/* True where so many nodes are within the request's bounds. */
bool placement_in_range(const struct placement_finder *finder, uint32_t nodes);

/* Fits the hint to GPUS, into ret->profile; _BAD with the error set. */
enum placement_status placement_fit(struct placement_finder *finder,
				    uint64_t gpus);

/* Keeps NEED (taken over) as the answer when it fits what is free. */
enum placement_status placement_take(struct placement_finder *finder,
				     uint32_t *need, uint32_t count);

/* The next smaller number of GPUs that nodes have; 0 behind the last. */
uint32_t placement_next_node_size(const struct placement_finder *finder,
				  uint32_t below);

/* Whole nodes of unequal sizes; _IMPOSSIBLE where that is no way. */
enum placement_status placement_unequal_nodes(struct placement_finder *finder);

/* GPUS from nodes that have different numbers of them free. */
enum placement_status placement_take_mixture(struct placement_finder *finder,
					     uint64_t gpus);

#endif
