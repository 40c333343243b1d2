/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters: what became of the questions that slurmctld asked. Knows nothing
 * of Slurm. Counting and reading may happen in different threads.
 */
#ifndef LEAFSPINE_COUNTERS_H
#define LEAFSPINE_COUNTERS_H

#include <stdint.h>
#include <stdio.h>

/* Why a job was none of ours. */
enum counters_skip {
	SKIP_MODE_OFF,
	SKIP_NO_FABRIC,		/* none that could be read */
	SKIP_TEST_ONLY,		/* can it ever run: never narrowed */
	SKIP_PARTITION,
	SKIP_NO_GPUS,
	SKIP_NO_HINT,
	SKIP_HINT_OFF,
	SKIP_BAD_HINT,
	SKIP_SPECIAL,		/* --contiguous and others that Slurm places */
	SKIPS
};

/* Why a job of ours was left to stock Slurm. */
enum counters_fallback {
	FALLBACK_INFEASIBLE,	/* too few free GPUs, cores or memory */
	FALLBACK_MISFIT,	/* the hint does not fit the job's GPUs */
	FALLBACK_IMPOSSIBLE,	/* the engine found no placement */
	FALLBACK_SWITCHES,	/* --switches wants fewer leaves */
	FALLBACK_REFUSED,	/* Slurm could not use the nodes chosen */
	FALLBACK_LEFT_ALONE,	/* tried before in the same state */
	FALLBACK_OBSERVED,	/* mode observe */
	FALLBACK_FAILED,	/* no memory, or a fault of ours */
	FALLBACKS
};

/* How a job with GPUs came to start. */
enum counters_start {
	START_FREE,		/* on the nodes that the engine chose */
	START_FORCED,		/* ours, but on the nodes of Slurm's choice */
	START_PREEMPTED,	/* ours, after jobs were preempted for it */
	START_UNSTEERED,	/* none of ours, by a counters_skip */
	STARTS
};

struct counters {
	uint64_t offered;
	uint64_t narrowed;
	uint64_t fell_back[FALLBACKS];
	uint64_t skipped[SKIPS];
	uint64_t microseconds;		/* spent in the engine and around it */
	uint64_t starts[STARTS];
	double gpu_hours[STARTS];	/* the GPUs got, by the time limits */
	uint64_t unlimited[STARTS];	/* starts with no limit, of no hours */
};

void counters_skip(enum counters_skip cause);
void counters_offered(void);
void counters_narrowed(void);
void counters_fell_back(enum counters_fallback cause);
void counters_spent(uint64_t microseconds);
/* A start on GPUS for at most MINUTES; COUNTERS_UNLIMITED: for any time. */
#define COUNTERS_UNLIMITED UINT32_MAX
void counters_started(enum counters_start how, uint64_t gpus,
		      uint32_t minutes);
void counters_reset(void);

struct counters counters_read(void);

/*
 * One line of what happened since BEFORE, or "" where nothing did. Returns
 * BUFFER, cut to ROOM.
 */
char *counters_line(const struct counters *before, const struct counters *now,
		    char *buffer, size_t room);

/* As one object of JSON; HEAD is put in front of its keys ("" or "k":1,). */
int counters_print(const struct counters *counters, const char *head,
		   FILE *stream);

/* Replaces the file at PATH in one step. 0, or -1 with errno. */
int counters_write(const struct counters *counters, const char *head,
		   const char *path);

const char *counters_skip_name(enum counters_skip cause);
const char *counters_fallback_name(enum counters_fallback cause);

#endif
