/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * traffic: who sends how much to whom in one step of a job, between node
 * blocks (formats.md section 3).
 *
 * Block k is the k-th run of consecutive ranks, those on one node. What is kept
 * does not depend on which node that is:
 *
 *  - edges: bytes from one block to another (rings, pipelines, trees);
 *  - groups: patterns that would be too many edges, or whose flows depend on
 *    the leaves: the all-to-all of an expert group, hierarchical and in-network
 *    (sharp) all-reduces. Groups over the same members are kept once with a
 *    multiplicity;
 *  - inner bytes: between different GPUs of one block.
 */
#ifndef LEAFSPINE_TRAFFIC_H
#define LEAFSPINE_TRAFFIC_H

#include "parallelism.h"

struct traffic_edge {
	uint32_t from;
	uint32_t to;
	uint16_t slot;		/* GPU of `to` in its block; 0 unless by_slot */
	uint8_t dimension;
	double bytes;
};

enum traffic_pattern {
	TRAFFIC_ALL_TO_ALL,	/* unit: bytes from one member to another */
	TRAFFIC_HIERARCHICAL,	/* unit: the buffer D */
	TRAFFIC_SHARP		/* unit: the buffer D */
};

struct traffic_member {
	uint32_t block;
	uint16_t slot;		/* 0 unless by_slot */
	uint16_t count;		/* ranks of the group here */
};

struct traffic_group {
	enum traffic_pattern pattern;
	uint8_t dimension;
	uint32_t multiplicity;	/* so many groups over the same members */
	uint32_t first_member;	/* members[first_member .. +member_count-1], */
	uint32_t member_count;	/* in rank order */
	uint32_t ranks;		/* the sum of the members' counts */
	double unit;
};

struct traffic {
	uint32_t block_count;
	uint32_t *block_gpus;		/* ranks of each block */
	bool by_slot;
	struct traffic_edge *edges;	/* by from, dimension, to, slot */
	uint32_t edge_count;
	struct traffic_group *groups;
	uint32_t group_count;
	struct traffic_member *members;
	uint32_t member_count;
	double inner[DIMENSIONS];	/* bytes inside blocks */
};

/*
 * The traffic of PROFILE over BLOCK_COUNT blocks of BLOCK_GPUS ranks (each at
 * least 1, the sum profile->gpus). BY_SLOT keeps receivers apart by their GPU,
 * as fabrics with rails need. NULL without memory, or when the sizes do not
 * add up.
 */
struct traffic *traffic_build(const struct job_profile *profile,
			      const uint32_t *block_gpus, uint32_t block_count,
			      bool by_slot);
void traffic_free(struct traffic *traffic);

/*
 * Parents in the two trees of a double binary tree over COUNT nodes, as NCCL
 * numbers them (research/traffic-model.md section 5). TREE is 0 or 1; the root
 * has parent UINT32_MAX.
 */
uint32_t traffic_tree_parent(uint32_t node, uint32_t count, int tree);

/* NULL, or a static text that names the first broken invariant. For tests. */
const char *traffic_check(const struct traffic *traffic);

#endif
