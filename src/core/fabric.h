/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fabric: the immutable graph of nodes, leaves, Spines and core switches.
 *
 * Shapes: arrays are indexed by small integers. Nodes stand in Slurm's natural
 * order of names, switches in the order of their declaration. Only switches of
 * the compute plane are kept. Rates are Gbit/s (10^9 bit/s) in one direction.
 *
 * Made by a reader (fabric_read.h) through fabric_builder.h; never changed
 * afterwards, so it may be shared by threads.
 */
#ifndef LEAFSPINE_FABRIC_H
#define LEAFSPINE_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FABRIC_NONE UINT32_MAX

enum fabric_tier { FABRIC_LEAF, FABRIC_SPINE, FABRIC_CORE };
enum { FABRIC_TIERS = 3, FABRIC_ALL_RAILS = -1 };

/* One leaf that a node is cabled to. */
struct fabric_cable {
	uint32_t leaf;		/* switch index */
	int32_t rail;		/* NIC index, or FABRIC_ALL_RAILS */
	double gbps;		/* of all NICs cabled here together */
};

struct fabric_node {
	char *name;
	uint32_t gpus;
	uint32_t nics;
	double nic_gbps;	/* of one NIC */
	uint32_t domain;	/* NVLink domain; each node has one */
	uint32_t leafset;
	uint32_t component;
	uint32_t first_cable;	/* cables[first_cable .. +cable_count-1], */
	uint32_t cable_count;	/* sorted by rail, then by leaf */
};

/* Parallel links from one switch to one parent. */
struct fabric_uplink {
	uint32_t to;		/* switch index */
	uint32_t count;
	double gbps;		/* of one link */
};

struct fabric_switch {
	char *name;
	enum fabric_tier tier;
	uint32_t first_uplink;	/* uplinks[first_uplink .. +uplink_count-1] */
	uint32_t uplink_count;
	uint32_t component;
	uint32_t node_count;	/* leaves: nodes cabled here */
	double up_gbps;		/* capacity built towards all parents */
	double down_gbps;	/* capacity built towards nodes or children */
};

/*
 * Nodes that are cabled to just the same leaves are one leafset: what placement
 * calls "a leaf". With rails it is the scalable unit under its rail leaves.
 */
struct fabric_leafset {
	uint32_t first_leaf;	/* leafset_leaves[first_leaf ..], */
	uint32_t leaf_count;	/* ascending switch indices */
	uint32_t node_count;
	uint32_t spineset;	/* the Spine switches above any of its leaves */
	bool overlaps;		/* shares a leaf with another leafset */
};

/* A set of Spine switches that stand above some leafset. */
struct fabric_spineset {
	uint32_t first_spine;	/* spineset_spines[first_spine .. +count-1], */
	uint32_t spine_count;	/* ascending switch indices; may be 0 */
};

struct fabric {
	char *name;

	struct fabric_node *nodes;
	uint32_t node_count;
	struct fabric_cable *cables;
	uint32_t cable_count;
	struct fabric_switch *switches;
	uint32_t switch_count;
	struct fabric_uplink *uplinks;
	uint32_t uplink_count;

	struct fabric_leafset *leafsets;
	uint32_t leafset_count;
	uint32_t *leafset_leaves;
	struct fabric_spineset *spinesets;
	uint32_t spineset_count;
	uint32_t *spineset_spines;
	uint64_t *spineset_meets;	/* see fabric_leafsets_meet */

	uint32_t domain_count;
	uint32_t *domain_sizes;		/* nodes in each NVLink domain */
	uint32_t component_count;	/* not connected; without nodes last */
	uint32_t left_out_count;	/* switches of other planes */
	bool has_rails;			/* some cable has a rail */

	uint32_t *node_table;		/* open-addressed hash of names */
	uint32_t *switch_table;
	uint32_t node_table_size;	/* powers of two */
	uint32_t switch_table_size;
};

void fabric_free(struct fabric *fabric);

/* The index of a name, or FABRIC_NONE. Constant time. */
uint32_t fabric_find_node(const struct fabric *fabric, const char *name);
uint32_t fabric_find_switch(const struct fabric *fabric, const char *name);

/*
 * The level of a flow between two nodes (formats.md section 3): 0 inside one
 * node or NVLink domain, 1 under a common leaf, 2 over a common Spine, 3 over
 * the core. Both nodes must lie in one component. With rails a "side" is all
 * leaves of the node, since PXN lets every GPU use every rail.
 */
int fabric_level(const struct fabric *fabric, uint32_t node_a,
		 uint32_t node_b);

/* True where the two leafsets have a leaf in common. */
bool fabric_leafsets_touch(const struct fabric *fabric, uint32_t a, uint32_t b);
/* True where the two leafsets have a Spine in common. */
bool fabric_leafsets_meet(const struct fabric *fabric, uint32_t a, uint32_t b);

/* The cable that NIC index RAIL of NODE uses; rails that lack a cable wrap. */
const struct fabric_cable *fabric_cable_of_rail(const struct fabric *fabric,
						uint32_t node, uint32_t rail);

/* Capacity down over capacity up; 0 for a switch without uplinks. */
double fabric_oversubscription(const struct fabric *fabric, uint32_t sw);

const char *fabric_tier_name(enum fabric_tier tier);

/*
 * Checks every invariant of the structure. Returns NULL, or a static text that
 * names the first one broken. For tests; quick enough to be always on there.
 */
const char *fabric_check(const struct fabric *fabric);

#endif
