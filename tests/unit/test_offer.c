/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of Slurm's offer the engine gets to see. */

#include "fake_slurm.h"
#include "fault.h"

#include "slurm/running.h"

#define ALL 0xffff
#define H100 11
#define A100 12

static struct adapter_call call;
static struct adapter_request request;
static enum counters_skip skip;
static struct choice_question question;

static void set_up(void)
{
	fake_start("spine:4 leaf:4 node:4");
	call = fake_ask(2, SELECT_MODE_RUN_NOW, ALL);
}

static void tear_down(void)
{
	fake_ask_done(&call);
	fake_stop();
}

static enum counters_fallback ask_question(bool with_candidates)
{
	ck_assert(adapter_request(&call, &request, &skip));
	return adapter_question(&call, &request, with_candidates, &question);
}

/* The usable nodes; the question is given back. */
static uint64_t usable(bool with_candidates)
{
	uint64_t bits = 0;

	ck_assert_int_eq(ask_question(with_candidates), FALLBACKS);
	for (size_t i = 0; i < 16; i++)
		if (nodeset_has(&question.usable, i))
			bits |= 1ULL << i;
	choice_question_done(&question);
	return bits;
}

static void check_skip(enum counters_skip expected)
{
	ck_assert(!adapter_request(&call, &request, &skip));
	ck_assert_int_eq(skip, expected);
}

/* --- the request --------------------------------------------------------- */

START_TEST(only_run_now_and_will_run_are_ours)
{
	call.mode = SELECT_MODE_TEST_ONLY;
	check_skip(SKIP_TEST_ONLY);
	call.mode = SELECT_MODE_WILL_RUN;
	ck_assert(adapter_request(&call, &request, &skip));
	call.mode = SELECT_MODE_RUN_NOW;
	ck_assert(adapter_request(&call, &request, &skip));
	ck_assert_uint_eq(request.gpus_per_node, 8);
}
END_TEST

START_TEST(half_a_job_record_is_left_alone)
{
	fake_job.job_id = 0;
	check_skip(SKIP_SPECIAL);
	ck_assert(!adapter_is_bound(&call, &request));
	fake_job.job_id = 7;
	fake_job.details = NULL;
	check_skip(SKIP_SPECIAL);
	fake_job.details = &fake_details;
	fake_job.part_ptr = NULL;
	check_skip(SKIP_SPECIAL);
}
END_TEST

START_TEST(each_kind_of_skip_has_its_cause)
{
	List gres = fake_job.gres_list_req;

	fake_job.comment = NULL;
	check_skip(SKIP_NO_HINT);
	fake_job.comment = (char *)"leafspine:tp=no";
	check_skip(SKIP_BAD_HINT);
	fake_job.comment = (char *)"leafspine:tp=8";
	fake_job.gres_list_req = NULL;
	check_skip(SKIP_NO_GPUS);
	fake_job.gres_list_req = gres;
	fake_details.contiguous = 1;
	check_skip(SKIP_SPECIAL);
	ck_assert(adapter_is_bound(&call, &request));
	fake_details.contiguous = 0;
	fake_partition.max_share = SHARED_FORCE | 4;
	check_skip(SKIP_SPECIAL);
	fake_partition.max_share = 1;
	world.conf->mode = CONF_OFF;
	check_skip(SKIP_MODE_OFF);
}
END_TEST

/* Two kinds of GPU: not for the engine, but within one fabric all the same. */
START_TEST(foreign_gpus_are_bound_by_their_hint_alone)
{
	fake_gpus.gres_per_socket = 1;
	check_skip(SKIP_SPECIAL);
	ck_assert(adapter_is_bound(&call, &request));
	fake_job.comment = (char *)"leafspine:off";
	check_skip(SKIP_SPECIAL);
	ck_assert(!adapter_is_bound(&call, &request));
	fake_job.comment = NULL;
	check_skip(SKIP_SPECIAL);
	ck_assert(!adapter_is_bound(&call, &request));
}
END_TEST

/* Users choose these numbers: they must not wrap around to small ones. */
START_TEST(huge_numbers_stay_huge)
{
	fake_gpus.gres_per_node = 0;
	fake_gpus.gres_per_task = 1ULL << 32;
	fake_details.num_tasks = 1U << 31;
	check_skip(SKIP_SPECIAL);
	fake_gpus.gres_per_task = 0;
	fake_gpus.gres_per_node = 8;
	fake_gpus.mem_per_gres = UINT64_MAX / 4;
	ck_assert(adapter_request(&call, &request, &skip));
	ck_assert_uint_eq(request.memory_mb, UINT64_MAX);
	fake_gpus.mem_per_gres = 0;
	fake_details.pn_min_memory = MEM_PER_CPU | (1ULL << 62);
	fake_details.cpus_per_task = 8;
	ck_assert(adapter_request(&call, &request, &skip));
	ck_assert_uint_eq(request.memory_mb, UINT64_MAX);
	fake_details.pn_min_memory = 1;
	fake_details.min_cpus = UINT32_MAX - 40;
	ck_assert_int_eq(ask_question(false), FALLBACK_INFEASIBLE);
}
END_TEST

/* --- nodes --------------------------------------------------------------- */

START_TEST(nodes_without_free_gpus_are_left_out)
{
	fake_node_gpus[0].gres_cnt_alloc = 8;
	fake_node_gpus[1].gres_cnt_alloc = 1;
	/* As after a restart: more in use than there are. */
	fake_node_gpus[2].gres_cnt_alloc = 16;
	fake_node_gpus[3].gres_cnt_avail = 0;
	ck_assert_uint_eq(usable(false), ALL & ~0xfULL);
}
END_TEST

START_TEST(free_gpus_are_those_of_the_type_asked_for)
{
	uint32_t types[2] = { A100, H100 };
	uint64_t have[2] = { 4, 4 }, used[2] = { 0, 1 };

	fake_gpus.type_name = (char *)"h100";
	fake_gpus.type_id = H100;
	fake_gpus.gres_per_node = 3;
	for (int i = 0; i < 15; i++) {
		fake_node_gpus[i].type_cnt = 2;
		fake_node_gpus[i].type_id = types;
		fake_node_gpus[i].type_cnt_avail = have;
		fake_node_gpus[i].type_cnt_alloc = used;
	}
	fake_node_gpus[0].gres_cnt_alloc = 6;
	ck_assert_int_eq(ask_question(false), FALLBACKS);
	/* Untyped GPUs in use count, too; node 15 has no h100. */
	ck_assert(!nodeset_has(&question.usable, 0));
	ck_assert(!nodeset_has(&question.usable, 15));
	ck_assert_uint_eq(state_free_gpus(world.state, 1), 3);
	ck_assert_uint_eq(question.types[1], H100);
	choice_question_done(&question);
}
END_TEST

START_TEST(completing_and_reserved_nodes_are_left_out)
{
	cg_node_bitmap = fake_map(0x1);
	rs_node_bitmap = fake_map(0x8000);
	ck_assert_uint_eq(usable(false), 0x7ffe);
	/* Maps from before the table has grown say nothing of new nodes. */
	bit_realloc(cg_node_bitmap, 8);
	bit_realloc(rs_node_bitmap, 8);
	ck_assert_uint_eq(usable(false), 0xfffe);
}
END_TEST

START_TEST(nodes_that_are_gone_or_unknown_are_left_out)
{
	node_record_table_ptr[0] = NULL;
	fake_nodes[1].gres_list = (list_destroy(fake_nodes[1].gres_list), NULL);
	world.table_of[2] = FABRIC_NONE;
	ck_assert_uint_eq(usable(false), 0xfff8);
}
END_TEST

START_TEST(bitmap_shorter_than_the_table_is_refused)
{
	bit_realloc(call.bitmap, 8);
	ck_assert_int_eq(ask_question(false), FALLBACK_FAILED);
}
END_TEST

START_TEST(cores_and_memory_of_running_jobs_count)
{
	job_record_t other = { .job_id = 9, .job_state = JOB_RUNNING };

	fake_details.pn_min_memory = 12000;
	fake_details.pn_min_cpus = 8;
	fake_run(&other, 0x1, 60, 1000);
	running_put(&other);
	ck_assert_uint_eq(usable(false), 0xfffe);
	fake_run(&other, 0x2, 1, 500001);
	running_put(&other);
	ck_assert_uint_eq(usable(false), 0xfffd);
	running_drop(&other);
	ck_assert_uint_eq(usable(false), 0xffff);
	free_job_resources(&other.job_resrcs);
}
END_TEST

START_TEST(whole_nodes_are_wholly_free_ones)
{
	job_record_t other = { .job_id = 9, .job_state = JOB_RUNNING };

	fake_details.whole_node = WHOLE_NODE_REQUIRED;
	fake_run(&other, 0x1, 1, 0);
	running_put(&other);
	fake_node_gpus[1].gres_cnt_alloc = 1;
	ck_assert_uint_eq(usable(false), 0xfffc);
	free_job_resources(&other.job_resrcs);
}
END_TEST

START_TEST(weights_are_ranked_without_their_low_byte)
{
	for (int i = 0; i < 16; i++)
		fake_nodes[i].sched_weight = i < 8 ? 0x300 + i : 0x100;
	ck_assert_int_eq(ask_question(false), FALLBACKS);
	ck_assert_uint_eq(world.state->weights[0], 2);
	ck_assert_uint_eq(world.state->weights[7], 2);
	ck_assert_uint_eq(world.state->weights[8], 1);
	choice_question_done(&question);
}
END_TEST

START_TEST(required_nodes_must_be_usable)
{
	fake_details.req_node_bitmap = fake_map(0x10);
	ck_assert_int_eq(ask_question(false), FALLBACKS);
	ck_assert(nodeset_has(&question.required, 4));
	ck_assert_uint_eq(nodeset_count(&question.required), 1);
	choice_question_done(&question);
	fake_node_gpus[4].gres_cnt_alloc = 8;
	ck_assert_int_eq(ask_question(false), FALLBACK_INFEASIBLE);
	FREE_NULL_BITMAP(fake_details.req_node_bitmap);
}
END_TEST

START_TEST(candidates_count_as_gone)
{
	uint64_t held[1] = { 8 };
	gres_job_state_t gpus = { .gres_cnt_node_alloc = held, .node_cnt = 1 };
	gres_state_t gres = { .gres_data = &gpus,
			      .plugin_id = gres_build_id("gpu") };
	job_record_t victim = { .job_id = 9, .job_state = JOB_RUNNING };
	job_record_t empty = { .job_id = 10 };

	victim.gres_list_alloc = list_create(NULL);
	list_append(victim.gres_list_alloc, &gres);
	call.candidates = list_create(NULL);
	list_append(call.candidates, &empty);
	list_append(call.candidates, &victim);
	fake_run(&victim, 0x1, 64, 512000);
	running_put(&victim);
	fake_node_gpus[0].gres_cnt_alloc = 8;
	ck_assert_uint_eq(usable(false), 0xfffe);
	ck_assert_uint_eq(usable(true), 0xffff);
	FREE_NULL_LIST(call.candidates);
	FREE_NULL_LIST(victim.gres_list_alloc);
	free_job_resources(&victim.job_resrcs);
}
END_TEST

START_TEST(no_memory_declines)
{
	call.candidates = list_create(NULL);
	ck_assert(adapter_request(&call, &request, &skip));
	for (long n = 1; ; n++) {
		enum counters_fallback cause;
		bool hit;

		fault_after(n);
		cause = adapter_question(&call, &request, true, &question);
		hit = fault_hit();
		fault_off();
		if (!hit) {
			ck_assert_int_eq(cause, FALLBACKS);
			ck_assert_int_gt(n, 3);
			break;
		}
		ck_assert_int_eq(cause, FALLBACK_FAILED);
	}
	choice_question_done(&question);
	FREE_NULL_LIST(call.candidates);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("offer");
	TCase *tests = tcase_create("offer");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, only_run_now_and_will_run_are_ours);
	tcase_add_test(tests, half_a_job_record_is_left_alone);
	tcase_add_test(tests, each_kind_of_skip_has_its_cause);
	tcase_add_test(tests, foreign_gpus_are_bound_by_their_hint_alone);
	tcase_add_test(tests, huge_numbers_stay_huge);
	tcase_add_test(tests, nodes_without_free_gpus_are_left_out);
	tcase_add_test(tests, free_gpus_are_those_of_the_type_asked_for);
	tcase_add_test(tests, completing_and_reserved_nodes_are_left_out);
	tcase_add_test(tests, nodes_that_are_gone_or_unknown_are_left_out);
	tcase_add_test(tests, bitmap_shorter_than_the_table_is_refused);
	tcase_add_test(tests, cores_and_memory_of_running_jobs_count);
	tcase_add_test(tests, whole_nodes_are_wholly_free_ones);
	tcase_add_test(tests, weights_are_ranked_without_their_low_byte);
	tcase_add_test(tests, required_nodes_must_be_usable);
	tcase_add_test(tests, candidates_count_as_gone);
	tcase_add_test(tests, no_memory_declines);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
