/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placement_order: the best order of ranks on nodes that are chosen already,
 * each with the GPUs that it gives.
 */
#ifndef LEAFSPINE_PLACEMENT_ORDER_H
#define LEAFSPINE_PLACEMENT_ORDER_H

#include "placement.h"

struct placement_order_request {
	const struct state *state;	/* in which the job takes nothing */
	const struct job_profile *profile;
	const uint32_t *nodes;	/* each once, in the order that stands now */
	const uint32_t *gpus;	/* by place in NODES; in all profile->gpus */
	uint32_t count;
	bool keep_first;	/* block 0 stays on nodes[0] */
};

/*
 * Puts NODES, each with its GPUS, into the order of least cost; ties as for
 * placement_choose. Never worse than the order that stands. The best there is
 * for up to 7 nodes, and for 8 under up to 4 leaves, where their GPUs have at
 * most PLACEMENT_ORDER_SIZES orders (one or two sizes always do). Else a few
 * orders of the sizes are tried; the work is bounded. What is free of the nodes
 * does not matter.
 *
 * PLACEMENT_OK; _BAD where the numbers do not add up, a node is given twice or
 * two of them lie in fabrics that are not connected; or _NO_MEMORY. *RET is set
 * by OK alone.
 */
enum placement_status placement_order(
	const struct placement_order_request *request, struct placement *ret);

enum { PLACEMENT_ORDER_NODES = 8, PLACEMENT_ORDER_SIZES = 128 };

#endif
