/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault: allocation functions that fail on order. The linker sends every call
 * of malloc() to __wrap_malloc() and of __real_malloc() to malloc().
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "fault.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t length);
int __real_vasprintf(char **ret, const char *format, va_list arguments);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t length);
int __wrap_vasprintf(char **ret, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));
int __wrap_asprintf(char **ret, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static long left;		/* allocations up to the fault; 0: none due */
static bool hit;

void fault_after(long n)
{
	left = n > 0 ? n : 0;
	hit = false;
}

bool fault_hit(void)
{
	return hit;
}

void fault_off(void)
{
	left = 0;
	hit = false;
}

static bool fails_now(void)
{
	if (left == 0 || --left > 0)
		return false;
	hit = true;
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return fails_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails_now() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails_now() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
	return fails_now() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t length)
{
	return fails_now() ? NULL : __real_strndup(text, length);
}

int __wrap_vasprintf(char **ret, const char *format, va_list arguments)
{
	/* As in glibc, *RET is undefined then: a value that free() rejects. */
	if (fails_now()) {
		*ret = (char *)1;
		return -1;
	}
	return __real_vasprintf(ret, format, arguments);
}

int __wrap_asprintf(char **ret, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = __wrap_vasprintf(ret, format, arguments);
	va_end(arguments);
	return length;
}

static void *json_malloc(size_t size)
{
	return __wrap_malloc(size);
}

static void json_free(void *memory)
{
	free(memory);
}

/*
 * jansson is a shared library: --wrap does not reach into it, its own hook
 * does. Set before main(), so that no value is made by one allocator and freed
 * by the other.
 */
__attribute__((constructor)) static void use_in_jansson(void)
{
	json_set_alloc_funcs(json_malloc, json_free);
}
