/* SPDX-License-Identifier: GPL-2.0-or-later */
/* status: the thread that tells, each minute. */

#include "status.h"

#include "counters.h"
#include "leafspine_config.h"

#include "compat.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#define PERIOD_SECONDS 60
#define LINE_ROOM 1024

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static bool started, ending;
static time_t since;	/* counted from then on */
/* Under the lock. */
static char *file_path, *mode_name, *fabric_path;

/* A text as a string of JSON, for paths: quotes and backslashes escaped. */
static void put_string(FILE *stream, const char *text)
{
	fputc('"', stream);
	for (; text && *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', stream);
		fputc(*text >= ' ' ? *text : '?', stream);
	}
	fputc('"', stream);
}

/* The keys in front of the counters. Called with the lock. */
static char *make_head(void)
{
	char *head = NULL;
	size_t length;
	FILE *stream = open_memstream(&head, &length);

	if (!stream)
		return NULL;
	fprintf(stream, "\n \"version\": \"" PACKAGE_VERSION
		"\",\n \"since\": %lld,\n \"time\": %lld,\n \"mode\": ",
		(long long)since, (long long)time(NULL));
	put_string(stream, mode_name);
	fputs(",\n \"fabric\": ", stream);
	put_string(stream, fabric_path);
	fputc(',', stream);
	if (fclose(stream)) {
		free(head);
		return NULL;
	}
	return head;
}

/* A file that cannot be written is told of once, not each minute. */
static void write_file(const struct counters *now)
{
	static int last_reason;
	char *head, *path;
	int reason = 0;

	pthread_mutex_lock(&lock);
	path = file_path ? strdup(file_path) : NULL;
	head = path ? make_head() : NULL;
	pthread_mutex_unlock(&lock);
	if (path && head && counters_write(now, head, path))
		reason = errno;
	if (reason && reason != last_reason)
		error("leafspine: %s: cannot be written: %s", path,
		      slurm_strerror(reason));
	last_reason = reason;
	free(head);
	free(path);
}

static void tell(struct counters *before)
{
	struct counters now = counters_read();
	char line[LINE_ROOM];

	counters_line(before, &now, line, sizeof(line));
	if (line[0])
		info("leafspine: %s", line);
	write_file(&now);
	*before = now;
}

/* True when it is time to end. */
static bool wait_a_minute(void)
{
	struct timespec until;
	bool end;
	int status = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PERIOD_SECONDS;
	pthread_mutex_lock(&lock);
	while (!ending && !status)
		status = pthread_cond_timedwait(&wake, &lock, &until);
	end = ending;
	pthread_mutex_unlock(&lock);
	return end;
}

static void *run(void *unused)
{
	struct counters before = counters_read();
	bool end;

	(void)unused;
	do {
		end = wait_a_minute();
		tell(&before);
	} while (!end);
	return NULL;
}

void status_start(void)
{
	sigset_t all, old;

	if (started)
		return;
	if (!since)
		since = time(NULL);
	/* Signals are for slurmctld's own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ending = false;
	started = !pthread_create(&thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!started)
		error("leafspine: no thread for the status file");
}

/* False without memory. */
static bool replace(char **text, const char *by)
{
	free(*text);
	*text = by ? strdup(by) : NULL;
	return *text || !by;
}

bool status_set(const char *path, const char *mode, const char *fabric)
{
	bool set;

	pthread_mutex_lock(&lock);
	set = replace(&file_path, path) & replace(&mode_name, mode) &
	      replace(&fabric_path, fabric);
	pthread_mutex_unlock(&lock);
	return set;
}

/* The thread writes a last time, then it is gone. */
static void end_thread(void)
{
	if (!started)
		return;
	pthread_mutex_lock(&lock);
	ending = true;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	started = false;
}

void status_flush(void)
{
	if (!started)
		return;
	end_thread();
	status_start();
}

void status_stop(void)
{
	end_thread();
	(void)status_set(NULL, NULL, NULL);
}
