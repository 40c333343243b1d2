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

/* How a job that begins now got its nodes: the last answer. */
void tried_answer(uint32_t job_id, enum counters_start how);
enum counters_start tried_last_answer(uint32_t job_id);

/*
 * Notes the nodes that would have been chosen, a hostlist for free(), or takes
 * the note back; NULL where there is none.
 */
void tried_would_choose(uint32_t job_id, char *names);
char *tried_take_choice(uint32_t job_id);

void tried_done(void);

#endif
