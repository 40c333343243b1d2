/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * occupancy: what is free under each leaf. See occupancy.h.
 */
#include "occupancy.h"

#include <stdlib.h>

#include "names.h"

static int group_reserve(struct node_group *group, uint32_t room)
{
	group->nodes = calloc((size_t)room + 1, sizeof(*group->nodes));
	return group->nodes ? 0 : -1;
}

static int group_name(struct node_group *group, const struct fabric *fabric)
{
	group->names = names_of_nodes(fabric, group->nodes, group->count);
	return group->names ? 0 : -1;
}

static void group_done(struct node_group *group)
{
	free(group->nodes);
	free(group->names);
}

static int leaf_init(struct occupancy_leaf *leaf, const struct state *state,
		     uint32_t leafset)
{
	const struct fabric *fabric = state->fabric;
	const struct fabric_leafset *set = &fabric->leafsets[leafset];

	bundle_init(&leaf->bundle, state,
		    fabric->leafset_leaves + set->first_leaf, set->leaf_count);
	leaf->name = names_of_leafset(fabric, leafset);
	if (!leaf->name || group_reserve(&leaf->all, set->node_count) < 0 ||
	    group_reserve(&leaf->idle, set->node_count) < 0 ||
	    group_reserve(&leaf->down, set->node_count) < 0)
		return -1;
	return 0;
}

static void leaf_add_node(struct occupancy_leaf *leaf,
			  const struct state *state, uint32_t node)
{
	bool down = nodeset_has(&state->down, node);

	leaf->gpus += state->fabric->nodes[node].gpus;
	leaf->free_gpus += state_free_gpus(state, node);
	leaf->all.nodes[leaf->all.count++] = node;
	if (down)
		leaf->down.nodes[leaf->down.count++] = node;
	else if (state->gpus_used[node] == 0)
		leaf->idle.nodes[leaf->idle.count++] = node;
}

static int leaf_finish(struct occupancy_leaf *leaf,
		       const struct fabric *fabric)
{
	if (group_name(&leaf->all, fabric) < 0 ||
	    group_name(&leaf->idle, fabric) < 0 ||
	    group_name(&leaf->down, fabric) < 0)
		return -1;
	return 0;
}

static void leaf_done(struct occupancy_leaf *leaf)
{
	free(leaf->name);
	group_done(&leaf->all);
	group_done(&leaf->idle);
	group_done(&leaf->down);
}

/* The fabric's own numbers count switches without nodes as well. */
static int number_components(struct occupancy *occupancy,
			     const struct fabric *fabric)
{
	/* By the fabric's number: ours plus 1, 0 where there is none yet. */
	uint32_t *numbers = calloc((size_t)fabric->component_count + 1,
				   sizeof(*numbers));

	if (!numbers)
		return -1;
	for (uint32_t i = 0; i < occupancy->count; i++) {
		struct occupancy_leaf *leaf = &occupancy->leaves[i];
		uint32_t *number = &numbers[
			fabric->nodes[leaf->all.nodes[0]].component];

		if (*number == 0)
			*number = ++occupancy->component_count;
		leaf->component = *number - 1;
	}
	free(numbers);
	return 0;
}

static int fill(struct occupancy *occupancy, const struct state *state)
{
	const struct fabric *fabric = state->fabric;

	for (uint32_t i = 0; i < occupancy->count; i++) {
		if (leaf_init(&occupancy->leaves[i], state, i) < 0)
			return -1;
	}
	for (uint32_t i = 0; i < fabric->node_count; i++)
		leaf_add_node(&occupancy->leaves[fabric->nodes[i].leafset],
			      state, i);
	for (uint32_t i = 0; i < occupancy->count; i++) {
		if (leaf_finish(&occupancy->leaves[i], fabric) < 0)
			return -1;
	}
	return number_components(occupancy, fabric);
}

int occupancy_init(struct occupancy *occupancy, const struct state *state)
{
	*occupancy = (struct occupancy){
		.count = state->fabric->leafset_count,
	};
	occupancy->leaves = calloc((size_t)occupancy->count + 1,
				   sizeof(*occupancy->leaves));
	if (occupancy->leaves && fill(occupancy, state) == 0)
		return 0;
	occupancy_done(occupancy);
	return -1;
}

void occupancy_done(struct occupancy *occupancy)
{
	for (uint32_t i = 0; occupancy->leaves && i < occupancy->count; i++)
		leaf_done(&occupancy->leaves[i]);
	free(occupancy->leaves);
	*occupancy = (struct occupancy){ 0 };
}
