/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions to a finished fabric. */
#include "fabric.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "fabric_private.h"

void fabric_free(struct fabric *fabric)
{
	if (!fabric)
		return;
	if (fabric->nodes)
		for (uint32_t i = 0; i < fabric->node_count; i++)
			free(fabric->nodes[i].name);
	if (fabric->switches)
		for (uint32_t i = 0; i < fabric->switch_count; i++)
			free(fabric->switches[i].name);
	free(fabric->name);
	free(fabric->nodes);
	free(fabric->cables);
	free(fabric->switches);
	free(fabric->uplinks);
	free(fabric->leafsets);
	free(fabric->leafset_leaves);
	free(fabric->spinesets);
	free(fabric->spineset_spines);
	free(fabric->spineset_meets);
	free(fabric->domain_sizes);
	free(fabric->node_table);
	free(fabric->switch_table);
	free(fabric);
}

uint32_t fabric_find_node(const struct fabric *fabric, const char *name)
{
	uint32_t mask = fabric->node_table_size - 1;
	uint32_t slot = fabric_name_hash(name) & mask;

	for (;; slot = (slot + 1) & mask) {
		uint32_t node = fabric->node_table[slot];

		if (node == FABRIC_NONE ||
		    !strcmp(fabric->nodes[node].name, name))
			return node;
	}
}

uint32_t fabric_find_switch(const struct fabric *fabric, const char *name)
{
	uint32_t mask = fabric->switch_table_size - 1;
	uint32_t slot = fabric_name_hash(name) & mask;

	for (;; slot = (slot + 1) & mask) {
		uint32_t sw = fabric->switch_table[slot];

		if (sw == FABRIC_NONE ||
		    !strcmp(fabric->switches[sw].name, name))
			return sw;
	}
}

/* True where two ascending lists have a member in common. */
static bool lists_touch(const uint32_t *a, uint32_t a_count, const uint32_t *b,
			uint32_t b_count)
{
	uint32_t i = 0;
	uint32_t k = 0;

	while (i < a_count && k < b_count) {
		if (a[i] == b[k])
			return true;
		if (a[i] < b[k])
			i++;
		else
			k++;
	}
	return false;
}

bool fabric_leafsets_touch(const struct fabric *fabric, uint32_t a, uint32_t b)
{
	const struct fabric_leafset *x = &fabric->leafsets[a];
	const struct fabric_leafset *y = &fabric->leafsets[b];

	if (a == b)
		return true;
	if (!x->overlaps || !y->overlaps)
		return false;
	return lists_touch(fabric->leafset_leaves + x->first_leaf,
			   x->leaf_count,
			   fabric->leafset_leaves + y->first_leaf,
			   y->leaf_count);
}

bool fabric_leafsets_meet(const struct fabric *fabric, uint32_t a, uint32_t b)
{
	uint32_t x = fabric->leafsets[a].spineset;
	uint32_t y = fabric->leafsets[b].spineset;
	size_t row = fabric_meets_row_words(fabric);

	return fabric->spineset_meets[x * row + y / 64] >> y % 64 & 1;
}

int fabric_level(const struct fabric *fabric, uint32_t node_a, uint32_t node_b)
{
	const struct fabric_node *a = &fabric->nodes[node_a];
	const struct fabric_node *b = &fabric->nodes[node_b];

	if (node_a == node_b || a->domain == b->domain)
		return 0;
	if (fabric_leafsets_touch(fabric, a->leafset, b->leafset))
		return 1;
	return fabric_leafsets_meet(fabric, a->leafset, b->leafset) ? 2 : 3;
}

const struct fabric_cable *fabric_cable_of_rail(const struct fabric *fabric,
						uint32_t node, uint32_t rail)
{
	const struct fabric_node *entry = &fabric->nodes[node];
	const struct fabric_cable *cables =
		fabric->cables + entry->first_cable;
	uint32_t low = 0;
	uint32_t high = entry->cable_count;

	if (cables[0].rail == FABRIC_ALL_RAILS)
		return &cables[rail % entry->cable_count];
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if ((uint32_t)cables[middle].rail < rail)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < entry->cable_count && (uint32_t)cables[low].rail == rail)
		return &cables[low];
	return &cables[rail % entry->cable_count];
}

double fabric_oversubscription(const struct fabric *fabric, uint32_t sw)
{
	const struct fabric_switch *entry = &fabric->switches[sw];

	return entry->up_gbps > 0 ? entry->down_gbps / entry->up_gbps : 0;
}

const char *fabric_tier_name(enum fabric_tier tier)
{
	switch (tier) {
	case FABRIC_LEAF:
		return "leaf";
	case FABRIC_SPINE:
		return "spine";
	case FABRIC_CORE:
		return "core";
	}
	return "?";
}
