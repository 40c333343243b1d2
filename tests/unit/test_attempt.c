/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One narrowed call of the stock plugin: a failed one leaves no trace. */

#include "fake_slurm.h"
#include "fault.h"

#include "slurm/attempt.h"

#define ALL 0xffff

static struct adapter_call call;
static bitstr_t *subset;

static void set_up(void)
{
	fake_start("spine:4 leaf:4 node:4");
	call = fake_ask(2, SELECT_MODE_RUN_NOW, ALL);
	subset = fake_map(0xf0);
}

static void tear_down(void)
{
	FREE_NULL_BITMAP(subset);
	fake_ask_done(&call);
	fake_stop();
}

/* Values that a failed call does not have. */
static void set_fields(void)
{
	fake_details.pn_min_memory = 101;
	fake_details.min_cpus = 102;
	fake_job.start_time = 103;
	fake_job.best_switch = true;
	fake_job.req_switch = 104;
	fake_job.wait4switch_start = 105;
	fake_job.total_cpus = 106;
	fake_job.bit_flags = BACKFILL_TEST;
}

static void check_fields(void)
{
	ck_assert_uint_eq(fake_details.pn_min_memory, 101);
	ck_assert_uint_eq(fake_details.min_cpus, 102);
	ck_assert_int_eq(fake_job.start_time, 103);
	ck_assert(fake_job.best_switch);
	ck_assert_uint_eq(fake_job.req_switch, 104);
	ck_assert_int_eq(fake_job.wait4switch_start, 105);
	ck_assert_uint_eq(fake_job.total_cpus, 106);
	ck_assert_uint_eq(fake_job.bit_flags, BACKFILL_TEST);
	ck_assert_ptr_null(fake_job.job_resrcs);
	ck_assert_uint_eq(fake_bits(call.bitmap), ALL);
}

START_TEST(failure_restores_every_field)
{
	set_fields();
	fake_answer = fake_refuse;
	ck_assert_int_ne(attempt_on(&call, subset, (enum attempt_kind)_i),
			 SLURM_SUCCESS);
	ck_assert_int_eq(fake_call_count, 1);
	ck_assert_uint_eq(fake_calls[0].nodes, 0xf0);
	check_fields();
}
END_TEST

START_TEST(success_keeps_the_answer_and_gives_the_flag_back)
{
	for (int before = 0; before < 2; before++) {
		fake_job.bit_flags = before ? TEST_NOW_ONLY : 0;
		ck_assert_int_eq(attempt_on(&call, subset, ATTEMPT_NOW),
				 SLURM_SUCCESS);
		ck_assert(fake_calls[before].now_only);
		ck_assert_uint_eq(fake_job.bit_flags,
				  before ? TEST_NOW_ONLY : 0);
		ck_assert_uint_eq(fake_bits(call.bitmap), 0x30);
		bit_set_all(call.bitmap);
	}
}
END_TEST

static int take_badly(job_record_t *job, bitstr_t *bitmap, uint32_t wanted,
		      int number)
{
	int status = fake_take(job, bitmap, wanted, number);

	job->best_switch = false;
	return status;
}

static int take_outside(job_record_t *job, bitstr_t *bitmap, uint32_t wanted,
			int number)
{
	(void)fake_take(job, bitmap, wanted, number);
	bit_set(bitmap, 15);
	return SLURM_SUCCESS;
}

static int take_none(job_record_t *job, bitstr_t *bitmap, uint32_t wanted,
		     int number)
{
	(void)job;
	(void)wanted;
	(void)number;
	bit_clear_all(bitmap);
	return SLURM_SUCCESS;
}

START_TEST(unsound_success_is_a_failure)
{
	static fake_answer_f *const answers[] = {
		take_badly, take_outside, take_none
	};

	set_fields();
	fake_answer = answers[_i];
	ck_assert_int_ne(attempt_on(&call, subset, ATTEMPT_NOW),
			 SLURM_SUCCESS);
	check_fields();
}
END_TEST

START_TEST(required_nodes_are_in_the_answer)
{
	fake_details.req_node_bitmap = fake_map(0x80);
	ck_assert_int_ne(attempt_on(&call, subset, ATTEMPT_NOW),
			 SLURM_SUCCESS);
	FREE_NULL_BITMAP(fake_details.req_node_bitmap);
}
END_TEST

START_TEST(only_the_preempting_kinds_hand_candidates_on)
{
	List jobs = list_create(NULL), preempted = NULL;

	call.candidates = jobs;
	call.preempted = &preempted;
	(void)attempt_on(&call, subset, ATTEMPT_NOW);
	(void)attempt_on(&call, subset, ATTEMPT_PREEMPTING);
	(void)attempt_on(&call, subset, ATTEMPT_ANY_TIME);
	ck_assert(!fake_calls[0].candidates);
	ck_assert(fake_calls[1].candidates && fake_calls[1].now_only);
	ck_assert(fake_calls[2].candidates && !fake_calls[2].now_only);
	FREE_NULL_LIST(jobs);
}
END_TEST

START_TEST(no_memory_is_a_failure_without_a_call)
{
	int status;

	set_fields();
	fault_after(1);
	status = attempt_on(&call, subset, ATTEMPT_NOW);
	fault_off();
	ck_assert_int_ne(status, SLURM_SUCCESS);
	ck_assert_int_eq(fake_call_count, 0);
	check_fields();
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("attempt");
	TCase *tests = tcase_create("attempt");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_loop_test(tests, failure_restores_every_field, ATTEMPT_NOW,
			    ATTEMPT_ANY_TIME + 1);
	tcase_add_test(tests,
		       success_keeps_the_answer_and_gives_the_flag_back);
	tcase_add_loop_test(tests, unsound_success_is_a_failure, 0, 3);
	tcase_add_test(tests, required_nodes_are_in_the_answer);
	tcase_add_test(tests, only_the_preempting_kinds_hand_candidates_on);
	tcase_add_test(tests, no_memory_is_a_failure_without_a_call);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
