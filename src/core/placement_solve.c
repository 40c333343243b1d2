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
static const struct placement_strategy *const strategies[] = {
	&placement_pack, &placement_first_fit, &placement_best_fit,
	&placement_exact,
};

enum { STRATEGY_COUNT = sizeof(strategies) / sizeof(strategies[0]) };

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

static int run_strategies(struct placement_chooser *chooser,
			  struct placement_problem *problem)
{
	for (int i = 0; i < STRATEGY_COUNT; i++) {
		if (chooser->only && chooser->only != strategies[i])
			continue;
		problem->strategy = strategies[i]->name;
		if (strategies[i]->run(problem) || chooser->failed)
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

static void keep_answer(struct placement_chooser *chooser,
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

static int open_problem(struct placement_chooser *chooser,
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

/* A node and what it gives. */
struct giver {
	uint32_t node, gives, rank;
	bool wanted;
};

static int compare_givers(const void *a, const void *b)
{
	const struct giver *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static int most_free_first(const void *a, const void *b)
{
	const struct giver *x = a, *y = b;

	if (x->wanted != y->wanted)
		return x->wanted ? -1 : 1;
	return x->rank != y->rank ? (x->rank > y->rank ? -1 : 1) :
	       (x->node > y->node) - (x->node < y->node);
}

static uint32_t could_give(const struct placement_request *request,
			   const struct giver *giver)
{
	uint32_t gpus = state_free_gpus(request->state, giver->node);

	return request->gpus_per_node && request->gpus_per_node < gpus ?
	       request->gpus_per_node : gpus;
}

/*
 * What each of the ordered givers gives: the shape's numbers as they stand,
 * where that goes; else, unless the number of nodes is fixed, all it has and
 * the last what remains; else what was planned for it.
 */
static void share_out(const struct placement_request *request,
		      const struct placement_shape *shape,
		      struct giver *givers)
{
	bool fixed = request->min_nodes &&
		     request->min_nodes == request->max_nodes;
	uint64_t left = shape->profile.gpus;
	uint32_t k = 0, all;

	while (k < shape->count &&
	       could_give(request, &givers[k]) >= shape->need[k])
		k++;
	if (k == shape->count) {
		for (k = 0; k < shape->count; k++)
			givers[k].gives = shape->need[k];
		return;
	}
	for (all = 0, k = 0; k + 1 < shape->count; k++)
		all += could_give(request, &givers[k]);
	if (fixed || all >= left ||
	    left - all > could_give(request, &givers[k]))
		return;
	for (k = 0; k < shape->count; k++) {
		uint32_t gpus = could_give(request, &givers[k]);

		givers[k].gives = gpus < left ? gpus : (uint32_t)left;
		left -= givers[k].gives;
	}
}

/* Ranks GIVERS, COUNT of them in rank order, as the request wants them. */
static void rank_givers(const struct placement_request *request,
			struct giver *givers, uint32_t count)
{
	const uint32_t *positions = request->state->positions;
	uint32_t lead = 0;

	for (uint32_t k = 0; k < count; k++) {
		uint32_t node = givers[k].node;

		givers[k].rank = request->keep_order ? positions[node] : k + 1;
		if (request->has_first_node ?
		    node == request->first_node :
		    positions[node] < positions[givers[lead].node])
			lead = k;
	}
	if (!request->keep_order &&
	    (request->has_first_node || request->first_in_order))
		givers[lead].rank = 0;
}

/* Offers GIVERS, which then follow each other by rank. */
static int offer_givers(struct placement_chooser *chooser,
			const struct placement_shape *shape,
			struct giver *givers, const char *strategy)
{
	struct placement_shape ordered = *shape;
	struct placement_problem problem = { 0 };
	uint32_t *nodes = calloc(2 * (size_t)shape->count, sizeof(*nodes));
	int status = -1;

	if (nodes) {
		ordered.need = nodes + shape->count;
		qsort(givers, shape->count, sizeof(*givers), compare_givers);
		share_out(chooser->request, shape, givers);
		for (uint32_t k = 0; k < shape->count; k++) {
			nodes[k] = givers[k].node;
			ordered.need[k] = givers[k].gives;
		}
		status = open_problem(chooser, chooser->request, &ordered,
				      &problem);
	}
	problem.strategy = strategy;
	if (!status)
		status = placement_offer(&problem, nodes);
	if (!status)
		keep_answer(chooser, &problem);
	placement_problem_done(&problem);
	free(nodes);
	return status;
}

/* What STRATEGY finds in free order, sorted into the request's. */
static int sort_answer_of(struct placement_chooser *chooser,
			  const struct placement_shape *shape,
			  const struct placement_strategy *strategy,
			  struct giver *givers)
{
	struct placement_request free_order = *chooser->request;
	struct placement_problem problem;
	int status;

	free_order.keep_order = false;
	free_order.first_in_order = false;
	free_order.has_first_node = false;
	status = open_problem(chooser, &free_order, shape, &problem);
	if (!status)
		status = strategy->run(&problem) || chooser->failed ? -1 : 0;
	for (uint32_t k = 0; !status && problem.solved && k < shape->count; k++)
		givers[k] = (struct giver){
			problem.best_nodes[k], shape->need[k], 0, false
		};
	if (!status && problem.solved) {
		rank_givers(chooser->request, givers, shape->count);
		status = offer_givers(chooser, shape, givers, strategy->name);
	}
	placement_problem_done(&problem);
	return status;
}

/*
 * Blocks of several sizes where Slurm's order binds all nodes or the first: a
 * node takes the ranks that its place gives it, so the sizes have to follow the
 * nodes. Each strategy chooses its set in free order; sorted, another may be
 * the best.
 */
static int sort_free_answers(struct placement_chooser *chooser,
			     const struct placement_shape *shape)
{
	struct giver *givers = calloc(shape->count, sizeof(*givers));
	int status = givers ? 0 : -1;

	for (int i = 0; !status && i < STRATEGY_COUNT; i++)
		if (!chooser->only || chooser->only == strategies[i])
			status = sort_answer_of(chooser, shape, strategies[i],
						givers);
	free(givers);
	return status;
}

/* What always goes where the shape fits: the nodes with most free GPUs. */
static int take_roomiest(struct placement_chooser *chooser,
			 const struct placement_shape *shape)
{
	const struct state *state = chooser->request->state;
	struct giver *givers = calloc((size_t)chooser->node_count + 1,
				      sizeof(*givers));
	int status = -1;

	for (uint32_t i = 0; givers && i < chooser->node_count; i++) {
		uint32_t node = chooser->nodes[i];

		givers[i] = (struct giver){
			node, 0, state_free_gpus(state, node),
			nodeset_has(&chooser->wanted, node)
		};
	}
	if (givers && shape->count <= chooser->node_count) {
		qsort(givers, chooser->node_count, sizeof(*givers),
		      most_free_first);
		for (uint32_t k = 0; k < shape->count; k++)
			givers[k].wanted = false;
		qsort(givers, shape->count, sizeof(*givers), most_free_first);
		for (uint32_t k = 0; k < shape->count; k++)
			givers[k].gives = shape->need[k];
		rank_givers(chooser->request, givers, shape->count);
		status = offer_givers(chooser, shape, givers, "roomiest");
	}
	free(givers);
	return status;
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
		status = open_problem(chooser, request, shape, &problem);
	if (!status)
		status = run_strategies(chooser, &problem);
	if (!status) {
		solved = problem.solved;
		keep_answer(chooser, &problem);
	}
	placement_problem_done(&problem);
	if (!status && mixed && (request->keep_order ||
				 request->first_in_order ||
				 request->has_first_node))
		status = sort_free_answers(chooser, shape);
	if (!status && (mixed || !solved))
		status = take_roomiest(chooser, shape);
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
	int status = solve_as_asked(chooser, shape);

	if (!status && request->first_in_order && !request->keep_order &&
	    !costs_nothing(chooser))
		status = solve_in_kept_order(chooser, shape);
	return status ? PLACEMENT_NO_MEMORY :
	       chooser->solved ? PLACEMENT_OK : PLACEMENT_IMPOSSIBLE;
}

const struct placement_strategy *placement_strategy(const char *name)
{
	for (int i = 0; i < STRATEGY_COUNT; i++)
		if (!strcmp(strategies[i]->name, name))
			return strategies[i];
	return NULL;
}
