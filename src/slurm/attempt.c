/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attempt: saves, narrows, asks the stock plugin, restores. */

#include "attempt.h"

#include "stock.h"

#include <stdlib.h>

struct attempt_saved {
	bitstr_t *bitmap;		/* owned */
	uint64_t pn_min_memory;
	uint32_t min_cpus;
	time_t start_time;
	bool best_switch;
	uint32_t req_switch;
	time_t wait4switch_start;
	uint32_t total_cpus;
	uint64_t bit_flags;
	bool had_preempted;
};

int attempt_stock(const struct adapter_call *call)
{
	return stock.job_test(call->job, call->bitmap, call->min_nodes,
			      call->max_nodes, call->req_nodes, call->mode,
			      call->candidates, call->preempted,
			      call->excluded_cores);
}

struct attempt_saved *attempt_save(const struct adapter_call *call)
{
	const job_record_t *job = call->job;
	struct attempt_saved *saved = calloc(1, sizeof(*saved));
	bitstr_t *bitmap = compat_map_copy(call->bitmap);

	if (!saved || !bitmap) {
		FREE_NULL_BITMAP(bitmap);
		free(saved);
		return NULL;
	}
	*saved = (struct attempt_saved){
		.bitmap = bitmap,
		.pn_min_memory = job->details->pn_min_memory,
		.min_cpus = job->details->min_cpus,
		.start_time = job->start_time,
		.best_switch = job->best_switch,
		.req_switch = job->req_switch,
		.wait4switch_start = job->wait4switch_start,
		.total_cpus = job->total_cpus,
		.bit_flags = job->bit_flags,
		.had_preempted = call->preempted && *call->preempted,
	};
	return saved;
}

void attempt_restore(const struct adapter_call *call,
		     const struct attempt_saved *saved)
{
	job_record_t *job = call->job;

	bit_copybits(call->bitmap, saved->bitmap);
	job->details->pn_min_memory = saved->pn_min_memory;
	job->details->min_cpus = saved->min_cpus;
	job->start_time = saved->start_time;
	job->best_switch = saved->best_switch;
	job->req_switch = saved->req_switch;
	job->wait4switch_start = saved->wait4switch_start;
	job->total_cpus = saved->total_cpus;
	job->bit_flags = saved->bit_flags;
	free_job_resources(&job->job_resrcs);
	/* A list that this try has made, of jobs that it would not have. */
	if (call->preempted && *call->preempted && !saved->had_preempted)
		FREE_NULL_LIST(*call->preempted);
}

void attempt_saved_free(struct attempt_saved *saved)
{
	if (!saved)
		return;
	FREE_NULL_BITMAP(saved->bitmap);
	free(saved);
}

/* What the caller may rely on after a success. */
static bool is_sound(const struct adapter_call *call, const bitstr_t *subset)
{
	bitstr_t *required = call->job->details->req_node_bitmap;
	uint32_t count = (uint32_t)bit_set_count(call->bitmap);

	/* Slurm takes success without it for failure. */
	if (!call->job->best_switch)
		return false;
	return count && (!call->max_nodes || count <= call->max_nodes) &&
	       bit_super_set(call->bitmap, (bitstr_t *)subset) &&
	       (!required || bit_super_set(required, call->bitmap));
}

static int ask(struct adapter_call call, enum attempt_kind kind)
{
	uint64_t flag = call.job->bit_flags & TEST_NOW_ONLY;
	int status;

	if (kind == ATTEMPT_NOW) {
		call.candidates = NULL;
		call.preempted = NULL;
	}
	/* Else the few nodes would be found free at some later time. */
	if (kind != ATTEMPT_ANY_TIME)
		call.job->bit_flags |= TEST_NOW_ONLY;
	status = attempt_stock(&call);
	call.job->bit_flags &= ~TEST_NOW_ONLY;
	call.job->bit_flags |= flag;
	return status;
}

int attempt_on(const struct adapter_call *call, const bitstr_t *subset,
	       enum attempt_kind kind)
{
	struct attempt_saved *saved = attempt_save(call);
	int status;

	if (!saved)
		return ATTEMPT_NO_MEMORY;
	bit_and(call->bitmap, (bitstr_t *)subset);
	status = ask(*call, kind);
	if (status == SLURM_SUCCESS && !is_sound(call, subset))
		status = SLURM_ERROR;
	if (status != SLURM_SUCCESS)
		attempt_restore(call, saved);
	attempt_saved_free(saved);
	return status;
}
