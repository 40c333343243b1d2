/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_field_cases: what users of batch systems reported as bad placements,
 * each reduced to a fabric, what is free, and what a good answer is.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../unit/unit.h"
#include "golden.h"
#include "placement.h"

/* A job's request on a fabric, and the answer. */
struct job {
	struct fabric *fabric;
	struct state *state;
	struct parallelism hint;
	struct placement_request request;
	struct placement placement;
	struct placement_error error;
};

static void job_init(struct job *job, const char *synthetic)
{
	memset(job, 0, sizeof(*job));
	job->fabric = golden_fabric(synthetic);
	job->state = state_new(job->fabric);
	ck_assert_ptr_nonnull(job->state);
}

static void job_done(struct job *job)
{
	placement_done(&job->placement);
	state_free(job->state);
	fabric_free(job->fabric);
}

static enum placement_status place(struct job *job, const char *hint,
				   uint32_t nodes, uint32_t gpus)
{
	enum placement_status status;

	ck_assert_int_eq(parallelism_parse(hint, strlen(hint), &job->hint,
					   &(struct parallelism_error){ "" }),
			 0);
	job->request.state = job->state;
	job->request.hint = &job->hint;
	job->request.site = parallelism_site_default();
	job->request.min_nodes = nodes;
	job->request.max_nodes = nodes;
	job->request.gpus = gpus;
	status = placement_choose(&job->request, &job->placement, &job->error);
	if (status == PLACEMENT_OK)
		ck_assert_ptr_null(placement_check(&job->request,
						   &job->placement));
	return status;
}

/* Nodes FIRST .. LAST (counted from 0) are full. */
static void fill(struct job *job, uint32_t first, uint32_t last)
{
	uint32_t node;

	for (node = first; node <= last; node++)
		job->state->gpus_used[node] = job->fabric->nodes[node].gpus;
}

/* How many nodes of the answer stand under leafset SET. */
static uint32_t nodes_under(const struct job *job, uint32_t set)
{
	uint32_t k, count = 0;

	for (k = 0; k < job->placement.count; k++)
		count += job->fabric->nodes[job->placement.nodes[k]].leafset ==
			 set;
	return count;
}

static uint32_t leafset_of(const struct job *job, uint32_t node)
{
	return job->fabric->nodes[node].leafset;
}

START_TEST(no_job_spans_unconnected_fabrics)
{
	struct job job;
	uint32_t k;

	job_init(&job, "fabric:2 spine:2 leaf:2 node:4");
	ck_assert_int_eq(place(&job, "tp=8,dp=12", 12, 0),
			 PLACEMENT_IMPOSSIBLE);
	ck_assert_str_ne(job.error.text, "");
	ck_assert_int_eq(place(&job, "tp=8,dp=8", 8, 0), PLACEMENT_OK);
	for (k = 1; k < 8; k++)
		ck_assert_uint_eq(
			job.fabric->nodes[job.placement.nodes[k]].component,
			job.fabric->nodes[job.placement.nodes[0]].component);
	job_done(&job);
}
END_TEST

/* Two fabrics of 8 nodes, 5 and 7 free: only the second holds 6. */
START_TEST(the_fabric_that_has_room)
{
	struct job job;
	uint32_t k;

	job_init(&job, "fabric:2 spine:2 leaf:2 node:4");
	fill(&job, 0, 2);
	fill(&job, 15, 15);
	ck_assert_int_eq(place(&job, "tp=8,dp=6", 6, 0), PLACEMENT_OK);
	for (k = 0; k < 6; k++)
		ck_assert_uint_ge(job.placement.nodes[k], 8);
	job_done(&job);
}
END_TEST

/* 72 GPUs on racks of 18 nodes of 4 touch one rack. */
START_TEST(one_rack_for_a_rack_of_gpus)
{
	struct job job;

	job_init(&job, "spine:4 leaf:4 node:18 gpus=4 domain=18");
	ck_assert_int_eq(place(&job, "dp=72", 0, 72), PLACEMENT_OK);
	ck_assert_uint_eq(job.placement.count, 18);
	ck_assert_uint_eq(nodes_under(&job, leafset_of(
		&job, job.placement.nodes[0])), 18);
	job_done(&job);
}
END_TEST

/* A job of 2 nodes takes the leaf with 2 idle, so that 4 fit the other. */
START_TEST(the_tightest_leaf)
{
	struct job job;

	job_init(&job, "spine:2 leaf:2 node:4");
	fill(&job, 4, 5);
	ck_assert_int_eq(place(&job, "tp=8,dp=2", 2, 0), PLACEMENT_OK);
	ck_assert_uint_eq(nodes_under(&job, leafset_of(&job, 4)), 2);
	job_done(&job);
}
END_TEST

/* A job of 2 GPUs takes the node in use that has just 2 left. */
START_TEST(the_fullest_node_that_fits)
{
	struct job job;

	job_init(&job, "spine:2 leaf:2 node:4");
	job.state->gpus_used[2] = 4;
	job.state->gpus_used[5] = 6;
	ck_assert_int_eq(place(&job, "dp=2", 1, 2), PLACEMENT_OK);
	ck_assert_uint_eq(job.placement.nodes[0], 5);
	ck_assert_uint_eq(job.placement.gpus[0], 2);
	job_done(&job);
}
END_TEST

/* Domains with 2 and 6 free: a gang of 4 goes to the 6. */
START_TEST(a_gang_in_the_domain_that_holds_it)
{
	struct job job;

	job_init(&job, "spine:2 leaf:2 node:6 gpus=4 domain=6");
	fill(&job, 0, 3);
	ck_assert_int_eq(place(&job, "tp=4,dp=4", 4, 0), PLACEMENT_OK);
	ck_assert_uint_eq(nodes_under(&job, leafset_of(&job, 6)), 4);
	ck_assert_double_eq(job.placement.score.total.leaf, 0);
	job_done(&job);
}
END_TEST

/* Racks of 18 with 16 live nodes: 32 nodes are 16 and 16. */
START_TEST(whole_racks_as_they_are)
{
	struct job job;

	job_init(&job, "spine:4 leaf:4 node:18 gpus=4 domain=18");
	fill(&job, 16, 17);
	fill(&job, 34, 35);
	fill(&job, 52, 53);
	fill(&job, 54, 71);
	ck_assert_int_eq(place(&job, "tp=4,dp=32", 32, 0), PLACEMENT_OK);
	ck_assert_uint_eq(nodes_under(&job, leafset_of(
		&job, job.placement.nodes[0])), 16);
	ck_assert_uint_eq(job.placement.score.leaves, 2);
	job_done(&job);
}
END_TEST

/* Two nodes with one GPU each, on eight rails: the same rail leaf. */
START_TEST(one_rail_crosses_no_spine)
{
	struct job job;

	job_init(&job, "spine:4 leaf:2 node:4 rails=8");
	job.request.gpus_per_node = 1;
	ck_assert_int_eq(place(&job, "dp=2", 2, 2), PLACEMENT_OK);
	ck_assert_double_eq(job.placement.score.cost, 0);
	ck_assert_uint_eq(job.placement.score.leaves, 1);
	job_done(&job);
}
END_TEST

/* s0 full, the job's third node on s1: the fourth goes there too. */
START_TEST(growth_stays_near)
{
	struct job job;
	struct nodeset required;

	job_init(&job, "spine:2 leaf:3 node:2");
	ck_assert_int_eq(nodeset_init(&required, job.fabric->node_count), 0);
	nodeset_add(&required, 0);
	nodeset_add(&required, 1);
	nodeset_add(&required, 2);
	job.request.required = &required;
	ck_assert_int_eq(place(&job, "tp=8,dp=4", 4, 0), PLACEMENT_OK);
	ck_assert_uint_eq(nodes_under(&job, leafset_of(&job, 3)), 2);
	nodeset_done(&required);
	job_done(&job);
}
END_TEST

/* --- a pipeline of 4 stages by 4 replicas on what is left of 8 leaves --- */

static uint32_t leave_free(struct job *job, json_t *free_nodes)
{
	uint32_t leaf, left, most = 0;
	json_t *entry;
	size_t i;

	json_array_foreach(free_nodes, i, entry) {
		leaf = (uint32_t)i;
		left = (uint32_t)json_integer_value(entry);
		fill(job, leaf * 12 + left, leaf * 12 + 11);
		most += left;
	}
	return most;
}

/*
 * The proven optimum counts, for each stage on k > 1 leaves, k times W_DP, and
 * W_PP for each neighbour over the Spine: in-network all-reduces of a buffer
 * of W_DP bytes, and stages that exchange W_PP/2 each way.
 */
static double optimised(json_t *row)
{
	double w_dp = json_number_value(json_object_get(row, "w_dp"));
	double w_pp = json_number_value(json_object_get(row, "w_pp"));
	char hint[128];
	struct job job;
	double cost;

	job_init(&job, "spine:1 leaf:8 node:12 gpus=1 nics=1 links=12");
	ck_assert_uint_ge(leave_free(&job, json_object_get(row, "free")), 16);
	snprintf(hint, sizeof(hint), "pp=4,dp=4,allreduce=sharp,"
		 "dp_bytes=%.0f,pp_bytes=%.0f", w_dp * 1.5e6, w_pp * 0.5e6);
	ck_assert_int_eq(place(&job, hint, 16, 0), PLACEMENT_OK);
	cost = job.placement.score.cost / 1e6;
	job_done(&job);
	return cost;
}

/* No answer beats the proven optimum, and ours come near. */
START_TEST(near_the_proven_optimum)
{
	json_t *root = golden_shared("golden-placement-mip.json"), *row;
	double cost, best;
	size_t i;

	if (!root)
		return;
	json_array_foreach(json_object_get(root, "optima"), i, row) {
		best = json_number_value(json_object_get(row, "opt"));
		cost = optimised(row);
		ck_assert_msg(cost >= best - 1e-6 && cost <= 1.1 * best,
			      "pipeline %zu: cost %g, the optimum is %g", i,
			      cost, best);
	}
	ck_assert_uint_gt(i, 0);
	json_decref(root);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("field cases");
	TCase *tests = tcase_create("placement");

	tcase_add_test(tests, no_job_spans_unconnected_fabrics);
	tcase_add_test(tests, the_fabric_that_has_room);
	tcase_add_test(tests, one_rack_for_a_rack_of_gpus);
	tcase_add_test(tests, the_tightest_leaf);
	tcase_add_test(tests, the_fullest_node_that_fits);
	tcase_add_test(tests, a_gang_in_the_domain_that_holds_it);
	tcase_add_test(tests, whole_racks_as_they_are);
	tcase_add_test(tests, one_rail_crosses_no_spine);
	tcase_add_test(tests, growth_stays_near);
	tcase_add_test(tests, near_the_proven_optimum);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
