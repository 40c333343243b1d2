/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many GPUs a job asks for, by its TRES strings and its counts. */

#include <string.h>

#include "fault.h"
#include "parallelism.h"
#include "slurm/gpus.h"
#include "slurm/vet.h"
#include "unit.h"

/* --- TRES strings -------------------------------------------------------- */

/* TYPE NULL: none is named. */
static void check_read(const char *text, uint64_t count, const char *type)
{
	struct gpus_request request = { 0 };

	ck_assert_msg(gpus_read(text, &request) == count, "%s", text);
	ck_assert_msg(!request.unclear, "%s", text);
	ck_assert_msg(request.type_length == (type ? strlen(type) : 0), "%s",
		      text);
	if (type)
		ck_assert_mem_eq(request.type, type, strlen(type));
}

static void check_unclear(const char *text)
{
	struct gpus_request request = { 0 };

	gpus_read(text, &request);
	ck_assert_msg(request.unclear, "%s", text);
}

START_TEST(gpus_are_read_as_every_version_writes_them)
{
	check_read("gres:gpu:8", 8, NULL);
	check_read("gres/gpu:8", 8, NULL);
	check_read("gres/gpu=8", 8, NULL);
	check_read("gpu:8", 8, NULL);
	check_read("gpu", 1, NULL);
	check_read("gres:gpu", 1, NULL);
	check_read("gres:gpu:h100:8", 8, "h100");
	check_read("gres/gpu:h100=8", 8, "h100");
	check_read("gpu:nvidia_h100-80gb:2", 2, "nvidia_h100-80gb");
	check_read("gpu:h100", 1, "h100");
	check_read("gpu:007", 7, NULL);
}
END_TEST

START_TEST(other_tres_are_passed_over)
{
	check_read(NULL, 0, NULL);
	check_read("", 0, NULL);
	check_read(",;,", 0, NULL);
	check_read("gres:nic:2", 0, NULL);
	check_read("gres:gpus:2", 0, NULL);
	check_read("gres:gp", 0, NULL);
	check_read("cpu=10,gres/gpu:h100=1,license/iop1=1", 1, "h100");
	check_read("gres:nic:2,gres:gpu:4", 4, NULL);
	check_read("gres:gpu:4;gres:nic:2", 4, NULL);
	check_read("gres:gpu:0", 0, NULL);
	check_read("gpu:a100:0,gpu:h100:8", 8, "h100");
}
END_TEST

START_TEST(what_is_not_understood_is_unclear)
{
	check_unclear("gpu:");
	check_unclear("gpu::");
	check_unclear("gpu::8");
	check_unclear("gpu:h100:");
	check_unclear("gpu:h100:x");
	check_unclear("gpu:h100:8:9");
	check_unclear("gpu:h100:2K");
	check_unclear("gpu:8(S:0-1)");
	check_unclear("gpu:-1:2");
	check_unclear("gpu:\xff\x01");
	check_unclear("gpu:h100:99999999999999999999");
	check_unclear("gpu:8:8");
	check_unclear("gpu:8,gpu:8");
	check_unclear("gpu:a100:2,gpu:h100:2");
	check_unclear("gpu:2,gpu:h100:2");
	check_unclear("gres:shard:4");
	check_unclear("gpu:1,gres/mps=50");
}
END_TEST

/* Two strings of one job, as per job and per node. */
START_TEST(kinds_are_compared_across_strings)
{
	struct gpus_request request = { 0 };

	ck_assert_uint_eq(gpus_read("gres:gpu:h100:16", &request), 16);
	ck_assert_uint_eq(gpus_read("gres/gpu:h100:8", &request), 8);
	ck_assert(!request.unclear);
	ck_assert_uint_eq(gpus_read("gpu:h10:8", &request), 8);
	ck_assert(request.unclear);
	request = (struct gpus_request){ 0 };
	gpus_read("gpu:16", &request);
	ck_assert(!request.unclear);
	gpus_read("gpu:h100:8", &request);
	ck_assert(request.unclear);
}
END_TEST

/* --- counts -------------------------------------------------------------- */

static uint64_t fixed(struct gpus_request request)
{
	uint64_t count = 0;

	ck_assert_int_eq(gpus_count(&request, &count), GPUS_FIXED);
	return count;
}

static enum gpus_count kind(struct gpus_request request)
{
	uint64_t count;

	return gpus_count(&request, &count);
}

#define ASKED(...) ((struct gpus_request){ __VA_ARGS__ })

START_TEST(count_is_fixed_in_three_ways)
{
	ck_assert_uint_eq(fixed(ASKED(.per_job = 12)), 12);
	ck_assert_uint_eq(fixed(ASKED(.per_job = 12, .min_nodes = 2,
				      .max_nodes = 8)), 12);
	ck_assert_uint_eq(fixed(ASKED(.per_job = 12, .per_node = 4)), 12);
	ck_assert_uint_eq(fixed(ASKED(.per_node = 8, .min_nodes = 4,
				      .max_nodes = 4)), 32);
	ck_assert_uint_eq(fixed(ASKED(.per_task = 2, .tasks = 16)), 32);
	ck_assert_uint_eq(fixed(ASKED(.per_task = 2, .tasks = 16,
				      .min_nodes = 2, .max_nodes = 8)), 32);
}
END_TEST

START_TEST(choice_of_node_counts_leaves_it_open)
{
	ck_assert_int_eq(kind(ASKED(.per_node = 8, .min_nodes = 2,
				    .max_nodes = 8)), GPUS_OPEN);
	ck_assert_int_eq(kind(ASKED(.per_node = 8)), GPUS_UNCLEAR);
	ck_assert_int_eq(kind(ASKED(.per_node = 8, .min_nodes = 2)),
			 GPUS_UNCLEAR);
	ck_assert_int_eq(kind(ASKED(.per_node = 8, .max_nodes = 2)),
			 GPUS_UNCLEAR);
	ck_assert_int_eq(kind(ASKED(.per_node = 8, .min_nodes = 4,
				    .max_nodes = 2)), GPUS_UNCLEAR);
}
END_TEST

START_TEST(rest_is_unclear)
{
	ck_assert_int_eq(kind(ASKED(0)), GPUS_UNCLEAR);
	ck_assert_int_eq(kind(ASKED(.min_nodes = 2, .max_nodes = 2)),
			 GPUS_UNCLEAR);
	ck_assert_int_eq(kind(ASKED(.per_task = 2)), GPUS_UNCLEAR);
	ck_assert_int_eq(kind(ASKED(.per_task = 2, .tasks = 2,
				    .min_nodes = 4, .max_nodes = 4)),
			 GPUS_UNCLEAR);
	ck_assert_int_eq(kind(ASKED(.per_job = 8, .per_socket = 2)),
			 GPUS_UNCLEAR);
	ck_assert_int_eq(kind(ASKED(.per_job = 8, .unclear = true)),
			 GPUS_UNCLEAR);
}
END_TEST

START_TEST(products_do_not_overflow)
{
	const uint64_t most = UINT64_MAX;

	ck_assert_int_eq(kind(ASKED(.per_job = most)), GPUS_UNCLEAR);
	ck_assert_int_eq(kind(ASKED(.per_job = PARALLELISM_GPUS_MAX + 1ULL)),
			 GPUS_UNCLEAR);
	ck_assert_uint_eq(fixed(ASKED(.per_job = PARALLELISM_GPUS_MAX)),
			  PARALLELISM_GPUS_MAX);
	/* In 64 bits this would be 8, and the next in 32 bits 0. */
	ck_assert_int_eq(kind(ASKED(.per_task = (1ULL << 61) + 1,
				    .tasks = 8)), GPUS_UNCLEAR);
	ck_assert_int_eq(kind(ASKED(.per_node = 1U << 24,
				    .min_nodes = 1U << 8,
				    .max_nodes = 1U << 8)), GPUS_UNCLEAR);
	ck_assert_int_eq(kind(ASKED(.per_task = 1ULL << 62, .per_job = 8)),
			 GPUS_UNCLEAR);
	ck_assert_int_eq(kind(ASKED(.per_task = 1ULL << 62,
				    .tasks_per_node = 4)), GPUS_UNCLEAR);
}
END_TEST

START_TEST(slices_are_no_gpus)
{
	const char *slices[] = { "1g.5gb", "a100_3g.20gb", "h100-2g.10gb" };
	const char *whole[] = { "h100", "g.x", "1g", "rtx.g.1" };

	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(kind(ASKED(.per_job = 8, .type = slices[i],
					    .type_length = strlen(slices[i]))),
				 GPUS_UNCLEAR);
	for (int i = 0; i < 4; i++)
		ck_assert_uint_eq(fixed(ASKED(.per_job = 8, .type = whole[i],
					      .type_length =
							strlen(whole[i]))), 8);
}
END_TEST

/* --- hints --------------------------------------------------------------- */

/* EXPECTED: how the line starts, NULL for a good one. */
static enum vet check_vet(struct vet_job job, const char *expected)
{
	struct vet_reason reason = { "" };
	enum vet answer;

	/* It would be hit: nothing is allocated. */
	fault_after(1);
	answer = vet_job(&job, &reason);
	ck_assert(!fault_hit());
	fault_off();
	if (answer == VET_GOOD)
		ck_assert_msg(!expected, "no \"%s\"", expected);
	else
		ck_assert_msg(expected && !strncmp(reason.text, expected,
						   strlen(expected)),
			      "%s", reason.text);
	return answer;
}

#define EIGHT_A_NODE(nodes, ...) ((struct vet_job){ .gpus = { \
	.per_node = 8, .min_nodes = (nodes), .max_nodes = (nodes) }, \
	__VA_ARGS__ })

START_TEST(hint_is_held_against_a_fixed_count)
{
	ck_assert_int_eq(check_vet(EIGHT_A_NODE(4, .comment =
		"leafspine:tp=8,dp=4"), NULL), VET_GOOD);
	ck_assert_int_eq(check_vet(EIGHT_A_NODE(4, .comment =
		"leafspine:tp=8,dp=2"), "leafspine:HINT in the comment: dp: "
		"tp*cp*pp*dp is 16, expected the job's 32 GPUs"), VET_MISFIT);
	ck_assert_int_eq(check_vet(EIGHT_A_NODE(4, .comment =
		"leafspine:tp=7"), "leafspine:HINT in the comment: dp: "),
		VET_MISFIT);
	ck_assert_int_eq(check_vet(EIGHT_A_NODE(4, .comment =
		"leafspine:tp=8,ep=3"), "leafspine:HINT in the comment: ep: "),
		VET_MISFIT);
	ck_assert_int_eq(check_vet(EIGHT_A_NODE(4, .comment =
		"leafspine:tp=8,tp=8"), "leafspine:HINT in the comment: tp: "),
		VET_UNREADABLE);
	ck_assert_int_eq(check_vet(EIGHT_A_NODE(4, .comment =
		"leafspine:"), "leafspine:HINT in the comment: hint: "),
		VET_UNREADABLE);
	ck_assert_int_eq(check_vet(EIGHT_A_NODE(4, .comment =
		"leafspine:off"), NULL), VET_GOOD);
	ck_assert_int_eq(check_vet(EIGHT_A_NODE(4, .comment = "run 7"), NULL),
			 VET_GOOD);
	ck_assert_int_eq(check_vet(EIGHT_A_NODE(4), NULL), VET_GOOD);
}
END_TEST

START_TEST(open_count_wants_no_dp)
{
	struct vet_job job = EIGHT_A_NODE(2, .comment = "leafspine:tp=8,dp=2");

	job.gpus.max_nodes = 8;
	ck_assert_int_eq(check_vet(job, "leafspine:HINT in the comment: dp: "
				   "the job's number of GPUs is not fixed (2 "
				   "to 8 nodes), expected dp to be left out"),
			 VET_MISFIT);
	job.comment = "leafspine:tp=8";
	ck_assert_int_eq(check_vet(job, NULL), VET_GOOD);
}
END_TEST

START_TEST(unclear_count_is_left_to_the_decorator)
{
	struct vet_job job = EIGHT_A_NODE(2, .comment = "leafspine:tp=8,dp=9");

	job.gpus.unclear = true;
	ck_assert_int_eq(check_vet(job, NULL), VET_GOOD);
	/* Readable it has to be all the same. */
	job.comment = "leafspine:tp=x";
	ck_assert_int_eq(check_vet(job, "leafspine:HINT in the comment: tp: "),
			 VET_UNREADABLE);
}
END_TEST

START_TEST(option_then_environment_then_comment)
{
	char text[] = "_SLURM_SPANK_OPTION_leafspine_parallelism=tp=3";
	char *variables[] = { text };
	struct vet_job job = EIGHT_A_NODE(2, .comment = "leafspine:tp=7",
					  .environment = "tp=5",
					  .variables = variables,
					  .variable_count = 1);

	check_vet(job, "--parallelism: dp: ");
	ck_assert(!vet_by_environment(&job));
	job.variable_count = 0;
	check_vet(job, "LEAFSPINE_PARALLELISM: dp: ");
	ck_assert(vet_by_environment(&job));
	job.environment = NULL;
	check_vet(job, "leafspine:HINT in the comment: dp: ");
	ck_assert(!vet_by_environment(&job));
	job.comment = NULL;
	check_vet(job, NULL);
	ck_assert(!vet_by_environment(&job));
}
END_TEST

static void add(Suite *suite, const char *name, const TTest *const *tests,
		size_t count)
{
	TCase *tcase = tcase_create(name);

	for (size_t i = 0; i < count; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
}

#define ADD(name, ...) add(suite, name, (const TTest *const[]){ __VA_ARGS__ }, \
	sizeof((const TTest *const[]){ __VA_ARGS__ }) / sizeof(const TTest *))

static Suite *make_suite(void)
{
	Suite *suite = suite_create("gpus");

	ADD("tres", gpus_are_read_as_every_version_writes_them,
	    other_tres_are_passed_over, what_is_not_understood_is_unclear,
	    kinds_are_compared_across_strings);
	ADD("count", count_is_fixed_in_three_ways,
	    choice_of_node_counts_leaves_it_open, rest_is_unclear,
	    products_do_not_overflow, slices_are_no_gpus);
	ADD("vet", hint_is_held_against_a_fixed_count, open_count_wants_no_dp,
	    unclear_count_is_left_to_the_decorator,
	    option_then_environment_then_comment);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
