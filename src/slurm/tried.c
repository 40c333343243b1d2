/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tried: a table of fixed size by job id. A job whose place another has taken
 * is forgotten, which costs one more try, no more.
 */

#include "tried.h"

#include <stdlib.h>

#define SLOTS 16384	/* a power of two */

struct slot {
	uint32_t job_id;
	unsigned int in_vain;
	uint64_t generation;
	bool preempts;
};

static struct slot slots[SLOTS];

/* The last answer and the last choice, each of one record. */
static struct {
	const void *record;
	uint32_t job_id;
	struct tried_answer answer;
} last;
static struct {
	const void *record;
	char *names;		/* owned */
} choice;

static struct slot *slot_of(uint32_t job_id)
{
	struct slot *slot = &slots[job_id & (SLOTS - 1)];

	if (slot->job_id == job_id)
		return slot;
	*slot = (struct slot){ .job_id = job_id };
	return slot;
}

bool tried_enough(uint32_t job_id, uint64_t generation)
{
	const struct slot *slot = slot_of(job_id);

	return slot->generation == generation && slot->in_vain >= TRIED_MOST;
}

void tried_in_vain(uint32_t job_id, uint64_t generation)
{
	struct slot *slot = slot_of(job_id);

	if (slot->generation != generation)
		slot->in_vain = 0;
	slot->generation = generation;
	slot->in_vain++;
}

void tried_preempts(uint32_t job_id)
{
	slot_of(job_id)->preempts = true;
}

void tried_answer(const void *record, uint32_t job_id,
		  struct tried_answer answer)
{
	if (answer.how != START_UNSTEERED && slot_of(job_id)->preempts)
		answer.how = START_PREEMPTED;
	last.record = record;
	last.job_id = job_id;
	last.answer = answer;
}

struct tried_answer tried_take_answer(const void *record)
{
	if (last.record != record)
		return (struct tried_answer){ START_FORCED, false };
	last.record = NULL;
	/* It starts: if it is requeued, that is another story. */
	slot_of(last.job_id)->preempts = false;
	return last.answer;
}

void tried_would_choose(const void *record, char *names)
{
	free(choice.names);
	choice.record = record;
	choice.names = names;
}

char *tried_take_choice(const void *record)
{
	char *names = choice.record == record ? choice.names : NULL;

	if (names)
		choice.names = NULL;
	return names;
}

void tried_done(void)
{
	tried_would_choose(NULL, NULL);
	last.record = NULL;
	for (int i = 0; i < SLOTS; i++)
		slots[i] = (struct slot){ 0 };
}
