/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fabric_tree: a fabric as the tree that Slurm's topology plugins can hold.
 *
 * Leaves that have a node in common (rails) become one, Spines above one leaf
 * become one, and so does all core of fabrics that are connected. Each is
 * called by the switch that is declared first.
 */
#ifndef LEAFSPINE_FABRIC_TREE_H
#define LEAFSPINE_FABRIC_TREE_H

#include "fabric.h"

/* Switch indices; owned. */
struct fabric_tree {
	uint32_t *leaf_of;	/* by leafset */
	uint32_t *pod_of;	/* by leafset; FABRIC_NONE: no Spine above */
};

/* 0, or -1 without memory. */
int fabric_tree_init(struct fabric_tree *tree, const struct fabric *fabric);
void fabric_tree_done(struct fabric_tree *tree);

#endif
