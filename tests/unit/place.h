/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place: placement requests from short texts, and answers as hostlists.
 */
#ifndef LEAFSPINE_TESTS_PLACE_H
#define LEAFSPINE_TESTS_PLACE_H

#include "engine.h"
#include "noderange.h"
#include "placement.h"

/* Node sets are hostlists; NULL: none given. */
struct place_case {
	const char *fabric, *state, *hint;
	uint32_t gpus, gpus_per_node, min_nodes, max_nodes;
	const char *required, *excluded, *allowed;
	bool keep_order;
	uint32_t max_leaves;
	const char *first_node;
	bool first_in_order;
};

/* A case with all that its request points to. */
struct place {
	struct fabric *fabric;
	struct state *state;
	struct parallelism hint;
	struct nodeset sets[3];
	struct placement_request request;
};

static inline const struct nodeset *place_set(struct place *place, int which,
					      const char *names)
{
	struct noderange_error wrong;
	struct noderange_list list;

	if (!names)
		return NULL;
	ck_assert_int_eq(nodeset_init(&place->sets[which],
				      place->fabric->node_count), 0);
	ck_assert_int_eq(noderange_expand(names, &list, &wrong), 0);
	for (size_t i = 0; i < list.count; i++)
		nodeset_add(&place->sets[which],
			    engine_node(place->fabric, list.names[i]));
	noderange_list_done(&list);
	return &place->sets[which];
}

static inline void place_init(struct place *place, const struct place_case *c)
{
	memset(place, 0, sizeof(*place));
	place->fabric = engine_fabric(c->fabric);
	place->state = engine_state(place->fabric, c->state);
	place->hint = engine_hint(c->hint);
	place->request = (struct placement_request){
		.state = place->state, .hint = &place->hint,
		.site = parallelism_site_default(), .gpus = c->gpus,
		.gpus_per_node = c->gpus_per_node,
		.min_nodes = c->min_nodes, .max_nodes = c->max_nodes,
		.max_leaves = c->max_leaves,
		.required = place_set(place, 0, c->required),
		.excluded = place_set(place, 1, c->excluded),
		.allowed = place_set(place, 2, c->allowed),
		.keep_order = c->keep_order,
		.first_in_order = c->first_in_order,
		.has_first_node = c->first_node != NULL,
		.first_node = c->first_node ?
			engine_node(place->fabric, c->first_node) : 0,
	};
}

static inline void place_done(struct place *place)
{
	for (int i = 0; i < 3; i++)
		nodeset_done(&place->sets[i]);
	state_free(place->state);
	fabric_free(place->fabric);
}

/* The answer, which is there and passes placement_check. */
static inline struct placement place_choose(const struct place *place)
{
	struct placement_error why = { "" };
	struct placement answer;
	enum placement_status status =
		placement_choose(&place->request, &answer, &why);

	ck_assert_msg(status == PLACEMENT_OK, "%d: %s", status, why.text);
	ck_assert_ptr_eq(placement_check(&place->request, &answer), NULL);
	return answer;
}

/* The names of its nodes in rank order, for free(). */
static inline char *place_names(const struct place *place,
				const struct placement *answer)
{
	const char **names = calloc(answer->count, sizeof(*names));
	char *text;

	ck_assert_ptr_nonnull(names);
	for (uint32_t k = 0; k < answer->count; k++)
		names[k] = place->fabric->nodes[answer->nodes[k]].name;
	text = noderange_compress(names, answer->count);
	free(names);
	ck_assert_ptr_nonnull(text);
	return text;
}

/* How many of its nodes stand under the leaf of that name. */
static inline uint32_t place_under(const struct place *place,
				   const struct placement *answer,
				   const char *leaf)
{
	uint32_t sw = engine_switch(place->fabric, leaf), count = 0;

	for (uint32_t k = 0; k < answer->count; k++)
		count += fabric_cable_of_rail(place->fabric, answer->nodes[k],
					      0)->leaf == sw;
	return count;
}

#endif
