/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State files: what each key does, and the load of running jobs. */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine.h"
#include "fault.h"

/* A leaf has 2 * 400 Gbit/s up, a node 8 * 400. Nodes n0001 to n0004. */
#define SMALL "spine:2 leaf:2 node:2"

START_TEST(empty_state_takes_nothing)
{
	struct fabric *fabric = engine_fabric(SMALL);
	struct state *state = engine_state(fabric, "{}");
	uint32_t leaf = engine_switch(fabric, "leaf1");

	for (uint32_t i = 0; i < fabric->node_count; i++) {
		ck_assert_uint_eq(state_free_gpus(state, i), 8);
		ck_assert_uint_eq(state->weights[i], 1);
		ck_assert_uint_eq(state->positions[i], i);
	}
	ck_assert_double_eq(state_up_left_gbps(state, leaf), 800);
	ck_assert_double_eq(state_down_left_gbps(state, leaf), 800);
	state_free(state);
	fabric_free(fabric);
}
END_TEST

START_TEST(down_nodes_have_nothing_free)
{
	struct fabric *fabric = engine_fabric(SMALL);
	struct state *state =
		engine_state(fabric, "{\"down\": \"n[0001,0003]\"}");

	ck_assert_uint_eq(state_free_gpus(state, 0), 0);
	ck_assert_uint_eq(state_free_gpus(state, 1), 8);
	ck_assert_uint_eq(state_free_gpus(state, 2), 0);
	ck_assert_uint_eq(state_free_gpus(state, 3), 8);
	ck_assert(nodeset_has(&state->down, 2));
	state_free(state);
	fabric_free(fabric);
}
END_TEST

START_TEST(jobs_take_gpus)
{
	struct fabric *fabric = engine_fabric(SMALL);
	struct state *state = engine_state(fabric,
		"{\"jobs\": [{\"id\": 1, \"nodes\": \"n0002\"},"
		"{\"nodes\": \"n[0003-0004]\", \"gpus\": [3, 0]},"
		"{\"nodes\": \"n[0004,0003]\", \"gpus\": [2, 5]}]}");

	ck_assert_uint_eq(state_free_gpus(state, 0), 8);
	ck_assert_uint_eq(state_free_gpus(state, 1), 0);
	ck_assert_uint_eq(state_free_gpus(state, 2), 0);
	ck_assert_uint_eq(state_free_gpus(state, 3), 6);
	/* No hint, no load. */
	for (uint32_t i = 0; i < fabric->switch_count; i++) {
		ck_assert_double_eq(state->load_up_gbps[i], 0);
		ck_assert_double_eq(state->load_down_gbps[i], 0);
	}
	state_free(state);
	fabric_free(fabric);
}
END_TEST

START_TEST(weights_and_order_are_read)
{
	struct fabric *fabric = engine_fabric(SMALL);
	struct state *state = engine_state(fabric,
		"{\"weights\": {\"n[0001-0002]\": 10, \"n0003\": 4294967295},"
		"\"node_order\": \"n[0004,0002]\"}");

	ck_assert_uint_eq(state->weights[0], 10);
	ck_assert_uint_eq(state->weights[1], 10);
	ck_assert_uint_eq(state->weights[2], 4294967295U);
	ck_assert_uint_eq(state->weights[3], 1);
	/* Those that the list leaves out come behind it. */
	ck_assert_uint_eq(state->positions[3], 0);
	ck_assert_uint_eq(state->positions[1], 1);
	ck_assert_uint_eq(state->positions[0], 2);
	ck_assert_uint_eq(state->positions[2], 3);
	state_free(state);
	fabric_free(fabric);
}
END_TEST

static const struct {
	const char *links;
	double left;	/* of leaf1, 800 built */
} links[] = {
	{ "", 800 },
	{ "{\"from\": \"leaf1\", \"to\": \"spine2\", \"gbps\": 200}", 600 },
	{ "{\"from\": \"spine2\", \"to\": \"leaf1\", \"gbps\": 200}", 600 },
	{ "{\"from\": \"leaf1\", \"to\": \"spine2\", \"gbps\": 0}", 400 },
	{ "{\"from\": \"leaf1\", \"to\": \"spine2\", \"gbps\": 400}", 800 },
	/* more than was built is what was built */
	{ "{\"from\": \"leaf1\", \"to\": \"spine2\", \"gbps\": 9000}", 800 },
	{ "{\"from\": \"leaf1\", \"to\": \"spine1\", \"gbps\": 150.5},"
	  "{\"from\": \"leaf1\", \"to\": \"spine2\", \"gbps\": 50}", 200.5 },
	/* all down: 1 % of what was built */
	{ "{\"from\": \"leaf1\", \"to\": \"spine1\", \"gbps\": 0},"
	  "{\"from\": \"leaf1\", \"to\": \"spine2\", \"gbps\": 0}", 8 },
	{ "{\"from\": \"leaf2\", \"to\": \"spine1\", \"gbps\": 0}", 800 },
};

START_TEST(links_are_what_health_leaves)
{
	struct fabric *fabric = engine_fabric(SMALL);
	uint32_t leaf = engine_switch(fabric, "leaf1");
	struct state *state;
	char text[300];

	snprintf(text, sizeof(text), "{\"links\": [%s]}", links[_i].links);
	state = engine_state(fabric, text);
	ck_assert_double_eq(state_up_left_gbps(state, leaf), links[_i].left);
	ck_assert_double_eq(state_down_left_gbps(state, leaf), links[_i].left);
	state_free(state);
	fabric_free(fabric);
}
END_TEST

START_TEST(set_link_says_what_it_did)
{
	struct fabric *fabric = engine_fabric(SMALL);
	struct state *state = engine_state(fabric, NULL);
	uint32_t leaf1 = engine_switch(fabric, "leaf1");
	uint32_t leaf2 = engine_switch(fabric, "leaf2");
	uint32_t spine = engine_switch(fabric, "spine1");

	ck_assert_int_eq(state_set_link(state, leaf1, leaf2, 100), -1);
	ck_assert_int_eq(state_set_link(state, leaf1, leaf1, 100), -1);
	ck_assert_int_eq(state_set_link(state, leaf1, spine, 100), 0);
	ck_assert_int_eq(state_set_link(state, spine, leaf1, 100), 1);
	ck_assert_int_eq(state_set_link(state, spine, leaf2, 100), 0);
	ck_assert_double_eq(state_up_left_gbps(state, leaf1), 500);
	state_free(state);
	fabric_free(fabric);
}
END_TEST

#define JOB(nodes, rest) "{\"nodes\": \"" nodes "\"" rest "}"
#define HINT(text) ", \"parallelism\": \"" text "\""

/* Load in Gbit/s: bytes * 8 / 1e9 / step. */
static const struct {
	const char *fabric, *jobs, *sw;
	double up, down;
} loads[] = {
	/* 8 GPUs send 1e9 each way, 4 s a step */
	{ SMALL, JOB("n[0002-0003]", HINT("tp=8,dp_bytes=1G")), "leaf1",
	  16, 16 },
	{ SMALL, JOB("n[0002-0003]", HINT("tp=8,dp_bytes=1G")), "leaf2",
	  16, 16 },
	{ SMALL, JOB("n[0002-0003]", HINT("tp=8,dp_bytes=1G,step=2")), "leaf1",
	  32, 32 },
	/* under one leaf nothing climbs */
	{ SMALL, JOB("n[0001-0002]", HINT("tp=8,dp_bytes=1G")), "leaf1", 0, 0 },
	/* skew and overlap are no load */
	{ SMALL, JOB("n[0002-0003]",
		     HINT("dp=16,ep=16,ep_bytes=15G,step=8,skew=3")),
	  "leaf1", 64, 64 },
	{ SMALL, JOB("n[0002-0003]",
		     HINT("tp=8,dp_bytes=1G,overlap=dp:1")), "leaf1", 16, 16 },
	/* two jobs on parts of the same nodes add up */
	{ SMALL, JOB("n[0002-0003]", ", \"gpus\": [4, 4]"
		     HINT("tp=4,dp_bytes=1G")) ","
		 JOB("n[0002-0003]", ", \"gpus\": [4, 4]"
		     HINT("tp=4,dp_bytes=2G")), "leaf1", 24, 24 },
	/* ranks run in the order of the list: rings 4 1 3 2 cross 4-1, 1-3,
	 * 3-2, 2-4 against 1 2 3 4 */
	{ SMALL, JOB("n[0004,0001,0003,0002]", HINT("tp=8,dp_bytes=1G")),
	  "leaf1", 32, 32 },
	{ SMALL, JOB("n[0001-0004]", HINT("tp=8,dp_bytes=1G")), "leaf1",
	  16, 16 },
	/* no more than a node's NICs could send, whatever the hint says */
	{ SMALL, JOB("n[0002-0003]", HINT("tp=8,dp_bytes=1P")), "leaf1",
	  3200, 3200 },
	{ SMALL, JOB("n[0001-0003]", HINT("tp=8,dp_bytes=1P")), "leaf1",
	  6400, 6400 },
	{ SMALL, JOB("n[0001-0003]", HINT("tp=8,dp_bytes=1P")), "leaf2",
	  3200, 3200 },
	/* off, no dimension that sends, a hint that does not fit */
	{ SMALL, JOB("n[0002-0003]", HINT("off")), "leaf1", 0, 0 },
	{ SMALL, JOB("n[0002-0003]", HINT("tp=8,dp_bytes=0")), "leaf1", 0, 0 },
	{ SMALL, JOB("n[0002-0003]", HINT("tp=3")), "leaf1", 0, 0 },
	{ SMALL, JOB("n[0002-0003]", HINT("tp=zero")), "leaf1", 0, 0 },
	/* a node that gives no GPU has no rank: dp=1 there */
	{ SMALL, JOB("n[0002-0003]", ", \"gpus\": [8, 0]"
		     HINT("tp=8,dp_bytes=1G")), "leaf1", 0, 0 },
	/* two fabrics: nothing between them */
	{ "fabric:2 spine:1 leaf:1 node:1",
	  JOB("n[0001-0002]", HINT("tp=8,dp_bytes=1G")), "leaf1", 0, 0 },
	/* over the core: each of two Spines carries its half */
	{ "core:1 pod:2 spine:2 leaf:1 node:1",
	  JOB("n[0001-0002]", HINT("tp=8,dp_bytes=1G")), "leaf1", 16, 16 },
	{ "core:1 pod:2 spine:2 leaf:1 node:1",
	  JOB("n[0001-0002]", HINT("tp=8,dp_bytes=1G")), "spine1", 8, 8 },
	{ "core:1 pod:2 spine:2 leaf:1 node:1",
	  JOB("n[0001-0002]", HINT("tp=8,dp_bytes=1P")), "spine4", 1600, 1600 },
	/* rails: GPUs 0-3 of each node are taken, 4-7 use their own rails */
	{ "spine:1 leaf:2 node:1 rails=8",
	  JOB("n[0001-0002]", ", \"gpus\": [4, 4]") ","
	  JOB("n[0001-0002]", ", \"gpus\": [4, 4]" HINT("tp=4,dp_bytes=1G")),
	  "leaf1r3", 0, 0 },
	{ "spine:1 leaf:2 node:1 rails=8",
	  JOB("n[0001-0002]", ", \"gpus\": [4, 4]") ","
	  JOB("n[0001-0002]", ", \"gpus\": [4, 4]" HINT("tp=4,dp_bytes=1G")),
	  "leaf2r4", 2, 2 },
	/* one rail's NIC is the cap of its leaf */
	{ "spine:1 leaf:2 node:1 rails=8",
	  JOB("n[0001-0002]", HINT("tp=8,dp_bytes=1P")), "leaf1r0", 400, 400 },
};

START_TEST(running_jobs_load_links)
{
	struct fabric *fabric = engine_fabric(loads[_i].fabric);
	uint32_t sw = engine_switch(fabric, loads[_i].sw);
	struct state *state;
	char text[400];

	snprintf(text, sizeof(text), "{\"jobs\": [%s]}", loads[_i].jobs);
	state = engine_state(fabric, text);
	ck_assert_double_eq_tol(state->load_up_gbps[sw], loads[_i].up, 1e-9);
	ck_assert_double_eq_tol(state->load_down_gbps[sw], loads[_i].down,
				1e-9);
	state_free(state);
	fabric_free(fabric);
}
END_TEST

START_TEST(load_leaves_at_least_one_percent)
{
	struct fabric *fabric = engine_fabric(SMALL);
	struct state *state = engine_state(fabric,
		"{\"jobs\": [" JOB("n[0002-0003]", HINT("tp=8,dp_bytes=1P"))
		"], \"links\": [{\"from\": \"leaf2\", \"to\": \"spine1\","
		"\"gbps\": 100}]}");
	struct state *light = engine_state(fabric,
		"{\"jobs\": [" JOB("n[0002-0003]", HINT("tp=8,dp_bytes=1G"))
		"], \"links\": [{\"from\": \"leaf2\", \"to\": \"spine1\","
		"\"gbps\": 100}]}");

	ck_assert_double_eq(state_up_left_gbps(state, 0), 8);
	ck_assert_double_eq(state_down_left_gbps(state,
			    engine_switch(fabric, "leaf2")), 8);
	/* health and load together: 800 - 300 - 16 */
	ck_assert_double_eq_tol(state_up_left_gbps(light,
				engine_switch(fabric, "leaf2")), 484, 1e-9);
	state_free(state);
	state_free(light);
	fabric_free(fabric);
}
END_TEST

START_TEST(add_job_takes_all_gpus_by_default)
{
	struct fabric *fabric = engine_fabric(SMALL);
	struct state *state = engine_state(fabric, NULL);
	struct job_profile job = engine_profile("tp=8,dp=2,dp_bytes=1G", 0);
	static const uint32_t nodes[] = { 1, 2 }, one[] = { 3 }, few[] = { 5 };

	ck_assert_int_eq(state_add_job(state, nodes, NULL, 2, &job), 0);
	ck_assert_int_eq(state_add_job(state, one, few, 1, NULL), 0);
	ck_assert_uint_eq(state_free_gpus(state, 1), 0);
	ck_assert_uint_eq(state_free_gpus(state, 2), 0);
	ck_assert_uint_eq(state_free_gpus(state, 3), 3);
	ck_assert_double_eq_tol(state->load_up_gbps[engine_switch(fabric,
				"leaf1")], 16, 1e-9);
	state_free(state);
	fabric_free(fabric);
}
END_TEST

/* A job that could not be added has changed nothing. */
START_TEST(add_job_without_memory_adds_nothing)
{
	struct fabric *fabric = engine_fabric(SMALL);
	struct state *state = engine_state(fabric, NULL);
	struct job_profile job = engine_profile(
		"dp=16,ep=16,dp_bytes=1G,ep_bytes=1G", 0);
	static const uint32_t nodes[] = { 1, 2 };
	uint32_t leaf = engine_switch(fabric, "leaf1");
	long n;

	for (n = 1; ; n++) {
		int status;
		bool hit;

		fault_after(n);
		status = state_add_job(state, nodes, NULL, 2, &job);
		hit = fault_hit();
		fault_off();
		ck_assert_int_eq(status, hit ? -1 : 0);
		if (!hit)
			break;
		ck_assert_uint_eq(state_free_gpus(state, 1), 8);
		ck_assert_double_eq(state->load_up_gbps[leaf], 0);
	}
	ck_assert_int_gt(n, 10);
	ck_assert_uint_eq(state_free_gpus(state, 1), 0);
	ck_assert_double_gt(state->load_up_gbps[leaf], 0);
	state_free(state);
	fabric_free(fabric);
}
END_TEST

START_TEST(new_state_needs_memory)
{
	struct fabric *fabric = engine_fabric(SMALL);
	long n;

	for (n = 1; ; n++) {
		struct state *state;
		bool hit;

		fault_after(n);
		state = state_new(fabric);
		hit = fault_hit();
		fault_off();
		ck_assert_int_eq(state == NULL, hit);
		state_free(state);
		if (!hit)
			break;
	}
	ck_assert_int_gt(n, 8);
	fabric_free(fabric);
}
END_TEST

START_TEST(file_is_read)
{
	struct fabric *fabric = engine_fabric(SMALL);
	char path[] = "/tmp/leafspine-state-XXXXXX";
	int file = mkstemp(path);
	struct state *state;
	struct diag diag;

	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, "{\"down\": \"n0003\"}", 17), 17);
	close(file);
	diag_init(&diag, path);
	state = state_read_file(fabric, path, parallelism_site_default(),
				&diag);
	unlink(path);
	ck_assert_ptr_nonnull(state);
	ck_assert(diag_ok(&diag));
	ck_assert_uint_eq(state_free_gpus(state, 2), 0);
	state_free(state);
	state = state_read_file(fabric, path, parallelism_site_default(),
				&diag);
	ck_assert_ptr_null(state);
	ck_assert_uint_eq(diag.error_count, 1);
	diag_done(&diag);
	fabric_free(fabric);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("state");
	TCase *keys = tcase_create("keys");
	TCase *load = tcase_create("load");
	TCase *memory = tcase_create("memory");

	tcase_add_test(keys, empty_state_takes_nothing);
	tcase_add_test(keys, down_nodes_have_nothing_free);
	tcase_add_test(keys, jobs_take_gpus);
	tcase_add_test(keys, weights_and_order_are_read);
	tcase_add_loop_test(keys, links_are_what_health_leaves, 0,
			    sizeof(links) / sizeof(*links));
	tcase_add_test(keys, set_link_says_what_it_did);
	tcase_add_test(keys, file_is_read);
	suite_add_tcase(suite, keys);
	tcase_add_loop_test(load, running_jobs_load_links, 0,
			    sizeof(loads) / sizeof(*loads));
	tcase_add_test(load, load_leaves_at_least_one_percent);
	tcase_add_test(load, add_job_takes_all_gpus_by_default);
	suite_add_tcase(suite, load);
	tcase_add_test(memory, add_job_without_memory_adds_nothing);
	tcase_add_test(memory, new_state_needs_memory);
	suite_add_tcase(suite, memory);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
