/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placement_mixed: shapes whose blocks differ: whole nodes of several sizes,
 * and nodes that are partly used.
 */

#include <stdlib.h>
#include <string.h>

#include "placement_finder.h"

/* Nodes that are wholly free, by their number of GPUs. */
enum { SIZES_MAX = 6, MIXTURES_MAX = 20000 };

struct sizes {
	uint32_t gpus[SIZES_MAX];  /* largest first */
	uint32_t nodes[SIZES_MAX]; /* there are */
	uint32_t chosen[SIZES_MAX];
	int count;
	int tries;
};

static void count_sizes(const struct placement_finder *finder,
			struct sizes *sizes)
{
	const struct state *state = finder->request->state;
	uint32_t gpus = UINT32_MAX;

	while (sizes->count < SIZES_MAX &&
	       (gpus = placement_next_node_size(finder, gpus))) {
		uint32_t here = 0;

		for (uint32_t i = 0; i < finder->count; i++) {
			uint32_t node = finder->nodes[i];

			here += state->fabric->nodes[node].gpus == gpus &&
				state_free_gpus(state, node) == gpus;
		}
		if (!here)
			continue;
		sizes->gpus[sizes->count] = gpus;
		sizes->nodes[sizes->count++] = here;
	}
}

static enum placement_status take_sizes(struct placement_finder *finder,
					const struct sizes *sizes,
					uint32_t nodes)
{
	uint32_t *need = calloc(nodes, sizeof(*need));
	uint32_t at = 0;

	if (!need)
		return PLACEMENT_NO_MEMORY;
	for (int i = 0; i < sizes->count; i++)
		for (uint32_t k = 0; k < sizes->chosen[i]; k++)
			need[at++] = sizes->gpus[i];
	return placement_take(finder, need, nodes);
}

/* As many large nodes as the hint can use, then the next smaller; depth <= 6.
 */
static enum placement_status mix_sizes(struct placement_finder *finder,
				       struct sizes *sizes, int size,
				       uint32_t left, uint64_t gpus)
{
	enum placement_status status = PLACEMENT_IMPOSSIBLE;
	uint32_t most;

	if (!left) {
		sizes->tries++;
		return placement_fit(finder, gpus)
			       ? PLACEMENT_IMPOSSIBLE
			       : take_sizes(finder, sizes,
					    finder->request->min_nodes);
	}
	if (size == sizes->count)
		return PLACEMENT_IMPOSSIBLE;
	most = sizes->nodes[size] < left ? sizes->nodes[size] : left;
	for (uint32_t k = most + 1; k-- > 0 && sizes->tries < MIXTURES_MAX;) {
		sizes->chosen[size] = k;
		status = mix_sizes(finder, sizes, size + 1, left - k,
				   gpus + (uint64_t)k * sizes->gpus[size]);
		if (status != PLACEMENT_IMPOSSIBLE)
			break;
		sizes->chosen[size] = 0;
	}
	return status;
}

enum placement_status placement_unequal_nodes(struct placement_finder *finder)
{
	struct sizes sizes = { .count = 0 };

	count_sizes(finder, &sizes);
	if (sizes.count < 2)
		return PLACEMENT_IMPOSSIBLE;
	return mix_sizes(finder, &sizes, 0, finder->request->min_nodes, 0);
}

/* Nodes while a mixed shape is made: leaf by leaf, the fullest node first. */
struct mixed_node {
	uint32_t free_gpus;
	uint32_t leafset;
	uint32_t node;
	bool required;
	bool taken;
};

/* The tightest leafset that holds WANTED GPUs, else the roomiest. */
static uint32_t pick_leafset(const struct mixed_node *nodes, uint32_t count,
			     uint64_t wanted)
{
	uint32_t best = FABRIC_NONE;
	uint64_t best_room = 0, room = 0;

	for (uint32_t i = 0; i < count; i++) {
		room += nodes[i].taken ? 0 : nodes[i].free_gpus;
		/* Nodes stand leafset by leafset: judge at the end of each. */
		if (i + 1 < count && nodes[i + 1].leafset == nodes[i].leafset)
			continue;
		if (room && (best == FABRIC_NONE ||
			     (best_room < wanted
				      ? room > best_room
				      : room >= wanted && room < best_room))) {
			best = nodes[i].leafset;
			best_room = room;
		}
		room = 0;
	}
	return best;
}

static int compare_mixed(const void *a, const void *b)
{
	const struct mixed_node *x = a, *y = b;

	if (x->leafset != y->leafset)
		return x->leafset < y->leafset ? -1 : 1;
	if (x->free_gpus != y->free_gpus)
		return x->free_gpus > y->free_gpus ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Takes nodes of LEAFSET (or required ones) until WANTED is met. */
static void take_mixed(struct placement_finder *finder,
		       struct mixed_node *nodes, uint32_t leafset,
		       uint64_t *wanted)
{
	struct placement_shape *shape = finder->ret;

	for (uint32_t i = 0; i < finder->count && *wanted; i++) {
		uint32_t gives = nodes[i].free_gpus;

		if (nodes[i].taken ||
		    (leafset == FABRIC_NONE ? !nodes[i].required
					    : nodes[i].leafset != leafset))
			continue;
		if (gives > *wanted)
			gives = (uint32_t)*wanted;
		nodes[i].taken = true;
		shape->need[shape->count++] = gives;
		*wanted -= gives;
	}
}

static void gather_mixed(const struct placement_finder *finder,
			 struct mixed_node *nodes)
{
	const struct placement_request *request = finder->request;
	const struct state *state = request->state;

	for (uint32_t i = 0; i < finder->count; i++) {
		uint32_t node = finder->nodes[i];

		nodes[i] = (struct mixed_node){
			state_free_gpus(state, node),
			state->fabric->nodes[node].leafset, node,
			request->required &&
				nodeset_has(request->required, node),
			false
		};
	}
	qsort(nodes, finder->count, sizeof(*nodes), compare_mixed);
}

/*
 * Lets the nodes taken give all they have, the largest first and the last what
 * remains. That may need fewer nodes, which required ones forbid.
 */
static void give_in_order(struct placement_finder *finder,
			  const struct mixed_node *nodes, uint64_t gpus)
{
	struct placement_shape *shape = finder->ret;
	uint32_t count = 0, used = 0;

	for (uint32_t i = 0; i < finder->count; i++)
		if (nodes[i].taken)
			finder->scratch[count++] = nodes[i].free_gpus;
	qsort(finder->scratch, count, sizeof(uint32_t), placement_descending);
	for (; gpus; used++) {
		if (finder->scratch[used] > gpus)
			finder->scratch[used] = (uint32_t)gpus;
		gpus -= finder->scratch[used];
	}
	if (used == count || (!finder->room.required_count &&
			      placement_in_range(finder, used))) {
		memcpy(shape->need, finder->scratch, used * sizeof(uint32_t));
		shape->count = used;
	}
	qsort(shape->need, shape->count, sizeof(uint32_t),
	      placement_descending);
}

enum placement_status placement_take_mixture(struct placement_finder *finder,
					     uint64_t gpus)
{
	struct placement_shape *shape = finder->ret;
	struct mixed_node *nodes =
		calloc((size_t)finder->count + 1, sizeof(*nodes));
	uint64_t wanted = gpus;

	shape->need = calloc((size_t)finder->count + 1, sizeof(uint32_t));
	shape->count = 0;
	if (!nodes || !shape->need) {
		free(nodes);
		free(shape->need);
		shape->need = NULL;
		return PLACEMENT_NO_MEMORY;
	}
	gather_mixed(finder, nodes);
	take_mixed(finder, nodes, FABRIC_NONE, &wanted);
	while (wanted) {
		uint32_t leafset = pick_leafset(nodes, finder->count, wanted);

		if (leafset == FABRIC_NONE)
			break;
		take_mixed(finder, nodes, leafset, &wanted);
	}
	if (!wanted)
		give_in_order(finder, nodes, gpus);
	free(nodes);
	if (!wanted && placement_in_range(finder, shape->count))
		return PLACEMENT_OK;
	free(shape->need);
	shape->need = NULL;
	return PLACEMENT_IMPOSSIBLE;
}
