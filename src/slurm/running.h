/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * running: cores and memory that running jobs use of each node, and the load
 * that those with a hint put on the links. Kept up to date job by job (rule
 * 8): what a job added is remembered and taken away again as it was, so sums
 * do not drift. GPUs are not counted here: Slurm's own count stands ready in
 * each node's record.
 */
#ifndef LEAFSPINE_RUNNING_H
#define LEAFSPINE_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compat.h"

/* Of the node with this table index. */
uint32_t running_cores(uint32_t index);
uint64_t running_memory_mb(uint32_t index);

/* A job has begun, or has another size now. */
void running_put(const job_record_t *job);
/* A job has ended. */
void running_drop(const job_record_t *job);
/* A suspended job keeps memory and GPUs, not its cores. */
void running_suspend(const job_record_t *job, bool suspended);

/* Forgets all, then walks through all jobs of slurmctld. */
void running_rebuild(void);

/*
 * Makes good what a lack of memory has left out. False where memory is lacking
 * still: then nothing of the above can be relied on. Called with the job lock.
 */
bool running_mend(void);
void running_done(void);

#endif
