/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with a fabric as a whole. */
#define _GNU_SOURCE 1
#include "fabric_private.h"

#include <stdlib.h>

int builder_group(const uint32_t *keys, size_t count, size_t key_count,
		  uint32_t **ret_first, uint32_t **ret_order)
{
	uint32_t *first = array_new(key_count + 2, sizeof(*first));
	uint32_t *order = array_new(count, sizeof(*order));

	if (!first || !order) {
		free(first);
		free(order);
		return -1;
	}
	/* first[k + 2] counts, then first[k + 1] is where k's next one goes. */
	for (size_t i = 0; i < count; i++)
		if (keys[i] != FABRIC_NONE)
			first[keys[i] + 2]++;
	for (size_t k = 2; k < key_count + 2; k++)
		first[k] += first[k - 1];
	for (size_t i = 0; i < count; i++)
		if (keys[i] != FABRIC_NONE)
			order[first[keys[i] + 1]++] = (uint32_t)i;
	*ret_first = first;
	*ret_order = order;
	return 0;
}

/*
 * Leaf and node of a cable from symbols to indices. Storage leaves may list
 * servers that are no compute nodes: cables of other planes are not looked at.
 */
static int resolve_cable(struct fabric_builder *builder,
			 struct builder_cable *cable)
{
	uint32_t leaf_symbol = cable->leaf;
	uint32_t node_symbol = cable->node;
	struct builder_switch *sw;

	cable->leaf = builder->symbols[leaf_symbol].sw;
	cable->node = FABRIC_NONE;
	if (cable->leaf == FABRIC_NONE)
		return 0;
	sw = &builder->switches[cable->leaf];
	sw->has_nodes = true;
	if (sw->tier != FABRIC_LEAF)
		return builder_fault(builder, FAULT_NODES_ON_TIER,
				     cable->origin, FABRIC_NONE, leaf_symbol,
				     0);
	if (!sw->compute)
		return 0;
	cable->node = builder->symbols[node_symbol].node;
	if (cable->node == FABRIC_NONE &&
	    !(builder->lost & FABRIC_LOST_NODES))
		return builder_fault(builder, FAULT_NODE_UNKNOWN,
				     cable->origin, node_symbol, FABRIC_NONE,
				     0);
	return 0;
}

static int compare_cables(const void *left, const void *right)
{
	const struct builder_cable *a = *(const struct builder_cable *const *)
		left;
	const struct builder_cable *b = *(const struct builder_cable *const *)
		right;

	if (a->rail != b->rail)
		return a->rail < b->rail ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* A pair of cables of one node that stand next to each other, by rail. */
static int check_cable_pair(struct fabric_builder *builder,
			    const struct builder_cable *a,
			    const struct builder_cable *b)
{
	/* The later of the two in the file is the one at fault. */
	const struct builder_cable *late = a < b ? b : a;
	const struct builder_cable *early = a < b ? a : b;
	uint32_t node = builder->nodes[a->node].symbol;
	uint32_t early_leaf = builder->switches[early->leaf].symbol;
	bool no_rail = a->rail == FABRIC_ALL_RAILS;

	if (a->leaf == b->leaf && (a->rail == b->rail || no_rail))
		return builder_fault(builder, FAULT_CABLE_TWICE, late->origin,
				     node, FABRIC_NONE, 0);
	if (no_rail && builder->options.unrailed_overlap &&
	    b->rail == FABRIC_ALL_RAILS)
		return 0;
	if (no_rail)
		return builder_fault(builder, FAULT_TWO_LEAVES, late->origin,
				     node, early_leaf, 0);
	if (a->rail == b->rail)
		return builder_fault(builder, FAULT_RAIL_TWICE, late->origin,
				     node, early_leaf, (uint32_t)a->rail);
	return 0;
}

/* Under two leaves is allowed in topology.conf, twice under one is not. */
static int compare_leaves(const void *left, const void *right)
{
	const struct builder_cable *a = *(const struct builder_cable *const *)
		left;
	const struct builder_cable *b = *(const struct builder_cable *const *)
		right;

	if (a->leaf != b->leaf)
		return a->leaf < b->leaf ? -1 : 1;
	return compare_cables(left, right);
}

/* CABLES: pointers to all COUNT cables of one node; sorted here. */
static int check_node_cables(struct fabric_builder *builder,
			     const struct builder_cable **cables, size_t count)
{
	const struct builder_node *node = &builder->nodes[cables[0]->node];
	bool by_leaf = builder->options.unrailed_overlap;

	for (size_t i = 0; i < count; i++)
		if (cables[i]->rail >= 0 &&
		    (uint32_t)cables[i]->rail >= node->nics &&
		    builder_fault(builder, FAULT_RAIL_RANGE, cables[i]->origin,
				  node->symbol, FABRIC_NONE, node->nics - 1))
			return -1;
	qsort(cables, count, sizeof(*cables),
	      by_leaf ? compare_leaves : compare_cables);
	for (size_t i = 1; i < count; i++)
		if (check_cable_pair(builder, cables[i - 1], cables[i]))
			return -1;
	return 0;
}

/* FIRST, ORDER: the cables of each node as of builder_group. */
static int check_nodes(struct fabric_builder *builder, const uint32_t *first,
		       const uint32_t *order,
		       const struct builder_cable **scratch)
{
	for (size_t i = 0; i < builder->node_count; i++) {
		size_t count = first[i + 1] - first[i];
		int status = 0;

		for (size_t k = 0; k < count; k++)
			scratch[k] = &builder->cables[order[first[i] + k]];
		if (count > 0)
			status = check_node_cables(builder, scratch, count);
		else if (!(builder->lost & FABRIC_LOST_CABLES))
			status = builder_fault(builder, FAULT_NODE_LOOSE,
					       builder->nodes[i].origin,
					       builder->nodes[i].symbol,
					       FABRIC_NONE, 0);
		if (status)
			return -1;
	}
	return 0;
}

static int check_cables(struct fabric_builder *builder)
{
	size_t count = builder->cable_count;
	uint32_t *keys = array_new(count, sizeof(*keys));
	const struct builder_cable **scratch =
		array_new(count, sizeof(const struct builder_cable *));
	uint32_t *first = NULL;
	uint32_t *order = NULL;
	int status = keys && scratch ? 0 : -1;

	for (size_t i = 0; status == 0 && i < count; i++) {
		status = resolve_cable(builder, &builder->cables[i]);
		keys[i] = builder->cables[i].node;
	}
	if (status == 0)
		status = builder_group(keys, count, builder->node_count,
				       &first, &order);
	if (status == 0)
		status = check_nodes(builder, first, order, scratch);
	free(keys);
	free(scratch);
	free(first);
	free(order);
	return status;
}

/* Both ends from symbols to indices; the target of a bad one: FABRIC_NONE. */
static int resolve_uplink(struct fabric_builder *builder,
			  struct builder_uplink *uplink)
{
	uint32_t to_symbol = uplink->to;
	enum builder_fault_kind kind;

	uplink->from = builder->symbols[uplink->from].sw;
	uplink->to = builder->symbols[to_symbol].sw;
	if (uplink->from == FABRIC_NONE)
		uplink->to = FABRIC_NONE;
	else if (uplink->to != FABRIC_NONE)
		builder->switches[uplink->to].has_children = true;
	if (uplink->from == FABRIC_NONE ||
	    (uplink->to == FABRIC_NONE &&
	     builder->lost & FABRIC_LOST_SWITCHES))
		return 0;
	if (uplink->to == FABRIC_NONE)
		kind = FAULT_PARENT_UNKNOWN;
	else if (uplink->to == uplink->from)
		kind = FAULT_PARENT_SELF;
	else if (builder->switches[uplink->to].compute !=
		 builder->switches[uplink->from].compute)
		kind = FAULT_PARENT_PLANE;
	else
		return 0;
	uplink->to = FABRIC_NONE;
	return builder_fault(builder, kind, uplink->origin, to_symbol,
			     FABRIC_NONE, 0);
}

static bool climbs(const struct fabric_builder *builder,
		   const struct builder_uplink *uplink)
{
	enum fabric_tier from = builder->switches[uplink->from].tier;
	enum fabric_tier to = builder->switches[uplink->to].tier;

	return to > from || (builder->options.core_may_stack &&
			     from == FABRIC_CORE && to == FABRIC_CORE);
}

/* A walk in depth over the uplinks, without recursion. */
struct walk {
	struct fabric_builder *builder;
	const uint32_t *first;	/* the uplinks of each switch */
	const uint32_t *order;
	uint32_t *next;		/* of each switch: the uplink to take next */
	uint32_t *path;
	unsigned char *seen;	/* 1 while on the path, 2 when done */
};

static void walk_from(struct walk *walk, uint32_t start)
{
	size_t depth = 0;

	walk->path[depth++] = start;
	walk->seen[start] = 1;
	while (depth > 0) {
		uint32_t sw = walk->path[depth - 1];
		struct builder_uplink *uplink;

		if (walk->next[sw] == walk->first[sw + 1]) {
			walk->seen[sw] = 2;
			depth--;
			continue;
		}
		uplink = &walk->builder->uplinks[
			walk->order[walk->next[sw]++]];
		if (walk->seen[uplink->to] == 1)
			uplink->closes_cycle = true;
		if (walk->seen[uplink->to])
			continue;
		walk->path[depth++] = uplink->to;
		walk->seen[uplink->to] = 1;
	}
}

/* From the leaves on, so that what closes a cycle is what leads down. */
static int mark_cycles(struct fabric_builder *builder, const uint32_t *first,
		       const uint32_t *order)
{
	size_t count = builder->switch_count;
	struct walk walk = {
		.builder = builder,
		.first = first,
		.order = order,
		.next = array_new(count, sizeof(uint32_t)),
		.path = array_new(count, sizeof(uint32_t)),
		.seen = array_new(count, 1),
	};
	int status = walk.next && walk.path && walk.seen ? 0 : -1;

	if (status == 0) {
		memcpy(walk.next, first, count * sizeof(*first));
		for (int tier = FABRIC_LEAF; tier <= FABRIC_CORE; tier++)
			for (size_t i = 0; i < count; i++)
				if ((int)builder->switches[i].tier == tier &&
				    !walk.seen[i])
					walk_from(&walk, (uint32_t)i);
	}
	free(walk.next);
	free(walk.path);
	free(walk.seen);
	return status;
}

/* LAST_FROM[t]: the switch that last named t as its parent, plus 1. */
static int check_parent(struct fabric_builder *builder,
			const struct builder_uplink *uplink,
			uint32_t *last_from)
{
	uint32_t to = builder->switches[uplink->to].symbol;
	uint32_t from = builder->switches[uplink->from].symbol;

	if (last_from[uplink->to] == uplink->from + 1)
		return builder_fault(builder, FAULT_PARENT_TWICE,
				     uplink->origin, to, from, 0);
	last_from[uplink->to] = uplink->from + 1;
	if (uplink->closes_cycle)
		return builder_fault(builder, FAULT_PARENT_CYCLE,
				     uplink->origin, to, FABRIC_NONE, 0);
	if (!climbs(builder, uplink))
		return builder_fault(builder, FAULT_PARENT_LOW, uplink->origin,
				     to, FABRIC_NONE,
				     builder->switches[uplink->from].tier);
	return 0;
}

static int check_parents(struct fabric_builder *builder,
			 const uint32_t *keys)
{
	uint32_t *last_from = array_new(builder->switch_count,
					sizeof(*last_from));
	uint32_t *first = NULL;
	uint32_t *order = NULL;
	int status = -1;

	if (last_from && !builder_group(keys, builder->uplink_count,
					builder->switch_count, &first, &order))
		status = mark_cycles(builder, first, order);
	for (size_t i = 0; status == 0 && i < first[builder->switch_count];
	     i++)
		status = check_parent(builder, &builder->uplinks[order[i]],
				      last_from);
	free(last_from);
	free(first);
	free(order);
	return status;
}

static int check_uplinks(struct fabric_builder *builder)
{
	size_t count = builder->uplink_count;
	uint32_t *keys = array_new(count, sizeof(*keys));
	int status = keys ? 0 : -1;

	for (size_t i = 0; status == 0 && i < count; i++) {
		struct builder_uplink *uplink = &builder->uplinks[i];

		status = resolve_uplink(builder, uplink);
		keys[i] = uplink->to == FABRIC_NONE ? FABRIC_NONE
						    : uplink->from;
	}
	if (status == 0)
		status = check_parents(builder, keys);
	free(keys);
	return status;
}

static int warn_of_switches(struct fabric_builder *builder)
{
	for (size_t i = 0; i < builder->switch_count; i++) {
		const struct builder_switch *sw = &builder->switches[i];
		bool leaf = sw->tier == FABRIC_LEAF;
		unsigned int lost = leaf ? FABRIC_LOST_CABLES
					 : FABRIC_LOST_UPLINKS;

		if (!sw->compute || builder->lost & lost ||
		    (leaf ? sw->has_nodes : sw->has_children))
			continue;
		if (builder_fault(builder,
				  leaf ? FAULT_LEAF_EMPTY : FAULT_CHILDLESS,
				  sw->origin, sw->symbol, FABRIC_NONE, 0))
			return -1;
	}
	return 0;
}

int builder_check(struct fabric_builder *builder)
{
	if (builder->node_count == 0 &&
	    !(builder->lost & FABRIC_LOST_NODES) &&
	    builder_fault(builder, FAULT_NO_NODES, FABRIC_NONE, FABRIC_NONE,
			  FABRIC_NONE, 0))
		return -1;
	if (check_cables(builder) || check_uplinks(builder))
		return -1;
	return warn_of_switches(builder);
}
