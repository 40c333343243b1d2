/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What follows from the nodes, cables and switches of a fabric. */
#define _GNU_SOURCE 1
#include "fabric_private.h"

#include <stdlib.h>

static int allocate_tables(struct fabric *fabric)
{
	uint32_t size = 2;

	while (size < 2 * fabric->node_count)
		size *= 2;
	fabric->node_table_size = size;
	fabric->node_table = malloc(size * sizeof(uint32_t));
	for (size = 2; size < 2 * fabric->switch_count;)
		size *= 2;
	fabric->switch_table_size = size;
	fabric->switch_table = malloc(size * sizeof(uint32_t));
	if (!fabric->node_table || !fabric->switch_table)
		return -1;
	memset(fabric->node_table, 0xff,
	       fabric->node_table_size * sizeof(uint32_t));
	memset(fabric->switch_table, 0xff, size * sizeof(uint32_t));
	return 0;
}

static void put_in_table(uint32_t *table, uint32_t size, const char *name,
			 uint32_t index)
{
	uint32_t slot = fabric_name_hash(name) & (size - 1);

	while (table[slot] != FABRIC_NONE)
		slot = (slot + 1) & (size - 1);
	table[slot] = index;
}

static int make_tables(struct fabric *fabric)
{
	if (allocate_tables(fabric))
		return -1;
	for (uint32_t i = 0; i < fabric->node_count; i++)
		put_in_table(fabric->node_table, fabric->node_table_size,
			     fabric->nodes[i].name, i);
	for (uint32_t i = 0; i < fabric->switch_count; i++)
		put_in_table(fabric->switch_table, fabric->switch_table_size,
			     fabric->switches[i].name, i);
	return 0;
}

static void sum_capacities(struct fabric *fabric)
{
	for (uint32_t i = 0; i < fabric->cable_count; i++)
		fabric->switches[fabric->cables[i].leaf].down_gbps +=
			fabric->cables[i].gbps;
	for (uint32_t i = 0; i < fabric->switch_count; i++) {
		struct fabric_switch *sw = &fabric->switches[i];

		for (uint32_t k = 0; k < sw->uplink_count; k++) {
			const struct fabric_uplink *uplink =
				&fabric->uplinks[sw->first_uplink + k];
			double gbps = uplink->gbps * uplink->count;

			sw->up_gbps += gbps;
			fabric->switches[uplink->to].down_gbps += gbps;
		}
	}
}

static uint32_t find_root(uint32_t *parents, uint32_t item)
{
	while (parents[item] != item) {
		parents[item] = parents[parents[item]];
		item = parents[item];
	}
	return item;
}

static void join(uint32_t *parents, uint32_t a, uint32_t b)
{
	a = find_root(parents, a);
	b = find_root(parents, b);
	/* Towards the smaller, whatever the order: the same tree each time. */
	if (a < b)
		parents[b] = a;
	else
		parents[a] = b;
}

static uint32_t number_component(struct fabric *fabric, uint32_t *parents,
				 uint32_t *numbers, uint32_t item)
{
	uint32_t root = find_root(parents, item);

	if (numbers[root] == FABRIC_NONE)
		numbers[root] = fabric->component_count++;
	return numbers[root];
}

/* Components get numbers in the order of their first nodes. */
static int find_components(struct fabric *fabric)
{
	uint32_t switches = fabric->switch_count;
	uint32_t items = switches + fabric->node_count;
	uint32_t *parents = array_new(items, sizeof(*parents));
	uint32_t *numbers = array_new(items, sizeof(*numbers));

	if (!parents || !numbers) {
		free(parents);
		free(numbers);
		return -1;
	}
	for (uint32_t i = 0; i < items; i++) {
		parents[i] = i;
		numbers[i] = FABRIC_NONE;
	}
	for (uint32_t i = 0; i < switches; i++)
		for (uint32_t k = 0; k < fabric->switches[i].uplink_count; k++)
			join(parents, i, fabric->uplinks[
				fabric->switches[i].first_uplink + k].to);
	for (uint32_t i = 0; i < fabric->node_count; i++)
		for (uint32_t k = 0; k < fabric->nodes[i].cable_count; k++)
			join(parents, switches + i, fabric->cables[
				fabric->nodes[i].first_cable + k].leaf);
	for (uint32_t i = 0; i < fabric->node_count; i++)
		fabric->nodes[i].component = number_component(
			fabric, parents, numbers, switches + i);
	for (uint32_t i = 0; i < switches; i++)
		fabric->switches[i].component = number_component(
			fabric, parents, numbers, i);
	free(parents);
	free(numbers);
	return 0;
}

static int count_domains(struct fabric *fabric)
{
	fabric->domain_sizes = array_new(fabric->domain_count,
					 sizeof(*fabric->domain_sizes));
	if (!fabric->domain_sizes)
		return -1;
	for (uint32_t i = 0; i < fabric->node_count; i++)
		fabric->domain_sizes[fabric->nodes[i].domain]++;
	return 0;
}

int fabric_index(struct fabric *fabric)
{
	sum_capacities(fabric);
	if (make_tables(fabric) || find_components(fabric) ||
	    count_domains(fabric))
		return INDEX_NO_MEMORY;
	return fabric_index_sets(fabric);
}
