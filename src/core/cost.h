/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost: what a placement puts on the fabric (formats.md sections 3, 5 and 6).
 *
 * A bundle is all links of one switch to its parents together. Its price in a
 * direction is max(1, capacity down / capacity up) * built / left. A flow that
 * crosses the Spine pays the dearer of its source leaf's bundle upwards and its
 * destination leaf's bundle downwards; one that crosses the core pays on top
 * the dearer of the two sides' Spine-to-core bundles, where the Spines above a
 * leaf are taken as one bundle. A side without Spine (a leaf cabled straight to
 * the core) has core price 1, so that on an idle 1:1 fabric the cost is
 * spine_bytes + core_bytes whatever its shape.
 */
#ifndef LEAFSPINE_COST_H
#define LEAFSPINE_COST_H

#include "fabric.h"
#include "state.h"
#include "traffic.h"

/* Prices by switch index; only leaves' entries are meaningful. */
struct cost_prices {
	double *up;		/* leaf bundle, towards the Spine */
	double *down;
	double *core_up;	/* the Spine-to-core bundles above this leaf */
	double *core_down;
	bool rails_alike;	/* in each leafset all leaves have one price */
};

/* 0, or -1 without memory. */
int cost_prices_init(struct cost_prices *prices, const struct state *state);
void cost_prices_done(struct cost_prices *prices);

/* Cost of one byte between two leaves at a level; 0 below level 2. */
double cost_pair_price(const struct cost_prices *prices, uint32_t from_leaf,
		       uint32_t to_leaf, int level);

/* Bytes per step. */
struct cost_bytes {
	double spine;		/* levels 2 and 3, each flow once */
	double core;		/* level 3 */
	double leaf;		/* level 1 */
	double local;		/* level 0 between different GPUs */
};

#define COST_LINK_NAME_MAX 288

struct cost_score {
	double cost;
	struct cost_bytes total;
	struct cost_bytes by_dimension[DIMENSIONS];
	uint32_t leaves;	/* connected classes under "share a leaf" */
	/* The busiest bundle between switches; link "" when nothing crosses. */
	char bottleneck_link[COST_LINK_NAME_MAX];
	double bottleneck_seconds;
	double bottleneck_utilisation;	/* seconds / step */
	double comm_seconds;		/* an estimate */
};

/*
 * Scores a placement: block k of TRAFFIC on NODES[k], all in one component,
 * each node once. TRAFFIC must be by_slot where the fabric has rails. 0, or -1
 * without memory.
 */
int cost_score(const struct state *state, const struct cost_prices *prices,
	       const struct job_profile *profile,
	       const struct traffic *traffic, const uint32_t *nodes,
	       struct cost_score *ret);

#endif
