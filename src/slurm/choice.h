/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choice: asks the engine for nodes. Knows nothing of Slurm.
 */
#ifndef LEAFSPINE_CHOICE_H
#define LEAFSPINE_CHOICE_H

#include "counters.h"
#include "hint.h"
#include "placement.h"

/*
 * One question. STATE holds free GPUs as this job may count them. Sets and
 * arrays are by node of the fabric.
 */
struct choice_question {
	const struct state *state;
	uint64_t generation;	/* of all in STATE that is not hashed here */
	const struct parallelism *hint;
	struct hint_text text;	/* what it was read from */
	const struct parallelism *site;
	struct nodeset usable;	/* owned */
	struct nodeset required; /* owned */
	uint32_t *types;	/* owned: kind of GPU; a job gets only one */
	uint32_t gpus;		/* of the job; 0: by nodes */
	uint32_t gpus_per_node;
	uint32_t min_nodes;
	uint32_t req_nodes;	/* what Slurm would like, >= min_nodes */
	uint32_t max_nodes;	/* 0: no bound */
	uint32_t max_leaves;	/* 0: no bound */
	/*
	 * The job will get our order, but for its first node. Else the nodes
	 * are chosen for the order in which Slurm gives ranks.
	 */
	bool any_order;
};

/* 0, or -1 without memory; then nothing is to be given back. */
int choice_question_init(struct choice_question *question,
			 const struct state *state);
void choice_question_done(struct choice_question *question);

struct choice {
	uint32_t count;
	uint32_t *nodes;	/* owned, in rank order */
	struct cost_score score;
	char why[400];		/* printable, where there is no answer */
};

/*
 * FALLBACKS with the answer in *RET, for choice_done; else why there is none.
 * The last answers are remembered, so that asking again is nearly free.
 */
enum counters_fallback choice_make(const struct choice_question *question,
				   struct choice *ret);
void choice_done(struct choice *choice);

/* Gives back what is remembered. */
void choice_forget(void);

#endif
