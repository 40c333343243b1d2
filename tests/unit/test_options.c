/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader of long options. Its messages are tested in tests/cli. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "fault.h"
#include "unit.h"

struct values {
	const char *file;
	const char *state;
	uint32_t nodes;
	struct option_texts placements;
	bool json;
};

#define FIELD(name) offsetof(struct values, name)

static const struct option_spec specs[] = {
	{ "FILE", OPTION_OPERAND, true, 0, FIELD(file), NULL, "a file" },
	{ "state", OPTION_TEXT, false, 0, FIELD(state), "STATE", "a state" },
	{ "nodes", OPTION_NUMBER, false, 1024, FIELD(nodes), "N", "nodes" },
	{ "placement", OPTION_TEXTS, false, 0, FIELD(placements), "NODES",
	  "again and again" },
	{ "json", OPTION_FLAG, false, 0, FIELD(json), NULL, "JSON" },
	{ 0 }
};

enum { WORDS_MAX = 12 };

/* Cuts TEXT at its blanks, keeping LINE for the words, and parses them. */
static enum options_result parse(const char *text, char *line, size_t room,
				 struct values *values)
{
	char *words[WORDS_MAX];
	int count = 0;
	char *rest = *text ? line : NULL;

	ck_assert_uint_lt(strlen(text), room);
	memcpy(line, text, strlen(text) + 1);
	while (rest) {
		ck_assert_int_lt(count, WORDS_MAX);
		words[count++] = strsep(&rest, " ");
	}
	memset(values, 0, sizeof(*values));
	return options_parse(specs, "test", count, words, values);
}

START_TEST(both_forms_are_read)
{
	struct values values;
	char line[128];

	ck_assert_int_eq(parse("--state s.json --nodes=16 f.json --json",
			       line, sizeof(line), &values), OPTIONS_OK);
	ck_assert_str_eq(values.file, "f.json");
	ck_assert_str_eq(values.state, "s.json");
	ck_assert_uint_eq(values.nodes, 16);
	ck_assert(values.json);
	ck_assert_uint_eq(values.placements.count, 0);
	options_done(specs, &values);
}
END_TEST

START_TEST(left_out_options_stay_zero)
{
	struct values values;
	char line[128];

	ck_assert_int_eq(parse("f.json", line, sizeof(line), &values),
			 OPTIONS_OK);
	ck_assert_ptr_null(values.state);
	ck_assert_uint_eq(values.nodes, 0);
	ck_assert(!values.json);
	options_done(specs, &values);
}
END_TEST

START_TEST(texts_keep_their_order)
{
	struct values values;
	char line[128];

	ck_assert_int_eq(parse("--placement b --placement=a f --placement c=d",
			       line, sizeof(line), &values), OPTIONS_OK);
	ck_assert_uint_eq(values.placements.count, 3);
	ck_assert_str_eq(values.placements.items[0], "b");
	ck_assert_str_eq(values.placements.items[1], "a");
	ck_assert_str_eq(values.placements.items[2], "c=d");
	options_done(specs, &values);
	ck_assert_ptr_null(values.placements.items);
}
END_TEST

static const struct {
	const char *text;
	const char *file;
	const char *state;
} odd[] = {
	{ "-- --json", "--json", NULL },
	{ "-", "-", NULL },
	{ "--state=--x f", "f", "--x" },
	{ "--state= f", "f", "" },
	{ "--state -x f", "f", "-x" },
	{ "--state a=b f", "f", "a=b" },
};

START_TEST(odd_words_are_taken_as_meant)
{
	struct values values;
	char line[128];

	ck_assert_int_eq(parse(odd[_i].text, line, sizeof(line), &values),
			 OPTIONS_OK);
	ck_assert_str_eq(values.file, odd[_i].file);
	ck_assert_pstr_eq(values.state, odd[_i].state);
	options_done(specs, &values);
}
END_TEST

static const char *const bad[] = {
	"", "--json", "f g", "f --json --json", "f --state a --state=b",
	"f --nodes", "f --state", "f --state --json", "f --json=1", "f --jso",
	"f --stat x", "f -j", "f --nodes 0", "f --nodes 1025",
	"f --nodes -1", "f --nodes +1", "f --nodes=", "f --nodes 1.5",
	"f --nodes 0x10", "f --nodes 8GB", "f --nodes 18446744073709551617",
	"f --FILE g", "f --=x",
};

START_TEST(bad_usage_is_refused)
{
	struct values values;
	char line[128];

	ck_assert_int_eq(parse(bad[_i], line, sizeof(line), &values),
			 OPTIONS_BAD);
	options_done(specs, &values);
}
END_TEST

START_TEST(help_is_found)
{
	static const char *const texts[] = {
		"--help", "f -h", "--json --help"
	};
	struct values values;
	char line[128];

	ck_assert_int_eq(parse(texts[_i], line, sizeof(line), &values),
			 OPTIONS_HELP);
	options_done(specs, &values);
}
END_TEST

START_TEST(memory_that_runs_out_is_an_error)
{
	char *words[] = { "--placement", "a", "--placement", "b", "f" };
	long n;

	for (n = 1; ; n++) {
		struct values values = { 0 };
		enum options_result result;
		bool hit;

		fault_after(n);
		result = options_parse(specs, "test", 5, words, &values);
		hit = fault_hit();
		fault_off();
		options_done(specs, &values);
		ck_assert_int_eq(result, hit ? OPTIONS_BAD : OPTIONS_OK);
		if (!hit)
			break;
	}
	ck_assert_int_gt(n, 2);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("options");
	TCase *good = tcase_create("good");
	TCase *wrong = tcase_create("wrong");

	tcase_add_test(good, both_forms_are_read);
	tcase_add_test(good, left_out_options_stay_zero);
	tcase_add_test(good, texts_keep_their_order);
	tcase_add_loop_test(good, odd_words_are_taken_as_meant, 0,
			    sizeof(odd) / sizeof(*odd));
	tcase_add_loop_test(good, help_is_found, 0, 3);
	suite_add_tcase(suite, good);
	tcase_add_loop_test(wrong, bad_usage_is_refused, 0,
			    sizeof(bad) / sizeof(*bad));
	tcase_add_test(wrong, memory_that_runs_out_is_an_error);
	suite_add_tcase(suite, wrong);
	return suite;
}

int main(void)
{
	/* What the reader complains of would only clutter the log. */
	if (!freopen("/dev/null", "w", stderr))
		return EXIT_FAILURE;
	return unit_run(make_suite());
}
