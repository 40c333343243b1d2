/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of faults. */
#include <string.h>

#include "diag.h"
#include "fault.h"
#include "unit.h"

static void expect_line(const struct diag *diag, size_t index,
			const char *line)
{
	char buffer[256];

	ck_assert_str_eq(diag_line(diag, index, buffer, sizeof(buffer)), line);
}

START_TEST(a_fault_is_one_line)
{
	struct diag diag;

	diag_init(&diag, "pod.json");
	diag_add(&diag, DIAG_ERROR, 3, 14, "nodes[0].gpus",
		 "%d is out of range, expected 0 to %d", 2000, 1024);
	diag_add(&diag, DIAG_WARNING, 4, 1, "switches[1]", "leaf is empty");
	diag_add(&diag, DIAG_ERROR, 5, 0, "", "no column");
	diag_add(&diag, DIAG_ERROR, 0, 7, NULL, "no place");
	expect_line(&diag, 0, "pod.json:3:14: nodes[0].gpus: 2000 is out of "
		    "range, expected 0 to 1024");
	expect_line(&diag, 1,
		    "pod.json:4:1: switches[1]: warning: leaf is empty");
	expect_line(&diag, 2, "pod.json:5: no column");
	expect_line(&diag, 3, "pod.json: no place");
	ck_assert_uint_eq(diag.error_count, 3);
	ck_assert_uint_eq(diag.warning_count, 1);
	diag_done(&diag);
}
END_TEST

START_TEST(a_line_is_cut_to_its_room)
{
	char small[12];
	char none[1] = "x";
	struct diag diag;

	diag_init(&diag, "f");
	diag_add(&diag, DIAG_ERROR, 1, 2, "p", "abcdef");
	ck_assert_str_eq(diag_line(&diag, 0, small, sizeof(small)),
			 "f:1:2: p: a");
	ck_assert_str_eq(diag_line(&diag, 0, none, 1), "");
	ck_assert_ptr_eq(diag_line(&diag, 0, none, 0), none);
	diag_done(&diag);
}
END_TEST

START_TEST(text_is_made_printable)
{
	struct diag diag;

	diag_init(&diag, "a\nb");
	diag_add(&diag, DIAG_ERROR, 0, 0, "p\t", "%s", "x\x1b[1m\xc3\xa4");
	expect_line(&diag, 0, "a?b: p?: x?[1m??");
	diag_done(&diag);
}
END_TEST

START_TEST(warnings_alone_are_ok)
{
	struct diag diag;

	diag_init(&diag, "f");
	ck_assert(diag_ok(&diag));
	diag_add(&diag, DIAG_WARNING, 1, 1, "", "w");
	ck_assert(diag_ok(&diag));
	diag_add(&diag, DIAG_ERROR, 1, 1, "", "e");
	ck_assert(!diag_ok(&diag));
	diag_done(&diag);
	diag_init(&diag, "f");
	diag_no_memory(&diag);
	ck_assert(!diag_ok(&diag));
	diag_done(&diag);
}
END_TEST

START_TEST(faults_are_sorted_by_place)
{
	struct diag diag;

	diag_init(&diag, "f");
	diag_add(&diag, DIAG_ERROR, 2, 1, "", "c");
	diag_add(&diag, DIAG_ERROR, 1, 9, "", "b");
	diag_add(&diag, DIAG_ERROR, 2, 1, "", "d");
	diag_add(&diag, DIAG_ERROR, 1, 2, "", "a");
	diag_sort(&diag);
	expect_line(&diag, 0, "f:1:2: a");
	expect_line(&diag, 1, "f:1:9: b");
	expect_line(&diag, 2, "f:2:1: c");
	expect_line(&diag, 3, "f:2:1: d");
	diag_done(&diag);
}
END_TEST

START_TEST(many_faults_are_counted_not_kept)
{
	char *text = NULL;
	size_t length = 0;
	struct diag diag;
	FILE *stream;

	diag_init(&diag, "f");
	for (int i = 0; i < DIAG_KEPT_MAX + 7; i++) {
		ck_assert(diag_keeps(&diag, DIAG_WARNING) ==
			  (i < DIAG_KEPT_MAX));
		diag_add(&diag, DIAG_WARNING, 2, 1, "", "w");
	}
	/* However many warnings: an error is still told. */
	ck_assert(diag_keeps(&diag, DIAG_ERROR));
	diag_add(&diag, DIAG_ERROR, 1, 1, "", "e");
	ck_assert_uint_eq(diag.warning_count, DIAG_KEPT_MAX + 7);
	ck_assert_uint_eq(diag.entry_count, DIAG_KEPT_MAX + 1);
	stream = open_memstream(&text, &length);
	diag_print(&diag, stream);
	fclose(stream);
	ck_assert(!strncmp(text, "f:1:1: e\nf:2:1: warning: w\n", 27));
	ck_assert_ptr_nonnull(strstr(text, "f: 7 more faults are not shown\n"));
	free(text);
	diag_done(&diag);
}
END_TEST

START_TEST(without_memory_the_count_is_right)
{
	bool hit;
	long n = 0;

	do {
		struct diag diag;
		size_t errors;
		bool ok;

		fault_after(++n);
		diag_init(&diag, "f");
		diag_add(&diag, DIAG_ERROR, 1, 1, "p", "%s", "x");
		diag_add(&diag, DIAG_ERROR, 1, 1, "p", "y");
		errors = diag.error_count;
		ok = diag_ok(&diag);
		hit = fault_hit();
		fault_off();
		ck_assert_uint_eq(errors, 2);
		ck_assert(!ok);
		ck_assert(diag.no_memory == hit);
		diag_print(&diag, stdout);
		diag_done(&diag);
	} while (hit);
	ck_assert_int_ge(n, 5);
}
END_TEST

START_TEST(printable_text_is_cut_with_dots)
{
	char buffer[8];

	ck_assert_str_eq(diag_printable("gpu1", 4, buffer, sizeof(buffer)),
			 "gpu1");
	ck_assert_str_eq(diag_printable("a\nb\x80", 4, buffer, sizeof(buffer)),
			 "a?b?");
	ck_assert_str_eq(diag_printable("1234567", 7, buffer, sizeof(buffer)),
			 "1234567");
	ck_assert_str_eq(diag_printable("12345678", 8, buffer, sizeof(buffer)),
			 "1234...");
	ck_assert_str_eq(diag_printable("12345678", 8, buffer, 3), "..");
	ck_assert_str_eq(diag_printable("12345678", 8, buffer, 1), "");
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("diag");
	TCase *group = tcase_create("diag");

	tcase_add_test(group, a_fault_is_one_line);
	tcase_add_test(group, a_line_is_cut_to_its_room);
	tcase_add_test(group, text_is_made_printable);
	tcase_add_test(group, warnings_alone_are_ok);
	tcase_add_test(group, faults_are_sorted_by_place);
	tcase_add_test(group, many_faults_are_counted_not_kept);
	tcase_add_test(group, without_memory_the_count_is_right);
	tcase_add_test(group, printable_text_is_cut_with_dots);
	suite_add_tcase(suite, group);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
