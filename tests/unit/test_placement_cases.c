/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases that users of schedulers reported, reduced to a fabric, what is free
 * and a job. What a good answer is follows from the traffic in each comment.
 */

#include <string.h>

#include "place.h"

/* How many nodes of the answer each of these leaves has. */
struct spread_case {
	struct place_case in;
	uint32_t leaves[8];	/* of leaf1, leaf2, ... */
	double spine;		/* -1: not looked at */
};

/* Leaves with 15, 8 and 8 nodes free. */
#define UNEVEN "spine:16 leaf:3 node:15 links=8"
#define UNEVEN_DOWN "{\"down\": \"n[0024-0030,0039-0045]\"}"
/* Leaves with 10, 5, 5 and 5 nodes free. */
#define FIVES "spine:16 leaf:4 node:10 links=8"
#define FIVES_DOWN "{\"down\": \"n[0016-0020,0026-0030,0036-0040]\"}"
/* Racks of 18 nodes of 4 GPUs, each one NVLink domain under a leaf. */
#define RACKS "spine:4 leaf:8 node:18 gpus=4 domain=18"

static const struct spread_case spreads[] = {
	/*
	 * Balanced or tight: an all-to-all of 16 nodes moves m(16-m) pairs each
	 * way, 15 for 15+1 against 64 for 8+8.
	 */
	{ { UNEVEN, UNEVEN_DOWN, "dp=128,ep=128,ep_bytes=127",
	    .min_nodes = 16, .max_nodes = 16 }, { 15, 1, 0 }, 2 * 15 * 64 },
	/* A ring has two borders either way: the leaves that fit exactly. */
	{ { UNEVEN, UNEVEN_DOWN, "tp=8,dp_bytes=1G", .min_nodes = 16,
	    .max_nodes = 16 }, { 0, 8, 8 }, 16e9 },
	/* two borders, not three */
	{ { FIVES, FIVES_DOWN, "tp=8,dp_bytes=1G", .min_nodes = 15,
	    .max_nodes = 15 }, { 10, 5, 0, 0 }, 16e9 },
	/*
	 * Even split over racks: expert groups of 16 nodes stay in a domain
	 * each, so 16+16, 3x16 and 8x16, not 18+14, 18+18+12 or 7x18+2.
	 */
	{ { RACKS, NULL, "ep=64,ep_bytes=40G", .min_nodes = 32,
	    .max_nodes = 32 }, { 16, 16 }, 0 },
	{ { RACKS, NULL, "ep=64,ep_bytes=40G,edp_bytes=1G", .min_nodes = 48,
	    .max_nodes = 48 }, { 16, 16, 16 }, 64 * 3e9 },
	{ { RACKS, NULL, "ep=64,ep_bytes=40G", .min_nodes = 128,
	    .max_nodes = 128 }, { 16, 16, 16, 16, 16, 16, 16, 16 }, 0 },
	/* Racks with 16 usable nodes. */
	{ { RACKS, "{\"down\": \"n[0017-0018,0035-0036,0053-0054]\"}",
	    "ep=64,ep_bytes=40G", .min_nodes = 48, .max_nodes = 48,
	    .allowed = "n[0001-0054]" }, { 16, 16, 16 }, 0 },
	/* The leaf with 2 nodes idle, not that with 4: 16 GPUs. */
	{ { "spine:4 leaf:2 node:4", "{\"down\": \"n[0005-0006]\"}",
	    "tp=8,dp_bytes=1G", .gpus = 16 }, { 0, 2 }, 0 },
	/*
	 * Expert slots and pipeline columns. Free: 4, 2 and 2 nodes; an expert
	 * group is two nodes, none may be torn. A column of 8 ranks sends both
	 * ways; only the two columns of the small leaves must cross.
	 */
	{ { "spine:4 leaf:3 node:4",
	    "{\"down\": \"n[0007-0008,0011-0012]\"}",
	    "pp=2,ep=16,ep_bytes=100G,pp_bytes=1G", .min_nodes = 8,
	    .max_nodes = 8 }, { 4, 2, 2 }, 2 * 2 * 8 * 1e9 },
	/* Groups of 6 GPUs on nodes of 4: two of them fill three nodes. */
	{ { "spine:2 leaf:1 node:4 gpus=4", NULL, "tp=6,dp_bytes=1",
	    .gpus = 12 }, { 3 }, 0 },
	/* Rails: two GPUs of the same index under one unit. */
	{ { "spine:2 leaf:1 node:4 rails=8", NULL, "dp=2,dp_bytes=1G",
	    .min_nodes = 2, .max_nodes = 2, .gpus_per_node = 1 }, { 0 }, 0 },
};

START_TEST(job_is_spread_as_its_traffic_asks)
{
	const struct spread_case *c = &spreads[_i];
	struct placement answer;
	struct place place;
	char leaf[16];

	place_init(&place, &c->in);
	answer = place_choose(&place);
	ck_assert_double_eq_tol(answer.score.total.spine, c->spine,
				c->spine * 1e-12 + 1e-9);
	for (int i = 0; i < 8 && !place.fabric->has_rails; i++) {
		snprintf(leaf, sizeof(leaf), "leaf%d", i + 1);
		if (fabric_find_switch(place.fabric, leaf) == FABRIC_NONE)
			break;
		ck_assert_uint_eq(place_under(&place, &answer, leaf),
				  c->leaves[i]);
	}
	placement_done(&answer);
	place_done(&place);
}
END_TEST

/* Domains of 8 with 2 and 6 nodes free: a gang of four goes to the six. */
START_TEST(gang_goes_to_the_fuller_domain)
{
	static const struct place_case in = {
		"spine:2 leaf:1 node:16 domain=8",
		"{\"down\": \"n[0003-0008,0015-0016]\"}", "tp=8,dp_bytes=1G",
		.min_nodes = 4, .max_nodes = 4
	};
	struct placement answer;
	struct place place;

	place_init(&place, &in);
	answer = place_choose(&place);
	for (uint32_t k = 0; k < answer.count; k++)
		ck_assert_uint_ge(answer.nodes[k], 8);
	ck_assert_double_eq(answer.score.total.leaf, 0);
	placement_done(&answer);
	place_done(&place);
}
END_TEST

/* Places a job and lets it run. */
static struct placement run(struct place *place, uint32_t gpus)
{
	struct placement answer;

	place->request.gpus = gpus;
	answer = place_choose(place);
	ck_assert_int_eq(state_add_job(place->state, answer.nodes, answer.gpus,
				       answer.count, NULL), 0);
	return answer;
}

/* 72 jobs of one GPU on racks of 18 nodes of 4 GPUs touch one rack only. */
START_TEST(small_jobs_do_not_shred_leaves)
{
	static const struct place_case in = {
		"spine:2 leaf:3 node:18 gpus=4", NULL, "tp=1", .gpus = 1
	};
	struct place place;

	place_init(&place, &in);
	for (int i = 0; i < 72; i++) {
		struct placement answer = run(&place, 1);

		ck_assert_uint_eq(answer.count, 1);
		ck_assert_uint_lt(answer.nodes[0], 18);
		placement_done(&answer);
	}
	for (uint32_t node = 0; node < 54; node++)
		ck_assert_uint_eq(state_free_gpus(place.state, node),
				  node < 18 ? 0 : 4);
	place_done(&place);
}
END_TEST

/* A job of 16 GPUs leaves room for one of 32 in one leaf. */
START_TEST(small_job_leaves_room_for_a_large_one)
{
	static const struct place_case in = {
		"spine:2 leaf:2 node:4", "{\"down\": \"n[0005-0006]\"}",
		"tp=8,dp_bytes=1G", .gpus = 16
	};
	struct placement answer;
	struct place place;

	place_init(&place, &in);
	answer = run(&place, 16);
	placement_done(&answer);
	answer = run(&place, 32);
	ck_assert_uint_eq(answer.score.leaves, 1);
	placement_done(&answer);
	place_done(&place);
}
END_TEST

/* Leaves with 5 and 3 nodes free take jobs of 3 and 5, whichever is first. */
START_TEST(order_does_not_decide_what_fits)
{
	static const struct place_case in = {
		"spine:2 leaf:2 node:5", "{\"down\": \"n[0006-0007]\"}",
		"tp=8,dp_bytes=1G", .gpus = 24
	};
	static const uint32_t sizes[2][2] = { { 24, 40 }, { 40, 24 } };
	struct place place;

	place_init(&place, &in);
	for (int i = 0; i < 2; i++) {
		struct placement answer = run(&place, sizes[_i][i]);

		ck_assert_uint_eq(answer.score.leaves, 1);
		placement_done(&answer);
	}
	place_done(&place);
}
END_TEST

/* One branch is leaf-core, the other leaf-Spine-core, all of them 1:1. */
#define UNEQUAL_DEPTH \
	"{\"nodes\": [{\"names\": \"a[1-3]\"}], \"switches\": [" \
	"{\"name\": \"l1\", \"tier\": \"leaf\", \"nodes\": \"a1\"," \
	" \"uplinks\": [{\"to\": \"c\", \"count\": 8}]}," \
	"{\"name\": \"l2\", \"tier\": \"leaf\", \"nodes\": \"a2\"," \
	" \"uplinks\": [{\"to\": \"s\", \"count\": 8}]}," \
	"{\"name\": \"l3\", \"tier\": \"leaf\", \"nodes\": \"a3\"," \
	" \"uplinks\": [{\"to\": \"s\", \"count\": 8}]}," \
	"{\"name\": \"s\", \"tier\": \"spine\"," \
	" \"uplinks\": [{\"to\": \"c\", \"count\": 16}]}," \
	"{\"name\": \"c\", \"tier\": \"core\"}]}"

START_TEST(distance_counts_real_hops)
{
	static const struct place_case in = {
		UNEQUAL_DEPTH, NULL, "tp=8,dp_bytes=1G", .min_nodes = 2,
		.max_nodes = 2
	};
	struct placement answer;
	struct place place;
	char *names;

	place_init(&place, &in);
	answer = place_choose(&place);
	names = place_names(&place, &answer);
	ck_assert_str_eq(names, "a[2-3]");
	ck_assert_double_eq(answer.score.total.core, 0);
	ck_assert_double_eq(answer.score.cost, 16e9);
	free(names);
	placement_done(&answer);
	place_done(&place);
}
END_TEST

/* Fabrics A and B of 8 nodes: 12 pend, the reason names it; 8 lie in one. */
START_TEST(no_job_spans_two_fabrics)
{
	static const struct place_case in = {
		"fabric:2 spine:2 leaf:2 node:4", NULL, "tp=8,dp_bytes=1G",
		.min_nodes = 8, .max_nodes = 8
	};
	struct placement_error why;
	struct placement answer;
	struct place place;

	place_init(&place, &in);
	answer = place_choose(&place);
	ck_assert_uint_eq(answer.count, 8);
	placement_done(&answer);
	place.request.min_nodes = place.request.max_nodes = 12;
	ck_assert_int_eq(placement_choose(&place.request, &answer, &why),
			 PLACEMENT_IMPOSSIBLE);
	ck_assert_ptr_nonnull(strstr(why.text, "connected"));
	place_done(&place);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("placement_cases");
	TCase *cases = tcase_create("cases");

	tcase_add_loop_test(cases, job_is_spread_as_its_traffic_asks, 0,
			    sizeof(spreads) / sizeof(*spreads));
	tcase_add_test(cases, gang_goes_to_the_fuller_domain);
	tcase_add_test(cases, small_jobs_do_not_shred_leaves);
	tcase_add_test(cases, small_job_leaves_room_for_a_large_one);
	tcase_add_loop_test(cases, order_does_not_decide_what_fits, 0, 2);
	tcase_add_test(cases, distance_counts_real_hops);
	tcase_add_test(cases, no_job_spans_two_fabrics);
	suite_add_tcase(suite, cases);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
