/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kinds: sorts the nodes of a fabric into kinds. */

#include "kinds.h"

#include <stdlib.h>

static bool same_cables(const struct fabric *fabric,
			const struct fabric_node *a,
			const struct fabric_node *b)
{
	const struct fabric_cable *x = fabric->cables + a->first_cable;
	const struct fabric_cable *y = fabric->cables + b->first_cable;

	if (a->cable_count != b->cable_count)
		return false;
	for (uint32_t i = 0; i < a->cable_count; i++)
		if (x[i].leaf != y[i].leaf || x[i].rail != y[i].rail)
			return false;
	return true;
}

static bool same_kind(const struct fabric *fabric, uint32_t a, uint32_t b)
{
	const struct fabric_node *x = &fabric->nodes[a];
	const struct fabric_node *y = &fabric->nodes[b];
	bool domain_alike = x->domain == y->domain ||
			    (fabric->domain_sizes[x->domain] == 1 &&
			     fabric->domain_sizes[y->domain] == 1);

	return x->leafset == y->leafset && domain_alike &&
	       x->nics == y->nics && same_cables(fabric, x, y);
}

/* NEWEST chains the kinds of each leafset through OLDER. */
static void sort_nodes(struct kinds *kinds, const struct fabric *fabric,
		       uint32_t *newest, uint32_t *older)
{
	for (uint32_t i = 0; i < fabric->leafset_count; i++)
		newest[i] = FABRIC_NONE;
	for (uint32_t node = 0; node < fabric->node_count; node++) {
		uint32_t *chain = &newest[fabric->nodes[node].leafset];
		uint32_t kind = *chain;

		while (kind != FABRIC_NONE &&
		       !same_kind(fabric, kinds->node_of[kind], node))
			kind = older[kind];
		if (kind == FABRIC_NONE) {
			kind = kinds->count++;
			kinds->node_of[kind] = node;
			older[kind] = *chain;
			*chain = kind;
		}
		kinds->of_node[node] = kind;
	}
}

int kinds_init(struct kinds *kinds, const struct fabric *fabric)
{
	size_t nodes = fabric->node_count + 1;
	uint32_t *newest, *older;
	int status = -1;

	kinds->count = 0;
	kinds->of_node = calloc(nodes, sizeof(uint32_t));
	kinds->node_of = calloc(nodes, sizeof(uint32_t));
	newest = calloc((size_t)fabric->leafset_count + 1, sizeof(uint32_t));
	older = calloc(nodes, sizeof(uint32_t));
	if (kinds->of_node && kinds->node_of && newest && older) {
		sort_nodes(kinds, fabric, newest, older);
		status = 0;
	}
	free(newest);
	free(older);
	if (status)
		kinds_done(kinds);
	return status;
}

void kinds_done(struct kinds *kinds)
{
	free(kinds->of_node);
	free(kinds->node_of);
	kinds->of_node = NULL;
	kinds->node_of = NULL;
	kinds->count = 0;
}

int kinds_level(const struct kinds *kinds, const struct fabric *fabric,
		uint32_t a, uint32_t b)
{
	const struct fabric_node *node;

	if (a != b)
		return fabric_level(fabric, kinds->node_of[a],
				    kinds->node_of[b]);
	node = &fabric->nodes[kinds->node_of[a]];
	return fabric->domain_sizes[node->domain] > 1 ? 0 : 1;
}

uint32_t kinds_leaf(const struct kinds *kinds, const struct fabric *fabric,
		    uint32_t kind, uint32_t rail)
{
	return fabric_cable_of_rail(fabric, kinds->node_of[kind], rail)->leaf;
}
