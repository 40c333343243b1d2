/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recount_flows: what one group of ranks sends, flow by flow. */
#include <stdlib.h>

#include "recount_internal.h"

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double price_of(const struct counting *c, uint32_t from_leaf,
		       uint32_t to_leaf, int level)
{
	const struct cost_prices *prices = c->in->prices;
	double price = larger(prices->up[from_leaf], prices->down[to_leaf]);

	if (level == 3)
		price += larger(prices->core_up[from_leaf],
				prices->core_down[to_leaf]);
	return price;
}

static uint32_t rail_towards(const struct counting *c, uint32_t to)
{
	const struct rank *rank = &c->ranks[to];

	return rank->gpu % c->in->fabric->nodes[rank->node].nics;
}

static void flow(struct counting *c, enum dimension dimension, uint32_t from,
		 uint32_t to, double bytes)
{
	const struct fabric *fabric = c->in->fabric;
	uint32_t a = c->ranks[from].node, b = c->ranks[to].node;
	uint32_t rail = rail_towards(c, to);
	int level;

	if (from == to)
		return;
	level = recount_level(fabric, a, b);
	if (level == 0)
		c->out->local[dimension] += bytes;
	if (level == 1)
		c->out->leaf[dimension] += bytes;
	if (level < 2)
		return;
	c->out->spine[dimension] += bytes;
	if (level == 3)
		c->out->core[dimension] += bytes;
	c->out->cost += bytes *
			price_of(c, recount_leaf_of_rail(fabric, a, rail),
				 recount_leaf_of_rail(fabric, b, rail), level);
}

void recount_ring(struct counting *c, enum dimension dimension, double bytes)
{
	uint32_t i;

	for (i = 0; i < c->size; i++)
		flow(c, dimension, c->group[i], c->group[(i + 1) % c->size],
		     bytes);
}

void recount_all_to_all(struct counting *c, enum dimension dimension,
		       double bytes)
{
	uint32_t i, j;

	for (i = 0; i < c->size; i++)
		for (j = 0; j < c->size; j++)
			flow(c, dimension, c->group[i], c->group[j],
			     bytes / (c->size - 1));
}

/* --- all-reduces that are no ring --- */

/* The buffer D behind BYTES that one of the group's GPUs would send. */
static double buffer_of(const struct counting *c, double bytes)
{
	return bytes * c->size / (2.0 * (c->size - 1));
}

/* FIRSTS: the first member on each node of the group; returns the nodes. */
uint32_t recount_first_members(const struct counting *c, uint32_t *firsts)
{
	uint32_t i, j, nodes = 0;

	for (i = 0; i < c->size; i++) {
		for (j = 0; j < i; j++)
			if (c->ranks[c->group[j]].node ==
			    c->ranks[c->group[i]].node)
				break;
		if (j == i)
			firsts[nodes++] = c->group[i];
	}
	return nodes;
}

/* Parent of I in the first tree, or -1 for the root. */
static long parent_in_first_tree(long i, long nodes)
{
	long bit = 1;

	if (i == 0)
		return -1;
	while (!(i & bit))
		bit <<= 1;
	if (((i - bit) | (2 * bit)) < nodes)
		return (i - bit) | (2 * bit);
	return i - bit;
}

/* The name in the second tree of the node that is I in the first. */
static long second_name(long i, long nodes)
{
	return nodes % 2 ? (i + 1) % nodes : nodes - 1 - i;
}

/* The name that node I of the second tree bears in the first. */
static long first_name(long i, long nodes)
{
	return nodes % 2 ? (i + nodes - 1) % nodes : nodes - 1 - i;
}

void recount_both_ways(struct counting *c, enum dimension dimension, uint32_t a,
		      uint32_t b, double bytes)
{
	flow(c, dimension, a, b, bytes);
	flow(c, dimension, b, a, bytes);
}

static void trees(struct counting *c, enum dimension dimension, double bytes)
{
	uint32_t *firsts = recount_need(c->size, sizeof(*firsts));
	long nodes = recount_first_members(c, firsts), i, parent;
	double half = buffer_of(c, bytes) / 2;

	for (i = 0; i < nodes; i++) {
		parent = parent_in_first_tree(i, nodes);
		if (parent >= 0)
			recount_both_ways(c, dimension, firsts[i],
					  firsts[parent], half);
		parent = parent_in_first_tree(first_name(i, nodes), nodes);
		if (parent >= 0)
			recount_both_ways(c, dimension, firsts[i],
					  firsts[second_name(parent, nodes)],
					  half);
	}
	free(firsts);
}

static bool joined(const struct counting *c, uint32_t a, uint32_t b,
		   int highest)
{
	const struct fabric *fabric = c->in->fabric;
	uint32_t node_a = c->ranks[a].node, node_b = c->ranks[b].node;

	if (highest < 0)
		return recount_share_leaf(fabric, node_a, node_b);
	return recount_level(fabric, node_a, node_b) <= highest;
}

uint32_t recount_classes(const struct counting *c, const uint32_t *firsts,
			uint32_t nodes, int highest, uint32_t *ret_class)
{
	uint32_t i, j, count = 0;
	bool changed = true;

	for (i = 0; i < nodes; i++)
		ret_class[i] = i;
	while (changed) {
		changed = false;
		for (i = 0; i < nodes; i++)
			for (j = 0; j < nodes; j++) {
				if (ret_class[j] <= ret_class[i] ||
				    !joined(c, firsts[i], firsts[j], highest))
					continue;
				ret_class[j] = ret_class[i];
				changed = true;
			}
	}
	for (i = 0; i < nodes; i++)	/* the first member keeps its place */
		count += ret_class[i] == i;
	return count;
}

/* The members of FIRSTS that lead their class, in order. */
static uint32_t leaders(const struct counting *c, const uint32_t *firsts,
			uint32_t nodes, uint32_t *class, uint32_t *ret_leaders)
{
	uint32_t i, count = 0;

	recount_classes(c, firsts, nodes, 1, class);
	for (i = 0; i < nodes; i++)
		if (class[i] == i)
			ret_leaders[count++] = firsts[i];
	return count;
}

static void hierarchical(struct counting *c, enum dimension dimension,
			 double bytes)
{
	uint32_t *firsts = recount_need(c->size, sizeof(*firsts));
	uint32_t *class = recount_need(c->size, sizeof(*class));
	uint32_t *leads = recount_need(c->size, sizeof(*leads));
	uint32_t nodes = recount_first_members(c, firsts);
	uint32_t k = leaders(c, firsts, nodes, class, leads), i;
	double sent = 2.0 * (k - 1) / k * buffer_of(c, bytes);

	for (i = 0; i < k; i++)
		flow(c, dimension, leads[i], leads[(i + 1) % k], sent);
	free(firsts);
	free(class);
	free(leads);
}

/* True where one Spine stands above each of the K leaves (classes). */
static bool spine_above_all(const struct counting *c, const uint32_t *firsts,
			    const uint32_t *class, uint32_t nodes, uint32_t k)
{
	const struct fabric *fabric = c->in->fabric;
	uint32_t spine, i, j, met;

	for (spine = 0; spine < fabric->switch_count; spine++) {
		met = 0;
		for (i = 0; i < nodes; i++) {
			if (class[i] != i)
				continue;
			for (j = i; j < nodes; j++)
				if (class[j] == i &&
				    recount_under_spine(fabric,
						     c->ranks[firsts[j]].node,
						     spine))
					break;
			met += j < nodes;
		}
		if (met == k)
			return true;
	}
	return false;
}

static void sharp_leaf(struct counting *c, enum dimension dimension,
		       uint32_t lead, double buffer, int level)
{
	uint32_t leaf = recount_leaf_of_rail(c->in->fabric, c->ranks[lead].node,
				     rail_towards(c, lead));

	c->out->spine[dimension] += buffer;
	if (level == 3)
		c->out->core[dimension] += buffer;
	c->out->cost += buffer * price_of(c, leaf, leaf, level);
}

static void sharp(struct counting *c, enum dimension dimension, double bytes)
{
	uint32_t *firsts = recount_need(c->size, sizeof(*firsts));
	uint32_t *class = recount_need(c->size, sizeof(*class));
	uint32_t *leads = recount_need(c->size, sizeof(*leads));
	uint32_t nodes = recount_first_members(c, firsts);
	uint32_t k = leaders(c, firsts, nodes, class, leads), i;
	int level = spine_above_all(c, firsts, class, nodes, k) ? 2 : 3;

	for (i = 0; i < k && k > 1; i++)
		sharp_leaf(c, dimension, leads[i], buffer_of(c, bytes), level);
	free(firsts);
	free(class);
	free(leads);
}

void recount_all_reduce(struct counting *c, enum dimension dimension,
		       double bytes)
{
	switch (c->in->profile->allreduce) {
	case ALLREDUCE_RING:
		recount_ring(c, dimension, bytes);
		break;
	case ALLREDUCE_TREE:
		trees(c, dimension, bytes);
		break;
	case ALLREDUCE_HIERARCHICAL:
		hierarchical(c, dimension, bytes);
		break;
	case ALLREDUCE_SHARP:
		sharp(c, dimension, bytes);
		break;
	}
}
