/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_volumes: what one GPU sends in a step, from the model keys of public
 * training runs, within 1 % of figures worked out from the published shapes.
 *
 * GB each. pp counts both directions. Gradients: reduce-scatter in fp32 and
 * all-gather in bf16, but for the all-reduce in bf16 of the first row and the
 * three passes of fully sharded data parallelism. The experts' tp counts like
 * that of a dense layer.
 */
#include <check.h>
#include <math.h>

#include "../unit/unit.h"
#include "golden.h"

#define NONE -1		/* no such group, or no figure */

struct volume {
	const char *what;
	uint32_t gpus;
	const char *hint;
	double tp, pp, dp, cp, ep, edp;
};

#define GPT3 "params=174.6e9,layers=96,hidden=12288,seq=2048,zero=1"
#define LLAMA_405B "params=405.85e9,layers=126,hidden=16384,kv_hidden=1024," \
		   "zero=1"
#define DEEPSEEK_V3 "params=671e9,layers=61,hidden=7168,seq=4096,mbs=1,"     \
		    "experts=256,topk=8,moe_layers=58,ffn=2048,etp=1,ep=64," \
		    "zero=1"

static const struct volume volumes[] = {
	{ "Megatron 1T", 3072,
	  "tp=8,pp=64,dp=6,params=1008e9,layers=128,hidden=25600,seq=2048,"
	  "mbs=1,microbatches=512,dtype=bf16,zero=0",
	  751.6, 13.42, 6.56, NONE, NONE, NONE },
	{ "GPT-3 on 512", 512,
	  "tp=4,pp=8,dp=16,interleave=4,mbs=2,microbatches=64," GPT3,
	  463.9, 12.88, 30.69, NONE, NONE, NONE },
	{ "GPT-3 on 10752", 10752,
	  "tp=4,pp=6,dp=448,interleave=8,mbs=1,microbatches=6," GPT3,
	  29.0, 1.21, 43.55, NONE, NONE, NONE },
	{ "Llama 3 405B, 8K", 16384,
	  "tp=8,pp=16,dp=128,seq=8192,mbs=1,microbatches=16," LLAMA_405B,
	  236.8, 1.07, 18.88, NONE, NONE, NONE },
	{ "Llama 3 405B, 128K", 16384,
	  "tp=8,cp=16,pp=16,dp=8,seq=131072,mbs=1,microbatches=16," LLAMA_405B,
	  236.8, 1.07, 18.88, 23.78, NONE, NONE },
	{ "Llama 3.1 405B on 1024", 1024,
	  "tp=8,cp=2,pp=8,dp=8,interleave=8,seq=8192,mbs=1,microbatches=192,"
	  LLAMA_405B,
	  2841, 51.54, 35.67, 19.03, NONE, NONE },
	{ "Llama 3 70B on 64", 64,
	  "tp=4,pp=8,dp=2,interleave=5,params=70.55e9,layers=80,hidden=8192,"
	  "seq=8192,mbs=1,microbatches=128,zero=1",
	  1031, 42.95, 6.61, NONE, NONE, NONE },
	{ "Llama 3 8B, fully sharded", 64,
	  "dp=64,params=8.03e9,layers=32,hidden=4096,seq=8192,mbs=1,"
	  "microbatches=2,zero=3",
	  NONE, NONE, 63.24, NONE, NONE, NONE },
	{ "DeepSeek-V3 on 2048", 2048,
	  "pp=16,dp=128,microbatches=120," DEEPSEEK_V3,
	  NONE, 14.09, 6.36, NONE, 804.6, 1.92 },
	{ "DeepSeek-V3 on 1024", 1024,
	  "tp=2,pp=8,dp=64,interleave=4,microbatches=256," DEEPSEEK_V3,
	  458.5, 60.13, 6.31, NONE, 1717, 3.83 },
	{ "Qwen3 235B-A22B", 256,
	  "tp=2,pp=8,dp=16,interleave=4,ep=32,etp=1,params=235.1e9,layers=94,"
	  "hidden=4096,seq=4096,mbs=1,microbatches=512,experts=128,topk=8,"
	  "moe_layers=94,ffn=1536,zero=1",
	  807.5, 68.72, 2.81, NONE, 3129, NONE },
	{ "Qwen3 30B-A3B", 16,
	  "dp=16,ep=16,etp=1,params=30.5e9,layers=48,hidden=2048,seq=4096,"
	  "mbs=1,microbatches=64,experts=128,topk=8,moe_layers=48,ffn=768,"
	  "zero=1",
	  NONE, NONE, 8.49, NONE, 1546, NONE },
	{ "Mixtral 8x7B", 64,
	  "tp=2,dp=32,ep=8,etp=1,params=46.7e9,layers=32,hidden=4096,seq=4096,"
	  "mbs=1,microbatches=8,experts=8,topk=2,moe_layers=32,ffn=14336,"
	  "zero=1",
	  34.4, NONE, 4.66, NONE, 30.1, 29.6 },
	{ "Mixtral 8x22B", 128,
	  "tp=2,pp=8,dp=8,ep=8,etp=1,params=140.6e9,layers=56,hidden=6144,"
	  "seq=4096,mbs=1,microbatches=32,experts=8,topk=2,moe_layers=56,"
	  "ffn=16384,zero=1",
	  45.1, 1.61, 1.74, NONE, 39.5, 6.34 },
};

static void compare(const struct volume *row, const char *dimension,
		    double bytes, double golden)
{
	if (golden < 0)
		return;
	ck_assert_msg(fabs(bytes / 1e9 - golden) <= 0.01 * golden,
		      "%s: %s sends %.4g GB, expected %.4g", row->what,
		      dimension, bytes / 1e9, golden);
}

START_TEST(volumes_of_public_models)
{
	const struct volume *row = &volumes[_i];
	struct job_profile profile;

	golden_profile(row->hint, row->gpus, &profile);
	compare(row, "tp", profile.bytes[DIM_TP], row->tp);
	compare(row, "pp", 2 * profile.bytes[DIM_PP], row->pp);
	compare(row, "dp", profile.bytes[DIM_DP], row->dp);
	compare(row, "cp", profile.bytes[DIM_CP], row->cp);
	compare(row, "ep", profile.bytes[DIM_EP], row->ep);
	compare(row, "edp", profile.bytes[DIM_EDP], row->edp);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("volumes");
	TCase *tests = tcase_create("models");
	int rows = sizeof(volumes) / sizeof(volumes[0]);

	tcase_add_loop_test(tests, volumes_of_public_models, 0, rows);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
