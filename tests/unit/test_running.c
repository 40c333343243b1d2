/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that run: their shares of nodes, their load, what is told of them. */

#include "fake_slurm.h"
#include "fault.h"

#include "slurm/placed.h"
#include "slurm/running.h"
#include "slurm/steer.h"

static uint64_t held[16];
static gres_job_state_t allocated;
static gres_state_t gres;

/* The job runs on four nodes, one under each leaf, with all their GPUs. */
static void set_up(void)
{
	fake_start("spine:4 leaf:4 node:4");
	for (int k = 0; k < 16; k++)
		held[k] = 8;
	allocated = (gres_job_state_t){ .gres_cnt_node_alloc = held,
					.node_cnt = 4 };
	gres = (gres_state_t){ .gres_data = &allocated,
			       .plugin_id = gres_build_id("gpu") };
	fake_job.gres_list_alloc = list_create(NULL);
	list_append(fake_job.gres_list_alloc, &gres);
	fake_job.job_state = JOB_RUNNING;
	fake_job.time_limit = 60;
	fake_run(&fake_job, 0x1111, 8, 1000);
}

static void tear_down(void)
{
	FREE_NULL_LIST(fake_job.gres_list_alloc);
	FREE_NULL_BITMAP(fake_job.node_bitmap);
	fake_stop();
}

static double load(void)
{
	double sum = 0;

	for (uint32_t i = 0; i < world.fabric->switch_count; i++)
		sum += world.state->load_up_gbps[i] +
		       world.state->load_down_gbps[i];
	return sum;
}

START_TEST(sums_come_and_go_with_the_job)
{
	uint64_t generation = world.generation;

	running_put(&fake_job);
	running_put(&fake_job);
	ck_assert_uint_eq(running_cores(4), 8);
	ck_assert_uint_eq(running_cores(5), 0);
	ck_assert_uint_eq(running_memory_mb(12), 1000);
	ck_assert_double_gt(load(), 0);
	ck_assert_uint_gt(world.generation, generation);
	running_suspend(&fake_job, true);
	running_suspend(&fake_job, true);
	ck_assert_uint_eq(running_cores(4), 0);
	ck_assert_uint_eq(running_memory_mb(4), 1000);
	running_suspend(&fake_job, false);
	ck_assert_uint_eq(running_cores(4), 8);
	running_drop(&fake_job);
	running_drop(&fake_job);
	ck_assert_uint_eq(running_cores(4), 0);
	ck_assert_uint_eq(running_memory_mb(4), 0);
	ck_assert_double_eq(load(), 0);
	ck_assert_uint_eq(running_cores(99), 0);
}
END_TEST

START_TEST(half_a_job_record_adds_nothing)
{
	job_record_t job = { .job_id = 9 };

	running_put(&job);
	running_suspend(&job, true);
	running_drop(&job);
	job.job_resrcs = xmalloc(sizeof(*job.job_resrcs));
	running_put(&job);
	free_job_resources(&job.job_resrcs);
	fake_run(&job, 0x3, 8, 1000);
	xfree(job.job_resrcs->memory_allocated);
	FREE_NULL_BITMAP(job.job_resrcs->core_bitmap);
	running_put(&job);
	ck_assert_uint_eq(running_cores(0), 0);
	free_job_resources(&job.job_resrcs);
}
END_TEST

/* A job that has shrunk keeps its map of cores, and a node of it may go. */
START_TEST(nodes_that_are_gone_are_not_counted)
{
	fake_job.node_bitmap = fake_map(0x1110);
	running_put(&fake_job);
	ck_assert_uint_eq(running_cores(0), 0);
	ck_assert_uint_eq(running_cores(4), 8);
	bit_realloc(fake_job.node_bitmap, 8);
	running_put(&fake_job);
	ck_assert_uint_eq(running_cores(4), 8);
	ck_assert_uint_eq(running_cores(8), 0);
	node_record_table_ptr[4] = NULL;
	running_put(&fake_job);
	ck_assert_uint_eq(running_cores(4), 0);
}
END_TEST

START_TEST(rebuild_walks_all_jobs)
{
	job_record_t pending = { .job_id = 9, .job_state = JOB_PENDING };

	job_list = list_create(NULL);
	list_append(job_list, &pending);
	list_append(job_list, &fake_job);
	running_put(&fake_job);
	running_rebuild();
	ck_assert_uint_eq(running_cores(8), 8);
	/* The table has shrunk: what lies beyond it is not looked at. */
	node_record_count = 8;
	running_rebuild();
	ck_assert_uint_eq(running_cores(8), 0);
	ck_assert_uint_eq(running_cores(4), 8);
	node_record_count = 16;
	FREE_NULL_LIST(job_list);
	running_rebuild();
	ck_assert_uint_eq(running_cores(4), 0);
}
END_TEST

START_TEST(no_memory_leaves_no_half_of_a_job)
{
	for (long n = 1; ; n++) {
		bool hit;

		fault_after(n);
		running_put(&fake_job);
		hit = fault_hit();
		fault_off();
		ck_assert(running_cores(4) == 8 || running_cores(4) == 0);
		running_drop(&fake_job);
		ck_assert_uint_eq(running_cores(4), 0);
		ck_assert_uint_eq(running_memory_mb(4), 0);
		ck_assert_double_eq(load(), 0);
		if (!hit)
			break;
	}
	fault_after(2);
	running_rebuild();
	fault_off();
	running_put(&fake_job);
	ck_assert_uint_eq(running_cores(4), 0);
}
END_TEST

/* --- what is told -------------------------------------------------------- */

START_TEST(report_has_what_the_job_got)
{
	fake_job.admin_comment = xstrdup("of the site");
	steer_job_begin(&fake_job);
	ck_assert_ptr_nonnull(strstr(fake_job.admin_comment,
				     "of the site leafspine{"));
	ck_assert_ptr_nonnull(strstr(fake_job.admin_comment, "\"leaves\":4"));
	ck_assert_ptr_nonnull(strstr(fake_job.admin_comment,
				     "\"placed_by\":\"slurm\""));
	ck_assert_uint_eq(counters_read().starts[START_FORCED], 1);
	ck_assert_double_eq(counters_read().gpu_hours[START_FORCED], 32);
}
END_TEST

START_TEST(hint_that_does_not_fit_is_told)
{
	fake_job.comment = (char *)"leafspine:tp=5";
	steer_job_begin(&fake_job);
	ck_assert_ptr_nonnull(strstr(fake_job.admin_comment, "\"why\":"));
	ck_assert_ptr_null(strstr(fake_job.admin_comment, "\"leaves\""));
}
END_TEST

START_TEST(nothing_is_told_where_there_is_nothing_to_tell)
{
	switch (_i) {
	case 0:
		fake_job.comment = NULL;
		break;
	case 1:
		world.conf->report = false;
		break;
	case 2:
		world.conf->mode = CONF_OFF;
		break;
	case 3:
		free_job_resources(&fake_job.job_resrcs);
		break;
	case 4:
		fake_job.part_ptr = NULL;
		break;
	case 5:
		world.node_of[4] = FABRIC_NONE;
		break;
	case 6:
		bit_realloc(fake_job.job_resrcs->node_bitmap, 8);
		break;
	case 7:
		world.conf->mode = CONF_OBSERVE;
		break;
	}
	steer_job_begin(&fake_job);
	ck_assert_ptr_null(fake_job.admin_comment);
}
END_TEST

START_TEST(no_memory_tells_less_or_nothing)
{
	for (long n = 1; ; n++) {
		bool hit;

		fault_after(n);
		steer_job_begin(&fake_job);
		hit = fault_hit();
		fault_off();
		if (!hit)
			break;
	}
	ck_assert_ptr_nonnull(strstr(fake_job.admin_comment, "\"leaves\":4"));
}
END_TEST

START_TEST(gpus_of_a_node_are_found_before_and_after_the_start)
{
	uint64_t chosen[16] = { [4] = 3 };

	ck_assert_uint_eq(placed_gpus_on(&fake_job, 1, 4), 8);
	allocated.node_cnt = 0;
	ck_assert_uint_eq(placed_gpus_on(&fake_job, 1, 4), 0);
	fake_gpus.gres_cnt_node_select = chosen;
	fake_gpus.total_node_cnt = 16;
	ck_assert_uint_eq(placed_gpus_on(&fake_job, 1, 4), 3);
	ck_assert_uint_eq(placed_gpus_on(&fake_job, 1, 16), 0);
	fake_gpus.total_node_cnt = 4;
	ck_assert_uint_eq(placed_gpus_on(&fake_job, 1, 4), 0);
	fake_details.whole_node = WHOLE_NODE_REQUIRED;
	ck_assert_uint_eq(placed_gpus_on(&fake_job, 1, 4), 8);
	ck_assert_uint_eq(placed_gpus_on(&fake_job, 1, 99), 0);
	fake_job.details = NULL;
	ck_assert_uint_eq(placed_gpus_on(&fake_job, 1, 4), 0);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("running");
	TCase *tests = tcase_create("running");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, sums_come_and_go_with_the_job);
	tcase_add_test(tests, half_a_job_record_adds_nothing);
	tcase_add_test(tests, nodes_that_are_gone_are_not_counted);
	tcase_add_test(tests, rebuild_walks_all_jobs);
	tcase_add_test(tests, no_memory_leaves_no_half_of_a_job);
	tcase_add_test(tests, report_has_what_the_job_got);
	tcase_add_test(tests, hint_that_does_not_fit_is_told);
	tcase_add_loop_test(tests,
			    nothing_is_told_where_there_is_nothing_to_tell, 0,
			    8);
	tcase_add_test(tests, no_memory_tells_less_or_nothing);
	tcase_add_test(tests,
		       gpus_of_a_node_are_found_before_and_after_the_start);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
