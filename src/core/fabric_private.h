/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fabric_private: what the parts that make a fabric share. For fabric*.c only.
 */
#ifndef LEAFSPINE_FABRIC_PRIVATE_H
#define LEAFSPINE_FABRIC_PRIVATE_H

#include <string.h>

#include "array.h"
#include "fabric.h"
#include "fabric_builder.h"
#include "fabric_lost.h"

/* Above this the table of which sets meet would not fit memory: 128 MiB. */
#define FABRIC_SPINESETS_MAX 32768

static inline uint32_t fabric_name_hash(const char *name)
{
	return array_hash_mix(array_hash(name, strlen(name), ARRAY_HASH_SEED));
}

/* Words of one row of spineset_meets. */
static inline size_t fabric_meets_row_words(const struct fabric *fabric)
{
	return ((size_t)fabric->spineset_count + 63) / 64;
}

enum { INDEX_OK = 0, INDEX_NO_MEMORY = -1, INDEX_TOO_MANY_SPINESETS = -2 };

/*
 * Derives from nodes, cables, switches and uplinks all else: tables of names,
 * capacities, leafsets, spinesets, components, domain sizes.
 */
int fabric_index(struct fabric *fabric);
/* Its second half: leafsets and spinesets. */
int fabric_index_sets(struct fabric *fabric);

/* A name as used anywhere, and what was declared under it. */
struct builder_symbol {
	char *name;		/* owned until the fabric takes it */
	uint32_t node;		/* index in builder->nodes, or FABRIC_NONE */
	uint32_t sw;		/* its first declaration */
	uint32_t latest_sw;
	uint32_t domain;	/* as NVLink domain: its number */
	uint32_t mark;		/* scratch of the fault report */
};

struct builder_node {
	uint32_t symbol;
	uint32_t gpus;
	uint32_t nics;
	double nic_gbps;
	uint32_t domain;	/* symbol, or FABRIC_NONE: alone */
	uint32_t origin;
};

struct builder_switch {
	uint32_t symbol;
	enum fabric_tier tier;
	bool compute;
	bool has_nodes;		/* some were declared, right or wrong */
	bool has_children;
	bool again;		/* the name is that of an earlier one */
	bool ambiguous;		/* a later one of that name is unlike it */
	uint32_t origin;
};

/*
 * Ends are symbols; builder_check makes them indices of nodes and switches. The
 * lower switch is FABRIC_NONE where its name is not known.
 */
struct builder_cable {
	uint32_t leaf;
	uint32_t leaf_sw;	/* if it was declared by then */
	uint32_t node;
	int32_t rail;
	uint32_t origin;
};

struct builder_uplink {
	uint32_t from;
	uint32_t from_sw;	/* if it was declared by then */
	uint32_t to;		/* FABRIC_NONE after the check: left out */
	double gbps;
	uint32_t count;
	uint32_t origin;
	bool closes_cycle;
};

enum builder_fault_kind {
	FAULT_NODE_TWICE,
	FAULT_SWITCH_TWICE,
	FAULT_NODE_UNKNOWN,
	FAULT_NODES_ON_TIER,
	FAULT_CABLE_TWICE,
	FAULT_TWO_LEAVES,
	FAULT_NODE_SHARED,	/* number: symbol of the second leaf */
	FAULT_RAIL_TWICE,
	FAULT_RAIL_RANGE,
	FAULT_NODE_LOOSE,
	FAULT_PARENT_UNKNOWN,
	FAULT_PARENT_SELF,
	FAULT_PARENT_TWICE,
	FAULT_PARENT_PLANE,
	FAULT_PARENT_LOW,
	FAULT_PARENT_CYCLE,
	FAULT_LEAF_EMPTY,
	FAULT_CHILDLESS,
	FAULT_NO_NODES,
	FAULT_TOO_MUCH,
	FAULT_KINDS
};

/*
 * Kept until the end, so that the alike faults of one expression ("gpu[1-64]"
 * mistyped) become one line.
 */
struct builder_fault {
	enum builder_fault_kind kind;
	uint32_t origin;
	uint32_t symbol;	/* whom it is about, or FABRIC_NONE */
	uint32_t other;		/* a second symbol, or FABRIC_NONE */
	uint32_t number;	/* of the text */
	uint32_t sequence;
};

struct fabric_builder {
	struct fabric_builder_options options;
	char *name;
	struct builder_symbol *symbols;
	size_t symbol_count, symbol_room;
	uint32_t *table;	/* open-addressed: symbol or FABRIC_NONE */
	size_t table_size;
	struct builder_node *nodes;
	size_t node_count, node_room;
	struct builder_switch *switches;
	size_t switch_count, switch_room;
	struct builder_cable *cables;
	size_t cable_count, cable_room;
	struct builder_uplink *uplinks;
	size_t uplink_count, uplink_room;
	struct builder_fault *faults;
	size_t fault_count, fault_room;
	struct fabric_lost_names lost[FABRIC_LOST_KINDS];
	bool incomplete;	/* something is lost or unknown */
	bool too_much;		/* reported once */
};

/* The switch that SYMBOL stands for, the one SW where that is known already. */
static inline uint32_t builder_lower_switch(
	const struct fabric_builder *builder, uint32_t symbol, uint32_t sw)
{
	if (sw != FABRIC_NONE || symbol == FABRIC_NONE)
		return sw;
	return builder->symbols[symbol].sw;
}

/* 0, or -1 without memory. */
int builder_fault(struct fabric_builder *builder, enum builder_fault_kind kind,
		  uint32_t origin, uint32_t symbol, uint32_t other,
		  uint32_t number);
/* Hands all faults to the reader. Counts the errors. 0, or -1. */
int builder_report(struct fabric_builder *builder, size_t *ret_errors);
/*
 * Finds what is wrong with the whole and turns the ends of cables and uplinks
 * into indices; what cannot be or is left out gets FABRIC_NONE. 0, or -1.
 */
int builder_check(struct fabric_builder *builder);
/* The part of it that is about uplinks and what stands below switches. */
int builder_check_uplinks(struct fabric_builder *builder);
/* Makes the fabric of a builder without faults. NULL without memory. */
struct fabric *builder_assemble(struct fabric_builder *builder);

/*
 * Groups COUNT items by key (KEYS[i] < KEY_COUNT, or FABRIC_NONE: dropped),
 * keeping their order: the items of key k are ret_order[ret_first[k]] ..
 * ret_order[ret_first[k + 1] - 1]. Linear. 0, or -1 without memory.
 */
int builder_group(const uint32_t *keys, size_t count, size_t key_count,
		  uint32_t **ret_first, uint32_t **ret_order);

#endif
