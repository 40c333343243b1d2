/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placement_improve: moves a block to another class, or swaps two, while the
 * cost falls. A block looks only at the classes of the blocks it talks to, and
 * at all of them where they are few.
 */

#include <stdlib.h>

#include "placement_problem.h"

/* Up to so many classes, all are tried for every block. */
#define CLASSES_FEW 16
/* A gain below this share of the cost is rounding. */
#define GAIN_LEAST 1e-9

struct improver {
	const struct placement_problem *problem;
	uint32_t *plan;
	uint32_t *used;		/* by class */
	uint32_t *nodes;	/* scratch of plan_nodes */
	uint32_t *scratch;
	uint32_t *targets;	/* classes to try, without repeats */
	uint32_t *tried_in;	/* by class: block + 1 that listed it last */
	double groups;		/* cost of the whole groups now */
	double total;
	int64_t *work;
};

static uint32_t degree(const struct improver *improver, uint32_t block)
{
	return improver->problem->arc_start[block + 1] -
	       improver->problem->arc_start[block];
}

/* A plan may be bound by Slurm's order or wanted nodes; else rooms decide. */
static bool feasible(struct improver *improver)
{
	const struct placement_problem *problem = improver->problem;

	if (!problem->request->keep_order && !problem->wanted_count &&
	    problem->lead == PLACEMENT_LEAD_ANY)
		return true;
	*improver->work -= problem->block_count;
	return placement_plan_nodes(problem, improver->plan, improver->nodes,
				    improver->scratch);
}

static double group_change(struct improver *improver, double *ret_groups)
{
	const struct traffic *whole = improver->problem->whole_groups;

	*ret_groups = 0;
	if (!whole)
		return 0;
	*improver->work -= 4 * (int64_t)whole->member_count;
	*ret_groups = placement_groups_cost(improver->problem, improver->plan);
	return *ret_groups - improver->groups;
}

/* Cost of the arcs of two blocks, those between them once. */
static double pair_cost(struct improver *improver, uint32_t a, uint32_t b)
{
	uint32_t b_class = improver->plan[b];
	double cost;

	improver->plan[b] = FABRIC_NONE;
	cost = placement_block_cost(improver->problem, improver->plan, a,
				    improver->plan[a]);
	improver->plan[b] = b_class;
	*improver->work -= degree(improver, a) + degree(improver, b) + 1;
	return cost + placement_block_cost(improver->problem, improver->plan,
					   b, b_class);
}

static bool accept(struct improver *improver, double change, double groups)
{
	if (!(change < -GAIN_LEAST * improver->total) || !feasible(improver))
		return false;
	improver->total += change;
	improver->groups = groups;
	return true;
}

static bool try_move(struct improver *improver, uint32_t block,
		     uint32_t target)
{
	const struct placement_problem *problem = improver->problem;
	uint32_t from = improver->plan[block];
	double before, after, groups, change;

	if (!placement_fits(problem, target, block) ||
	    (improver->used[target] == problem->classes[target].node_count))
		return false;
	before = placement_block_cost(problem, improver->plan, block, from);
	after = placement_block_cost(problem, improver->plan, block, target);
	*improver->work -= 2 * (int64_t)degree(improver, block) + 1;
	improver->plan[block] = target;
	change = after - before;
	change += group_change(improver, &groups);
	if (accept(improver, change, groups)) {
		improver->used[from]--;
		improver->used[target]++;
		return true;
	}
	improver->plan[block] = from;
	return false;
}

static bool try_swap(struct improver *improver, uint32_t a, uint32_t b)
{
	uint32_t a_class = improver->plan[a], b_class = improver->plan[b];
	double before, groups, change;

	if (a_class == b_class ||
	    !placement_fits(improver->problem, a_class, b) ||
	    !placement_fits(improver->problem, b_class, a))
		return false;
	before = pair_cost(improver, a, b);
	improver->plan[a] = b_class;
	improver->plan[b] = a_class;
	change = pair_cost(improver, a, b) - before;
	change += group_change(improver, &groups);
	if (accept(improver, change, groups))
		return true;
	improver->plan[a] = a_class;
	improver->plan[b] = b_class;
	return false;
}

static uint32_t gather_targets(struct improver *improver, uint32_t block)
{
	const struct placement_problem *problem = improver->problem;
	uint32_t count = 0;

	improver->tried_in[improver->plan[block]] = block + 1;
	if (problem->class_count <= CLASSES_FEW) {
		for (uint32_t c = 0; c < problem->class_count; c++)
			if (c != improver->plan[block])
				improver->targets[count++] = c;
		return count;
	}
	for (uint32_t i = problem->arc_start[block];
	     i < problem->arc_start[block + 1]; i++) {
		uint32_t class = improver->plan[problem->arcs[i].other];

		if (improver->tried_in[class] == block + 1)
			continue;
		improver->tried_in[class] = block + 1;
		improver->targets[count++] = class;
	}
	return count;
}

static bool improve_block(struct improver *improver, uint32_t block)
{
	uint32_t count = gather_targets(improver, block);
	bool improved = false;

	for (uint32_t i = 0; i < count && *improver->work > 0; i++) {
		uint32_t target = improver->targets[i];

		if (target == improver->plan[block])
			continue;
		if (try_move(improver, block, target)) {
			improved = true;
			continue;
		}
		for (uint32_t other = 0; *improver->work > 0 &&
		     other < improver->problem->block_count; other++)
			if (improver->plan[other] == target &&
			    try_swap(improver, block, other)) {
				improved = true;
				break;
			}
	}
	return improved;
}

static bool allocate(struct improver *improver)
{
	size_t classes = (size_t)improver->problem->class_count + 1;
	size_t blocks = improver->problem->block_count;

	improver->used = calloc(classes, sizeof(uint32_t));
	improver->scratch = calloc(classes, sizeof(uint32_t));
	improver->targets = calloc(classes, sizeof(uint32_t));
	improver->tried_in = calloc(classes, sizeof(uint32_t));
	improver->nodes = calloc(blocks, sizeof(uint32_t));
	return improver->used && improver->scratch && improver->targets &&
	       improver->tried_in && improver->nodes;
}

static void improve(struct improver *improver)
{
	bool improved = true;

	for (uint32_t k = 0; k < improver->problem->block_count; k++)
		improver->used[improver->plan[k]]++;
	improver->groups = placement_groups_cost(improver->problem,
						 improver->plan);
	improver->total = placement_plan_cost(improver->problem,
					      improver->plan);
	while (improved && *improver->work > 0) {
		improved = false;
		for (uint32_t c = 0; c < improver->problem->class_count; c++)
			improver->tried_in[c] = 0;
		for (uint32_t k = 0; k < improver->problem->block_count; k++)
			improved |= improve_block(improver, k);
	}
}

int placement_improve(const struct placement_problem *problem, uint32_t *plan,
		      int64_t *work)
{
	struct improver improver = {
		.problem = problem, .plan = plan, .work = work
	};
	int status = -1;

	if (allocate(&improver)) {
		improve(&improver);
		status = 0;
	}
	free(improver.used);
	free(improver.scratch);
	free(improver.targets);
	free(improver.tried_in);
	free(improver.nodes);
	return status;
}
