/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placement_check: the invariants of an answer, for tests. */

#include "placement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *check_node(const struct placement_request *request,
			      const struct placement *placement, uint32_t k)
{
	const struct state *state = request->state;
	const struct fabric *fabric = state->fabric;
	uint32_t node = placement->nodes[k];

	if (node >= fabric->node_count)
		return "a node that is not there";
	if (!placement->gpus[k] ||
	    placement->gpus[k] > state_free_gpus(state, node))
		return "more GPUs of a node than are free";
	if (request->allowed && !nodeset_has(request->allowed, node))
		return "a node that is not allowed";
	if (request->excluded && nodeset_has(request->excluded, node))
		return "a node that is excluded";
	if (fabric->nodes[node].component !=
	    fabric->nodes[placement->nodes[0]].component)
		return "nodes of two fabrics";
	for (uint32_t i = 0; i < k; i++)
		if (placement->nodes[i] == node)
			return "a node twice";
	if (k && request->keep_order &&
	    state->positions[placement->nodes[k - 1]] > state->positions[node])
		return "nodes out of Slurm's order";
	if (request->first_in_order && state->positions[node] <
	    state->positions[placement->nodes[0]])
		return "a node before that of block 0 in Slurm's order";
	if (!k && request->has_first_node && node != request->first_node)
		return "another first node than was asked for";
	return NULL;
}

static const char *check_required(const struct placement_request *request,
				  const struct placement *placement)
{
	uint32_t found = 0;

	if (!request->required)
		return NULL;
	for (uint32_t k = 0; k < placement->count; k++)
		found += nodeset_has(request->required, placement->nodes[k]);
	return found == nodeset_count(request->required) ? NULL :
	       "a required node is not used";
}

static const char *check_numbers(const struct placement_request *request,
				 const struct placement *placement)
{
	uint64_t gpus = 0;

	for (uint32_t k = 0; k < placement->count; k++)
		gpus += placement->gpus[k];
	if (gpus != placement->profile.gpus)
		return "the nodes' GPUs are not the job's";
	if (request->max_leaves && placement->score.leaves >
				   request->max_leaves)
		return "more leaves than are allowed";
	if (request->gpus && gpus != request->gpus)
		return "not the GPUs that were asked for";
	if (placement->count < request->min_nodes ||
	    (request->max_nodes && placement->count > request->max_nodes))
		return "not the nodes that were asked for";
	return NULL;
}

static bool differ(double a, double b)
{
	return fabs(a - b) > 1e-9 * (fabs(a) + fabs(b));
}

static const char *check_score(const struct placement_request *request,
			       const struct placement *placement)
{
	struct traffic *traffic = traffic_build(
		&placement->profile, placement->gpus, placement->count,
		request->state->fabric->has_rails);
	struct cost_prices prices = { 0 };
	struct cost_score score;
	const char *wrong = NULL;

	if (!traffic || cost_prices_init(&prices, request->state) ||
	    cost_score(request->state, &prices, &placement->profile, traffic,
		       placement->nodes, &score))
		wrong = "out of memory";
	else if (traffic_check(traffic))
		wrong = traffic_check(traffic);
	else if (differ(score.cost, placement->score.cost) ||
		 differ(score.total.spine, placement->score.total.spine) ||
		 differ(score.total.core, placement->score.total.core) ||
		 score.leaves != placement->score.leaves)
		wrong = "a score that is not a recount";
	cost_prices_done(&prices);
	traffic_free(traffic);
	return wrong;
}

const char *placement_check(const struct placement_request *request,
			    const struct placement *placement)
{
	const char *wrong = NULL;

	for (uint32_t k = 0; !wrong && k < placement->count; k++)
		wrong = check_node(request, placement, k);
	if (!wrong)
		wrong = check_required(request, placement);
	if (!wrong)
		wrong = check_numbers(request, placement);
	return wrong ? wrong : check_score(request, placement);
}
