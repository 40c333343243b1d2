/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_golden: whole jobs whose numbers are known: which ranks form a group,
 * and what a 70B model puts on the Spine by node choice and rank order.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/unit.h"
#include "golden.h"

/* --- groups of ranks --- */

enum { RANKS_MAX = 256 };

/* The traffic of HINT with every rank on a node of its own. */
static struct traffic *spread_out(const char *hint, uint32_t ranks)
{
	uint32_t ones[RANKS_MAX], i;
	struct job_profile profile;
	struct traffic *traffic;

	ck_assert_uint_le(ranks, RANKS_MAX);
	for (i = 0; i < ranks; i++)
		ones[i] = 1;
	golden_profile(hint, ranks, &profile);
	traffic = traffic_build(&profile, ones, ranks, false);
	ck_assert_ptr_nonnull(traffic);
	ck_assert_ptr_null(traffic_check(traffic));
	return traffic;
}

static bool is_member(const struct traffic *traffic,
		      const struct traffic_group *group, uint32_t rank)
{
	uint32_t i;

	for (i = 0; i < group->member_count; i++)
		if (traffic->members[group->first_member + i].block == rank)
			return true;
	return false;
}

static double sent(const struct traffic *traffic, enum dimension dimension,
		   uint32_t from, uint32_t to)
{
	double bytes = 0;
	uint32_t i;

	for (i = 0; i < traffic->edge_count; i++) {
		const struct traffic_edge *edge = &traffic->edges[i];

		if (edge->dimension == dimension && edge->from == from &&
		    edge->to == to)
			bytes += edge->bytes;
	}
	for (i = 0; i < traffic->group_count; i++) {
		const struct traffic_group *group = &traffic->groups[i];

		if (group->dimension == dimension && from != to &&
		    is_member(traffic, group, from) &&
		    is_member(traffic, group, to))
			bytes += group->unit * group->multiplicity;
	}
	return bytes;
}

/* MEMBERS send BYTES round a ring and to nobody else. */
static void check_ring(const struct traffic *traffic, enum dimension dimension,
		       const uint32_t *members, uint32_t count, double bytes)
{
	uint32_t i, to;

	for (i = 0; i < count; i++)
		for (to = 0; to < traffic->block_count; to++)
			ck_assert_double_eq(
				sent(traffic, dimension, members[i], to),
				to == members[(i + 1) % count] ? bytes : 0);
}

static void check_all_to_all(const struct traffic *traffic,
			     const uint32_t *members, uint32_t count,
			     double bytes)
{
	uint32_t i, j;

	for (i = 0; i < count; i++) {
		double all = 0;

		for (j = 0; j < traffic->block_count; j++)
			all += sent(traffic, DIM_EP, members[i], j);
		ck_assert_double_eq_tol(all, bytes, 1e-6 * bytes);
		for (j = 0; j < count; j++)
			ck_assert_double_eq_tol(
				sent(traffic, DIM_EP, members[i], members[j]),
				i == j ? 0 : bytes / (count - 1),
				1e-6 * bytes);
	}
}

static void check_stages(const struct traffic *traffic,
			 const uint32_t *members, uint32_t count, double bytes)
{
	uint32_t i, to;

	for (i = 0; i < count; i++)
		for (to = 0; to < traffic->block_count; to++) {
			bool next = i + 1 < count && to == members[i + 1];
			bool previous = i > 0 && to == members[i - 1];

			ck_assert_double_eq(
				sent(traffic, DIM_PP, members[i], to),
				next || previous ? bytes : 0);
		}
}

#define BYTES "tp_bytes=1000,cp_bytes=2000,dp_bytes=3000,pp_bytes=4000"
#define EXPERT_BYTES ",ep_bytes=6000,edp_bytes=7000"

static void check_group(const struct traffic *traffic, const char *name,
			const uint32_t *members, uint32_t count)
{
	if (count < 2)
		return;
	if (!strcmp(name, "tp"))
		check_ring(traffic, DIM_TP, members, count, 1000);
	else if (!strcmp(name, "cp"))
		check_ring(traffic, DIM_CP, members, count, 2000);
	else if (!strcmp(name, "dp-cp"))
		check_ring(traffic, DIM_DP, members, count, 3000);
	else if (!strcmp(name, "pp"))
		check_stages(traffic, members, count, 4000);
	else if (!strcmp(name, "ep"))
		check_all_to_all(traffic, members, count, 6000);
	else if (!strcmp(name, "edp"))
		check_ring(traffic, DIM_EDP, members, count, 7000);
	else
		ck_assert_str_eq(name, "dp");	/* part of dp-cp */
}

/* rank = t + 2c + 4d + 8p */
START_TEST(groups_of_the_default_order)
{
	struct traffic *traffic = spread_out("tp=2,cp=2,pp=2,dp=2," BYTES, 16);
	static const uint32_t tp[] = { 6, 7 }, cp[] = { 9, 11 };
	static const uint32_t dp_cp[] = { 1, 3, 5, 7 }, pp[] = { 5, 13 };

	check_group(traffic, "tp", tp, 2);
	check_group(traffic, "cp", cp, 2);
	check_group(traffic, "dp-cp", dp_cp, 4);
	check_group(traffic, "pp", pp, 2);
	traffic_free(traffic);
}
END_TEST

/* rank = t + 2c + 4p + 8d */
START_TEST(groups_with_pp_before_dp)
{
	struct traffic *traffic = spread_out(
		"tp=2,cp=2,pp=2,dp=2,order=tp-cp-ep-pp-dp," BYTES, 16);
	static const uint32_t cp[] = { 4, 6 }, dp_cp[] = { 4, 6, 12, 14 };
	static const uint32_t pp[] = { 11, 15 };

	check_group(traffic, "cp", cp, 2);
	check_group(traffic, "dp-cp", dp_cp, 4);
	check_group(traffic, "pp", pp, 2);
	traffic_free(traffic);
}
END_TEST

/* dense rank = t + 2d + 8p, expert rank = x + e + 4y + 8p */
START_TEST(groups_of_experts)
{
	struct traffic *traffic = spread_out(
		"tp=2,pp=2,dp=4,ep=4,etp=1," BYTES EXPERT_BYTES, 16);
	static const uint32_t dp[] = { 9, 11, 13, 15 };
	static const uint32_t ep[] = { 12, 13, 14, 15 }, edp[] = { 3, 7 };

	check_group(traffic, "dp-cp", dp, 4);
	check_group(traffic, "ep", ep, 4);
	check_group(traffic, "edp", edp, 2);
	traffic_free(traffic);
}
END_TEST

/* With two chunks a rank the last stage sends to the first, half as much. */
START_TEST(interleaving_closes_the_pipeline)
{
	struct traffic *traffic = spread_out(
		"pp=4,dp=1,interleave=2,pp_bytes=4000", 4);

	ck_assert_double_eq(sent(traffic, DIM_PP, 0, 1), 4000);
	ck_assert_double_eq(sent(traffic, DIM_PP, 2, 1), 4000);
	ck_assert_double_eq(sent(traffic, DIM_PP, 3, 0), 2000);
	ck_assert_double_eq(sent(traffic, DIM_PP, 0, 3), 2000);
	ck_assert_double_eq(sent(traffic, DIM_PP, 0, 2), 0);
	traffic_free(traffic);
}
END_TEST

static uint32_t degree(json_t *row, const char *sizes, const char *name)
{
	json_t *size = json_object_get(json_object_get(row, sizes), name);

	return (uint32_t)json_integer_value(size);
}

static struct traffic *shared_traffic(json_t *row)
{
	bool experts = json_object_get(row, "expert_size") != NULL;
	char hint[512];
	int length;

	length = snprintf(hint, sizeof(hint),
			  "tp=%u,cp=%u,pp=%u,dp=%u,order=%s," BYTES "%s",
			  degree(row, "size", "tp"), degree(row, "size", "cp"),
			  degree(row, "size", "pp"), degree(row, "size", "dp"),
			  json_string_value(json_object_get(row, "order")),
			  experts ? EXPERT_BYTES : "");
	if (experts)
		snprintf(hint + length, sizeof(hint) - (size_t)length,
			 ",ep=%u,etp=%u", degree(row, "expert_size", "ep"),
			 degree(row, "expert_size", "tp"));
	return spread_out(hint, (uint32_t)json_integer_value(
		json_object_get(row, "world")));
}

static void check_shared_group(const struct traffic *traffic, const char *name,
			       json_t *group)
{
	uint32_t members[RANKS_MAX], count = 0;
	json_t *member;
	size_t i;

	ck_assert_uint_le(json_array_size(group), RANKS_MAX);
	json_array_foreach(group, i, member)
		members[count++] = (uint32_t)json_integer_value(member);
	check_group(traffic, name, members, count);
}

START_TEST(shared_rank_mapping)
{
	json_t *root = golden_shared("rank-mapping-golden.json");
	json_t *row, *groups, *group;
	struct traffic *traffic;
	const char *name;
	size_t i, k;

	if (!root)
		return;
	json_array_foreach(root, i, row) {
		traffic = shared_traffic(row);
		json_object_foreach(json_object_get(row, "groups"), name,
				    groups)
			json_array_foreach(groups, k, group)
				check_shared_group(traffic, name, group);
		traffic_free(traffic);
	}
	ck_assert_uint_gt(i, 0);
	json_decref(root);
}
END_TEST

/* --- Llama-3 70B, tp 8, pp 4, dp 4 on 16 nodes of 8 --- */

#define STAGE_BYTES 536870912.0
#define RING_BYTES 9921093750.0
#define J1 "tp=8,pp=4,dp=4"

/* Flows over the Spine: of stages (each way counts), and of gradients. */
struct crossing {
	uint32_t leaves;
	bool in_turn;
	uint32_t stages, gradients;	/* dp before pp */
	uint32_t stages_pp, gradients_pp;	/* pp before dp */
};

static const struct crossing crossings[] = {
	{ 1, false, 0, 0, 0, 0 },
	{ 2, false, 64, 0, 0, 64 },
	{ 2, true, 0, 128, 192, 0 },
	{ 4, false, 192, 0, 0, 128 },
	{ 4, true, 0, 128, 192, 0 },
	{ 8, false, 192, 64, 64, 128 },
};

static void check_crossing(const struct fabric *fabric,
			   const struct crossing *row, const char *hint,
			   uint32_t stages, uint32_t gradients)
{
	uint32_t members[GOLDEN_LEAVES_MAX], nodes[16], i;
	struct cost_score score;

	for (i = 0; i < row->leaves; i++)
		members[i] = 16 / row->leaves;
	ck_assert_uint_eq(golden_spread(members, row->leaves, 16, row->in_turn,
					nodes), 16);
	golden_score(fabric, hint, nodes, 16, &score);
	ck_assert_double_eq(score.by_dimension[DIM_PP].spine,
			    stages * STAGE_BYTES);
	ck_assert_double_eq(score.by_dimension[DIM_DP].spine,
			    gradients * RING_BYTES);
	ck_assert_double_eq(score.by_dimension[DIM_TP].spine, 0);
	ck_assert_double_eq(score.total.spine, stages * STAGE_BYTES +
			    gradients * RING_BYTES);
	ck_assert_double_eq(score.total.core, 0);
	ck_assert_uint_eq(score.leaves, row->leaves);
}

START_TEST(llama_70b_to_the_byte)
{
	/* 16 nodes a leaf, 16 x 8 x 400 Gbit/s up: 1:1 */
	struct fabric *fabric = golden_fabric(
		"spine:1 leaf:8 node:16 gpus=8 nics=8 links=128");
	const struct crossing *row = &crossings[_i];
	const char *bytes = ",pp_bytes=536870912,dp_bytes=9921093750";
	char hint[256];

	snprintf(hint, sizeof(hint), J1 "%s", bytes);
	check_crossing(fabric, row, hint, row->stages, row->gradients);
	snprintf(hint, sizeof(hint), J1 ",order=tp-cp-ep-pp-dp%s", bytes);
	check_crossing(fabric, row, hint, row->stages_pp, row->gradients_pp);
	fabric_free(fabric);
}
END_TEST

START_TEST(llama_70b_bytes_from_its_shape)
{
	struct job_profile profile;

	golden_profile(J1 ",params=70.55e9,layers=80,hidden=8192,seq=8192,"
		       "mbs=1,microbatches=32,dtype=bf16,zero=1", 128,
		       &profile);
	ck_assert_double_eq(profile.bytes[DIM_PP], STAGE_BYTES);
	ck_assert_double_eq(profile.bytes[DIM_DP], RING_BYTES);
}
END_TEST

/* --- 128 GPUs all-reduce 14 GB --- */

static double seconds_at(const char *synthetic, double *ret_sent)
{
	static const char hint[] = "dp=128,params=7e9,dtype=bf16,zero=0,"
				   "step=1";
	struct fabric *fabric = golden_fabric(synthetic);
	struct job_profile profile;
	struct cost_score score;
	uint32_t nodes[128], i;

	for (i = 0; i < 128; i++)
		nodes[i] = i;
	golden_profile(hint, 128, &profile);
	*ret_sent = profile.bytes[DIM_DP];
	golden_score(fabric, hint, nodes, 128, &score);
	fabric_free(fabric);
	return score.comm_seconds;
}

START_TEST(fourteen_gigabytes_over_128)
{
	double bytes, seconds;

	seconds = seconds_at("leaf:1 node:128 gpus=1 nics=1 nic_gbps=400",
			     &bytes);
	ck_assert_double_eq_tol(bytes, 27.78e9, 0.005e9);
	ck_assert_double_eq_tol(bytes / 50e9, 0.56, 0.005);
	ck_assert_double_eq_tol(bytes / 40e9, 0.69, 0.005);
	ck_assert_double_eq_tol(seconds, 0.56, 0.005);
	seconds = seconds_at("leaf:1 node:128 gpus=1 nics=1 nic_gbps=320",
			     &bytes);
	ck_assert_double_eq_tol(seconds, 0.69, 0.005);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("golden");
	TCase *tests = tcase_create("jobs");
	int rows = sizeof(crossings) / sizeof(crossings[0]);

	tcase_add_test(tests, groups_of_the_default_order);
	tcase_add_test(tests, groups_with_pp_before_dp);
	tcase_add_test(tests, groups_of_experts);
	tcase_add_test(tests, interleaving_closes_the_pipeline);
	tcase_add_test(tests, shared_rank_mapping);
	tcase_add_loop_test(tests, llama_70b_to_the_byte, 0, rows);
	tcase_add_test(tests, llama_70b_bytes_from_its_shape);
	tcase_add_test(tests, fourteen_gigabytes_over_128);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
