/* SPDX-License-Identifier: GPL-2.0-or-later */
/* running: a table of running jobs by id, and the sums over them. */

#include "running.h"

#include "adapter.h"
#include "order.h"
#include "placed.h"
#include "world.h"

#include <stdlib.h>

#define BUCKETS 4096	/* a power of two */

struct share {
	uint32_t index;		/* node table */
	uint32_t cores;
	uint64_t memory_mb;
};

struct link_load {
	uint32_t bundle;	/* switch */
	double up_gbps;
	double down_gbps;
};

struct record {
	struct record *next;
	uint32_t job_id;
	bool suspended;
	uint32_t share_count;
	uint32_t load_count;
	struct share *shares;	/* owned */
	struct link_load *loads; /* owned */
};

static struct record *buckets[BUCKETS];
static uint32_t *cores_used;		/* by node table index */
static uint64_t *memory_used;
static uint32_t table_size;
static size_t loaded_jobs;
static bool is_short;			/* something is not counted */

uint32_t running_cores(uint32_t index)
{
	return index < table_size ? cores_used[index] : 0;
}

uint64_t running_memory_mb(uint32_t index)
{
	return index < table_size ? memory_used[index] : 0;
}

static void record_free(struct record *record)
{
	if (!record)
		return;
	free(record->shares);
	free(record->loads);
	free(record);
}

static struct record **find(uint32_t job_id)
{
	struct record **at = &buckets[job_id & (BUCKETS - 1)];

	while (*at && (*at)->job_id != job_id)
		at = &(*at)->next;
	return at;
}

static void add_cores(const struct record *record, bool add)
{
	for (uint32_t i = 0; i < record->share_count; i++) {
		uint32_t *used = &cores_used[record->shares[i].index];
		uint32_t cores = record->shares[i].cores;

		*used = add ? *used + cores : *used - cores;
	}
}

static void add_memory(const struct record *record, bool add)
{
	for (uint32_t i = 0; i < record->share_count; i++) {
		uint64_t *used = &memory_used[record->shares[i].index];
		uint64_t memory = record->shares[i].memory_mb;

		*used = add ? *used + memory : *used - memory;
	}
}

/* Sums of floating point numbers drift, so an empty fabric is set to 0. */
static void clear_loads(void)
{
	for (uint32_t i = 0; i < world.fabric->switch_count; i++)
		world.state->load_up_gbps[i] =
			world.state->load_down_gbps[i] = 0;
}

static void add_loads(const struct record *record, bool add)
{
	if (!record->load_count || !world.state)
		return;
	for (uint32_t i = 0; i < record->load_count; i++) {
		const struct link_load *load = &record->loads[i];
		double sign = add ? 1 : -1;

		world.state->load_up_gbps[load->bundle] +=
			sign * load->up_gbps;
		world.state->load_down_gbps[load->bundle] +=
			sign * load->down_gbps;
	}
	loaded_jobs += add ? 1 : (size_t)-1;
	if (!loaded_jobs)
		clear_loads();
}

/* Cores of the job on a node: COUNT bits of its core map from OFFSET. */
static uint32_t count_cores(const job_resources_t *resources, uint32_t offset,
			    uint32_t count)
{
	uint32_t cores = 0;

	if (resources->whole_node == WHOLE_NODE_REQUIRED)
		return count;
	if (!resources->core_bitmap)
		return 0;
	for (uint32_t i = offset; i < offset + count; i++)
		if (i < (uint32_t)bit_size(resources->core_bitmap) &&
		    bit_test(resources->core_bitmap, i))
			cores++;
	return cores;
}

static bool fill_shares(struct record *record, const job_record_t *job)
{
	const job_resources_t *resources = job->job_resrcs;
	uint32_t offset = 0, k = 0;
	size_t room = (size_t)bit_set_count(resources->node_bitmap) + 1;

	record->shares = calloc(room, sizeof(*record->shares));
	for (uint32_t i = 0; record->shares && i < table_size; i++) {
		const node_record_t *node = node_record_table_ptr[i];

		if (!compat_has_bit(resources->node_bitmap, i))
			continue;
		/* A job that has shrunk keeps the map, not the node. */
		if (node &&
		    (!job->node_bitmap || compat_has_bit(job->node_bitmap, i)))
			record->shares[record->share_count++] = (struct share){
				i, count_cores(resources, offset,
					       node->tot_cores),
				resources->memory_allocated ?
					resources->memory_allocated[k] : 0
			};
		offset += node ? node->tot_cores : 0;
		k++;
	}
	return record->shares;
}

/* The load of one job is what it puts on an empty fabric. */
static bool keep_loads(struct record *record, const struct state *alone)
{
	uint32_t switches = world.fabric->switch_count, count = 0;

	for (uint32_t i = 0; i < switches; i++)
		count += alone->load_up_gbps[i] > 0 ||
			 alone->load_down_gbps[i] > 0;
	record->loads = calloc((size_t)count + 1, sizeof(*record->loads));
	for (uint32_t i = 0; record->loads && i < switches; i++)
		if (alone->load_up_gbps[i] > 0 || alone->load_down_gbps[i] > 0)
			record->loads[record->load_count++] =
				(struct link_load){ i, alone->load_up_gbps[i],
						    alone->load_down_gbps[i] };
	return record->loads;
}

/* False without memory. */
static bool fill_loads(struct record *record, const job_record_t *job)
{
	struct parallelism_error ignored;
	struct parallelism hint;
	struct placed placed;
	enum placed_status status;
	struct state *alone = NULL;
	bool filled = true;

	if (!world.state || !world.table_of ||
	    !adapter_hint_of(job, &hint, NULL))
		return true;
	status = placed_of_job(job, &hint, &placed, &ignored);
	if (status != PLACED_OK && status != PLACED_MISFIT)
		return status != PLACED_NO_MEMORY;
	order_recall(job, &placed);
	if (status == PLACED_OK) {
		alone = state_new(world.fabric);
		filled = alone && !state_add_job(alone, placed.nodes,
						 placed.gpus, placed.count,
						 &placed.profile) &&
			 keep_loads(record, alone);
	}
	state_free(alone);
	placed_done(&placed);
	return filled;
}

static void remove_record(uint32_t job_id)
{
	struct record **at = find(job_id), *record = *at;

	if (!record)
		return;
	*at = record->next;
	if (!record->suspended)
		add_cores(record, false);
	add_memory(record, false);
	add_loads(record, false);
	record_free(record);
}

void running_put(const job_record_t *job)
{
	struct record *record;

	remove_record(job->job_id);
	world_changed();
	if (!job->job_resrcs || !job->job_resrcs->node_bitmap || !table_size)
		return;
	record = calloc(1, sizeof(*record));
	if (!record || !fill_shares(record, job) || !fill_loads(record, job)) {
		record_free(record);
		is_short = true;
		return;
	}
	record->job_id = job->job_id;
	record->suspended = IS_JOB_SUSPENDED(job);
	record->next = buckets[job->job_id & (BUCKETS - 1)];
	buckets[job->job_id & (BUCKETS - 1)] = record;
	if (!record->suspended)
		add_cores(record, true);
	add_memory(record, true);
	add_loads(record, true);
}

void running_drop(const job_record_t *job)
{
	remove_record(job->job_id);
	world_changed();
}

void running_suspend(const job_record_t *job, bool suspended)
{
	struct record *record = *find(job->job_id);

	world_changed();
	if (!record || record->suspended == suspended)
		return;
	record->suspended = suspended;
	add_cores(record, !suspended);
}

void running_done(void)
{
	for (uint32_t i = 0; i < BUCKETS; i++) {
		while (buckets[i]) {
			struct record *record = buckets[i];

			buckets[i] = record->next;
			record_free(record);
		}
	}
	free(cores_used);
	free(memory_used);
	cores_used = NULL;
	memory_used = NULL;
	table_size = 0;
	loaded_jobs = 0;
	is_short = false;
}

static int put_if_running(void *record, void *unused)
{
	job_record_t *job = record;

	(void)unused;
	if (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job))
		running_put(job);
	return 0;
}

void running_rebuild(void)
{
	size_t room = (size_t)node_record_count + 1;

	running_done();
	if (world.state)
		clear_loads();
	cores_used = calloc(room, sizeof(*cores_used));
	memory_used = calloc(room, sizeof(*memory_used));
	if (!cores_used || !memory_used) {
		running_done();
		is_short = true;
		return;
	}
	table_size = (uint32_t)node_record_count;
	if (&job_list && job_list)
		list_for_each_ro(job_list, put_if_running, NULL);
}

bool running_mend(void)
{
	if (is_short)
		running_rebuild();
	return !is_short;
}
