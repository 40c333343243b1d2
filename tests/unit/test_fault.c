/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_fault: the allocation failures that the other suites rely on do happen,
 * each once, in our own calls and in jansson's.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "fault.h"
#include "unit.h"

/* Kept from the optimiser, which may drop an allocation that nobody uses. */
static void *volatile kept;

static bool malloc_works(void)
{
	kept = malloc(1);
	free(kept);
	return kept != NULL;
}

static bool calloc_works(void)
{
	kept = calloc(2, 3);
	free(kept);
	return kept != NULL;
}

static bool realloc_works(void)
{
	kept = realloc(NULL, 9);
	free(kept);
	return kept != NULL;
}

static bool strdup_works(void)
{
	kept = strdup("a text");
	free(kept);
	return kept != NULL;
}

static bool strndup_works(void)
{
	kept = strndup("a text", 3);
	free(kept);
	return kept != NULL;
}

static bool asprintf_works(void)
{
	char *text;

	if (asprintf(&text, "%d", 17) < 0)
		return false;
	kept = text;
	free(text);
	return true;
}

static bool __attribute__((format(printf, 1, 2)))
format_works(const char *format, ...)
{
	char *text;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return false;
	kept = text;
	free(text);
	return true;
}

static bool fopen_works(void)
{
	FILE *file = fopen("/dev/null", "r");

	return file && !fclose(file);
}

static void *do_nothing(void *unused)
{
	return unused;
}

static bool pthread_create_works(void)
{
	pthread_t thread;

	return !pthread_create(&thread, NULL, do_nothing, NULL) &&
	       !pthread_join(thread, NULL);
}

static bool vasprintf_works(void)
{
	return format_works("%d", 17);
}

static bool (*const allocators[])(void) = {
	malloc_works,	calloc_works,	realloc_works,	 strdup_works,
	strndup_works,	asprintf_works,	vasprintf_works, fopen_works,
	pthread_create_works,
};
enum { ALLOCATORS = sizeof(allocators) / sizeof(allocators[0]) };

START_TEST(fails_at_the_nth_allocation_and_once)
{
	bool first, second, third, hit_early, hit;

	fault_after(2);
	first = allocators[_i]();
	hit_early = fault_hit();
	second = allocators[_i]();
	third = allocators[_i]();
	hit = fault_hit();
	fault_off();

	ck_assert(first);
	ck_assert(!hit_early);
	ck_assert(!second);
	ck_assert(third);
	ck_assert(hit);
	ck_assert(!fault_hit());
}
END_TEST

static bool memstream_works(void)
{
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);
	bool works;

	if (!stream)
		return false;
	works = fputs("text", stream) >= 0;
	works = !fclose(stream) && works && !strcmp(text, "text");
	free(text);
	return works;
}

/* It fails when it is opened, then when it is written. */
START_TEST(memory_stream_fails_twice)
{
	bool works[3];

	for (int n = 1; n <= 3; n++) {
		fault_after(n);
		works[n - 1] = memstream_works();
		fault_off();
	}
	ck_assert(!works[0]);
	ck_assert(!works[1]);
	ck_assert(works[2]);
}
END_TEST

START_TEST(off_means_no_failure)
{
	bool works;

	fault_after(1);
	fault_off();
	works = malloc_works();
	ck_assert(works);
	ck_assert(!fault_hit());
}
END_TEST

START_TEST(jansson_meets_every_failure)
{
	json_t *value;
	bool hit;
	long n;

	for (n = 1; ; n++) {
		fault_after(n);
		value = json_loads("{\"a\": [1, \"b\"]}", 0, NULL);
		hit = fault_hit();
		fault_off();
		if (!hit)
			break;
		ck_assert_ptr_null(value);
	}
	ck_assert_ptr_nonnull(value);
	json_decref(value);
	ck_assert_int_gt(n, 5);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("fault");
	TCase *tcase = tcase_create("fault");

	tcase_add_loop_test(tcase, fails_at_the_nth_allocation_and_once, 0,
			    ALLOCATORS);
	tcase_add_test(tcase, memory_stream_fails_twice);
	tcase_add_test(tcase, off_means_no_failure);
	tcase_add_test(tcase, jansson_meets_every_failure);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
