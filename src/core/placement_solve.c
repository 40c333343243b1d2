/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placement_solve: one shape on one connected fabric: which nodes their
 * weights admit, what the strategies make of them, and what is done where
 * blocks of several sizes have to follow Slurm's order.
 */

#include <stdlib.h>
#include <string.h>

#include "placement_chooser.h"

/* Asked one after the other; each may better what those before found. */
const struct placement_strategy *const placement_strategies[] = {
	&placement_pack, &placement_first_fit, &placement_best_fit,
	&placement_exact, NULL,
};

static bool is_required(const struct placement_request *request, uint32_t node)
{
	return request->required && nodeset_has(request->required, node);
}

/* The least weight above ABOVE among the eligible nodes; false if none. */
static bool next_weight(const struct placement_chooser *chooser, int64_t above,
			uint32_t *ret_weight)
{
	const uint32_t *weights = chooser->request->state->weights;
	bool found = false;

	for (uint32_t i = 0; i < chooser->node_count; i++) {
		uint32_t weight = weights[chooser->nodes[i]];

		if (weight > above && (!found || weight < *ret_weight)) {
			*ret_weight = weight;
			found = true;
		}
	}
	return found;
}

/* 1 where the nodes of at most this weight hold the job, else 0; or -1. */
static int admitted_fit(const struct placement_chooser *chooser,
			const struct placement_shape *shape,
			uint32_t most_weight)
{
	const struct state *state = chooser->request->state;
	uint32_t *admitted = calloc((size_t)chooser->node_count + 1,
				    sizeof(*admitted));
	struct placement_free room = { 0 };
	uint32_t count = 0;
	int fits = -1;

	for (uint32_t i = 0; admitted && i < chooser->node_count; i++) {
		uint32_t node = chooser->nodes[i];

		if (state->weights[node] <= most_weight ||
		    is_required(chooser->request, node))
			admitted[count++] = node;
	}
	if (admitted && !placement_free_init(&room, chooser->request, admitted,
					     count))
		fits = placement_shape_fits(shape, &room);
	placement_free_done(&room);
	free(admitted);
	return fits;
}

/* Required nodes beside those of lower weight may leave no room for them. */
static void limit_wanted(struct placement_chooser *chooser, uint32_t most)
{
	size_t wanted = nodeset_count(&chooser->wanted);

	for (uint32_t i = 0; i < chooser->node_count && wanted > most; i++) {
		uint32_t node = chooser->nodes[i];

		if (is_required(chooser->request, node) ||
		    !nodeset_has(&chooser->wanted, node))
			continue;
		nodeset_remove(&chooser->wanted, node);
		wanted--;
	}
}

/*
 * Slurm's rule for node weights: whole groups, the lowest first, until the
 * job fits; all of the lower groups are used, the choice is inside the last.
 */
static int admit_weights(struct placement_chooser *chooser,
			 const struct placement_shape *shape)
{
	const struct state *state = chooser->request->state;
	uint32_t weight = 0, kept = 0;
	int64_t lower = -1;

	while (next_weight(chooser, lower, &weight)) {
		int fits = admitted_fit(chooser, shape, weight);

		if (fits < 0)
			return -1;
		if (fits)
			break;
		lower = weight;
	}
	chooser->weight = weight;
	nodeset_clear(&chooser->wanted);
	for (uint32_t i = 0; i < chooser->node_count; i++) {
		uint32_t node = chooser->nodes[i];
		bool required = is_required(chooser->request, node);

		if (state->weights[node] > weight && !required)
			continue;
		chooser->nodes[kept++] = node;
		if (required ||
		    (state->weights[node] <= lower &&
		     state_free_gpus(state, node) >= shape->need[0]))
			nodeset_add(&chooser->wanted, node);
	}
	chooser->node_count = kept;
	limit_wanted(chooser, shape->count);
	return 0;
}

int placement_run_strategies(struct placement_chooser *chooser,
			     struct placement_problem *problem)
{
	for (int i = 0; placement_strategies[i]; i++) {
		const struct placement_strategy *it = placement_strategies[i];

		if (chooser->only && chooser->only != it)
			continue;
		problem->strategy = it->name;
		if (it->run(problem) || chooser->failed)
			return -1;
	}
	return 0;
}

/* More nodes win where the number is open, then lower weights. */
static bool wins(const struct placement_chooser *chooser,
		 const struct placement_problem *problem)
{
	uint32_t blocks = problem->block_count;

	if (!chooser->solved)
		return true;
	if (problem->profile.gpus != chooser->best.profile.gpus)
		return problem->profile.gpus > chooser->best.profile.gpus;
	if (chooser->weight != chooser->best_weight)
		return chooser->weight < chooser->best_weight;
	if (blocks > chooser->best.count)
		blocks = chooser->best.count;
	return placement_better(&problem->best_merit, problem->best_nodes,
				&chooser->best_merit, chooser->best.nodes,
				blocks);
}

void placement_keep_answer(struct placement_chooser *chooser,
			   struct placement_problem *problem)
{
	if (!problem->solved || !wins(chooser, problem))
		return;
	placement_done(&chooser->best);
	chooser->best = (struct placement){
		.count = problem->block_count, .nodes = problem->best_nodes,
		.gpus = problem->need, .profile = problem->profile,
		.score = problem->best_score,
		.strategy = problem->best_strategy,
	};
	chooser->best_merit = problem->best_merit;
	chooser->best_weight = chooser->weight;
	chooser->solved = true;
	problem->best_nodes = NULL;	/* now the answer's */
	problem->need = NULL;
}

int placement_open_problem(struct placement_chooser *chooser,
			   const struct placement_request *request,
			   const struct placement_shape *shape,
			   struct placement_problem *ret)
{
	uint32_t *need = calloc(shape->count, sizeof(*need));

	if (!need) {
		*ret = (struct placement_problem){ 0 };
		return -1;
	}
	memcpy(need, shape->need, shape->count * sizeof(*need));
	if (placement_problem_init(ret, request, &chooser->prices,
				   &shape->profile, need, shape->count,
				   chooser->nodes, chooser->node_count,
				   &chooser->wanted, NULL))
		return -1;
	ret->ret_failed = &chooser->failed;
	return 0;
}

static int solve_as_asked(struct placement_chooser *chooser,
			  const struct placement_shape *shape)
{
	const struct placement_request *request = chooser->request;
	bool mixed = shape->need[0] != shape->need[shape->count - 1];
	struct placement_problem problem = { 0 };
	int status = admit_weights(chooser, shape);
	bool solved = false;

	if (!status)
		status = placement_open_problem(chooser, request, shape,
						&problem);
	if (!status)
		status = placement_run_strategies(chooser, &problem);
	if (!status) {
		solved = problem.solved;
		placement_keep_answer(chooser, &problem);
	}
	placement_problem_done(&problem);
	if (!status && mixed && (request->keep_order ||
				 request->first_in_order ||
				 request->has_first_node))
		status = placement_sort_free(chooser, shape);
	if (!status && (mixed || !solved))
		status = placement_take_roomiest(chooser, shape);
	return status;
}

/*
 * Kept order has its first node first as well: what is found for it stands for
 * election, so that a freer order is never the worse.
 */
static int solve_in_kept_order(struct placement_chooser *chooser,
			       const struct placement_shape *shape)
{
	const struct placement_request *asked = chooser->request;
	struct placement_request kept = *asked;
	int status;

	kept.keep_order = true;
	chooser->request = &kept;
	status = solve_as_asked(chooser, shape);
	chooser->request = asked;
	return status;
}

static bool costs_nothing(const struct placement_chooser *chooser)
{
	return chooser->solved && chooser->best_merit.cost == 0 &&
	       chooser->best_merit.bottleneck_seconds == 0;
}

enum placement_status placement_solve(struct placement_chooser *chooser,
				      const struct placement_shape *shape)
{
	const struct placement_request *request = chooser->request;
	bool mixed = shape->need[0] != shape->need[shape->count - 1];
	bool bound = !request->keep_order && !chooser->only &&
		     (request->first_in_order ||
		      (request->has_first_node && mixed));
	int status = solve_as_asked(chooser, shape);

	if (!status && request->first_in_order && !request->keep_order &&
	    !costs_nothing(chooser))
		status = solve_in_kept_order(chooser, shape);
	if (!status && bound && !costs_nothing(chooser))
		status = placement_order_free(chooser, shape);
	return status ? PLACEMENT_NO_MEMORY :
	       chooser->solved ? PLACEMENT_OK : PLACEMENT_IMPOSSIBLE;
}

const struct placement_strategy *placement_strategy(const char *name)
{
	for (int i = 0; placement_strategies[i]; i++)
		if (!strcmp(placement_strategies[i]->name, name))
			return placement_strategies[i];
	return NULL;
}
