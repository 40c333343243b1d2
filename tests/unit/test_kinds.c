/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds of nodes, flows between them, and the load of flows on bundles. */

#include <string.h>

#include "engine.h"
#include "fault.h"
#include "flows.h"
#include "kinds.h"
#include "load.h"

static const struct {
	const char *fabric;
	uint32_t count;
	const char *a, *b;	/* two nodes, */
	int level;		/* and the level between their kinds */
} kind_cases[] = {
	{ "spine:2 leaf:2 node:4", 2, "n0001", "n0004", 1 },
	{ "spine:2 leaf:2 node:4", 2, "n0001", "n0005", 2 },
	{ "spine:2 leaf:2 node:4 domain=2", 4, "n0001", "n0002", 0 },
	{ "spine:2 leaf:2 node:4 domain=2", 4, "n0001", "n0003", 1 },
	{ "spine:2 leaf:2 node:4 domain=2", 4, "n0001", "n0005", 2 },
	{ "core:1 pod:2 spine:2 leaf:2 node:2", 4, "n0001", "n0004", 2 },
	{ "core:1 pod:2 spine:2 leaf:2 node:2", 4, "n0001", "n0005", 3 },
	{ "spine:2 leaf:2 node:4 rails=4", 2, "n0001", "n0004", 1 },
	{ "spine:2 leaf:2 node:4 rails=4", 2, "n0004", "n0005", 2 },
	{ "leaf:1 node:3", 1, "n0001", "n0003", 1 },
	/* fewer NICs are another kind under the same leaf */
	{ "{\"nodes\": [{\"names\": \"a[1-2]\"},"
	  "{\"names\": \"b1\", \"nics\": 4}], \"switches\": ["
	  "{\"name\": \"l\", \"tier\": \"leaf\", \"nodes\": \"a[1-2],b1\"}]}",
	  2, "a1", "b1", 1 },
	/* a domain under two leaves: a kind for each leaf, level 0 */
	{ "{\"nodes\": [{\"names\": \"a[1-4]\", \"nvlink_domain\": \"r\"}],"
	  "\"switches\": [{\"name\": \"s\", \"tier\": \"spine\"},"
	  "{\"name\": \"l1\", \"tier\": \"leaf\", \"nodes\": \"a[1-2]\","
	  "\"uplinks\": [{\"to\": \"s\"}]},"
	  "{\"name\": \"l2\", \"tier\": \"leaf\", \"nodes\": \"a[3-4]\","
	  "\"uplinks\": [{\"to\": \"s\"}]}]}", 2, "a1", "a4", 0 },
};

START_TEST(kinds_are_what_levels_depend_on)
{
	struct fabric *fabric = engine_fabric(kind_cases[_i].fabric);
	uint32_t a = engine_node(fabric, kind_cases[_i].a);
	uint32_t b = engine_node(fabric, kind_cases[_i].b);
	struct kinds kinds;

	ck_assert_int_eq(kinds_init(&kinds, fabric), 0);
	ck_assert_uint_eq(kinds.count, kind_cases[_i].count);
	ck_assert_int_eq(kinds_level(&kinds, fabric, kinds.of_node[a],
				     kinds.of_node[b]), kind_cases[_i].level);
	for (uint32_t k = 0; k < kinds.count; k++)
		ck_assert_uint_eq(kinds.of_node[kinds.node_of[k]], k);
	kinds_done(&kinds);
	fabric_free(fabric);
}
END_TEST

START_TEST(rails_have_leaves_of_their_own)
{
	struct fabric *fabric = engine_fabric("spine:1 leaf:2 node:2 rails=2");
	uint32_t node = engine_node(fabric, "n0003");
	struct kinds kinds;

	ck_assert_int_eq(kinds_init(&kinds, fabric), 0);
	for (uint32_t rail = 0; rail < 4; rail++)
		ck_assert_uint_eq(kinds_leaf(&kinds, fabric,
					     kinds.of_node[node], rail),
				  engine_switch(fabric, rail % 2 ?
						"leaf2r1" : "leaf2r0"));
	kinds_done(&kinds);
	fabric_free(fabric);
}
END_TEST

START_TEST(kinds_need_memory)
{
	struct fabric *fabric = engine_fabric("spine:2 leaf:2 node:4");
	long n;

	for (n = 1; ; n++) {
		struct kinds kinds = { 0 };
		int status;
		bool hit;

		fault_after(n);
		status = kinds_init(&kinds, fabric);
		hit = fault_hit();
		fault_off();
		ck_assert_int_eq(status, hit ? -1 : 0);
		kinds_done(&kinds);
		if (!hit)
			break;
	}
	ck_assert_int_gt(n, 4);
	fabric_free(fabric);
}
END_TEST

/* Sums of all flows, by level and by dimension. */
struct sums {
	double levels[4];
	double dimensions[DIMENSIONS];
	double hot, largest;
	uint32_t flows;
	double sent[16], received[16];	/* by block */
};

static void add_flow(void *context, const struct flow *flow)
{
	struct sums *sums = context;

	ck_assert(flow->level >= 0 && flow->level <= 3);
	ck_assert(flow->bytes > 0);
	sums->levels[flow->level] += flow->bytes;
	sums->dimensions[flow->dimension] += flow->bytes;
	sums->hot += flow->level >= 2 ? flow->hot_bytes : 0;
	if (flow->bytes > sums->largest)
		sums->largest = flow->bytes;
	sums->flows++;
}

static void add_ends(void *context, uint32_t block, enum dimension dimension,
		     double sent, double received)
{
	struct sums *sums = context;

	(void)dimension;
	sums->sent[block] += sent;
	sums->received[block] += received;
}

/* Walks a hint over the first nodes of a fabric, EACH GPUs of each. */
static struct sums walk(const char *text, const char *hint, uint32_t each,
			double skew)
{
	struct fabric *fabric = engine_fabric(text);
	struct job_profile job = engine_profile(hint, 0);
	uint32_t nodes[16], gpus[16], first[16] = { 0 };
	uint32_t count = job.gpus / each;
	struct traffic *traffic;
	struct kinds kinds;
	struct sums sums = { 0 };
	struct flow_sink sink = { &sums, add_flow, add_ends };
	struct flow_source source = {
		fabric, &kinds, NULL, nodes, first, skew
	};

	for (uint32_t i = 0; i < count; i++) {
		nodes[i] = i;
		gpus[i] = each;
	}
	traffic = traffic_build(&job, gpus, count, fabric->has_rails);
	ck_assert_ptr_nonnull(traffic);
	ck_assert_int_eq(kinds_init(&kinds, fabric), 0);
	source.traffic = traffic;
	ck_assert_int_eq(flows_walk(&source, &sink), 0);
	kinds_done(&kinds);
	traffic_free(traffic);
	fabric_free(fabric);
	return sums;
}

#define TWO_LEAVES "spine:2 leaf:2 node:2"
#define TWO_PODS "core:1 pod:2 spine:2 leaf:2 node:1"

static const struct {
	const char *fabric, *hint;
	uint32_t each;
	double levels[4];
} flow_cases[] = {
	/* ring 0 1 | 2 3: 1-2 and 3-0 cross */
	{ TWO_LEAVES, "dp=4,dp_bytes=5", 1, { 0, 10, 10, 0 } },
	/* the first and the last node of four under four leaves, two pods */
	{ TWO_PODS, "dp=4,dp_bytes=5", 1, { 0, 0, 10, 10 } },
	/* 12 pairs of 2: 4 under a leaf, 8 across */
	{ TWO_LEAVES, "dp=4,ep=4,ep_bytes=6,dp_bytes=0", 1, { 0, 8, 16, 0 } },
	/* of two ranks a node: 2*2*2 pairs in the nodes are not walked */
	{ TWO_LEAVES, "dp=8,ep=8,ep_bytes=7,dp_bytes=0", 2,
	  { 0, 16, 32, 0 } },
	/* domains of two nodes: a leaf's pairs are local */
	{ TWO_LEAVES " domain=2", "dp=4,ep=4,ep_bytes=6", 1, { 8, 0, 16, 0 } },
	/* 12 pairs: 4 in the pods, 8 over the core */
	{ TWO_PODS, "dp=4,ep=4,ep_bytes=6,dp_bytes=0", 1, { 0, 0, 8, 16 } },
	/* the same with rails, where receivers stand apart */
	{ TWO_LEAVES " rails=2", "dp=8,ep=8,ep_bytes=7,dp_bytes=0", 2,
	  { 0, 16, 32, 0 } },
	/* D = 6*4/6 = 4, k = 2 leaves: 2(k-1)/k D each */
	{ TWO_LEAVES, "dp=4,dp_bytes=6,allreduce=hierarchical", 1,
	  { 0, 0, 8, 0 } },
	{ TWO_LEAVES, "dp=2,dp_bytes=6,allreduce=hierarchical", 1,
	  { 0, 0, 0, 0 } },
	/* k = 4: 2*3/4*4 = 6 each, two of the four hops over the core */
	{ TWO_PODS, "dp=4,dp_bytes=6,allreduce=hierarchical", 1,
	  { 0, 0, 12, 12 } },
	/* k D, at level 2 while one Spine joins them all, else 3 */
	{ TWO_LEAVES, "dp=4,dp_bytes=6,allreduce=sharp", 1, { 0, 0, 8, 0 } },
	{ TWO_LEAVES, "dp=2,dp_bytes=6,allreduce=sharp", 1, { 0, 0, 0, 0 } },
	{ TWO_PODS, "dp=4,dp_bytes=6,allreduce=sharp", 1, { 0, 0, 0, 16 } },
	{ TWO_PODS, "dp=2,dp_bytes=6,allreduce=sharp", 1, { 0, 0, 12, 0 } },
	/* tree of 4: tree 0 is 1-2, 2-0, 3-2, tree 1 its mirror 2-1, 1-3,
	 * 0-1; 1-2, 2-0, 2-1, 1-3 cross, D = 4 on each, up and down */
	{ TWO_LEAVES, "dp=4,dp_bytes=6,allreduce=tree", 1, { 0, 8, 16, 0 } },
	/* two groups over the same nodes count twice */
	{ TWO_LEAVES, "tp=2,dp=4,dp_bytes=6,allreduce=sharp", 2,
	  { 0, 0, 16, 0 } },
	{ TWO_LEAVES, "tp=2,dp=4,ep=4,ep_bytes=6,dp_bytes=0", 2,
	  { 0, 16, 32, 0 } },
};

START_TEST(flows_have_the_level_of_their_nodes)
{
	struct sums sums = walk(flow_cases[_i].fabric, flow_cases[_i].hint,
				flow_cases[_i].each, 1);

	for (int level = 0; level < 4; level++) {
		if (level == 1 && strstr(flow_cases[_i].hint, "tree"))
			continue;	/* leaf bytes of it: no contract */
		ck_assert_double_eq_tol(sums.levels[level],
					flow_cases[_i].levels[level], 1e-9);
	}
	ck_assert_double_eq(sums.hot, 0);
}
END_TEST

START_TEST(hot_experts_add_to_the_receivers_only)
{
	const char *hint = "dp=4,ep=4,ep_bytes=6,dp_bytes=0";
	struct sums even = walk(TWO_LEAVES, hint, 1, 1);
	struct sums hot = walk(TWO_LEAVES, hint, 1, 1.5);

	for (int level = 0; level < 4; level++)
		ck_assert_double_eq(even.levels[level], hot.levels[level]);
	/* to the hottest of either leaf: 2 senders of 2 bytes, half on top */
	ck_assert_double_eq(hot.hot, 2 * 2 * 2 * 0.5);
}
END_TEST

START_TEST(nics_carry_what_leaves_the_node)
{
	struct sums sums = walk(TWO_LEAVES, "dp=8,ep=8,ep_bytes=7,dp_bytes=0",
				2, 1);

	/* two ranks to six others, a byte each */
	for (int block = 0; block < 4; block++) {
		ck_assert_double_eq(sums.sent[block], 12);
		ck_assert_double_eq(sums.received[block], 12);
	}
	sums = walk(TWO_LEAVES " domain=2", "dp=4,dp_bytes=5", 1, 1);
	ck_assert_double_eq(sums.sent[0], 0);
	ck_assert_double_eq(sums.received[0], 5);
	ck_assert_double_eq(sums.sent[1], 5);
	ck_assert_double_eq(sums.received[1], 0);
}
END_TEST

/* An all-to-all over many nodes is a few flows. */
START_TEST(like_flows_come_as_one)
{
	struct sums sums = walk("spine:2 leaf:2 node:8",
				"dp=16,ep=16,ep_bytes=15,dp_bytes=0", 1, 1);

	ck_assert_double_eq(sums.levels[1], 2 * 8 * 7);
	ck_assert_double_eq(sums.levels[2], 2 * 8 * 8);
	/* two kinds, eight NIC indices are not told apart without a rail */
	ck_assert_uint_le(sums.flows, 4);
	ck_assert_double_eq(sums.dimensions[DIM_EP], 240);
}
END_TEST

#define UNEVEN \
	"{\"nodes\": [{\"names\": \"a[1-2]\"}], \"switches\": [" \
	"{\"name\": \"l1\", \"tier\": \"leaf\", \"nodes\": \"a1\"," \
	" \"uplinks\": [{\"to\": \"s1\"}, {\"to\": \"s2\", \"count\": 3}]}," \
	"{\"name\": \"l2\", \"tier\": \"leaf\", \"nodes\": \"a2\"," \
	" \"uplinks\": [{\"to\": \"c\"}]}," \
	"{\"name\": \"s[1-2]\", \"tier\": \"spine\"," \
	" \"uplinks\": [{\"to\": \"c\"}]}," \
	"{\"name\": \"c\", \"tier\": \"core\"}]}"

START_TEST(load_is_spread_by_capacity)
{
	struct fabric *fabric = engine_fabric(UNEVEN);
	uint32_t l1 = engine_switch(fabric, "l1");
	uint32_t l2 = engine_switch(fabric, "l2");
	uint32_t s1 = engine_switch(fabric, "s1");
	uint32_t s2 = engine_switch(fabric, "s2");
	struct flow flow = { .level = 3, .dimension = DIM_PP, .bytes = 80 };
	struct kinds kinds;
	struct load load;

	ck_assert_int_eq(kinds_init(&kinds, fabric), 0);
	ck_assert_int_eq(load_init(&load, fabric, &kinds), 0);
	flow.from = kinds.of_node[engine_node(fabric, "a1")];
	flow.to = kinds.of_node[engine_node(fabric, "a2")];
	load_add(&load, &flow);
	flow.level = 1;
	load_add(&load, &flow);		/* stays under a leaf */
	flow = (struct flow){ .level = 3, .dimension = DIM_PP, .bytes = 8,
			      .from = flow.to, .to = flow.from,
			      .hot_bytes = 4 };
	load_add(&load, &flow);
	load_spread(&load);
	ck_assert_double_eq(load_cells(&load, DIM_PP, LOAD_UP)[l1], 80);
	ck_assert_double_eq(load_cells(&load, DIM_PP, LOAD_DOWN)[l1], 12);
	ck_assert_double_eq(load_cells(&load, DIM_PP, LOAD_UP)[l2], 8);
	ck_assert_double_eq(load_cells(&load, DIM_PP, LOAD_DOWN)[l2], 80);
	/* one link to s1, three to s2 */
	ck_assert_double_eq(load_cells(&load, DIM_PP, LOAD_UP)[s1], 20);
	ck_assert_double_eq(load_cells(&load, DIM_PP, LOAD_UP)[s2], 60);
	ck_assert_double_eq(load_cells(&load, DIM_PP, LOAD_DOWN)[s1], 3);
	ck_assert_double_eq(load_cells(&load, DIM_PP, LOAD_DOWN)[s2], 9);
	ck_assert_double_eq(load_cells(&load, DIM_DP, LOAD_UP)[l1], 0);
	load_done(&load);
	kinds_done(&kinds);
	fabric_free(fabric);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("kinds");
	TCase *kinds = tcase_create("kinds");
	TCase *flows = tcase_create("flows");
	TCase *load = tcase_create("load");

	tcase_add_loop_test(kinds, kinds_are_what_levels_depend_on, 0,
			    sizeof(kind_cases) / sizeof(*kind_cases));
	tcase_add_test(kinds, rails_have_leaves_of_their_own);
	tcase_add_test(kinds, kinds_need_memory);
	suite_add_tcase(suite, kinds);
	tcase_add_loop_test(flows, flows_have_the_level_of_their_nodes, 0,
			    sizeof(flow_cases) / sizeof(*flow_cases));
	tcase_add_test(flows, hot_experts_add_to_the_receivers_only);
	tcase_add_test(flows, nics_carry_what_leaves_the_node);
	tcase_add_test(flows, like_flows_come_as_one);
	suite_add_tcase(suite, flows);
	tcase_add_test(load, load_is_spread_by_capacity);
	suite_add_tcase(suite, load);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
