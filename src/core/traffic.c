/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * traffic: builds the bytes between node blocks.
 *
 * Rings and pipelines are walked rank by rank, block by block, so that what one
 * block sends is added up in a small table and written out in order: linear in
 * the ranks, and no list of rank pairs ever exists.
 */

#include "traffic_private.h"

#include <stdlib.h>
#include <string.h>

static struct traffic_grid make_grid(const struct job_profile *profile,
				     bool experts)
{
	struct traffic_grid grid;
	uint32_t stride = 1;

	grid.size[AXIS_TP] = experts ? profile->etp : profile->tp;
	grid.size[AXIS_CP] = experts ? 1 : profile->cp;
	grid.size[AXIS_EP] = experts ? profile->ep : 1;
	grid.size[AXIS_DP] = experts ? profile->edp : profile->dp;
	grid.size[AXIS_PP] = profile->pp;
	for (int i = 0; i < AXES; i++) {
		grid.stride[profile->order[i]] = stride;
		stride *= grid.size[profile->order[i]];
	}
	return grid;
}

uint32_t traffic_coordinate(const struct traffic_grid *grid, uint32_t rank,
			    int axis)
{
	return rank / grid->stride[axis] % grid->size[axis];
}

struct traffic_span traffic_span(const struct traffic_builder *builder,
				 enum dimension dimension)
{
	struct traffic_span span = {
		&builder->dense, { AXIS_TP, AXIS_TP }, 1, 0
	};

	switch (dimension) {
	case DIM_TP:
		break;
	case DIM_CP:
		span.axes[0] = AXIS_CP;
		break;
	case DIM_DP:
		span.axes[0] = AXIS_CP;
		span.axes[1] = AXIS_DP;
		span.axis_count = 2;
		break;
	case DIM_EP:
		span.grid = &builder->experts;
		span.axes[0] = AXIS_EP;
		break;
	case DIM_EDP:
		span.grid = &builder->experts;
		span.axes[0] = AXIS_DP;
		break;
	default:
		span.axes[0] = AXIS_PP;
	}
	if (span.axis_count == 2 &&
	    span.grid->stride[span.axes[0]] > span.grid->stride[span.axes[1]]) {
		int slower = span.axes[0];

		span.axes[0] = span.axes[1];
		span.axes[1] = slower;
	}
	span.members =
		(uint32_t)job_profile_group_size(builder->profile, dimension);
	return span;
}

static uint32_t ring_successor(const struct traffic_span *span, uint32_t rank)
{
	for (int i = 0; i < span->axis_count; i++) {
		uint32_t stride = span->grid->stride[span->axes[i]];
		uint32_t at =
			traffic_coordinate(span->grid, rank, span->axes[i]);

		if (at + 1 < span->grid->size[span->axes[i]])
			return rank + stride;
		rank -= at * stride; /* carry into the slower axis */
	}
	return rank;
}

int traffic_grow(void **array, uint32_t *room, size_t item_size)
{
	uint32_t larger = *room ? *room * 2 : 256;
	void *grown;

	if (larger <= *room || larger > SIZE_MAX / item_size)
		return -1;
	grown = realloc(*array, larger * item_size);
	if (!grown)
		return -1;
	*array = grown;
	*room = larger;
	return 0;
}

int traffic_add_edge(struct traffic_builder *builder, uint32_t from,
		     uint32_t receiver, uint16_t slot, enum dimension dimension,
		     double bytes)
{
	struct traffic *traffic = builder->traffic;

	if (traffic->edge_count == builder->edge_room &&
	    traffic_grow((void **)&traffic->edges, &builder->edge_room,
			 sizeof(*traffic->edges)))
		return -1;
	traffic->edges[traffic->edge_count++] =
		(struct traffic_edge){ from, receiver, slot, (uint8_t)dimension,
				       bytes };
	return 0;
}

uint16_t traffic_slot(const struct traffic_builder *builder, uint32_t rank)
{
	uint32_t block = builder->block_of[rank];

	return builder->traffic->by_slot
		       ? (uint16_t)(rank - builder->block_start[block])
		       : 0;
}

/* Adds a flow to what the block of FROM sends. */
static void add_flow(struct traffic_builder *builder, uint32_t from,
		     uint32_t to, enum dimension dimension, double bytes)
{
	uint32_t key;

	if (from == to || bytes == 0)
		return;
	if (builder->block_of[from] == builder->block_of[to]) {
		builder->traffic->inner[dimension] += bytes;
		return;
	}
	key = builder->traffic->by_slot ? to : builder->block_of[to];
	if (builder->sums[key] == 0)
		builder->touched[builder->touched_count++] = key;
	builder->sums[key] += bytes;
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Writes the sums of BLOCK out as edges and clears them. */
static int flush_flows(struct traffic_builder *builder, uint32_t block,
		       enum dimension dimension)
{
	if (!builder->touched_count)
		return 0;
	qsort(builder->touched, builder->touched_count,
	      sizeof(*builder->touched), compare_u32);
	for (uint32_t i = 0; i < builder->touched_count; i++) {
		uint32_t key = builder->touched[i], to = key;
		uint16_t slot = 0;

		if (builder->traffic->by_slot) {
			to = builder->block_of[key];
			slot = traffic_slot(builder, key);
		}
		if (traffic_add_edge(builder, block, to, slot, dimension,
				     builder->sums[key]))
			return -1;
		builder->sums[key] = 0;
	}
	builder->touched_count = 0;
	return 0;
}

static int ring_of_block(struct traffic_builder *builder, uint32_t block,
			 enum dimension dimension)
{
	struct traffic_span span = traffic_span(builder, dimension);
	double bytes = builder->profile->bytes[dimension];
	uint32_t first = builder->block_start[block];
	uint32_t end = builder->block_start[block + 1];

	if (span.members < 2)
		return 0;
	for (uint32_t rank = first; rank < end; rank++)
		add_flow(builder, rank, ring_successor(&span, rank), dimension,
			 bytes);
	return flush_flows(builder, block, dimension);
}

/* Both directions of each boundary; interleaving closes the chain to a ring. */
static int pipeline_of_block(struct traffic_builder *builder, uint32_t block)
{
	const struct job_profile *profile = builder->profile;
	uint32_t stride = builder->dense.stride[AXIS_PP], last;
	double bytes = profile->bytes[DIM_PP];
	double wrap = bytes * (profile->interleave - 1) / profile->interleave;

	if (profile->pp < 2)
		return 0;
	last = (profile->pp - 1) * stride;
	for (uint32_t rank = builder->block_start[block];
	     rank < builder->block_start[block + 1]; rank++) {
		uint32_t stage =
			traffic_coordinate(&builder->dense, rank, AXIS_PP);

		if (stage + 1 < profile->pp)
			add_flow(builder, rank, rank + stride, DIM_PP, bytes);
		else
			add_flow(builder, rank, rank - last, DIM_PP, wrap);
		if (stage > 0)
			add_flow(builder, rank, rank - stride, DIM_PP, bytes);
		else
			add_flow(builder, rank, rank + last, DIM_PP, wrap);
	}
	return flush_flows(builder, block, DIM_PP);
}

static int point_to_point(struct traffic_builder *builder)
{
	bool ring = builder->profile->allreduce == ALLREDUCE_RING;

	for (uint32_t b = 0; b < builder->traffic->block_count; b++) {
		if (ring_of_block(builder, b, DIM_TP) ||
		    ring_of_block(builder, b, DIM_CP) ||
		    (ring && ring_of_block(builder, b, DIM_DP)) ||
		    pipeline_of_block(builder, b) ||
		    (ring && ring_of_block(builder, b, DIM_EDP)))
			return -1;
	}
	return 0;
}

static int compare_edges(const void *a, const void *b)
{
	const struct traffic_edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->dimension != y->dimension)
		return x->dimension < y->dimension ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

static void sort_and_merge(struct traffic *traffic)
{
	uint32_t kept = 0;

	if (!traffic->edge_count)
		return;
	qsort(traffic->edges, traffic->edge_count, sizeof(*traffic->edges),
	      compare_edges);
	for (uint32_t i = 1; i < traffic->edge_count; i++) {
		if (compare_edges(&traffic->edges[kept], &traffic->edges[i]))
			traffic->edges[++kept] = traffic->edges[i];
		else
			traffic->edges[kept].bytes += traffic->edges[i].bytes;
	}
	traffic->edge_count = kept + 1;
}

static int build(struct traffic_builder *builder)
{
	if (point_to_point(builder) || traffic_all_to_all(builder))
		return -1;
	if (builder->profile->allreduce != ALLREDUCE_RING &&
	    (traffic_all_reduce(builder, DIM_DP) ||
	     traffic_all_reduce(builder, DIM_EDP)))
		return -1;
	if (builder->edges_unsorted)
		sort_and_merge(builder->traffic);
	return 0;
}

/* Lays the ranks out over the blocks. False when the sizes do not add up. */
static bool lay_out(struct traffic_builder *builder, const uint32_t *block_gpus)
{
	uint32_t rank = 0, block, gpus = builder->profile->gpus;

	for (block = 0; block < builder->traffic->block_count; block++) {
		if (!block_gpus[block] || block_gpus[block] > UINT16_MAX ||
		    block_gpus[block] > gpus - rank)
			return false;
		builder->traffic->block_gpus[block] = block_gpus[block];
		builder->newest_group[block] = TRAFFIC_NO_GROUP;
		builder->block_start[block] = rank;
		for (uint32_t i = 0; i < block_gpus[block]; i++)
			builder->block_of[rank++] = block;
	}
	builder->block_start[block] = rank;
	return rank == gpus;
}

static bool allocate(struct traffic_builder *builder, uint32_t blocks,
		     bool by_slot)
{
	uint32_t gpus = builder->profile->gpus;
	uint32_t receivers = by_slot ? gpus : blocks;

	builder->traffic = calloc(1, sizeof(*builder->traffic));
	if (!builder->traffic)
		return false;
	builder->traffic->block_count = blocks;
	builder->traffic->by_slot = by_slot;
	builder->traffic->block_gpus = calloc(blocks, sizeof(uint32_t));
	builder->block_of = calloc(gpus, sizeof(uint32_t));
	builder->block_start = calloc((size_t)blocks + 1, sizeof(uint32_t));
	builder->newest_group = calloc(blocks, sizeof(uint32_t));
	builder->sums = calloc(receivers, sizeof(double));
	builder->touched = calloc(receivers, sizeof(uint32_t));
	return builder->traffic->block_gpus && builder->block_of &&
	       builder->block_start && builder->newest_group && builder->sums &&
	       builder->touched;
}

struct traffic *traffic_build(const struct job_profile *profile,
			      const uint32_t *block_gpus, uint32_t block_count,
			      bool by_slot)
{
	struct traffic_builder builder = {
		.profile = profile,
		.dense = make_grid(profile, false),
		.experts = make_grid(profile, profile->edp > 0),
	};

	if (!block_count || block_count > profile->gpus)
		return NULL;
	if (!allocate(&builder, block_count, by_slot) ||
	    !lay_out(&builder, block_gpus) || build(&builder)) {
		traffic_free(builder.traffic);
		builder.traffic = NULL;
	}
	free(builder.block_of);
	free(builder.block_start);
	free(builder.newest_group);
	free(builder.older_group);
	free(builder.sums);
	free(builder.touched);
	return builder.traffic;
}

void traffic_free(struct traffic *traffic)
{
	if (!traffic)
		return;
	free(traffic->block_gpus);
	free(traffic->edges);
	free(traffic->groups);
	free(traffic->members);
	free(traffic);
}
