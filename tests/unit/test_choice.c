/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the plugin asks the engine, and makes of the answer. */

#include <string.h>

#include "fabric_read.h"
#include "fault.h"
#include "slurm/choice.h"
#include "unit.h"

#define HINT "tp=8"

static struct fabric *fabric;
static struct state *state;
static struct parallelism hint;
static struct choice_question question;

/* 4 leaves of 4 nodes with 8 GPUs; all usable. */
static void set_up(void)
{
	struct parallelism_error error;
	struct diag diag;

	diag_init(&diag, "synthetic");
	fabric = fabric_read_synth("spine:4 leaf:4 node:4", &diag);
	diag_done(&diag);
	state = state_new(fabric);
	ck_assert_int_eq(parallelism_parse(HINT, strlen(HINT), &hint, &error),
			 0);
	ck_assert_int_eq(choice_question_init(&question, state), 0);
	nodeset_fill(&question.usable);
	question.hint = &hint;
	question.text = (struct hint_text){ HINT, strlen(HINT) };
	question.site = parallelism_site_default();
	question.gpus_per_node = 8;
	question.min_nodes = question.req_nodes = question.max_nodes = 4;
	question.generation = 1;
}

static void tear_down(void)
{
	choice_forget();
	choice_question_done(&question);
	state_free(state);
	fabric_free(fabric);
}

/* Taken away: the first node of each leaf but the last. */
static void break_leaves(void)
{
	nodeset_remove(&question.usable, 0);
	nodeset_remove(&question.usable, 4);
	nodeset_remove(&question.usable, 8);
}

static void check_nodes(const struct choice *choice, uint32_t first,
			uint32_t count)
{
	ck_assert_uint_eq(choice->count, count);
	for (uint32_t k = 0; k < count; k++)
		ck_assert_uint_eq(choice->nodes[k], first + k);
}

START_TEST(one_leaf_is_chosen_and_remembered)
{
	struct choice choice, again;

	break_leaves();
	ck_assert_int_eq(choice_make(&question, &choice), FALLBACKS);
	check_nodes(&choice, 12, 4);
	ck_assert_uint_eq(choice.score.leaves, 1);
	ck_assert_int_eq(choice_make(&question, &again), FALLBACKS);
	check_nodes(&again, 12, 4);
	ck_assert_ptr_ne(choice.nodes, again.nodes);
	choice_done(&choice);
	choice_done(&again);
}
END_TEST

START_TEST(another_state_is_another_question)
{
	struct choice choice;

	break_leaves();
	ck_assert_int_eq(choice_make(&question, &choice), FALLBACKS);
	choice_done(&choice);
	nodeset_add(&question.usable, 0);
	nodeset_remove(&question.usable, 12);
	ck_assert_int_eq(choice_make(&question, &choice), FALLBACKS);
	check_nodes(&choice, 0, 4);
	choice_done(&choice);
}
END_TEST

START_TEST(range_gets_the_most_that_the_hint_takes)
{
	struct parallelism_error error;
	struct choice choice;

	question.min_nodes = 2;
	question.req_nodes = question.max_nodes = 7;
	ck_assert_int_eq(choice_make(&question, &choice), FALLBACKS);
	ck_assert_uint_eq(choice.count, 7);
	choice_done(&choice);
	ck_assert_int_eq(parallelism_parse("tp=8,pp=3", 9, &hint, &error), 0);
	question.text = (struct hint_text){ "tp=8,pp=3", 9 };
	ck_assert_int_eq(choice_make(&question, &choice), FALLBACKS);
	ck_assert_uint_eq(choice.count, 6);
	choice_done(&choice);
}
END_TEST

START_TEST(misfit_and_lack_are_told_apart)
{
	struct parallelism_error error;
	struct choice choice;

	question.min_nodes = question.req_nodes = question.max_nodes = 17;
	ck_assert_int_eq(choice_make(&question, &choice), FALLBACK_INFEASIBLE);
	choice_done(&choice);
	question.min_nodes = question.req_nodes = question.max_nodes = 4;
	ck_assert_int_eq(parallelism_parse("tp=7", 4, &hint, &error), 0);
	question.text = (struct hint_text){ "tp=7", 4 };
	ck_assert_int_eq(choice_make(&question, &choice), FALLBACK_MISFIT);
	ck_assert_str_ne(choice.why, "");
	choice_done(&choice);
}
END_TEST

START_TEST(switches_bound_the_leaves)
{
	struct choice choice;

	question.min_nodes = question.req_nodes = question.max_nodes = 5;
	question.max_leaves = 1;
	ck_assert_int_eq(choice_make(&question, &choice), FALLBACK_SWITCHES);
	choice_done(&choice);
	question.max_leaves = 2;
	ck_assert_int_eq(choice_make(&question, &choice), FALLBACKS);
	choice_done(&choice);
}
END_TEST

START_TEST(kinds_of_gpus_are_not_mixed)
{
	struct choice choice;

	for (uint32_t i = 0; i < 16; i++)
		question.types[i] = i % 2;
	question.min_nodes = question.req_nodes = question.max_nodes = 3;
	ck_assert_int_eq(choice_make(&question, &choice), FALLBACKS);
	for (uint32_t k = 1; k < choice.count; k++)
		ck_assert_uint_eq(choice.nodes[k] % 2, choice.nodes[0] % 2);
	choice_done(&choice);
	question.min_nodes = question.req_nodes = question.max_nodes = 9;
	ck_assert_int_eq(choice_make(&question, &choice), FALLBACK_IMPOSSIBLE);
	choice_done(&choice);
}
END_TEST

/* A kind of GPU with the higher weight is spared, even at a higher cost. */
START_TEST(lower_weights_win_among_kinds_of_gpus)
{
	struct choice choice;

	for (uint32_t i = 0; i < 16; i++) {
		question.types[i] = i >= 12;
		state->weights[i] = i >= 12 ? 10 : i >= 8 ? 5 : 1;
	}
	break_leaves();
	for (int kind = 0; kind < 2; kind++) {
		ck_assert_int_eq(choice_make(&question, &choice), FALLBACKS);
		ck_assert_uint_eq(choice.count, 4);
		for (uint32_t k = 0; k < choice.count; k++)
			ck_assert_uint_lt(choice.nodes[k], 8);
		choice_done(&choice);
		/* The other kind is asked first. */
		for (uint32_t i = 0; i < 16; i++)
			question.types[i] = 1 - question.types[i];
	}
}
END_TEST

START_TEST(gpus_alone_are_taken_in_equal_parts_where_nodes_are_in_use)
{
	struct parallelism_error error;
	struct choice choice;

	ck_assert_int_eq(parallelism_parse("tp=4", 4, &hint, &error), 0);
	question.text = (struct hint_text){ "tp=4", 4 };
	for (uint32_t i = 0; i < 16; i++)
		state->gpus_used[i] = 4;
	question.gpus = 16;
	question.gpus_per_node = 0;
	question.min_nodes = question.req_nodes = 1;
	question.max_nodes = 0;
	ck_assert_int_eq(choice_make(&question, &choice), FALLBACKS);
	ck_assert_uint_eq(choice.count, 4);
	ck_assert_uint_eq(choice.score.leaves, 1);
	choice_done(&choice);
}
END_TEST

START_TEST(required_nodes_are_in_the_answer)
{
	struct choice choice;
	bool found = false;

	nodeset_add(&question.required, 6);
	ck_assert_int_eq(choice_make(&question, &choice), FALLBACKS);
	for (uint32_t k = 0; k < choice.count; k++)
		found |= choice.nodes[k] == 6;
	ck_assert(found);
	ck_assert_uint_eq(choice.score.leaves, 1);
	choice_done(&choice);
}
END_TEST

START_TEST(no_memory_is_a_fallback)
{
	for (long n = 1; ; n++) {
		struct choice choice;
		enum counters_fallback cause;
		bool hit;

		question.generation = (uint64_t)n + 1;
		fault_after(n);
		cause = choice_make(&question, &choice);
		hit = fault_hit();
		fault_off();
		choice_done(&choice);
		if (!hit) {
			ck_assert_int_eq(cause, FALLBACKS);
			break;
		}
		/* What merely could not be remembered is no failure. */
		ck_assert(cause == FALLBACK_FAILED || cause == FALLBACKS);
	}
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("choice");
	TCase *tests = tcase_create("choice");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, one_leaf_is_chosen_and_remembered);
	tcase_add_test(tests, another_state_is_another_question);
	tcase_add_test(tests, range_gets_the_most_that_the_hint_takes);
	tcase_add_test(tests, misfit_and_lack_are_told_apart);
	tcase_add_test(tests, switches_bound_the_leaves);
	tcase_add_test(tests, kinds_of_gpus_are_not_mixed);
	tcase_add_test(tests, lower_weights_win_among_kinds_of_gpus);
	tcase_add_test(tests,
		gpus_alone_are_taken_in_equal_parts_where_nodes_are_in_use);
	tcase_add_test(tests, required_nodes_are_in_the_answer);
	tcase_add_test(tests, no_memory_is_a_fallback);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
