/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placed: where a job that Slurm has placed lies in the fabric, and what it
 * puts there. The numbers come from what the job really got, not from what was
 * asked for: Slurm decides between 8+4 and 6+6 GPUs (rule 17).
 */
#ifndef LEAFSPINE_PLACED_H
#define LEAFSPINE_PLACED_H

#include "cost.h"

#include "compat.h"

struct placed {
	uint32_t count;
	uint32_t *nodes;	/* owned; in the order of Slurm's ranks */
	uint32_t *gpus;		/* owned; of each node */
	uint64_t gpu_count;
	struct job_profile profile;
};

enum placed_status {
	PLACED_OK,
	PLACED_ELSEWHERE,	/* some node is not in the fabric, or in two */
	PLACED_MISFIT,		/* the hint does not fit */
	PLACED_NO_MEMORY
};

/*
 * Looks JOB up, which has its resources. *ERROR is set on PLACED_MISFIT. On
 * PLACED_OK and PLACED_MISFIT *RET must be given back by placed_done.
 */
enum placed_status placed_of_job(const job_record_t *job,
				 const struct parallelism *hint,
				 struct placed *ret,
				 struct parallelism_error *error);
void placed_done(struct placed *placed);

/* Scores it against the other jobs' load. 0, or -1 without memory. */
int placed_score(const struct placed *placed, struct cost_score *ret);

/* The names of its nodes by rank, for free(); NULL without memory. */
char *placed_names(const struct placed *placed);

/* GPUs of the job on its K-th node, which has this node table index. */
uint32_t placed_gpus_on(const job_record_t *job, uint32_t k, uint32_t index);
/* All its GPUs, also on nodes that the fabric does not know. */
uint64_t placed_gpus(const job_record_t *job);

#endif
