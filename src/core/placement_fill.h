/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placement_fill: packs blocks leaf by leaf, the constructive part of every
 * strategy. At each of three levels, pod (Spines in common), leaf and class,
 * the tightest that holds what remains is taken, else the roomiest.
 */
#ifndef LEAFSPINE_PLACEMENT_FILL_H
#define LEAFSPINE_PLACEMENT_FILL_H

#include "placement_problem.h"

struct placement_fill {
	uint32_t only_leafset;	/* FABRIC_NONE: all */
	uint32_t only_kind;	/* FABRIC_NONE: all */
	uint32_t unit;		/* a leaf takes a multiple, while that goes */
	uint32_t most_per_leaf;	/* 0: no bound */
	bool by_pod;		/* stay in one pod while it has room */
	const uint32_t *order;	/* of the blocks; NULL: of ranks */
};

/*
 * Fills PLAN. 1 when all blocks found a place, 0 when not, -1 without memory.
 */
int placement_fill(const struct placement_problem *problem,
		   const struct placement_fill *fill, uint32_t *plan);

/*
 * The nodes of a plan. In kept order the plan says only how many nodes of each
 * class: they are taken and sorted by position, and PLAN is rewritten to match.
 * 1, 0 when the blocks do not fit so, -1 without memory.
 */
int placement_settle(const struct placement_problem *problem, uint32_t *plan,
		     uint32_t *nodes);

#endif
