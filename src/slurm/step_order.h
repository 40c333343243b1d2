/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * step_order: whether the order that was decided for a job is to be used by
 * one srun inside it, and how. Knows nothing of Slurm.
 *
 * It is, for a step over the whole allocation with the same number of tasks on
 * each node; whoever asks for something else, or says LEAFSPINE_ORDER=off, gets
 * what srun does by itself.
 */
#ifndef LEAFSPINE_STEP_ORDER_H
#define LEAFSPINE_STEP_ORDER_H

#include "srun_args.h"

#include <stddef.h>

/* What slurmctld puts into the environment of a job that has a hint. */
#define ORDER_NODES "LEAFSPINE_NODES_BY_RANK"	/* hostlist, in rank order */
#define ORDER_BYTES "LEAFSPINE_SPINE_BYTES"	/* over the Spine, each step */
#define ORDER_JOB "LEAFSPINE_JOB_ID"		/* whose order it is */
/* Only where the nodes give different numbers of GPUs: "8,8,4". */
#define ORDER_GPUS "LEAFSPINE_GPUS_BY_RANK"
/* The user's word: "off". */
#define ORDER_SWITCH "LEAFSPINE_ORDER"
/* What each task finds: the place of its node in the order, from 0. */
#define ORDER_NODE_RANK "LEAFSPINE_NODE_RANK"
/*
 * In a job's SPANK variables: submitted by a program that announces that the
 * order will be delivered, by the value ORDER_ANNOUNCED.
 */
#define ORDER_MARK "LEAFSPINE_RANKS"
#define ORDER_ANNOUNCED "ordered"

struct step_order {
	char *host_file;	/* owned: a line a task; NULL: leave it alone */
	size_t length;
	uint32_t nodes;
	uint32_t tasks;
};

/* Never fails: without memory the step is left alone. */
struct step_order step_order_make(const struct srun_args *args,
				  srun_variable variable);
void step_order_done(struct step_order *order);

/*
 * The place of NODE in the order of the job that VARIABLE tells of, or -1 where
 * there is none.
 */
long step_order_node_rank(const char *node, srun_variable variable);

/* Whether the user wants no order, by VARIABLE. */
bool step_order_is_off(srun_variable variable);

#endif
