/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Positions in JSON texts. */
#include <string.h>

#include "fault.h"
#include "jsonpos.h"
#include "unit.h"

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

static const char sample[] =
	"{\n"
	"  \"a\": [1, {\"b\": [true, \"x\\\"]}\", -1.5e3]}, []],\n"
	"\t\"\\u0063\\n\": null, \"k\\u00e4\\ud83d\\ude00\": {},\n"
	"  \"\xc3\xa4\": \"\xc3\xa4\xc3\xa4\", \"after\": 7}\n";

#define KEY(name) { .key = name }
#define AT(number) { .index = number }

static const struct {
	struct jsonpos_step steps[4];
	size_t depth;
	const char *path;
	int line;
	int column;
	bool found;
} places[] = {
	{ { KEY("") }, 0, "$", 1, 1, true },
	{ { KEY("a") }, 1, "a", 2, 8, true },
	{ { KEY("a"), AT(0) }, 2, "a[0]", 2, 9, true },
	{ { KEY("a"), AT(1) }, 2, "a[1]", 2, 12, true },
	{ { KEY("a"), AT(1), KEY("b") }, 3, "a[1].b", 2, 18, true },
	{ { KEY("a"), AT(1), KEY("b"), AT(0) }, 4, "a[1].b[0]", 2, 19, true },
	{ { KEY("a"), AT(1), KEY("b"), AT(1) }, 4, "a[1].b[1]", 2, 25, true },
	{ { KEY("a"), AT(1), KEY("b"), AT(2) }, 4, "a[1].b[2]", 2, 34, true },
	{ { KEY("a"), AT(2) }, 2, "a[2]", 2, 44, true },
	{ { KEY("c\n") }, 1, "[\"c\n\"]", 3, 14, true },
	{ { KEY("k\xc3\xa4\xf0\x9f\x98\x80") }, 1,
	  "[\"k\xc3\xa4\xf0\x9f\x98\x80\"]", 3, 43, true },
	{ { KEY("\xc3\xa4") }, 1, "[\"\xc3\xa4\"]", 4, 8, true },
	{ { KEY("after") }, 1, "after", 4, 23, true },
	/* What is not there: where the last step that is there starts. */
	{ { KEY("b") }, 1, "b", 1, 1, false },
	{ { KEY("") }, 1, "[\"\"]", 1, 1, false },
	{ { KEY("aa") }, 1, "aa", 1, 1, false },
	{ { AT(0) }, 1, "[0]", 1, 1, false },
	{ { KEY("a"), AT(3) }, 2, "a[3]", 2, 8, false },
	{ { KEY("a"), KEY("b") }, 2, "a.b", 2, 8, false },
	{ { KEY("a"), AT(1), KEY("c") }, 3, "a[1].c", 2, 12, false },
	{ { KEY("after"), AT(0) }, 2, "after[0]", 4, 23, false },
	{ { KEY("a"), AT(9), KEY("b") }, 3, "a[9].b", 2, 8, false },
};

/* Links copies of the steps of place INDEX; returns the last. */
static const struct jsonpos_step *chain(int index, struct jsonpos_step *steps)
{
	size_t depth = places[index].depth;

	for (size_t i = 0; i < depth; i++) {
		steps[i] = places[index].steps[i];
		steps[i].parent = i ? &steps[i - 1] : NULL;
	}
	return depth ? &steps[depth - 1] : NULL;
}

START_TEST(finds_values)
{
	struct jsonpos *positions = jsonpos_new(sample, strlen(sample));
	struct jsonpos_step steps[4];
	int line, column;

	ck_assert_ptr_nonnull(positions);
	ck_assert(jsonpos_find(positions, chain(_i, steps), &line, &column) ==
		  places[_i].found);
	ck_assert_int_eq(line, places[_i].line);
	ck_assert_int_eq(column, places[_i].column);
	jsonpos_free(positions);
}
END_TEST

START_TEST(writes_paths)
{
	struct jsonpos_step steps[4];
	char path[64];
	char cut[4];
	char none[1];

	ck_assert_str_eq(jsonpos_path(chain(_i, steps), path, sizeof(path)),
			 places[_i].path);
	jsonpos_path(chain(_i, steps), cut, sizeof(cut));
	ck_assert(!strncmp(cut, path, 3) && strlen(cut) <= 3);
	ck_assert_str_eq(jsonpos_path(chain(_i, steps), none, 1), "");
}
END_TEST

START_TEST(paths_may_be_deep)
{
	struct jsonpos_step steps[40];
	struct jsonpos *positions;
	char text[100];
	char path[200];
	int line, column;

	memset(text, '[', 50);
	memset(text + 50, ']', 50);
	for (int i = 0; i < 40; i++)
		steps[i] = (struct jsonpos_step) {
			.parent = i ? &steps[i - 1] : NULL,
		};
	positions = jsonpos_new(text, sizeof(text));
	ck_assert(jsonpos_find(positions, &steps[39], &line, &column));
	ck_assert_int_eq(column, JSONPOS_DEPTH_MAX + 1);
	jsonpos_path(&steps[39], path, sizeof(path));
	ck_assert_uint_eq(strlen(path), 3 * JSONPOS_DEPTH_MAX);
	jsonpos_free(positions);
}
END_TEST

/* It is only given what jansson takes, but no text may break it. */
START_TEST(any_text_is_survived)
{
	static const char *const texts[] = {
		"", "}", "]]]}", "\"", "\"\\", "{\"a", "{\"a\":", "[1", "\\u",
		"{\"\\u12\":1}", "{\"\\ud83d\":1}", "{\"\\", ":,:,", "{1:2}",
		"{\"\\ud83d\\u\":1}",
	};
	struct jsonpos_step step = { .key = "a" };
	int line, column;

	for (int i = 0; i < COUNT(texts); i++) {
		size_t length = strlen(texts[i]);
		char *copy = malloc(length ? length : 1);
		struct jsonpos *positions;

		/* Without its NUL, so that a step too far is seen. */
		memcpy(copy, texts[i], length);
		positions = jsonpos_new(copy, length);
		ck_assert_ptr_nonnull(positions);
		jsonpos_find(positions, &step, &line, &column);
		jsonpos_find(positions, NULL, &line, &column);
		ck_assert_int_eq(line, 1);
		jsonpos_free(positions);
		free(copy);
	}
}
END_TEST

START_TEST(positions_without_memory)
{
	struct jsonpos *positions;
	long n = 0;

	do {
		fault_after(++n);
		positions = jsonpos_new(sample, strlen(sample));
		fault_off();
	} while (!positions && n < 100);
	ck_assert_int_gt(n, 4);
	ck_assert_int_lt(n, 100);
	jsonpos_free(positions);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("jsonpos");
	TCase *group = tcase_create("positions");

	tcase_add_loop_test(group, finds_values, 0, COUNT(places));
	tcase_add_loop_test(group, writes_paths, 0, COUNT(places));
	tcase_add_test(group, paths_may_be_deep);
	tcase_add_test(group, any_text_is_survived);
	tcase_add_test(group, positions_without_memory);
	suite_add_tcase(suite, group);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
