/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traffic of a job of 16,384 GPUs on 2,048 nodes stays small: what is kept
 * grows with nodes and their partners, not with pairs of ranks.
 */

#include <malloc.h>
#include <string.h>

#include "engine.h"
#include "traffic.h"

enum { NODES = 2048, EACH = 8 };
#define BYTES_MAX (50UL << 20)

static const struct {
	const char *hint;
	bool by_slot;
	uint32_t edges, groups, members;
} jobs[] = {
	/* Each block to the next one of its stage, and to both neighbours:
	 * 2048 + 2 * 15 * 128. */
	{ "model=llama3-405b,tp=8,pp=16,dp=128", false, 2048 + 3840, 0, 0 },
	/* Receivers apart: eight times as many. */
	{ "model=llama3-405b,tp=8,pp=16,dp=128", true, 8 * 5888, 0, 0 },
	/* 1024 ranks a stage are 128 blocks in a row, closed to a ring: 2048
	 * dp edges; edp joins each block to the one 8 blocks on: 2048; pp as
	 * above. 16 * 1024/64 expert groups of 8 blocks. */
	{ "pp=16,dp=1024,ep=64", false, 2048 + 3840 + 2048, 256, 2048 },
	/* Groups of x = 0..7 over the same 256 blocks are kept once. */
	{ "tp=8,dp=2048,ep=256,dp_bytes=0,ep_bytes=1", false, 0, 8, 2048 },
	/* By slot they are not. */
	{ "tp=8,dp=2048,ep=256,dp_bytes=0,ep_bytes=1", true, 0, 64, 16384 },
	/* One group of all ranks. */
	{ "dp=16384,ep=16384,ep_bytes=1", false, 0, 1, 2048 },
	{ "dp=16384,ep=16384,ep_bytes=1", true, 0, 1, 16384 },
	/* Gradient groups of one rank a node: eight of them, kept once. */
	{ "tp=8,dp=2048,dp_bytes=1,allreduce=hierarchical", false, 0, 1, 2048 },
	/* A tree over N nodes has N-1 edges, some in both trees: at most
	 * 4(N-1) directed ones. Checked as a bound below. */
	{ "tp=8,dp=2048,dp_bytes=1,allreduce=tree", false, UINT32_MAX, 0, 0 },
};

/* What the C library has handed out; 0 under a sanitizer or valgrind. */
static size_t bytes_in_use(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

START_TEST(large_job_stays_small)
{
	struct job_profile job = engine_profile(jobs[_i].hint, 0);
	uint32_t *gpus = calloc(NODES, sizeof(*gpus));
	size_t before = bytes_in_use(), counted;
	struct traffic *traffic;

	ck_assert_ptr_nonnull(gpus);
	for (int i = 0; i < NODES; i++)
		gpus[i] = EACH;
	traffic = traffic_build(&job, gpus, NODES, jobs[_i].by_slot);
	ck_assert_ptr_nonnull(traffic);
	ck_assert_ptr_null(traffic_check(traffic));
	ck_assert(bytes_in_use() < before + BYTES_MAX);
	counted = traffic->edge_count * sizeof(*traffic->edges) +
		  traffic->group_count * sizeof(*traffic->groups) +
		  traffic->member_count * sizeof(*traffic->members);
	ck_assert_uint_lt(counted, BYTES_MAX / 2);	/* arrays double */
	if (jobs[_i].edges == UINT32_MAX)
		ck_assert_uint_le(traffic->edge_count, 4 * (NODES - 1));
	else
		ck_assert_uint_eq(traffic->edge_count, jobs[_i].edges);
	ck_assert_uint_eq(traffic->group_count, jobs[_i].groups);
	ck_assert_uint_eq(traffic->member_count, jobs[_i].members);
	traffic_free(traffic);
	free(gpus);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("traffic_large");
	TCase *large = tcase_create("large");

	tcase_add_loop_test(large, large_job_stays_small, 0,
			    sizeof(jobs) / sizeof(*jobs));
	suite_add_tcase(suite, large);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
