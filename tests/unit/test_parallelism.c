/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hints: every key with its bounds and its message, and what fits what. */

#include <stdint.h>
#include <string.h>

#include "engine.h"

static int parse(const char *text, struct parallelism *ret,
		 struct parallelism_error *why)
{
	return parallelism_parse(text, strlen(text), ret, why);
}

START_TEST(hint_has_defaults)
{
	static const uint8_t order[AXES] = {
		AXIS_TP, AXIS_CP, AXIS_EP, AXIS_DP, AXIS_PP
	};
	struct parallelism hint = engine_hint("tp=8");

	ck_assert(!hint.off);
	ck_assert_uint_eq(hint.tp, 8);
	ck_assert_uint_eq(hint.cp + hint.pp + hint.dp + hint.ep + hint.etp, 0);
	ck_assert_mem_eq(hint.order, order, sizeof(order));
	ck_assert(!hint.bytes_given && !hint.edp_bytes_given);
	ck_assert(!hint.model_given);
	ck_assert_uint_eq(hint.interleave, 1);
	ck_assert_int_eq(hint.allreduce, ALLREDUCE_RING);
	ck_assert_double_eq(hint.step, 0);
	ck_assert_double_eq(hint.skew, 1);
	for (int dim = 0; dim < DIMENSIONS; dim++) {
		ck_assert_double_eq(hint.bytes[dim], 0);
		ck_assert_double_eq(hint.overlap[dim], 0);
	}
}
END_TEST

START_TEST(hint_reads_degrees)
{
	struct parallelism hint =
		engine_hint("etp=2,ep=4,dp=16,pp=5,cp=3,tp=8,interleave=6");

	ck_assert_uint_eq(hint.tp, 8);
	ck_assert_uint_eq(hint.cp, 3);
	ck_assert_uint_eq(hint.pp, 5);
	ck_assert_uint_eq(hint.dp, 16);
	ck_assert_uint_eq(hint.ep, 4);
	ck_assert_uint_eq(hint.etp, 2);
	ck_assert_uint_eq(hint.interleave, 6);
	ck_assert_uint_eq(parallelism_gpus_unit(&hint), 120);
	hint = engine_hint("tp=1048576,ep=1048576,pp=16");
	ck_assert_uint_eq(hint.tp, 1048576);
	ck_assert_uint_eq(hint.ep, 1048576);
	ck_assert_uint_eq(parallelism_gpus_unit(&hint), 16777216);
}
END_TEST

static const struct {
	const char *text;
	double bytes;
} sizes[] = {
	{ "0", 0 }, { "4e9", 4e9 }, { "4E9", 4e9 }, { "4e+9", 4e9 },
	{ "5e-1", 0.5 }, { "1234567", 1234567 }, { "27.8G", 27.8e9 },
	{ "1K", 1e3 }, { "1M", 1e6 }, { "1G", 1e9 }, { "1T", 1e12 },
	{ "1P", 1e15 }, { "1000P", 1e18 }, { "1e18", 1e18 },
	{ "1Ki", 1024 }, { "1Mi", 1048576 }, { "1Gi", 1073741824 },
	{ "1Ti", 1099511627776.0 }, { "2Pi", 2251799813685248.0 },
	{ "0.5Ki", 512 }, { "1e3K", 1e6 }, { "27.8e9", 27.8e9 },
};

START_TEST(bytes_are_numbers_with_units)
{
	static const char *const keys[DIMENSIONS] = {
		"tp_bytes", "cp_bytes", "dp_bytes", "pp_bytes", "ep_bytes",
		"edp_bytes"
	};

	for (int dim = 0; dim < DIMENSIONS; dim++) {
		struct parallelism hint;
		char text[64];

		snprintf(text, sizeof(text), "%s=%s", keys[dim],
			 sizes[_i].text);
		hint = engine_hint(text);
		ck_assert(hint.bytes_given);
		ck_assert_int_eq(hint.edp_bytes_given, dim == DIM_EDP);
		for (int i = 0; i < DIMENSIONS; i++)
			ck_assert_double_eq(hint.bytes[i],
					    i == dim ? sizes[_i].bytes : 0);
	}
}
END_TEST

START_TEST(hint_reads_model_keys)
{
	struct parallelism_model m = engine_hint(
		"params=70.55B,layers=80,hidden=8192,kv_hidden=1Ki,ffn=28672,"
		"vocab=128256,experts=8,topk=2,moe_layers=0,expert_params=0,"
		"seq=8Ki,mbs=3,microbatches=32,dtype=fp8,grad_dtype=fp32,"
		"zero=3,sp=off").model;

	ck_assert_double_eq(m.params, 70.55e9);
	ck_assert_double_eq(m.layers, 80);
	ck_assert_double_eq(m.hidden, 8192);
	ck_assert_double_eq(m.kv_hidden, 1024);
	ck_assert_double_eq(m.ffn, 28672);
	ck_assert_double_eq(m.vocab, 128256);
	ck_assert_double_eq(m.experts, 8);
	ck_assert_double_eq(m.topk, 2);
	ck_assert_double_eq(m.moe_layers, 0);
	ck_assert_double_eq(m.expert_params, 0);
	ck_assert_double_eq(m.seq, 8192);
	ck_assert_double_eq(m.mbs, 3);
	ck_assert_double_eq(m.microbatches, 32);
	ck_assert_int_eq(m.dtype_bytes, 1);
	ck_assert_int_eq(m.grad_dtype_bytes, 4);
	ck_assert_int_eq(m.zero, 3);
	ck_assert_int_eq(m.sp, 0);
	ck_assert(engine_hint("sp=on").model_given);
	ck_assert_int_eq(engine_hint("sp=on").model.sp, 1);
	ck_assert_int_eq(engine_hint("dtype=bf16").model.dtype_bytes, 2);
	ck_assert_int_eq(engine_hint("dtype=fp16").model.dtype_bytes, 2);
	ck_assert_int_eq(engine_hint("zero=0").model.zero, 0);
}
END_TEST

START_TEST(model_gives_what_is_not_given_beside_it)
{
	struct parallelism_model before =
		engine_hint("layers=7,model=llama3-70b").model;
	struct parallelism_model after =
		engine_hint("model=llama3-70b,layers=7").model;

	ck_assert_double_eq(before.layers, 7);
	ck_assert_double_eq(after.layers, 7);
	ck_assert_double_eq(before.hidden, 8192);
	ck_assert_double_eq(after.params, 70.55e9);
}
END_TEST

START_TEST(hint_reads_the_other_keys)
{
	static const uint8_t order[AXES] = {
		AXIS_PP, AXIS_DP, AXIS_EP, AXIS_CP, AXIS_TP
	};
	struct parallelism hint = engine_hint(
		"order=pp-dp-ep-cp-tp,allreduce=tree,step=37.7,"
		"overlap=dp:0.8+edp:1+pp:0,skew=1.5");

	ck_assert_mem_eq(hint.order, order, sizeof(order));
	ck_assert_int_eq(hint.allreduce, ALLREDUCE_TREE);
	ck_assert_double_eq(hint.step, 37.7);
	ck_assert_double_eq(hint.overlap[DIM_DP], 0.8);
	ck_assert_double_eq(hint.overlap[DIM_EDP], 1);
	ck_assert_double_eq(hint.overlap[DIM_PP], 0);
	ck_assert_double_eq(hint.overlap[DIM_TP], 0);
	ck_assert_double_eq(hint.skew, 1.5);
	for (int i = ALLREDUCE_RING; i <= ALLREDUCE_SHARP; i++) {
		char text[40];

		snprintf(text, sizeof(text), "allreduce=%s",
			 allreduce_name((enum allreduce)i));
		ck_assert_int_eq(engine_hint(text).allreduce, i);
	}
}
END_TEST

START_TEST(off_stands_alone)
{
	ck_assert(engine_hint("off").off);
	ck_assert(!engine_hint("tp=1").off);
}
END_TEST

START_TEST(hint_of_1024_bytes_is_read)
{
	char text[PARALLELISM_TEXT_MAX + 2];
	struct parallelism_error why;
	struct parallelism hint;

	memset(text, '0', sizeof(text));
	memcpy(text, "step=4.", 7);
	ck_assert_int_eq(parallelism_parse(text, PARALLELISM_TEXT_MAX, &hint,
					   &why), 0);
	ck_assert_double_eq(hint.step, 4);
	ck_assert_int_eq(parallelism_parse(text, PARALLELISM_TEXT_MAX + 1,
					   &hint, &why), -1);
	ck_assert_str_eq(why.text,
			 "hint: 'step=4.000000000000000000000000000000000"
			 "...' is too long, expected at most 1024 characters");
}
END_TEST

/* The key that the message must begin with, and what it must say. */
static const struct {
	const char *text, *key, *expected;
} refused[] = {
	{ "", "hint", "KEY=VALUE" },
	{ "tp", "tp", "KEY=VALUE" },
	{ "tp=", "tp", "KEY=VALUE" },
	{ "=8", "hint", "KEY=VALUE" },
	{ "tp=8,", "hint", "KEY=VALUE" },
	{ "tp=8,,pp=2", "hint", "KEY=VALUE" },
	{ ",tp=8", "hint", "KEY=VALUE" },
	{ "tp=8 ,pp=2", "hint", "byte 5" },
	{ "tp=8\n", "hint", "byte 5" },
	{ "tp=\xc3\xa4", "hint", "byte 4" },
	{ "tp=8\x7f", "hint", "byte 5" },
	{ "off,tp=8", "off", "expected tp, cp" },
	{ "tp=8,off", "off", "expected tp, cp" },
	{ "TP=8", "TP", "expected tp, cp" },
	{ "pipeline=8", "pipeline", "expected tp, cp" },
	{ "tp=8,tp=8", "tp", "each key at most once" },
	{ "step=1,tp=8,step=2", "step", "each key at most once" },
	{ "tp=0", "tp", "from 1 to 1048576" },
	{ "cp=1048577", "cp", "from 1 to 1048576" },
	{ "pp=-1", "pp", "from 1 to 1048576" },
	{ "dp=+1", "dp", "from 1 to 1048576" },
	{ "ep=1.5", "ep", "from 1 to 1048576" },
	{ "etp=1e3", "etp", "from 1 to 1048576" },
	{ "tp=8=8", "tp", "from 1 to 1048576" },
	{ "tp=4294967297", "tp", "from 1 to 1048576" },
	{ "tp=18446744073709551617", "tp", "from 1 to 1048576" },
	{ "interleave=0", "interleave", "from 1 to 1048576" },
	{ "interleave=x", "interleave", "from 1 to 1048576" },
	{ "tp=1048576,pp=17", "pp", "16777216" },
	{ "tp=1048576,cp=1048576,pp=1048576", "pp", "16777216" },
	{ "tp=4096,dp=4097", "dp", "16777216" },
	{ "tp_bytes=1.1e18", "tp_bytes", "0 to 1e18" },
	{ "cp_bytes=-1", "cp_bytes", "0 to 1e18" },
	{ "dp_bytes=4k", "dp_bytes", "0 to 1e18" },
	{ "pp_bytes=4ki", "pp_bytes", "0 to 1e18" },
	{ "pp_bytes=4KB", "pp_bytes", "0 to 1e18" },
	{ "ep_bytes=4B", "ep_bytes", "0 to 1e18" },
	{ "edp_bytes=inf", "edp_bytes", "0 to 1e18" },
	{ "dp_bytes=nan", "dp_bytes", "0 to 1e18" },
	{ "dp_bytes=0x10", "dp_bytes", "0 to 1e18" },
	{ "dp_bytes=1e", "dp_bytes", "0 to 1e18" },
	{ "dp_bytes=.", "dp_bytes", "0 to 1e18" },
	{ "dp_bytes=G", "dp_bytes", "0 to 1e18" },
	{ "dp_bytes=1e999999999999", "dp_bytes", "0 to 1e18" },
	{ "dp_bytes=1E", "dp_bytes", "0 to 1e18" },
	{ "dp_bytes=1Kii", "dp_bytes", "0 to 1e18" },
	{ "params=0", "params", "from 1 to" },
	{ "layers=1.5", "layers", "from 1 to" },
	{ "hidden=x", "hidden", "from 1 to" },
	{ "kv_hidden=0", "kv_hidden", "from 1 to" },
	{ "ffn=0", "ffn", "from 1 to" },
	{ "vocab=0", "vocab", "from 1 to" },
	{ "experts=0", "experts", "from 1 to" },
	{ "topk=0", "topk", "from 1 to" },
	{ "moe_layers=-1", "moe_layers", "from 0 to" },
	{ "expert_params=1e16", "expert_params", "from 0 to" },
	{ "seq=0", "seq", "from 1 to" },
	{ "mbs=0", "mbs", "from 1 to" },
	{ "microbatches=0", "microbatches", "from 1 to" },
	{ "model=gpt-nothing", "model", "llama3-405b" },
	{ "model=llama3-405", "model", "llama3-405b" },
	{ "dtype=int8", "dtype", "bf16" },
	{ "grad_dtype=2", "grad_dtype", "bf16" },
	{ "zero=4", "zero", "0, 1, 2 or 3" },
	{ "zero=01", "zero", "0, 1, 2 or 3" },
	{ "sp=yes", "sp", "on or off" },
	{ "order=tp-cp-ep-dp", "order", "once each" },
	{ "order=tp-cp-ep-dp-dp", "order", "once each" },
	{ "order=tp-cp-ep-dp-pp-tp", "order", "once each" },
	{ "order=tp-cp-ep-dp-", "order", "once each" },
	{ "order=tp-cp-ep-dp-edp", "order", "once each" },
	{ "allreduce=rings", "allreduce", "ring, tree, hierarchical or sharp" },
	{ "step=0", "step", "1e-6 to 1e9" },
	{ "step=-1", "step", "1e-6 to 1e9" },
	{ "step=1e10", "step", "1e-6 to 1e9" },
	{ "overlap=0.8", "overlap", "from 0 to 1" },
	{ "overlap=dp", "overlap", "from 0 to 1" },
	{ "overlap=dp:", "overlap", "from 0 to 1" },
	{ "overlap=dp:1.01", "overlap", "from 0 to 1" },
	{ "overlap=zz:0.5", "overlap", "from 0 to 1" },
	{ "overlap=dp:0.1+dp:0.2", "overlap", "from 0 to 1" },
	{ "overlap=dp:0.1+", "overlap", "from 0 to 1" },
	{ "skew=0.99", "skew", "1 to 1e6" },
	{ "skew=1e7", "skew", "1 to 1e6" },
};

START_TEST(message_names_the_key_and_what_was_expected)
{
	struct parallelism hint, before;
	struct parallelism_error why;
	size_t length = strlen(refused[_i].key);

	memset(&hint, 0x5a, sizeof(hint));
	before = hint;
	ck_assert_int_eq(parse(refused[_i].text, &hint, &why), -1);
	ck_assert_mem_eq(&hint, &before, sizeof(hint));
	ck_assert_msg(!strncmp(why.text, refused[_i].key, length) &&
		      !strncmp(why.text + length, ": ", 2), "%s", why.text);
	ck_assert_msg(strstr(why.text, "expected"), "%s", why.text);
	ck_assert_msg(strstr(why.text, refused[_i].expected), "%s", why.text);
	for (const char *c = why.text; *c; c++)
		ck_assert(*c >= ' ' && *c <= '~');
}
END_TEST

START_TEST(message_is_one_clear_line)
{
	struct parallelism_error why;
	struct parallelism hint;
	char text[1024];

	parse("tp=nine", &hint, &why);
	ck_assert_str_eq(why.text, "tp: 'nine' is no whole number, expected a "
			 "whole number from 1 to 1048576");
	/* A long value or key is cut, not the end of the line lost. */
	memset(text, 'x', sizeof(text));
	memcpy(text, "dp_bytes=", 9);
	ck_assert_int_eq(parallelism_parse(text, 1024, &hint, &why), -1);
	ck_assert_ptr_nonnull(strstr(why.text, "...' is no number, expected"));
	memset(text, 'x', 9);
	ck_assert_int_eq(parallelism_parse(text, 1024, &hint, &why), -1);
	ck_assert_ptr_nonnull(strstr(why.text, "...: unknown key, expected"));
}
END_TEST

START_TEST(site_default_is_its_text)
{
	struct parallelism site = engine_hint(PARALLELISM_SITE_DEFAULT);
	const struct parallelism *built_in = parallelism_site_default();

	ck_assert_mem_eq(site.order, built_in->order, sizeof(site.order));
	ck_assert_mem_eq(site.bytes, built_in->bytes, sizeof(site.bytes));
	ck_assert_mem_eq(site.overlap, built_in->overlap,
			 sizeof(site.overlap));
	ck_assert_uint_eq(site.tp + site.cp + site.pp + site.dp + site.ep +
			  site.etp, 0);
	ck_assert_uint_eq(built_in->tp + built_in->cp + built_in->pp +
			  built_in->dp + built_in->ep + built_in->etp, 0);
	ck_assert(site.bytes_given && built_in->bytes_given);
	ck_assert(site.edp_bytes_given && built_in->edp_bytes_given);
	ck_assert(!site.model_given && !built_in->model_given);
	ck_assert(!site.off && !built_in->off);
	ck_assert_uint_eq(site.interleave, built_in->interleave);
	ck_assert_int_eq(site.allreduce, built_in->allreduce);
	ck_assert_double_eq(site.step, built_in->step);
	ck_assert_double_eq(site.step, 4);
	ck_assert_double_eq(site.skew, built_in->skew);
	ck_assert_double_eq(site.bytes[DIM_DP], 27.8e9);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("parallelism");
	TCase *good = tcase_create("read");
	TCase *bad = tcase_create("refused");

	tcase_add_test(good, hint_has_defaults);
	tcase_add_test(good, hint_reads_degrees);
	tcase_add_loop_test(good, bytes_are_numbers_with_units, 0,
			    sizeof(sizes) / sizeof(*sizes));
	tcase_add_test(good, hint_reads_model_keys);
	tcase_add_test(good, model_gives_what_is_not_given_beside_it);
	tcase_add_test(good, hint_reads_the_other_keys);
	tcase_add_test(good, off_stands_alone);
	tcase_add_test(good, hint_of_1024_bytes_is_read);
	tcase_add_test(good, site_default_is_its_text);
	suite_add_tcase(suite, good);
	tcase_add_loop_test(bad, message_names_the_key_and_what_was_expected,
			    0, sizeof(refused) / sizeof(*refused));
	tcase_add_test(bad, message_is_one_clear_line);
	suite_add_tcase(suite, bad);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
