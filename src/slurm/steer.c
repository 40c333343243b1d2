/* SPDX-License-Identifier: GPL-2.0-or-later */
/* steer: choice first, stock Slurm where there is none. */

#include "steer.h"

#include "attempt.h"
#include "comment.h"
#include "noderange.h"
#include "running.h"
#include "status.h"
#include "tried.h"
#include "world.h"

#include <stdlib.h>

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* --- the choice ---------------------------------------------------------- */

static enum counters_fallback choose(const struct adapter_call *call,
				     const struct adapter_request *request,
				     bool with_candidates, struct choice *ret)
{
	struct choice_question question;
	uint64_t start = now_us();
	enum counters_fallback cause = adapter_question(
		call, request, with_candidates, &question);

	*ret = (struct choice){ 0 };
	if (cause == FALLBACKS) {
		cause = choice_make(&question, ret);
		choice_question_done(&question);
	}
	counters_spent(now_us() - start);
	return cause;
}

static bitstr_t *map_of(const struct choice *choice, bitoff_t size)
{
	bitstr_t *map = compat_map_new(size);

	for (uint32_t k = 0; map && k < choice->count; k++)
		bit_set(map, world.table_of[choice->nodes[k]]);
	return map;
}

static enum counters_fallback attempt(const struct adapter_call *call,
				      const bitstr_t *map,
				      enum attempt_kind kind)
{
	int status = map ? attempt_on(call, map, kind) : ATTEMPT_NO_MEMORY;

	if (status == ATTEMPT_NO_MEMORY)
		return FALLBACK_FAILED;
	return status == SLURM_SUCCESS ? FALLBACKS : FALLBACK_REFUSED;
}

/* FALLBACKS after a success, else why it came to nothing. */
static enum counters_fallback try_choice(const struct adapter_call *call,
					 const struct adapter_request *request,
					 enum attempt_kind kind,
					 struct choice *choice)
{
	enum counters_fallback cause = choose(call, request,
					      kind == ATTEMPT_PREEMPTING,
					      choice);
	bitstr_t *map;

	if (cause != FALLBACKS)
		return cause;
	map = map_of(choice, bit_size(call->bitmap));
	cause = attempt(call, map, kind);
	FREE_NULL_BITMAP(map);
	return cause;
}

/* After a success: the job starts now, or those in its way are preempted. */
static void note_answer(const struct adapter_call *call,
			struct tried_answer answer)
{
	bool preempts = call->preempted && *call->preempted &&
			list_count(*call->preempted);

	if (call->mode != SELECT_MODE_RUN_NOW)
		return;
	if (preempts)
		tried_preempts(call->job->job_id);
	tried_answer(call->job, call->job->job_id, answer);
}

/* At most two tries (rule 7): one that preempts nobody, then rule 15's. */
static enum counters_fallback steer(const struct adapter_call *call,
				    const struct adapter_request *request)
{
	uint32_t id = call->job->job_id;
	struct choice choice;
	enum counters_fallback cause;

	if (tried_enough(id, world.generation))
		return FALLBACK_LEFT_ALONE;
	cause = try_choice(call, request, ATTEMPT_NOW, &choice);
	/* Nobody is preempted because we were short of memory. */
	if (cause != FALLBACKS && cause != FALLBACK_FAILED &&
	    call->candidates) {
		choice_done(&choice);
		cause = try_choice(call, request, ATTEMPT_PREEMPTING, &choice);
	}
	if (cause != FALLBACKS) {
		if (cause != FALLBACK_FAILED)
			tried_in_vain(id, world.generation);
		debug("leafspine: %pJ: %s: %s", call->job,
		      counters_fallback_name(cause), choice.why);
	}
	/* Why it waits, where only stock Slurm's word would stand (rule 18). */
	if (cause == FALLBACK_IMPOSSIBLE && world.fabric->component_count > 1 &&
	    call->mode == SELECT_MODE_RUN_NOW)
		comment_pending(call->job, &request->text, choice.why);
	choice_done(&choice);
	return cause;
}

/* Mode=observe: what would have been chosen is noted, nothing is changed. */
static void observe(const struct adapter_call *call,
		    const struct adapter_request *request)
{
	struct choice choice;
	const char **names = NULL;

	if (call->mode != SELECT_MODE_RUN_NOW)
		return;
	tried_would_choose(call->job, NULL);
	if (choose(call, request, false, &choice) == FALLBACKS)
		names = calloc((size_t)choice.count + 1, sizeof(*names));
	for (uint32_t k = 0; names && k < choice.count; k++)
		names[k] = world.fabric->nodes[choice.nodes[k]].name;
	if (names)
		tried_would_choose(call->job,
				   noderange_compress(names, choice.count));
	free(names);
	choice_done(&choice);
}

/* --- stock Slurm --------------------------------------------------------- */

/* All nodes but those of other fabrics than COMPONENT. */
static bitstr_t *map_of_component(uint32_t component, bitoff_t size)
{
	bitstr_t *map = compat_map_new(size);

	for (uint32_t i = 0; map && i < (uint32_t)size; i++) {
		uint32_t node = i < world.table_size ? world.node_of[i] :
						       FABRIC_NONE;

		if (node == FABRIC_NONE ||
		    world.fabric->nodes[node].component == component)
			bit_set(map, i);
	}
	return map;
}

/* False where the job could not lie there, whenever. */
static bool may_lie_in(const struct adapter_call *call, bitstr_t *map)
{
	bitstr_t *required = call->job->details->req_node_bitmap;

	return (!required || bit_super_set(required, map)) &&
	       (uint32_t)bit_overlap(call->bitmap, map) >= call->min_nodes;
}

static int try_component(const struct adapter_call *call, uint32_t component,
			 enum attempt_kind kind)
{
	bitstr_t *map = map_of_component(component, bit_size(call->bitmap));
	int status = map ? SLURM_ERROR : ATTEMPT_NO_MEMORY;

	if (map && may_lie_in(call, map))
		status = attempt_on(call, map, kind);
	FREE_NULL_BITMAP(map);
	return status;
}

/* The first fabric on which the job can start now. */
static int run_in_one(const struct adapter_call *call, enum attempt_kind kind)
{
	int status = SLURM_ERROR;

	for (uint32_t i = 0; status != SLURM_SUCCESS &&
	     status != ATTEMPT_NO_MEMORY &&
	     i < world.fabric->component_count; i++)
		status = try_component(call, i, kind);
	return status;
}

/* The fabric on which the job would start first. */
static int plan_in_one(const struct adapter_call *call)
{
	struct attempt_saved *saved = attempt_save(call);
	uint32_t best = FABRIC_NONE;
	time_t earliest = 0;
	int status = SLURM_ERROR;

	if (!saved)
		return ATTEMPT_NO_MEMORY;
	for (uint32_t i = 0; i < world.fabric->component_count; i++) {
		status = try_component(call, i, ATTEMPT_ANY_TIME);
		/* It may have been this one that is free first. */
		if (status == ATTEMPT_NO_MEMORY)
			break;
		if (status != SLURM_SUCCESS)
			continue;
		if (best == FABRIC_NONE || call->job->start_time < earliest) {
			best = i;
			earliest = call->job->start_time;
		}
		attempt_restore(call, saved);
	}
	attempt_saved_free(saved);
	if (status == ATTEMPT_NO_MEMORY || best == FABRIC_NONE)
		return status;
	return try_component(call, best, ATTEMPT_ANY_TIME);
}

/*
 * Rule 4: a job is never spread over fabrics that are not connected, so each
 * is tried by itself and the whole is never offered: without memory to do so
 * the job waits.
 */
static int fall_back_apart(const struct adapter_call *call)
{
	int status;

	if (call->mode == SELECT_MODE_WILL_RUN)
		return plan_in_one(call);
	status = run_in_one(call, call->candidates ? ATTEMPT_NOW :
						     ATTEMPT_ANY_TIME);
	if (status != SLURM_SUCCESS && status != ATTEMPT_NO_MEMORY &&
	    call->candidates)
		status = run_in_one(call, ATTEMPT_ANY_TIME);
	return status;
}

static int fall_back(const struct adapter_call *call)
{
	bool apart = world.fabric->component_count > 1 &&
		     world.conf->mode == CONF_STEER;
	int status = apart ? fall_back_apart(call) : attempt_stock(call);

	return status == ATTEMPT_NO_MEMORY ? SLURM_ERROR : status;
}

/* --- what Slurm calls ---------------------------------------------------- */

static bool status_is_short;

void steer_refresh(void)
{
	(void)world_refresh();
	status_is_short = !status_set(
		world.conf ? world.conf->status_file : NULL,
		world.conf ? conf_mode_name(world.conf->mode) : "off",
		world.conf ? world.conf->fabric : NULL);
}

/*
 * Makes good what went without memory before. False where jobs that run could
 * not all be counted.
 */
static bool mend(void)
{
	if (world_is_short() || status_is_short) {
		steer_refresh();
		running_rebuild();
	}
	return running_mend();
}

/* A job that is none of ours. */
static int leave(const struct adapter_call *call,
		 const struct adapter_request *request, enum counters_skip skip)
{
	counters_skip(skip);
	/* Rule 14 is about our choice: fabrics stay apart anyway. */
	if (skip == SKIP_SPECIAL && adapter_is_bound(call, request))
		return fall_back(call);
	return attempt_stock(call);
}

/* A job of ours; *RET: how that came about, should it start. */
static int place(const struct adapter_call *call,
		 const struct adapter_request *request, bool all_counted,
		 struct tried_answer *ret)
{
	enum counters_fallback cause = FALLBACK_OBSERVED;

	counters_offered();
	if (world.conf->mode == CONF_OBSERVE) {
		if (all_counted)
			observe(call, request);
	} else {
		cause = all_counted ? steer(call, request) : FALLBACK_FAILED;
		*ret = (struct tried_answer){ START_FORCED, false };
	}
	if (cause == FALLBACKS) {
		counters_narrowed();
		*ret = (struct tried_answer){ START_FREE, true };
		return SLURM_SUCCESS;
	}
	counters_fell_back(cause);
	return fall_back(call);
}

int steer_job_test(const struct adapter_call *call)
{
	struct tried_answer answer = { START_UNSTEERED, false };
	struct adapter_request request;
	enum counters_skip skip;
	bool all_counted = mend();
	int status;

	if (adapter_request(call, &request, &skip))
		status = place(call, &request, all_counted, &answer);
	else
		status = leave(call, &request, skip);
	if (status == SLURM_SUCCESS)
		note_answer(call, answer);
	return status;
}
