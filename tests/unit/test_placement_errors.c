/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a job cannot be placed, in one line; and what happens without memory. */

#include <string.h>

#include "fault.h"
#include "place.h"

#define THREE "spine:4 leaf:3 node:4"
#define TWO_FABRICS "fabric:2 spine:2 leaf:2 node:4"
#define RING "tp=8,dp_bytes=1G"
#define MIXED \
	"{\"nodes\": [{\"names\": \"g[1-2]\"}, {\"names\": \"c1\"," \
	" \"gpus\": 0}], \"switches\": [{\"name\": \"l\", \"tier\": \"leaf\"," \
	" \"nodes\": \"g[1-2],c1\"}]}"

static const struct {
	struct place_case in;
	enum placement_status status;
	const char *text;
} errors[] = {
	{ { THREE, NULL, RING, .min_nodes = 13, .max_nodes = 13 },
	  PLACEMENT_IMPOSSIBLE,
	  "13 nodes with 8 free GPUs each are needed, there are 12" },
	{ { THREE, "{\"down\": \"n[0001-0011]\"}", RING, .min_nodes = 2,
	    .max_nodes = 2 }, PLACEMENT_IMPOSSIBLE,
	  "2 nodes with 8 free GPUs each are needed, there are 1" },
	{ { THREE, NULL, RING, .gpus = 104 }, PLACEMENT_IMPOSSIBLE,
	  "104 free GPUs are needed, there are 96" },
	{ { THREE, NULL, RING, .min_nodes = 13, .max_nodes = 20 },
	  PLACEMENT_IMPOSSIBLE,
	  "13 nodes with 8 free GPUs each are needed, there are 12" },
	{ { THREE, NULL, "tp=9,dp_bytes=1", .gpus_per_node = 9,
	    .min_nodes = 2, .max_nodes = 2 }, PLACEMENT_IMPOSSIBLE,
	  "2 nodes with 9 free GPUs each are needed, there are 0" },
	/* enough, but in pieces */
	{ { TWO_FABRICS, NULL, RING, .min_nodes = 12, .max_nodes = 12 },
	  PLACEMENT_IMPOSSIBLE, "12 nodes with 8 free GPUs each are needed in "
	  "one fabric; there are 16, but no more than 8 are connected to each "
	  "other" },
	{ { TWO_FABRICS, "{\"down\": \"n0001\"}", RING, .gpus = 72 },
	  PLACEMENT_IMPOSSIBLE, "72 free GPUs are needed in one fabric; there "
	  "are 120, but no more than 64 are connected to each other" },
	{ { THREE, NULL, RING, .gpus = 24, .max_nodes = 2 },
	  PLACEMENT_IMPOSSIBLE, "24 free GPUs are needed and there, but not on "
	  "1 to 2 nodes" },
	{ { THREE, NULL, RING, .min_nodes = 5, .max_nodes = 5,
	    .max_leaves = 1 }, PLACEMENT_IMPOSSIBLE,
	  "5 nodes with 8 free GPUs each are needed and there, but not under 1 "
	  "leaves or fewer" },
	{ { THREE, "{\"down\": \"n[0001-0012]\"}", RING, .min_nodes = 1,
	    .max_nodes = 1 }, PLACEMENT_IMPOSSIBLE,
	  "1 nodes with 8 free GPUs each are needed, there are 0" },
	/* the first node is required; where order binds, none is before it */
	{ { THREE, "{\"down\": \"n0003\"}", RING, .min_nodes = 2,
	    .max_nodes = 2, .first_node = "n0003" }, PLACEMENT_IMPOSSIBLE,
	  "first node n0003 is down" },
	{ { THREE, NULL, RING, .min_nodes = 2, .max_nodes = 2,
	    .required = "n0001", .first_node = "n0003", .keep_order = true },
	  PLACEMENT_IMPOSSIBLE,
	  "required node n0001 is before the first node in Slurm's order" },
	{ { THREE, NULL, RING, .min_nodes = 2, .max_nodes = 2,
	    .required = "n0001", .first_node = "n0003",
	    .first_in_order = true }, PLACEMENT_IMPOSSIBLE,
	  "required node n0001 is before the first node in Slurm's order" },
	{ { THREE, NULL, RING, .min_nodes = 2, .max_nodes = 2,
	    .first_node = "n0012", .keep_order = true }, PLACEMENT_IMPOSSIBLE,
	  "2 nodes with 8 free GPUs each are needed, there are 1" },
	{ { THREE, NULL, RING, .min_nodes = 5, .max_nodes = 5,
	    .max_leaves = 1, .first_node = "n0003" }, PLACEMENT_IMPOSSIBLE,
	  "5 nodes with 8 free GPUs each are needed and there, but not under 1 "
	  "leaves or fewer with the first node" },
	/* required nodes */
	{ { THREE, NULL, RING, .min_nodes = 2, .max_nodes = 2,
	    .required = "n0001", .excluded = "n0001" }, PLACEMENT_IMPOSSIBLE,
	  "required node n0001 is excluded as well" },
	{ { THREE, NULL, RING, .min_nodes = 2, .max_nodes = 2,
	    .required = "n0001", .allowed = "n[0002-0012]" },
	  PLACEMENT_IMPOSSIBLE,
	  "required node n0001 is not among the allowed nodes" },
	{ { THREE, "{\"down\": \"n0003\"}", RING, .min_nodes = 2,
	    .max_nodes = 2, .required = "n0003" }, PLACEMENT_IMPOSSIBLE,
	  "required node n0003 is down" },
	{ { THREE, "{\"jobs\": [{\"nodes\": \"n0003\"}]}", RING,
	    .min_nodes = 2, .max_nodes = 2, .required = "n0003" },
	  PLACEMENT_IMPOSSIBLE, "required node n0003 is without a free GPU" },
	{ { MIXED, NULL, RING, .min_nodes = 2, .max_nodes = 2,
	    .required = "c1" }, PLACEMENT_IMPOSSIBLE,
	  "required node c1 is a node without GPUs" },
	{ { TWO_FABRICS, NULL, RING, .min_nodes = 2, .max_nodes = 2,
	    .required = "n[0001,0016]" }, PLACEMENT_IMPOSSIBLE,
	  "required nodes n0001 and n0016 lie in fabrics that are not "
	  "connected" },
	/* the request is wrong */
	{ { THREE, NULL, RING, .min_nodes = 3, .max_nodes = 2 },
	  PLACEMENT_BAD, "at least 3 and at most 2 nodes are asked for, "
	  "expected a range that is not empty" },
	{ { THREE, NULL, RING, .gpus = 0 }, PLACEMENT_BAD, "the number of GPUs "
	  "is not known, expected a number of nodes or GPUs, or dp in the "
	  "hint" },
	{ { THREE, NULL, RING, .min_nodes = 1, .max_nodes = 1,
	    .required = "n[0001-0002]" }, PLACEMENT_BAD,
	  "more nodes are required by name than the job has" },
	{ { THREE, NULL, "tp=1", .gpus = 1, .min_nodes = 2, .max_nodes = 2 },
	  PLACEMENT_BAD, "fewer GPUs than nodes, expected at least one a "
	  "node" },
	{ { THREE, NULL, "tp=8", .gpus = 16, .gpus_per_node = 8,
	    .min_nodes = 3, .max_nodes = 3 }, PLACEMENT_BAD, "the GPUs of the "
	  "job do not fill its nodes with the given GPUs a node" },
	{ { THREE, NULL, "tp=3", .min_nodes = 2, .max_nodes = 2 },
	  PLACEMENT_BAD, "dp: the job's 16 GPUs are no multiple of tp*cp*pp, "
	  "expected a multiple of 3" },
	{ { THREE, NULL, "tp=8,dp=3", .gpus = 16 }, PLACEMENT_BAD,
	  "dp: tp*cp*pp*dp is 24, expected the job's 16 GPUs" },
	{ { THREE, NULL, "off", .gpus = 16 }, PLACEMENT_BAD,
	  "off: leaves the job to stock Slurm, expected degrees such as "
	  "tp=8,pp=4,dp=16" },
};

START_TEST(reason_is_one_line)
{
	struct placement_error why;
	struct placement answer, before;
	struct place place;

	memset(&answer, 0x5a, sizeof(answer));
	before = answer;
	place_init(&place, &errors[_i].in);
	ck_assert_int_eq(placement_choose(&place.request, &answer, &why),
			 errors[_i].status);
	ck_assert_str_eq(why.text, errors[_i].text);
	ck_assert_mem_eq(&answer, &before, sizeof(answer));
	place_done(&place);
}
END_TEST

/* One of each way through the code. */
static const struct place_case shapes[] = {
	{ THREE, NULL, RING, .min_nodes = 2, .max_nodes = 2 },
	{ THREE, NULL, "dp=48,ep=48,dp_bytes=1G,ep_bytes=1G", .gpus = 48 },
	{ THREE, NULL, "tp=8,pp=2,dp_bytes=1G,pp_bytes=1G", .min_nodes = 2,
	  .max_nodes = 6 },
	{ THREE, "{\"jobs\": [{\"nodes\": \"n[0001-0012]\", \"gpus\": "
	  "[4,4,4,4,6,6,6,6,0,8,8,8]}]}", "tp=2,dp_bytes=1G", .gpus = 26 },
	{ THREE, "{\"weights\": {\"n[0001-0004]\": 10}}", RING,
	  .min_nodes = 9, .max_nodes = 9, .required = "n0002" },
	{ THREE, "{\"node_order\": \"n[0004,0001]\"}",
	  "tp=8,dp_bytes=1G,allreduce=hierarchical", .min_nodes = 5,
	  .max_nodes = 5, .keep_order = true },
	{ TWO_FABRICS, NULL, "dp_bytes=1,allreduce=sharp", .min_nodes = 6,
	  .max_nodes = 6, .gpus_per_node = 3 },
	{ "spine:2 leaf:2 node:2 rails=2", "{\"links\": [{\"from\":"
	  "\"leaf1r0\", \"to\": \"spine1\", \"gbps\": 0}]}", RING,
	  .min_nodes = 3, .max_nodes = 3 },
	{ THREE, NULL, RING, .min_nodes = 13, .max_nodes = 13 },
	{ THREE, "{\"node_order\": \"n[0012,0001,0011,0002]\"}",
	  "tp=8,pp=2,dp_bytes=1G,pp_bytes=1G", .min_nodes = 6, .max_nodes = 6,
	  .first_in_order = true },
	{ THREE, NULL, RING, .min_nodes = 6, .max_nodes = 6,
	  .required = "n0003", .first_node = "n0007" },
	{ THREE, "{\"jobs\": [{\"nodes\": \"n[0001-0012]\", \"gpus\": "
	  "[4,4,4,4,6,6,6,6,0,8,8,8]}]}", "tp=2,dp_bytes=1G", .gpus = 26,
	  .first_in_order = true },
};

static void check_good(const struct place *place,
		       const struct placement *answer)
{
	ck_assert_ptr_eq(placement_check(&place->request, answer), NULL);
}

START_TEST(without_memory_there_is_no_answer)
{
	struct place place;
	long n;

	place_init(&place, &shapes[_i]);
	for (n = 1; ; n++) {
		struct placement answer = { .count = 77 };
		struct placement_error why = { "" };
		enum placement_status status;
		bool hit;

		fault_after(n);
		status = placement_choose(&place.request, &answer, &why);
		hit = fault_hit();
		fault_off();
		if (status == PLACEMENT_OK) {
			check_good(&place, &answer);
			placement_done(&answer);
		}
		if (!hit)
			break;
		ck_assert_int_eq(status, PLACEMENT_NO_MEMORY);
		ck_assert_str_eq(why.text, "out of memory");
		ck_assert_uint_eq(answer.count, 77);
	}
	ck_assert_int_gt(n, 5);
	place_done(&place);
}
END_TEST

START_TEST(check_finds_what_is_wrong)
{
	struct place place;
	struct placement answer;
	uint32_t swapped;

	place_init(&place, &shapes[2]);
	answer = place_choose(&place);
	ck_assert_ptr_null(placement_check(&place.request, &answer));
	answer.score.cost += 1e6;
	ck_assert_str_eq(placement_check(&place.request, &answer),
			 "a score that is not a recount");
	answer.score.cost -= 1e6;
	swapped = answer.nodes[1];
	answer.nodes[1] = answer.nodes[0];
	ck_assert_str_eq(placement_check(&place.request, &answer),
			 "a node twice");
	answer.nodes[1] = swapped;
	place.request.has_first_node = true;
	place.request.first_node = swapped;
	ck_assert_str_eq(placement_check(&place.request, &answer),
			 "another first node than was asked for");
	place.request.has_first_node = false;
	answer.nodes[1] = answer.nodes[0];
	answer.nodes[0] = swapped;
	place.request.first_in_order = true;
	ck_assert_str_eq(placement_check(&place.request, &answer),
			 "a node before that of block 0 in Slurm's order");
	answer.nodes[0] = answer.nodes[1];
	answer.nodes[1] = swapped;
	answer.gpus[0]--;
	ck_assert_str_eq(placement_check(&place.request, &answer),
			 "the nodes' GPUs are not the job's");
	answer.gpus[0] += 2;
	ck_assert_str_eq(placement_check(&place.request, &answer),
			 "more GPUs of a node than are free");
	placement_done(&answer);
	place_done(&place);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("placement_errors");
	TCase *error_case = tcase_create("errors");
	TCase *memory = tcase_create("memory");

	tcase_add_loop_test(error_case, reason_is_one_line, 0,
			    sizeof(errors) / sizeof(*errors));
	tcase_add_test(error_case, check_finds_what_is_wrong);
	suite_add_tcase(suite, error_case);
	tcase_add_loop_test(memory, without_memory_there_is_no_answer, 0,
			    sizeof(shapes) / sizeof(*shapes));
	suite_add_tcase(suite, memory);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
