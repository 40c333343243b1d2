/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faults of state files: each is found, where it stands, and all at once. */

#include <string.h>

#include "engine.h"
#include "fault.h"

#define SMALL "spine:2 leaf:2 node:2"

/* TEXT begins on line 1; LINE is how the fault's line begins. */
static const struct {
	const char *text, *line, *says;
} faults[] = {
	{ "", "s:1:1: ", "empty, expected" },
	{ "{\"down\": ", "s:1:9: ", "no JSON" },
	{ "[]", "s:1:1: $: ", "expected an object" },
	{ "{\"down\": \"n0001\",\n \"down\": \"\"}", "s:2:", "twice" },
	{ "{\"dwon\": \"n0001\"}", "s:1:10: dwon: ", "expected \"down\"" },
	{ "{\"x\": 1}", "s:1:7: x: ",
	  "down, jobs, links, weights, node_order" },
	{ "{\"down\": 5}", "s:1:10: down: ", "found a number, expected" },
	{ "{\"down\":\n  \"n0009\"}", "s:2:3: down: ",
	  "\"n0009\", expected a node of the fabric" },
	{ "{\"down\": \"n[0001,0001]\"}", "s:1:10: down: ",
	  "\"n0001\", expected each node once" },
	{ "{\"down\": \"n[0001-\"}", "s:1:10: down: ", "n[0001-" },
	{ "{\"node_order\": []}", "s:1:16: node_order: ",
	  "found an array, expected" },
	{ "{\"node_order\": \"x\"}", "s:1:16: node_order: ",
	  "\"x\", expected" },
	{ "{\"node_order\": \"n0001,n0001\"}", "s:1:16: node_order: ",
	  "each node once" },
	{ "{\"weights\": 3}", "s:1:13: weights: ", "expected an object" },
	{ "{\"weights\": {\"n0001\": -1}}", "s:1:23: weights.n0001: ",
	  "-1 is out of range, expected 0 to 4294967295" },
	{ "{\"weights\": {\"n0001\": 4294967296}}",
	  "s:1:23: weights.n0001: ", "out of range" },
	{ "{\"weights\": {\"n0001\": 1.5}}", "s:1:23: weights.n0001: ",
	  "1.5 is no whole number" },
	{ "{\"weights\": {\"n0001\": \"1\"}}", "s:1:23: weights.n0001: ",
	  "found a string, expected" },
	{ "{\"weights\": {\"n0009\": 1}}", "s:1:23: weights.n0009: ",
	  "\"n0009\", expected a node of the fabric" },
	{ "{\"weights\": {\"n[\": 1}}", "s:1:20: weights", "n[" },
	{ "{\"links\": {}}", "s:1:11: links: ", "expected an array" },
	{ "{\"links\": [7]}", "s:1:12: links[0]: ", "expected an object" },
	{ "{\"links\": [{\"to\": \"spine1\", \"gbps\": 1}]}",
	  "s:1:12: links[0].from: ", "missing, expected" },
	{ "{\"links\": [{\"from\": \"leaf1\", \"gbps\": 1}]}",
	  "s:1:12: links[0].to: ", "missing, expected" },
	{ "{\"links\": [{\"from\": \"leaf1\", \"to\": \"spine1\"}]}",
	  "s:1:12: links[0].gbps: ", "missing, expected" },
	{ "{\"links\": [{\"from\": \"leaf9\", \"to\": \"spine1\","
	  "\"gbps\": 1}]}", "s:1:21: links[0].from: ", "\"leaf9\", expected" },
	{ "{\"links\": [{\"from\": \"leaf1\", \"to\": 3, \"gbps\": 1}]}",
	  "s:1:36: links[0].to: ", "expected a string" },
	{ "{\"links\": [{\"from\": \"leaf1\", \"to\": \"leaf2\","
	  "\"gbps\": 1}]}", "s:1:36: links[0].to: ",
	  "no link leads to \"leaf2\", expected" },
	{ "{\"links\": [{\"from\": \"leaf1\", \"to\": \"spine1\","
	  "\"gbps\": -1}]}", "s:1:53: links[0].gbps: ", "-1 is out of range" },
	{ "{\"links\": [{\"from\": \"leaf1\", \"to\": \"spine1\","
	  "\"gbps\": \"1\"}]}", "s:1:53: links[0].gbps: ",
	  "expected a number" },
	{ "{\"links\": [{\"from\": \"leaf1\", \"to\": \"spine1\",\"gbps\": 1}"
	  ",\n{\"from\": \"spine1\", \"to\": \"leaf1\",\"gbps\": 1}]}",
	  "s:2:26: links[1].to: ", "expected each pair of switches once" },
	{ "{\"links\": [{\"from\": \"leaf1\", \"to\": \"spine1\","
	  "\"gbps\": 1, \"count\": 2}]}", "s:1:65: links[0].count: ",
	  "unknown key" },
	{ "{\"jobs\": \"n0001\"}", "s:1:10: jobs: ", "expected an array" },
	{ "{\"jobs\": [[]]}", "s:1:11: jobs[0]: ", "expected an object" },
	{ "{\"jobs\": [{\"id\": 1}]}", "s:1:11: jobs[0].nodes: ",
	  "missing, expected" },
	{ "{\"jobs\": [{\"id\": -1, \"nodes\": \"n0001\"}]}",
	  "s:1:18: jobs[0].id: ", "out of range" },
	{ "{\"jobs\": [{\"nodes\": 1}]}", "s:1:21: jobs[0].nodes: ",
	  "found a number" },
	{ "{\"jobs\": [{\"nodes\": \"n0009\"}]}", "s:1:21: jobs[0].nodes: ",
	  "\"n0009\", expected" },
	{ "{\"jobs\": [{\"nodes\": \"n0001,n0001\"}]}",
	  "s:1:21: jobs[0].nodes: ", "each node once" },
	{ "{\"jobs\": [{\"nodes\": \"n0001\", \"gpu\": [1]}]}",
	  "s:1:37: jobs[0].gpu: ", "expected \"gpus\"" },
	{ "{\"jobs\": [{\"nodes\": \"n0001\", \"gpus\": 8}]}",
	  "s:1:38: jobs[0].gpus: ", "expected an array" },
	{ "{\"jobs\": [{\"nodes\": \"n0001\", \"gpus\": [1, 2]}]}",
	  "s:1:38: jobs[0].gpus: ", "2 numbers for 1 nodes, expected" },
	{ "{\"jobs\": [{\"nodes\": \"n0001\", \"gpus\": [9]}]}",
	  "s:1:39: jobs[0].gpus[0]: ", "9 is out of range, expected 0 to 8" },
	{ "{\"jobs\": [{\"nodes\": \"n0001\", \"gpus\": [1.5]}]}",
	  "s:1:39: jobs[0].gpus[0]: ", "no whole number" },
	{ "{\"jobs\": [{\"nodes\": \"n0001\"},\n{\"nodes\": \"n0001\"}]}",
	  "s:2:11: jobs[1].nodes: ", "\"n0001\" has 8 GPUs and 8 are taken" },
	{ "{\"jobs\": [{\"nodes\": \"n0001\", \"gpus\": [5]},\n"
	  "{\"nodes\": \"n0001\", \"gpus\": [4]}]}",
	  "s:2:11: jobs[1].nodes: ", "expected 4 to be free" },
	{ "{\"jobs\": [{\"nodes\": \"n0001\", \"parallelism\": 8}]}",
	  "s:1:45: jobs[0].parallelism: ", "found a number, expected" },
};

static struct state *read(const struct fabric *fabric, const char *text,
			  struct diag *diag)
{
	diag_init(diag, "s");
	return state_read_json(fabric, text, strlen(text),
			       parallelism_site_default(), diag);
}

START_TEST(fault_says_where_and_what)
{
	struct fabric *fabric = engine_fabric(SMALL);
	struct diag diag;
	char line[500];

	ck_assert_ptr_null(read(fabric, faults[_i].text, &diag));
	ck_assert_uint_eq(diag.error_count, 1);
	ck_assert_uint_eq(diag.entry_count, 1);
	diag_line(&diag, 0, line, sizeof(line));
	ck_assert_msg(!strncmp(line, faults[_i].line, strlen(faults[_i].line)),
		      "%s", line);
	ck_assert_msg(strstr(line, faults[_i].says), "%s", line);
	diag_done(&diag);
	fabric_free(fabric);
}
END_TEST

START_TEST(all_faults_are_listed_in_order)
{
	struct fabric *fabric = engine_fabric(SMALL);
	struct diag diag;
	static const int lines[] = { 1, 2, 3, 4, 5, 5 };

	ck_assert_ptr_null(read(fabric,
		"{\"jobs\": [{\"nodes\": \"nope\"},\n"
		"{\"nodes\": \"n0001\", \"gpus\": []}],\n"
		"\"weights\": {\"n0001\": -1},\n"
		"\"links\": [{\"from\": \"leaf9\", \"to\": \"spine1\","
		"\"gbps\": 1}],\n"
		"\"down\": \"a1,a2\"}", &diag));
	ck_assert_uint_eq(diag.error_count, 6);
	diag_sort(&diag);
	for (size_t i = 0; i < 6; i++)
		ck_assert_int_eq(diag.entries[i].line, lines[i]);
	diag_done(&diag);
	fabric_free(fabric);
}
END_TEST

static const struct {
	const char *hint, *says;
} warnings[] = {
	{ "tp=x", "tp: 'x' is no whole number" },
	{ "tp=3", "dp: the job's 16 GPUs are no multiple" },
	{ "tp=8,dp=3", "dp: tp*cp*pp*dp is 24" },
};

START_TEST(hint_that_does_not_fit_is_a_warning)
{
	struct fabric *fabric = engine_fabric(SMALL);
	struct state *state;
	struct diag diag;
	char text[200];

	snprintf(text, sizeof(text), "{\"jobs\": [{\"nodes\": "
		 "\"n[0001,0003]\",\n\"parallelism\": \"%s\"}]}",
		 warnings[_i].hint);
	state = read(fabric, text, &diag);
	ck_assert_ptr_nonnull(state);
	ck_assert_uint_eq(diag.error_count, 0);
	ck_assert_uint_eq(diag.warning_count, 1);
	ck_assert_int_eq(diag.entries[0].line, 2);
	ck_assert_str_eq(diag.entries[0].path, "jobs[0].parallelism");
	ck_assert_msg(strstr(diag.entries[0].text, warnings[_i].says), "%s",
		      diag.entries[0].text);
	ck_assert_uint_eq(state_free_gpus(state, 0), 0);
	state_free(state);
	diag_done(&diag);
	fabric_free(fabric);
}
END_TEST

/*
 * No string of more than 13 bytes: where jansson (2.14) cannot grow its token
 * buffer beyond 16, it drops a byte and carries on.
 */
START_TEST(reading_needs_memory)
{
	static const char *const texts[] = {
		"{\"down\": \"n0001\", \"node_order\": \"n[0002,0001]\","
		"\"weights\": {\"n0001\": 3}, \"links\": [{\"from\": \"leaf1\","
		"\"to\": \"spine1\", \"gbps\": 1}], \"jobs\": [{\"nodes\":"
		"\"n[0002-0003]\", \"gpus\": [4, 4], \"parallelism\":"
		"\"dp=8,ep=8\"}]}",
		"{\"jobs\": [{\"nodes\": \"n0002\", \"parallelism\":"
		"\"tp=3\"}]}",
	};
	struct fabric *fabric = engine_fabric(SMALL);
	long n;

	for (n = 1; ; n++) {
		struct state *state;
		struct diag diag;
		bool hit;

		diag_init(&diag, "s");
		fault_after(n);
		state = state_read_json(fabric, texts[_i], strlen(texts[_i]),
					parallelism_site_default(), &diag);
		hit = fault_hit();
		fault_off();
		ck_assert_int_eq(state == NULL, hit);
		ck_assert_int_eq(diag_ok(&diag), !hit);
		ck_assert_int_eq(diag.no_memory, hit);
		state_free(state);
		diag_done(&diag);
		if (!hit)
			break;
	}
	ck_assert_int_gt(n, 12);
	fabric_free(fabric);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("state_faults");
	TCase *faulty = tcase_create("faults");
	TCase *memory = tcase_create("memory");

	tcase_add_loop_test(faulty, fault_says_where_and_what, 0,
			    sizeof(faults) / sizeof(*faults));
	tcase_add_test(faulty, all_faults_are_listed_in_order);
	tcase_add_loop_test(faulty, hint_that_does_not_fit_is_a_warning, 0,
			    sizeof(warnings) / sizeof(*warnings));
	suite_add_tcase(suite, faulty);
	tcase_add_loop_test(memory, reading_needs_memory, 0, 2);
	suite_add_tcase(suite, memory);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
