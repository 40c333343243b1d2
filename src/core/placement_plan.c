/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placement_plan: what a plan costs, which nodes it means, how good it is. */

#include "placement_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flows.h"

/* Sums in another order differ by less; a real difference is larger. */
#define SAME_SHARE 1e-11

static uint32_t leaf_of(const struct placement_problem *problem,
			const struct placement_class *class, uint32_t rail)
{
	if (problem->prices->rails_alike)
		return class->leaf;
	return kinds_leaf(&problem->state->kinds, problem->state->fabric,
			  class->kind, rail);
}

double placement_price(const struct placement_problem *problem, uint32_t from,
		       uint32_t to, uint32_t slot)
{
	const struct placement_class *a = &problem->classes[from];
	const struct placement_class *b = &problem->classes[to];
	uint32_t rail;
	int level;

	if (a->leafset == b->leafset)
		return 0;
	level = kinds_level(&problem->state->kinds, problem->state->fabric,
			    a->kind, b->kind);
	if (level < 2)
		return 0;
	rail = (b->first_gpu + slot) % b->nics;
	return cost_pair_price(problem->prices, leaf_of(problem, a, rail),
			       leaf_of(problem, b, rail), level);
}

double placement_block_cost(const struct placement_problem *problem,
			    const uint32_t *plan, uint32_t block,
			    uint32_t class)
{
	double cost = 0;

	for (uint32_t i = problem->arc_start[block];
	     i < problem->arc_start[block + 1]; i++) {
		const struct placement_arc *arc = &problem->arcs[i];
		uint32_t other = plan[arc->other];

		if (other == class || other == FABRIC_NONE)
			continue;
		cost += arc->bytes * (arc->outgoing ?
			placement_price(problem, class, other, arc->slot) :
			placement_price(problem, other, class, arc->slot));
	}
	return cost;
}

struct group_cost {
	const struct placement_problem *problem;
	double cost;
};

static void add_group_flow(void *context, const struct flow *flow)
{
	struct group_cost *sum = context;
	const struct state *state = sum->problem->state;

	if (flow->level < 2)
		return;
	sum->cost += flow->bytes * cost_pair_price(
		sum->problem->prices,
		kinds_leaf(&state->kinds, state->fabric, flow->from,
			   flow->rail),
		kinds_leaf(&state->kinds, state->fabric, flow->to,
			   flow->rail), flow->level);
}

double placement_groups_cost(const struct placement_problem *problem,
			     const uint32_t *plan)
{
	struct group_cost sum = { problem, 0 };
	struct flow_source source = {
		problem->state->fabric, &problem->state->kinds,
		problem->whole_groups, problem->stand_ins,
		problem->stand_in_gpus, 1
	};
	struct flow_sink sink = { &sum, add_group_flow, NULL };

	if (!problem->whole_groups)
		return 0;
	for (uint32_t k = 0; k < problem->block_count; k++) {
		const struct placement_class *class =
			&problem->classes[plan[k]];

		problem->stand_ins[k] =
			problem->class_nodes[class->first_node];
		problem->stand_in_gpus[k] = class->first_gpu;
	}
	if (flows_walk(&source, &sink)) {
		*problem->ret_failed = true;
		return INFINITY;
	}
	return sum.cost;
}

double placement_plan_cost(const struct placement_problem *problem,
			   const uint32_t *plan)
{
	double twice = 0;

	for (uint32_t k = 0; k < problem->block_count; k++)
		twice += placement_block_cost(problem, plan, k, plan[k]);
	return twice / 2 + placement_groups_cost(problem, plan);
}

/* How many nodes of a class stand behind POSITION. */
static uint32_t count_behind(const struct placement_problem *problem,
			     const struct placement_class *class,
			     uint32_t position)
{
	const uint32_t *nodes = problem->class_nodes + class->first_node;
	uint32_t count = 0;

	for (uint32_t i = 0; i < class->node_count; i++)
		count += problem->state->positions[nodes[i]] > position;
	return count;
}

bool placement_lead_rooms(const struct placement_problem *problem,
			  uint32_t lead, uint32_t *room)
{
	const struct placement_class *classes = problem->classes;
	uint32_t position = problem->state->positions[
		problem->class_nodes[classes[lead].first_node]];

	for (uint32_t c = 0; c < problem->class_count; c++) {
		room[c] = classes[c].node_count;
		if (c == lead || problem->lead != PLACEMENT_LEAD_LOWEST)
			continue;
		room[c] = count_behind(problem, &classes[c], position);
		if (classes[c].wanted && room[c] < classes[c].node_count)
			return false;
	}
	return problem->lead != PLACEMENT_LEAD_NODE || classes[lead].leads;
}

static bool all_wanted_used(const struct placement_problem *problem,
			    const uint32_t *used)
{
	for (uint32_t c = 0; problem->wanted_count && c < problem->class_count;
	     c++)
		if (problem->classes[c].wanted &&
		    used[c] != problem->classes[c].node_count)
			return false;
	return true;
}

/* Where Slurm's order binds, the position that the next node must be behind;
 * -1: none. */
static int64_t behind(const struct placement_problem *problem,
		      const uint32_t *nodes, uint32_t block)
{
	const uint32_t *positions = problem->state->positions;

	if (!block)
		return -1;
	if (problem->request->keep_order)
		return positions[nodes[block - 1]];
	if (problem->lead == PLACEMENT_LEAD_LOWEST)
		return positions[nodes[0]];
	return -1;
}

bool placement_plan_nodes(const struct placement_problem *problem,
			  const uint32_t *plan, uint32_t *nodes,
			  uint32_t *scratch)
{
	const uint32_t *positions = problem->state->positions;

	memset(scratch, 0, problem->class_count * sizeof(*scratch));
	for (uint32_t k = 0; k < problem->block_count; k++) {
		const struct placement_class *class =
			&problem->classes[plan[k]];
		uint32_t *next = &scratch[plan[k]];
		int64_t bound = behind(problem, nodes, k);

		if (!placement_fits(problem, plan[k], k) ||
		    (!k && problem->lead == PLACEMENT_LEAD_NODE &&
		     !class->leads))
			return false;
		while (*next < class->node_count &&
		       positions[problem->class_nodes[class->first_node +
						      *next]] < bound) {
			if (class->wanted)
				return false;
			++*next;
		}
		if (*next == class->node_count)
			return false;
		nodes[k] = problem->class_nodes[class->first_node + (*next)++];
	}
	return all_wanted_used(problem, scratch);
}

/* Adds what is left under SET once, and what a block takes of it. */
struct rest_counter {
	uint64_t rest;
	uint32_t *seen;		/* sets touched so far */
	uint32_t count;
};

static void count_rest(struct rest_counter *counter, uint32_t set,
		       uint64_t free_gpus, uint32_t taken)
{
	uint32_t i = 0;

	while (i < counter->count &&
	       counter->seen[counter->count - 1 - i] != set)
		i++;
	if (i == counter->count) {
		counter->seen[counter->count++] = set;
		counter->rest += free_gpus;
	}
	counter->rest -= taken;
}

int placement_weigh_rests(const struct placement_problem *problem,
			  const uint32_t *nodes, struct placement_merit *ret)
{
	const struct fabric *fabric = problem->state->fabric;
	uint32_t blocks = problem->block_count;
	uint32_t *seen = calloc(2 * (size_t)blocks, sizeof(*seen));
	struct rest_counter leaves = { 0, seen, 0 };
	struct rest_counter domains = { 0, seen ? seen + blocks : NULL, 0 };

	if (!seen)
		return -1;
	ret->node_rest = 0;
	for (uint32_t k = 0; k < blocks; k++) {
		const struct fabric_node *node = &fabric->nodes[nodes[k]];

		ret->node_rest += state_free_gpus(problem->state, nodes[k]) -
				  problem->need[k];
		count_rest(&leaves, node->leafset,
			   problem->free_by_leafset[node->leafset],
			   problem->need[k]);
		if (fabric->domain_sizes[node->domain] > 1)
			count_rest(&domains, node->domain,
				   problem->free_by_domain[node->domain],
				   problem->need[k]);
	}
	ret->leaf_rest = leaves.rest;
	ret->domain_rest = domains.rest;
	free(seen);
	return 0;
}

/* -1, 0 or 1, where differences of rounding are none. */
static int compare_real(double a, double b)
{
	double larger = a > b ? a : b;

	if (a < b && b - a > larger * SAME_SHARE)
		return -1;
	return a > b && a - b > larger * SAME_SHARE;
}

static int compare_whole(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

bool placement_better(const struct placement_merit *a, const uint32_t *a_nodes,
		      const struct placement_merit *b, const uint32_t *b_nodes,
		      uint32_t count)
{
	int order = compare_real(a->cost, b->cost);

	if (!order)
		order = compare_real(a->bottleneck_seconds,
				     b->bottleneck_seconds);
	if (!order)
		order = compare_whole(a->node_rest, b->node_rest);
	if (!order)
		order = compare_whole(a->domain_rest, b->domain_rest);
	if (!order)
		order = compare_whole(a->leaf_rest, b->leaf_rest);
	for (uint32_t k = 0; !order && k < count; k++)
		order = compare_whole(a_nodes[k], b_nodes[k]);
	return order < 0;
}

int placement_by_position(const void *a, const void *b)
{
	const struct placement_positioned *x = a, *y = b;

	return x->position < y->position ? -1 : x->position > y->position;
}

/* A block and what makes its node exchangeable with another block's. */
struct seat {
	bool leads;
	uint32_t kind, need, first_gpu, block;
};

static int compare_seats(const void *a, const void *b)
{
	const struct seat *x = a, *y = b;

	if (x->leads != y->leads)
		return x->leads ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->need != y->need)
		return x->need < y->need ? -1 : 1;
	if (x->first_gpu != y->first_gpu)
		return x->first_gpu < y->first_gpu ? -1 : 1;
	return (x->block > y->block) - (x->block < y->block);
}

static bool same_seat(const struct seat *x, const struct seat *y)
{
	return x->leads == y->leads && x->kind == y->kind &&
	       x->need == y->need && x->first_gpu == y->first_gpu;
}

static int compare_nodes(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Nodes that may change places without a difference take the order of their
 * names, which breaks the last tie. SEATS and SORTED are scratch, by block.
 */
static void settle_names(const struct placement_problem *problem,
			 uint32_t *nodes, struct seat *seats, uint32_t *sorted)
{
	const struct state *state = problem->state;
	uint32_t count = problem->block_count, end;

	for (uint32_t k = 0; k < count; k++)
		seats[k] = (struct seat){
			!k && problem->lead != PLACEMENT_LEAD_ANY,
			state->kinds.of_node[nodes[k]], problem->need[k],
			state->fabric->has_rails ?
				state->gpus_used[nodes[k]] : 0, k
		};
	qsort(seats, count, sizeof(*seats), compare_seats);
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = nodes[seats[i].block];
	for (uint32_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (!same_seat(&seats[i], &seats[end]))
				break;
		qsort(sorted + i, end - i, sizeof(*sorted), compare_nodes);
	}
	for (uint32_t i = 0; i < count; i++)
		nodes[seats[i].block] = sorted[i];
}

static int offer(struct placement_problem *problem, const uint32_t *nodes)
{
	struct placement_merit merit;
	struct cost_score score;

	if (cost_score(problem->state, problem->prices, &problem->profile,
		       problem->traffic, nodes, &score) ||
	    placement_weigh_rests(problem, nodes, &merit))
		return -1;
	merit.cost = score.cost;
	merit.bottleneck_seconds = score.bottleneck_seconds;
	if (problem->request->max_leaves &&
	    score.leaves > problem->request->max_leaves)
		return 0;
	if (problem->solved &&
	    !placement_better(&merit, nodes, &problem->best_merit,
			      problem->best_nodes, problem->block_count))
		return 0;
	problem->solved = true;
	problem->best_merit = merit;
	problem->best_score = score;
	problem->best_strategy = problem->strategy;
	memcpy(problem->best_nodes, nodes,
	       problem->block_count * sizeof(*nodes));
	return 0;
}

int placement_offer(struct placement_problem *problem, const uint32_t *nodes)
{
	size_t count = problem->block_count;
	struct seat *seats = calloc(count, sizeof(*seats));
	uint32_t *named = calloc(2 * count, sizeof(*named));
	int status = -1;

	if (seats && named) {
		memcpy(named, nodes, count * sizeof(*named));
		if (!problem->request->keep_order)
			settle_names(problem, named, seats, named + count);
		status = offer(problem, named);
	}
	free(seats);
	free(named);
	return status;
}

int placement_offer_plan(struct placement_problem *problem,
			 const uint32_t *plan)
{
	uint32_t *nodes = calloc((size_t)problem->block_count +
				 problem->class_count, sizeof(*nodes));
	int status = -1;

	if (nodes) {
		status = 0;
		if (placement_plan_nodes(problem, plan, nodes,
					 nodes + problem->block_count))
			status = placement_offer(problem, nodes);
	}
	free(nodes);
	return status;
}
