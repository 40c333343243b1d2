/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of a job's nodes: who gets it, and how it gets into the job. */

#include "fake_slurm.h"

#include "slurm/hint.h"
#include "slurm/order.h"
#include "slurm/running.h"
#include "slurm/steer.h"
#include "slurm/step_order.h"

static char mark[] = ORDER_MARK "=" ORDER_ANNOUNCED;
static char *spank_variables[] = { mark };
static uint64_t held[16];
static gres_job_state_t allocated;
static gres_state_t gres;

/*
 * Names alternate between two leaves: by Slurm's order each link of a ring goes
 * over the Spine. The job has all eight nodes and is a pipeline of two stages.
 */
#define SCATTERED \
	"{\"nodes\": [{\"names\": \"n[1-8]\"}], \"switches\": [" \
	"{\"name\": \"a\", \"tier\": \"leaf\", \"nodes\": \"n[1,3,5,7]\"," \
	" \"uplinks\": [{\"to\": \"s\", \"count\": 32}]}," \
	"{\"name\": \"b\", \"tier\": \"leaf\", \"nodes\": \"n[2,4,6,8]\"," \
	" \"uplinks\": [{\"to\": \"s\", \"count\": 32}]}," \
	"{\"name\": \"s\", \"tier\": \"spine\"}]}"
static char comment[] = "leafspine:tp=8,pp=2,dp=4";

static void set_up(void)
{
	fake_start(SCATTERED);
	for (int k = 0; k < 16; k++)
		held[k] = 8;
	allocated = (gres_job_state_t){ .gres_cnt_node_alloc = held,
					.node_cnt = 8 };
	gres = (gres_state_t){ .gres_data = &allocated,
			       .plugin_id = gres_build_id("gpu") };
	fake_job.gres_list_alloc = list_create(NULL);
	list_append(fake_job.gres_list_alloc, &gres);
	fake_job.job_id = 17;
	fake_job.spank_job_env = spank_variables;
	fake_job.spank_job_env_size = 1;
	fake_job.comment = comment;
	fake_details.task_dist = SLURM_DIST_UNKNOWN;
	fake_details.num_tasks = NO_VAL;
	fake_details.min_nodes = 8;
	fake_run(&fake_job, 0xff, 8, 1000);
}

static void tear_down(void)
{
	FREE_NULL_LIST(fake_job.gres_list_alloc);
	FREE_NULL_BITMAP(fake_job.node_bitmap);
	fake_stop();
}

static const char *variable(const char *name)
{
	return hint_variable(fake_details.env_sup, fake_details.env_cnt, name);
}

static bool comment_has(const char *text)
{
	return fake_job.admin_comment && strstr(fake_job.admin_comment, text);
}

START_TEST(the_order_is_in_comment_and_environment)
{
	steer_job_begin(&fake_job);
	ck_assert_str_eq(variable(ORDER_NODES), "n[1,3,5,7,2,4,6,8]");
	ck_assert_str_eq(variable(ORDER_JOB), "17");
	ck_assert_ptr_null(variable(ORDER_GPUS));
	ck_assert(comment_has("\"order\":\"leafspine\""));
	ck_assert(comment_has("\"nodes\":\"n[1,3,5,7,2,4,6,8]\""));
	/* Both stages' 32 GPUs, 1 GB each way: see the default profile. */
	ck_assert_str_eq(variable(ORDER_BYTES), "64000000000");
	ck_assert(comment_has("\"spine_bytes\":64000000000"));
}
END_TEST

static void expect_slurms_order(void)
{
	steer_job_begin(&fake_job);
	ck_assert_str_eq(variable(ORDER_NODES), "n[1-8]");
	ck_assert(comment_has("\"order\":\"slurm\""));
	ck_assert(comment_has("\"nodes\":\"n[1-8]\""));
}

START_TEST(without_announcement_it_is_slurms)
{
	fake_job.spank_job_env_size = 0;
	expect_slurms_order();
}
END_TEST

START_TEST(where_the_site_says_so_it_is_slurms)
{
	world.conf->orders = false;
	expect_slurms_order();
}
END_TEST

START_TEST(another_word_is_no_announcement)
{
	char other[] = ORDER_MARK "=" ORDER_ANNOUNCED "s";
	char *variables[] = { other };

	fake_job.spank_job_env = variables;
	expect_slurms_order();
}
END_TEST

START_TEST(with_its_own_distribution_it_is_slurms)
{
	fake_details.task_dist = SLURM_DIST_BLOCK;
	expect_slurms_order();
}
END_TEST

START_TEST(het_jobs_have_slurms)
{
	fake_job.het_job_id = 17;
	expect_slurms_order();
}
END_TEST

START_TEST(uneven_tasks_have_slurms)
{
	fake_details.num_tasks = 12;
	expect_slurms_order();
}
END_TEST

START_TEST(even_tasks_have_ours)
{
	fake_details.num_tasks = 64;
	ck_assert(order_is_delivered(&fake_job, 8));
	ck_assert(!order_is_delivered(&fake_job, 7));
	/* Slurm's guess from the least number of nodes. */
	fake_details.num_tasks = 2;
	fake_details.min_nodes = 2;
	ck_assert(order_is_delivered(&fake_job, 8));
}
END_TEST

START_TEST(unequal_gpus_are_told_and_want_one_task_a_node)
{
	held[0] = held[1] = 4;
	steer_job_begin(&fake_job);
	ck_assert(comment_has("\"why\""));
	ck_assert_ptr_null(variable(ORDER_NODES));
	strcpy(comment, "leafspine:tp=4,pp=2,dp=7");
	steer_job_begin(&fake_job);
	ck_assert(comment_has("\"order\":\"leafspine\""));
	ck_assert_str_eq(variable(ORDER_GPUS), "4,8,8,8,4,8,8,8");
	fake_details.num_tasks = 56;
	steer_job_begin(&fake_job);
	ck_assert(comment_has("\"order\":\"slurm\""));
	ck_assert_str_eq(variable(ORDER_GPUS), "4,4,8,8,8,8,8,8");
	strcpy(comment, "leafspine:tp=8,pp=2,dp=4");
}
END_TEST

START_TEST(a_new_run_forgets_the_old_order)
{
	steer_job_begin(&fake_job);
	ck_assert_uint_eq(fake_details.env_cnt, 3);
	steer_job_begin(&fake_job);
	ck_assert_uint_eq(fake_details.env_cnt, 3);
	world.conf->mode = CONF_OFF;
	steer_job_begin(&fake_job);
	ck_assert_uint_eq(fake_details.env_cnt, 0);
}
END_TEST

START_TEST(observe_puts_nothing_there)
{
	world.conf->mode = CONF_OBSERVE;
	steer_job_begin(&fake_job);
	ck_assert_uint_eq(fake_details.env_cnt, 0);
}
END_TEST

START_TEST(variables_of_others_stay)
{
	fake_details.env_sup = xcalloc(2, sizeof(char *));
	fake_details.env_sup[0] = xstrdup("SLURM_ARRAY_TASK_COUNT=4");
	fake_details.env_sup[1] = xstrdup(ORDER_NODES "S=no");
	fake_details.env_cnt = 2;
	steer_job_begin(&fake_job);
	ck_assert_uint_eq(fake_details.env_cnt, 5);
	order_drop(&fake_job);
	ck_assert_uint_eq(fake_details.env_cnt, 2);
	ck_assert_str_eq(fake_details.env_sup[0], "SLURM_ARRAY_TASK_COUNT=4");
	ck_assert_str_eq(fake_details.env_sup[1], ORDER_NODES "S=no");
	xfree(fake_details.env_sup[0]);
	xfree(fake_details.env_sup[1]);
}
END_TEST

/* Gbit/s that the job puts on the leaves' bundles. */
static double load(void)
{
	double sum = 0;

	for (uint32_t i = 0; i < world.fabric->switch_count; i++)
		sum += world.state->load_up_gbps[i];
	return sum;
}

/* Also after a restart of slurmctld: only the job's record is there. */
START_TEST(a_running_job_loads_the_links_by_its_order)
{
	double by_slurm, by_order;

	fake_job.job_state = JOB_RUNNING;
	running_rebuild();
	running_put(&fake_job);
	by_slurm = load();
	steer_job_begin(&fake_job);
	running_put(&fake_job);
	by_order = load();
	ck_assert_double_gt(by_slurm, by_order);
	/* 32 GB each way in 4 s. */
	ck_assert_double_eq_tol(by_order, 2 * 32e9 / 4 * 8 / 1e9, 1e-6);
}
END_TEST

static const char *const other_nodes[] = {
	"n[1-7]", "n[1-9]", "n[1,1,3-8]", "x[1-8]", "n[1-", ""
};

/* A record that tells of other nodes is not followed. */
START_TEST(an_order_of_other_nodes_is_not_recalled)
{
	struct placed placed = { .count = 8 };
	uint32_t nodes[8], gpus[8];

	for (uint32_t k = 0; k < 8; k++) {
		nodes[k] = k;
		gpus[k] = k + 1;
	}
	placed.nodes = nodes;
	placed.gpus = gpus;
	order_put(&fake_job, &placed, other_nodes[_i], 0);
	order_recall(&fake_job, &placed);
	for (uint32_t seen = 0, k = 0; k < 8; k++) {
		ck_assert_uint_eq(gpus[k], nodes[k] + 1);
		ck_assert(!(seen & 1u << nodes[k]));
		seen |= 1u << nodes[k];
	}
}
END_TEST

/* n1 3 5 7 2 4 6 8: node 2 of the table comes fifth, and so on. */
START_TEST(ranks_are_by_place_in_the_map)
{
	const uint32_t expected[] = { 0, 4, 1, 5, 2, 6, 3, 7 };
	uint32_t nodes[] = { 0, 2, 4, 6, 1, 3, 5, 7 }, gpus[8] = { 0 };
	struct placed placed = { .count = 8, .nodes = nodes, .gpus = gpus };
	uint32_t *ranks = xcalloc(8, sizeof(*ranks));

	order_set_ranks(&fake_job, &placed, &ranks);
	ck_assert_mem_eq(ranks, expected, sizeof(expected));
	/* A node more in the job than in the fabric: Slurm's ranks stay. */
	placed.count = 7;
	ranks[0] = 9;
	order_set_ranks(&fake_job, &placed, &ranks);
	ck_assert_uint_eq(ranks[0], 9);
	order_set_ranks(&fake_job, &placed, NULL);
	xfree(ranks);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("order");
	TCase *core = tcase_create("core");

	tcase_add_checked_fixture(core, set_up, tear_down);
	tcase_add_test(core, the_order_is_in_comment_and_environment);
	tcase_add_test(core, without_announcement_it_is_slurms);
	tcase_add_test(core, where_the_site_says_so_it_is_slurms);
	tcase_add_test(core, another_word_is_no_announcement);
	tcase_add_test(core, with_its_own_distribution_it_is_slurms);
	tcase_add_test(core, het_jobs_have_slurms);
	tcase_add_test(core, uneven_tasks_have_slurms);
	tcase_add_test(core, even_tasks_have_ours);
	tcase_add_test(core, unequal_gpus_are_told_and_want_one_task_a_node);
	tcase_add_test(core, a_new_run_forgets_the_old_order);
	tcase_add_test(core, observe_puts_nothing_there);
	tcase_add_test(core, variables_of_others_stay);
	tcase_add_test(core, a_running_job_loads_the_links_by_its_order);
	tcase_add_test(core, ranks_are_by_place_in_the_map);
	tcase_add_loop_test(core, an_order_of_other_nodes_is_not_recalled, 0,
			    (int)(sizeof(other_nodes) /
				  sizeof(other_nodes[0])));
	suite_add_tcase(suite, core);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
