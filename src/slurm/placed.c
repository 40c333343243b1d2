/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placed: a job's resources in Slurm as blocks of ranks in the fabric. */

#include "placed.h"

#include "noderange.h"
#include "world.h"

#include <stdlib.h>

/* Before the job has begun its GPUs are "selected", then "allocated". */
static uint64_t gpus_of(const gres_job_state_t *gres, uint32_t k,
			uint32_t index)
{
	if (gres->gres_cnt_node_alloc && k < gres->node_cnt)
		return gres->gres_cnt_node_alloc[k];
	if (index >= gres->total_node_cnt)
		return 0;
	if (gres->gres_bit_select && gres->gres_bit_select[index])
		return (uint64_t)bit_set_count(gres->gres_bit_select[index]);
	if (gres->gres_cnt_node_select)
		return gres->gres_cnt_node_select[index];
	return 0;
}

/* A node of a job, and the sum over the kinds of GPU that it has there. */
struct counting {
	uint32_t gpu_id;
	uint32_t k;
	uint32_t index;
	uint64_t sum;
};

static int count_entry(void *entry, void *argument)
{
	const gres_state_t *gres = entry;
	struct counting *counting = argument;

	if (gres->plugin_id == counting->gpu_id && gres->gres_data)
		counting->sum += gpus_of(gres->gres_data, counting->k,
					 counting->index);
	return 0;
}

static uint64_t gpus_in_list(List gres_list, uint32_t k, uint32_t index)
{
	static uint32_t gpu_id;
	struct counting counting = { .k = k, .index = index };

	if (!gpu_id)
		gpu_id = gres_build_id("gpu");
	counting.gpu_id = gpu_id;
	if (gres_list)
		list_for_each_ro(gres_list, count_entry, &counting);
	return counting.sum;
}

uint32_t placed_gpus_on(const job_record_t *job, uint32_t k, uint32_t index)
{
	uint64_t gpus = gpus_in_list(job->gres_list_alloc, k, index);

	if (!gpus)
		gpus = gpus_in_list(job->gres_list_req, k, index);
	/* --exclusive without a word of GPUs: the whole node. */
	if (!gpus && job->details &&
	    job->details->whole_node == WHOLE_NODE_REQUIRED &&
	    index < world.table_size && world.node_of[index] != FABRIC_NONE)
		gpus = world.fabric->nodes[world.node_of[index]].gpus;
	return gpus > FABRIC_NONE ? FABRIC_NONE : (uint32_t)gpus;
}

uint64_t placed_gpus(const job_record_t *job)
{
	bitstr_t *map = job->job_resrcs ? job->job_resrcs->node_bitmap : NULL;
	uint32_t size = map ? (uint32_t)bit_size(map) : 0, k = 0;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < size; i++)
		if (bit_test(map, i))
			sum += placed_gpus_on(job, k++, i);
	return sum;
}

/* Fills the arrays; false where the engine could not score the job. */
static bool look_up(const job_record_t *job, struct placed *placed)
{
	bitstr_t *map = job->job_resrcs->node_bitmap;
	uint32_t k = 0, component = FABRIC_NONE;

	for (uint32_t i = 0; i < world.table_size; i++) {
		uint32_t node, gpus;

		if (!bit_test(map, i))
			continue;
		gpus = placed_gpus_on(job, k++, i);
		node = world.node_of[i];
		if (node == FABRIC_NONE)
			return false;
		if (!gpus)
			continue;
		if (component == FABRIC_NONE)
			component = world.fabric->nodes[node].component;
		if (component != world.fabric->nodes[node].component ||
		    gpus > world.fabric->nodes[node].gpus)
			return false;
		placed->nodes[placed->count] = node;
		placed->gpus[placed->count++] = gpus;
		placed->gpu_count += gpus;
	}
	return placed->count;
}

enum placed_status placed_of_job(const job_record_t *job,
				 const struct parallelism *hint,
				 struct placed *ret,
				 struct parallelism_error *error_text)
{
	struct placed placed = { 0 };
	size_t room;

	if (!job->job_resrcs || !job->job_resrcs->node_bitmap ||
	    (uint32_t)bit_size(job->job_resrcs->node_bitmap) < world.table_size)
		return PLACED_ELSEWHERE;
	room = (size_t)bit_set_count(job->job_resrcs->node_bitmap) + 1;
	placed.nodes = calloc(room, sizeof(uint32_t));
	placed.gpus = calloc(room, sizeof(uint32_t));
	if (!placed.nodes || !placed.gpus) {
		placed_done(&placed);
		return PLACED_NO_MEMORY;
	}
	if (!look_up(job, &placed)) {
		placed_done(&placed);
		return PLACED_ELSEWHERE;
	}
	*ret = placed;
	return parallelism_fit(hint, &world.conf->default_hint,
			       placed.gpu_count, &ret->profile, error_text) ?
	       PLACED_MISFIT : PLACED_OK;
}

void placed_done(struct placed *placed)
{
	free(placed->nodes);
	free(placed->gpus);
	*placed = (struct placed){ 0 };
}

int placed_score(const struct placed *placed, struct cost_score *ret)
{
	struct traffic *traffic = traffic_build(&placed->profile, placed->gpus,
						placed->count,
						world.fabric->has_rails);
	struct cost_prices prices;
	int status;

	if (!traffic)
		return -1;
	status = cost_prices_init(&prices, world.state);
	if (!status) {
		status = cost_score(world.state, &prices, &placed->profile,
				    traffic, placed->nodes, ret);
		cost_prices_done(&prices);
	}
	traffic_free(traffic);
	return status;
}

char *placed_names(const struct placed *placed)
{
	const char **names = calloc((size_t)placed->count + 1, sizeof(*names));
	char *text;

	if (!names)
		return NULL;
	for (uint32_t k = 0; k < placed->count; k++)
		names[k] = world.fabric->nodes[placed->nodes[k]].name;
	text = noderange_compress(names, placed->count);
	free(names);
	return text;
}
