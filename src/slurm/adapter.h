/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * adapter: what slurmctld asks of select_p_job_test, in the engine's terms.
 */
#ifndef LEAFSPINE_ADAPTER_H
#define LEAFSPINE_ADAPTER_H

#include "choice.h"
#include "counters.h"
#include "hint.h"

#include "compat.h"

/* The arguments of one call of select_p_job_test. */
struct adapter_call {
	job_record_t *job;
	bitstr_t *bitmap;
	uint32_t min_nodes;
	uint32_t max_nodes;
	uint32_t req_nodes;
	uint16_t mode;
	List candidates;	/* jobs that may be preempted; NULL: none */
	List *preempted;
	bitstr_t *excluded_cores;
};

/* The job's own wishes, apart from nodes. */
struct adapter_request {
	struct parallelism hint;
	struct hint_text text;
	bool from_site;		/* DefaultHint, the job says nothing */
	bool typed;
	uint32_t gpu_type;	/* Slurm's id of it, where typed */
	uint32_t gpus;		/* of the job; 0: by nodes */
	uint32_t gpus_per_node;	/* 0: as it comes */
	uint32_t gpus_per_task;	/* 0 or 1: no matter */
	bool whole_nodes;	/* --exclusive */
	bool by_job;		/* --gpus=N: Slurm is free in the node count */
	uint32_t cpus_on_node;	/* at least so many */
	uint32_t cpus;		/* of the job */
	uint64_t memory_mb;	/* of a node; 0 with all_memory: all of it */
	bool all_memory;
	uint32_t max_leaves;	/* 0: no matter */
};

/*
 * The hint of a job, its own or the site's for jobs without one. False where it
 * has none, or one that cannot be read (then *TEXT, unless NULL, is set).
 */
bool adapter_hint_of(const job_record_t *job, struct parallelism *ret,
		     struct hint_text *text);

/*
 * Reads the request of CALL. False with the cause where it is none of ours.
 */
bool adapter_request(const struct adapter_call *call,
		     struct adapter_request *ret, enum counters_skip *ret_skip);

/*
 * Whether a job that is left to Slurm must stay within one connected fabric:
 * it has a hint and asks in one piece.
 */
bool adapter_is_bound(const struct adapter_call *call,
		      const struct adapter_request *request);

/*
 * Which nodes REQUEST could use now, with their free GPUs in world.state, and
 * the counts of nodes. WITH_CANDIDATES: as if the jobs that may be preempted
 * were gone. FALLBACKS where the engine may be asked, else the cause. On
 * FALLBACKS *RET must be given back by choice_question_done.
 */
enum counters_fallback adapter_question(const struct adapter_call *call,
					const struct adapter_request *request,
					bool with_candidates,
					struct choice_question *ret);

#endif
