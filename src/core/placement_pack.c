/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placement_pack: packs leaf by leaf in many ways, and improves the best.
 *
 * What should stay together depends on the job: a stage's gradient ring, a
 * pipeline's column, an expert group. Each is a run of blocks in some order of
 * the grid's axes, so blocks are packed in each such order, in multiples of
 * each run, tightly and evenly, and the cost decides.
 */

#include <stdlib.h>
#include <string.h>

#include "placement_fill.h"

/* Arcs looked at while improving, for one fabric: bounds time, not answers. */
#define IMPROVE_WORK 30000
/* So many of the packings are improved. */
enum { KEPT = 3, UNITS_MAX = 6, ORDERS_MAX = 8 };

struct packer {
	struct placement_problem *problem;
	uint32_t *plan;			/* being tried */
	uint32_t *nodes;
	uint32_t *kept[KEPT];		/* the best plans, best first */
	double kept_cost[KEPT];
	uint32_t *orders[ORDERS_MAX];	/* of blocks, to fill in */
	int order_count;
	uint32_t units[ORDERS_MAX][UNITS_MAX];
	int unit_count[ORDERS_MAX];
};

/* One axis of a rank grid as blocks see it. */
struct block_axis {
	uint32_t stride, size;
};

/* The axes that lead from block to block, for one grid. */
static int block_axes(const struct placement_problem *problem, bool experts,
		      struct block_axis *axes)
{
	const struct job_profile *profile = &problem->profile;
	uint32_t each = problem->need[0], ranks = 1;
	int count = 0;

	for (int i = 0; i < AXES; i++) {
		uint32_t size, begin = ranks;

		switch (profile->order[i]) {
		case AXIS_TP:
			size = experts ? profile->etp : profile->tp;
			break;
		case AXIS_CP:
			size = experts ? 1 : profile->cp;
			break;
		case AXIS_EP:
			size = experts ? profile->ep : 1;
			break;
		case AXIS_DP:
			size = experts ? profile->edp : profile->dp;
			break;
		default:
			size = profile->pp;
		}
		ranks *= size;
		if (size == 1 || ranks <= each)
			continue;
		/* An axis that begins inside a node leads on behind it. */
		if (begin < each) {
			begin = each;
			size = ranks / each;
		}
		if (begin % each || ranks % each || size < 2)
			return 0;
		axes[count++] = (struct block_axis){ begin / each, size };
	}
	return count;
}

/* The place of ORDER among those known, or their number. */
static int find_order(const struct packer *packer, const uint32_t *order)
{
	size_t bytes = packer->problem->block_count * sizeof(*order);
	int i = 0;

	while (i < packer->order_count &&
	       memcmp(packer->orders[i], order, bytes))
		i++;
	return i;
}

static void add_unit(struct packer *packer, int order, uint32_t unit)
{
	uint32_t *units = packer->units[order];
	int *count = &packer->unit_count[order];

	for (int i = 0; i < *count; i++)
		if (units[i] == unit)
			return;
	if (*count < UNITS_MAX && unit < packer->problem->block_count)
		units[(*count)++] = unit;
}

/* Keeps ORDER (taken over) unless it is known; where it stands, or -1. */
static int add_order(struct packer *packer, uint32_t *order)
{
	int at = find_order(packer, order);

	if (at < packer->order_count) {
		free(order);
		return at;
	}
	if (at == ORDERS_MAX) {
		free(order);
		return -1;
	}
	packer->orders[at] = order;
	packer->order_count++;
	add_unit(packer, at, 1);
	return at;
}

/* Blocks with AXIS running fastest, the others in their own order. */
static void write_order(const struct block_axis *axis, uint32_t blocks,
			uint32_t *order)
{
	uint32_t at = 0;

	for (uint32_t base = 0; base < blocks; base++) {
		if (base / axis->stride % axis->size)
			continue;
		for (uint32_t i = 0; i < axis->size; i++)
			order[at++] = base + i * axis->stride;
	}
}

static int add_orders(struct packer *packer, bool experts)
{
	uint32_t blocks = packer->problem->block_count;
	struct block_axis axes[AXES];
	int count = block_axes(packer->problem, experts, axes);

	/* The last block may be short: then the grid does not fill up. */
	for (int i = 0; i < count; i++)
		if (blocks % (axes[i].stride * axes[i].size))
			return 0;
	for (int first = 0; first < count; first++) {
		uint32_t *order = calloc(blocks, sizeof(*order));
		uint32_t run = axes[first].size;
		int at;

		if (!order)
			return -1;
		write_order(&axes[first], blocks, order);
		at = add_order(packer, order);
		if (at < 0)
			continue;
		add_unit(packer, at, run);
		for (int i = 0; i < count; i++)
			if (i != first)
				add_unit(packer, at, run *= axes[i].size);
	}
	return 0;
}

static int add_rank_order(struct packer *packer)
{
	uint32_t blocks = packer->problem->block_count;
	uint32_t *order = calloc(blocks, sizeof(*order));

	if (!order)
		return -1;
	for (uint32_t k = 0; k < blocks; k++)
		order[k] = k;
	add_order(packer, order);
	return 0;
}

/* Files the plan that was tried among the best. */
static void keep_plan(struct packer *packer)
{
	double cost = placement_plan_cost(packer->problem, packer->plan);
	size_t bytes = packer->problem->block_count * sizeof(uint32_t);
	uint32_t *spare;
	int at = KEPT;

	for (int i = 0; i < KEPT; i++)
		if (packer->kept_cost[i] >= 0 &&
		    !memcmp(packer->kept[i], packer->plan, bytes))
			return;
	while (at > 0 && (packer->kept_cost[at - 1] < 0 ||
			  cost < packer->kept_cost[at - 1]))
		at--;
	if (at == KEPT)
		return;
	spare = packer->kept[KEPT - 1];
	for (int i = KEPT - 1; i > at; i--) {
		packer->kept[i] = packer->kept[i - 1];
		packer->kept_cost[i] = packer->kept_cost[i - 1];
	}
	packer->kept[at] = spare;
	packer->kept_cost[at] = cost;
	memcpy(spare, packer->plan, bytes);
}

static int try_fill(struct packer *packer, const struct placement_fill *fill)
{
	int status = placement_fill(packer->problem, fill, packer->plan);

	if (status > 0)
		status = placement_settle(packer->problem, packer->plan,
					  packer->nodes);
	if (status > 0)
		keep_plan(packer);
	return status < 0 ? -1 : 0;
}

/* Most that a leaf holds, in nodes. */
static uint32_t roomiest_leaf(const struct placement_problem *problem)
{
	const struct placement_class *classes = problem->classes;
	uint32_t most = 1, here = 0;

	/* Classes stand kind by kind; a leafset's kinds may stand apart. */
	for (uint32_t c = 0; c < problem->class_count; c++) {
		here = 0;
		for (uint32_t i = 0; i < problem->class_count; i++)
			if (classes[i].leafset == classes[c].leafset)
				here += classes[i].node_count;
		if (here > most)
			most = here;
	}
	return most;
}

static int try_orders(struct packer *packer)
{
	uint32_t blocks = packer->problem->block_count;
	uint32_t most = roomiest_leaf(packer->problem);
	uint32_t leaves = (blocks + most - 1) / most;

	for (int i = 0; i < packer->order_count; i++) {
		struct placement_fill fill = {
			FABRIC_NONE, FABRIC_NONE, 1, 0, true, packer->orders[i]
		};

		for (int u = 0; u < packer->unit_count[i]; u++) {
			fill.unit = packer->units[i][u];
			if (try_fill(packer, &fill))
				return -1;
		}
		/* Evenly over the fewest leaves, and over one more. */
		fill.unit = 1;
		for (uint32_t k = leaves; leaves > 1 && k <= leaves + 1; k++) {
			fill.most_per_leaf = (blocks + k - 1) / k;
			if (try_fill(packer, &fill))
				return -1;
		}
	}
	return 0;
}

/* A single leaf, or a domain under one: the one that leaves least behind. */
static int try_pool(struct packer *packer, uint32_t leafset, uint32_t kind,
		    struct placement_merit *best, uint32_t *best_nodes,
		    bool *found)
{
	struct placement_problem *problem = packer->problem;
	struct placement_fill fill = { leafset, kind, 1, 0, false, NULL };
	struct placement_merit merit = { 0 };
	int status = placement_fill(problem, &fill, packer->plan);

	if (status > 0)
		status = placement_settle(problem, packer->plan,
					  packer->nodes);
	if (status <= 0)
		return status;
	if (placement_weigh_rests(problem, packer->nodes, &merit))
		return -1;
	if (*found && !placement_better(&merit, packer->nodes, best,
					best_nodes, problem->block_count))
		return 0;
	*found = true;
	*best = merit;
	memcpy(best_nodes, packer->nodes,
	       problem->block_count * sizeof(*best_nodes));
	return 0;
}

/* Nodes of a class's kind, counted at the first class of it; else 0. */
static uint32_t kind_room(const struct placement_problem *problem, uint32_t c)
{
	const struct placement_class *classes = problem->classes;
	uint32_t kind = classes[c].kind, room = 0;

	/* Classes stand kind by kind. */
	if (c && classes[c - 1].kind == kind)
		return 0;
	for (; c < problem->class_count && classes[c].kind == kind; c++)
		room += classes[c].node_count;
	return room;
}

static int one_leaf(struct packer *packer)
{
	struct placement_problem *problem = packer->problem;
	const struct fabric *fabric = problem->state->fabric;
	uint32_t *room = calloc((size_t)fabric->leafset_count + 1,
				sizeof(*room));
	struct placement_merit best = { 0 };
	uint32_t *best_nodes = packer->kept[0];	/* not yet in use */
	bool found = false;
	int status = room ? 0 : -1;

	for (uint32_t c = 0; !status && c < problem->class_count; c++) {
		const struct placement_class *class = &problem->classes[c];

		room[class->leafset] += class->node_count;
		if (kind_room(problem, c) >= problem->block_count)
			status = try_pool(packer, class->leafset, class->kind,
					  &best, best_nodes, &found);
	}
	for (uint32_t l = 0; !status && l < fabric->leafset_count; l++)
		if (room[l] >= problem->block_count)
			status = try_pool(packer, l, FABRIC_NONE, &best,
					  best_nodes, &found);
	if (!status && found)
		status = placement_offer(problem, best_nodes);
	free(room);
	return status;
}

static bool nothing_crosses(const struct placement_problem *problem)
{
	return problem->solved && problem->best_merit.cost == 0 &&
	       problem->best_merit.bottleneck_seconds == 0;
}

static int offer_kept(struct packer *packer)
{
	int64_t work = IMPROVE_WORK;

	for (int i = 0; i < KEPT && packer->kept_cost[i] >= 0; i++) {
		if (placement_offer_plan(packer->problem, packer->kept[i]) ||
		    placement_improve(packer->problem, packer->kept[i],
				      &work) ||
		    placement_offer_plan(packer->problem, packer->kept[i]))
			return -1;
	}
	return 0;
}

static bool allocate(struct packer *packer)
{
	size_t blocks = packer->problem->block_count;

	packer->plan = calloc(blocks, sizeof(uint32_t));
	packer->nodes = calloc(blocks, sizeof(uint32_t));
	for (int i = 0; i < KEPT; i++) {
		packer->kept[i] = calloc(blocks, sizeof(uint32_t));
		packer->kept_cost[i] = -1;
		if (!packer->kept[i])
			return false;
	}
	return packer->plan && packer->nodes;
}

static int pack(struct placement_problem *problem)
{
	struct packer packer = { .problem = problem };
	int status = -1;

	if (allocate(&packer) && !one_leaf(&packer)) {
		status = 0;
		if (!nothing_crosses(problem) &&
		    (add_rank_order(&packer) || add_orders(&packer, false) ||
		     (problem->profile.edp && add_orders(&packer, true)) ||
		     try_orders(&packer) || offer_kept(&packer)))
			status = -1;
	}
	free(packer.plan);
	free(packer.nodes);
	for (int i = 0; i < KEPT; i++)
		free(packer.kept[i]);
	for (int i = 0; i < packer.order_count; i++)
		free(packer.orders[i]);
	return status;
}

const struct placement_strategy placement_pack = { "pack", pack };
