/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * traffic_groups: the patterns that are kept as groups, and the double binary
 * trees, whose edges come group by group.
 */

#include <string.h>

#include "traffic_private.h"

static bool is_first_member(const struct traffic_span *span, uint32_t rank)
{
	for (int i = 0; i < span->axis_count; i++)
		if (traffic_coordinate(span->grid, rank, span->axes[i]))
			return false;
	return true;
}

/* The rank of member INDEX of the group whose first member is FIRST. */
static uint32_t member_rank(const struct traffic_span *span, uint32_t first,
			    uint32_t index)
{
	const struct traffic_grid *grid = span->grid;
	int fast = span->axes[0], slow = span->axes[1];

	if (span->axis_count == 1)
		return first + index * grid->stride[fast];
	return first + index % grid->size[fast] * grid->stride[fast] +
	       index / grid->size[fast] * grid->stride[slow];
}

uint32_t traffic_tree_parent(uint32_t node, uint32_t count, int tree)
{
	uint32_t at = node, bit, parent;

	if (tree)
		at = count % 2 ? (node + count - 1) % count : count - 1 - node;
	if (at == 0)
		return UINT32_MAX;
	bit = at & (~at + 1);
	parent = (at - bit) | bit << 1;
	if (parent >= count)
		parent = at - bit;
	if (!tree)
		return parent;
	return count % 2 ? (parent + 1) % count : count - 1 - parent;
}

/* Appends the members of one group as blocks; a block's slot is its first's. */
static int add_members(struct traffic_builder *builder,
		       const struct traffic_span *span, uint32_t first,
		       bool each_slot)
{
	struct traffic *traffic = builder->traffic;
	uint32_t start = traffic->member_count;

	for (uint32_t i = 0; i < span->members; i++) {
		uint32_t rank = member_rank(span, first, i);
		uint32_t block = builder->block_of[rank];
		uint32_t count = traffic->member_count;

		if (count > start && !each_slot &&
		    traffic->members[count - 1].block == block) {
			traffic->members[count - 1].count++;
			continue;
		}
		if (traffic->member_count == builder->member_room &&
		    traffic_grow((void **)&traffic->members,
				 &builder->member_room,
				 sizeof(*traffic->members)))
			return -1;
		traffic->members[traffic->member_count++] =
			(struct traffic_member){ block,
						 traffic_slot(builder, rank),
						 1 };
	}
	return 0;
}

static bool same_members(const struct traffic *traffic,
			 const struct traffic_group *a,
			 const struct traffic_group *b)
{
	return a->dimension == b->dimension &&
	       a->member_count == b->member_count &&
	       !memcmp(traffic->members + a->first_member,
		       traffic->members + b->first_member,
		       a->member_count * sizeof(*traffic->members));
}

static int make_room_for_group(struct traffic_builder *builder)
{
	struct traffic *traffic = builder->traffic;

	if (traffic->group_count == builder->group_room &&
	    traffic_grow((void **)&traffic->groups, &builder->group_room,
			 sizeof(*traffic->groups)))
		return -1;
	if (traffic->group_count == builder->older_room &&
	    traffic_grow((void **)&builder->older_group, &builder->older_room,
			 sizeof(*builder->older_group)))
		return -1;
	return 0;
}

/* Keeps a group whose members were just appended, or counts its equal. */
static int add_group(struct traffic_builder *builder,
		     struct traffic_group group)
{
	struct traffic *traffic = builder->traffic;
	uint32_t *newest;

	newest = builder->newest_group +
		 traffic->members[group.first_member].block;
	for (uint32_t i = *newest; i != TRAFFIC_NO_GROUP;
	     i = builder->older_group[i]) {
		if (!same_members(traffic, &traffic->groups[i], &group))
			continue;
		traffic->groups[i].multiplicity++;
		traffic->member_count = group.first_member;
		return 0;
	}
	if (make_room_for_group(builder))
		return -1;
	builder->older_group[traffic->group_count] = *newest;
	*newest = traffic->group_count;
	traffic->groups[traffic->group_count++] = group;
	return 0;
}

/* Pairs of ranks inside one block, over the newest group's members. */
static double pairs_inside(const struct traffic *traffic, uint32_t first)
{
	double pairs = 0, here = 0;

	for (uint32_t i = first; i < traffic->member_count; i++) {
		if (i > first &&
		    traffic->members[i].block != traffic->members[i - 1].block)
			here = 0;
		for (int k = 0; k < traffic->members[i].count; k++)
			pairs += 2 * here++;
	}
	return pairs;
}

static bool one_block(const struct traffic *traffic, uint32_t first)
{
	return traffic->members[first].block ==
	       traffic->members[traffic->member_count - 1].block;
}

int traffic_all_to_all(struct traffic_builder *builder)
{
	struct traffic_span span = traffic_span(builder, DIM_EP);
	struct traffic *traffic = builder->traffic;
	double unit;

	if (span.members < 2 || builder->profile->bytes[DIM_EP] == 0)
		return 0;
	unit = builder->profile->bytes[DIM_EP] / (span.members - 1);
	for (uint32_t rank = 0; rank < builder->profile->gpus; rank++) {
		uint32_t first = traffic->member_count;
		struct traffic_group group = {
			TRAFFIC_ALL_TO_ALL, DIM_EP, 1, first, 0,
			span.members,	    unit
		};

		if (!is_first_member(&span, rank))
			continue;
		if (add_members(builder, &span, rank, traffic->by_slot))
			return -1;
		traffic->inner[DIM_EP] += unit * pairs_inside(traffic, first);
		group.member_count = traffic->member_count - first;
		if (one_block(traffic, first))
			traffic->member_count = first;
		else if (add_group(builder, group))
			return -1;
	}
	return 0;
}

/* The edges of both trees over the group's blocks; the list is dropped. */
static int tree_edges(struct traffic_builder *builder,
		      struct traffic_group group)
{
	struct traffic *traffic = builder->traffic;
	uint32_t count = group.member_count;

	for (uint32_t i = 0; i < 2 * count; i++) {
		uint32_t parent = traffic_tree_parent(i / 2, count, i % 2);
		struct traffic_member *child, *up;

		child = traffic->members + group.first_member + i / 2;
		traffic->inner[group.dimension] +=
			group.unit * (child->count - 1);
		if (parent == UINT32_MAX)
			continue;
		up = traffic->members + group.first_member + parent;
		if (traffic_add_edge(builder, child->block, up->block, up->slot,
				     group.dimension, group.unit / 2) ||
		    traffic_add_edge(builder, up->block, child->block,
				     child->slot, group.dimension,
				     group.unit / 2))
			return -1;
	}
	builder->edges_unsorted = true;
	traffic->member_count = group.first_member;
	return 0;
}

/* The all-reduces of DIMENSION that are no rings. */
int traffic_all_reduce(struct traffic_builder *builder,
		       enum dimension dimension)
{
	enum allreduce algorithm = builder->profile->allreduce;
	struct traffic_span span = traffic_span(builder, dimension);
	struct traffic *traffic = builder->traffic;
	double bytes = builder->profile->bytes[dimension];

	if (span.members < 2 || bytes == 0)
		return 0;
	for (uint32_t rank = 0; rank < builder->profile->gpus; rank++) {
		uint32_t first = traffic->member_count;
		struct traffic_group group = {
			algorithm == ALLREDUCE_SHARP ? TRAFFIC_SHARP
						     : TRAFFIC_HIERARCHICAL,
			(uint8_t)dimension,
			1,
			first,
			0,
			span.members,
			bytes * span.members / (2.0 * (span.members - 1))
		};

		if (!is_first_member(&span, rank))
			continue;
		if (add_members(builder, &span, rank, false))
			return -1;
		group.member_count = traffic->member_count - first;
		if (algorithm == ALLREDUCE_TREE) {
			if (tree_edges(builder, group))
				return -1;
		} else if (group.member_count == 1) {
			traffic->member_count = first;
		} else if (add_group(builder, group)) {
			return -1;
		}
	}
	return 0;
}
