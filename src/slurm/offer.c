/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * offer: the nodes that Slurm offers to a job, as the engine sees them: which
 * are usable now, with how many free GPUs, cores and how much memory.
 */

#include "adapter.h"

#include "order.h"
#include "placed.h"
#include "running.h"
#include "world.h"

#include <stdlib.h>

#define WEIGHTS_MAX 64

/* What a node has for a job, had its candidates for preemption gone. */
struct gone {
	uint32_t *gpus;		/* by node table index; NULL: nothing */
	uint32_t *cores;
};

/* --- one node ------------------------------------------------------------ */

static const gres_node_state_t *gpus_of_node(const node_record_t *record)
{
	static uint32_t gpu_id;
	gres_state_t *entry;

	if (!gpu_id)
		gpu_id = gres_build_id("gpu");
	if (!record->gres_list)
		return NULL;
	entry = list_find_first(record->gres_list, gres_find_id, &gpu_id);
	return entry ? entry->gres_data : NULL;
}

/* Slurm's count of GPUs in use can be too high for a while: clamp. */
static uint64_t left(uint64_t all, uint64_t used)
{
	return all > used ? all - used : 0;
}

/* Free GPUs of the kind asked for; *RET_TYPE is the first kind there is. */
static uint64_t free_gpus(const gres_node_state_t *gpus,
			  const struct adapter_request *request,
			  uint32_t *ret_type)
{
	uint64_t all = left(gpus->gres_cnt_avail, gpus->gres_cnt_alloc);

	*ret_type = gpus->type_cnt ? gpus->type_id[0] : 0;
	if (!request->typed)
		return all;
	for (uint16_t i = 0; i < gpus->type_cnt; i++) {
		uint64_t typed;

		if (gpus->type_id[i] != request->gpu_type)
			continue;
		typed = left(gpus->type_cnt_avail[i], gpus->type_cnt_alloc[i]);
		*ret_type = request->gpu_type;
		return typed < all ? typed : all;
	}
	return 0;
}

static uint32_t free_cores(const node_record_t *record, uint32_t index,
			   const struct gone *gone)
{
	uint32_t used = running_cores(index);

	if (gone->cores)
		used = (uint32_t)left(used, gone->cores[index]);
	return (uint32_t)left(record->tot_cores, used + record->core_spec_cnt);
}

/* A candidate's memory is taken as given back together with its cores. */
static bool has_memory(const node_record_t *record, uint32_t index,
		       const struct adapter_request *request,
		       const struct gone *gone)
{
	uint64_t all = left(record->real_memory, record->mem_spec_limit);
	uint64_t used = running_memory_mb(index);

	if (gone->cores && gone->cores[index])
		used = 0;
	if (request->all_memory)
		return !used;
	return left(all, used) >= request->memory_mb;
}

static bool has_cores(const node_record_t *record, uint32_t index,
		      const struct adapter_request *request,
		      const struct gone *gone)
{
	uint32_t threads = record->tpc ? record->tpc : 1;
	uint32_t cores = free_cores(record, index, gone);

	if (request->whole_nodes)
		return cores == left(record->tot_cores, record->core_spec_cnt);
	return cores && (uint64_t)cores * threads >= request->cpus_on_node;
}

/* GPUs that the job could have of a node; 0 where it is of no use. */
static uint32_t usable_gpus(uint32_t index, uint32_t node,
			    const struct adapter_request *request,
			    const struct gone *gone, uint32_t *ret_type)
{
	const node_record_t *record = node_record_table_ptr[index];
	const gres_node_state_t *gpus = record ? gpus_of_node(record) : NULL;
	uint32_t built = world.fabric->nodes[node].gpus;
	uint64_t count;

	if (!gpus || !has_cores(record, index, request, gone) ||
	    !has_memory(record, index, request, gone))
		return 0;
	count = free_gpus(gpus, request, ret_type);
	if (gone->gpus)
		count += gone->gpus[index];
	if (count > gpus->gres_cnt_avail)
		count = gpus->gres_cnt_avail;
	if (request->whole_nodes && count < gpus->gres_cnt_avail)
		return 0;
	if (count < request->gpus_per_node)
		return 0;
	if (request->gpus_per_task > 1)
		count -= count % request->gpus_per_task;
	return count < built ? (uint32_t)count : built;
}

/* --- all nodes ----------------------------------------------------------- */

/* Rule 10: backfill would move the start of a set that touches these. */
static bool is_leaving(uint32_t index)
{
	return (&cg_node_bitmap && compat_has_bit(cg_node_bitmap, index)) ||
	       (&rs_node_bitmap && compat_has_bit(rs_node_bitmap, index));
}

static void look_at_node(const struct adapter_call *call, uint32_t node,
			 const struct adapter_request *request,
			 const struct gone *gone,
			 struct choice_question *question)
{
	uint32_t index = world.table_of[node];
	uint32_t built = world.fabric->nodes[node].gpus, gpus;

	world.state->gpus_used[node] = built;
	if (index == FABRIC_NONE || !built || !bit_test(call->bitmap, index) ||
	    is_leaving(index))
		return;
	gpus = usable_gpus(index, node, request, gone, &question->types[node]);
	if (!gpus)
		return;
	world.state->gpus_used[node] = built - gpus;
	nodeset_add(&question->usable, node);
}

/* Rule 11: without the low byte, which cons_tres uses for itself. */
static uint64_t weight_of(uint32_t node)
{
	return node_record_table_ptr[world.table_of[node]]->sched_weight >> 8;
}

static int compare_weights(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Slurm's weights have more than 32 bits; only their order matters. */
static void rank_weights(const struct choice_question *question)
{
	const struct nodeset *usable = &question->usable;
	uint64_t weights[WEIGHTS_MAX];
	uint32_t count = 0;

	for (size_t i = nodeset_next(usable, 0); i < usable->size;
	     i = nodeset_next(usable, i + 1)) {
		uint64_t weight = weight_of((uint32_t)i);
		uint32_t k = 0;

		while (k < count && weights[k] != weight)
			k++;
		if (k == count && count < WEIGHTS_MAX)
			weights[count++] = weight;
	}
	qsort(weights, count, sizeof(*weights), compare_weights);
	for (size_t i = nodeset_next(usable, 0); i < usable->size;
	     i = nodeset_next(usable, i + 1)) {
		uint64_t weight = weight_of((uint32_t)i);
		uint32_t k = 0;

		while (k < count && weights[k] < weight)
			k++;
		world.state->weights[i] = k + 1;
	}
}

/* False where a required node is of no use, or unknown to the fabric. */
static bool set_required(const struct adapter_call *call,
			 struct choice_question *question)
{
	bitstr_t *map = call->job->details->req_node_bitmap;

	for (uint32_t i = 0; map && i < world.table_size; i++) {
		uint32_t node;

		if (!compat_has_bit(map, i))
			continue;
		node = world.node_of[i];
		if (node == FABRIC_NONE ||
		    !nodeset_has(&question->usable, node))
			return false;
		nodeset_add(&question->required, node);
	}
	return true;
}

/* Nodes that the CPUs of the job need at least, by the best node there is. */
static uint32_t nodes_for_cpus(const struct adapter_request *request,
			       const struct choice_question *question,
			       const struct gone *gone)
{
	const struct nodeset *usable = &question->usable;
	uint32_t best = 0;

	for (size_t i = nodeset_next(usable, 0); i < usable->size;
	     i = nodeset_next(usable, i + 1)) {
		uint32_t index = world.table_of[i];
		const node_record_t *record = node_record_table_ptr[index];
		uint32_t cpus = free_cores(record, index, gone) *
				(record->tpc ? record->tpc : 1);

		if (cpus > best)
			best = cpus;
	}
	return best ? request->cpus / best + (request->cpus % best > 0) : 0;
}

/* Slurm says "no bound" with a number that no cluster has. */
#define NODES_UNBOUND 500000

static bool set_counts(const struct adapter_call *call,
		       const struct adapter_request *request,
		       const struct gone *gone,
		       struct choice_question *question)
{
	uint32_t needed = nodes_for_cpus(request, question, gone);
	uint32_t least = call->min_nodes > needed ? call->min_nodes : needed;
	uint32_t like = call->req_nodes > least ? call->req_nodes : least;
	uint32_t usable = (uint32_t)nodeset_count(&question->usable);

	question->gpus = request->gpus;
	question->gpus_per_node = request->gpus_per_node;
	question->min_nodes = least ? least : 1;
	question->req_nodes = like ? like : 1;
	question->max_nodes = call->max_nodes >= NODES_UNBOUND ? 0 :
			      call->max_nodes;
	question->max_leaves = request->max_leaves;
	question->any_order = order_is_delivered(call->job,
						 question->req_nodes);
	return usable >= question->min_nodes &&
	       (!question->max_nodes ||
		question->min_nodes <= question->max_nodes);
}

/* Rule 7: the engine is not asked what simple sums deny. */
static bool enough_gpus(const struct choice_question *question)
{
	const struct nodeset *usable = &question->usable;
	uint64_t sum = 0;

	for (size_t i = nodeset_next(usable, 0); i < usable->size;
	     i = nodeset_next(usable, i + 1))
		sum += state_free_gpus(world.state, (uint32_t)i);
	return sum >= question->gpus;
}

/* --- jobs that may be preempted ------------------------------------------ */

static int count_candidate(void *candidate, void *argument)
{
	const job_record_t *job = candidate;
	const struct gone *gone = argument;
	bitstr_t *map = job->job_resrcs ? job->job_resrcs->node_bitmap : NULL;
	uint32_t k = 0;

	for (uint32_t i = 0; map && i < world.table_size; i++) {
		if (!compat_has_bit(map, i))
			continue;
		gone->gpus[i] += placed_gpus_on(job, k, i);
		gone->cores[i] += job->job_resrcs->cpus ?
			job->job_resrcs->cpus[k] : 0;
		k++;
	}
	return 0;
}

static bool count_candidates(List candidates, struct gone *gone)
{
	gone->gpus = calloc((size_t)world.table_size + 1, sizeof(uint32_t));
	gone->cores = calloc((size_t)world.table_size + 1, sizeof(uint32_t));
	if (!gone->gpus || !gone->cores)
		return false;
	list_for_each_ro(candidates, count_candidate, gone);
	return true;
}

/* --- the question -------------------------------------------------------- */

static enum counters_fallback fill(const struct adapter_call *call,
				   const struct adapter_request *request,
				   const struct gone *gone,
				   struct choice_question *question)
{
	question->generation = world.generation;
	question->hint = &request->hint;
	question->text = request->text;
	question->site = &world.conf->default_hint;
	for (uint32_t i = 0; i < world.fabric->node_count; i++)
		look_at_node(call, i, request, gone, question);
	rank_weights(question);
	if (!set_counts(call, request, gone, question) ||
	    !set_required(call, question) || !enough_gpus(question))
		return FALLBACK_INFEASIBLE;
	return FALLBACKS;
}

enum counters_fallback adapter_question(const struct adapter_call *call,
					const struct adapter_request *request,
					bool with_candidates,
					struct choice_question *ret)
{
	struct gone gone = { NULL, NULL };
	enum counters_fallback cause = FALLBACK_FAILED;

	if ((uint32_t)bit_size(call->bitmap) < world.table_size)
		return FALLBACK_FAILED;
	if (choice_question_init(ret, world.state))
		return FALLBACK_FAILED;
	if (!with_candidates || count_candidates(call->candidates, &gone))
		cause = fill(call, request, &gone, ret);
	free(gone.gpus);
	free(gone.cores);
	if (cause != FALLBACKS)
		choice_question_done(ret);
	return cause;
}
