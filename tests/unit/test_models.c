/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model keys become bytes. The small shape is worked out by hand from the
 * formulas, the named ones are compared with published configurations.
 */

#include <string.h>

#include "engine.h"
#include "models.h"

/*
 * One activation: A = mbs*seq*hidden*2/cp = 2*100*1000*2/2 = 200,000 bytes, and
 * three micro-batches over L/pp = 2 layers a stage.
 */
#define SHAPE "layers=4,hidden=1000,kv_hidden=200,seq=100,mbs=2," \
	      "microbatches=3,params=80000"
#define DEGREES "tp=4,cp=2,pp=2,dp=2,"
#define EXPERTS "ep=4,etp=2,experts=4,topk=2,moe_layers=2,"

static const struct {
	const char *hint;
	enum dimension dimension;
	double bytes;
} volumes[] = {
	/* L/p * m * 8A (t-1)/t = 2*3*8*200000*3/4 */
	{ DEGREES SHAPE, DIM_TP, 7200000 },
	{ DEGREES SHAPE ",sp=off", DIM_TP, 7200000 },
	{ DEGREES SHAPE ",dtype=fp32", DIM_TP, 14400000 },
	/* 2*3 * 3(c-1) * 2*(s/c)*b*kv*2/t = 6 * 3 * 20000 */
	{ DEGREES SHAPE, DIM_CP, 360000 },
	{ DEGREES SHAPE ",dtype=fp8", DIM_CP, 180000 },
	/* without kv_hidden it is hidden: 5 times as much */
	{ DEGREES "layers=4,hidden=1000,seq=100,mbs=2,microbatches=3,params=1",
	  DIM_CP, 1800000 },
	/* m * A/t with sequence parallelism, m * A without */
	{ DEGREES SHAPE, DIM_PP, 150000 },
	{ DEGREES SHAPE ",sp=on", DIM_PP, 150000 },
	{ DEGREES SHAPE ",sp=off", DIM_PP, 600000 },
	{ DEGREES SHAPE ",interleave=2", DIM_PP, 300000 },
	/* 80000/(4*2) parameters, group dp*cp = 4: RS of 4 bytes, AG of 2 */
	{ DEGREES SHAPE, DIM_DP, 45000 },
	{ DEGREES SHAPE ",zero=1", DIM_DP, 45000 },
	{ DEGREES SHAPE ",zero=2", DIM_DP, 45000 },
	{ DEGREES SHAPE ",zero=1,grad_dtype=bf16", DIM_DP, 30000 },
	/* zero=0 is an all-reduce of dtype, zero=3 gathers twice */
	{ DEGREES SHAPE ",zero=0", DIM_DP, 30000 },
	{ DEGREES SHAPE ",zero=0,grad_dtype=fp32", DIM_DP, 60000 },
	{ DEGREES SHAPE ",zero=3", DIM_DP, 60000 },
	/* 4 L/p m T k h a (e-1)/e, T = b*s/(c*t) = 25 tokens */
	{ DEGREES EXPERTS SHAPE ",expert_params=64000", DIM_EP, 900000 },
	{ DEGREES EXPERTS SHAPE ",expert_params=64000,sp=off", DIM_EP,
	  3600000 },
	/* 64000/(2*4*2) a rank, edp = 16/8 = 2 */
	{ DEGREES EXPERTS SHAPE ",expert_params=64000", DIM_EDP, 12000 },
	/* the rest is dense: 16000/8 over 4 ranks */
	{ DEGREES EXPERTS SHAPE ",expert_params=64000", DIM_DP, 9000 },
	/* moe_layers * experts * 3 * hidden * ffn = 2*4*3*1000*10 = 240000 */
	{ DEGREES EXPERTS SHAPE ",ffn=10", DIM_EDP, 45000 },
	{ DEGREES EXPERTS SHAPE ",ffn=10", DIM_DP, 0 },
	/* pp = 4 micro-batches fill the pipeline when nothing is said */
	{ "pp=4,hidden=10,seq=10", DIM_PP, 800 },
	/* a dimension of one member sends nothing */
	{ SHAPE, DIM_TP, 0 }, { SHAPE, DIM_CP, 0 }, { SHAPE, DIM_PP, 0 },
	{ SHAPE, DIM_DP, 0 }, { SHAPE, DIM_EP, 0 }, { SHAPE, DIM_EDP, 0 },
	/* parameters of the shape: 2(2h^2 + 2h*kv) + 2*3h*ffn + vocab*h =
	 * 2(200 + 80) + 60*5*2 + 7*10 = 1230, all-reduced by two */
	{ "dp=2,zero=0,layers=2,hidden=10,kv_hidden=4,ffn=10,vocab=7,seq=1",
	  DIM_DP, 2 * 1230 },
};

START_TEST(volume_follows_the_formula)
{
	struct job_profile job = engine_profile(volumes[_i].hint, 0);

	ck_assert_double_eq_tol(job.bytes[volumes[_i].dimension],
				volumes[_i].bytes,
				1e-9 * volumes[_i].bytes + 1e-9);
}
END_TEST

/*
 * In GB, as many digits as are published; 0: not looked at. Of pp the sum of
 * both directions is published.
 */
static const struct {
	const char *hint;
	uint32_t gpus;
	double bytes[DIMENSIONS];
} published[] = {
	{ "model=megatron-1t,tp=8,pp=64,dp=6", 3072,
	  { [DIM_TP] = 751.6, [DIM_PP] = 13.42, [DIM_DP] = 6.56 } },
	{ "model=gpt3-175b,tp=4,pp=8,dp=16,interleave=4", 512,
	  { [DIM_TP] = 463.9, [DIM_PP] = 12.88, [DIM_DP] = 30.69 } },
	{ "model=gpt3-175b,tp=4,pp=6,dp=448,interleave=8,mbs=1,microbatches=6",
	  10752, { [DIM_TP] = 29.0, [DIM_PP] = 1.21, [DIM_DP] = 43.55 } },
	{ "model=llama3-405b,tp=8,pp=16,dp=128", 16384,
	  { [DIM_TP] = 236.8, [DIM_PP] = 1.07, [DIM_DP] = 18.88 } },
	{ "model=llama3-405b,tp=8,cp=16,pp=16,dp=8,seq=131072,microbatches=16",
	  16384, { [DIM_TP] = 236.8, [DIM_CP] = 23.78, [DIM_PP] = 1.07,
		   [DIM_DP] = 18.88 } },
	{ "model=llama3-405b,tp=8,cp=2,pp=8,dp=8,interleave=8,microbatches=192",
	  1024, { [DIM_TP] = 2841, [DIM_CP] = 19.03, [DIM_PP] = 51.54,
		  [DIM_DP] = 35.67 } },
	{ "model=llama3-70b,tp=4,pp=8,dp=2,interleave=5", 64,
	  { [DIM_TP] = 1031, [DIM_PP] = 42.95, [DIM_DP] = 6.61 } },
	{ "model=llama3-8b,dp=64", 64, { [DIM_DP] = 63.24 } },
	{ "model=deepseek-v3,pp=16,dp=128,ep=64", 2048,
	  { [DIM_PP] = 14.09, [DIM_DP] = 6.36, [DIM_EP] = 804.6,
	    [DIM_EDP] = 1.92 } },
	{ "model=qwen3-235b-a22b,tp=2,pp=8,dp=16,ep=32,etp=1,interleave=4",
	  256, { [DIM_TP] = 807.5, [DIM_PP] = 68.72, [DIM_DP] = 2.81,
		 [DIM_EP] = 3129 } },
	{ "model=qwen3-30b-a3b,dp=16,ep=16", 16,
	  { [DIM_DP] = 8.49, [DIM_EP] = 1546 } },
	{ "model=mixtral-8x7b,tp=2,dp=32,ep=8,etp=1", 64,
	  { [DIM_TP] = 34.4, [DIM_DP] = 4.66, [DIM_EP] = 30.1,
	    [DIM_EDP] = 29.6 } },
	{ "model=mixtral-8x22b,tp=2,pp=8,dp=8,ep=8,etp=1", 128,
	  { [DIM_TP] = 45.1, [DIM_PP] = 1.61, [DIM_DP] = 1.74,
	    [DIM_EP] = 39.5, [DIM_EDP] = 6.34 } },
};

START_TEST(named_model_gives_published_volumes)
{
	struct job_profile job = engine_profile(published[_i].hint, 0);

	ck_assert_uint_eq(job.gpus, published[_i].gpus);
	for (int dim = 0; dim < DIMENSIONS; dim++) {
		double gigabytes = published[_i].bytes[dim];
		double found = job.bytes[dim] / 1e9 * (dim == DIM_PP ? 2 : 1);

		if (gigabytes > 0)
			ck_assert_double_eq_tol(found, gigabytes,
						gigabytes * 0.005);
	}
}
END_TEST

/* Llama-3 70B, tp8 pp4 dp4, 128 sequences: exact bytes of the note. */
START_TEST(worked_example_is_exact)
{
	struct job_profile job = engine_profile(
		"model=llama3-70b,tp=8,pp=4,dp=4,microbatches=32", 128);

	ck_assert_double_eq(job.bytes[DIM_PP], 536870912);
	ck_assert_double_eq(job.bytes[DIM_DP], 9921093750.0);
}
END_TEST

static const struct {
	const char *hint, *key;
} missing[] = {
	{ "tp=2,hidden=1,seq=1", "layers: " },
	{ "tp=2,layers=1,seq=1", "hidden: " },
	{ "tp=2,layers=1,hidden=1", "seq: " },
	{ "cp=2,hidden=1,seq=1,params=1", "layers: " },
	{ "cp=2,layers=1,seq=1,params=1", "hidden: " },
	{ "pp=2,seq=1", "hidden: " },
	{ "pp=2,hidden=1", "seq: " },
	{ "dp=2,hidden=1,seq=1", "params: " },
	{ "dp=2,ep=2,hidden=1,seq=1,topk=1,params=1", "moe_layers: " },
	{ "dp=2,ep=2,layers=1,hidden=1,seq=1,params=1", "topk: " },
	{ "dp=2,ep=2,layers=1,hidden=1,topk=1,params=1", "seq: " },
	{ "dp=4,ep=2,layers=1,hidden=1,topk=1,seq=1,params=1,experts=2",
	  "expert_params: " },
};

START_TEST(missing_key_is_named)
{
	struct parallelism hint = engine_hint(missing[_i].hint);
	struct parallelism_error why;
	struct job_profile job;

	ck_assert_int_eq(parallelism_fit(&hint, parallelism_site_default(), 0,
					 &job, &why), -1);
	ck_assert_msg(!strncmp(why.text, missing[_i].key,
			       strlen(missing[_i].key)), "%s", why.text);
	ck_assert_ptr_nonnull(strstr(why.text, "missing, expected"));
}
END_TEST

START_TEST(too_many_bytes_are_refused)
{
	struct parallelism hint = engine_hint(
		"tp=2,layers=1e6,hidden=1e7,seq=1e9,mbs=1e6,microbatches=1e7");
	struct parallelism_error why;
	struct job_profile job;

	ck_assert_int_eq(parallelism_fit(&hint, parallelism_site_default(), 0,
					 &job, &why), -1);
	ck_assert_str_eq(why.text, "tp: the model keys give more than 1e18 "
			 "bytes a step, expected at most that");
}
END_TEST

START_TEST(every_name_is_found)
{
	size_t count = 0;

	for (; models_name(count); count++)
		ck_assert_ptr_nonnull(models_find(models_name(count),
						  strlen(models_name(count))));
	ck_assert_uint_ge(count, 10);
	ck_assert_ptr_null(models_find("llama3-405b", 10));
	ck_assert_ptr_null(models_find("", 0));
	ck_assert_double_eq(models_find("llama3-405b", 11)->params, 405.85e9);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("models");
	TCase *bytes = tcase_create("bytes");
	TCase *bad = tcase_create("refused");

	tcase_add_loop_test(bytes, volume_follows_the_formula, 0,
			    sizeof(volumes) / sizeof(*volumes));
	tcase_add_loop_test(bytes, named_model_gives_published_volumes, 0,
			    sizeof(published) / sizeof(*published));
	tcase_add_test(bytes, worked_example_is_exact);
	tcase_add_test(bytes, every_name_is_found);
	suite_add_tcase(suite, bytes);
	tcase_add_loop_test(bad, missing_key_is_named, 0,
			    sizeof(missing) / sizeof(*missing));
	tcase_add_test(bad, too_many_bytes_are_refused);
	suite_add_tcase(suite, bad);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
