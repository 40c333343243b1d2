/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * traffic_private: what the two halves of the builder share.
 */
#ifndef LEAFSPINE_TRAFFIC_PRIVATE_H
#define LEAFSPINE_TRAFFIC_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "traffic.h"

/* Sizes and strides of a rank grid, by axis. */
struct traffic_grid {
	uint32_t size[AXES];
	uint32_t stride[AXES];
};

struct traffic_builder {
	const struct job_profile *profile;
	struct traffic_grid dense, experts;
	struct traffic *traffic;
	uint32_t *block_of;    /* by rank */
	uint32_t *block_start; /* first rank, by block */
	double *sums;	       /* by receiver: block, or rank if by_slot */
	uint32_t *touched;     /* receivers with a sum */
	uint32_t touched_count;
	uint32_t edge_room, group_room, member_room;
	uint32_t *newest_group; /* by first block: chains of groups, */
	uint32_t *older_group;	/* by group, to find equal ones */
	uint32_t older_room;
	bool edges_unsorted;
};

#define TRAFFIC_NO_GROUP UINT32_MAX

/*
 * The axes over which a group of DIMENSION runs, the faster first: in that
 * order its members stand in rank order.
 */
struct traffic_span {
	const struct traffic_grid *grid;
	int axes[2];
	int axis_count;
	uint32_t members;
};

struct traffic_span traffic_span(const struct traffic_builder *builder,
				 enum dimension dimension);
uint32_t traffic_coordinate(const struct traffic_grid *grid, uint32_t rank,
			    int axis);

/* The GPU of RANK in its block; 0 unless receivers are told apart by it. */
uint16_t traffic_slot(const struct traffic_builder *builder, uint32_t rank);

/* Each returns 0, or -1 without memory. */
int traffic_grow(void **array, uint32_t *room, size_t item_size);
int traffic_add_edge(struct traffic_builder *builder, uint32_t from,
		     uint32_t to, uint16_t slot, enum dimension dimension,
		     double bytes);
/* The expert groups. */
int traffic_all_to_all(struct traffic_builder *builder);
/* The all-reduces of DIMENSION that are no rings. */
int traffic_all_reduce(struct traffic_builder *builder,
		       enum dimension dimension);

#endif
