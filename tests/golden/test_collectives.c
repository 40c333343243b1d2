/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_collectives: what collectives over one-GPU nodes put on the Spine.
 *
 * The table was worked out by hand, in units of the buffer D: a ring's crossing
 * edges carry 2(n-1)/n each, every crossing edge of a tree 1, the leaves of a
 * hierarchical all-reduce 2(k-1) together, those of an in-network one k.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../unit/unit.h"
#include "golden.h"

enum { WIDTH = 32 };

#define FABRIC "spine:1 leaf:8 node:32 gpus=1 nics=1 gbps=12800"
#define BUFFER 1e6	/* D for each member, so that all bytes are whole */

struct spread {
	uint32_t members[GOLDEN_LEAVES_MAX];
	uint32_t leaves;
	bool in_turn;
};

struct all_reduce {
	struct spread spread;
	uint32_t ring_edges;
	uint32_t tree_edges;	/* of both trees */
};

static const struct all_reduce all_reduces[] = {
	{ { { 8 }, 1, false }, 0, 0 },
	{ { { 1, 1 }, 2, false }, 2, 2 },
	/* 0 0 1: ring 1-2, 2-0; trees 1-2, 2-0 and 2-0 */
	{ { { 2, 1 }, 2, false }, 2, 3 },
	/* 0 0 0 1 1: trees 2-4, 3-2, 4-0 and 2-3, 3-0 */
	{ { { 3, 2 }, 2, false }, 2, 5 },
	/* trees 2-4, 4-0 and their mirror image */
	{ { { 4, 4 }, 2, false }, 2, 4 },
	/* trees 1-2, 3-2, 5-6, 7-6 and their mirror image */
	{ { { 4, 4 }, 2, true }, 8, 8 },
	{ { { 2, 2, 2, 2 }, 4, false }, 4, 10 },
	{ { { 2, 2, 2, 2 }, 4, true }, 8, 12 },
	{ { { 1, 1, 1, 1, 1, 1, 1, 1 }, 8, false }, 8, 14 },
	{ { { 6, 2 }, 2, false }, 2, 4 },
	/* 0 1 0 1 0 0 0 0: trees 1-2, 3-2 and 5-3, 3-7, 2-1, 0-1 */
	{ { { 6, 2 }, 2, true }, 4, 6 },
	/* the last is a leaf of the first tree and the root of the second */
	{ { { 7, 1 }, 2, false }, 2, 2 },
};

static double spine_bytes(const struct fabric *fabric,
			  const struct spread *spread, const char *hint)
{
	uint32_t nodes[GOLDEN_MEMBERS_MAX];
	struct cost_score score;
	uint32_t n = golden_spread(spread->members, spread->leaves, WIDTH,
				   spread->in_turn, nodes);

	golden_score(fabric, hint, nodes, n, &score);
	ck_assert_double_eq(score.total.core, 0);
	/* 1:1 and idle: every byte at price 1. */
	ck_assert_double_eq_tol(score.cost, score.total.spine,
				1e-9 * (1 + score.total.spine));
	return score.total.spine;
}

static uint32_t members_of(const struct spread *spread)
{
	uint32_t leaf, sum = 0;

	for (leaf = 0; leaf < spread->leaves; leaf++)
		sum += spread->members[leaf];
	return sum;
}

/* In units of D. */
static double all_reduce(const struct fabric *fabric,
			 const struct spread *spread, const char *algorithm)
{
	uint32_t n = members_of(spread);
	char hint[128];

	snprintf(hint, sizeof(hint), "dp=%u,dp_bytes=%.0f,allreduce=%s", n,
		 2.0 * (n - 1) * BUFFER, algorithm);
	return spine_bytes(fabric, spread, hint) / (n * BUFFER);
}

/* In units of what one member sends, its own share included. */
static double all_to_all(const struct fabric *fabric,
			 const struct spread *spread)
{
	uint32_t n = members_of(spread);
	char hint[128];

	snprintf(hint, sizeof(hint), "dp=%u,ep=%u,etp=1,ep_bytes=%.0f", n, n,
		 (n - 1) * BUFFER);
	return spine_bytes(fabric, spread, hint) / (n * BUFFER);
}

#define close_to(ours, golden, what, i)                                     \
	ck_assert_msg(fabs((ours) - (golden)) < 1e-9, "%s %d: %g, not %g",   \
		      what, (int)(i), ours, golden)

START_TEST(all_reduce_by_hand)
{
	const struct all_reduce *row = &all_reduces[_i];
	const struct spread *spread = &row->spread;
	struct fabric *fabric = golden_fabric(FABRIC);
	double n = members_of(spread), k = spread->leaves;

	close_to(all_reduce(fabric, spread, "ring"),
		 row->ring_edges * 2 * (n - 1) / n, "ring", _i);
	close_to(all_reduce(fabric, spread, "tree"), (double)row->tree_edges,
		 "tree", _i);
	close_to(all_reduce(fabric, spread, "hierarchical"), 2 * (k - 1),
		 "hierarchical", _i);
	close_to(all_reduce(fabric, spread, "sharp"), k > 1 ? k : 0, "sharp",
		 _i);
	fabric_free(fabric);
}
END_TEST

START_TEST(all_to_all_by_hand)
{
	static const struct {
		struct spread spread;
		double golden;	/* n - the sum of m^2/n */
	} rows[] = {
		{ { { 8 }, 1, false }, 0 },
		{ { { 4, 4 }, 2, false }, 4 },
		{ { { 2, 2, 2, 2 }, 4, true }, 6 },
		{ { { 6, 2 }, 2, true }, 3 },
		{ { { 5, 3, 4, 4 }, 4, false }, 11.875 },
		{ { { 1, 1, 1, 1, 1, 1, 1, 1 }, 8, false }, 7 },
	};
	struct fabric *fabric = golden_fabric(FABRIC);
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		close_to(all_to_all(fabric, &rows[i].spread), rows[i].golden,
			 "all-to-all", i);
	fabric_free(fabric);
}
END_TEST

/* Two GPUs a node: D counts ranks, the trees nodes. */
START_TEST(trees_join_nodes)
{
	struct fabric *fabric =
		golden_fabric("spine:1 leaf:2 node:2 gpus=2 nics=2");
	static const uint32_t nodes[] = { 0, 2 };
	struct cost_score score;

	/* n = 4, D = bytes * 4/6 = 2e6; one edge a tree, D in all on each */
	golden_score(fabric, "dp=4,dp_bytes=3e6,allreduce=tree", nodes, 2,
		     &score);
	ck_assert_double_eq_tol(score.total.spine, 4e6, 1e-3);
	golden_score(fabric, "dp=4,dp_bytes=3e6,allreduce=hierarchical",
		     nodes, 2, &score);
	ck_assert_double_eq_tol(score.total.spine, 4e6, 1e-3);
	golden_score(fabric, "dp=4,dp_bytes=3e6,allreduce=sharp", nodes, 2,
		     &score);
	ck_assert_double_eq_tol(score.total.spine, 4e6, 1e-3);
	/* ranks 0 1 | 2 3: two of the ring's four edges */
	golden_score(fabric, "dp=4,dp_bytes=3e6,allreduce=ring", nodes, 2,
		     &score);
	ck_assert_double_eq(score.total.spine, 6e6);
	ck_assert_double_eq(score.total.local, 6e6);
	fabric_free(fabric);
}
END_TEST

START_TEST(tree_parents_by_hand)
{
	static const uint32_t root = UINT32_MAX;
	const struct {
		uint32_t count;
		uint32_t parents[2][8];
	} rows[] = {
		{ 2, { { root, 0 }, { 1, root } } },
		{ 3, { { root, 2, 0 }, { 1, root, 0 } } },
		{ 4, { { root, 2, 0, 2 }, { 1, 3, 1, root } } },
		{ 5, { { root, 2, 4, 2, 0 }, { 1, root, 3, 0, 3 } } },
		{ 8, { { root, 2, 4, 2, 0, 6, 4, 6 },
		       { 1, 3, 1, 7, 5, 3, 5, root } } },
	};
	uint32_t row, tree, i;

	for (row = 0; row < sizeof(rows) / sizeof(rows[0]); row++)
		for (tree = 0; tree < 2; tree++)
			for (i = 0; i < rows[row].count; i++)
				ck_assert_uint_eq(
					traffic_tree_parent(i, rows[row].count,
							    (int)tree),
					rows[row].parents[tree][i]);
}
END_TEST

/* --- the larger table that is not part of this tree --- */

static void read_spread(json_t *row, struct spread *ret)
{
	json_t *members = json_object_get(row, "members_per_leaf");
	const char *order = json_string_value(json_object_get(row, "order"));
	uint32_t leaf;

	memset(ret, 0, sizeof(*ret));
	ret->leaves = (uint32_t)json_array_size(members);
	ck_assert_uint_le(ret->leaves, GOLDEN_LEAVES_MAX);
	for (leaf = 0; leaf < ret->leaves; leaf++)
		ret->members[leaf] = (uint32_t)json_integer_value(
			json_array_get(members, leaf));
	ret->in_turn = order && !strcmp(order, "round-robin");
}

static double number(json_t *row, const char *key)
{
	json_t *value = json_object_get(row, key);

	ck_assert_msg(json_is_number(value), "no number %s", key);
	return json_number_value(value);
}

static void check_edges(json_t *row, const char *key, int tree)
{
	uint32_t n = (uint32_t)number(row, "n"), child, parent, edges;
	json_t *list = json_object_get(row, key), *edge;
	size_t i;

	edges = (uint32_t)json_array_size(list);
	ck_assert_uint_eq(edges, n - 1);
	json_array_foreach(list, i, edge) {
		child = (uint32_t)json_integer_value(json_array_get(edge, 0));
		parent = (uint32_t)json_integer_value(json_array_get(edge, 1));
		ck_assert_uint_eq(traffic_tree_parent(child, n, tree), parent);
	}
}

START_TEST(shared_table)
{
	json_t *root = golden_shared("golden-collectives.json"), *row;
	struct fabric *fabric;
	struct spread spread;
	size_t i;

	if (!root)
		return;
	fabric = golden_fabric(FABRIC);
	json_array_foreach(json_object_get(root, "allreduce"), i, row) {
		read_spread(row, &spread);
		close_to(all_reduce(fabric, &spread, "ring"),
			 number(row, "ring"), "ring", i);
		close_to(all_reduce(fabric, &spread, "tree"),
			 number(row, "tree"), "tree", i);
		close_to(all_reduce(fabric, &spread, "hierarchical"),
			 number(row, "two_level"), "hierarchical", i);
		close_to(all_reduce(fabric, &spread, "sharp"),
			 number(row, "sharp"), "sharp", i);
	}
	ck_assert_uint_gt(i, 0);
	json_array_foreach(json_object_get(root, "alltoall"), i, row) {
		read_spread(row, &spread);
		close_to(all_to_all(fabric, &spread),
			 number(row, "sum_uplink_over_B"), "all-to-all", i);
	}
	json_array_foreach(json_object_get(root, "edges"), i, row) {
		check_edges(row, "tree0_child_parent", 0);
		check_edges(row, "tree1_child_parent", 1);
	}
	fabric_free(fabric);
	json_decref(root);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("collectives");
	TCase *tests = tcase_create("goldens");
	int rows = sizeof(all_reduces) / sizeof(all_reduces[0]);

	tcase_add_loop_test(tests, all_reduce_by_hand, 0, rows);
	tcase_add_test(tests, all_to_all_by_hand);
	tcase_add_test(tests, trees_join_nodes);
	tcase_add_test(tests, tree_parents_by_hand);
	tcase_add_test(tests, shared_table);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
