/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters: counts under a lock, and tells in a log line and in JSON. */

#include "counters.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct counters counts;

static const char *const skip_names[SKIPS] = {
	[SKIP_MODE_OFF] = "mode_off",
	[SKIP_NO_FABRIC] = "no_fabric",
	[SKIP_TEST_ONLY] = "test_only",
	[SKIP_PARTITION] = "partition",
	[SKIP_NO_GPUS] = "no_gpus",
	[SKIP_NO_HINT] = "no_hint",
	[SKIP_HINT_OFF] = "hint_off",
	[SKIP_BAD_HINT] = "bad_hint",
	[SKIP_SPECIAL] = "special_request",
};

static const char *const fallback_names[FALLBACKS] = {
	[FALLBACK_INFEASIBLE] = "infeasible",
	[FALLBACK_MISFIT] = "hint_does_not_fit",
	[FALLBACK_IMPOSSIBLE] = "no_placement",
	[FALLBACK_SWITCHES] = "switches",
	[FALLBACK_REFUSED] = "refused_by_slurm",
	[FALLBACK_LEFT_ALONE] = "left_alone",
	[FALLBACK_OBSERVED] = "observed",
	[FALLBACK_FAILED] = "failed",
};

static const char *const start_names[STARTS] = {
	[START_FREE] = "free",
	[START_FORCED] = "forced",
	[START_PREEMPTED] = "preempted",
	[START_UNSTEERED] = "unsteered",
};

const char *counters_skip_name(enum counters_skip cause)
{
	return skip_names[cause];
}

const char *counters_fallback_name(enum counters_fallback cause)
{
	return fallback_names[cause];
}

static void add(uint64_t *count, uint64_t n)
{
	pthread_mutex_lock(&lock);
	*count += n;
	pthread_mutex_unlock(&lock);
}

void counters_skip(enum counters_skip cause)
{
	add(&counts.skipped[cause], 1);
}

void counters_offered(void)
{
	add(&counts.offered, 1);
}

void counters_narrowed(void)
{
	add(&counts.narrowed, 1);
}

void counters_fell_back(enum counters_fallback cause)
{
	add(&counts.fell_back[cause], 1);
}

void counters_spent(uint64_t microseconds)
{
	add(&counts.microseconds, microseconds);
}

void counters_started(enum counters_start how, uint64_t gpus, uint32_t minutes)
{
	pthread_mutex_lock(&lock);
	counts.starts[how]++;
	if (minutes == COUNTERS_UNLIMITED)
		counts.unlimited[how]++;
	else
		counts.gpu_hours[how] += (double)gpus * minutes / 60;
	pthread_mutex_unlock(&lock);
}

void counters_reset(void)
{
	pthread_mutex_lock(&lock);
	counts = (struct counters){ 0 };
	pthread_mutex_unlock(&lock);
}

struct counters counters_read(void)
{
	struct counters copy;

	pthread_mutex_lock(&lock);
	copy = counts;
	pthread_mutex_unlock(&lock);
	return copy;
}

/* A line that is being written; once it is full, the rest is dropped. */
struct line {
	char *buffer;
	size_t room;
	size_t length;
};

__attribute__((format(printf, 2, 3)))
static void append(struct line *line, const char *format, ...)
{
	va_list arguments;
	int wrote;

	if (line->length + 1 >= line->room)
		return;
	va_start(arguments, format);
	wrote = vsnprintf(line->buffer + line->length,
			  line->room - line->length, format, arguments);
	va_end(arguments);
	if (wrote > 0)
		line->length += (size_t)wrote;
	if (line->length >= line->room)
		line->length = line->room - 1;
}

/* "fell back 3 (infeasible 2, switches 1)" */
static uint64_t append_causes(struct line *line, const char *what,
			      const uint64_t *before, const uint64_t *now,
			      const char *const *names, int count)
{
	uint64_t sum = 0;
	const char *separator = " (";

	for (int i = 0; i < count; i++)
		sum += now[i] - before[i];
	append(line, ", %s %" PRIu64, what, sum);
	for (int i = 0; i < count; i++) {
		if (now[i] == before[i])
			continue;
		append(line, "%s%s %" PRIu64, separator, names[i],
		       now[i] - before[i]);
		separator = ", ";
	}
	if (sum)
		append(line, ")");
	return sum;
}

char *counters_line(const struct counters *before, const struct counters *now,
		    char *buffer, size_t room)
{
	struct line line = { buffer, room, 0 };
	uint64_t starts = 0, something = now->offered - before->offered;

	buffer[0] = '\0';
	append(&line, "offered %" PRIu64 ", narrowed %" PRIu64,
	       now->offered - before->offered,
	       now->narrowed - before->narrowed);
	something += append_causes(&line, "fell back", before->fell_back,
				   now->fell_back, fallback_names, FALLBACKS);
	something += append_causes(&line, "skipped", before->skipped,
				   now->skipped, skip_names, SKIPS);
	for (int i = 0; i < STARTS; i++) {
		starts += now->starts[i] - before->starts[i];
		append(&line, ", %s%s %" PRIu64, i ? "" : "starts ",
		       start_names[i], now->starts[i] - before->starts[i]);
	}
	append(&line, ", %" PRIu64 " us",
	       now->microseconds - before->microseconds);
	if (!something && !starts)
		buffer[0] = '\0';
	return buffer;
}

static void print_causes(FILE *stream, const char *key, const uint64_t *values,
			 const char *const *names, int count)
{
	fprintf(stream, ",\n \"%s\": {", key);
	for (int i = 0; i < count; i++)
		fprintf(stream, "%s\"%s\": %" PRIu64, i ? ", " : "", names[i],
			values[i]);
	fputc('}', stream);
}

int counters_print(const struct counters *counters, const char *head,
		   FILE *stream)
{
	fprintf(stream, "{%s\n \"offered\": %" PRIu64 ",\n \"narrowed\": %"
		PRIu64, head, counters->offered, counters->narrowed);
	print_causes(stream, "fell_back", counters->fell_back, fallback_names,
		     FALLBACKS);
	print_causes(stream, "skipped", counters->skipped, skip_names, SKIPS);
	print_causes(stream, "starts", counters->starts, start_names, STARTS);
	fprintf(stream, ",\n \"gpu_hours\": {");
	for (int i = 0; i < STARTS; i++)
		fprintf(stream, "%s\"%s\": %.15g", i ? ", " : "",
			start_names[i], counters->gpu_hours[i]);
	fputc('}', stream);
	print_causes(stream, "unlimited", counters->unlimited, start_names,
		     STARTS);
	fprintf(stream, ",\n \"microseconds\": %" PRIu64 "}\n",
		counters->microseconds);
	return ferror(stream) ? -1 : 0;
}

static int write_and_rename(const struct counters *counters, const char *head,
			    const char *temporary, const char *path)
{
	FILE *file;
	int status;

	/* Left over from a slurmctld that was killed. */
	unlink(temporary);
	file = fopen(temporary, "wxe");
	if (!file)
		return -1;
	status = counters_print(counters, head, file);
	if (fchmod(fileno(file), 0644))
		status = -1;
	if (fclose(file))
		status = -1;
	if (!status)
		status = rename(temporary, path);
	if (status) {
		int reason = errno;

		unlink(temporary);
		errno = reason;
	}
	return status;
}

int counters_write(const struct counters *counters, const char *head,
		   const char *path)
{
	char *temporary;
	int status;

	if (asprintf(&temporary, "%s.new", path) < 0) {
		errno = ENOMEM;
		return -1;
	}
	status = write_and_rename(counters, head, temporary, path);
	free(temporary);
	return status;
}
