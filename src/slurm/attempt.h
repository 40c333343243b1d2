/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attempt: one call of the stock select_p_job_test on fewer nodes, after which
 * all that it touched is as before unless it succeeded (rule 12).
 */
#ifndef LEAFSPINE_ATTEMPT_H
#define LEAFSPINE_ATTEMPT_H

#include "adapter.h"

/* The stock answer on what CALL offers, as if we were not there. */
int attempt_stock(const struct adapter_call *call);

/* How an attempt asks. */
enum attempt_kind {
	ATTEMPT_NOW,		/* start now, preempt nobody */
	ATTEMPT_PREEMPTING,	/* start now, the candidates may have to go */
	ATTEMPT_ANY_TIME	/* just as CALL asks, on fewer nodes */
};

/* Not asked: no memory. No Slurm error. */
#define ATTEMPT_NO_MEMORY (-2)

/*
 * Asks on the nodes of CALL that are in SUBSET as well. On SLURM_SUCCESS
 * call->bitmap holds the answer; else CALL and its job are as before.
 */
int attempt_on(const struct adapter_call *call, const bitstr_t *subset,
	       enum attempt_kind kind);

/* What an answer leaves in a job, to try another and come back. */
struct attempt_saved;
/* NULL without memory. */
struct attempt_saved *attempt_save(const struct adapter_call *call);
void attempt_restore(const struct adapter_call *call,
		     const struct attempt_saved *saved);
void attempt_saved_free(struct attempt_saved *saved);

#endif
