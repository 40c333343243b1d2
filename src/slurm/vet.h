/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vet: whether a job may be submitted with the hint that it has. Knows nothing
 * of Slurm, allocates nothing.
 */
#ifndef LEAFSPINE_VET_H
#define LEAFSPINE_VET_H

#include "gpus.h"

/* A variable of the submitted environment, where there is no option. */
#define VET_VARIABLE "LEAFSPINE_PARALLELISM"

/* What is known of a job at its submission; the texts are somebody else's. */
struct vet_job {
	char *const *variables;		/* SPANK's; NULL: none */
	uint32_t variable_count;
	const char *environment;	/* the value of VET_VARIABLE, or NULL */
	const char *comment;		/* or NULL */
	struct gpus_request gpus;
};

enum vet {
	VET_GOOD,	/* or no hint, or nothing that could be said */
	VET_UNREADABLE,
	VET_MISFIT	/* readable, but not for this number of GPUs */
};

struct vet_reason {
	char text[320];	/* one printable line: where, which key, expected */
};

/* *REASON is set unless VET_GOOD. */
enum vet vet_job(const struct vet_job *job, struct vet_reason *reason);

/* Whether the hint of JOB is that of its environment. */
bool vet_by_environment(const struct vet_job *job);

#endif
