/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reading layer over JSON: what each getter takes, and its faults. */
#include <stdio.h>
#include <string.h>

#include "fault.h"
#include "json_reader.h"
#include "unit.h"

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

static const struct json_key keys[] = {
	{ "names", "names" }, { "gpus", NULL }, { "nic_gbps", NULL },
	{ "list", NULL }, { "object", NULL },
};

/* Tries all getters on the object at "item"; false: one broke its word. */
static bool read_item(struct json_reader *reader, json_t *root)
{
	struct jsonpos_step at = { .key = "item" };
	struct noderange_list names = { .count = 77 };
	const char *string = "untouched";
	double number = -77;
	long integer = -77;
	json_t *value = NULL;
	json_t *item = NULL;
	bool good = true;

	if (json_reader_object(reader, NULL, root, "item", &item) !=
	    JSON_READER_GIVEN)
		return !item;
	json_reader_check_keys(reader, &at, item, keys, COUNT(keys));
	if (json_reader_names(reader, &at, item, "names", &names) ==
	    JSON_READER_GIVEN)
		noderange_list_done(&names);
	else
		good &= names.count == 77;
	if (json_reader_integer(reader, &at, item, "gpus", 0, 8, &integer) ==
	    JSON_READER_GIVEN)
		good &= integer >= 0 && integer <= 8;
	else
		good &= integer == -77;
	if (json_reader_number(reader, &at, item, "nic_gbps", 0, true, 100,
			       &number) == JSON_READER_GIVEN)
		good &= number > 0 && number <= 100;
	else
		good &= number == -77;
	if (json_reader_string(reader, &at, item, "_text", &string) !=
	    JSON_READER_GIVEN)
		good &= !strcmp(string, "untouched");
	if (json_reader_array(reader, &at, item, "list", &value) ==
	    JSON_READER_GIVEN)
		good &= json_is_array(value);
	if (json_reader_object(reader, &at, item, "object", &value) ==
	    JSON_READER_GIVEN)
		good &= json_is_object(value);
	return good;
}

/* What is said of TEXT, to be freed. */
static char *say(const char *text, size_t length)
{
	struct json_reader reader;
	struct diag diag;
	char *said = NULL;
	size_t room = 0;
	FILE *stream;
	json_t *root;

	diag_init(&diag, "f");
	root = json_reader_open(&reader, text, length, &diag);
	if (root) {
		ck_assert(read_item(&reader, root));
		json_reader_close(&reader, root);
	}
	stream = open_memstream(&said, &room);
	diag_print(&diag, stream);
	fclose(stream);
	diag_done(&diag);
	return said;
}

static const struct {
	const char *text;
	const char *said;
} readings[] = {
	{ "{}", "" },
	{ "{\"item\": {\"names\": \"n[1-2]\", \"gpus\": 8, \"nic_gbps\": 0.5, "
	  "\"_text\": \"t\", \"list\": [], \"object\": {}, \"_x\": 1}}", "" },
	{ "{\"item\": {\"names\": \"n\", \"gpus\": 8.0, \"nic_gbps\": 100}}",
	  "" },
	{ "{\"item\": 3}",
	  "f:1:10: item: found a number, expected an object\n" },
	{ "{\"item\": {}}",
	  "f:1:10: item.names: is missing, expected names\n" },
	{ "{\"item\": {\"names\": [], \"gpus\": \"8\", \"nic_gbps\": null, "
	  "\"_text\": true, \"list\": {}, \"object\": \"\"}}",
	  "f:1:20: item.names: found an array, expected a string with node or "
	  "switch names\n"
	  "f:1:32: item.gpus: found a string, expected a whole number 0 to 8\n"
	  "f:1:49: item.nic_gbps: found null, expected a number\n"
	  "f:1:64: item._text: found true or false, expected a string\n"
	  "f:1:78: item.list: found an object, expected an array\n"
	  "f:1:92: item.object: found a string, expected an object\n" },
	{ "{\"item\": {\"names\": \"n[1-\", \"gpus\": -1, \"nic_gbps\": 0}}",
	  "f:1:20: item.names: \"n[1-\": the bracket is not closed, expected "
	  "\"]\"\n"
	  "f:1:36: item.gpus: -1 is out of range, expected 0 to 8\n"
	  "f:1:52: item.nic_gbps: 0 is out of range, expected above 0 to "
	  "100\n" },
	{ "{\"item\": {\"names\": \"n\", \"gpus\": 1.5, \"nic_gbps\": 1e30}}",
	  "f:1:33: item.gpus: 1.5 is no whole number, expected 0 to 8\n"
	  "f:1:50: item.nic_gbps: 1e+30 is out of range, expected above 0 to "
	  "100\n" },
	{ "{\"item\": {\"names\": \"n\", \"gpus\": 9223372036854775807}}",
	  "f:1:33: item.gpus: 9223372036854775807 is out of range, expected 0 "
	  "to 8\n" },
	{ "{\"item\": {\"names\": \"n\",\n \"gpu\": 1,\n \"nick_gbps\": 1,\n "
	  "\"speed\": 1, \"\": 1, \"object_list_with_a_very_long_name_of_no_"
	  "meaning_at_all_what_so_ever\": 1}}",
	  "f:2:9: item.gpu: unknown key \"gpu\", expected \"gpus\"\n"
	  "f:3:15: item.nick_gbps: unknown key \"nick_gbps\", expected "
	  "\"nic_gbps\"\n"
	  "f:4:11: item.speed: unknown key \"speed\", expected one of names, "
	  "gpus, nic_gbps, list, object\n"
	  "f:4:18: item[\"\"]: unknown key \"\", expected one of names, gpus, "
	  "nic_gbps, list, object\n"
	  "f:4:92: item.object_list_with_a_very_long_name_of_no_meaning_at_all"
	  "_what_so_ever: unknown key \"object_list_with_a_very_long_name_of"
	  "_no_meaning_at_all_what_...\", expected one of names, gpus, "
	  "nic_gbps, list, object\n" },
	{ "[]", "f:1:1: $: found an array, expected an object\n" },
	{ "", "f:1:1: $: the file is empty, expected a JSON object\n" },
	{ " \r\n\t", "f:1:1: $: the file is empty, expected a JSON object\n" },
	{ "7", "f:1:1: $: this is no JSON: '[' or '{' expected near '7'\n" },
	{ "{\n  \"a\": 1,\n}", "f:3:1: $: this is no JSON: string or '}' "
	  "expected near '}'\n" },
	{ "{\"a\": 1} x",
	  "f:1:10: $: this is no JSON: end of file expected near 'x'\n" },
	{ "{\"a\": 1,\n \"a\": 2}", "f:2:2: $: a key stands twice in its "
	  "object, expected it once (duplicate object key near '\"a\"')\n" },
	{ "{\"a\": \"\xff\"}",
	  "f:1:8: $: a byte that is not UTF-8, expected UTF-8 text\n" },
	{ "{\"a\": 99999999999999999999}", "f:1:7: $: a number is too large, "
	  "expected one that fits 64 bits\n" },
	{ "{\"a\": -1e999}", "f:1:7: $: a number is too large, expected one "
	  "that fits 64 bits\n" },
};

START_TEST(says_what_is_wrong)
{
	char *said = say(readings[_i].text, strlen(readings[_i].text));

	ck_assert_str_eq(said, readings[_i].said);
	free(said);
}
END_TEST

START_TEST(a_nul_byte_has_a_place)
{
	static const char text[] = "{\n \"a\": 1 \0}";
	char *said = say(text, sizeof(text) - 1);

	ck_assert_str_eq(said, "f:2:9: $: a NUL byte, expected text\n");
	free(said);
}
END_TEST

START_TEST(too_deep_is_one_line)
{
	static char text[100000];
	char *said;

	memset(text, '[', sizeof(text));
	said = say(text, sizeof(text));
	ck_assert_str_eq(said, "f:1:2049: $: arrays and objects are nested too "
			 "deep, expected a few levels\n");
	free(said);
}
END_TEST

/* Long expressions are shown around their fault. */
START_TEST(long_expressions_are_cut)
{
	char text[600] = "{\"item\": {\"names\": \"";
	char *said;

	for (int i = 0; i < 40; i++)
		strcat(text, "node,");
	strcat(text, "n[x],end");
	for (int i = 0; i < 40; i++)
		strcat(text, ",node");
	strcat(text, "\"}}");
	said = say(text, strlen(text));
	ck_assert_msg(strstr(said, "n[x],end,node") != NULL, "%s", said);
	ck_assert_msg(strstr(said, "...\": expected") != NULL, "%s", said);
	free(said);
}
END_TEST

/* A fault each: past those that are kept nothing but the count goes on. */
START_TEST(very_many_faults_are_counted)
{
	struct jsonpos_step list = { .key = "l" };
	struct json_reader reader;
	struct diag diag;
	size_t length = 0;
	char *text = malloc(400100);
	json_t *root;
	json_t *value;
	size_t i;
	long number;

	length += (size_t)sprintf(text, "{\"l\": [9");
	for (int k = 1; k < 100000; k++)
		length += (size_t)sprintf(text + length, "%s9",
					  k % 10 ? "," : ",\n");
	length += (size_t)sprintf(text + length, "]}");
	diag_init(&diag, "f");
	root = json_reader_open(&reader, text, length, &diag);
	ck_assert_ptr_nonnull(root);
	json_array_foreach(json_object_get(root, "l"), i, value) {
		struct jsonpos_step at = { .parent = &list, .index = i };

		json_reader_integer_at(&reader, &at, value, 0, 8, &number);
	}
	ck_assert_uint_eq(diag.error_count, 100000);
	ck_assert_uint_eq(diag.entry_count, DIAG_KEPT_MAX);
	ck_assert_int_eq(diag.entries[999].line, 100);
	ck_assert_int_eq(diag.entries[999].column, 19);
	ck_assert_str_eq(diag.entries[999].path, "l[999]");
	json_reader_close(&reader, root);
	diag_done(&diag);
	free(text);
}
END_TEST

START_TEST(reading_without_memory)
{
	const char *text = readings[5].text;
	long n = 0;
	bool hit;

	do {
		struct json_reader reader;
		struct diag diag;
		bool good = true;
		json_t *root;

		fault_after(++n);
		diag_init(&diag, "f");
		root = json_reader_open(&reader, text, strlen(text), &diag);
		if (root) {
			good = read_item(&reader, root);
			json_reader_close(&reader, root);
		}
		hit = fault_hit();
		fault_off();
		ck_assert(good);
		ck_assert(diag.no_memory == hit);
		ck_assert(!diag_ok(&diag));
		diag_done(&diag);
	} while (hit);
	ck_assert_int_gt(n, 20);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("json_reader");
	TCase *reading = tcase_create("reading");

	tcase_add_loop_test(reading, says_what_is_wrong, 0, COUNT(readings));
	tcase_add_test(reading, a_nul_byte_has_a_place);
	tcase_add_test(reading, too_deep_is_one_line);
	tcase_add_test(reading, long_expressions_are_cut);
	tcase_add_test(reading, very_many_faults_are_counted);
	tcase_add_test(reading, reading_without_memory);
	suite_add_tcase(suite, reading);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
