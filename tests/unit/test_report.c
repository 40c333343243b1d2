/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is read from a job record, and what is written there. */

#include <jansson.h>
#include <string.h>

#include "fault.h"
#include "slurm/hint.h"
#include "slurm/report.h"
#include "unit.h"

static void check_hint(char *const *variables, uint32_t count,
		       const char *comment, const char *expected)
{
	struct hint_text found = hint_find(variables, count, comment);

	if (!expected) {
		ck_assert_ptr_null(found.start);
		return;
	}
	ck_assert_ptr_nonnull(found.start);
	ck_assert_uint_eq(found.length, strlen(expected));
	ck_assert_mem_eq(found.start, expected, found.length);
}

START_TEST(comment_has_a_word_or_none)
{
	check_hint(NULL, 0, NULL, NULL);
	check_hint(NULL, 0, "", NULL);
	check_hint(NULL, 0, "leafspine", NULL);
	check_hint(NULL, 0, "my-leafspine:tp=8", NULL);
	check_hint(NULL, 0, "leafspine:tp=8", "tp=8");
	check_hint(NULL, 0, "run 7 leafspine:tp=8,pp=2 of ours", "tp=8,pp=2");
	check_hint(NULL, 0, "a\tleafspine:off\nb", "off");
	check_hint(NULL, 0, "leafspine:", "");
	check_hint(NULL, 0, "leafspine:a leafspine:b", "a");
}
END_TEST

START_TEST(option_wins_over_the_comment)
{
	char other[] = "_SLURM_SPANK_OPTION_x_parallelism=no";
	char longer[] = HINT_ENV_NAME "S=no";
	char option[] = HINT_ENV_NAME "=tp=8,dp=2";
	char prefixed[] = "SPANK_" HINT_ENV_NAME "=tp=4";
	char *variables[] = { other, NULL, longer, option, prefixed };

	check_hint(variables, 5, "leafspine:tp=1", "tp=8,dp=2");
	check_hint(variables, 3, "leafspine:tp=1", "tp=1");
	check_hint(variables + 4, 1, NULL, "tp=4");
}
END_TEST

static struct cost_score a_score(void)
{
	struct cost_score score = { .leaves = 2 };

	score.total.spine = 1.28e11;
	strcpy(score.bottleneck_link, "leaf4->spine*");
	return score;
}

START_TEST(report_is_one_line_of_json)
{
	struct cost_score score = a_score();
	struct report report = {
		.hint = { "tp=8", 4 }, .steered = true, .score = &score,
		.nodes = "n[1-4]", .why = NULL,
	};
	char *text = report_text(&report);

	ck_assert_str_eq(text, "leafspine{\"hint\":\"tp=8\","
			 "\"placed_by\":\"leafspine\",\"leaves\":2,"
			 "\"spine_bytes\":128000000000,\"core_bytes\":0,"
			 "\"link\":\"leaf4->spine*\",\"order\":\"slurm\","
			 "\"nodes\":\"n[1-4]\"}");
	free(text);
	report.ordered = true;
	text = report_text(&report);
	ck_assert_ptr_nonnull(strstr(text, ",\"order\":\"leafspine\","));
	free(text);
}
END_TEST

START_TEST(report_keeps_untrusted_text_inside_its_strings)
{
	struct report report = {
		.hint = { "\"}\n\\\001\377", 6 }, .why = "a\"b{\\",
	};
	char *text = report_text(&report);
	json_t *json = json_loads(text + strlen("leafspine"), 0, NULL);

	ck_assert_ptr_nonnull(json);
	ck_assert_str_eq(json_string_value(json_object_get(json, "hint")),
			 "\"}?\\?" "?");
	ck_assert_str_eq(json_string_value(json_object_get(json, "why")),
			 "a\"b{\\");
	ck_assert_ptr_null(strchr(text, '\n'));
	json_decref(json);
	free(text);
}
END_TEST

static const struct {
	const char *comment;
	const char *spliced;
} splices[] = {
	{ NULL, "leafspine{\"a\":1}" },
	{ "", "leafspine{\"a\":1}" },
	{ "ticket 7", "ticket 7 leafspine{\"a\":1}" },
	{ "leafspine{\"b\":{\"c\":\"}\\\"\"}}", "leafspine{\"a\":1}" },
	{ "x leafspine{} y", "x leafspine{\"a\":1} y" },
	{ "x\nleafspine{\"b\":\"{\"}; y", "x\nleafspine{\"a\":1}; y" },
	/* Not ours: within a word, not whole, not an object. */
	{ "myleafspine{} y", "myleafspine{} y leafspine{\"a\":1}" },
	{ "leafspine{\"open\":", "leafspine{\"open\": leafspine{\"a\":1}" },
	{ "leafspine is nice", "leafspine is nice leafspine{\"a\":1}" },
	{ "leafspine{\" leafspine{} z", "leafspine{\" leafspine{\"a\":1} z" },
};

START_TEST(splice_replaces_our_part_alone)
{
	char *text = report_splice(splices[_i].comment, "leafspine{\"a\":1}");

	ck_assert_str_eq(text, splices[_i].spliced);
	free(text);
}
END_TEST

START_TEST(no_memory_is_an_error)
{
	struct report report = { .hint = { "tp=8", 4 }, .nodes = "n1" };

	for (long n = 1; ; n++) {
		char *text, *spliced;
		bool hit;

		fault_after(n);
		text = report_text(&report);
		spliced = report_splice("x leafspine{}", text ? text : "t");
		hit = fault_hit();
		fault_off();
		free(text);
		free(spliced);
		if (!hit) {
			ck_assert(text && spliced);
			break;
		}
		ck_assert(!text || !spliced);
	}
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("report");
	TCase *tests = tcase_create("report");

	tcase_add_test(tests, comment_has_a_word_or_none);
	tcase_add_test(tests, option_wins_over_the_comment);
	tcase_add_test(tests, report_is_one_line_of_json);
	tcase_add_test(tests, report_keeps_untrusted_text_inside_its_strings);
	tcase_add_loop_test(tests, splice_replaces_our_part_alone, 0,
			    sizeof(splices) / sizeof(*splices));
	tcase_add_test(tests, no_memory_is_an_error);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
