/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Quantities with units, tables and JSON of the program. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/jsonout.h"
#include "cli/output.h"
#include "cli/table.h"
#include "fault.h"
#include "unit.h"

static const struct {
	char *(*print)(double value, char *buffer);
	double value;
	const char *text;
} quantities[] = {
	{ output_bytes, 0, "0 B" },
	{ output_bytes, 1, "1 B" },
	{ output_bytes, 999, "999 B" },
	{ output_bytes, 999.5, "1 kB" },
	{ output_bytes, 1000, "1 kB" },
	{ output_bytes, 34359738368.0, "34.4 GB" },
	{ output_bytes, 1269900000000.0, "1.27 TB" },
	{ output_bytes, 999600000.0, "1 GB" },
	{ output_bytes, 9921093750.0, "9.92 GB" },
	{ output_bytes, 5e18, "5 EB" },
	{ output_bytes, 1.6e25, "16000000 EB" },
	{ output_gbps, 0, "0 Gbit/s" },
	{ output_gbps, 400, "400 Gbit/s" },
	{ output_gbps, 0.5, "0.5 Gbit/s" },
	{ output_gbps, 3200, "3.2 Tbit/s" },
	{ output_gbps, 1638400, "1.64 Pbit/s" },
	{ output_seconds, 0, "0 s" },
	{ output_seconds, 4, "4 s" },
	{ output_seconds, 0.0107, "10.7 ms" },
	{ output_seconds, 35.06e-6, "35.1 us" },
	{ output_seconds, 2e-9, "2 ns" },
	{ output_seconds, 0.9996, "1 s" },
	{ output_seconds, 86400, "86400 s" },
	{ output_percent, 0, "0 %" },
	{ output_percent, 0.31, "31 %" },
	{ output_percent, 0.002684, "0.268 %" },
	{ output_percent, 12.5, "1250 %" },
	{ output_ratio, 1, "1:1" },
	{ output_ratio, 4.0 / 3, "1.33:1" },
	{ output_ratio, 4000, "4000:1" },
	{ output_times, 36.96, "37x" },
	{ output_times, 1.05, "1.05x" },
	{ output_times, 1e20, "1e+20x" },
};

START_TEST(quantity_has_three_digits_and_a_unit)
{
	char buffer[OUTPUT_QUANTITY_MAX];

	ck_assert_str_eq(quantities[_i].print(quantities[_i].value, buffer),
			 quantities[_i].text);
	ck_assert_ptr_eq(quantities[_i].print(quantities[_i].value, buffer),
			 buffer);
}
END_TEST

static const struct table_column titled[] = {
	{ "Leaf", TABLE_LEFT }, { "GPUs", TABLE_RIGHT },
	{ "Nodes", TABLE_LEFT },
};

static const struct table_column untitled[] = {
	{ NULL, TABLE_LEFT }, { NULL, TABLE_LEFT },
};

/* The text of a table, to be freed. */
static char *text_of(const struct table *table, int *ret_result)
{
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);

	ck_assert_ptr_nonnull(stream);
	*ret_result = table_print(table, stream);
	ck_assert_int_eq(fclose(stream), 0);
	return text;
}

static void check_table(struct table *table, const char *expected)
{
	int result;
	char *text = text_of(table, &result);

	ck_assert_int_eq(result, 0);
	ck_assert_str_eq(text, expected);
	free(text);
	table_done(table);
}

START_TEST(table_aligns_columns)
{
	struct table table;

	table_init(&table, titled, 3);
	table_cell(&table, "leaf%d", 1);
	table_cell(&table, "%d", 8);
	table_cell(&table, "gpu[001-064]");
	table_cell(&table, "l2");
	table_cell(&table, "12345");
	table_cell(&table, "a");
	check_table(&table, "Leaf    GPUs  Nodes\n"
			    "leaf1      8  gpu[001-064]\n"
			    "l2     12345  a\n");
}
END_TEST

START_TEST(table_leaves_no_blanks_at_the_end)
{
	struct table table;

	table_init(&table, titled, 3);
	table_cell(&table, "leaf1");
	table_cell(&table, "%s", "");
	table_cell(&table, "%s", "");
	table_cell(&table, "%s", "");
	table_cell(&table, "7");
	table_cell(&table, "%s", "");
	check_table(&table, "Leaf   GPUs  Nodes\n"
			    "leaf1\n"
			    "          7\n");
}
END_TEST

START_TEST(table_may_have_no_titles)
{
	struct table table;

	table_init(&table, untitled, 2);
	table_cell(&table, "Nodes");
	table_cell(&table, "64");
	table_cell(&table, "GPUs");
	table_cell(&table, "512");
	check_table(&table, "Nodes  64\n"
			    "GPUs   512\n");
}
END_TEST

START_TEST(table_without_rows_has_titles_only)
{
	struct table table;

	table_init(&table, titled, 3);
	check_table(&table, "Leaf  GPUs  Nodes\n");
}
END_TEST

START_TEST(table_says_when_memory_runs_out)
{
	long n;

	for (n = 1; ; n++) {
		struct table table;
		char *text = NULL;
		size_t length;
		FILE *stream = open_memstream(&text, &length);
		int result;
		bool hit;

		ck_assert_ptr_nonnull(stream);
		table_init(&table, untitled, 2);
		fault_after(n);
		for (int i = 0; i < 20; i++)
			table_cell(&table, "cell %d", i);
		result = table_print(&table, stream);
		hit = fault_hit();
		fault_off();
		fclose(stream);
		table_done(&table);
		ck_assert_int_eq(result, hit ? -1 : 0);
		ck_assert_int_eq(length > 0, !hit);
		free(text);
		if (!hit)
			break;
	}
	ck_assert_int_gt(n, 20);
}
END_TEST

static const struct {
	double number;
	const char *text;
} numbers[] = {
	{ 0, "0" },
	{ -0.0, "0" },
	{ 34359738368.0, "34359738368" },
	{ 9007199254740991.0, "9007199254740991" },
	{ -3, "-3" },
	{ 0.5, "0.5" },
	{ 0.1, "0.10000000000000001" },
	{ 1e18, "1e18" },
	{ 12345678901.5, "12345678901.5" },
};

/* What stands on the line that jsonout_print would print. */
static char *dump(json_t *value)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY |
				JSON_REAL_PRECISION(17));

	json_decref(value);
	ck_assert_ptr_nonnull(text);
	return text;
}

START_TEST(json_number_reads_back_as_it_was)
{
	char *text = dump(jsonout_number(numbers[_i].number));
	double back = strtod(text, NULL);

	ck_assert(back == numbers[_i].number);
	ck_assert_str_eq(text, numbers[_i].text);
	free(text);
}
END_TEST

START_TEST(json_has_no_number_for_infinity)
{
	ck_assert_ptr_null(jsonout_number(INFINITY));
	ck_assert_ptr_null(jsonout_number(NAN));
}
END_TEST

START_TEST(json_text_is_always_text)
{
	char *text = dump(jsonout_text("gr\xc3\xbc\xc3\x9f""e"));

	ck_assert_str_eq(text, "\"gr\xc3\xbc\xc3\x9f""e\"");
	free(text);
	text = dump(jsonout_text("a\xff\"b"));
	ck_assert_str_eq(text, "\"a?\\\"b\"");
	free(text);
}
END_TEST

static json_t *make_object(void)
{
	struct jsonout out;

	jsonout_init(&out);
	jsonout_set(&out, "b", jsonout_number(1));
	jsonout_set(&out, "a", jsonout_text("x"));
	return jsonout_finish(&out);
}

START_TEST(json_object_keeps_the_order_of_its_keys)
{
	char *text = dump(make_object());

	ck_assert_str_eq(text, "{\"b\": 1, \"a\": \"x\"}");
	free(text);
}
END_TEST

START_TEST(json_object_is_null_when_memory_runs_out)
{
	long n;

	for (n = 1; ; n++) {
		json_t *object;
		bool hit;

		fault_after(n);
		object = make_object();
		hit = fault_hit();
		fault_off();
		ck_assert_int_eq(object == NULL, hit);
		json_decref(object);
		if (!hit)
			break;
	}
	ck_assert_int_gt(n, 3);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("output");
	TCase *quantity = tcase_create("quantity");
	TCase *table = tcase_create("table");
	TCase *json = tcase_create("json");

	tcase_add_loop_test(quantity, quantity_has_three_digits_and_a_unit, 0,
			    sizeof(quantities) / sizeof(*quantities));
	suite_add_tcase(suite, quantity);
	tcase_add_test(table, table_aligns_columns);
	tcase_add_test(table, table_leaves_no_blanks_at_the_end);
	tcase_add_test(table, table_may_have_no_titles);
	tcase_add_test(table, table_without_rows_has_titles_only);
	tcase_add_test(table, table_says_when_memory_runs_out);
	suite_add_tcase(suite, table);
	tcase_add_loop_test(json, json_number_reads_back_as_it_was, 0,
			    sizeof(numbers) / sizeof(*numbers));
	tcase_add_test(json, json_has_no_number_for_infinity);
	tcase_add_test(json, json_text_is_always_text);
	tcase_add_test(json, json_object_keeps_the_order_of_its_keys);
	tcase_add_test(json, json_object_is_null_when_memory_runs_out);
	suite_add_tcase(suite, json);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
