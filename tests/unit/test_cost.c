/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prices of bundles and scores of placements, in numbers worked out by hand. */

#include <string.h>

#include "cost.h"
#include "engine.h"
#include "fault.h"

/* Leaves of 2 nodes of 8 * 400 Gbit/s: 6400 down. Up 6400, or 1600. */
#define FLAT "spine:4 leaf:2 node:2 links=4"
#define FOUR_TO_ONE "spine:4 leaf:2 node:2"
/* Leaves 3200 down and 800 up; a Spine 400 down and 800, or 50, up. */
#define PODS "core:2 pod:2 spine:2 leaf:1 node:1"
#define THIN_CORE "core:1 pod:2 spine:2 leaf:1 node:1 core_gbps=50"
#define LINK(a, b, gbps) \
	"{\"from\": \"" a "\", \"to\": \"" b "\", \"gbps\": " gbps "}"

/* l1 under Spines with nothing in common in their names, l2 under the core. */
#define SKIPPED \
	"{\"nodes\": [{\"names\": \"a[1-4]\"}], \"switches\": [" \
	"{\"name\": \"l1\", \"tier\": \"leaf\", \"nodes\": \"a[1-2]\"," \
	" \"uplinks\": [{\"to\": \"x1\"}, {\"to\": \"y1\"}]}," \
	"{\"name\": \"l2\", \"tier\": \"leaf\", \"nodes\": \"a[3-4]\"," \
	" \"uplinks\": [{\"to\": \"c\", \"count\": 4}]}," \
	"{\"name\": \"x1,y1\", \"tier\": \"spine\"," \
	" \"uplinks\": [{\"to\": \"c\", \"gbps\": 100}]}," \
	"{\"name\": \"c\", \"tier\": \"core\"}]}"

static const struct {
	const char *fabric, *links, *leaf;
	double price, core;	/* the same in both directions */
} price_cases[] = {
	{ FLAT, "", "leaf1", 1, 1 },
	{ FOUR_TO_ONE, "", "leaf1", 4, 1 },
	/* more up than down is not cheaper than 1 */
	{ "spine:4 leaf:2 node:1 links=4", "", "leaf1", 1, 1 },
	/* 6400 built, 4800 left */
	{ FLAT, LINK("leaf1", "spine1", "0"), "leaf1", 4.0 / 3, 1 },
	{ FLAT, LINK("leaf1", "spine1", "0"), "leaf2", 1, 1 },
	/* 4:1, and half of it left */
	{ FOUR_TO_ONE, LINK("leaf2", "spine1", "0") ","
		       LINK("leaf2", "spine4", "0"), "leaf2", 8, 1 },
	/* nothing left counts as 1 % */
	{ FLAT, LINK("leaf1", "spine1", "0") "," LINK("leaf1", "spine2", "0")
		"," LINK("leaf1", "spine3", "0") ","
		LINK("leaf1", "spine4", "0"), "leaf1", 100, 1 },
	{ PODS, "", "leaf1", 4, 1 },
	{ THIN_CORE, "", "leaf1", 4, 8 },
	/* Spines of two leaves: 800 down, 800 up */
	{ "core:2 pod:2 spine:2 leaf:2 node:1", "", "leaf3", 4, 1 },
	{ "core:1 pod:2 spine:2 leaf:2 node:1", "", "leaf3", 4, 2 },
	/* the two Spines of a pod together: 1600 built, 1200 left */
	{ "core:2 pod:2 spine:2 leaf:2 node:1",
	  LINK("spine1", "core1", "0"), "leaf1", 4, 4.0 / 3 },
	{ "core:2 pod:2 spine:2 leaf:2 node:1",
	  LINK("spine1", "core1", "0"), "leaf3", 4, 1 },
	/* 6400 down, 800 up; Spines 800 down and 200 up */
	{ SKIPPED, "", "l1", 8, 4 },
	/* straight to the core: 6400 down, 1600 up, no Spine to pay */
	{ SKIPPED, "", "l2", 4, 1 },
	{ "leaf:1 node:4", "", "leaf1", 1, 1 },
	/* a leaf a rail: two NICs of 400 down, 400 up */
	{ "spine:1 leaf:2 node:2 rails=2", "", "leaf2r1", 2, 1 },
};

START_TEST(price_is_oversubscription_over_what_is_left)
{
	struct fabric *fabric = engine_fabric(price_cases[_i].fabric);
	uint32_t leaf = engine_switch(fabric, price_cases[_i].leaf);
	struct cost_prices prices;
	struct state *state;
	char text[400];

	snprintf(text, sizeof(text), "{\"links\": [%s]}",
		 price_cases[_i].links);
	state = engine_state(fabric, text);
	ck_assert_int_eq(cost_prices_init(&prices, state), 0);
	ck_assert_double_eq_tol(prices.up[leaf], price_cases[_i].price, 1e-12);
	ck_assert_double_eq_tol(prices.down[leaf], price_cases[_i].price,
				1e-12);
	ck_assert_double_eq_tol(prices.core_up[leaf], price_cases[_i].core,
				1e-12);
	ck_assert_double_eq_tol(prices.core_down[leaf], price_cases[_i].core,
				1e-12);
	ck_assert(prices.rails_alike);
	cost_prices_done(&prices);
	state_free(state);
	fabric_free(fabric);
}
END_TEST

START_TEST(load_makes_one_direction_dear)
{
	struct fabric *fabric = engine_fabric(PODS);
	struct state *state = engine_state(fabric, NULL);
	uint32_t leaf1 = engine_switch(fabric, "leaf1");
	uint32_t leaf2 = engine_switch(fabric, "leaf2");
	uint32_t spine = engine_switch(fabric, "spine3");
	struct cost_prices prices;

	state->load_up_gbps[leaf1] = 400;	/* of 800 */
	state->load_down_gbps[leaf2] = 600;
	state->load_down_gbps[spine] = 800;	/* of 800, of 1600 with both */
	ck_assert_int_eq(cost_prices_init(&prices, state), 0);
	ck_assert_double_eq(prices.up[leaf1], 8);
	ck_assert_double_eq(prices.down[leaf1], 4);
	ck_assert_double_eq(prices.up[leaf2], 4);
	ck_assert_double_eq(prices.down[leaf2], 16);
	ck_assert_double_eq(prices.core_up[leaf2], 1);
	ck_assert_double_eq_tol(prices.core_down[leaf2], 1600 / 808.0, 1e-9);
	/* A flow pays the dearer of its ends, once for each tier. */
	ck_assert_double_eq(cost_pair_price(&prices, leaf1, leaf2, 0), 0);
	ck_assert_double_eq(cost_pair_price(&prices, leaf1, leaf2, 1), 0);
	ck_assert_double_eq(cost_pair_price(&prices, leaf1, leaf2, 2), 16);
	ck_assert_double_eq(cost_pair_price(&prices, leaf2, leaf1, 2), 4);
	ck_assert_double_eq_tol(cost_pair_price(&prices, leaf1, leaf2, 3),
				16 + 1600 / 808.0, 1e-9);
	ck_assert_double_eq(cost_pair_price(&prices, leaf2, leaf1, 3), 5);
	cost_prices_done(&prices);
	state_free(state);
	fabric_free(fabric);
}
END_TEST

START_TEST(rails_may_differ)
{
	struct fabric *fabric = engine_fabric("spine:2 leaf:2 node:1 rails=2");
	struct state *state = engine_state(fabric, "{\"links\": ["
		LINK("leaf2r1", "spine1", "0") "]}");
	struct cost_prices prices;

	ck_assert_int_eq(cost_prices_init(&prices, state), 0);
	ck_assert(!prices.rails_alike);
	cost_prices_done(&prices);
	state_free(state);
	fabric_free(fabric);
}
END_TEST

struct score_case {
	const char *fabric, *links, *hint, *nodes[4];
	uint32_t gpus;		/* of each node; 0: all */
	double cost, spine, core, leaf, local;
	uint32_t leaves;
	const char *link;
	double seconds, comm_seconds;
};

/* A GPU sends 1e9 to its like on the other node: 8e9 each way. */
#define RING "tp=8,dp_bytes=1G"

/* 1 Gbit/s carries 1.25e8 bytes a second. */
static const struct score_case score_cases[] = {
	/* up 8e9 / 1.25e8 / 6400; NICs 8e9 / 1.25e8 / 3200 */
	{ FLAT, "", RING, { "n0001", "n0003" }, 0, 16e9, 16e9, 0, 0, 0, 2,
	  "leaf1->spine*", 0.01, 0.02 },
	{ FOUR_TO_ONE, "", RING, { "n0001", "n0003" }, 0, 64e9, 16e9, 0, 0, 0,
	  2, "leaf1->spine*", 0.04, 0.04 },
	{ FLAT, "", RING, { "n0001", "n0002" }, 0, 0, 0, 0, 16e9, 0, 1, "", 0,
	  0.02 },
	{ FLAT, "", RING ",overlap=dp:0.75", { "n0001", "n0003" }, 0, 16e9,
	  16e9, 0, 0, 0, 2, "leaf1->spine*", 0.01, 0.005 },
	{ FLAT, "", "tp=8,tp_bytes=2", { "n0004" }, 0, 0, 0, 0, 0, 16, 1, "",
	  0, 0 },
	/* dp under the leaves, pp across: both boundaries 16e9 each way */
	{ FLAT, "", "tp=8,pp=2,dp_bytes=1G,pp_bytes=2G",
	  { "n0001", "n0002", "n0003", "n0004" }, 0, 64e9, 64e9, 0, 32e9, 0, 2,
	  "leaf1->spine*", 0.04, 0.02 + 0.04 },
	/* the other order: dp across, 4 * 8e9, pp under the leaves */
	{ FLAT, "", "tp=8,pp=2,dp_bytes=1G,pp_bytes=2G",
	  { "n0001", "n0003", "n0002", "n0004" }, 0, 32e9, 32e9, 0, 64e9, 0, 2,
	  "leaf1->spine*", 0.02, 0.02 + 0.04 },
	/* 64 pairs each way; to the hottest 8 senders send as much again */
	{ FLAT, "", "dp=16,ep=16,ep_bytes=15G,skew=2", { "n0001", "n0003" }, 0,
	  128e9, 128e9, 0, 0, 112e9, 2, "spine*->leaf1", 72e9 / 8e11,
	  64e9 / 4e11 },
	/* price 4 of the leaf and 1 of the core */
	{ PODS, "", RING, { "n0001", "n0002" }, 0, 80e9, 16e9, 16e9, 0, 0, 2,
	  "leaf1->spine*", 0.08, 0.08 },
	/* 4 and 8; each Spine carries half: 4e9 / 1.25e8 / 50 */
	{ THIN_CORE, "", RING, { "n0001", "n0002" }, 0, 192e9, 16e9, 16e9, 0,
	  0, 2, "spine1->core1", 0.64, 0.64 },
	/* a quarter of leaf2 is left: it is dear both ways, and slow */
	{ FLAT, LINK("leaf2", "spine1", "0") "," LINK("leaf2", "spine2", "0")
		"," LINK("spine3", "leaf2", "0"), RING, { "n0001", "n0003" },
	  0, 64e9, 16e9, 0, 0, 0, 2, "leaf2->spine*", 0.04, 0.04 },
	/* four of eight rings each rail: 4e9 / 1.25e8 / 400 */
	{ "spine:1 leaf:2 node:1 rails=2", "", RING, { "n0001", "n0002" }, 0,
	  16e9, 16e9, 0, 0, 0, 2, "leaf1r0->spine1", 0.08, 0.08 },
	/* under one unit of rails every GPU reaches every rail */
	{ "spine:1 leaf:2 node:2 rails=2", "", RING, { "n0001", "n0002" }, 0,
	  0, 0, 0, 16e9, 0, 1, "", 0, 0.08 },
	/* blocks of four GPUs have four NICs */
	{ FLAT, "", "tp=4,dp_bytes=1G", { "n0001", "n0003" }, 4, 8e9, 8e9, 0,
	  0, 0, 2, "leaf1->spine*", 0.005, 0.02 },
	/* one NVLink domain over both nodes: local, no NIC */
	{ "spine:2 leaf:1 node:2 domain=2", "", RING, { "n0001", "n0002" }, 0,
	  0, 0, 0, 0, 16e9, 1, "", 0, 0 },
	/* l1 pays 8 for its leaf and 4 for its Spines, l2 4 and 1 */
	{ SKIPPED, "", RING, { "a1", "a3" }, 0, 192e9, 16e9, 16e9, 0, 0, 2,
	  "x1->c", 4e9 / 1.25e8 / 100, 0.32 },
	/* parents whose names share nothing are called by their tier */
	{ SKIPPED, LINK("x1", "c", "100") "," LINK("l1", "x1", "0") ","
		   LINK("l1", "y1", "0"), RING, { "a1", "a3" }, 0,
	  16e9 * (800 + 4), 16e9, 16e9, 0, 0, 2, "l1->spine*", 8, 8 },
	/* worked example of the note: 70B on two leaves of two nodes is J1 in
	 * small: stages 0 1 | 2 3, pp only, 16 flows of 536870912 */
	{ FLAT, "", "model=llama3-70b,tp=8,pp=4,microbatches=32",
	  { "n0001", "n0002", "n0003", "n0004" }, 0, 8589934592.0,
	  8589934592.0, 0, 17179869184.0,
	  /* tp: 80/4 * 32 * 8A * 7/8, A = 8192*8192*2, of 32 GPUs */
	  32 * 20.0 * 32 * 7 * 134217728, 2, "leaf1->spine*",
	  4294967296.0 / 8e11, 8589934592.0 / 4e11 },
};

static struct traffic *traffic_of(const struct fabric *fabric,
				  const struct job_profile *job,
				  const uint32_t *nodes, uint32_t each,
				  uint32_t count)
{
	uint32_t gpus[4];
	struct traffic *traffic;

	for (uint32_t k = 0; k < count; k++)
		gpus[k] = each ? each : fabric->nodes[nodes[k]].gpus;
	traffic = traffic_build(job, gpus, count, fabric->has_rails);
	ck_assert_ptr_nonnull(traffic);
	return traffic;
}

static struct cost_score score(const struct score_case *c,
			       struct job_profile *job)
{
	struct fabric *fabric = engine_fabric(c->fabric);
	uint32_t nodes[4], count = 0;
	struct cost_prices prices;
	struct traffic *traffic;
	struct cost_score ret;
	struct state *state;
	char text[400];

	snprintf(text, sizeof(text), "{\"links\": [%s]}", c->links);
	state = engine_state(fabric, text);
	for (; count < 4 && c->nodes[count]; count++)
		nodes[count] = engine_node(fabric, c->nodes[count]);
	*job = engine_profile(c->hint, count * (c->gpus ? c->gpus : 8));
	traffic = traffic_of(fabric, job, nodes, c->gpus, count);
	ck_assert_int_eq(cost_prices_init(&prices, state), 0);
	ck_assert_int_eq(cost_score(state, &prices, job, traffic, nodes, &ret),
			 0);
	cost_prices_done(&prices);
	traffic_free(traffic);
	state_free(state);
	fabric_free(fabric);
	return ret;
}

static void check_near(double found, double wanted)
{
	ck_assert_double_eq_tol(found, wanted, wanted * 1e-12 + 1e-300);
}

START_TEST(score_is_what_was_worked_out)
{
	const struct score_case *c = &score_cases[_i];
	struct job_profile job;
	struct cost_score found = score(c, &job);
	struct cost_bytes sum = { 0 };

	check_near(found.cost, c->cost);
	check_near(found.total.spine, c->spine);
	check_near(found.total.core, c->core);
	check_near(found.total.leaf, c->leaf);
	check_near(found.total.local, c->local);
	ck_assert_uint_eq(found.leaves, c->leaves);
	ck_assert_str_eq(found.bottleneck_link, c->link);
	check_near(found.bottleneck_seconds, c->seconds);
	check_near(found.bottleneck_utilisation, c->seconds / job.step);
	check_near(found.comm_seconds, c->comm_seconds);
	for (int dim = 0; dim < DIMENSIONS; dim++) {
		sum.spine += found.by_dimension[dim].spine;
		sum.core += found.by_dimension[dim].core;
		sum.leaf += found.by_dimension[dim].leaf;
		sum.local += found.by_dimension[dim].local;
	}
	check_near(sum.spine, c->spine);
	check_near(sum.core, c->core);
	check_near(sum.leaf, c->leaf);
	check_near(sum.local, c->local);
}
END_TEST

START_TEST(dimensions_are_kept_apart)
{
	struct job_profile job;
	struct cost_score found = score(&score_cases[5], &job);

	ck_assert_double_eq(found.by_dimension[DIM_PP].spine, 64e9);
	ck_assert_double_eq(found.by_dimension[DIM_DP].spine, 0);
	ck_assert_double_eq(found.by_dimension[DIM_DP].leaf, 32e9);
	ck_assert_double_eq(found.by_dimension[DIM_PP].leaf, 0);
}
END_TEST

/* a and b share l2, b and c share l3: leaves are connected classes. */
#define CHAIN \
	"{\"nodes\": [{\"names\": \"a,b,c\", \"gpus\": 2}], \"switches\": [" \
	"{\"name\": \"s\", \"tier\": \"spine\"}," \
	"{\"name\": \"l1\", \"tier\": \"leaf\", \"nodes\": \"a\"," \
	" \"rail\": 0, \"uplinks\": [{\"to\": \"s\"}]}," \
	"{\"name\": \"l2\", \"tier\": \"leaf\", \"nodes\": \"a,b\"," \
	" \"rail\": 1, \"uplinks\": [{\"to\": \"s\"}]}," \
	"{\"name\": \"l3\", \"tier\": \"leaf\", \"nodes\": \"b,c\"," \
	" \"rail\": 0, \"uplinks\": [{\"to\": \"s\"}]}," \
	"{\"name\": \"l4\", \"tier\": \"leaf\", \"nodes\": \"c\"," \
	" \"rail\": 1, \"uplinks\": [{\"to\": \"s\"}]}]}"

START_TEST(leaves_are_connected_classes)
{
	static const struct score_case chains[] = {
		{ CHAIN, "", "dp_bytes=1", { "a", "c" }, 2, 0, 0, 0, 0, 0, 2,
		  "", 0, 0 },
		{ CHAIN, "", "dp_bytes=1", { "a", "b", "c" }, 2, 0, 0, 0, 0, 0,
		  1, "", 0, 0 },
		{ CHAIN, "", "dp_bytes=1", { "a", "c", "b" }, 2, 0, 0, 0, 0, 0,
		  1, "", 0, 0 },
	};
	struct job_profile job;

	ck_assert_uint_eq(score(&chains[_i], &job).leaves, chains[_i].leaves);
}
END_TEST

START_TEST(scoring_needs_memory)
{
	struct fabric *fabric = engine_fabric(FLAT);
	struct state *state = engine_state(fabric, NULL);
	struct job_profile job = engine_profile("dp=16,ep=16", 0);
	static const uint32_t nodes[] = { 0, 2 };
	struct traffic *traffic = traffic_of(fabric, &job, nodes, 8, 2);
	struct cost_prices prices;
	long n;

	for (n = 1; ; n++) {
		struct cost_score found = { .leaves = 77 };
		int status;
		bool hit;

		memset(&prices, 0, sizeof(prices));
		fault_after(n);
		status = cost_prices_init(&prices, state);
		if (!status)
			status = cost_score(state, &prices, &job, traffic,
					    nodes, &found);
		hit = fault_hit();
		fault_off();
		cost_prices_done(&prices);
		ck_assert_int_eq(status, hit ? -1 : 0);
		ck_assert_uint_eq(found.leaves, hit ? 77 : 2);
		if (!hit)
			break;
	}
	ck_assert_int_gt(n, 8);
	traffic_free(traffic);
	state_free(state);
	fabric_free(fabric);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("cost");
	TCase *price = tcase_create("prices");
	TCase *scores = tcase_create("score");

	tcase_add_loop_test(price, price_is_oversubscription_over_what_is_left,
			    0, sizeof(price_cases) / sizeof(*price_cases));
	tcase_add_test(price, load_makes_one_direction_dear);
	tcase_add_test(price, rails_may_differ);
	suite_add_tcase(suite, price);
	tcase_add_loop_test(scores, score_is_what_was_worked_out, 0,
			    sizeof(score_cases) / sizeof(*score_cases));
	tcase_add_test(scores, dimensions_are_kept_apart);
	tcase_add_loop_test(scores, leaves_are_connected_classes, 0, 3);
	tcase_add_test(scores, scoring_needs_memory);
	suite_add_tcase(suite, scores);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
