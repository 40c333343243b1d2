/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with a fabric as a whole, and with its cables. */
#define _GNU_SOURCE 1
#include "fabric_private.h"

#include <stdlib.h>

/*
 * Leaf and node of a cable from symbols to indices. Storage leaves may list
 * servers that are no compute nodes: cables of other planes are not looked at.
 */
static int resolve_cable(struct fabric_builder *builder,
			 struct builder_cable *cable)
{
	const struct builder_symbol *node = &builder->symbols[cable->node];
	uint32_t node_symbol = cable->node;
	uint32_t leaf_symbol = cable->leaf;

	cable->leaf = builder_lower_switch(builder, leaf_symbol,
					   cable->leaf_sw);
	cable->node = FABRIC_NONE;
	if (cable->leaf != FABRIC_NONE) {
		struct builder_switch *sw = &builder->switches[cable->leaf];

		sw->has_nodes = true;
		if (sw->tier == FABRIC_SPINE || sw->tier == FABRIC_CORE)
			return builder_fault(builder, FAULT_NODES_ON_TIER,
					     cable->origin, FABRIC_NONE,
					     leaf_symbol, 0);
		if (!sw->compute)
			return 0;
	}
	cable->node = node->node;
	if (cable->node == FABRIC_NONE &&
	    !fabric_lost_has(&builder->lost[FABRIC_LOST_NODES], node->name))
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

/* Two leaves of a node, EARLY with a name. Copies of one leaf are no fault. */
static int check_two_leaves(struct fabric_builder *builder,
			    const struct builder_cable *early,
			    const struct builder_cable *late)
{
	uint32_t node = builder->nodes[late->node].symbol;
	uint32_t early_leaf = builder->switches[early->leaf].symbol;
	uint32_t late_leaf = late->leaf == FABRIC_NONE ? FABRIC_NONE
			     : builder->switches[late->leaf].symbol;

	if (early_leaf == late_leaf && early->leaf != late->leaf)
		return 0;
	if (early->rail == FABRIC_ALL_RAILS && late->rail == early->rail &&
	    builder->options.unrailed_overlap)
		return late_leaf == FABRIC_NONE ? 0
		       : builder_fault(builder, FAULT_NODE_SHARED,
				       late->origin, node, early_leaf,
				       late_leaf);
	if (early->rail == FABRIC_ALL_RAILS || late->rail == FABRIC_ALL_RAILS)
		return builder_fault(builder, FAULT_TWO_LEAVES, late->origin,
				     node, early_leaf, 0);
	if (early->rail == late->rail && early->rail != FABRIC_RAIL_UNKNOWN)
		return builder_fault(builder, FAULT_RAIL_TWICE, late->origin,
				     node, early_leaf, (uint32_t)early->rail);
	return 0;
}

/* A pair of cables of one node that stand next to each other, by rail. */
static int check_cable_pair(struct fabric_builder *builder,
			    const struct builder_cable *a,
			    const struct builder_cable *b)
{
	/* The later of the two in the file is the one at fault, */
	const struct builder_cable *late = a < b ? b : a;
	const struct builder_cable *early = a < b ? a : b;

	if (a->leaf == b->leaf && a->origin == b->origin &&
	    (a->rail == b->rail || a->rail == FABRIC_ALL_RAILS))
		return builder_fault(builder, FAULT_CABLE_TWICE, late->origin,
				     builder->nodes[a->node].symbol,
				     FABRIC_NONE, 0);
	/* but the words need a leaf that has a name. */
	if (early->leaf != FABRIC_NONE)
		return check_two_leaves(builder, early, late);
	if (late->leaf != FABRIC_NONE)
		return check_two_leaves(builder, late, early);
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

static int check_loose(struct fabric_builder *builder,
		       const struct builder_node *node)
{
	if (fabric_lost_has(&builder->lost[FABRIC_LOST_CABLES],
			    builder->symbols[node->symbol].name))
		return 0;
	return builder_fault(builder, FAULT_NODE_LOOSE, node->origin,
			     node->symbol, FABRIC_NONE, 0);
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
		else
			status = check_loose(builder, &builder->nodes[i]);
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

int builder_check(struct fabric_builder *builder)
{
	const struct fabric_lost_names *nodes =
		&builder->lost[FABRIC_LOST_NODES];

	if (builder->node_count == 0 && !nodes->any && nodes->count == 0 &&
	    builder_fault(builder, FAULT_NO_NODES, FABRIC_NONE, FABRIC_NONE,
			  FABRIC_NONE, 0))
		return -1;
	if (check_cables(builder))
		return -1;
	return builder_check_uplinks(builder);
}
