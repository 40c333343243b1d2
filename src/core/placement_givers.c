/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placement_givers: answers made of what was found in free order.
 *
 * Where Slurm's order binds, and the blocks have several sizes or block 0 alone
 * is bound, the search that knows the bound sees less of what the nodes could
 * do together: sets found without it, put into an order that it allows, may be
 * the better ones.
 */

#include <stdlib.h>

#include "placement_chooser.h"
#include "placement_order.h"

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
		status = placement_open_problem(chooser, chooser->request,
						&ordered, &problem);
	}
	problem.strategy = strategy;
	if (!status)
		status = placement_offer(&problem, nodes);
	if (!status)
		placement_keep_answer(chooser, &problem);
	placement_problem_done(&problem);
	free(nodes);
	return status;
}

static struct placement_request in_free_order(
	const struct placement_request *request)
{
	struct placement_request free_order = *request;

	free_order.keep_order = false;
	free_order.first_in_order = false;
	free_order.has_first_node = false;
	return free_order;
}

/* What STRATEGY finds in free order, sorted into the request's. */
static int sort_answer_of(struct placement_chooser *chooser,
			  const struct placement_shape *shape,
			  const struct placement_strategy *strategy,
			  struct giver *givers)
{
	struct placement_request free_order = in_free_order(chooser->request);
	struct placement_problem problem;
	int status;

	status = placement_open_problem(chooser, &free_order, shape, &problem);
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

int placement_sort_free(struct placement_chooser *chooser,
			const struct placement_shape *shape)
{
	struct giver *givers = calloc(shape->count, sizeof(*givers));
	int status = givers ? 0 : -1;

	for (int i = 0; !status && placement_strategies[i]; i++)
		if (!chooser->only || chooser->only == placement_strategies[i])
			status = sort_answer_of(chooser, shape,
						placement_strategies[i],
						givers);
	free(givers);
	return status;
}

/* Offers an answer of placement_order. */
static int offer_ordered(struct placement_chooser *chooser,
			 const struct placement_shape *shape,
			 const struct placement *ordered)
{
	struct placement_shape as_ordered = *shape;
	struct placement_problem problem;
	int status;

	as_ordered.need = ordered->gpus;
	status = placement_open_problem(chooser, chooser->request, &as_ordered,
					&problem);
	problem.strategy = "ordered";
	if (!status)
		status = placement_offer(&problem, ordered->nodes);
	if (!status)
		placement_keep_answer(chooser, &problem);
	placement_problem_done(&problem);
	return status;
}

/* Offers the nodes of PROBLEM's answer, its first node first. */
static int order_nodes(struct placement_chooser *chooser,
		       const struct placement_shape *shape,
		       const struct placement_problem *problem)
{
	uint32_t count = shape->count;
	struct giver *givers = calloc(count, sizeof(*givers));
	uint32_t *nodes = calloc(2 * (size_t)count, sizeof(*nodes));
	struct placement_order_request request = {
		.state = chooser->request->state, .profile = &shape->profile,
		.nodes = nodes, .count = count, .keep_first = true
	};
	struct placement ordered = { 0 };
	int status = -1;

	if (givers && nodes) {
		for (uint32_t k = 0; k < count; k++)
			givers[k] = (struct giver){
				problem->best_nodes[k], shape->need[k], 0, false
			};
		rank_givers(chooser->request, givers, count);
		qsort(givers, count, sizeof(*givers), compare_givers);
		for (uint32_t k = 0; k < count; k++) {
			nodes[k] = givers[k].node;
			nodes[count + k] = givers[k].gives;
		}
		request.gpus = nodes + count;
		status = placement_order(&request, &ordered);
	}
	if (!status)
		status = offer_ordered(chooser, shape, &ordered);
	placement_done(&ordered);
	free(givers);
	free(nodes);
	return status ? -1 : 0;
}

int placement_order_free(struct placement_chooser *chooser,
			 const struct placement_shape *shape)
{
	struct placement_request free_order = in_free_order(chooser->request);
	struct placement_problem problem;
	int status;

	status = placement_open_problem(chooser, &free_order, shape, &problem);
	if (!status)
		status = placement_run_strategies(chooser, &problem);
	if (!status && problem.solved)
		status = order_nodes(chooser, shape, &problem);
	placement_problem_done(&problem);
	return status;
}

int placement_take_roomiest(struct placement_chooser *chooser,
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

