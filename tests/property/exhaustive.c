/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exhaustive: tries all choices of nodes and all orders of them. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exhaustive.h"

enum { BLOCKS_MAX = 16, CLASSES_MAX = 64 };

struct trial {
	const struct placement_request *request;
	const struct job_profile *profile;
	const struct fabric *fabric;
	struct cost_prices prices;
	struct traffic *traffic;
	uint32_t *usable;	/* nodes that may be taken, in table order */
	uint32_t usable_count;
	uint32_t *part;		/* those of one component */
	uint32_t part_count;
	uint32_t *class_of;	/* by place in PART */
	uint32_t class_count;
	uint32_t chosen[BLOCKS_MAX];
	uint32_t *picked;	/* by place in PART: 1 while chosen */
	uint32_t count;		/* blocks */
	uint32_t weight;	/* the heaviest group of nodes admitted */
	uint64_t most;
	struct exhaustive_result *out;
};

static bool is_in(const struct nodeset *set, uint32_t node)
{
	return set && nodeset_has(set, node);
}

/* --- which nodes --- */

static bool leads(const struct trial *t, uint32_t node)
{
	return t->request->has_first_node && t->request->first_node == node;
}

/* By name, or as the first node. */
static bool is_required(const struct trial *t, uint32_t node)
{
	return is_in(t->request->required, node) || leads(t, node);
}

/* Whether NODE may have block DEPTH behind the nodes that are chosen. */
static bool may_follow(const struct trial *t, uint32_t depth, uint32_t node)
{
	const uint32_t *positions = t->request->state->positions;

	if (!depth)
		return leads(t, node) || !t->request->has_first_node;
	return !t->request->first_in_order ||
	       positions[node] > positions[t->chosen[0]];
}

static bool may_take(const struct placement_request *request, uint32_t node)
{
	const uint32_t *positions = request->state->positions;

	if (request->has_first_node &&
	    (request->keep_order || request->first_in_order) &&
	    positions[node] < positions[request->first_node])
		return false;
	if (is_in(request->excluded, node))
		return false;
	if (request->allowed && !nodeset_has(request->allowed, node))
		return false;
	return state_free_gpus(request->state, node) >=
	       request->gpus_per_node;
}

static uint32_t required_in(const struct trial *t, uint32_t component)
{
	uint32_t i, count = 0;

	for (i = 0; i < t->usable_count; i++)
		count += is_required(t, t->usable[i]) &&
			 t->fabric->nodes[t->usable[i]].component == component;
	return count;
}

static uint32_t required_in_all(const struct trial *t)
{
	uint32_t count = t->request->required ?
			 nodeset_count(t->request->required) : 0;

	return count + (t->request->has_first_node &&
			!is_in(t->request->required, t->request->first_node));
}

/* Nodes of COMPONENT whose weight is at most HEAVIEST, and required ones. */
static void gather_part(struct trial *t, uint32_t component, uint32_t heaviest)
{
	const uint32_t *weights = t->request->state->weights;
	uint32_t i, node;

	t->part_count = 0;
	for (i = 0; i < t->usable_count; i++) {
		node = t->usable[i];
		if (t->fabric->nodes[node].component != component)
			continue;
		if (weights[node] <= heaviest || is_required(t, node))
			t->part[t->part_count++] = node;
	}
	if (required_in(t, component) != required_in_all(t))
		t->part_count = 0;
}

static bool part_fits(const struct trial *t)
{
	return t->part_count >= t->count;
}

/* The lowest weight that lets the request fit, with all groups up to it. */
static bool admit(struct trial *t)
{
	const uint32_t *weights = t->request->state->weights;
	uint32_t i, component, weight;
	bool found = false;

	for (i = 0; i < t->usable_count; i++) {
		weight = weights[t->usable[i]];
		if (found && weight >= t->weight)
			continue;
		for (component = 0; component < t->fabric->component_count;
		     component++) {
			gather_part(t, component, weight);
			if (!part_fits(t))
				continue;
			t->weight = weight;
			found = true;
			break;
		}
	}
	return found;
}

/* Slurm's rule: all of the lighter groups, a choice inside the heaviest. */
static bool must_take(const struct trial *t, uint32_t node)
{
	return is_required(t, node) ||
	       t->request->state->weights[node] < t->weight;
}

static int by_position(const void *a, const void *b, void *context)
{
	const uint32_t *positions = context;
	uint32_t x = positions[*(const uint32_t *)a];
	uint32_t y = positions[*(const uint32_t *)b];

	return x < y ? -1 : x > y;
}

static void gather_usable(struct trial *t)
{
	uint32_t node;

	for (node = 0; node < t->fabric->node_count; node++)
		if (may_take(t->request, node))
			t->usable[t->usable_count++] = node;
	qsort_r(t->usable, t->usable_count, sizeof(*t->usable), by_position,
		t->request->state->positions);
}

/* --- nodes that are alike --- */

static uint32_t domain_size(const struct fabric *fabric, uint32_t domain)
{
	uint32_t node, size = 0;

	for (node = 0; node < fabric->node_count; node++)
		size += fabric->nodes[node].domain == domain;
	return size;
}

static bool alike(const struct trial *t, uint32_t a, uint32_t b)
{
	const struct fabric_node *x = &t->fabric->nodes[a];
	const struct fabric_node *y = &t->fabric->nodes[b];
	uint32_t i;

	if (t->request->state->gpus_used[a] != t->request->state->gpus_used[b])
		return false;
	if (x->nics != y->nics || x->nic_gbps != y->nic_gbps ||
	    x->cable_count != y->cable_count)
		return false;
	for (i = 0; i < x->cable_count; i++) {
		const struct fabric_cable *c =
			&t->fabric->cables[x->first_cable + i];
		const struct fabric_cable *d =
			&t->fabric->cables[y->first_cable + i];

		if (c->leaf != d->leaf || c->rail != d->rail)
			return false;
	}
	if (must_take(t, a) != must_take(t, b))
		return false;
	return x->domain == y->domain ||
	       (domain_size(t->fabric, x->domain) == 1 &&
		domain_size(t->fabric, y->domain) == 1);
}

static void classify(struct trial *t)
{
	uint32_t i, j;

	t->class_count = 0;
	for (i = 0; i < t->part_count; i++) {
		for (j = 0; j < i; j++)
			if (alike(t, t->part[i], t->part[j]))
				break;
		t->class_of[i] = j < i ? t->class_of[j] : t->class_count++;
	}
	if (t->class_count > t->out->classes)
		t->out->classes = t->class_count;
}

/* --- all of them --- */

static bool has_all_it_must(const struct trial *t)
{
	uint32_t i, wanted = 0, found = 0;

	for (i = 0; i < t->part_count; i++)
		wanted += must_take(t, t->part[i]);
	for (i = 0; i < t->count; i++)
		found += must_take(t, t->chosen[i]);
	return found == wanted;
}

static void try_chosen(struct trial *t)
{
	struct cost_score score;

	if (!has_all_it_must(t))
		return;
	ck_assert_int_eq(cost_score(t->request->state, &t->prices, t->profile,
				    t->traffic, t->chosen, &score), 0);
	if (score.cost < t->out->cost)
		t->out->cost = score.cost;
	t->out->tried++;
}

/*
 * Block DEPTH on one node of each class that has some left; block 0 on all of
 * them, since by its node it decides which others may follow.
 */
static bool in_any_order(struct trial *t, uint32_t depth)
{
	bool seen[CLASSES_MAX] = { false };
	uint32_t i;

	if (depth == t->count) {
		try_chosen(t);
		return t->out->tried <= t->most;
	}
	for (i = 0; i < t->part_count; i++) {
		if (t->picked[i] || !may_follow(t, depth, t->part[i]) ||
		    (seen[t->class_of[i]] &&
		     (depth || !t->request->first_in_order)))
			continue;
		seen[t->class_of[i]] = true;
		t->picked[i] = 1;
		t->chosen[depth] = t->part[i];
		if (!in_any_order(t, depth + 1))
			return false;
		t->picked[i] = 0;
	}
	return true;
}

/* Block DEPTH on a node from place FROM of the table on. */
static bool in_table_order(struct trial *t, uint32_t depth, uint32_t from)
{
	uint32_t i;

	if (depth == t->count) {
		try_chosen(t);
		return t->out->tried <= t->most;
	}
	for (i = from; i < t->part_count; i++) {
		if (!may_follow(t, depth, t->part[i]))
			continue;
		t->chosen[depth] = t->part[i];
		if (!in_table_order(t, depth + 1, i + 1))
			return false;
	}
	return true;
}

static bool try_part(struct trial *t)
{
	classify(t);
	if (t->class_count > CLASSES_MAX)
		return false;
	memset(t->picked, 0, t->part_count * sizeof(*t->picked));
	return t->request->keep_order ? in_table_order(t, 0, 0) :
					in_any_order(t, 0);
}

static enum exhaustive_status try_all(struct trial *t)
{
	uint32_t component;

	gather_usable(t);
	if (required_in_all(t) > t->count || !admit(t))
		return EXHAUSTIVE_NONE;
	for (component = 0; component < t->fabric->component_count;
	     component++) {
		gather_part(t, component, t->weight);
		if (part_fits(t) && !try_part(t))
			return EXHAUSTIVE_TOO_MANY;
	}
	return EXHAUSTIVE_DONE;
}

enum exhaustive_status exhaustive_cost(const struct placement_request *request,
				       const struct job_profile *profile,
				       uint64_t most,
				       struct exhaustive_result *ret)
{
	const struct fabric *fabric = request->state->fabric;
	size_t size = (fabric->node_count + 1) * sizeof(uint32_t);
	uint32_t gpus[BLOCKS_MAX], k;
	enum exhaustive_status status;
	struct trial t = {
		.request = request, .profile = profile, .fabric = fabric,
		.count = request->min_nodes, .most = most, .out = ret,
		.usable = malloc(size), .part = malloc(size),
		.class_of = malloc(size), .picked = malloc(size)
	};

	ck_assert(t.usable && t.part && t.class_of && t.picked);
	ck_assert_uint_le(t.count, BLOCKS_MAX);
	for (k = 0; k < t.count; k++)
		gpus[k] = request->gpus_per_node;
	t.traffic = traffic_build(profile, gpus, t.count, fabric->has_rails);
	ck_assert_ptr_nonnull(t.traffic);
	ck_assert_int_eq(cost_prices_init(&t.prices, request->state), 0);
	*ret = (struct exhaustive_result){ .cost = INFINITY };
	status = try_all(&t);
	cost_prices_done(&t.prices);
	traffic_free(t.traffic);
	free(t.usable);
	free(t.part);
	free(t.class_of);
	free(t.picked);
	return status;
}
