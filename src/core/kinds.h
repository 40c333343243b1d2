/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kinds: nodes that no flow can tell apart.
 *
 * Two nodes are of one kind when they are cabled alike, rail by rail, and
 * stand in one NVLink domain or each in one of its own. Levels and prices
 * depend on kinds alone, so that work is done once a kind, not once a node.
 */
#ifndef LEAFSPINE_KINDS_H
#define LEAFSPINE_KINDS_H

#include "fabric.h"

struct kinds {
	uint32_t count;
	uint32_t *of_node;	/* owned, by node */
	uint32_t *node_of;	/* owned, by kind: one node of it */
};

/* 0, or -1 without memory. */
int kinds_init(struct kinds *kinds, const struct fabric *fabric);
void kinds_done(struct kinds *kinds);

/* The level of a flow between two different nodes of these kinds. */
int kinds_level(const struct kinds *kinds, const struct fabric *fabric,
		uint32_t a, uint32_t b);

/* The leaf that a flow to a GPU on NIC index RAIL uses at a node of KIND. */
uint32_t kinds_leaf(const struct kinds *kinds, const struct fabric *fabric,
		    uint32_t kind, uint32_t rail);

#endif
