/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fake_slurm: slurmctld's data, and a stock plugin that is told what to do. */

#include "fake_slurm.h"
#include "fault.h"

#include "slurm/choice.h"
#include "slurm/running.h"
#include "slurm/tried.h"

#define CORES 64
#define MEMORY_MB 512000

/* slurmctld's own data. */
List job_list;
bitstr_t *cg_node_bitmap, *rs_node_bitmap;
time_t last_job_update;

struct fake_call fake_calls[FAKE_CALLS_MAX];
int fake_call_count;
fake_answer_f *fake_answer;
job_record_t fake_job;
struct job_details fake_details;
part_record_t fake_partition;
gres_job_state_t fake_gpus;
node_record_t fake_nodes[64];
gres_node_state_t fake_node_gpus[64];

static gres_state_t node_states[64], job_state;
static node_record_t *table[64];
static uint32_t node_count;

bitstr_t *fake_map(uint64_t bits)
{
	bitstr_t *map = bit_alloc(node_count);

	for (uint32_t i = 0; i < node_count; i++)
		if (bits >> i & 1)
			bit_set(map, i);
	return map;
}

uint64_t fake_bits(const bitstr_t *map)
{
	uint64_t bits = 0;

	for (uint32_t i = 0; i < node_count; i++)
		if (bit_test((bitstr_t *)map, i))
			bits |= 1ULL << i;
	return bits;
}

/* --- the stock plugin ---------------------------------------------------- */

int fake_take(job_record_t *job, bitstr_t *bitmap, uint32_t wanted, int number)
{
	uint32_t count = 0;

	(void)number;
	if ((uint32_t)bit_set_count(bitmap) < wanted)
		return SLURM_ERROR;
	for (uint32_t i = 0; i < node_count; i++)
		if (bit_test(bitmap, i) && ++count > wanted)
			bit_clear(bitmap, i);
	job->best_switch = true;
	job->start_time = 1000;
	return SLURM_SUCCESS;
}

int fake_refuse(job_record_t *job, bitstr_t *bitmap, uint32_t wanted,
		int number)
{
	(void)wanted;
	(void)number;
	bit_clear_all(bitmap);
	job->details->pn_min_memory = 1;
	job->details->min_cpus = 2;
	job->start_time = 3;
	job->best_switch = false;
	job->req_switch = 4;
	job->wait4switch_start = 5;
	job->total_cpus = 6;
	job->bit_flags ^= BACKFILL_TEST | TEST_NOW_ONLY;
	free_job_resources(&job->job_resrcs);
	job->job_resrcs = xmalloc(sizeof(*job->job_resrcs));
	return SLURM_ERROR;
}

static int job_test(job_record_t *job, bitstr_t *bitmap, uint32_t min_nodes,
		    uint32_t max_nodes, uint32_t req_nodes, uint16_t mode,
		    List candidates, List *preempted, bitstr_t *excluded)
{
	(void)max_nodes;
	(void)preempted;
	(void)excluded;
	if (fake_call_count < FAKE_CALLS_MAX)
		fake_calls[fake_call_count] = (struct fake_call){
			fake_bits(bitmap), mode, candidates,
			job->bit_flags & TEST_NOW_ONLY,
		};
	fake_call_count++;
	return fake_answer(job, bitmap,
			   min_nodes > req_nodes ? min_nodes : req_nodes,
			   fake_call_count);
}

/* --- Slurm's allocation that may fail ------------------------------------ */

void *__real_slurm_xrecalloc(void **item, size_t count, size_t size, bool clear,
			     bool may_fail, const char *file, int line,
			     const char *function);
void *__wrap_slurm_xrecalloc(void **item, size_t count, size_t size, bool clear,
			     bool may_fail, const char *file, int line,
			     const char *function);
void *__real_slurm_xcalloc(size_t count, size_t size, bool clear, bool may_fail,
			   const char *file, int line, const char *function);
void *__wrap_slurm_xcalloc(size_t count, size_t size, bool clear, bool may_fail,
			   const char *file, int line, const char *function);

/*
 * The linker sends the plugin's calls of try_xcalloc() here, in a test that has
 * no such function of its own.
 */
__attribute__((weak))
void *__wrap_slurm_xcalloc(size_t count, size_t size, bool clear, bool may_fail,
			   const char *file, int line, const char *function)
{
	if (may_fail && fault_due())
		return NULL;
	return __real_slurm_xcalloc(count, size, clear, may_fail, file, line,
				    function);
}

void *__wrap_slurm_xrecalloc(void **item, size_t count, size_t size, bool clear,
			     bool may_fail, const char *file, int line,
			     const char *function)
{
	if (may_fail && fault_due())
		return NULL;
	return __real_slurm_xrecalloc(item, count, size, clear, may_fail, file,
				      line, function);
}

/* --- nodes and the job --------------------------------------------------- */

static void add_node(uint32_t i)
{
	fake_nodes[i] = (node_record_t){
		.name = world.fabric->nodes[i].name, .index = i,
		.tot_cores = CORES, .tpc = 1, .real_memory = MEMORY_MB,
		.sched_weight = 256, .gres_list = list_create(NULL),
	};
	fake_node_gpus[i] = (gres_node_state_t){ .gres_cnt_avail = 8 };
	node_states[i] = (gres_state_t){
		.gres_data = &fake_node_gpus[i],
		.plugin_id = gres_build_id("gpu"),
	};
	list_append(fake_nodes[i].gres_list, &node_states[i]);
	table[i] = &fake_nodes[i];
	world.table_of[i] = world.node_of[i] = i;
	world.state->positions[i] = i;
}

static void make_job(void)
{
	fake_gpus = (gres_job_state_t){ .gres_per_node = 8 };
	job_state = (gres_state_t){
		.gres_data = &fake_gpus, .plugin_id = gres_build_id("gpu"),
	};
	fake_details = (struct job_details){ .min_cpus = 2, .min_nodes = 2 };
	fake_partition = (part_record_t){ .name = (char *)"main",
					  .max_share = 1 };
	fake_job = (job_record_t){
		.job_id = 7, .details = &fake_details,
		.part_ptr = &fake_partition, .best_switch = true,
		.comment = (char *)"leafspine:tp=8",
		.gres_list_req = list_create(NULL),
	};
	list_append(fake_job.gres_list_req, &job_state);
}

void fake_start(const char *fabric)
{
	slurm_conf.select_type_param = CR_CORE | CR_MEMORY;
	world.conf = conf_new("/etc/slurm");
	world.fabric = engine_fabric(fabric);
	world.state = engine_state(world.fabric, NULL);
	node_count = world.table_size = world.fabric->node_count;
	ck_assert_uint_le(node_count, 64);
	world.table_of = calloc(65, sizeof(uint32_t));
	world.node_of = calloc(65, sizeof(uint32_t));
	for (uint32_t i = 0; i < node_count; i++)
		add_node(i);
	node_record_table_ptr = table;
	node_record_count = (int)node_count;
	make_job();
	stock.job_test = job_test;
	fake_answer = fake_take;
	fake_call_count = 0;
	counters_reset();
	running_rebuild();
}

/* What job_begin put into the job's environment, freed as slurmctld would. */
static void free_environment(void)
{
	for (uint16_t i = 0; i < fake_details.env_cnt; i++)
		xfree(fake_details.env_sup[i]);
	xfree(fake_details.env_sup);
	fake_details.env_cnt = 0;
}

void fake_stop(void)
{
	for (uint32_t i = 0; i < node_count; i++)
		FREE_NULL_LIST(fake_nodes[i].gres_list);
	FREE_NULL_LIST(fake_job.gres_list_req);
	FREE_NULL_BITMAP(cg_node_bitmap);
	FREE_NULL_BITMAP(rs_node_bitmap);
	free_job_resources(&fake_job.job_resrcs);
	xfree(fake_job.admin_comment);
	free_environment();
	running_done();
	tried_done();
	choice_forget();
	world_done();
	node_record_table_ptr = NULL;
	node_record_count = 0;
	log_fini();
}

struct adapter_call fake_ask(uint32_t count, uint16_t mode, uint64_t bits)
{
	return (struct adapter_call){
		.job = &fake_job, .bitmap = fake_map(bits),
		.min_nodes = count, .max_nodes = count, .req_nodes = count,
		.mode = mode,
	};
}

void fake_ask_done(struct adapter_call *call)
{
	FREE_NULL_BITMAP(call->bitmap);
}

void fake_run(job_record_t *job, uint64_t bits, uint16_t cores,
	      uint64_t memory_mb)
{
	job_resources_t *got = xmalloc(sizeof(*got));
	uint32_t k = 0;

	got->node_bitmap = fake_map(bits);
	got->nhosts = (uint32_t)bit_set_count(got->node_bitmap);
	got->core_bitmap = bit_alloc((bitoff_t)got->nhosts * CORES);
	got->memory_allocated = xcalloc(got->nhosts + 1, sizeof(uint64_t));
	got->cpus = xcalloc(got->nhosts + 1, sizeof(uint16_t));
	for (; k < got->nhosts; k++) {
		for (uint32_t i = 0; i < cores; i++)
			bit_set(got->core_bitmap, k * CORES + i);
		got->memory_allocated[k] = memory_mb;
		got->cpus[k] = cores;
	}
	free_job_resources(&job->job_resrcs);
	job->job_resrcs = got;
}
