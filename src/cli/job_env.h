/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_env: the nodes of the job that the program runs in, in rank order, from
 * the environment that Slurm and leafspine give a job.
 */
#ifndef LEAFSPINE_JOB_ENV_H
#define LEAFSPINE_JOB_ENV_H

#include <stdint.h>

#include "core/noderange.h"

struct job_env {
	struct noderange_list nodes;	/* as ranks go */
	uint32_t *slots;		/* owned, by node; NULL: not read */
};

/*
 * Reads it. The order is that of LEAFSPINE_NODES_BY_RANK where it is this
 * job's; else it is Slurm's, and why is said on standard error. 0, or -1 after
 * a message on standard error: no job, or an environment that cannot be read.
 */
int job_env_read(struct job_env *ret);

/*
 * Fills in the slots: GIVEN of each node, or where that is 0 the tasks that the
 * job asked for, else its GPUs, else the tasks that Slurm makes of it. 0, or -1
 * after a message.
 */
int job_env_read_slots(struct job_env *job, uint32_t given);

void job_env_done(struct job_env *job);

#endif
