/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order: in which order a job's nodes take its ranks, and how that reaches the
 * job: through its environment, which the SPANK plugin reads inside srun (see
 * step_order.h). The environment is part of the job's record, so slurmctld
 * keeps it over a restart, and nothing is kept here.
 */
#ifndef LEAFSPINE_ORDER_H
#define LEAFSPINE_ORDER_H

#include "placed.h"

/*
 * Whether srun will start this job's tasks in our order on COUNT nodes, as far
 * as slurmctld can know: it was submitted by an sbatch or salloc with the SPANK
 * plugin, has no distribution of its own, and the site has not said otherwise.
 */
bool order_is_delivered(const job_record_t *job, uint32_t count);

/*
 * Puts the nodes of PLACED into the order that carries least, the first node
 * staying first, and returns true; or leaves Slurm's order and returns false.
 */
bool order_choose(const job_record_t *job, struct placed *placed);

/*
 * The same for Slurm's own layout of tasks: replaces *RANKS, of Slurm's
 * allocator, by the place in PLACED of each node of the job's map. RANKS is
 * NULL where Slurm has no such thing. All nodes must be in PLACED, else *RANKS
 * stays.
 */
void order_set_ranks(const job_record_t *job, const struct placed *placed,
		     uint32_t **ranks);

/* The order that was put into the job's environment, where there is one. */
void order_recall(const job_record_t *job, struct placed *placed);

/*
 * NAMES: hostlist of PLACED's nodes. Replaces what was put there before. False
 * where it could not be put there: then nothing of it is.
 */
bool order_put(job_record_t *job, const struct placed *placed,
	       const char *names, double spine_bytes);
void order_drop(job_record_t *job);

#endif
