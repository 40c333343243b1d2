/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of one select_p_job_test: tries, fallbacks, pieces apart. */

#include "fake_slurm.h"
#include "fault.h"

#include "slurm/running.h"
#include "slurm/steer.h"

#define ALL 0xffff
/* Two fabrics of four nodes that are not connected. */
#define APART "{\"nodes\": [{\"names\": \"a[1-4]\", \"gpus\": 8}," \
	"{\"names\": \"b[1-4]\", \"gpus\": 8}], \"switches\": [" \
	"{\"name\": \"la\", \"tier\": \"leaf\", \"nodes\": \"a[1-4]\"}," \
	"{\"name\": \"lb\", \"tier\": \"leaf\", \"nodes\": \"b[1-4]\"}]}"
#define A 0x0f
#define B 0xf0

static struct adapter_call call;

static void set_up(void)
{
	fake_start("spine:4 leaf:4 node:4");
	call = fake_ask(4, SELECT_MODE_RUN_NOW, ALL);
}

static void set_up_apart(void)
{
	fake_start(APART);
	call = fake_ask(2, SELECT_MODE_RUN_NOW, A | B);
}

static void tear_down(void)
{
	fake_ask_done(&call);
	fake_stop();
}

/* Asks anew for COUNT nodes of BITS. */
static int steer(uint32_t count, uint16_t mode, uint64_t bits)
{
	List candidates = call.candidates, *preempted = call.preempted;

	fake_ask_done(&call);
	call = fake_ask(count, mode, bits);
	call.candidates = candidates;
	call.preempted = preempted;
	fake_call_count = 0;
	return steer_job_test(&call);
}

static int refuse_all(job_record_t *job, bitstr_t *bitmap, uint32_t wanted,
		      int number)
{
	(void)job;
	(void)bitmap;
	(void)wanted;
	(void)number;
	return SLURM_ERROR;
}

/* --- narrowing ----------------------------------------------------------- */

START_TEST(job_that_fits_one_leaf_is_offered_one_leaf)
{
	uint16_t mode = _i ? SELECT_MODE_WILL_RUN : SELECT_MODE_RUN_NOW;

	/* Only the last leaf is whole. */
	ck_assert_int_eq(steer(4, mode, 0xfeee), SLURM_SUCCESS);
	ck_assert_int_eq(fake_call_count, 1);
	ck_assert_uint_eq(fake_calls[0].nodes, 0xf000);
	ck_assert(fake_calls[0].now_only);
	ck_assert_uint_eq(fake_bits(call.bitmap), 0xf000);
	ck_assert_uint_eq(counters_read().narrowed, 1);
}
END_TEST

START_TEST(test_only_is_handed_on_as_it_is)
{
	fake_answer = fake_refuse;
	ck_assert_int_ne(steer(4, SELECT_MODE_TEST_ONLY, 0xfeee),
			 SLURM_SUCCESS);
	ck_assert_int_eq(fake_call_count, 1);
	ck_assert_uint_eq(fake_calls[0].nodes, 0xfeee);
}
END_TEST

START_TEST(reservation_is_handed_on_as_it_is)
{
	fake_job.job_id = 0;
	fake_job.details = NULL;
	ck_assert_int_eq(steer(4, SELECT_MODE_WILL_RUN, 0xfeee),
			 SLURM_SUCCESS);
	ck_assert_int_eq(fake_call_count, 1);
	ck_assert_uint_eq(fake_calls[0].nodes, 0xfeee);
}
END_TEST

START_TEST(lower_weights_are_taken_first_and_whole)
{
	for (int i = 0; i < 16; i++)
		fake_nodes[i].sched_weight = i == 1 || i == 6 ? 0x100 : 0x200;
	ck_assert_int_eq(steer(4, SELECT_MODE_RUN_NOW, ALL), SLURM_SUCCESS);
	ck_assert_uint_eq(fake_calls[0].nodes & 0x42, 0x42);
	ck_assert_int_eq(fake_call_count, 1);
}
END_TEST

START_TEST(required_node_is_offered)
{
	fake_details.req_node_bitmap = fake_map(0x200);
	ck_assert_int_eq(steer(4, SELECT_MODE_RUN_NOW, ALL), SLURM_SUCCESS);
	ck_assert_uint_eq(fake_calls[0].nodes, 0xf00);
	FREE_NULL_BITMAP(fake_details.req_node_bitmap);
}
END_TEST

START_TEST(observe_changes_nothing)
{
	world.conf->mode = CONF_OBSERVE;
	ck_assert_int_eq(steer(4, SELECT_MODE_RUN_NOW, 0xfeee),
			 SLURM_SUCCESS);
	ck_assert_int_eq(fake_call_count, 1);
	ck_assert_uint_eq(fake_calls[0].nodes, 0xfeee);
}
END_TEST

/* --- falling back -------------------------------------------------------- */

START_TEST(refusal_falls_back_to_all_that_was_offered)
{
	fake_answer = fake_refuse;
	fake_job.bit_flags = BACKFILL_TEST;
	ck_assert_int_ne(steer(4, SELECT_MODE_RUN_NOW, 0xfeee),
			 SLURM_SUCCESS);
	ck_assert_int_eq(fake_call_count, 2);
	ck_assert_uint_eq(fake_calls[1].nodes, 0xfeee);
	ck_assert(!fake_calls[1].now_only);
	ck_assert_uint_eq(counters_read().fell_back[FALLBACK_REFUSED], 1);
}
END_TEST

START_TEST(infeasible_job_costs_no_try)
{
	for (int i = 0; i < 16; i++)
		fake_node_gpus[i].gres_cnt_alloc = 8;
	(void)steer(4, SELECT_MODE_WILL_RUN, ALL);
	ck_assert_int_eq(fake_call_count, 1);
	ck_assert_uint_eq(fake_calls[0].nodes, ALL);
	ck_assert_uint_eq(counters_read().fell_back[FALLBACK_INFEASIBLE], 1);
}
END_TEST

START_TEST(two_narrowed_tries_at_most)
{
	List preempted = NULL;

	fake_answer = refuse_all;
	call.candidates = list_create(NULL);
	call.preempted = &preempted;
	ck_assert_int_ne(steer(4, SELECT_MODE_RUN_NOW, ALL), SLURM_SUCCESS);
	ck_assert_int_eq(fake_call_count, 3);
	ck_assert(!fake_calls[0].candidates);
	ck_assert(fake_calls[1].candidates);
	ck_assert_uint_eq(fake_calls[2].nodes, ALL);
	ck_assert(fake_calls[2].candidates);
	FREE_NULL_LIST(call.candidates);
}
END_TEST

START_TEST(left_alone_after_three_calls_in_vain)
{
	job_record_t other = { .job_id = 9 };

	fake_answer = refuse_all;
	for (int i = 0; i < 3; i++) {
		(void)steer(4, SELECT_MODE_RUN_NOW, ALL);
		ck_assert_int_eq(fake_call_count, 2);
	}
	(void)steer(4, SELECT_MODE_RUN_NOW, ALL);
	ck_assert_int_eq(fake_call_count, 1);
	ck_assert_uint_eq(counters_read().fell_back[FALLBACK_LEFT_ALONE], 1);
	if (_i)
		running_put(&other);
	else
		running_drop(&other);
	(void)steer(4, SELECT_MODE_RUN_NOW, ALL);
	ck_assert_int_eq(fake_call_count, 2);
}
END_TEST

/* Each allocation fails in turn: the job is placed by stock Slurm, or by us. */
START_TEST(no_memory_falls_back)
{
	for (long n = 1; ; n++) {
		int status;
		bool hit;

		fake_ask_done(&call);
		call = fake_ask(4, SELECT_MODE_RUN_NOW, 0xfeee);
		fake_call_count = 0;
		world_changed();
		fault_after(n);
		status = steer_job_test(&call);
		hit = fault_hit();
		fault_off();
		ck_assert_int_eq(status, SLURM_SUCCESS);
		ck_assert_int_ge(fake_call_count, 1);
		ck_assert_int_eq(bit_set_count(call.bitmap), 4);
		if (!hit) {
			ck_assert_int_gt(n, 5);
			break;
		}
	}
}
END_TEST

/* --- fabrics apart ------------------------------------------------------- */

static void check_never_mixed(void)
{
	for (int i = 0; i < fake_call_count; i++)
		ck_assert(!(fake_calls[i].nodes & A) ||
			  !(fake_calls[i].nodes & B));
}

/* B is free from 500 on, A from 900 on. */
static int plan(job_record_t *job, bitstr_t *bitmap, uint32_t wanted,
		int number)
{
	time_t when = fake_bits(bitmap) & A ? 900 : 500;

	if (job->bit_flags & TEST_NOW_ONLY)
		return SLURM_ERROR;
	if (fake_take(job, bitmap, wanted, number) != SLURM_SUCCESS)
		return SLURM_ERROR;
	job->start_time = when;
	return SLURM_SUCCESS;
}

START_TEST(earliest_start_of_all_fabrics_wins)
{
	fake_answer = plan;
	ck_assert_int_eq(steer(2, SELECT_MODE_WILL_RUN, A | B),
			 SLURM_SUCCESS);
	ck_assert_int_eq(fake_job.start_time, 500);
	ck_assert_uint_eq(fake_bits(call.bitmap), 0x30);
	check_never_mixed();
}
END_TEST

START_TEST(too_large_for_any_fabric_is_never_spread)
{
	for (int i = 0; i < 4; i++) {
		uint16_t mode = i % 2 ? SELECT_MODE_WILL_RUN :
					SELECT_MODE_RUN_NOW;

		ck_assert_int_ne(steer(5, mode, A | B), SLURM_SUCCESS);
		check_never_mixed();
		ck_assert_uint_eq(fake_bits(call.bitmap), A | B);
	}
}
END_TEST

START_TEST(special_requests_are_not_spread_either)
{
	fake_details.contiguous = 1;
	ck_assert_int_eq(steer(4, SELECT_MODE_RUN_NOW, 0xfe), SLURM_SUCCESS);
	check_never_mixed();
	ck_assert_uint_eq(fake_bits(call.bitmap), B);
	fake_details.contiguous = 0;
	fake_gpus.gres_per_socket = 1;
	ck_assert_int_eq(steer(4, SELECT_MODE_RUN_NOW, 0xfe), SLURM_SUCCESS);
	check_never_mixed();
}
END_TEST

START_TEST(job_without_a_hint_is_exempt)
{
	fake_job.comment = NULL;
	ck_assert_int_eq(steer(5, SELECT_MODE_RUN_NOW, A | B),
			 SLURM_SUCCESS);
	ck_assert_int_eq(fake_call_count, 1);
	ck_assert_uint_eq(fake_calls[0].nodes, A | B);
}
END_TEST

START_TEST(no_memory_does_not_mix_fabrics)
{
	for (long n = 1; ; n++) {
		bool hit;

		fake_ask_done(&call);
		call = fake_ask(2, SELECT_MODE_WILL_RUN, A | B);
		fake_call_count = 0;
		world_changed();
		fault_after(n);
		(void)steer_job_test(&call);
		hit = fault_hit();
		fault_off();
		check_never_mixed();
		if (!hit)
			break;
	}
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("steer");
	TCase *tests = tcase_create("one fabric"), *apart = tcase_create("two");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_loop_test(tests, job_that_fits_one_leaf_is_offered_one_leaf,
			    0, 2);
	tcase_add_test(tests, test_only_is_handed_on_as_it_is);
	tcase_add_test(tests, reservation_is_handed_on_as_it_is);
	tcase_add_test(tests, lower_weights_are_taken_first_and_whole);
	tcase_add_test(tests, required_node_is_offered);
	tcase_add_test(tests, observe_changes_nothing);
	tcase_add_test(tests, refusal_falls_back_to_all_that_was_offered);
	tcase_add_test(tests, infeasible_job_costs_no_try);
	tcase_add_test(tests, two_narrowed_tries_at_most);
	tcase_add_loop_test(tests, left_alone_after_three_calls_in_vain, 0, 2);
	tcase_add_test(tests, no_memory_falls_back);
	suite_add_tcase(suite, tests);
	tcase_add_checked_fixture(apart, set_up_apart, tear_down);
	tcase_add_test(apart, earliest_start_of_all_fabrics_wins);
	tcase_add_test(apart, too_large_for_any_fabric_is_never_spread);
	tcase_add_test(apart, special_requests_are_not_spread_either);
	tcase_add_test(apart, job_without_a_hint_is_exempt);
	tcase_add_test(apart, no_memory_does_not_mix_fabrics);
	suite_add_tcase(suite, apart);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
