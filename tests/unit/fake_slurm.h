/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_slurm: as much of slurmctld as the select plugin sees: a node table, one
 * job, and a stock select_p_job_test that does what a case wants. Bitmaps,
 * lists and the like are those of Slurm's own library.
 */
#ifndef LEAFSPINE_TESTS_FAKE_SLURM_H
#define LEAFSPINE_TESTS_FAKE_SLURM_H

#include "engine.h"

#include "slurm/adapter.h"
#include "slurm/stock.h"
#include "slurm/world.h"

#include "slurm/compat.h"

#define FAKE_CALLS_MAX 16

/* One call of the stock select_p_job_test. */
struct fake_call {
	uint64_t nodes;		/* that were offered: bit i is node i */
	uint16_t mode;
	bool candidates;
	bool now_only;
};

extern struct fake_call fake_calls[FAKE_CALLS_MAX];
extern int fake_call_count;

/*
 * What the stock plugin does to JOB and BITMAP, and its answer; NUMBER counts
 * calls from 1. fake_take: the first nodes, as many as wanted. fake_refuse:
 * spoils all that a failed call may spoil.
 */
typedef int fake_answer_f(job_record_t *job, bitstr_t *bitmap, uint32_t wanted,
			  int number);
extern fake_answer_f *fake_answer;
fake_answer_f fake_take, fake_refuse;

extern job_record_t fake_job;
extern struct job_details fake_details;
extern part_record_t fake_partition;
extern gres_job_state_t fake_gpus;	/* what the job asks for */
/* Of each node. */
extern node_record_t fake_nodes[64];
extern gres_node_state_t fake_node_gpus[64];

/*
 * FABRIC is JSON or a synthetic form, of at most 64 nodes of 8 GPUs, which are
 * all in Slurm, in the same order, each with 64 cores. The job wants two whole
 * nodes and has the hint tp=8.
 */
void fake_start(const char *fabric);
void fake_stop(void);

/* The map of all nodes, or of those in BITS, for FREE_NULL_BITMAP. */
bitstr_t *fake_map(uint64_t bits);
uint64_t fake_bits(const bitstr_t *map);

/* A question for COUNT nodes among BITS, for fake_ask_done. */
struct adapter_call fake_ask(uint32_t count, uint16_t mode, uint64_t bits);
void fake_ask_done(struct adapter_call *call);

/* Resources for JOB as if it ran on BITS with CORES cores of each. */
void fake_run(job_record_t *job, uint64_t bits, uint16_t cores,
	      uint64_t memory_mb);

#endif
