/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traffic of small jobs, edge by edge. Ranks and groups are laid out by hand in
 * the comments; B0, B1, ... are node blocks.
 */

#include <string.h>

#include "engine.h"
#include "fault.h"
#include "traffic.h"

enum { BLOCKS_MAX = 8, EDGES_MAX = 24 };

/* The traffic of a hint over blocks of these sizes, up to a 0. */
static struct traffic *build(const char *hint, const uint32_t *gpus,
			     bool by_slot)
{
	struct job_profile job = engine_profile(hint, 0);
	struct traffic *traffic;
	uint32_t count = 0;

	while (count < BLOCKS_MAX && gpus[count])
		count++;
	traffic = traffic_build(&job, gpus, count, by_slot);
	ck_assert_ptr_nonnull(traffic);
	ck_assert_ptr_null(traffic_check(traffic));
	ck_assert_uint_eq(traffic->block_count, count);
	ck_assert_mem_eq(traffic->block_gpus, gpus, count * sizeof(*gpus));
	return traffic;
}

struct edge_case {
	const char *hint;
	bool by_slot;
	uint32_t gpus[BLOCKS_MAX];
	struct traffic_edge edges[EDGES_MAX];	/* up to one without bytes */
	double inner[DIMENSIONS];
};

static const struct edge_case edge_cases[] = {
	/* B0 = 0 1, B1 = 2 3: of the ring 1-2 and 3-0 leave their block */
	{ "tp=4,tp_bytes=10", false, { 2, 2 },
	  { { 0, 1, 0, DIM_TP, 10 }, { 1, 0, 0, DIM_TP, 10 } },
	  { [DIM_TP] = 20 } },
	/* a group of two: each sends to the other */
	{ "tp=2,tp_bytes=10", false, { 1, 1 },
	  { { 0, 1, 0, DIM_TP, 10 }, { 1, 0, 0, DIM_TP, 10 } }, { 0 } },
	/* a group of one sends nothing */
	{ "tp=1,tp_bytes=10,cp_bytes=10,dp_bytes=10,pp_bytes=10", false, { 1 },
	  { { 0 } }, { 0 } },
	/* rank = c + 2d: cp pairs 0 1, 2 3, 4 5; one ring over all dp*cp */
	{ "cp=2,dp=3,cp_bytes=3,dp_bytes=1", false, { 1, 1, 1, 1, 1, 1 },
	  { { 0, 1, 0, DIM_CP, 3 }, { 0, 1, 0, DIM_DP, 1 },
	    { 1, 0, 0, DIM_CP, 3 }, { 1, 2, 0, DIM_DP, 1 },
	    { 2, 3, 0, DIM_CP, 3 }, { 2, 3, 0, DIM_DP, 1 },
	    { 3, 2, 0, DIM_CP, 3 }, { 3, 4, 0, DIM_DP, 1 },
	    { 4, 5, 0, DIM_CP, 3 }, { 4, 5, 0, DIM_DP, 1 },
	    { 5, 4, 0, DIM_CP, 3 }, { 5, 0, 0, DIM_DP, 1 } }, { 0 } },
	/* order dp first: rank = d + 2t + 4c; group of t=0 is 0 1 4 5 */
	{ "tp=2,cp=2,dp=2,order=dp-tp-cp-ep-pp,dp_bytes=1", false,
	  { 2, 2, 2, 2 },
	  { { 0, 2, 0, DIM_DP, 1 }, { 1, 3, 0, DIM_DP, 1 },
	    { 2, 0, 0, DIM_DP, 1 }, { 3, 1, 0, DIM_DP, 1 } },
	  { [DIM_DP] = 4 } },
	/* rank = t + 2(d + 2p): a block is one d and p */
	{ "tp=2,dp=2,pp=2,tp_bytes=5,dp_bytes=3,pp_bytes=7", false,
	  { 2, 2, 2, 2 },
	  { { 0, 1, 0, DIM_DP, 6 }, { 0, 2, 0, DIM_PP, 14 },
	    { 1, 0, 0, DIM_DP, 6 }, { 1, 3, 0, DIM_PP, 14 },
	    { 2, 3, 0, DIM_DP, 6 }, { 2, 0, 0, DIM_PP, 14 },
	    { 3, 2, 0, DIM_DP, 6 }, { 3, 1, 0, DIM_PP, 14 } },
	  { [DIM_TP] = 40 } },
	/* order tp-pp-dp: rank = t + 2(p + 2d) */
	{ "tp=2,dp=2,pp=2,order=tp-cp-ep-pp-dp,dp_bytes=3,pp_bytes=7", false,
	  { 2, 2, 2, 2 },
	  { { 0, 2, 0, DIM_DP, 6 }, { 0, 1, 0, DIM_PP, 14 },
	    { 1, 3, 0, DIM_DP, 6 }, { 1, 0, 0, DIM_PP, 14 },
	    { 2, 0, 0, DIM_DP, 6 }, { 2, 3, 0, DIM_PP, 14 },
	    { 3, 1, 0, DIM_DP, 6 }, { 3, 2, 0, DIM_PP, 14 } }, { 0 } },
	/* a chain of three stages */
	{ "pp=3,pp_bytes=8", false, { 1, 1, 1 },
	  { { 0, 1, 0, DIM_PP, 8 }, { 1, 0, 0, DIM_PP, 8 },
	    { 1, 2, 0, DIM_PP, 8 }, { 2, 1, 0, DIM_PP, 8 } }, { 0 } },
	/* four chunks a rank: the last and the first exchange 8 * 3/4 */
	{ "pp=3,pp_bytes=8,interleave=4", false, { 1, 1, 1 },
	  { { 0, 1, 0, DIM_PP, 8 }, { 0, 2, 0, DIM_PP, 6 },
	    { 1, 0, 0, DIM_PP, 8 }, { 1, 2, 0, DIM_PP, 8 },
	    { 2, 0, 0, DIM_PP, 6 }, { 2, 1, 0, DIM_PP, 8 } }, { 0 } },
	/* of two stages the wrap is between the same two */
	{ "pp=2,pp_bytes=8,interleave=2", false, { 1, 1 },
	  { { 0, 1, 0, DIM_PP, 12 }, { 1, 0, 0, DIM_PP, 12 } }, { 0 } },
	/* B0 = 0 1 2 3, B1 = 4 5; gradient rings 0 2 4 and 1 3 5 */
	{ "tp=2,dp=3,dp_bytes=1", false, { 4, 2 },
	  { { 0, 1, 0, DIM_DP, 2 }, { 1, 0, 0, DIM_DP, 2 } },
	  { [DIM_DP] = 2 } },
	/* tp over the border: B0 = 0 1 2, B1 = 3 4 5, ring of 6 */
	{ "tp=6,tp_bytes=1", false, { 3, 3 },
	  { { 0, 1, 0, DIM_TP, 1 }, { 1, 0, 0, DIM_TP, 1 } },
	  { [DIM_TP] = 4 } },
	/* by slot: 0 1 | 2 3, each receiver for itself */
	{ "tp=2,dp=2,dp_bytes=3", true, { 2, 2 },
	  { { 0, 1, 0, DIM_DP, 3 }, { 0, 1, 1, DIM_DP, 3 },
	    { 1, 0, 0, DIM_DP, 3 }, { 1, 0, 1, DIM_DP, 3 } }, { 0 } },
	/* by slot: 2 in B0 sends to 3, the first of B1; 4 sends to 0 */
	{ "dp=5,dp_bytes=3", true, { 3, 2 },
	  { { 0, 1, 0, DIM_DP, 3 }, { 1, 0, 0, DIM_DP, 3 } },
	  { [DIM_DP] = 9 } },
	/* experts: rank = e + 2y; edp rings 0 2 and 1 3 */
	{ "dp=4,ep=2,edp_bytes=9", false, { 1, 1, 1, 1 },
	  { { 0, 2, 0, DIM_EDP, 9 }, { 1, 3, 0, DIM_EDP, 9 },
	    { 2, 0, 0, DIM_EDP, 9 }, { 3, 1, 0, DIM_EDP, 9 } }, { 0 } },
	/* tree of two nodes: D = 6*2/2 = 6, each tree D/2 up and down */
	{ "dp=2,dp_bytes=6,allreduce=tree", false, { 1, 1 },
	  { { 0, 1, 0, DIM_DP, 6 }, { 1, 0, 0, DIM_DP, 6 } }, { 0 } },
	/* D = 8*3/4 = 6; tree 0: 1-2, 2-0; tree 1, shifted: 2-0, 0-1 */
	{ "dp=3,dp_bytes=8,allreduce=tree", false, { 1, 1, 1 },
	  { { 0, 1, 0, DIM_DP, 3 }, { 0, 2, 0, DIM_DP, 6 },
	    { 1, 0, 0, DIM_DP, 3 }, { 1, 2, 0, DIM_DP, 3 },
	    { 2, 0, 0, DIM_DP, 6 }, { 2, 1, 0, DIM_DP, 3 } }, { 0 } },
	/* n counts ranks, the trees nodes: D = 6*4/6 = 4 over B0 and B1 */
	{ "dp=4,dp_bytes=6,allreduce=tree", false, { 2, 2 },
	  { { 0, 1, 0, DIM_DP, 4 }, { 1, 0, 0, DIM_DP, 4 } },
	  { [DIM_DP] = 16 } },
	/* of edp as well: groups 0 2 and 1 3 of two nodes, D = 9 */
	{ "dp=4,ep=2,edp_bytes=9,allreduce=tree", false, { 2, 2 },
	  { { 0, 1, 0, DIM_EDP, 18 }, { 1, 0, 0, DIM_EDP, 18 } }, { 0 } },
};

START_TEST(edges_are_those_of_the_model)
{
	const struct edge_case *c = &edge_cases[_i];
	struct traffic *traffic = build(c->hint, c->gpus, c->by_slot);
	uint32_t count = 0;

	for (; count < EDGES_MAX && c->edges[count].bytes > 0; count++) {
		const struct traffic_edge *found = NULL;

		for (uint32_t i = 0; i < traffic->edge_count; i++)
			if (traffic->edges[i].from == c->edges[count].from &&
			    traffic->edges[i].to == c->edges[count].to &&
			    traffic->edges[i].slot == c->edges[count].slot &&
			    traffic->edges[i].dimension ==
				    c->edges[count].dimension)
				found = &traffic->edges[i];
		ck_assert_msg(found, "%s: no edge %u", c->hint, count);
		ck_assert_double_eq(found->bytes, c->edges[count].bytes);
	}
	ck_assert_uint_eq(traffic->edge_count, count);
	ck_assert_uint_eq(traffic->group_count, 0);
	for (int dim = 0; dim < DIMENSIONS; dim++)
		ck_assert_double_eq(traffic->inner[dim], c->inner[dim]);
	traffic_free(traffic);
}
END_TEST

struct group_case {
	const char *hint;
	bool by_slot;
	uint32_t gpus[BLOCKS_MAX];
	struct traffic_group groups[4];		/* up to one without a unit */
	struct traffic_member members[8];
	double inner;				/* of all dimensions */
};

#define A2A TRAFFIC_ALL_TO_ALL
#define HIER TRAFFIC_HIERARCHICAL

static const struct group_case group_cases[] = {
	/* one group of four, 6/3 to each other one */
	{ "dp=4,ep=4,ep_bytes=6", false, { 2, 2 },
	  { { A2A, DIM_EP, 1, 0, 2, 4, 2 } }, { { 0, 0, 2 }, { 1, 0, 2 } }, 8 },
	/* rank = x + 2e: groups 0 2 4 6 and 1 3 5 7 over the same blocks */
	{ "tp=2,dp=4,ep=4,ep_bytes=6", false, { 2, 2, 2, 2 },
	  { { A2A, DIM_EP, 2, 0, 4, 4, 2 } },
	  { { 0, 0, 1 }, { 1, 0, 1 }, { 2, 0, 1 }, { 3, 0, 1 } }, 0 },
	/* the same by slot: the receivers differ, so do the groups */
	{ "tp=2,dp=4,ep=4,ep_bytes=6", true, { 2, 2, 2, 2 },
	  { { A2A, DIM_EP, 1, 0, 4, 4, 2 }, { A2A, DIM_EP, 1, 4, 4, 4, 2 } },
	  { { 0, 0, 1 }, { 1, 0, 1 }, { 2, 0, 1 }, { 3, 0, 1 },
	    { 0, 1, 1 }, { 1, 1, 1 }, { 2, 1, 1 }, { 3, 1, 1 } }, 0 },
	/* groups 0 1 and 2 3 inside one block each cross nothing */
	{ "dp=4,ep=2,ep_bytes=5", false, { 2, 2 },
	  { { A2A, 0, 0, 0, 0, 0, 0 } }, { { 0, 0, 0 } }, 20 },
	/* B0 = 0 1 2, B1 = 3: uneven members */
	{ "dp=4,ep=4,ep_bytes=6", false, { 3, 1 },
	  { { A2A, DIM_EP, 1, 0, 2, 4, 2 } }, { { 0, 0, 3 }, { 1, 0, 1 } },
	  12 },
	/* two stages have two groups: rank = e + 2p */
	{ "dp=2,ep=2,pp=2,ep_bytes=6", false, { 1, 1, 1, 1 },
	  { { A2A, DIM_EP, 1, 0, 2, 2, 6 }, { A2A, DIM_EP, 1, 2, 2, 2, 6 } },
	  { { 0, 0, 1 }, { 1, 0, 1 }, { 2, 0, 1 }, { 3, 0, 1 } }, 0 },
	/* D = 6*4/6 = 4 over two nodes of two ranks */
	{ "dp=4,dp_bytes=6,allreduce=hierarchical", false, { 2, 2 },
	  { { HIER, DIM_DP, 1, 0, 2, 4, 4 } }, { { 0, 0, 2 }, { 1, 0, 2 } },
	  -1 },
	/* groups 0 2 4, 1 3 5 of one rank a node: kept once; D = 4*3/4 */
	{ "tp=2,dp=3,dp_bytes=4,allreduce=sharp", false, { 2, 2, 2 },
	  { { TRAFFIC_SHARP, DIM_DP, 2, 0, 3, 3, 3 } },
	  { { 0, 0, 1 }, { 1, 0, 1 }, { 2, 0, 1 } }, -1 },
	/* one node: nothing crosses */
	{ "dp=4,dp_bytes=6,allreduce=sharp", false, { 4 },
	  { { A2A, 0, 0, 0, 0, 0, 0 } }, { { 0, 0, 0 } }, -1 },
	/* edp too: groups 0 2 and 1 3, D = 9*2/2 */
	{ "dp=4,ep=2,edp_bytes=9,allreduce=hierarchical", false, { 2, 2 },
	  { { HIER, DIM_EDP, 2, 0, 2, 2, 9 } }, { { 0, 0, 1 }, { 1, 0, 1 } },
	  -1 },
};

START_TEST(groups_are_kept_once)
{
	const struct group_case *c = &group_cases[_i];
	struct traffic *traffic = build(c->hint, c->gpus, c->by_slot);
	uint32_t count = 0, members = 0;
	double inner = 0;

	for (; count < 4 && c->groups[count].unit > 0; count++) {
		const struct traffic_group *wanted = &c->groups[count];
		const struct traffic_group *found = &traffic->groups[count];

		ck_assert_uint_lt(count, traffic->group_count);
		ck_assert_int_eq(found->pattern, wanted->pattern);
		ck_assert_uint_eq(found->dimension, wanted->dimension);
		ck_assert_uint_eq(found->multiplicity, wanted->multiplicity);
		ck_assert_uint_eq(found->member_count, wanted->member_count);
		ck_assert_uint_eq(found->ranks, wanted->ranks);
		ck_assert_double_eq(found->unit, wanted->unit);
		ck_assert_mem_eq(traffic->members + found->first_member,
				 c->members + wanted->first_member,
				 wanted->member_count * sizeof(*c->members));
		members += wanted->member_count;
	}
	ck_assert_uint_eq(traffic->group_count, count);
	ck_assert_uint_eq(traffic->member_count, members);
	ck_assert_uint_eq(traffic->edge_count, 0);
	for (int dim = 0; dim < DIMENSIONS; dim++)
		inner += traffic->inner[dim];
	if (c->inner >= 0)	/* of the other algorithms it is no contract */
		ck_assert_double_eq(inner, c->inner);
	traffic_free(traffic);
}
END_TEST

#define ROOT UINT32_MAX

/*
 * Tree 1 is tree 0 with its nodes renamed: of an even number mirrored, of an
 * odd one shifted by one, so that its root is node 1 (as NCCL has it).
 */
static const struct {
	uint32_t count;
	uint32_t parents[2][8];
} trees[] = {
	{ 1, { { ROOT }, { ROOT } } },
	{ 2, { { ROOT, 0 }, { 1, ROOT } } },
	{ 3, { { ROOT, 2, 0 }, { 1, ROOT, 0 } } },
	{ 5, { { ROOT, 2, 4, 2, 0 }, { 1, ROOT, 3, 0, 3 } } },
	{ 8, { { ROOT, 2, 4, 2, 0, 6, 4, 6 }, { 1, 3, 1, 7, 5, 3, 5, ROOT } } },
};

START_TEST(trees_are_double_binary)
{
	for (int tree = 0; tree < 2; tree++)
		for (uint32_t i = 0; i < trees[_i].count; i++)
			ck_assert_uint_eq(traffic_tree_parent(i,
						trees[_i].count, tree),
					  trees[_i].parents[tree][i]);
}
END_TEST

static const struct {
	uint32_t gpus[BLOCKS_MAX];
	uint32_t count;
} bad_sizes[] = {
	{ { 4, 3 }, 2 }, { { 4, 5 }, 2 }, { { 4, 4, 0 }, 3 }, { { 8, 1 }, 2 },
	{ { 0, 8 }, 2 }, { { 8 }, 0 }, { { 4294967295U, 9 }, 2 },
	{ { 1, 1, 1, 1, 1, 1, 1, 1 }, 9 },
};

START_TEST(sizes_must_add_up)
{
	struct job_profile job = engine_profile("tp=8", 0);

	ck_assert_ptr_null(traffic_build(&job, bad_sizes[_i].gpus,
					 bad_sizes[_i].count, false));
}
END_TEST

/* One of each array, so that every allocation is met. */
START_TEST(no_memory_is_no_traffic)
{
	static const char *const hints[] = {
		"tp=2,dp=8,pp=2,ep=4,etp=1,tp_bytes=1,dp_bytes=1,ep_bytes=3",
		"tp=2,dp=16,dp_bytes=1,allreduce=tree",
		"tp=2,dp=16,dp_bytes=1,allreduce=sharp",
	};
	static const uint32_t gpus[8] = { 4, 4, 4, 4, 4, 4, 4, 4 };
	struct job_profile job = engine_profile(hints[_i % 3], 0);
	long n;

	for (n = 1; ; n++) {
		struct traffic *traffic;
		bool hit;

		fault_after(n);
		traffic = traffic_build(&job, gpus, 8, _i >= 3);
		hit = fault_hit();
		fault_off();
		ck_assert_int_eq(traffic == NULL, hit);
		traffic_free(traffic);
		if (!hit)
			break;
	}
	ck_assert_int_gt(n, 7);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("traffic");
	TCase *model = tcase_create("model");
	TCase *bad = tcase_create("bad");

	tcase_add_loop_test(model, edges_are_those_of_the_model, 0,
			    sizeof(edge_cases) / sizeof(*edge_cases));
	tcase_add_loop_test(model, groups_are_kept_once, 0,
			    sizeof(group_cases) / sizeof(*group_cases));
	tcase_add_loop_test(model, trees_are_double_binary, 0,
			    sizeof(trees) / sizeof(*trees));
	suite_add_tcase(suite, model);
	tcase_add_loop_test(bad, sizes_must_add_up, 0,
			    sizeof(bad_sizes) / sizeof(*bad_sizes));
	tcase_add_loop_test(bad, no_memory_is_no_traffic, 0, 6);
	suite_add_tcase(suite, bad);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
