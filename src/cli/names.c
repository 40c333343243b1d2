/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names: sets of nodes and switches as hostlist expressions. See names.h.
 */
#include "names.h"

#include <stdlib.h>

#include "core/noderange.h"

char *names_of_nodes(const struct fabric *fabric, const uint32_t *nodes,
		     uint32_t count)
{
	const char **names = calloc((size_t)count + 1, sizeof(*names));
	char *text;

	if (!names)
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		names[i] = fabric->nodes[nodes[i]].name;
	text = noderange_compress(names, count);
	free(names);
	return text;
}

char *names_of_leafset(const struct fabric *fabric, uint32_t leafset)
{
	const struct fabric_leafset *set = &fabric->leafsets[leafset];
	const uint32_t *leaves = fabric->leafset_leaves + set->first_leaf;
	const char **names = calloc((size_t)set->leaf_count + 1,
				    sizeof(*names));
	char *text;

	if (!names)
		return NULL;
	for (uint32_t i = 0; i < set->leaf_count; i++)
		names[i] = fabric->switches[leaves[i]].name;
	text = noderange_compress(names, set->leaf_count);
	free(names);
	return text;
}
