/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placement_shape: how many nodes a job takes and how many GPUs of each, on
 * one connected fabric.
 */
#ifndef LEAFSPINE_PLACEMENT_SHAPE_H
#define LEAFSPINE_PLACEMENT_SHAPE_H

#include "placement.h"

struct placement_shape {
	uint32_t *need;		/* owned, by block, never growing */
	uint32_t count;
	struct job_profile profile;
};

/* Why there is no shape, in numbers: for the message over all fabrics. */
struct placement_lack {
	uint32_t nodes_needed;	/* 0: gpus_needed counts */
	uint32_t gpus_each;
	uint32_t nodes_free;	/* that could give gpus_each */
	uint64_t gpus_needed;
	uint64_t gpus_free;
};

/*
 * Finds the shape for the COUNT nodes of NODES (all with a free GPU). The
 * order of thought: what the request fixes; then whole nodes; then as few
 * nodes as can be, partly used ones with them.
 * PLACEMENT_OK, _IMPOSSIBLE with *LACK, _BAD with *ERROR, or _NO_MEMORY.
 */
enum placement_status placement_shape_find(
	const struct placement_request *request, const uint32_t *nodes,
	uint32_t count, struct placement_shape *ret,
	struct placement_lack *lack, struct placement_error *error);

/* Free GPUs of nodes, largest first, those of required nodes apart. */
struct placement_free {
	uint32_t *required;	/* owned */
	uint32_t required_count;
	uint32_t *others;	/* owned */
	uint32_t other_count;
};

/* 0, or -1 without memory; given back by placement_free_done in any case. */
int placement_free_init(struct placement_free *ret,
			const struct placement_request *request,
			const uint32_t *nodes, uint32_t count);
void placement_free_done(struct placement_free *room);

/* True where all required nodes and some others cover the needs. */
bool placement_shape_fits(const struct placement_shape *shape,
			  const struct placement_free *room);

#endif
