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
	enum counters_start answer;
	char *would_choose;	/* owned */
};

static struct slot slots[SLOTS];

static struct slot *slot_of(uint32_t job_id)
{
	struct slot *slot = &slots[job_id & (SLOTS - 1)];

	if (slot->job_id == job_id)
		return slot;
	free(slot->would_choose);
	*slot = (struct slot){ .job_id = job_id, .answer = START_FORCED };
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

void tried_answer(uint32_t job_id, enum counters_start how)
{
	slot_of(job_id)->answer = how;
}

enum counters_start tried_last_answer(uint32_t job_id)
{
	return slot_of(job_id)->answer;
}

void tried_would_choose(uint32_t job_id, char *names)
{
	struct slot *slot = slot_of(job_id);

	free(slot->would_choose);
	slot->would_choose = names;
}

char *tried_take_choice(uint32_t job_id)
{
	struct slot *slot = slot_of(job_id);
	char *names = slot->would_choose;

	slot->would_choose = NULL;
	return names;
}

void tried_done(void)
{
	for (int i = 0; i < SLOTS; i++) {
		free(slots[i].would_choose);
		slots[i] = (struct slot){ 0 };
	}
}
