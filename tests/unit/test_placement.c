/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes a job gets. Expected nodes follow from the order of thought:
 * cost, bottleneck, what stays whole for others, names.
 */

#include <string.h>

#include "fault.h"
#include "place.h"

/* Leaves n0001-0004, n0005-0008, n0009-0012 of 8 GPUs a node. */
#define THREE "spine:4 leaf:3 node:4"
#define TWO_FABRICS "fabric:2 spine:2 leaf:2 node:4"
#define RING "tp=8,dp_bytes=1G"

/* Three nodes of 8 GPUs and three of 4 under one leaf. */
#define UNEQUAL "{\"nodes\": [{\"names\": \"a[1-3]\", \"gpus\": 8}, " \
	"{\"names\": \"b[1-3]\", \"gpus\": 4}], \"switches\": [{\"name\": " \
	"\"l\", \"tier\": \"leaf\", \"nodes\": \"a[1-3],b[1-3]\"}]}"
/* No leaf is oversubscribed, but the first has half the uplinks. */
#define UNLIKE_LEAF(name, nodes, gbps) "{\"name\": \"" name "\", " \
	"\"tier\": \"leaf\", \"nodes\": \"" nodes "\", \"uplinks\": [" \
	"{\"to\": \"s\", \"gbps\": " gbps "}]}, "
#define UNLIKE_LINKS "{\"nodes\": [{\"names\": \"n[1-6]\", \"gpus\": 2, " \
	"\"nics\": 2, \"nic_gbps\": 100}], \"switches\": [" \
	UNLIKE_LEAF("a", "n[1-2]", "400") UNLIKE_LEAF("b", "n[3-4]", "800") \
	UNLIKE_LEAF("c", "n[5-6]", "800") \
	"{\"name\": \"s\", \"tier\": \"spine\"}]}"

static const struct {
	struct place_case in;
	const char *nodes;
	uint32_t gpus;		/* of the job */
	double spine;
} answers[] = {
	/* the tightest leaf that holds it */
	{ { THREE, "{\"down\": \"n[0005-0006]\"}", RING, .min_nodes = 2,
	    .max_nodes = 2 }, "n[0007-0008]", 16, 0 },
	{ { THREE, "{\"down\": \"n[0001,0005,0006]\"}", RING, .min_nodes = 3,
	    .max_nodes = 3 }, "n[0002-0004]", 24, 0 },
	/* all alike: the first names */
	{ { THREE, NULL, RING, .min_nodes = 4, .max_nodes = 4 },
	  "n[0001-0004]", 32, 0 },
	/* a job smaller than a node takes the fullest that fits */
	{ { THREE, "{\"jobs\": [{\"nodes\": \"n[0001-0003]\","
	    "\"gpus\": [4, 7, 6]}]}", "tp=2", .gpus = 2 }, "n0003", 2, 0 },
	{ { THREE, "{\"jobs\": [{\"nodes\": \"n[0001-0003]\","
	    "\"gpus\": [4, 7, 6]}]}", "tp=1", .gpus = 1 }, "n0002", 1, 0 },
	{ { THREE, "{\"jobs\": [{\"nodes\": \"n[0001-0003]\","
	    "\"gpus\": [4, 7, 6]}]}", "tp=3", .gpus = 3 }, "n0001", 3, 0 },
	/* Slurm's order kept or not */
	{ { THREE, "{\"jobs\": [{\"nodes\": \"n[0001-0003]\","
	    "\"gpus\": [4, 7, 6]}]}", "tp=2", .gpus = 2,
	    .gpus_per_node = 2, .keep_order = true }, "n0003", 2, 0 },
	/* a node from the domain that is broken already, */
	{ { "spine:2 leaf:1 node:6 domain=2", "{\"down\": \"n0005\"}", RING,
	    .min_nodes = 1, .max_nodes = 1 }, "n0006", 8, 0 },
	/* two nodes from a whole one */
	{ { "spine:2 leaf:1 node:6 domain=2", "{\"down\": \"n0001\"}", RING,
	    .min_nodes = 2, .max_nodes = 2 }, "n[0003-0004]", 16, 0 },
	/* required nodes pull the others under their leaf */
	{ { THREE, NULL, RING, .min_nodes = 2, .max_nodes = 2,
	    .required = "n0012" }, "n[0009,0012]", 16, 0 },
	{ { THREE, NULL, RING, .min_nodes = 2, .max_nodes = 2,
	    .required = "n[0004,0005]" }, "n[0004-0005]", 16, 16e9 },
	{ { THREE, NULL, RING, .min_nodes = 2, .max_nodes = 2,
	    .excluded = "n[0001-0003,0006]" }, "n[0005,0007]", 16, 0 },
	{ { THREE, NULL, RING, .min_nodes = 2, .max_nodes = 2,
	    .allowed = "n[0004,0008-0010]" }, "n[0009-0010]", 16, 0 },
	{ { THREE, NULL, RING, .min_nodes = 2, .max_nodes = 2,
	    .excluded = "n0009", .allowed = "n[0001,0009-0012]",
	    .required = "n0011" }, "n[0010-0011]", 16, 0 },
	/* a range: as many as there are, */
	{ { THREE, NULL, RING, .min_nodes = 2, .max_nodes = 3 },
	  "n[0001-0003]", 24, 0 },
	{ { THREE, "{\"down\": \"n[0002-0010]\"}", RING, .min_nodes = 2,
	    .max_nodes = 8 }, "n[0001,0011-0012]", 24, 16e9 },
	/* but only as the hint allows, here an even number */
	{ { THREE, "{\"down\": \"n[0002-0010]\"}", "tp=8,pp=2,pp_bytes=1",
	    .min_nodes = 2, .max_nodes = 8 }, "n[0011-0012]", 16, 0 },
	/* only one bound */
	{ { "leaf:1 node:5", NULL, RING, .min_nodes = 2 }, "n[0001-0005]", 40,
	  0 },
	{ { "leaf:1 node:5", NULL, RING, .max_nodes = 2 }, "n[0001-0002]", 16,
	  0 },
	/* GPUs, not nodes: whole nodes, the last what remains */
	{ { THREE, NULL, RING, .gpus = 24 }, "n[0001-0003]", 24, 0 },
	{ { THREE, NULL, "tp=4,dp_bytes=1", .gpus = 20 }, "n[0001-0003]", 20,
	  0 },
	/* by the hint alone */
	{ { THREE, NULL, "tp=8,dp=2,dp_bytes=1", .gpus = 0 },
	  "n[0001-0002]", 16, 0 },
	/* GPUs of each node are fixed */
	{ { THREE, NULL, "tp=2,dp_bytes=1", .gpus = 8, .gpus_per_node = 2 },
	  "n[0001-0004]", 8, 0 },
	{ { THREE, NULL, "tp=4,dp_bytes=1", .gpus_per_node = 4,
	    .min_nodes = 2, .max_nodes = 2 }, "n[0001-0002]", 8, 0 },
	/* both fixed: evenly, 6 + 6 */
	{ { THREE, NULL, "tp=6,dp_bytes=1", .gpus = 12, .min_nodes = 2,
	    .max_nodes = 2 }, "n[0001-0002]", 12, 0 },
	/* partly used nodes where no whole one is left */
	{ { "leaf:1 node:3", "{\"jobs\": [{\"nodes\": \"n[0001-0003]\","
	    "\"gpus\": [4, 8, 4]}]}", "tp=4,dp_bytes=1", .gpus = 8 },
	  "n[0001,0003]", 8, 0 },
	/* a fixed number of nodes of unequal sizes: all that each has */
	{ { UNEQUAL, NULL, "tp=4,dp=9,dp_bytes=1", .min_nodes = 6,
	    .max_nodes = 6 }, "a[1-3],b[1-3]", 36, 0 },
	{ { UNEQUAL, NULL, "tp=4,dp_bytes=1", .min_nodes = 6,
	    .max_nodes = 6 }, "a[1-3],b[1-3]", 36, 0 },
	{ { UNEQUAL, NULL, "tp=4,dp_bytes=1", .min_nodes = 4,
	    .max_nodes = 4 }, "a[1-3],b1", 28, 0 },
	/* as many large ones as the hint can use: 8 + 4 + 4 + 4 is no 5 x 8 */
	{ { UNEQUAL, NULL, "tp=5,dp=4,dp_bytes=1", .min_nodes = 4,
	    .max_nodes = 4 }, "a1,b[1-3]", 20, 0 },
	/* equal prices: the wider links */
	{ { UNLIKE_LINKS, NULL, "tp=2,pp=4,pp_bytes=4e9", .min_nodes = 4,
	    .max_nodes = 4 }, "n[3-6]", 8, 16e9 },
	/* a mixture: 8 and 4, the larger block first */
	{ { "leaf:1 node:3", "{\"jobs\": [{\"nodes\": \"n[0001-0002]\","
	    "\"gpus\": [4, 8]}]}", "tp=4,dp_bytes=1", .gpus = 12 },
	  "n[0003,0001]", 12, 0 },
	/* weights: none of a dearer group while the cheaper ones do */
	{ { THREE, "{\"weights\": {\"n[0001-0004]\": 10}}", RING,
	    .min_nodes = 2, .max_nodes = 2 }, "n[0005-0006]", 16, 0 },
	/* all of the cheaper groups, then the choice inside the next */
	{ { THREE, "{\"weights\": {\"n[0001-0004]\": 10, \"n[0005-0008]\": 20,"
	    "\"n0010\": 5, \"n[0009,0011-0012]\": 20}}", RING,
	    .min_nodes = 2, .max_nodes = 2 }, "n[0001,0010]", 16, 16e9 },
	{ { THREE, "{\"weights\": {\"n[0001-0004]\": 10, \"n[0005-0008]\": 20,"
	    "\"n0010\": 5, \"n[0009,0011-0012]\": 20}}", RING,
	    .min_nodes = 1, .max_nodes = 1 }, "n0010", 8, 0 },
	/* a required node does not admit others of its weight */
	{ { THREE, "{\"weights\": {\"n[0001-0004]\": 10}}", RING,
	    .min_nodes = 2, .max_nodes = 2, .required = "n0004" },
	  "n[0004-0005]", 16, 16e9 },
	/* kept order: Slurm's table, whose first names come last here */
	{ { THREE, "{\"node_order\": \"n[0004,0003,0002,0001]\"}", RING,
	    .min_nodes = 4, .max_nodes = 4, .keep_order = true,
	    .allowed = "n[0001-0004]" }, "n[0004,0003,0002,0001]", 32, 0 },
	/* leaves interleaved in the table: the set is chosen for the order */
	{ { "spine:2 leaf:2 node:2", "{\"node_order\":"
	    "\"n[0001,0003,0002,0004]\"}", "tp=8,pp=2,dp=2,dp_bytes=1G,"
	    "pp_bytes=1", .keep_order = true },
	  "n[0001,0003,0002,0004]", 32, 32e9 },
	/* a slow link is avoided: leaf1 has lost half of what it had */
	{ { "spine:2 leaf:4 node:2", "{\"links\": [{\"from\": \"leaf1\","
	    "\"to\": \"spine1\", \"gbps\": 0}]}", RING, .min_nodes = 4,
	    .max_nodes = 4 }, "n[0003-0006]", 32, 16e9 },
	/* a loaded one too: the running job joins leaf1 and leaf2 */
	{ { "spine:2 leaf:4 node:3", "{\"jobs\": [{\"nodes\":"
	    "\"n[0003,0006]\", \"parallelism\": \"tp=8,dp_bytes=20G\"}]}", RING,
	    .min_nodes = 4, .max_nodes = 4 }, "n[0007-0010]", 32, 16e9 },
	/* fabrics that are not connected: wholly in one */
	{ { TWO_FABRICS, "{\"down\": \"n0001\"}", RING, .min_nodes = 8,
	    .max_nodes = 8 }, "n[0009-0016]", 64, 16e9 },
	/* the larger answer where the number is open */
	{ { TWO_FABRICS, "{\"down\": \"n[0001-0006]\"}", RING, .min_nodes = 1,
	    .max_nodes = 4 }, "n[0009-0012]", 32, 0 },
	{ { TWO_FABRICS, NULL, RING, .min_nodes = 2, .max_nodes = 2,
	    .required = "n0016" }, "n[0013,0016]", 16, 0 },
	/* stages under leaves: 4 pairs of 8 ranks, both ways */
	{ { "spine:2 leaf:2 node:4", NULL, "tp=8,pp=2,dp=4,dp_bytes=10G,"
	    "pp_bytes=1G", .gpus = 0 }, "n[0001-0008]", 64, 64e9 },
	/* pipelines under leaves: the two rings of four cross twice each */
	{ { "spine:2 leaf:2 node:4", NULL, "tp=8,pp=2,dp=4,dp_bytes=1G,"
	    "pp_bytes=10G", .gpus = 0 },
	  "n[0001-0002,0005-0006,0003-0004,0007-0008]", 64, 32e9 },
	/* rank 0 on a node: the others go there, and the ring turns */
	{ { THREE, NULL, RING, .min_nodes = 3, .max_nodes = 3,
	    .first_node = "n0007" }, "n[0007,0005-0006]", 24, 0 },
	{ { THREE, NULL, RING, .min_nodes = 3, .max_nodes = 3,
	    .first_node = "n0010", .required = "n0001" },
	  "n[0010,0001-0002]", 24, 16e9 },
	{ { THREE, NULL, RING, .min_nodes = 2, .max_nodes = 2,
	    .first_node = "n0008", .keep_order = true },
	  "n[0008-0009]", 16, 16e9 },
	{ { THREE, NULL, RING, .min_nodes = 1, .max_nodes = 1,
	    .first_node = "n0008" }, "n0008", 8, 0 },
	{ { THREE, "{\"weights\": {\"n0008\": 10}}", RING, .min_nodes = 2,
	    .max_nodes = 2, .first_node = "n0008" }, "n[0008,0005]", 16, 0 },
	/* one leaf is full but for the first node */
	{ { "spine:2 leaf:2 node:4", "{\"down\": \"n[0001-0003]\"}", RING,
	    .min_nodes = 4, .max_nodes = 4, .first_node = "n0004" },
	  "n[0004-0007]", 32, 16e9 },
	/* NODES of two sizes: the first gives what it has */
	{ { UNEQUAL, NULL, "tp=4,dp_bytes=1", .gpus = 12, .min_nodes = 2,
	    .max_nodes = 2, .gpus_per_node = 8, .first_node = "b2" },
	  "b2,a1", 12, 0 },
	/* the lowest of the nodes chosen, which are those of the tight leaf */
	{ { THREE, "{\"down\": \"n[0005-0006]\", "
	    "\"node_order\": \"n[0008,0001-0007,0009-0012]\"}", RING,
	    .min_nodes = 2, .max_nodes = 2, .first_in_order = true },
	  "n[0008,0007]", 16, 0 },
	/* Slurm's order zigzags: the stages are whole all the same. */
	{ { "spine:2 leaf:2 node:4", "{\"node_order\": "
	    "\"n[0005,0001,0006,0002,0007,0003,0008,0004]\"}",
	    "tp=8,pp=2,dp=4,dp_bytes=10G,pp_bytes=1G",
	    .first_in_order = true }, "n[0005-0008,0001-0004]", 64, 64e9 },
	/* Only the pair behind the first node has room for three stages. */
	{ { "spine:2 leaf:2 node:4", "{\"node_order\": "
	    "\"n[0004,0005-0008,0001-0003]\"}", RING, .min_nodes = 8,
	    .max_nodes = 8, .first_in_order = true },
	  "n[0004,0001-0003,0005-0008]", 64, 16e9 },
};

START_TEST(answer_is_the_best)
{
	struct place place;
	struct placement answer, again;
	char *names;

	place_init(&place, &answers[_i].in);
	answer = place_choose(&place);
	names = place_names(&place, &answer);
	ck_assert_double_eq_tol(answer.score.total.spine, answers[_i].spine,
				answers[_i].spine * 1e-12 + 1e-9);
	ck_assert_str_eq(names, answers[_i].nodes);
	ck_assert_uint_eq(answer.profile.gpus, answers[_i].gpus);
	/* The same question has the same answer. */
	again = place_choose(&place);
	ck_assert_uint_eq(again.count, answer.count);
	ck_assert_mem_eq(again.nodes, answer.nodes,
			 answer.count * sizeof(*answer.nodes));
	ck_assert_mem_eq(again.gpus, answer.gpus,
			 answer.count * sizeof(*answer.gpus));
	placement_done(&again);
	placement_done(&answer);
	free(names);
	place_done(&place);
}
END_TEST

static const struct {
	struct place_case in;
	uint32_t gpus[4];	/* by block, up to a 0 */
} shapes[] = {
	{ { THREE, NULL, "tp=4,dp_bytes=1", .gpus = 20 }, { 8, 8, 4 } },
	{ { THREE, NULL, "tp=1,dp_bytes=1", .gpus = 13, .min_nodes = 3,
	    .max_nodes = 3 }, { 5, 4, 4 } },
	{ { THREE, NULL, "tp=2,dp_bytes=1", .gpus = 6, .gpus_per_node = 4 },
	  { 4, 2 } },
	{ { "leaf:1 node:3", "{\"jobs\": [{\"nodes\": \"n[0001-0003]\","
	    "\"gpus\": [6, 2, 5]}]}", "tp=1,dp_bytes=1", .gpus = 10 },
	  { 6, 3, 1 } },
	{ { "leaf:1 node:3", "{\"jobs\": [{\"nodes\": \"n[0001-0003]\","
	    "\"gpus\": [4, 4, 0]}]}", "tp=2,dp_bytes=1", .min_nodes = 3,
	    .max_nodes = 3, .gpus_per_node = 4 }, { 4, 4, 4 } },
};

START_TEST(blocks_have_the_right_sizes)
{
	struct place place;
	struct placement answer;
	uint32_t count = 0;

	place_init(&place, &shapes[_i].in);
	answer = place_choose(&place);
	for (; count < 4 && shapes[_i].gpus[count]; count++) {
		ck_assert_uint_lt(count, answer.count);
		ck_assert_uint_eq(answer.gpus[count], shapes[_i].gpus[count]);
	}
	ck_assert_uint_eq(answer.count, count);
	placement_done(&answer);
	place_done(&place);
}
END_TEST

START_TEST(baselines_are_what_they_say)
{
	static const struct {
		const char *strategy, *nodes;
	} baselines[] = {
		/* the first three that fit, wherever they stand */
		{ "first-fit", "n[0001,0004-0005]" },
		/* the leaf that holds three */
		{ "best-fit", "n[0005-0007]" },
	};
	static const struct place_case in = {
		THREE, "{\"down\": \"n[0002-0003,0008]\"}", RING,
		.min_nodes = 3, .max_nodes = 3
	};
	struct placement_error why;
	struct placement answer;
	struct place place;
	char *names;

	place_init(&place, &in);
	ck_assert_int_eq(placement_baseline(&place.request,
					    baselines[_i].strategy, &answer,
					    &why), PLACEMENT_OK);
	ck_assert_str_eq(answer.strategy, baselines[_i].strategy);
	names = place_names(&place, &answer);
	ck_assert_str_eq(names, baselines[_i].nodes);
	free(names);
	placement_done(&answer);
	ck_assert_int_eq(placement_baseline(&place.request, "no-fit", &answer,
					    &why), PLACEMENT_BAD);
	ck_assert_str_eq(why.text, "no strategy is called \"no-fit\"");
	place_done(&place);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("placement");
	TCase *choose = tcase_create("choose");

	tcase_add_loop_test(choose, answer_is_the_best, 0,
			    sizeof(answers) / sizeof(*answers));
	tcase_add_loop_test(choose, blocks_have_the_right_sizes, 0,
			    sizeof(shapes) / sizeof(*shapes));
	tcase_add_loop_test(choose, baselines_are_what_they_say, 0, 2);
	suite_add_tcase(suite, choose);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
