/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary: what a fabric is, in numbers.
 */
#ifndef LEAFSPINE_SUMMARY_H
#define LEAFSPINE_SUMMARY_H

#include "core/fabric.h"

struct summary_tier {
	uint32_t switches;
	uint32_t with_uplinks;
	double up_gbps;			/* of all its switches */
	/* Over the switches with uplinks. */
	double least_oversubscribed;
	double most_oversubscribed;
};

struct summary {
	struct summary_tier tiers[FABRIC_TIERS];
	uint32_t gpu_nodes;
	uint32_t cpu_nodes;
	uint64_t gpus;
	uint32_t fabrics;		/* not connected; those without nodes
					   do not count */
	uint32_t rails;			/* 0: not a rail-optimised fabric */
	/* NVLink domains of more than one node. */
	uint32_t domains;
	uint32_t smallest_domain;	/* nodes; 0 without such domains */
	uint32_t largest_domain;
};

/* 0, or -1 without memory. */
int summary_init(struct summary *summary, const struct fabric *fabric);

#endif
