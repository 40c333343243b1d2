/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steer: the decision about one call of select_p_job_test, and what is told of
 * a job that begins.
 */
#ifndef LEAFSPINE_STEER_H
#define LEAFSPINE_STEER_H

#include "adapter.h"

/* world_refresh(), and what the status file is to say of it. */
void steer_refresh(void);

/* Slurm's answer to CALL, on the nodes that the engine chose where it can. */
int steer_job_test(const struct adapter_call *call);

/* JOB has its resources and is about to run: counts it, reports it. */
void steer_job_begin(job_record_t *job);

#endif
