/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hints become job profiles: degrees, both grids, where bytes come from. */

#include <string.h>

#include "engine.h"

START_TEST(dp_is_filled_from_the_gpus)
{
	struct job_profile job = engine_profile("tp=8,pp=4", 128);

	ck_assert_uint_eq(job.gpus, 128);
	ck_assert_uint_eq(job.tp, 8);
	ck_assert_uint_eq(job.cp, 1);
	ck_assert_uint_eq(job.pp, 4);
	ck_assert_uint_eq(job.dp, 4);
	ck_assert_uint_eq(job.ep, 1);
	ck_assert_uint_eq(job.edp, 0);
	job = engine_profile("tp=8,cp=2,pp=4,dp=3", 192);
	ck_assert_uint_eq(job.dp, 3);
	ck_assert_uint_eq(job.cp, 2);
}
END_TEST

START_TEST(without_gpus_the_degrees_say_how_many)
{
	ck_assert_uint_eq(engine_profile("tp=8,pp=4,dp=2", 0).gpus, 64);
	ck_assert_uint_eq(engine_profile("tp=8,pp=4", 0).gpus, 32);
	ck_assert_uint_eq(engine_profile("tp=8,pp=4", 0).dp, 1);
	ck_assert_uint_eq(engine_profile("dp=1048576,tp=16", 0).gpus, 16777216);
	ck_assert_uint_eq(engine_profile("tp=16", 16777216).dp, 1048576);
}
END_TEST

START_TEST(experts_have_a_grid_of_their_own)
{
	struct job_profile job = engine_profile("tp=4,cp=2,dp=8,ep=16", 0);

	ck_assert_uint_eq(job.etp, 4);
	ck_assert_uint_eq(job.ep, 16);
	ck_assert_uint_eq(job.edp, 1);
	job = engine_profile("tp=4,cp=2,dp=8,ep=8,etp=1,pp=2", 0);
	ck_assert_uint_eq(job.etp, 1);
	ck_assert_uint_eq(job.edp, 8);
	ck_assert_uint_eq(job.gpus, 128);
}
END_TEST

/* Both grids must give each rank the same stage. */
static const struct {
	const char *hint;
	bool fits;
} grids[] = {
	/* pp last: the stage is rank / (tp*cp*dp) in both. */
	{ "tp=2,cp=2,dp=4,pp=2,ep=4,etp=1", true },
	{ "tp=2,cp=2,dp=4,pp=2,ep=4,etp=1,order=dp-ep-cp-tp-pp", true },
	/* pp first: the stage is rank % pp in both. */
	{ "tp=2,cp=2,dp=4,pp=2,ep=4,etp=1,order=pp-tp-cp-ep-dp", true },
	/* In front of pp: tp*cp = 4 and etp*ep = 4. */
	{ "tp=2,cp=2,dp=4,pp=2,ep=4,etp=1,order=tp-cp-ep-pp-dp", true },
	/* tp*cp = 4 and etp*ep = 8. */
	{ "tp=2,cp=2,dp=4,pp=2,ep=4,order=tp-cp-ep-pp-dp", false },
	/* tp*cp = 4 and etp = 2. */
	{ "tp=2,cp=2,dp=4,pp=2,ep=4,order=tp-cp-pp-ep-dp", false },
	/* dp = 4 and edp = 2. */
	{ "tp=2,dp=4,pp=2,ep=2,order=dp-pp-tp-cp-ep", false },
	/* dp = 4 and edp = 4: etp = 1 beside ep = 2. */
	{ "tp=2,dp=4,pp=2,ep=2,etp=1,order=dp-pp-tp-cp-ep", true },
	/* One stage, or one expert rank: nothing can differ. */
	{ "tp=2,cp=2,dp=4,pp=1,ep=4,order=tp-cp-ep-pp-dp", true },
	{ "tp=2,cp=2,dp=4,pp=2,ep=1,order=tp-cp-pp-ep-dp", true },
};

START_TEST(grids_agree_on_the_stages)
{
	struct parallelism hint = engine_hint(grids[_i].hint);
	struct parallelism_error why;
	struct job_profile job;
	int status = parallelism_fit(&hint, parallelism_site_default(), 0,
				     &job, &why);

	ck_assert_int_eq(status, grids[_i].fits ? 0 : -1);
	if (!grids[_i].fits)
		ck_assert_int_eq(strncmp(why.text, "order: ", 7), 0);
}
END_TEST

static const struct {
	const char *hint;
	uint64_t gpus;
	const char *why;
} misfits[] = {
	{ "tp=8,pp=4,dp=2", 128, "dp: tp*cp*pp*dp is 64, expected the job's "
	  "128 GPUs" },
	{ "tp=8,pp=3", 128, "dp: the job's 128 GPUs are no multiple of "
	  "tp*cp*pp, expected a multiple of 24" },
	{ "tp=8", 4, "dp: the job's 4 GPUs are no multiple of tp*cp*pp, "
	  "expected a multiple of 8" },
	{ "tp=8", 16777224, "dp: the job has 16777224 GPUs, expected at most "
	  "16777216" },
	{ "dp=4,ep=3", 0, "ep: etp*ep is 3, expected a divisor of tp*cp*dp, "
	  "which is 4" },
	{ "tp=2,dp=4,ep=8", 0, "ep: etp*ep is 16, expected a divisor of "
	  "tp*cp*dp, which is 8" },
	{ "ep=1048576,etp=1048576", 1, "ep: etp*ep is 1099511627776, expected "
	  "a divisor of tp*cp*dp, which is 1" },
	{ "dp=4,edp_bytes=1", 0, "edp_bytes: given without expert "
	  "parallelism, expected ep above 1 beside it" },
	{ "off", 0, "off: leaves the job to stock Slurm, expected degrees such "
	  "as tp=8,pp=4,dp=16" },
	{ "tp=8,hidden=8192", 8, "layers: missing, expected beside the other "
	  "model keys to work out the bytes of tp" },
};

START_TEST(misfit_is_one_line)
{
	struct parallelism hint = engine_hint(misfits[_i].hint);
	struct job_profile job, before;
	struct parallelism_error why;

	memset(&job, 0x5a, sizeof(job));
	before = job;
	ck_assert_int_eq(parallelism_fit(&hint, parallelism_site_default(),
					 misfits[_i].gpus, &job, &why), -1);
	ck_assert_mem_eq(&job, &before, sizeof(job));
	ck_assert_str_eq(why.text, misfits[_i].why);
}
END_TEST

START_TEST(bytes_of_the_hint_are_all_bytes)
{
	struct job_profile job =
		engine_profile("tp=8,dp=2,ep=2,dp_bytes=4e9,layers=3", 0);

	for (int dim = 0; dim < DIMENSIONS; dim++)
		ck_assert_double_eq(job.bytes[dim], dim == DIM_DP ? 4e9 : 0);
	/* Zero is a number too. */
	job = engine_profile("tp=8,dp=2,pp_bytes=0", 0);
	ck_assert_double_eq(job.bytes[DIM_TP], 0);
	ck_assert_double_eq(job.bytes[DIM_DP], 0);
}
END_TEST

START_TEST(site_gives_bytes_and_step)
{
	struct job_profile job = engine_profile("tp=8,dp=2,ep=2", 0);

	ck_assert_double_eq(job.bytes[DIM_TP], 100e9);
	ck_assert_double_eq(job.bytes[DIM_CP], 4e9);
	ck_assert_double_eq(job.bytes[DIM_DP], 27.8e9);
	ck_assert_double_eq(job.bytes[DIM_PP], 1e9);
	ck_assert_double_eq(job.bytes[DIM_EP], 40e9);
	ck_assert_double_eq(job.bytes[DIM_EDP], 4e9);
	ck_assert_double_eq(job.step, 4);
	ck_assert_double_eq(job.skew, 1);
	ck_assert_uint_eq(job.interleave, 1);
	ck_assert_double_eq(engine_profile("step=2.5", 1).step, 2.5);
}
END_TEST

START_TEST(another_site_gives_its_own)
{
	struct parallelism hint = engine_hint("tp=2,dp=2");
	struct parallelism site = engine_hint("dp_bytes=7,edp_bytes=3,step=9");
	struct parallelism_error why;
	struct job_profile job;

	/* The site's edp_bytes beside ep = 1 are ignored, not refused. */
	ck_assert_int_eq(parallelism_fit(&hint, &site, 0, &job, &why), 0);
	ck_assert_double_eq(job.bytes[DIM_DP], 7);
	ck_assert_double_eq(job.bytes[DIM_TP], 0);
	ck_assert_double_eq(job.bytes[DIM_EDP], 0);
	ck_assert_double_eq(job.step, 9);
	/* A site may describe its job by a model as well. */
	site = engine_hint("params=1000,layers=1,hidden=10,seq=10,zero=0");
	ck_assert_int_eq(parallelism_fit(&hint, &site, 0, &job, &why), 0);
	/* 2 all-reduced parameters halves of bf16: 2 * 500 * 2 * 1/2 */
	ck_assert_double_eq(job.bytes[DIM_DP], 1000);
	ck_assert(job.step > 0);
}
END_TEST

START_TEST(no_experts_no_expert_bytes)
{
	struct job_profile job = engine_profile("tp=8,dp=2", 0);

	ck_assert_double_eq(job.bytes[DIM_EP], 0);
	ck_assert_double_eq(job.bytes[DIM_EDP], 0);
	job = engine_profile("dp=2,ep=2,ep_bytes=5,edp_bytes=6", 0);
	ck_assert_double_eq(job.bytes[DIM_EP], 5);
	ck_assert_double_eq(job.bytes[DIM_EDP], 6);
}
END_TEST

START_TEST(the_rest_of_the_hint_is_carried_over)
{
	struct job_profile job = engine_profile(
		"dp=4,pp=2,order=pp-tp-cp-ep-dp,interleave=3,allreduce=sharp,"
		"step=8,overlap=dp:0.5,skew=2", 0);

	ck_assert_int_eq(job.order[0], AXIS_PP);
	ck_assert_int_eq(job.order[4], AXIS_DP);
	ck_assert_uint_eq(job.interleave, 3);
	ck_assert_int_eq(job.allreduce, ALLREDUCE_SHARP);
	ck_assert_double_eq(job.step, 8);
	ck_assert_double_eq(job.overlap[DIM_DP], 0.5);
	ck_assert_double_eq(job.skew, 2);
}
END_TEST

START_TEST(group_sizes_follow_the_grids)
{
	static const uint64_t sizes[DIMENSIONS] = {
		[DIM_TP] = 4, [DIM_CP] = 2, [DIM_DP] = 16, [DIM_PP] = 3,
		[DIM_EP] = 8, [DIM_EDP] = 4,
	};
	static const char *const names[DIMENSIONS] = {
		"tp", "cp", "dp", "pp", "ep", "edp"
	};
	struct job_profile job =
		engine_profile("tp=4,cp=2,dp=8,pp=3,ep=8,etp=2", 0);

	for (int dim = 0; dim < DIMENSIONS; dim++) {
		ck_assert_uint_eq(job_profile_group_size(&job,
				  (enum dimension)dim), sizes[dim]);
		ck_assert_str_eq(dimension_name((enum dimension)dim),
				 names[dim]);
	}
	job = engine_profile("dp=8", 0);
	ck_assert_uint_eq(job_profile_group_size(&job, DIM_EDP), 1);
	ck_assert_uint_eq(job_profile_group_size(&job, DIM_EP), 1);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("parallelism_fit");
	TCase *degrees = tcase_create("degrees");
	TCase *bytes = tcase_create("bytes");

	tcase_add_test(degrees, dp_is_filled_from_the_gpus);
	tcase_add_test(degrees, without_gpus_the_degrees_say_how_many);
	tcase_add_test(degrees, experts_have_a_grid_of_their_own);
	tcase_add_loop_test(degrees, grids_agree_on_the_stages, 0,
			    sizeof(grids) / sizeof(*grids));
	tcase_add_loop_test(degrees, misfit_is_one_line, 0,
			    sizeof(misfits) / sizeof(*misfits));
	tcase_add_test(degrees, group_sizes_follow_the_grids);
	suite_add_tcase(suite, degrees);
	tcase_add_test(bytes, bytes_of_the_hint_are_all_bytes);
	tcase_add_test(bytes, site_gives_bytes_and_step);
	tcase_add_test(bytes, another_site_gives_its_own);
	tcase_add_test(bytes, no_experts_no_expert_bytes);
	tcase_add_test(bytes, the_rest_of_the_hint_is_carried_over);
	suite_add_tcase(suite, bytes);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
