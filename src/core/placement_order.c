/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placement_order: which of the nodes given carries which ranks.
 *
 * A node carries as many ranks as it gives GPUs, so that an order of the nodes
 * decides an order of block sizes, and that what the blocks send each other.
 * For each order of the sizes that is tried the rest is a problem as any other,
 * with just these nodes in it.
 */

#include "placement_order.h"

#include <stdlib.h>
#include <string.h>

#include "placement_problem.h"

/* Arcs looked at while the order that stands is improved. */
#define IMPROVE_WORK 30000

struct orderer {
	const struct placement_order_request *request;
	struct placement_request placing;
	struct cost_prices prices;
	struct nodeset wanted;	/* none: all have to be used anyway */
	uint32_t *gives;	/* by node of the fabric; 0: not ours */
	uint32_t *sizes;	/* of the blocks, in the order being tried */
	struct placement best;
	struct placement_merit best_merit;
	bool solved, failed;
};

static enum placement_status take_nodes(struct orderer *orderer)
{
	const struct placement_order_request *request = orderer->request;
	const struct fabric *fabric = request->state->fabric;
	uint64_t gpus = 0;

	for (uint32_t k = 0; k < request->count; k++) {
		uint32_t node = request->nodes[k];

		if (node >= fabric->node_count || !request->gpus[k] ||
		    orderer->gives[node] ||
		    fabric->nodes[node].component !=
			    fabric->nodes[request->nodes[0]].component)
			return PLACEMENT_BAD;
		orderer->gives[node] = request->gpus[k];
		gpus += request->gpus[k];
	}
	return gpus && gpus == request->profile->gpus ? PLACEMENT_OK :
							PLACEMENT_BAD;
}

static int open_problem(struct orderer *orderer,
			struct placement_problem *problem)
{
	const struct placement_order_request *request = orderer->request;
	uint32_t *need = calloc(request->count, sizeof(*need));

	if (!need) {
		*problem = (struct placement_problem){ 0 };
		return -1;
	}
	memcpy(need, orderer->sizes, request->count * sizeof(*need));
	if (placement_problem_init(problem, &orderer->placing,
				   &orderer->prices, request->profile, need,
				   request->count, request->nodes,
				   request->count, &orderer->wanted,
				   orderer->gives))
		return -1;
	problem->ret_failed = &orderer->failed;
	return 0;
}

/* The order that stands, where its sizes are those tried, and what is near. */
static int offer_given(struct orderer *orderer,
		       struct placement_problem *problem)
{
	const struct placement_order_request *request = orderer->request;
	size_t bytes = request->count * sizeof(uint32_t);
	int64_t work = IMPROVE_WORK;
	uint32_t *plan;
	int status;

	if (memcmp(orderer->sizes, request->gpus, bytes))
		return 0;
	plan = calloc(request->count, sizeof(*plan));
	if (!plan)
		return -1;
	for (uint32_t k = 0; k < request->count; k++)
		plan[k] = problem->class_of[request->nodes[k]];
	problem->strategy = "given";
	status = placement_offer(problem, request->nodes);
	if (!status)
		status = placement_improve(problem, plan, &work);
	problem->strategy = "improved";
	if (!status)
		status = placement_offer_plan(problem, plan);
	free(plan);
	return status;
}

static void keep_answer(struct orderer *orderer,
			struct placement_problem *problem)
{
	if (!problem->solved ||
	    (orderer->solved &&
	     !placement_better(&problem->best_merit, problem->best_nodes,
			       &orderer->best_merit, orderer->best.nodes,
			       problem->block_count)))
		return;
	placement_done(&orderer->best);
	orderer->best = (struct placement){
		.count = problem->block_count, .nodes = problem->best_nodes,
		.gpus = problem->need, .profile = problem->profile,
		.score = problem->best_score,
		.strategy = problem->best_strategy,
	};
	orderer->best_merit = problem->best_merit;
	orderer->solved = true;
	problem->best_nodes = NULL;	/* now the answer's */
	problem->need = NULL;
}

/* The nodes in the order of least cost that has the sizes at hand. */
static int try_sizes(struct orderer *orderer)
{
	static const struct placement_strategy *const strategies[] = {
		&placement_pack, &placement_exact
	};
	struct placement_problem problem;
	int status = open_problem(orderer, &problem);

	if (!status)
		status = offer_given(orderer, &problem);
	for (int i = 0; !status && i < 2; i++) {
		problem.strategy = strategies[i]->name;
		status = strategies[i]->run(&problem);
	}
	if (!status && !orderer->failed)
		keep_answer(orderer, &problem);
	placement_problem_done(&problem);
	return status || orderer->failed ? -1 : 0;
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void reverse(uint32_t *items, uint32_t count)
{
	for (uint32_t i = 0; i < count / 2; i++) {
		uint32_t item = items[i];

		items[i] = items[count - 1 - i];
		items[count - 1 - i] = item;
	}
}

/* The next order of ITEMS in the order of numbers; false after the last. */
static bool next_order(uint32_t *items, uint32_t count)
{
	uint32_t at = count, with = count, item;

	while (at > 1 && items[at - 2] >= items[at - 1])
		at--;
	if (at < 2)
		return false;
	while (items[with - 1] <= items[at - 2])
		with--;
	item = items[at - 2];
	items[at - 2] = items[with - 1];
	items[with - 1] = item;
	reverse(items + at - 1, count - at + 1);
	return true;
}

/* How many orders ITEMS, sorted, have; more than MOST count as MOST + 1. */
static uint32_t count_orders(const uint32_t *items, uint32_t count,
			     uint32_t most)
{
	double orders = 1;
	uint32_t alike = 0;

	for (uint32_t i = 0; i < count && orders <= 1e100; i++) {
		alike = i && items[i] == items[i - 1] ? alike + 1 : 1;
		orders *= (double)(i + 1) / alike;
	}
	return orders > most + 0.5 ? most + 1 : (uint32_t)(orders + 0.5);
}

/* All orders of the sizes where they are few, else some. */
static int try_all_sizes(struct orderer *orderer)
{
	const struct placement_order_request *request = orderer->request;
	uint32_t fixed = request->keep_first, count = request->count - fixed;
	uint32_t *sizes = orderer->sizes + fixed;
	int status;

	memcpy(orderer->sizes, request->gpus,
	       request->count * sizeof(*request->gpus));
	status = try_sizes(orderer);
	qsort(sizes, count, sizeof(*sizes), ascending);
	if (!count || sizes[0] == sizes[count - 1])
		return status;
	if (request->count <= PLACEMENT_ORDER_NODES &&
	    count_orders(sizes, count, PLACEMENT_ORDER_SIZES) <=
	    PLACEMENT_ORDER_SIZES) {
		do {
			if (memcmp(sizes, request->gpus + fixed,
				   count * sizeof(*sizes)))
				status = status ? status : try_sizes(orderer);
		} while (!status && next_order(sizes, count));
		return status;
	}
	status = status ? status : try_sizes(orderer);
	reverse(sizes, count);
	return status ? status : try_sizes(orderer);
}

enum placement_status placement_order(
	const struct placement_order_request *request, struct placement *ret)
{
	size_t nodes = (size_t)request->state->fabric->node_count + 1;
	struct orderer orderer = {
		.request = request,
		.placing = { .state = request->state },
		.gives = calloc(nodes, sizeof(uint32_t)),
		.sizes = calloc((size_t)request->count + 1, sizeof(uint32_t)),
	};
	enum placement_status status = PLACEMENT_NO_MEMORY;

	if (orderer.gives && orderer.sizes)
		status = take_nodes(&orderer);
	if (!status) {
		orderer.placing.has_first_node = request->keep_first;
		orderer.placing.first_node = request->nodes[0];
		if (nodeset_init(&orderer.wanted, nodes) ||
		    cost_prices_init(&orderer.prices, request->state) ||
		    try_all_sizes(&orderer))
			status = PLACEMENT_NO_MEMORY;
	}
	if (!status)
		*ret = orderer.best;
	else
		placement_done(&orderer.best);
	cost_prices_done(&orderer.prices);
	nodeset_done(&orderer.wanted);
	free(orderer.gives);
	free(orderer.sizes);
	return status;
}
