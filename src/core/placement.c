/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placement: from a request to the best answer over all fabrics that are not
 * connected to each other.
 */

#include "placement.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "placement_chooser.h"

static enum placement_status say(struct placement_error *error,
				 enum placement_status status,
				 const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static enum placement_status say(struct placement_error *error,
				 enum placement_status status,
				 const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return status;
}

static bool is_first(const struct placement_request *request, uint32_t node)
{
	return request->has_first_node && request->first_node == node;
}

/* True for nodes that would stand before the first one in Slurm's order. */
static bool before_first(const struct placement_request *request,
			 uint32_t node)
{
	const uint32_t *positions = request->state->positions;

	return request->has_first_node &&
	       (request->keep_order || request->first_in_order) &&
	       positions[node] < positions[request->first_node];
}

static bool eligible(const struct placement_request *request, uint32_t node)
{
	return !before_first(request, node) &&
	       state_free_gpus(request->state, node) > 0 &&
	       (!request->allowed || nodeset_has(request->allowed, node)) &&
	       (!request->excluded || !nodeset_has(request->excluded, node));
}

/* Why a required node cannot be had; NULL where it can. */
static const char *why_not(const struct placement_request *request,
			   uint32_t node)
{
	if (request->excluded && nodeset_has(request->excluded, node))
		return "excluded as well";
	if (request->allowed && !nodeset_has(request->allowed, node))
		return "not among the allowed nodes";
	if (!request->state->fabric->nodes[node].gpus)
		return "a node without GPUs";
	if (nodeset_has(&request->state->down, node))
		return "down";
	if (!state_free_gpus(request->state, node))
		return "without a free GPU";
	return before_first(request, node) ?
	       "before the first node in Slurm's order" : NULL;
}

/* What a required node must be before any search makes sense. */
static enum placement_status check_required(struct placement_chooser *chooser,
					    uint32_t *ret_component)
{
	const struct placement_request *request = chooser->request;
	const struct fabric *fabric = request->state->fabric;
	uint32_t first = FABRIC_NONE;

	for (uint32_t i = 0; request->required && i < fabric->node_count; i++) {
		const struct fabric_node *node = &fabric->nodes[i];
		const char *why;

		if (!nodeset_has(request->required, i))
			continue;
		why = why_not(request, i);
		if (why)
			return say(chooser->error, PLACEMENT_IMPOSSIBLE,
				   "%s node %s is %s", is_first(request, i) ?
				   "first" : "required", node->name, why);
		if (first == FABRIC_NONE)
			first = i;
		else if (node->component != fabric->nodes[first].component)
			return say(chooser->error, PLACEMENT_IMPOSSIBLE,
				   "required nodes %s and %s lie in fabrics "
				   "that are not connected",
				   fabric->nodes[first].name, node->name);
	}
	*ret_component = first == FABRIC_NONE ? FABRIC_NONE :
			 fabric->nodes[first].component;
	return PLACEMENT_OK;
}

static void gather_eligible(struct placement_chooser *chooser,
			    uint32_t component)
{
	const struct fabric *fabric = chooser->request->state->fabric;

	chooser->node_count = 0;
	for (uint32_t i = 0; i < fabric->node_count; i++)
		if (fabric->nodes[i].component == component &&
		    eligible(chooser->request, i))
			chooser->nodes[chooser->node_count++] = i;
}

/* Keeps the lack of the fabric that came nearest. */
static void note_lack(struct placement_chooser *chooser,
		      const struct placement_lack *lack)
{
	uint64_t here = lack->nodes_needed ? lack->nodes_free :
					     lack->gpus_free;
	uint64_t best = chooser->lack.nodes_needed ?
			chooser->lack.nodes_free : chooser->lack.gpus_free;

	chooser->free_everywhere += here;
	if (!chooser->components_tried++ || here > best)
		chooser->lack = *lack;
}

#define RANGE " on %" PRIu32 " to %" PRIu32 " nodes"
#define LEAST " on at least %" PRIu32 " nodes"

/* Enough is free, so one of the request's bounds must be in the way. */
static enum placement_status say_bounds(const struct placement_chooser *chooser,
					uint64_t needed, const char *what)
{
	const struct placement_request *request = chooser->request;
	uint32_t least = request->min_nodes ? request->min_nodes : 1;
	char bounds[160] = "";
	size_t used = 0;

	if (request->min_nodes != request->max_nodes)
		used += (size_t)snprintf(bounds, sizeof(bounds),
					 request->max_nodes ? RANGE : LEAST,
					 least, request->max_nodes);
	if (request->max_leaves)
		used += (size_t)snprintf(bounds + used, sizeof(bounds) - used,
					 " under %" PRIu32 " leaves or fewer",
					 request->max_leaves);
	if (request->required)
		snprintf(bounds + used, sizeof(bounds) - used, " with the %s",
			 !request->has_first_node ? "required nodes" :
			 nodeset_count(request->required) > 1 ?
			 "first node and the required nodes" : "first node");
	return say(chooser->error, PLACEMENT_IMPOSSIBLE, "%" PRIu64 " %s are "
		   "needed and there, but not%s", needed, what,
		   *bounds ? bounds : " in a way that was found");
}

static enum placement_status say_lack(const struct placement_chooser *chooser)
{
	const struct placement_lack *lack = &chooser->lack;
	uint64_t needed = lack->nodes_needed ? lack->nodes_needed :
					       lack->gpus_needed;
	uint64_t here = lack->nodes_needed ? lack->nodes_free :
					     lack->gpus_free;
	char what[80];

	if (!chooser->components_tried || !needed)
		return say(chooser->error, PLACEMENT_IMPOSSIBLE,
			   "no nodes that may be used have free GPUs");
	snprintf(what, sizeof(what), lack->nodes_needed ?
		 "nodes with %" PRIu32 " free GPUs each" : "free GPUs",
		 lack->gpus_each);
	if (chooser->free_everywhere >= needed && here < needed)
		return say(chooser->error, PLACEMENT_IMPOSSIBLE,
			   "%" PRIu64 " %s are needed in one fabric; there are "
			   "%" PRIu64 ", but no more than %" PRIu64 " are "
			   "connected to each other", needed, what,
			   chooser->free_everywhere, here);
	if (here >= needed)
		return say_bounds(chooser, needed, what);
	return say(chooser->error, PLACEMENT_IMPOSSIBLE,
		   "%" PRIu64 " %s are needed, there are %" PRIu64, needed,
		   what, chooser->free_everywhere);
}

static enum placement_status try_component(struct placement_chooser *chooser,
					   uint32_t component)
{
	struct placement_shape shape;
	struct placement_lack lack;
	enum placement_status status;

	gather_eligible(chooser, component);
	status = placement_shape_find(chooser->request, chooser->nodes,
				      chooser->node_count, &shape, &lack,
				      chooser->error);
	if (status == PLACEMENT_OK) {
		lack = (struct placement_lack){
			shape.count, shape.need[0], shape.count, 0, 0
		};
		status = placement_solve(chooser, &shape);
		free(shape.need);
	}
	if (status == PLACEMENT_IMPOSSIBLE)
		note_lack(chooser, &lack);
	return status;
}

/* An answer anywhere is the answer; else a lack says more than a misfit. */
static enum placement_status try_components(struct placement_chooser *chooser,
					    uint32_t only)
{
	const struct fabric *fabric = chooser->request->state->fabric;
	bool impossible = false, bad = false;

	for (uint32_t c = 0; c < fabric->component_count; c++) {
		enum placement_status status;

		if (only != FABRIC_NONE && only != c)
			continue;
		status = try_component(chooser, c);
		if (status == PLACEMENT_NO_MEMORY)
			return status;
		impossible |= status == PLACEMENT_IMPOSSIBLE;
		bad |= status == PLACEMENT_BAD;
	}
	if (chooser->solved)
		return PLACEMENT_OK;
	if (bad && !impossible)
		return PLACEMENT_BAD;
	return say_lack(chooser);
}

static enum placement_status choose(struct placement_chooser *chooser)
{
	const struct placement_request *request = chooser->request;
	const struct fabric *fabric = request->state->fabric;
	uint32_t component = FABRIC_NONE;
	enum placement_status status;

	if (request->min_nodes && request->max_nodes &&
	    request->min_nodes > request->max_nodes)
		return say(chooser->error, PLACEMENT_BAD,
			   "at least %" PRIu32 " and at most %" PRIu32 " nodes "
			   "are asked for, expected a range that is not empty",
			   request->min_nodes, request->max_nodes);
	status = check_required(chooser, &component);
	if (status)
		return status;
	chooser->nodes = calloc((size_t)fabric->node_count + 1,
				sizeof(uint32_t));
	if (!chooser->nodes ||
	    nodeset_init(&chooser->wanted, fabric->node_count) ||
	    cost_prices_init(&chooser->prices, request->state))
		return PLACEMENT_NO_MEMORY;
	return try_components(chooser, component);
}

/* The first node is a required one too. 0, or -1 without memory. */
static int require_first(struct placement_request *request,
			 struct nodeset *required)
{
	if (!request->has_first_node)
		return 0;
	if (request->required ?
	    nodeset_copy(required, request->required) :
	    nodeset_init(required, request->state->fabric->node_count))
		return -1;
	nodeset_add(required, request->first_node);
	request->required = required;
	return 0;
}

static enum placement_status choose_with(
	const struct placement_request *request,
	const struct placement_strategy *only, struct placement *ret,
	struct placement_error *error)
{
	struct placement_request effective = *request;
	struct placement_chooser chooser = {
		.request = &effective, .only = only, .error = error
	};
	struct nodeset required = { 0 };
	enum placement_status status = PLACEMENT_NO_MEMORY;

	error->text[0] = '\0';
	if (!require_first(&effective, &required))
		status = choose(&chooser);
	if (status == PLACEMENT_NO_MEMORY)
		say(error, status, "out of memory");
	if (status == PLACEMENT_OK)
		*ret = chooser.best;
	else
		placement_done(&chooser.best);
	cost_prices_done(&chooser.prices);
	nodeset_done(&chooser.wanted);
	nodeset_done(&required);
	free(chooser.nodes);
	return status;
}

enum placement_status placement_choose(const struct placement_request *request,
				       struct placement *ret,
				       struct placement_error *error)
{
	return choose_with(request, NULL, ret, error);
}

enum placement_status placement_baseline(
	const struct placement_request *request, const char *strategy,
	struct placement *ret, struct placement_error *error)
{
	const struct placement_strategy *only = placement_strategy(strategy);

	if (only)
		return choose_with(request, only, ret, error);
	return say(error, PLACEMENT_BAD, "no strategy is called \"%.40s\"",
		   strategy);
}

void placement_done(struct placement *placement)
{
	free(placement->nodes);
	free(placement->gpus);
	placement->nodes = NULL;
	placement->gpus = NULL;
}
