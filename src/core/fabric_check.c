/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The invariants of a fabric, for tests. */
#include "fabric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "noderange.h"

#define CHECK(condition, text) do { if (!(condition)) return text; } while (0)

static bool nearly(double a, double b)
{
	return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b));
}

static const char *check_arrays(const struct fabric *fabric)
{
	CHECK(fabric->name, "the fabric has no name");
	CHECK(fabric->node_count > 0 && fabric->nodes, "no nodes");
	CHECK(fabric->switch_count > 0 && fabric->switches, "no switches");
	CHECK(fabric->cables && fabric->uplinks, "no cables or uplinks");
	CHECK(fabric->leafsets && fabric->leafset_leaves, "no leafsets");
	CHECK(fabric->spinesets && fabric->spineset_meets, "no spinesets");
	CHECK(fabric->domain_sizes, "no domain sizes");
	CHECK(fabric->node_table && fabric->switch_table, "no name tables");
	return NULL;
}

static const char *check_node(const struct fabric *fabric, uint32_t index)
{
	const struct fabric_node *node = &fabric->nodes[index];

	CHECK(node->name && node->name[0], "a node without a name");
	CHECK(index == 0 || noderange_compare(fabric->nodes[index - 1].name,
					      node->name) < 0,
	      "nodes are not in natural order");
	CHECK(fabric_find_node(fabric, node->name) == index,
	      "a node is not found by its name");
	CHECK(node->nics > 0, "a node without NICs");
	CHECK(node->nic_gbps > 0 && isfinite(node->nic_gbps),
	      "a NIC without a rate");
	CHECK(node->domain < fabric->domain_count, "a domain out of range");
	CHECK(node->leafset < fabric->leafset_count, "a leafset out of range");
	CHECK(node->component < fabric->component_count,
	      "a component of a node out of range");
	CHECK(node->cable_count > 0, "a node without cables");
	CHECK(node->first_cable <= fabric->cable_count &&
	      node->cable_count <= fabric->cable_count - node->first_cable,
	      "cables of a node out of range");
	return NULL;
}

static const char *check_cable(const struct fabric *fabric,
			       const struct fabric_node *node, uint32_t k)
{
	const struct fabric_cable *cable =
		&fabric->cables[node->first_cable + k];
	const struct fabric_cable *before = cable - 1;
	bool all = cable->rail == FABRIC_ALL_RAILS;

	CHECK(cable->leaf < fabric->switch_count, "a leaf out of range");
	CHECK(fabric->switches[cable->leaf].tier == FABRIC_LEAF,
	      "a cable to no leaf");
	CHECK(fabric->switches[cable->leaf].component == node->component,
	      "a cable to another component");
	CHECK(all || (cable->rail >= 0 && (uint32_t)cable->rail < node->nics),
	      "a rail out of range");
	CHECK(all || fabric->has_rails, "a rail in a fabric without rails");
	CHECK(nearly(cable->gbps, all ? node->nics * node->nic_gbps
				      : node->nic_gbps),
	      "the rate of a cable is not that of its NICs");
	if (k == 0)
		return NULL;
	CHECK(all == (before->rail == FABRIC_ALL_RAILS),
	      "a node with and without rails");
	CHECK(all ? before->leaf < cable->leaf : before->rail < cable->rail,
	      "cables of a node are not in order");
	return NULL;
}

static const char *check_nodes(const struct fabric *fabric)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < fabric->node_count; i++) {
		const struct fabric_node *node = &fabric->nodes[i];
		const char *broken = check_node(fabric, i);

		for (uint32_t k = 0; !broken && k < node->cable_count; k++)
			broken = check_cable(fabric, node, k);
		if (broken)
			return broken;
		CHECK(node->first_cable == next, "cables with gaps");
		next += node->cable_count;
	}
	CHECK(next == fabric->cable_count, "cables of no node");
	return NULL;
}

static const char *check_switch(const struct fabric *fabric, uint32_t index)
{
	const struct fabric_switch *sw = &fabric->switches[index];
	double up = 0;

	CHECK(sw->name && sw->name[0], "a switch without a name");
	CHECK(fabric_find_switch(fabric, sw->name) == index,
	      "a switch is not found by its name");
	CHECK(sw->component < fabric->component_count,
	      "a component of a switch out of range");
	CHECK(sw->tier == FABRIC_LEAF || sw->node_count == 0,
	      "nodes under a switch that is no leaf");
	for (uint32_t k = 0; k < sw->uplink_count; k++) {
		const struct fabric_uplink *uplink =
			&fabric->uplinks[sw->first_uplink + k];
		const struct fabric_switch *to;

		CHECK(uplink->to < fabric->switch_count,
		      "an uplink out of range");
		to = &fabric->switches[uplink->to];
		CHECK(to->tier > sw->tier || (to->tier == FABRIC_CORE &&
					      sw->tier == FABRIC_CORE),
		      "an uplink that does not climb");
		CHECK(uplink->to != index, "an uplink to the switch itself");
		CHECK(to->component == sw->component,
		      "an uplink to another component");
		CHECK(uplink->gbps > 0 && isfinite(uplink->gbps) &&
		      uplink->count > 0, "an uplink without capacity");
		up += uplink->gbps * uplink->count;
	}
	CHECK(nearly(up, sw->up_gbps), "capacity up is not that of uplinks");
	return NULL;
}

static const char *check_switches(const struct fabric *fabric)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < fabric->switch_count; i++) {
		const struct fabric_switch *sw = &fabric->switches[i];
		const char *broken;

		CHECK(sw->first_uplink == next, "uplinks with gaps");
		CHECK(sw->uplink_count <= fabric->uplink_count - next,
		      "uplinks of a switch out of range");
		next += sw->uplink_count;
		broken = check_switch(fabric, i);
		if (broken)
			return broken;
	}
	CHECK(next == fabric->uplink_count, "uplinks of no switch");
	CHECK(fabric_find_switch(fabric, "") == FABRIC_NONE &&
	      fabric_find_node(fabric, "") == FABRIC_NONE,
	      "a name is found that nobody has");
	return NULL;
}

/* DOWN and NODES: zeroed scratch by switch. */
static const char *recount_down(const struct fabric *fabric, double *down,
				uint32_t *nodes)
{
	for (uint32_t i = 0; i < fabric->cable_count; i++) {
		down[fabric->cables[i].leaf] += fabric->cables[i].gbps;
		nodes[fabric->cables[i].leaf]++;
	}
	for (uint32_t i = 0; i < fabric->uplink_count; i++)
		down[fabric->uplinks[i].to] +=
			fabric->uplinks[i].gbps * fabric->uplinks[i].count;
	for (uint32_t i = 0; i < fabric->switch_count; i++) {
		CHECK(nearly(down[i], fabric->switches[i].down_gbps),
		      "capacity down is not that of what is below");
		CHECK(nodes[i] == fabric->switches[i].node_count,
		      "a leaf counts its nodes wrong");
	}
	return NULL;
}

static const char *check_down(const struct fabric *fabric)
{
	double *down = array_new(fabric->switch_count, sizeof(*down));
	uint32_t *nodes = array_new(fabric->switch_count, sizeof(*nodes));
	const char *broken = "out of memory";

	if (down && nodes)
		broken = recount_down(fabric, down, nodes);
	free(down);
	free(nodes);
	return broken;
}

static bool ascending(const uint32_t *members, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (members[i - 1] >= members[i])
			return false;
	return true;
}

static bool contains(const uint32_t *members, uint32_t count, uint32_t member)
{
	for (uint32_t i = 0; i < count; i++)
		if (members[i] == member)
			return true;
	return false;
}

static const char *check_leafset_of_node(const struct fabric *fabric,
					 const struct fabric_node *node)
{
	const struct fabric_leafset *set = &fabric->leafsets[node->leafset];
	const uint32_t *leaves = fabric->leafset_leaves + set->first_leaf;

	CHECK(set->leaf_count <= node->cable_count,
	      "a leafset larger than its nodes' cables");
	for (uint32_t k = 0; k < node->cable_count; k++)
		CHECK(contains(leaves, set->leaf_count, fabric->cables[
					node->first_cable + k].leaf),
		      "a leaf of a node is not in its leafset");
	return NULL;
}

static const char *check_leafset(const struct fabric *fabric, uint32_t index)
{
	const struct fabric_leafset *set = &fabric->leafsets[index];
	const uint32_t *leaves = fabric->leafset_leaves + set->first_leaf;
	const struct fabric_spineset *spines;

	CHECK(set->leaf_count > 0 && ascending(leaves, set->leaf_count),
	      "the leaves of a leafset are not ascending");
	CHECK(set->node_count > 0, "a leafset without nodes");
	CHECK(set->spineset < fabric->spineset_count,
	      "a spineset out of range");
	spines = &fabric->spinesets[set->spineset];
	for (uint32_t i = 0; i < set->leaf_count; i++) {
		const struct fabric_switch *leaf = &fabric->switches[leaves[i]];

		for (uint32_t k = 0; k < leaf->uplink_count; k++) {
			uint32_t to =
				fabric->uplinks[leaf->first_uplink + k].to;

			CHECK(fabric->switches[to].tier != FABRIC_SPINE ||
			      contains(fabric->spineset_spines +
				       spines->first_spine,
				       spines->spine_count, to),
			      "a Spine above a leaf is not in its spineset");
		}
	}
	CHECK(fabric_leafsets_meet(fabric, index, index) ==
	      (spines->spine_count > 0), "a leafset does not meet itself");
	return NULL;
}

static const char *check_spineset(const struct fabric *fabric, uint32_t index)
{
	const struct fabric_spineset *set = &fabric->spinesets[index];
	const uint32_t *spines = fabric->spineset_spines + set->first_spine;

	CHECK(ascending(spines, set->spine_count),
	      "the Spines of a spineset are not ascending");
	for (uint32_t k = 0; k < set->spine_count; k++)
		CHECK(spines[k] < fabric->switch_count &&
		      fabric->switches[spines[k]].tier == FABRIC_SPINE,
		      "a spineset holds what is no Spine");
	return NULL;
}

static const char *check_sets(const struct fabric *fabric)
{
	const char *broken = NULL;
	uint32_t nodes = 0;

	for (uint32_t i = 0; !broken && i < fabric->spineset_count; i++)
		broken = check_spineset(fabric, i);
	for (uint32_t i = 0; !broken && i < fabric->leafset_count; i++) {
		broken = check_leafset(fabric, i);
		nodes += fabric->leafsets[i].node_count;
	}
	for (uint32_t i = 0; !broken && i < fabric->node_count; i++)
		broken = check_leafset_of_node(fabric, &fabric->nodes[i]);
	if (broken)
		return broken;
	CHECK(nodes == fabric->node_count, "leafsets count nodes wrong");
	return NULL;
}

/* Only as many pairs as are quick: the first sets against each other. */
static const char *check_pairs(const struct fabric *fabric)
{
	uint32_t count = fabric->leafset_count < 64 ? fabric->leafset_count
						    : 64;

	for (uint32_t a = 0; a < count; a++) {
		for (uint32_t b = a + 1; b < count; b++) {
			const struct fabric_leafset *x = &fabric->leafsets[a];
			const struct fabric_leafset *y = &fabric->leafsets[b];
			const struct fabric_spineset *s =
				&fabric->spinesets[x->spineset];
			const struct fabric_spineset *t =
				&fabric->spinesets[y->spineset];
			bool touch = false;
			bool meet = false;

			for (uint32_t k = 0; k < x->leaf_count; k++)
				touch |= contains(
					fabric->leafset_leaves + y->first_leaf,
					y->leaf_count, fabric->leafset_leaves[
						x->first_leaf + k]);
			for (uint32_t k = 0; k < s->spine_count; k++)
				meet |= contains(
					fabric->spineset_spines +
						t->first_spine,
					t->spine_count,
					fabric->spineset_spines[
						s->first_spine + k]);
			CHECK(touch == fabric_leafsets_touch(fabric, a, b),
			      "leafsets touch that have no leaf in common");
			CHECK(meet == fabric_leafsets_meet(fabric, a, b),
			      "leafsets meet that have no Spine in common");
		}
	}
	return NULL;
}

static const char *check_domains(const struct fabric *fabric)
{
	uint64_t nodes = 0;

	for (uint32_t i = 0; i < fabric->domain_count; i++) {
		CHECK(fabric->domain_sizes[i] > 0, "an empty domain");
		nodes += fabric->domain_sizes[i];
	}
	CHECK(nodes == fabric->node_count, "domains count nodes wrong");
	return NULL;
}

const char *fabric_check(const struct fabric *fabric)
{
	static const char *(*const checks[])(const struct fabric *) = {
		check_arrays, check_nodes, check_switches, check_down,
		check_sets, check_pairs, check_domains,
	};

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		const char *broken = checks[i](fabric);

		if (broken)
			return broken;
	}
	return NULL;
}
