/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine: inputs of the engine's unit tests from short texts. What the texts
 * describe must be good: a case that gets none fails right there.
 */
#ifndef LEAFSPINE_TESTS_ENGINE_H
#define LEAFSPINE_TESTS_ENGINE_H

#include <stdio.h>
#include <string.h>

#include "fabric_read.h"
#include "parallelism.h"
#include "state.h"
#include "unit.h"

/* TEXT is JSON where it begins with '{', else a synthetic form. */
static inline struct fabric *engine_fabric(const char *text)
{
	struct fabric *fabric;
	struct diag diag;

	diag_init(&diag, "fabric");
	fabric = text[0] == '{' ? fabric_read_json(text, strlen(text), &diag) :
				  fabric_read_synth(text, &diag);
	if (!fabric)
		diag_print(&diag, stderr);
	diag_done(&diag);
	ck_assert_ptr_nonnull(fabric);
	return fabric;
}

/* TEXT is JSON, or NULL where nothing is taken. */
static inline struct state *engine_state(const struct fabric *fabric,
					 const char *text)
{
	struct state *state;
	struct diag diag;

	if (!text)
		text = "{}";
	diag_init(&diag, "state");
	state = state_read_json(fabric, text, strlen(text),
				parallelism_site_default(), &diag);
	if (!state)
		diag_print(&diag, stderr);
	diag_done(&diag);
	ck_assert_ptr_nonnull(state);
	return state;
}

static inline struct parallelism engine_hint(const char *text)
{
	struct parallelism_error why = { "" };
	struct parallelism hint;

	ck_assert_msg(!parallelism_parse(text, strlen(text), &hint, &why),
		      "%s: %s", text, why.text);
	return hint;
}

/* GPUS 0: the product of the degrees. */
static inline struct job_profile engine_profile(const char *text,
						uint64_t gpus)
{
	struct parallelism hint = engine_hint(text);
	struct parallelism_error why = { "" };
	struct job_profile profile;

	ck_assert_msg(!parallelism_fit(&hint, parallelism_site_default(), gpus,
				       &profile, &why), "%s: %s", text,
		      why.text);
	return profile;
}

/* The node of that name, which is there. */
static inline uint32_t engine_node(const struct fabric *fabric,
				   const char *name)
{
	uint32_t node = fabric_find_node(fabric, name);

	ck_assert_msg(node != FABRIC_NONE, "no node %s", name);
	return node;
}

static inline uint32_t engine_switch(const struct fabric *fabric,
				     const char *name)
{
	uint32_t sw = fabric_find_switch(fabric, name);

	ck_assert_msg(sw != FABRIC_NONE, "no switch %s", name);
	return sw;
}

#endif
