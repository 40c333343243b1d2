/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * random_fabric: small random fabrics, states, hints and placements.
 *
 * All come from one seed, so that a failing case can be replayed:
 * LEAFSPINE_SEED names it, LEAFSPINE_CASES says how many follow.
 *
 * A fabric is drawn as a plan, whose nodes and switches are mere numbers, and
 * then built under some labelling: which name each bears, and in which order
 * they are declared. Two labellings of one plan are one graph.
 */
#ifndef LEAFSPINE_TEST_RANDOM_FABRIC_H
#define LEAFSPINE_TEST_RANDOM_FABRIC_H

#include "state.h"

struct random_source {
	uint64_t state;
};

void random_seed(struct random_source *source, uint64_t seed);
/* Evenly 0 .. BELOW-1. */
uint32_t random_below(struct random_source *source, uint32_t below);
bool random_chance(struct random_source *source, uint32_t percent);
void random_shuffle(struct random_source *source, uint32_t *items,
		    uint32_t count);

/* LEAFSPINE_SEED, else FALLBACK; LEAFSPINE_CASES, else FALLBACK. */
uint64_t random_first_seed(uint64_t fallback);
uint32_t random_cases(uint32_t fallback);

enum {
	PLAN_NODES_MAX = 64,
	PLAN_SWITCHES_MAX = 80,
	PLAN_CABLES_MAX = 320,
	PLAN_UPLINKS_MAX = 256
};

struct plan_node {
	uint32_t gpus, nics, nic_gbps;
	uint32_t domain;	/* 0: alone */
	uint32_t part;		/* of the unconnected parts, which one */
	uint32_t used;		/* GPUs taken, for the state */
};

struct plan_switch {
	enum fabric_tier tier;
	uint32_t health, up, down;	/* percent of built: left, loaded */
};

struct plan_cable {
	uint32_t leaf, node;
	int rail;
};

struct plan_uplink {
	uint32_t from, to, gbps, count;
};

struct plan {
	struct plan_node nodes[PLAN_NODES_MAX];
	struct plan_switch switches[PLAN_SWITCHES_MAX];
	struct plan_cable cables[PLAN_CABLES_MAX];
	struct plan_uplink uplinks[PLAN_UPLINKS_MAX];
	uint32_t node_count, switch_count, cable_count, uplink_count;
	uint32_t parts;
};

void plan_random(struct random_source *source, struct plan *ret);

/*
 * NODES nodes of GPUS GPUs under each of LEAVES leaves, all under one Spine
 * that leaves UPLINK_PERCENT of the leaf's capacity.
 */
void plan_two_tier(struct plan *ret, uint32_t leaves, const uint32_t *nodes,
		   uint32_t gpus, uint32_t uplink_percent);

struct built {
	struct fabric *fabric;
	struct state *state;
	uint32_t node[PLAN_NODES_MAX];	/* plan's number -> fabric's index */
	uint32_t sw[PLAN_SWITCHES_MAX];
};

/* LABELS NULL: names and declarations in the order of the plan. */
void plan_build(const struct plan *plan, struct random_source *labels,
		struct built *ret);
void built_done(struct built *built);

#define RANDOM_HINT_MAX 512

/* Degrees as drawn, to check what the parser made of the text. */
struct random_hint {
	char text[RANDOM_HINT_MAX];
	uint32_t tp, cp, pp, dp, ep, etp, gpus;
};

/* A hint of at most MOST GPUs; its two grids may disagree on the stages. */
void random_hint(struct random_source *source, uint32_t most,
		 struct random_hint *ret);
/* Likewise, of just GPUS GPUs. */
void random_hint_for(struct random_source *source, uint32_t gpus,
		     struct random_hint *ret);

/* Blocks of a placement, nodes by the plan's numbers. */
struct random_blocks {
	uint32_t count;
	uint32_t nodes[PLAN_NODES_MAX];
	uint32_t gpus[PLAN_NODES_MAX];
	uint32_t first_gpu[PLAN_NODES_MAX];
};

/* GPUs that are free in PART of the plan. */
uint32_t plan_free_gpus(const struct plan *plan, uint32_t part);

/* Puts GPUS ranks on random nodes of PART, in random order and blocks. */
bool random_blocks(struct random_source *source, const struct plan *plan,
		   uint32_t part, uint32_t gpus, struct random_blocks *ret);

#endif
