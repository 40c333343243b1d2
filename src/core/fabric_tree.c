/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joins what a tree cannot tell apart. */
#define _GNU_SOURCE 1
#include "fabric_tree.h"

#include <stdlib.h>

#include "array.h"

static uint32_t find(uint32_t *parents, uint32_t sw)
{
	while (parents[sw] != sw) {
		parents[sw] = parents[parents[sw]];
		sw = parents[sw];
	}
	return sw;
}

/* The one declared first stands for both. */
static void join(uint32_t *parents, uint32_t a, uint32_t b)
{
	a = find(parents, a);
	b = find(parents, b);
	if (a < b)
		parents[b] = a;
	else
		parents[a] = b;
}

static void join_all(const struct fabric *fabric, uint32_t *parents,
		     uint32_t *above)
{
	for (uint32_t i = 0; i < fabric->switch_count; i++) {
		parents[i] = i;
		above[i] = FABRIC_NONE;
	}
	for (uint32_t i = 0; i < fabric->leafset_count; i++) {
		const struct fabric_leafset *set = &fabric->leafsets[i];
		const uint32_t *leaves = fabric->leafset_leaves +
					 set->first_leaf;
		const struct fabric_spineset *spines =
			&fabric->spinesets[set->spineset];

		for (uint32_t k = 0; k < set->leaf_count; k++)
			join(parents, leaves[0], leaves[k]);
		for (uint32_t k = 0; k < spines->spine_count; k++) {
			uint32_t spine = fabric->spineset_spines[
				spines->first_spine + k];

			for (uint32_t l = 0; l < set->leaf_count; l++) {
				if (above[leaves[l]] == FABRIC_NONE)
					above[leaves[l]] = spine;
				join(parents, above[leaves[l]], spine);
			}
		}
	}
}

int fabric_tree_init(struct fabric_tree *tree, const struct fabric *fabric)
{
	uint32_t *parents = array_new(fabric->switch_count, sizeof(*parents));
	uint32_t *above = array_new(fabric->switch_count, sizeof(*above));

	tree->leaf_of = array_new(fabric->leafset_count, sizeof(uint32_t));
	tree->pod_of = array_new(fabric->leafset_count, sizeof(uint32_t));
	if (!parents || !above || !tree->leaf_of || !tree->pod_of) {
		free(parents);
		free(above);
		fabric_tree_done(tree);
		return -1;
	}
	join_all(fabric, parents, above);
	for (uint32_t i = 0; i < fabric->leafset_count; i++) {
		uint32_t leaf = fabric->leafset_leaves[
			fabric->leafsets[i].first_leaf];

		tree->leaf_of[i] = find(parents, leaf);
		tree->pod_of[i] = above[leaf] == FABRIC_NONE ? FABRIC_NONE :
				  find(parents, above[leaf]);
	}
	free(parents);
	free(above);
	return 0;
}

void fabric_tree_done(struct fabric_tree *tree)
{
	free(tree->leaf_of);
	free(tree->pod_of);
	*tree = (struct fabric_tree) { 0 };
}
