/* SPDX-License-Identifier: GPL-2.0-or-later */
/* adapter: reads a job record: whose is it, and what does it ask for? */

#include "adapter.h"

#include "gpus.h"
#include "world.h"

#include <stdlib.h>

/* --- the hint ------------------------------------------------------------ */

static struct hint_text text_of(const job_record_t *job)
{
	return hint_find(job->spank_job_env, job->spank_job_env_size,
			 job->comment);
}

static void site_hint(struct parallelism *ret, struct hint_text *text)
{
	*ret = world.conf->default_hint;
	/* edp_bytes without experts: refused in a hint, not in a default. */
	ret->edp_bytes_given = false;
	text->start = world.conf->default_text;
	text->length = strlen(text->start);
}

bool adapter_hint_of(const job_record_t *job, struct parallelism *ret,
		     struct hint_text *text)
{
	struct hint_text found = text_of(job);
	struct parallelism_error ignored;
	bool readable = true;

	if (found.start)
		readable = !parallelism_parse(found.start, found.length, ret,
					      &ignored);
	else if (world.conf && world.conf->default_for_all)
		site_hint(ret, &found);
	if (text)
		*text = found;
	return found.start && readable && !ret->off;
}

static enum counters_skip read_hint(const job_record_t *job,
				    struct adapter_request *request)
{
	request->from_site = !text_of(job).start;
	request->hint.off = false;
	if (adapter_hint_of(job, &request->hint, &request->text))
		return SKIPS;
	if (!request->text.start)
		return SKIP_NO_HINT;
	return request->hint.off ? SKIP_HINT_OFF : SKIP_BAD_HINT;
}

/* --- GPUs ---------------------------------------------------------------- */

/* A product that stays at the largest number rather than start again at 0. */
static uint64_t times(uint64_t a, uint64_t b)
{
	return a && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

static uint32_t to_32(uint64_t number)
{
	return number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

/* Slurm's numbers for "not given" as 0. */
static uint32_t given_16(uint16_t number)
{
	return number == NO_VAL16 || number == INFINITE16 ? 0 : number;
}

static struct gpus_request gpus_of(const gres_job_state_t *gres,
				   const struct job_details *details)
{
	const char *type = gres->type_name;

	return (struct gpus_request){
		.per_job = gres->gres_per_job,
		.per_node = gres->gres_per_node,
		.per_socket = gres->gres_per_socket,
		.per_task = gres->gres_per_task,
		.tasks = details->num_tasks == NO_VAL ? 0 : details->num_tasks,
		.tasks_per_node = given_16(details->ntasks_per_node),
		.type = type,
		.type_length = type ? strlen(type) : 0,
	};
}

static bool set_gpus(struct adapter_request *request,
		     const gres_job_state_t *gres, const job_record_t *job)
{
	struct gpus_request asked = gpus_of(gres, job->details);
	struct gpus_sums sums;
	uint64_t each;

	if (!gpus_sums(&asked, &sums))
		return false;
	each = sums.each ? sums.each : 1;
	request->gpus = sums.all;
	request->gpus_per_node = sums.each;
	request->gpus_per_task = (uint32_t)asked.per_task;
	request->by_job = sums.all && !sums.each;
	request->typed = gres->type_name;
	request->gpu_type = gres->type_id;
	if (gres->cpus_per_gres)
		request->cpus_on_node = to_32(times(gres->cpus_per_gres, each));
	if (gres->mem_per_gres)
		request->memory_mb = times(gres->mem_per_gres, each);
	return true;
}

/* The walk through what a job asks for. */
struct asking {
	const job_record_t *job;
	struct adapter_request *request;
	enum counters_skip skip;
};

/* 0, or -1 where the walk is over. */
static int read_entry(void *entry, void *argument)
{
	static uint32_t gpu, mps, shard;
	const gres_state_t *gres = entry;
	struct asking *asking = argument;

	if (!gpu) {
		mps = gres_build_id("mps");
		shard = gres_build_id("shard");
		gpu = gres_build_id("gpu");
	}
	if (gres->plugin_id == gpu && asking->skip == SKIP_NO_GPUS &&
	    set_gpus(asking->request, gres->gres_data, asking->job)) {
		asking->skip = SKIPS;
		return 0;
	}
	if (gres->plugin_id != gpu && gres->plugin_id != mps &&
	    gres->plugin_id != shard)
		return 0;
	/* Two kinds in one job, or a way of asking that is not ours. */
	asking->skip = SKIP_SPECIAL;
	return -1;
}

/* SKIPS, or why not: no GPUs, or such that the engine does not know. */
static enum counters_skip read_gpus(const job_record_t *job,
				    struct adapter_request *request)
{
	struct asking asking = { job, request, SKIP_NO_GPUS };

	if (job->gres_list_req)
		list_for_each_ro(job->gres_list_req, read_entry, &asking);
	return asking.skip;
}

/* --- cores, memory, and what is left to Slurm ---------------------------- */

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static void read_cpus(const job_record_t *job, struct adapter_request *request)
{
	const struct job_details *details = job->details;
	uint32_t per_task = larger(given_16(details->cpus_per_task), 1);
	uint32_t tasks = larger(given_16(details->ntasks_per_node), 1);

	if (details->overcommit) {
		request->cpus_on_node = 1;
		return;
	}
	request->cpus_on_node = larger(request->cpus_on_node,
				       per_task * tasks);
	if (details->pn_min_cpus != NO_VAL)
		request->cpus_on_node = larger(request->cpus_on_node,
					       details->pn_min_cpus);
	request->cpus = details->min_cpus != NO_VAL ? details->min_cpus : 0;
}

static void read_memory(const job_record_t *job,
			struct adapter_request *request)
{
	uint64_t memory = job->details->pn_min_memory;

	if (!(slurm_conf.select_type_param & CR_MEMORY) || request->memory_mb)
		return;
	if (memory & MEM_PER_CPU)
		request->memory_mb = times(memory & ~MEM_PER_CPU,
					   larger(request->cpus_on_node, 1));
	else
		request->memory_mb = memory;
	request->all_memory = !memory;
}

/* "[a*2&b*4]": Slurm asks in pieces, each with its own counts. */
static bool counts_features(const struct job_details *details)
{
	return details->features && strpbrk(details->features, "*[(");
}

/* What Slurm places by rules of its own, rule 14. */
static bool is_special(const job_record_t *job)
{
	const struct job_details *details = job->details;
	const part_record_t *partition = job->part_ptr;

	if ((slurm_conf.select_type_param & CR_LLN) ||
	    (partition->flags & PART_FLAG_LLN) ||
	    (partition->max_share & SHARED_FORCE))
		return true;
	if (job->bit_flags & (SPREAD_JOB | USE_MIN_NODES))
		return true;
	return details->contiguous || counts_features(details);
}

/* Rule 13: as long as the job still waits for its number of switches. */
static uint32_t max_leaves(const job_record_t *job)
{
	if (!job->req_switch || job->req_switch == NO_VAL)
		return 0;
	if (job->wait4switch_start &&
	    time(NULL) - job->wait4switch_start >= (time_t)job->wait4switch)
		return 0;
	return job->req_switch;
}

static enum counters_skip whose(const struct adapter_call *call)
{
	const job_record_t *job = call->job;

	if (!world.conf || world.conf->mode == CONF_OFF)
		return SKIP_MODE_OFF;
	if (!world.fabric || !world.table_of)
		return SKIP_NO_FABRIC;
	if (call->mode != SELECT_MODE_RUN_NOW &&
	    call->mode != SELECT_MODE_WILL_RUN)
		return SKIP_TEST_ONLY;
	/* A reservation asks with a job that is none; the rest is a guard. */
	if (!job->job_id || !job->details || !job->part_ptr)
		return SKIP_SPECIAL;
	if (!conf_has_partition(world.conf, job->part_ptr->name))
		return SKIP_PARTITION;
	return SKIPS;
}

bool adapter_request(const struct adapter_call *call,
		     struct adapter_request *ret, enum counters_skip *ret_skip)
{
	const job_record_t *job = call->job;

	*ret = (struct adapter_request){ 0 };
	*ret_skip = whose(call);
	if (*ret_skip != SKIPS)
		return false;
	ret->whole_nodes = job->details->whole_node == WHOLE_NODE_REQUIRED ||
			   !job->part_ptr->max_share;
	*ret_skip = read_gpus(job, ret);
	/* A whole node comes with its GPUs; without a hint it is no GPU job. */
	if (*ret_skip == SKIP_NO_GPUS && ret->whole_nodes &&
	    text_of(job).start)
		*ret_skip = SKIPS;
	/* With GPUs that are none of ours it still stays within one fabric. */
	if (*ret_skip == SKIP_SPECIAL)
		(void)read_hint(job, ret);
	if (*ret_skip == SKIPS)
		*ret_skip = read_hint(job, ret);
	if (*ret_skip == SKIPS && is_special(job))
		*ret_skip = SKIP_SPECIAL;
	read_cpus(job, ret);
	read_memory(job, ret);
	ret->max_leaves = max_leaves(job);
	return *ret_skip == SKIPS;
}

bool adapter_is_bound(const struct adapter_call *call,
		      const struct adapter_request *request)
{
	struct parallelism hint;

	return request->text.start && call->job->details &&
	       adapter_hint_of(call->job, &hint, NULL) &&
	       !counts_features(call->job->details);
}
