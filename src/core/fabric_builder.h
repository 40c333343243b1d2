/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fabric_builder: how the readers make a fabric.
 *
 * A reader adds nodes, switches, cables and uplinks in the order of its file,
 * each with an origin: a number of the reader's own that says where it stood.
 * The builder finds what is wrong with the graph as a whole (a name declared
 * twice, an unknown parent, a cycle, a node without a leaf, ...) and hands each
 * fault back with the origin, which the reader turns into line and column.
 */
#ifndef LEAFSPINE_FABRIC_BUILDER_H
#define LEAFSPINE_FABRIC_BUILDER_H

#include "diag.h"
#include "fabric.h"

struct fabric_builder;

/* Which value of the declaration at ORIGIN a fault is about. */
enum fabric_field {
	FABRIC_FIELD_WHOLE,
	FABRIC_FIELD_NODE_NAMES,
	FABRIC_FIELD_SWITCH_NAME,
	FABRIC_FIELD_SWITCH_NODES,
	FABRIC_FIELD_SWITCH_RAIL,
	FABRIC_FIELD_UPLINK_TO,		/* origin: that of the uplink */
};

/* ORIGIN is FABRIC_NONE where the fault is about the file as a whole. */
typedef void (*fabric_fault_fn)(void *context, uint32_t origin,
				enum fabric_field field,
				enum diag_severity severity, const char *text);

/* How the builder treats what only some formats can express. */
struct fabric_builder_options {
	fabric_fault_fn fault;
	void *context;
	/* topology.conf: a node may stand under two leaves, with a warning, */
	bool unrailed_overlap;
	/* and a core switch under another. */
	bool core_may_stack;
};

struct fabric_node_attributes {
	uint32_t gpus;
	uint32_t nics;
	double nic_gbps;
	const char *domain;	/* NULL: the node alone */
};

#define FABRIC_DEFAULT_GPUS 8
#define FABRIC_DEFAULT_GBPS 400.0
#define FABRIC_GPUS_MAX 1024
#define FABRIC_NICS_MAX 1024
#define FABRIC_LINKS_MAX 4096
#define FABRIC_GBPS_MAX 1e6

/* More of these in one file are refused. */
#define FABRIC_NODES_MAX (1U << 20)
#define FABRIC_SWITCHES_MAX (1U << 20)
#define FABRIC_CABLES_MAX (1U << 23)
#define FABRIC_UPLINKS_MAX (1U << 23)

/* What a reader that found it at fault tells of a tier or a rail. */
#define FABRIC_TIER_UNKNOWN ((enum fabric_tier)FABRIC_TIERS)
#define FABRIC_RAIL_UNKNOWN (-2)

/* NULL without memory. */
struct fabric_builder *fabric_builder_new(
	const struct fabric_builder_options *options);
void fabric_builder_free(struct fabric_builder *builder);

/*
 * Each returns 0, or -1 without memory. Faults are reported, not returned. All
 * texts are copied. Names may be used before they are declared.
 */
int fabric_builder_name(struct fabric_builder *builder, const char *name);
int fabric_builder_node(struct fabric_builder *builder, const char *name,
			const struct fabric_node_attributes *attributes,
			uint32_t origin);
/* The same, but a name that is known already is no fault: the first stands. */
int fabric_builder_node_once(struct fabric_builder *builder, const char *name,
			     const struct fabric_node_attributes *attributes,
			     uint32_t origin);
/* COMPUTE false: read, counted and left out, with its cables and uplinks. */
int fabric_builder_switch(struct fabric_builder *builder, const char *name,
			  enum fabric_tier tier, bool compute,
			  uint32_t origin);
/*
 * LEAF and FROM belong to the latest switch of that name so far; NULL: to one
 * whose name could not be read.
 */
int fabric_builder_cable(struct fabric_builder *builder, const char *leaf,
			 const char *node, int rail, uint32_t origin);
int fabric_builder_uplink(struct fabric_builder *builder, const char *from,
			  const char *to, double gbps, uint32_t count,
			  uint32_t origin);

/*
 * Says that something could not be read and was reported by the reader, so that
 * the builder spares the user the faults that may only follow from it. NAMES is
 * the unreadable expression; NULL: it may have been any names.
 */
enum fabric_lost {
	FABRIC_LOST_NODES,
	FABRIC_LOST_SWITCHES,
	FABRIC_LOST_CABLES,	/* nodes of a leaf */
	FABRIC_LOST_UPLINKS,	/* parents of a switch */
	FABRIC_LOST_KINDS
};
int fabric_builder_lost(struct fabric_builder *builder, enum fabric_lost what,
			const char *names);
/* Something stands below the latest switch called NAME, whatever it is. */
int fabric_builder_not_empty(struct fabric_builder *builder, const char *name);

/*
 * Checks the whole and makes the fabric. Returns it, or NULL: then faults of
 * severity error were reported, here or before by the reader that said that
 * something is lost or unknown; or *RET_NO_MEMORY is set. The builder is spent
 * and must still be freed.
 */
struct fabric *fabric_builder_finish(struct fabric_builder *builder,
				     bool *ret_no_memory);

#endif
