/* SPDX-License-Identifier: GPL-2.0-or-later */
/* choice: one question to the engine, and a memory of the last answers. */

#include "choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REMEMBERED 64
#define TYPES_MAX 8

int choice_question_init(struct choice_question *question,
			 const struct state *state)
{
	uint32_t nodes = state->fabric->node_count;

	*question = (struct choice_question){ .state = state };
	question->types = calloc((size_t)nodes + 1, sizeof(uint32_t));
	if (!question->types)
		return -1;
	if (nodeset_init(&question->usable, nodes)) {
		free(question->types);
		return -1;
	}
	if (nodeset_init(&question->required, nodes)) {
		nodeset_done(&question->usable);
		free(question->types);
		return -1;
	}
	return 0;
}

void choice_question_done(struct choice_question *question)
{
	nodeset_done(&question->usable);
	nodeset_done(&question->required);
	free(question->types);
	*question = (struct choice_question){ 0 };
}

void choice_done(struct choice *choice)
{
	free(choice->nodes);
	*choice = (struct choice){ 0 };
}

/* --- the memory ---------------------------------------------------------- */

/* Two hashes of one question, made with different constants. */
struct key {
	uint64_t a;
	uint64_t b;
};

struct memory {
	struct key key;
	bool used;
	enum counters_fallback cause;
	struct choice choice;
};

static struct memory memories[REMEMBERED];
static unsigned int next_memory;

static void mix(struct key *key, uint64_t value)
{
	key->a = (key->a ^ value) * 0x100000001b3ULL;
	key->a ^= key->a >> 29;
	key->b = (key->b + value) * 0x9e3779b97f4a7c15ULL;
	key->b ^= key->b >> 32;
}

static void mix_nodes(struct key *key, const struct choice_question *question)
{
	const struct nodeset *usable = &question->usable;

	for (size_t i = nodeset_next(usable, 0); i < usable->size;
	     i = nodeset_next(usable, i + 1)) {
		mix(key, i);
		mix(key, ((uint64_t)question->state->gpus_used[i] << 32) |
			 question->state->weights[i]);
		mix(key, ((uint64_t)question->types[i] << 1) |
			 nodeset_has(&question->required, i));
	}
}

static struct key key_of(const struct choice_question *question)
{
	struct key key = { 0xcbf29ce484222325ULL, 0x6a09e667f3bcc908ULL };

	mix(&key, question->generation);
	for (size_t i = 0; i < question->text.length; i++)
		mix(&key, (unsigned char)question->text.start[i]);
	mix(&key, question->text.length);
	mix(&key, question->gpus);
	mix(&key, question->gpus_per_node);
	mix(&key, question->min_nodes);
	mix(&key, question->req_nodes);
	mix(&key, question->max_nodes);
	mix(&key, question->max_leaves);
	mix(&key, question->any_order);
	mix_nodes(&key, question);
	return key;
}

/* A copy of CHOICE in *RET; false without memory. */
static bool copy_choice(const struct choice *choice, struct choice *ret)
{
	*ret = *choice;
	if (!choice->nodes)
		return true;
	ret->nodes = calloc((size_t)choice->count + 1, sizeof(uint32_t));
	if (!ret->nodes)
		return false;
	memcpy(ret->nodes, choice->nodes, choice->count * sizeof(uint32_t));
	return true;
}

static const struct memory *recall(const struct key *key)
{
	for (int i = 0; i < REMEMBERED; i++)
		if (memories[i].used && memories[i].key.a == key->a &&
		    memories[i].key.b == key->b)
			return &memories[i];
	return NULL;
}

static void remember(const struct key *key, enum counters_fallback cause,
		     const struct choice *choice)
{
	struct memory *memory = &memories[next_memory++ % REMEMBERED];
	struct choice copy;

	if (cause == FALLBACK_FAILED || !copy_choice(choice, &copy))
		return;
	choice_done(&memory->choice);
	*memory = (struct memory){ *key, true, cause, copy };
}

void choice_forget(void)
{
	for (int i = 0; i < REMEMBERED; i++) {
		choice_done(&memories[i].choice);
		memories[i].used = false;
	}
}

/* --- the engine ---------------------------------------------------------- */

static bool fits(const struct choice_question *question, uint64_t gpus,
		 struct choice *ret)
{
	struct job_profile profile;
	struct parallelism_error error;

	if (!parallelism_fit(question->hint, question->site, gpus, &profile,
			     &error))
		return true;
	snprintf(ret->why, sizeof(ret->why), "%s", error.text);
	return false;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/*
 * Nodes of GPUS_PER_NODE each: as many as Slurm would like and the hint takes.
 * A set that is too small would give a job of 2-8 nodes just 2, so what is
 * offered is the most.
 */
static enum counters_fallback count_nodes(
	const struct choice_question *question,
	struct placement_request *request, struct choice *ret)
{
	uint32_t usable = (uint32_t)nodeset_count(&question->usable);
	uint32_t most = smaller(question->req_nodes, usable);
	uint64_t each = question->gpus_per_node;

	for (uint32_t n = most; n && n >= question->min_nodes; n--) {
		if (each && !fits(question, each * n, ret))
			continue;
		request->min_nodes = request->max_nodes = n;
		request->gpus = (uint32_t)(each * n);
		request->gpus_per_node = question->gpus_per_node;
		return FALLBACKS;
	}
	return most < question->min_nodes ? FALLBACK_INFEASIBLE :
					    FALLBACK_MISFIT;
}

static enum counters_fallback fill_request(
	const struct choice_question *question,
	struct placement_request *request, struct choice *ret)
{
	*request = (struct placement_request){
		.state = question->state, .hint = question->hint,
		.site = question->site, .required = &question->required,
		.allowed = &question->usable,
		.keep_order = !question->any_order,
		.first_in_order = question->any_order,
		/* Rule 13: else every try would fail. */
		.max_leaves = question->max_leaves,
	};
	if (!nodeset_count(&question->required))
		request->required = NULL;
	if (!question->gpus)
		return count_nodes(question, request, ret);
	if (!fits(question, question->gpus, ret))
		return FALLBACK_MISFIT;
	request->gpus = question->gpus;
	request->gpus_per_node = question->gpus_per_node;
	request->min_nodes = question->min_nodes;
	request->max_nodes = question->max_nodes;
	return FALLBACKS;
}

/* How many nodes have at least EACH GPUs free. */
static uint32_t nodes_with(const struct choice_question *question,
			   const struct nodeset *allowed, uint32_t each)
{
	uint32_t count = 0;

	for (size_t i = nodeset_next(allowed, 0); i < allowed->size;
	     i = nodeset_next(allowed, i + 1))
		count += state_free_gpus(question->state, (uint32_t)i) >= each;
	return count;
}

/*
 * --gpus=N on nodes that are partly used: the most GPUs a node that enough
 * nodes have free, in equal parts.
 */
static enum placement_status choose_even(const struct choice_question *question,
					 struct placement_request *request,
					 struct placement *ret,
					 struct placement_error *error)
{
	for (uint32_t each = smaller(request->gpus, FABRIC_NONE - 1); each;
	     each--) {
		uint32_t nodes = request->gpus / each;

		if (request->gpus % each || nodes < request->min_nodes)
			continue;
		if (request->max_nodes && nodes > request->max_nodes)
			break;
		if (nodes_with(question, request->allowed, each) < nodes)
			continue;
		request->gpus_per_node = each;
		return placement_choose(request, ret, error);
	}
	return PLACEMENT_IMPOSSIBLE;
}

static enum placement_status choose(const struct choice_question *question,
				    struct placement_request request,
				    struct placement *ret,
				    struct choice *choice)
{
	struct placement_error error = { "" };
	enum placement_status status;

	status = placement_choose(&request, ret, &error);
	if (status == PLACEMENT_IMPOSSIBLE && question->gpus &&
	    !question->gpus_per_node)
		status = choose_even(question, &request, ret, &error);
	if (status != PLACEMENT_OK && error.text[0])
		snprintf(choice->why, sizeof(choice->why), "%s", error.text);
	return status;
}

/* The kinds of GPU among the usable nodes; TYPES_MAX + 1 for too many. */
static int list_types(const struct choice_question *question, uint32_t *types)
{
	const struct nodeset *usable = &question->usable;
	int count = 0;

	for (size_t i = nodeset_next(usable, 0); i < usable->size;
	     i = nodeset_next(usable, i + 1)) {
		int k = 0;

		while (k < count && types[k] != question->types[i])
			k++;
		if (k < count)
			continue;
		if (count == TYPES_MAX)
			return TYPES_MAX + 1;
		types[count++] = question->types[i];
	}
	return count;
}

/* Only nodes with this kind of GPU. */
static enum placement_status choose_of_type(
	const struct choice_question *question,
	struct placement_request request, uint32_t type,
	struct placement *ret, struct choice *choice)
{
	struct nodeset allowed;
	enum placement_status status;

	if (nodeset_copy(&allowed, &question->usable))
		return PLACEMENT_NO_MEMORY;
	for (size_t i = 0; i < allowed.size; i++)
		if (question->types[i] != type)
			nodeset_remove(&allowed, i);
	request.allowed = &allowed;
	status = choose(question, request, ret, choice);
	nodeset_done(&allowed);
	return status;
}

/* The highest weight among the nodes that were free to be chosen. */
static uint32_t heaviest(const struct choice_question *question,
			 const struct placement *placement)
{
	uint32_t most = 0;

	for (uint32_t k = 0; k < placement->count; k++) {
		uint32_t node = placement->nodes[k];
		uint32_t weight = question->state->weights[node];

		if (weight > most && !nodeset_has(&question->required, node))
			most = weight;
	}
	return most;
}

/* Slurm's weights come before the cost (rule 11). */
static bool is_better(const struct choice_question *question,
		      const struct placement *a, const struct placement *b)
{
	uint32_t weight_a = heaviest(question, a);
	uint32_t weight_b = heaviest(question, b);

	if (weight_a != weight_b)
		return weight_a < weight_b;
	return a->score.cost < b->score.cost;
}

/* Jobs that name no kind do not mix kinds (rule 21): the best of each. */
static enum placement_status choose_by_type(
	const struct choice_question *question,
	const struct placement_request *request, struct placement *ret,
	struct choice *choice)
{
	uint32_t types[TYPES_MAX];
	int count = list_types(question, types);
	enum placement_status best = PLACEMENT_IMPOSSIBLE;

	if (count <= 1 || count > TYPES_MAX)
		return choose(question, *request, ret, choice);
	for (int i = 0; i < count; i++) {
		struct placement placement;
		enum placement_status status = choose_of_type(
			question, *request, types[i], &placement, choice);

		if (status == PLACEMENT_NO_MEMORY && best != PLACEMENT_OK)
			best = status;
		if (status != PLACEMENT_OK)
			continue;
		if (best == PLACEMENT_OK &&
		    !is_better(question, &placement, ret)) {
			placement_done(&placement);
			continue;
		}
		if (best == PLACEMENT_OK)
			placement_done(ret);
		*ret = placement;
		best = PLACEMENT_OK;
	}
	return best;
}

static enum counters_fallback take_placement(struct placement *placement,
					     struct choice *ret)
{
	ret->count = placement->count;
	ret->nodes = placement->nodes;
	ret->score = placement->score;
	placement->nodes = NULL;
	placement_done(placement);
	return FALLBACKS;
}

static enum counters_fallback ask(const struct choice_question *question,
				  struct choice *ret)
{
	struct placement_request request;
	struct placement placement;
	enum counters_fallback cause = fill_request(question, &request, ret);

	if (cause != FALLBACKS)
		return cause;
	switch (choose_by_type(question, &request, &placement, ret)) {
	case PLACEMENT_OK:
		return take_placement(&placement, ret);
	case PLACEMENT_IMPOSSIBLE:
		return question->max_leaves ? FALLBACK_SWITCHES :
					      FALLBACK_IMPOSSIBLE;
	case PLACEMENT_BAD:
		return FALLBACK_MISFIT;
	case PLACEMENT_NO_MEMORY:
		break;
	}
	return FALLBACK_FAILED;
}

enum counters_fallback choice_make(const struct choice_question *question,
				   struct choice *ret)
{
	struct key key = key_of(question);
	const struct memory *memory = recall(&key);
	enum counters_fallback cause;

	*ret = (struct choice){ 0 };
	if (memory)
		return copy_choice(&memory->choice, ret) ? memory->cause :
							   FALLBACK_FAILED;
	cause = ask(question, ret);
	remember(&key, cause, ret);
	return cause;
}
