/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flows: the traffic of a job on the nodes it got, flow by flow.
 *
 * Flows that no price or link can tell apart come as one: an all-to-all over a
 * thousand GPUs is a handful of flows between kinds of nodes.
 */
#ifndef LEAFSPINE_FLOWS_H
#define LEAFSPINE_FLOWS_H

#include "kinds.h"
#include "traffic.h"

struct flow {
	uint32_t from;		/* kinds */
	uint32_t to;
	uint32_t rail;		/* NIC index of the receiving GPU */
	int level;		/* 0 to 3, formats.md section 3 */
	enum dimension dimension;
	double bytes;
	double hot_bytes;	/* on top, to the rank of the hottest expert */
};

struct flow_sink {
	void *context;
	void (*flow)(void *context, const struct flow *flow);
	/* What the NICs of BLOCK carry (levels 1 to 3). May be NULL. */
	void (*ends)(void *context, uint32_t block, enum dimension dimension,
		     double sent, double received);
};

/* A job on the fabric. */
struct flow_source {
	const struct fabric *fabric;
	const struct kinds *kinds;
	const struct traffic *traffic;
	const uint32_t *nodes;		/* by block */
	const uint32_t *first_gpu;	/* by block: its lowest GPU index */
	double skew;			/* hottest expert over the mean */
};

/* 0, or -1 without memory: then some flows were not handed over. */
int flows_walk(const struct flow_source *source, const struct flow_sink *sink);

#endif
