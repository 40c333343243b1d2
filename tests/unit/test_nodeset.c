/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of node indices. */
#include "fault.h"
#include "nodeset.h"
#include "unit.h"

static const size_t sizes[] = { 0, 1, 2, 63, 64, 65, 127, 128, 1000 };
#define SIZE_COUNT (int)(sizeof(sizes) / sizeof(sizes[0]))

START_TEST(fill_and_clear)
{
	size_t size = sizes[_i];
	struct nodeset set;

	ck_assert_int_eq(nodeset_init(&set, size), 0);
	ck_assert_uint_eq(nodeset_count(&set), 0);
	ck_assert_uint_eq(nodeset_next(&set, 0), size);
	nodeset_fill(&set);
	ck_assert_uint_eq(nodeset_count(&set), size);
	for (size_t i = 0; i < size; i++)
		ck_assert_uint_eq(nodeset_next(&set, i), i);
	ck_assert_uint_eq(nodeset_next(&set, size), size);
	ck_assert_uint_eq(nodeset_next(&set, size + 100), size);
	nodeset_clear(&set);
	ck_assert_uint_eq(nodeset_count(&set), 0);
	nodeset_done(&set);
}
END_TEST

START_TEST(members_come_and_go)
{
	static const size_t members[] = { 0, 5, 63, 64, 100, 191 };
	size_t count = sizeof(members) / sizeof(members[0]);
	struct nodeset set;
	size_t at = 0;

	ck_assert_int_eq(nodeset_init(&set, 192), 0);
	for (size_t i = 0; i < count; i++)
		nodeset_add(&set, members[i]);
	nodeset_add(&set, 5);
	ck_assert_uint_eq(nodeset_count(&set), count);
	for (size_t i = 0; i < count; i++, at++) {
		at = nodeset_next(&set, at);
		ck_assert_uint_eq(at, members[i]);
		ck_assert(nodeset_has(&set, at));
	}
	ck_assert_uint_eq(nodeset_next(&set, at), 192);
	ck_assert(!nodeset_has(&set, 1));
	nodeset_remove(&set, 64);
	nodeset_remove(&set, 65);
	ck_assert(!nodeset_has(&set, 64));
	ck_assert_uint_eq(nodeset_count(&set), count - 1);
	ck_assert_uint_eq(nodeset_next(&set, 64), 100);
	nodeset_done(&set);
}
END_TEST

START_TEST(outside_there_is_nothing)
{
	struct nodeset set;

	ck_assert_int_eq(nodeset_init(&set, 70), 0);
	nodeset_add(&set, 70);
	nodeset_add(&set, 127);
	nodeset_add(&set, SIZE_MAX);
	ck_assert_uint_eq(nodeset_count(&set), 0);
	nodeset_fill(&set);
	nodeset_remove(&set, 70);
	ck_assert_uint_eq(nodeset_count(&set), 70);
	ck_assert(!nodeset_has(&set, 70));
	ck_assert(!nodeset_has(&set, SIZE_MAX));
	nodeset_done(&set);
}
END_TEST

START_TEST(a_copy_stands_alone)
{
	struct nodeset set;
	struct nodeset copy;

	ck_assert_int_eq(nodeset_init(&set, 100), 0);
	nodeset_add(&set, 99);
	ck_assert_int_eq(nodeset_copy(&copy, &set), 0);
	nodeset_remove(&set, 99);
	nodeset_add(&set, 1);
	ck_assert(nodeset_has(&copy, 99));
	ck_assert(!nodeset_has(&copy, 1));
	nodeset_done(&set);
	nodeset_done(&copy);
}
END_TEST

START_TEST(without_memory)
{
	struct nodeset set = { .size = 7 };
	struct nodeset copy = { .size = 9 };

	fault_after(1);
	ck_assert_int_eq(nodeset_init(&set, 100), -1);
	fault_off();
	ck_assert_uint_eq(set.size, 7);
	ck_assert_int_eq(nodeset_init(&set, 100), 0);
	fault_after(1);
	ck_assert_int_eq(nodeset_copy(&copy, &set), -1);
	fault_off();
	ck_assert_uint_eq(copy.size, 9);
	nodeset_done(&set);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("nodeset");
	TCase *group = tcase_create("nodeset");

	tcase_add_loop_test(group, fill_and_clear, 0, SIZE_COUNT);
	tcase_add_test(group, members_come_and_go);
	tcase_add_test(group, outside_there_is_nothing);
	tcase_add_test(group, a_copy_stands_alone);
	tcase_add_test(group, without_memory);
	suite_add_tcase(suite, group);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
