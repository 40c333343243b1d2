/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters, their line and their file; jobs that were tried before. */

#include <jansson.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "slurm/counters.h"
#include "slurm/stamp.h"
#include "slurm/tried.h"
#include "unit.h"

static void count_some(void)
{
	counters_reset();
	for (int i = 0; i < 3; i++)
		counters_offered();
	counters_narrowed();
	counters_fell_back(FALLBACK_INFEASIBLE);
	counters_fell_back(FALLBACK_SWITCHES);
	counters_skip(SKIP_NO_HINT);
	counters_spent(40);
	counters_started(START_FREE, 5, 30);
	counters_started(START_FREE, 8, COUNTERS_UNLIMITED);
}

START_TEST(line_tells_what_happened)
{
	struct counters before = { 0 }, now;
	char line[512];

	count_some();
	now = counters_read();
	ck_assert_str_eq(counters_line(&before, &now, line, sizeof(line)),
			 "offered 3, narrowed 1, fell back 2 (infeasible 1, "
			 "switches 1), skipped 1 (no_hint 1), starts free 2, "
			 "forced 0, preempted 0, unsteered 0, 40 us");
	ck_assert_str_eq(counters_line(&now, &now, line, sizeof(line)), "");
}
END_TEST

START_TEST(line_is_cut_to_its_room)
{
	struct counters before = { 0 }, now;
	char line[40];

	count_some();
	now = counters_read();
	for (size_t room = 1; room <= sizeof(line); room++) {
		memset(line, 'x', sizeof(line));
		counters_line(&before, &now, line, room);
		ck_assert_uint_lt(strlen(line), room);
	}
}
END_TEST

START_TEST(every_cause_has_a_name)
{
	for (int i = 0; i < SKIPS; i++)
		ck_assert_ptr_nonnull(counters_skip_name(i));
	for (int i = 0; i < FALLBACKS; i++)
		ck_assert_ptr_nonnull(counters_fallback_name(i));
}
END_TEST

static double member_of(const json_t *json, const char *object,
			const char *key)
{
	return json_number_value(json_object_get(
		json_object_get(json, object), key));
}

START_TEST(file_is_json_and_replaced)
{
	char directory[] = "/tmp/leafspine-counters.XXXXXX", path[64];
	struct counters now;
	struct stamp before, after;
	json_t *json;

	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/status", directory);
	before = stamp_of(path);
	count_some();
	now = counters_read();
	ck_assert_int_eq(counters_write(&now, "\"mode\": \"off\",", path), 0);
	after = stamp_of(path);
	ck_assert(!stamp_same(&before, &after));
	ck_assert_int_eq(counters_write(&now, "\"mode\": \"off\",", path), 0);
	before = stamp_of(path);
	ck_assert(!stamp_same(&before, &after));
	json = json_load_file(path, 0, NULL);
	ck_assert_ptr_nonnull(json);
	ck_assert_str_eq(json_string_value(json_object_get(json, "mode")),
			 "off");
	ck_assert_int_eq(json_integer_value(json_object_get(json, "offered")),
			 3);
	ck_assert_double_eq(member_of(json, "gpu_hours", "free"), 2.5);
	ck_assert_double_eq(member_of(json, "unlimited", "free"), 1);
	ck_assert_double_eq(member_of(json, "starts", "free"), 2);
	ck_assert_double_eq(member_of(json, "starts", "unsteered"), 0);
	json_decref(json);
	unlink(path);
	/* Nothing else is left there. */
	ck_assert_int_eq(rmdir(directory), 0);
}
END_TEST

START_TEST(file_in_no_directory_is_an_error)
{
	struct counters now = counters_read();

	ck_assert_int_eq(counters_write(&now, "", "/nonexistent/status"), -1);
}
END_TEST

START_TEST(three_tries_in_one_state_are_enough)
{
	for (int i = 0; i < TRIED_MOST; i++) {
		ck_assert(!tried_enough(17, 5));
		tried_in_vain(17, 5);
	}
	ck_assert(tried_enough(17, 5));
	/* Something has changed; another job; the place taken by a third. */
	ck_assert(!tried_enough(17, 6));
	ck_assert(!tried_enough(18, 5));
	ck_assert(tried_enough(17, 5));
	ck_assert(!tried_enough(17 + (1U << 20), 5));
	ck_assert(!tried_enough(17, 5));
	tried_done();
}
END_TEST

/* By the record: the id of a task is another when it starts. */
START_TEST(last_answer_and_choice_are_kept_by_record)
{
	struct tried_answer free_choice = { START_FREE, true }, got;
	int one = 0, other = 0;
	char *choice;

	tried_answer(&one, 3, free_choice);
	ck_assert_int_eq(tried_take_answer(&other).how, START_FORCED);
	got = tried_take_answer(&one);
	ck_assert_int_eq(got.how, START_FREE);
	ck_assert(got.steered);
	got = tried_take_answer(&one);
	ck_assert_int_eq(got.how, START_FORCED);
	ck_assert(!got.steered);
	tried_would_choose(&one, strdup("n1"));
	tried_would_choose(&one, strdup("n2"));
	ck_assert_ptr_null(tried_take_choice(&other));
	choice = tried_take_choice(&one);
	ck_assert_str_eq(choice, "n2");
	free(choice);
	ck_assert_ptr_null(tried_take_choice(&one));
	tried_would_choose(&one, strdup("n3"));
	tried_done();
	ck_assert_ptr_null(tried_take_choice(&one));
}
END_TEST

START_TEST(preempting_job_starts_later_and_counts_once)
{
	struct tried_answer ours = { START_FREE, true };
	struct tried_answer not_ours = { START_UNSTEERED, false };
	int record = 0;

	tried_preempts(3);
	tried_answer(&record, 3, not_ours);
	tried_answer(&record, 3, ours);
	ck_assert_int_eq(tried_take_answer(&record).how, START_PREEMPTED);
	/* It was requeued, and starts again. */
	tried_answer(&record, 3, ours);
	ck_assert_int_eq(tried_take_answer(&record).how, START_FREE);
	tried_preempts(4);
	tried_answer(&record, 4, not_ours);
	ck_assert_int_eq(tried_take_answer(&record).how, START_UNSTEERED);
	tried_done();
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("counters");
	TCase *tests = tcase_create("counters");

	tcase_add_test(tests, line_tells_what_happened);
	tcase_add_test(tests, line_is_cut_to_its_room);
	tcase_add_test(tests, every_cause_has_a_name);
	tcase_add_test(tests, file_is_json_and_replaced);
	tcase_add_test(tests, file_in_no_directory_is_an_error);
	tcase_add_test(tests, three_tries_in_one_state_are_enough);
	tcase_add_test(tests, last_answer_and_choice_are_kept_by_record);
	tcase_add_test(tests, preempting_job_starts_later_and_counts_once);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
