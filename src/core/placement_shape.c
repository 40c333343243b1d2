/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placement_shape: from a request to GPUs by block. */

#include "placement_finder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int placement_descending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x > y ? -1 : x < y;
}

int placement_free_init(struct placement_free *ret,
			const struct placement_request *request,
			const uint32_t *nodes, uint32_t count)
{
	memset(ret, 0, sizeof(*ret));
	ret->required = calloc((size_t)count + 1, sizeof(uint32_t));
	ret->others = calloc((size_t)count + 1, sizeof(uint32_t));
	if (!ret->required || !ret->others)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t gpus = state_free_gpus(request->state, nodes[i]);

		if (request->required &&
		    nodeset_has(request->required, nodes[i]))
			ret->required[ret->required_count++] = gpus;
		else
			ret->others[ret->other_count++] = gpus;
	}
	qsort(ret->required, ret->required_count, sizeof(uint32_t),
	      placement_descending);
	qsort(ret->others, ret->other_count, sizeof(uint32_t),
	      placement_descending);
	return 0;
}

void placement_free_done(struct placement_free *room)
{
	free(room->required);
	free(room->others);
}

bool placement_shape_fits(const struct placement_shape *shape,
			  const struct placement_free *room)
{
	uint32_t required = 0, others = 0, most_others;

	if (room->required_count > shape->count ||
	    room->required_count + room->other_count < shape->count)
		return false;
	most_others = shape->count - room->required_count;
	for (uint32_t k = 0; k < shape->count; k++) {
		bool other = others < most_others &&
			     (required == room->required_count ||
			      room->others[others] > room->required[required]);
		uint32_t gpus = other ? room->others[others++]
				      : room->required[required++];

		if (gpus < shape->need[k])
			return false;
	}
	return true;
}

enum placement_status placement_fit(struct placement_finder *finder,
				    uint64_t gpus)
{
	struct parallelism_error why;

	if (!parallelism_fit(finder->request->hint, finder->request->site, gpus,
			     &finder->ret->profile, &why))
		return PLACEMENT_OK;
	snprintf(finder->error->text, sizeof(finder->error->text), "%s",
		 why.text);
	return PLACEMENT_BAD;
}

static enum placement_status bad(struct placement_finder *finder,
				 const char *text)
{
	snprintf(finder->error->text, sizeof(finder->error->text), "%s", text);
	return PLACEMENT_BAD;
}

bool placement_in_range(const struct placement_finder *finder, uint32_t nodes)
{
	const struct placement_request *request = finder->request;

	return nodes >= request->min_nodes &&
	       (!request->max_nodes || nodes <= request->max_nodes) &&
	       nodes >= finder->room.required_count;
}

static void note_lack(struct placement_finder *finder, uint64_t nodes,
		      uint32_t each)
{
	struct placement_lack *lack = finder->lack;
	const struct placement_free *room = &finder->room;

	lack->nodes_needed = nodes > UINT32_MAX ? UINT32_MAX : (uint32_t)nodes;
	lack->gpus_each = each;
	lack->nodes_free = 0;
	for (uint32_t i = 0; i < room->required_count; i++)
		lack->nodes_free += room->required[i] >= each;
	for (uint32_t i = 0; i < room->other_count; i++)
		lack->nodes_free += room->others[i] >= each;
}

enum placement_status placement_take(struct placement_finder *finder,
				     uint32_t *need, uint32_t count)
{
	finder->ret->need = need;
	finder->ret->count = count;
	if (placement_shape_fits(finder->ret, &finder->room))
		return PLACEMENT_OK;
	note_lack(finder, count, need[0]);
	free(need);
	finder->ret->need = NULL;
	return PLACEMENT_IMPOSSIBLE;
}

/* GPUS over NODES blocks, as evenly as goes. */
static enum placement_status take_evenly(struct placement_finder *finder,
					 uint32_t gpus, uint32_t nodes)
{
	uint32_t each = gpus / nodes, larger = gpus % nodes;
	uint32_t *need;

	if (nodes > finder->count) {
		note_lack(finder, nodes, each + (larger > 0));
		return PLACEMENT_IMPOSSIBLE;
	}
	need = calloc(nodes, sizeof(*need));
	if (!need)
		return PLACEMENT_NO_MEMORY;
	for (uint32_t k = 0; k < nodes; k++)
		need[k] = each + (k < larger);
	return placement_take(finder, need, nodes);
}

/* GPUS in blocks of EACH, the last what remains. */
static enum placement_status take_blocks(struct placement_finder *finder,
					 uint64_t gpus, uint32_t each)
{
	uint64_t nodes = (gpus + each - 1) / each;
	uint32_t *need;

	if (nodes > finder->count ||
	    !placement_in_range(finder, (uint32_t)nodes)) {
		note_lack(finder, nodes, each);
		return PLACEMENT_IMPOSSIBLE;
	}
	need = calloc(nodes, sizeof(*need));
	if (!need)
		return PLACEMENT_NO_MEMORY;
	for (uint64_t k = 0; k < nodes; k++)
		need[k] = k + 1 < nodes ? each
					: (uint32_t)(gpus - (nodes - 1) * each);
	return placement_take(finder, need, (uint32_t)nodes);
}

uint32_t placement_next_node_size(const struct placement_finder *finder,
				  uint32_t below)
{
	const struct fabric *fabric = finder->request->state->fabric;
	uint32_t size = 0;

	for (uint32_t i = 0; i < fabric->node_count; i++) {
		uint32_t gpus = fabric->nodes[i].gpus;

		if (gpus < below && gpus > size &&
		    (!finder->request->allowed ||
		     nodeset_has(finder->request->allowed, i)))
			size = gpus;
	}
	return size;
}

static enum placement_status nodes_of(struct placement_finder *finder,
				      uint32_t each)
{
	uint64_t gpus = (uint64_t)finder->request->min_nodes * each;
	enum placement_status status = placement_fit(finder, gpus);

	return status ? status : take_blocks(finder, gpus, each);
}

/*
 * A fixed number of nodes, each with all its GPUs: all of the largest size,
 * else whole nodes of several sizes, else parts of larger nodes.
 */
static enum placement_status nodes_as_they_are(struct placement_finder *finder)
{
	uint32_t each = placement_next_node_size(finder, UINT32_MAX);
	enum placement_status status, mixed;
	struct placement_error first;
	struct placement_lack lack;

	if (!each)
		return bad(finder, "no node has a GPU");
	status = nodes_of(finder, each);
	if (status == PLACEMENT_OK || status == PLACEMENT_NO_MEMORY)
		return status;
	first = *finder->error;
	lack = *finder->lack;
	mixed = placement_unequal_nodes(finder);
	while (mixed != PLACEMENT_OK && mixed != PLACEMENT_NO_MEMORY &&
	       (each = placement_next_node_size(finder, each))) {
		mixed = nodes_of(finder, each);
		if (mixed == PLACEMENT_IMPOSSIBLE && status == PLACEMENT_BAD) {
			status = mixed;
			lack = *finder->lack;
		}
	}
	if (mixed == PLACEMENT_OK || mixed == PLACEMENT_NO_MEMORY)
		return mixed;
	*finder->error = first;
	*finder->lack = lack;
	return status;
}

static enum placement_status fixed_nodes(struct placement_finder *finder)
{
	const struct placement_request *request = finder->request;
	uint32_t nodes = request->min_nodes, each = request->gpus_per_node;
	enum placement_status status;

	if (nodes < finder->room.required_count)
		return bad(finder, "more nodes are required by name than the "
				   "job has");
	if (!request->gpus)
		return each ? nodes_of(finder, each)
			    : nodes_as_they_are(finder);
	if (request->gpus < nodes)
		return bad(finder, "fewer GPUs than nodes, expected at least "
				   "one a node");
	if (each && (request->gpus + each - 1) / each != nodes)
		return bad(finder, "the GPUs of the job do not fill its nodes "
				   "with the given GPUs a node");
	status = placement_fit(finder, request->gpus);
	if (status)
		return status;
	if (each)
		return take_blocks(finder, request->gpus, each);
	return take_evenly(finder, request->gpus, nodes);
}

/* The next smaller number of GPUs that some node has free; 0 if none. */
static uint32_t next_free_count(const struct placement_finder *finder,
				uint32_t below)
{
	const struct placement_free *room = &finder->room;
	uint32_t gpus = 0;

	for (uint32_t i = 0; i < room->required_count; i++)
		if (room->required[i] < below && room->required[i] > gpus)
			gpus = room->required[i];
	for (uint32_t i = 0; i < room->other_count; i++)
		if (room->others[i] < below && room->others[i] > gpus)
			gpus = room->others[i];
	return gpus;
}

/* A known number of GPUs on nodes that may be several or few. */
static enum placement_status known_gpus(struct placement_finder *finder,
					uint64_t gpus)
{
	uint32_t each = finder->request->gpus_per_node;
	enum placement_status status = placement_fit(finder, gpus);

	if (status)
		return status;
	gpus = finder->ret->profile.gpus;
	if (each)
		return take_blocks(finder, gpus, each);
	while ((each = next_free_count(finder, each ? each : UINT32_MAX))) {
		status = take_blocks(finder, gpus, each);
		if (status != PLACEMENT_IMPOSSIBLE)
			return status;
	}
	status = placement_take_mixture(finder, gpus);
	if (status == PLACEMENT_IMPOSSIBLE) {
		finder->lack->nodes_needed = 0;
		finder->lack->gpus_needed = gpus;
	}
	return status;
}

/* As many nodes of EACH GPUs as the range and the hint allow. */
static enum placement_status most_nodes(struct placement_finder *finder,
					uint32_t each)
{
	const struct placement_request *request = finder->request;
	uint32_t least = request->min_nodes ? request->min_nodes : 1, nodes = 0;
	enum placement_status status = PLACEMENT_IMPOSSIBLE;

	note_lack(finder, least, each);
	nodes = finder->lack->nodes_free;
	if (request->max_nodes && nodes > request->max_nodes)
		nodes = request->max_nodes;
	if (nodes < least)
		return PLACEMENT_IMPOSSIBLE;
	for (; nodes >= least; nodes--) {
		status = placement_fit(finder, (uint64_t)nodes * each);
		if (status == PLACEMENT_OK)
			return take_blocks(finder, (uint64_t)nodes * each,
					   each);
	}
	return status;
}

static enum placement_status open_range(struct placement_finder *finder)
{
	const struct placement_request *request = finder->request;
	enum placement_status best = PLACEMENT_BAD, status;
	uint32_t each = request->gpus_per_node;

	if (!request->min_nodes && !request->max_nodes)
		return bad(finder,
			   "the number of GPUs is not known, expected "
			   "a number of nodes or GPUs, or dp in the hint");
	if (each)
		return most_nodes(finder, each);
	while ((each = placement_next_node_size(finder,
						each ? each : UINT32_MAX))) {
		status = most_nodes(finder, each);
		if (status == PLACEMENT_OK || status == PLACEMENT_NO_MEMORY)
			return status;
		if (status == PLACEMENT_IMPOSSIBLE)
			best = status;
	}
	return best;
}

static enum placement_status find(struct placement_finder *finder)
{
	const struct placement_request *request = finder->request;

	if (request->min_nodes && request->min_nodes == request->max_nodes)
		return fixed_nodes(finder);
	if (request->gpus || request->hint->dp)
		return known_gpus(finder, request->gpus);
	return open_range(finder);
}

enum placement_status
placement_shape_find(const struct placement_request *request,
		     const uint32_t *nodes, uint32_t count,
		     struct placement_shape *ret, struct placement_lack *lack,
		     struct placement_error *error)
{
	struct placement_finder finder = {
		.request = request,
		.nodes = nodes,
		.count = count,
		.ret = ret,
		.lack = lack,
		.error = error,
	};
	enum placement_status status;

	memset(ret, 0, sizeof(*ret));
	memset(lack, 0, sizeof(*lack));
	finder.scratch = calloc((size_t)count + 1, sizeof(uint32_t));
	if (placement_free_init(&finder.room, request, nodes, count) ||
	    !finder.scratch) {
		status = PLACEMENT_NO_MEMORY;
	} else {
		for (uint32_t i = 0; i < count; i++)
			lack->gpus_free +=
				state_free_gpus(request->state, nodes[i]);
		status = find(&finder);
	}
	placement_free_done(&finder.room);
	free(finder.scratch);
	return status;
}
