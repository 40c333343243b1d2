/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects what a reader finds, and makes the fabric of it. */
#define _GNU_SOURCE 1
#include "fabric_private.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_TABLE_SIZE 64

struct fabric_builder *fabric_builder_new(
	const struct fabric_builder_options *options)
{
	struct fabric_builder *builder = calloc(1, sizeof(*builder));

	if (builder)
		builder->options = *options;
	return builder;
}

void fabric_builder_free(struct fabric_builder *builder)
{
	if (!builder)
		return;
	for (size_t i = 0; i < builder->symbol_count; i++)
		free(builder->symbols[i].name);
	for (int what = 0; what < FABRIC_LOST_KINDS; what++)
		fabric_lost_done(&builder->lost[what]);
	free(builder->symbols);
	free(builder->table);
	free(builder->nodes);
	free(builder->switches);
	free(builder->cables);
	free(builder->uplinks);
	free(builder->faults);
	free(builder->name);
	free(builder);
}

/* The slot of NAME in the table, or the empty one where it would go. */
static size_t find_slot(const struct fabric_builder *builder, const char *name)
{
	size_t mask = builder->table_size - 1;
	size_t slot = fabric_name_hash(name) & mask;

	while (builder->table[slot] != FABRIC_NONE &&
	       strcmp(builder->symbols[builder->table[slot]].name, name))
		slot = (slot + 1) & mask;
	return slot;
}

/* Keeps the table at most half full. */
static int reserve_table(struct fabric_builder *builder)
{
	size_t size = builder->table_size ? builder->table_size * 2
					  : FIRST_TABLE_SIZE;
	uint32_t *table;

	if (builder->table_size > 2 * builder->symbol_count)
		return 0;
	table = malloc(size * sizeof(*table));
	if (!table)
		return -1;
	memset(table, 0xff, size * sizeof(*table));
	free(builder->table);
	builder->table = table;
	builder->table_size = size;
	for (size_t i = 0; i < builder->symbol_count; i++)
		table[find_slot(builder, builder->symbols[i].name)] =
			(uint32_t)i;
	return 0;
}

static int add_symbol(struct fabric_builder *builder, const char *name,
		      size_t slot, uint32_t *ret_symbol)
{
	struct builder_symbol *symbols = array_reserve(
		builder->symbols, &builder->symbol_room,
		builder->symbol_count + 1, sizeof(*symbols));
	char *copy;

	if (!symbols)
		return -1;
	builder->symbols = symbols;
	copy = strdup(name);
	if (!copy)
		return -1;
	*ret_symbol = (uint32_t)builder->symbol_count++;
	symbols[*ret_symbol] = (struct builder_symbol) {
		.name = copy,
		.node = FABRIC_NONE,
		.sw = FABRIC_NONE,
		.latest_sw = FABRIC_NONE,
		.domain = FABRIC_NONE,
		.mark = FABRIC_NONE,
	};
	builder->table[slot] = *ret_symbol;
	return 0;
}

static int intern(struct fabric_builder *builder, const char *name,
		  uint32_t *ret_symbol)
{
	size_t slot;

	if (builder->symbol_count >= FABRIC_NONE || reserve_table(builder))
		return -1;
	slot = find_slot(builder, name);
	if (builder->table[slot] == FABRIC_NONE)
		return add_symbol(builder, name, slot, ret_symbol);
	*ret_symbol = builder->table[slot];
	return 0;
}

/* What goes past a limit is dropped, with all that would follow from it. */
static int too_much(struct fabric_builder *builder, uint32_t origin)
{
	bool known = builder->too_much;

	builder->too_much = true;
	for (int what = 0; what < FABRIC_LOST_KINDS; what++)
		builder->lost[what].any = true;
	if (known)
		return 0;
	return builder_fault(builder, FAULT_TOO_MUCH, origin, FABRIC_NONE,
			     FABRIC_NONE, 0);
}

int fabric_builder_name(struct fabric_builder *builder, const char *name)
{
	char *copy = strdup(name);

	if (!copy)
		return -1;
	/* It goes to terminals. */
	for (char *c = copy; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	free(builder->name);
	builder->name = copy;
	return 0;
}

static int add_node(struct fabric_builder *builder, uint32_t symbol,
		    const struct fabric_node_attributes *attributes,
		    uint32_t origin)
{
	struct builder_node node = {
		.symbol = symbol,
		.gpus = attributes->gpus,
		.nics = attributes->nics,
		.nic_gbps = attributes->nic_gbps,
		.domain = FABRIC_NONE,
		.origin = origin,
	};
	struct builder_node *nodes;

	if (builder->node_count >= FABRIC_NODES_MAX)
		return too_much(builder, origin);
	if (attributes->domain &&
	    intern(builder, attributes->domain, &node.domain))
		return -1;
	nodes = array_reserve(builder->nodes, &builder->node_room,
			      builder->node_count + 1, sizeof(*nodes));
	if (!nodes)
		return -1;
	builder->nodes = nodes;
	builder->symbols[symbol].node = (uint32_t)builder->node_count;
	nodes[builder->node_count++] = node;
	return 0;
}

int fabric_builder_node(struct fabric_builder *builder, const char *name,
			const struct fabric_node_attributes *attributes,
			uint32_t origin)
{
	uint32_t symbol;

	if (intern(builder, name, &symbol))
		return -1;
	if (builder->symbols[symbol].node != FABRIC_NONE)
		return builder_fault(builder, FAULT_NODE_TWICE, origin, symbol,
				     FABRIC_NONE, 0);
	return add_node(builder, symbol, attributes, origin);
}

int fabric_builder_node_once(struct fabric_builder *builder, const char *name,
			     const struct fabric_node_attributes *attributes,
			     uint32_t origin)
{
	uint32_t symbol;

	if (intern(builder, name, &symbol))
		return -1;
	if (builder->symbols[symbol].node != FABRIC_NONE)
		return 0;
	return add_node(builder, symbol, attributes, origin);
}

/* The second of a name is kept, for all that can be said of it. */
static int declare_again(struct fabric_builder *builder,
			 const struct builder_switch *sw)
{
	struct builder_switch *first =
		&builder->switches[builder->symbols[sw->symbol].sw];

	if (first->tier != sw->tier || first->compute != sw->compute)
		first->ambiguous = true;
	return builder_fault(builder, FAULT_SWITCH_TWICE, sw->origin,
			     sw->symbol, FABRIC_NONE, 0);
}

int fabric_builder_switch(struct fabric_builder *builder, const char *name,
			  enum fabric_tier tier, bool compute, uint32_t origin)
{
	struct builder_switch sw = {
		.tier = tier, .compute = compute, .origin = origin,
	};
	struct builder_switch *switches;
	struct builder_symbol *symbol;

	if (builder->switch_count >= FABRIC_SWITCHES_MAX)
		return too_much(builder, origin);
	if (intern(builder, name, &sw.symbol))
		return -1;
	if (tier == FABRIC_TIER_UNKNOWN)
		builder->incomplete = true;
	symbol = &builder->symbols[sw.symbol];
	sw.again = symbol->sw != FABRIC_NONE;
	if (sw.again && declare_again(builder, &sw))
		return -1;
	switches = array_reserve(builder->switches, &builder->switch_room,
				 builder->switch_count + 1, sizeof(*switches));
	if (!switches)
		return -1;
	builder->switches = switches;
	symbol->latest_sw = (uint32_t)builder->switch_count;
	if (!sw.again)
		symbol->sw = symbol->latest_sw;
	switches[builder->switch_count++] = sw;
	return 0;
}

/* The lower end of a cable or uplink, and its declaration if there is one. */
static int intern_lower(struct fabric_builder *builder, const char *name,
			uint32_t *ret_symbol, uint32_t *ret_sw)
{
	*ret_symbol = FABRIC_NONE;
	*ret_sw = FABRIC_NONE;
	if (!name) {
		builder->incomplete = true;
		return 0;
	}
	if (intern(builder, name, ret_symbol))
		return -1;
	*ret_sw = builder->symbols[*ret_symbol].latest_sw;
	return 0;
}

int fabric_builder_cable(struct fabric_builder *builder, const char *leaf,
			 const char *node, int rail, uint32_t origin)
{
	struct builder_cable cable = { .rail = rail, .origin = origin };
	struct builder_cable *cables;

	if (builder->cable_count >= FABRIC_CABLES_MAX)
		return too_much(builder, origin);
	if (intern_lower(builder, leaf, &cable.leaf, &cable.leaf_sw) ||
	    intern(builder, node, &cable.node))
		return -1;
	if (rail == FABRIC_RAIL_UNKNOWN)
		builder->incomplete = true;
	cables = array_reserve(builder->cables, &builder->cable_room,
			       builder->cable_count + 1, sizeof(*cables));
	if (!cables)
		return -1;
	builder->cables = cables;
	cables[builder->cable_count++] = cable;
	return 0;
}

int fabric_builder_uplink(struct fabric_builder *builder, const char *from,
			  const char *to, double gbps, uint32_t count,
			  uint32_t origin)
{
	struct builder_uplink uplink = {
		.gbps = gbps, .count = count, .origin = origin,
	};
	struct builder_uplink *uplinks;

	if (builder->uplink_count >= FABRIC_UPLINKS_MAX)
		return too_much(builder, origin);
	if (intern_lower(builder, from, &uplink.from, &uplink.from_sw) ||
	    intern(builder, to, &uplink.to))
		return -1;
	uplinks = array_reserve(builder->uplinks, &builder->uplink_room,
				builder->uplink_count + 1, sizeof(*uplinks));
	if (!uplinks)
		return -1;
	builder->uplinks = uplinks;
	uplinks[builder->uplink_count++] = uplink;
	return 0;
}

int fabric_builder_lost(struct fabric_builder *builder, enum fabric_lost what,
			const char *names)
{
	builder->incomplete = true;
	return fabric_lost_add(&builder->lost[what], names);
}

int fabric_builder_not_empty(struct fabric_builder *builder, const char *name)
{
	uint32_t symbol;
	uint32_t sw;

	if (intern_lower(builder, name, &symbol, &sw))
		return -1;
	if (sw == FABRIC_NONE)
		return 0;
	builder->switches[sw].has_nodes = true;
	builder->switches[sw].has_children = true;
	return 0;
}

static int report_spinesets(struct fabric_builder *builder)
{
	size_t errors;

	builder->fault_count = 0;
	if (builder_fault(builder, FAULT_TOO_MUCH, FABRIC_NONE, FABRIC_NONE,
			  FABRIC_NONE, 1))
		return -1;
	return builder_report(builder, &errors);
}

struct fabric *fabric_builder_finish(struct fabric_builder *builder,
				     bool *ret_no_memory)
{
	struct fabric *fabric = NULL;
	size_t errors = 0;
	int status = INDEX_NO_MEMORY;

	if (!builder_check(builder) && !builder_report(builder, &errors)) {
		if (errors || builder->incomplete)
			return NULL;
		fabric = builder_assemble(builder);
		if (fabric)
			status = fabric_index(fabric);
	}
	if (status == INDEX_TOO_MANY_SPINESETS && report_spinesets(builder))
		status = INDEX_NO_MEMORY;
	if (status == INDEX_OK)
		return fabric;
	if (status == INDEX_NO_MEMORY)
		*ret_no_memory = true;
	fabric_free(fabric);
	return NULL;
}
