/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tried: what was found out about single jobs: how often a try was in vain in
 * one state of the cluster (rule 7), and how the last answer came about.
 */
#ifndef LEAFSPINE_TRIED_H
#define LEAFSPINE_TRIED_H

#include "counters.h"

#include <stdbool.h>

/* After so many tries in vain a job is left alone until something changes. */
#define TRIED_MOST 3

bool tried_enough(uint32_t job_id, uint64_t generation);
void tried_in_vain(uint32_t job_id, uint64_t generation);

/*
 * How the nodes were found on which a job may start. Slurm starts it at once
 * or not at all, with nothing in between; but by then its record may bear
 * another id, that of a task which was split off its array. So only the last
 * answer is kept, by its record.
 */
struct tried_answer {
	enum counters_start how;
	bool steered;		/* the engine chose them */
};
void tried_answer(const void *record, uint32_t job_id,
		  struct tried_answer answer);
/* Once for each start. A record without an answer: stock Slurm's choice. */
struct tried_answer tried_take_answer(const void *record);

/*
 * Jobs were preempted for this one: it starts in a later pass, when they are
 * gone, and counts as START_PREEMPTED then, unless it is none of ours.
 */
void tried_preempts(uint32_t job_id);

/*
 * Notes the nodes that would have been chosen, a hostlist for free(), or takes
 * the note back; NULL where there is none. Kept as the answer is.
 */
void tried_would_choose(const void *record, char *names);
char *tried_take_choice(const void *record);

void tried_done(void);

#endif
