/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every start of a job with GPUs is counted once, by how it came about, with
 * the GPU-hours of what the job got.
 */

#include "fake_slurm.h"

#include "slurm/steer.h"

#define ALL 0xffff

static struct adapter_call call;
static List preempted;

static void set_up(void)
{
	fake_start("spine:4 leaf:4 node:4");
	call = fake_ask(2, SELECT_MODE_RUN_NOW, ALL);
	fake_job.time_limit = 90;
	preempted = NULL;
}

static void tear_down(void)
{
	FREE_NULL_LIST(preempted);
	FREE_NULL_LIST(call.candidates);
	fake_ask_done(&call);
	fake_stop();
}

/* Two nodes of eight GPUs for an hour and a half. */
#define HOURS 24

/* Slurm asks, and starts the job where the answer is yes. */
static void ask(void)
{
	List candidates = call.candidates, *list = call.preempted;

	fake_ask_done(&call);
	call = fake_ask(2, SELECT_MODE_RUN_NOW, ALL);
	call.candidates = candidates;
	call.preempted = list;
	ck_assert_int_eq(steer_job_test(&call), SLURM_SUCCESS);
}

static void begin(void)
{
	uint64_t gpus[] = { 8, 8 };

	fake_run(&fake_job, fake_bits(call.bitmap), 4, 1000);
	fake_gpus.gres_cnt_node_alloc = gpus;
	fake_gpus.node_cnt = 2;
	steer_job_begin(&fake_job);
	fake_gpus.gres_cnt_node_alloc = NULL;
	fake_gpus.node_cnt = 0;
}

/* COUNT starts in all, each of which came about like HOW. */
static void check_starts(enum counters_start how, uint64_t count)
{
	struct counters now = counters_read();

	for (int i = 0; i < STARTS; i++) {
		uint64_t wanted = (enum counters_start)i == how ? count : 0;

		ck_assert_msg(now.starts[i] == wanted, "%d: %llu, not %llu", i,
			      (unsigned long long)now.starts[i],
			      (unsigned long long)wanted);
		ck_assert_double_eq(now.gpu_hours[i], (double)wanted * HOURS);
	}
}

START_TEST(start_on_the_nodes_chosen_is_free)
{
	ask();
	begin();
	check_starts(START_FREE, 1);
	ck_assert_ptr_nonnull(strstr(fake_job.admin_comment,
				     "\"placed_by\":\"leafspine\""));
}
END_TEST

/* A task bears the id of its array until it starts. */
START_TEST(task_of_an_array_is_told_of_as_any_job)
{
	ask();
	fake_job.job_id = 4711;
	begin();
	check_starts(START_FREE, 1);
	ck_assert_ptr_nonnull(strstr(fake_job.admin_comment,
				     "\"placed_by\":\"leafspine\""));
}
END_TEST

START_TEST(requeued_job_counts_each_start)
{
	for (int i = 0; i < 3; i++) {
		ask();
		begin();
	}
	check_starts(START_FREE, 3);
}
END_TEST

START_TEST(question_without_a_start_counts_nothing)
{
	ask();
	call.mode = SELECT_MODE_WILL_RUN;
	(void)steer_job_test(&call);
	check_starts(STARTS, 0);
}
END_TEST

/* Only what is offered whole is taken. */
static int whole_only(job_record_t *job, bitstr_t *bitmap, uint32_t wanted,
		      int number)
{
	if (fake_bits(bitmap) != ALL)
		return SLURM_ERROR;
	return fake_take(job, bitmap, wanted, number);
}

START_TEST(start_on_nodes_of_slurms_choice_is_forced)
{
	fake_answer = whole_only;
	ask();
	begin();
	check_starts(START_FORCED, 1);
	ck_assert_ptr_nonnull(strstr(fake_job.admin_comment,
				     "\"placed_by\":\"slurm\""));
}
END_TEST

/* What others would have to go is told with the answer. */
static job_record_t victim = { .job_id = 99 };

static int with_victim(job_record_t *job, bitstr_t *bitmap, uint32_t wanted,
		       int number)
{
	if (job->details->preempt_start_time)
		return fake_take(job, bitmap, wanted, number);
	if (!fake_calls[fake_call_count - 1].candidates)
		return SLURM_ERROR;
	if (!preempted)
		preempted = list_create(NULL);
	list_append(preempted, &victim);
	return fake_take(job, bitmap, wanted, number);
}

/* The first answer preempts; with the second, the job starts. */
START_TEST(start_after_preemption_is_preempted)
{
	fake_answer = with_victim;
	call.candidates = list_create(NULL);
	call.preempted = &preempted;
	ask();
	check_starts(STARTS, 0);
	FREE_NULL_LIST(preempted);
	FREE_NULL_LIST(call.candidates);
	call.preempted = NULL;
	fake_details.preempt_start_time = 1;
	ask();
	begin();
	check_starts(START_PREEMPTED, 1);
	ck_assert_ptr_nonnull(strstr(fake_job.admin_comment,
				     "\"placed_by\":\"leafspine\""));
}
END_TEST

START_TEST(job_that_is_none_of_ours_is_unsteered)
{
	switch (_i) {
	case 0:
		fake_job.comment = NULL;
		break;
	case 1:
		fake_job.comment = (char *)"leafspine:off";
		break;
	case 2:
		fake_job.comment = (char *)"leafspine:tp=x";
		break;
	case 3:
		world.conf->mode = CONF_OFF;
		break;
	case 4:
		world.conf->mode = CONF_OBSERVE;
		break;
	case 5:
		fake_partition.flags = PART_FLAG_LLN;
		break;
	case 6:
		fabric_free(world.fabric);
		state_free(world.state);
		world.fabric = NULL;
		world.state = NULL;
		break;
	}
	ask();
	begin();
	check_starts(START_UNSTEERED, 1);
}
END_TEST

START_TEST(job_without_a_limit_counts_without_hours)
{
	struct counters now;

	fake_job.time_limit = _i ? INFINITE : NO_VAL;
	ask();
	begin();
	now = counters_read();
	ck_assert_uint_eq(now.starts[START_FREE], 1);
	ck_assert_uint_eq(now.unlimited[START_FREE], 1);
	ck_assert_double_eq(now.gpu_hours[START_FREE], 0);
}
END_TEST

START_TEST(job_without_gpus_does_not_count)
{
	List gpus = fake_job.gres_list_req;

	fake_job.gres_list_req = NULL;
	ask();
	begin();
	fake_job.gres_list_req = gpus;
	check_starts(STARTS, 0);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("starts");
	TCase *tests = tcase_create("starts");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, start_on_the_nodes_chosen_is_free);
	tcase_add_test(tests, task_of_an_array_is_told_of_as_any_job);
	tcase_add_test(tests, requeued_job_counts_each_start);
	tcase_add_test(tests, question_without_a_start_counts_nothing);
	tcase_add_test(tests, start_on_nodes_of_slurms_choice_is_forced);
	tcase_add_test(tests, start_after_preemption_is_preempted);
	tcase_add_loop_test(tests, job_that_is_none_of_ours_is_unsteered, 0,
			    7);
	tcase_add_loop_test(tests, job_without_a_limit_counts_without_hours,
			    0, 2);
	tcase_add_test(tests, job_without_gpus_does_not_count);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
