/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault: allocation functions that fail on order. The linker sends every call
 * of malloc() to __wrap_malloc() and of __real_malloc() to malloc().
 */
#include <errno.h>
#include <pthread.h>
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
FILE *__real_fopen(const char *path, const char *mode);
FILE *__real_open_memstream(char **ret, size_t *ret_size);
int __real_pthread_create(pthread_t *ret, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *argument);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t length);
int __wrap_vasprintf(char **ret, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));
int __wrap_asprintf(char **ret, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_open_memstream(char **ret, size_t *ret_size);
int __wrap_pthread_create(pthread_t *ret, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *argument);

/* Code under test may have a thread of its own. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long left;		/* allocations up to the fault; 0: none due */
static bool hit;

static void set(long n)
{
	pthread_mutex_lock(&lock);
	left = n;
	hit = false;
	pthread_mutex_unlock(&lock);
}

void fault_after(long n)
{
	set(n > 0 ? n : 0);
}

bool fault_hit(void)
{
	bool was_hit;

	pthread_mutex_lock(&lock);
	was_hit = hit;
	pthread_mutex_unlock(&lock);
	return was_hit;
}

void fault_off(void)
{
	set(0);
}

static bool fails_now(void)
{
	bool now;

	pthread_mutex_lock(&lock);
	now = left && !--left;
	hit |= now;
	pthread_mutex_unlock(&lock);
	if (now)
		errno = ENOMEM;
	return now;
}

bool fault_due(void)
{
	return fails_now();
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

FILE *__wrap_fopen(const char *path, const char *mode)
{
	return fails_now() ? NULL : __real_fopen(path, mode);
}

static ssize_t refuse_to_write(void *text, const char *bytes, size_t size)
{
	(void)text;
	(void)bytes;
	(void)size;
	errno = ENOMEM;
	return 0;
}

/* As one that cannot grow: it has a text, which is to be freed. */
static FILE *full_memstream(char **ret, size_t *ret_size)
{
	cookie_io_functions_t functions = { .write = refuse_to_write };

	*ret = __real_calloc(1, 1);
	*ret_size = 0;
	return fopencookie(NULL, "w", functions);
}

FILE *__wrap_open_memstream(char **ret, size_t *ret_size)
{
	if (fails_now())
		return NULL;
	if (fails_now())
		return full_memstream(ret, ret_size);
	return __real_open_memstream(ret, ret_size);
}

int __wrap_pthread_create(pthread_t *ret, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *argument)
{
	return fails_now() ? EAGAIN :
		__real_pthread_create(ret, attributes, start, argument);
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
