/* SPDX-License-Identifier: GPL-2.0-or-later */
/* traffic_check: the invariants of a built traffic, for tests. */

#include "traffic.h"

#include <math.h>

static bool in_order(const struct traffic_edge *a,
		     const struct traffic_edge *b)
{
	if (a->from != b->from)
		return a->from < b->from;
	if (a->dimension != b->dimension)
		return a->dimension < b->dimension;
	if (a->to != b->to)
		return a->to < b->to;
	return a->slot < b->slot;
}

static const char *check_edges(const struct traffic *traffic)
{
	for (uint32_t i = 0; i < traffic->edge_count; i++) {
		const struct traffic_edge *edge = &traffic->edges[i];

		if (edge->from >= traffic->block_count ||
		    edge->to >= traffic->block_count)
			return "an edge leads out of the blocks";
		if (edge->from == edge->to)
			return "an edge stays in its block";
		if (edge->slot && (!traffic->by_slot ||
				   edge->slot >= traffic->block_gpus[edge->to]))
			return "an edge has a slot that its block has not";
		if (!(edge->bytes > 0) || !isfinite(edge->bytes))
			return "an edge without bytes";
		if (i && !in_order(edge - 1, edge))
			return "edges out of order";
	}
	return NULL;
}

static const char *check_group(const struct traffic *traffic,
			       const struct traffic_group *group)
{
	uint32_t ranks = 0;

	if (group->first_member + group->member_count > traffic->member_count)
		return "a group's members are not there";
	if (group->member_count < 2 || !group->multiplicity)
		return "a group of one block";
	if (!(group->unit > 0) || !isfinite(group->unit))
		return "a group without bytes";
	for (uint32_t i = 0; i < group->member_count; i++) {
		const struct traffic_member *member =
			&traffic->members[group->first_member + i];

		if (member->block >= traffic->block_count || !member->count ||
		    member->count > traffic->block_gpus[member->block])
			return "a group's member does not fit its block";
		if (i && member->block < member[-1].block)
			return "a group's members out of rank order";
		ranks += member->count;
	}
	return ranks == group->ranks ? NULL : "a group's ranks do not add up";
}

const char *traffic_check(const struct traffic *traffic)
{
	const char *wrong = check_edges(traffic);

	for (uint32_t i = 0; !wrong && i < traffic->group_count; i++)
		wrong = check_group(traffic, &traffic->groups[i]);
	for (int dim = 0; !wrong && dim < DIMENSIONS; dim++)
		if (!(traffic->inner[dim] >= 0))
			wrong = "inner bytes are negative";
	return wrong;
}
