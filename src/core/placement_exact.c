/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placement_exact: all plans of a small job, by branch and bound.
 *
 * Blocks are given their classes in rank order. A branch is cut when its cost
 * so far is above the best answer's; classes that only differ in name are
 * taken in one order, so that what is alike is looked at once.
 */

#include <math.h>
#include <stdlib.h>

#include "placement_problem.h"

/* Larger jobs are left to the other strategies. */
#define BLOCKS_MAX 8
/* Arcs looked at: all of it for few classes, a glance where there are many. */
#define CLASSES_FEW 6
#define WORK_FEW 8000000
#define WORK_MANY 400000
/* Equally good plans beyond these are not looked at for their ties. */
#define TIES_MAX 2000
#define SAME_SHARE 1e-11

struct search {
	struct placement_problem *problem;
	uint32_t *plan;
	uint32_t *used;		/* by class */
	uint32_t *order;	/* classes in the order of trying */
	uint32_t *twin;		/* by class: like it and before it, or NONE */
	uint32_t *room;		/* by class: nodes that block 0 leaves */
	uint32_t wanted_left;
	int64_t work;
	int ties;
	bool no_memory;
};

/* What is left free under a class's leaf and in its domain. */
static uint64_t free_around(const struct placement_problem *problem,
			    const struct placement_class *class)
{
	const struct fabric *fabric = problem->state->fabric;
	uint32_t node = problem->class_nodes[class->first_node];
	uint32_t domain = fabric->nodes[node].domain;

	return problem->free_by_leafset[class->leafset] +
	       (fabric->domain_sizes[domain] > 1 ?
		problem->free_by_domain[domain] : 0);
}

/* Nodes of a class that a plan could use. */
static uint32_t usable(const struct placement_problem *problem,
		       const struct placement_class *class)
{
	return class->node_count < problem->block_count ?
	       class->node_count : problem->block_count;
}

static bool alone_under_leaf(const struct placement_problem *problem,
			     uint32_t c)
{
	uint32_t leafset = problem->classes[c].leafset;

	for (uint32_t i = 0; i < problem->class_count; i++)
		if (i != c && problem->classes[i].leafset == leafset)
			return false;
	return !problem->state->fabric->leafsets[leafset].overlaps;
}

/* A domain of several nodes that lies wholly under this class's leaf. */
static int domain_shape(const struct placement_problem *problem,
			const struct placement_class *class)
{
	const struct fabric *fabric = problem->state->fabric;
	uint32_t node = problem->class_nodes[class->first_node];
	uint32_t domain = fabric->nodes[node].domain;

	if (fabric->domain_sizes[domain] == 1)
		return 0;
	for (uint32_t c = 0; c < problem->class_count; c++) {
		const struct placement_class *other = &problem->classes[c];
		uint32_t other_node = problem->class_nodes[other->first_node];

		if (other != class &&
		    fabric->nodes[other_node].domain == domain)
			return -1;
	}
	return 1;
}

/* True where A and B could change places without changing any plan's cost. */
static bool twins(const struct placement_problem *problem, uint32_t a,
		  uint32_t b)
{
	const struct placement_class *x = &problem->classes[a];
	const struct placement_class *y = &problem->classes[b];
	const struct cost_prices *prices = problem->prices;
	const struct state *state = problem->state;
	int shape = domain_shape(problem, x);

	return !problem->request->keep_order && prices->rails_alike &&
	       x->spineset == y->spineset && !x->wanted && !y->wanted &&
	       x->fits_from == y->fits_from && x->gives == y->gives &&
	       usable(problem, x) == usable(problem, y) &&
	       prices->up[x->leaf] == prices->up[y->leaf] &&
	       prices->down[x->leaf] == prices->down[y->leaf] &&
	       prices->core_up[x->leaf] == prices->core_up[y->leaf] &&
	       prices->core_down[x->leaf] == prices->core_down[y->leaf] &&
	       /* Prices may agree where capacities, and the ties, do not. */
	       state_up_left_gbps(state, x->leaf) ==
		       state_up_left_gbps(state, y->leaf) &&
	       state_down_left_gbps(state, x->leaf) ==
		       state_down_left_gbps(state, y->leaf) &&
	       shape >= 0 && shape == domain_shape(problem, y) &&
	       alone_under_leaf(problem, a) && alone_under_leaf(problem, b);
}

/* The tightest first, so that of twins the tightest are used. */
static void sort_classes(struct search *search)
{
	const struct placement_problem *problem = search->problem;
	const struct placement_class *classes = problem->classes;

	for (uint32_t i = 0; i < problem->class_count; i++) {
		uint64_t rest = free_around(problem, &classes[i]);
		uint32_t at = i;

		while (at > 0 && free_around(problem, &classes[
				 search->order[at - 1]]) > rest) {
			search->order[at] = search->order[at - 1];
			at--;
		}
		search->order[at] = i;
	}
}

static void find_twins(struct search *search)
{
	uint32_t count = search->problem->class_count;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t c = search->order[i];

		search->twin[c] = FABRIC_NONE;
		for (uint32_t k = i; k > 0; k--) {
			uint32_t before = search->order[k - 1];

			if (!twins(search->problem, before, c))
				continue;
			search->twin[c] = before;
			break;
		}
	}
}

/* Nothing above this may become the answer. */
static double ceiling(const struct search *search)
{
	if (!search->problem->solved)
		return INFINITY;
	return search->problem->best_merit.cost * (1 + SAME_SHARE);
}

static void finish_plan(struct search *search, double cost)
{
	double best;

	if (search->problem->whole_groups) {
		search->work -= 4 * (int64_t)
			search->problem->whole_groups->member_count;
		cost += placement_groups_cost(search->problem, search->plan);
	}
	if (cost > ceiling(search))
		return;
	best = search->problem->best_merit.cost;
	if (search->problem->solved && cost >= best * (1 - SAME_SHARE) &&
	    ++search->ties > TIES_MAX)
		return;
	if (placement_offer_plan(search->problem, search->plan))
		search->no_memory = true;
}

/*
 * The class that has to be taken before C: its nearest twin of as much room.
 * Which class block 0 takes decides about room, so that no class stands for
 * another there.
 */
static uint32_t twin_before(const struct search *search, uint32_t block,
			    uint32_t c)
{
	const struct placement_problem *problem = search->problem;
	uint32_t twin = search->twin[c], most = problem->block_count;

	if (problem->lead != PLACEMENT_LEAD_LOWEST)
		return twin;
	if (!block)
		return FABRIC_NONE;
	while (twin != FABRIC_NONE &&
	       (twin == search->plan[0] ||
		(search->room[twin] < most ? search->room[twin] : most) !=
		(search->room[c] < most ? search->room[c] : most)))
		twin = search->twin[twin];
	return twin;
}

/* True where block BLOCK may be of class C as things stand. */
static bool may_take(const struct search *search, uint32_t block, uint32_t c)
{
	const struct placement_problem *problem = search->problem;
	const struct placement_class *class = &problem->classes[c];
	uint32_t left = problem->block_count - block, twin;

	if (search->used[c] >= search->room[c] ||
	    !placement_fits(problem, c, block))
		return false;
	if (!class->wanted && search->wanted_left >= left)
		return false;
	twin = twin_before(search, block, c);
	return search->used[c] || twin == FABRIC_NONE || search->used[twin];
}

/* Lets class C lead, where block 0 is about to be of it. */
static bool open_lead(struct search *search, uint32_t block, uint32_t c)
{
	const struct placement_problem *problem = search->problem;

	if (block || problem->lead == PLACEMENT_LEAD_ANY)
		return true;
	search->work -= problem->class_count;
	return placement_lead_rooms(problem, c, search->room);
}

static void descend(struct search *search, uint32_t block, double cost)
{
	struct placement_problem *problem = search->problem;

	if (block == problem->block_count) {
		finish_plan(search, cost);
		return;
	}
	for (uint32_t i = 0; i < problem->class_count; i++) {
		uint32_t c = search->order[i];
		double here;

		if (search->work < 0 || search->no_memory)
			return;
		if (!open_lead(search, block, c) ||
		    !may_take(search, block, c))
			continue;
		search->work -= 1 + problem->arc_start[block + 1] -
				problem->arc_start[block];
		here = cost + placement_block_cost(problem, search->plan,
						   block, c);
		if (here > ceiling(search))
			continue;
		search->plan[block] = c;
		search->used[c]++;
		search->wanted_left -= problem->classes[c].wanted;
		descend(search, block + 1, here);	/* BLOCKS_MAX deep */
		search->wanted_left += problem->classes[c].wanted;
		search->used[c]--;
		search->plan[block] = FABRIC_NONE;
	}
}

static int run(struct search *search)
{
	const struct placement_problem *problem = search->problem;

	for (uint32_t k = 0; k < problem->block_count; k++)
		search->plan[k] = FABRIC_NONE;
	for (uint32_t c = 0; c < problem->class_count; c++)
		search->room[c] = problem->classes[c].node_count;
	sort_classes(search);
	find_twins(search);
	descend(search, 0, 0);
	return search->no_memory ? -1 : 0;
}

static int exact(struct placement_problem *problem)
{
	size_t classes = (size_t)problem->class_count + 1;
	struct search search = {
		.problem = problem, .wanted_left = problem->wanted_count,
		.work = problem->class_count <= CLASSES_FEW ? WORK_FEW :
							      WORK_MANY,
	};
	int status = -1;

	/* What puts nothing on any Spine cannot be beaten. */
	if (problem->block_count > BLOCKS_MAX ||
	    (problem->solved && problem->best_merit.cost == 0 &&
	     problem->best_merit.bottleneck_seconds == 0))
		return 0;
	search.plan = calloc(problem->block_count, sizeof(uint32_t));
	search.used = calloc(classes, sizeof(uint32_t));
	search.order = calloc(classes, sizeof(uint32_t));
	search.twin = calloc(classes, sizeof(uint32_t));
	search.room = calloc(classes, sizeof(uint32_t));
	if (search.plan && search.used && search.order && search.twin &&
	    search.room)
		status = run(&search);
	free(search.plan);
	free(search.used);
	free(search.order);
	free(search.twin);
	free(search.room);
	return status;
}

const struct placement_strategy placement_exact = { "exact", exact };
