/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recount_fabric: levels and prices, by walking cables and uplinks. */
#include <stdlib.h>

#include "recount_internal.h"

static const struct fabric_cable *cable_at(const struct fabric *fabric,
					   uint32_t node, uint32_t i)
{
	return &fabric->cables[fabric->nodes[node].first_cable + i];
}

bool recount_share_leaf(const struct fabric *fabric, uint32_t a, uint32_t b)
{
	uint32_t i, j;

	for (i = 0; i < fabric->nodes[a].cable_count; i++)
		for (j = 0; j < fabric->nodes[b].cable_count; j++)
			if (cable_at(fabric, a, i)->leaf ==
			    cable_at(fabric, b, j)->leaf)
				return true;
	return false;
}

static bool leaf_under_spine(const struct fabric *fabric, uint32_t leaf,
			uint32_t spine)
{
	const struct fabric_switch *sw = &fabric->switches[leaf];
	uint32_t i;

	if (fabric->switches[spine].tier != FABRIC_SPINE)
		return false;
	for (i = 0; i < sw->uplink_count; i++)
		if (fabric->uplinks[sw->first_uplink + i].to == spine)
			return true;
	return false;
}

bool recount_under_spine(const struct fabric *fabric, uint32_t node,
			     uint32_t spine)
{
	uint32_t i;

	for (i = 0; i < fabric->nodes[node].cable_count; i++)
		if (leaf_under_spine(fabric, cable_at(fabric, node, i)->leaf,
				     spine))
			return true;
	return false;
}

int recount_level(const struct fabric *fabric, uint32_t a, uint32_t b)
{
	uint32_t spine;

	if (a == b || fabric->nodes[a].domain == fabric->nodes[b].domain)
		return 0;
	if (recount_share_leaf(fabric, a, b))
		return 1;
	for (spine = 0; spine < fabric->switch_count; spine++)
		if (recount_under_spine(fabric, a, spine) &&
		    recount_under_spine(fabric, b, spine))
			return 2;
	return 3;
}

/* The leaf that traffic on RAIL takes at NODE; a missing rail wraps. */
uint32_t recount_leaf_of_rail(const struct fabric *fabric, uint32_t node,
			     uint32_t rail)
{
	uint32_t count = fabric->nodes[node].cable_count;
	uint32_t i;

	for (i = 0; i < count; i++)
		if (cable_at(fabric, node, i)->rail == (int32_t)rail)
			return cable_at(fabric, node, i)->leaf;
	if (cable_at(fabric, node, 0)->rail == FABRIC_ALL_RAILS)
		return cable_at(fabric, node, 0)->leaf;
	return cable_at(fabric, node, rail % count)->leaf;
}

/* --- prices --- */

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* Capacity that ends at SW from below: nodes' cables and children's links. */
static double capacity_below(const struct fabric *fabric, uint32_t sw)
{
	double sum = 0;
	uint32_t i;

	for (i = 0; i < fabric->cable_count; i++)
		if (fabric->cables[i].leaf == sw)
			sum += fabric->cables[i].gbps;
	for (i = 0; i < fabric->uplink_count; i++)
		if (fabric->uplinks[i].to == sw)
			sum += fabric->uplinks[i].gbps *
			       fabric->uplinks[i].count;
	return sum;
}

static double capacity_above(const struct fabric *fabric, uint32_t sw)
{
	const struct fabric_switch *s = &fabric->switches[sw];
	double sum = 0;
	uint32_t i;

	for (i = s->first_uplink; i < s->first_uplink + s->uplink_count; i++)
		sum += fabric->uplinks[i].gbps * fabric->uplinks[i].count;
	return sum;
}

static double left_of(const struct state *state, uint32_t sw, bool upwards)
{
	double load = upwards ? state->load_up_gbps[sw] :
				state->load_down_gbps[sw];

	return larger(state->healthy_gbps[sw] - load,
		      capacity_above(state->fabric, sw) / 100);
}

/* The price of the bundles of all SWITCHES together; 1 where they have none. */
static double bundle_price(const struct state *state, const uint32_t *switches,
			   uint32_t count, bool upwards)
{
	double down = 0, built = 0, left = 0;
	uint32_t i;

	for (i = 0; i < count; i++) {
		down += capacity_below(state->fabric, switches[i]);
		built += capacity_above(state->fabric, switches[i]);
		left += left_of(state, switches[i], upwards);
	}
	if (built <= 0)
		return 1;
	return larger(1, down / built) * built / left;
}

void recount_prices(const struct state *state, struct cost_prices *ret)
{
	const struct fabric *fabric = state->fabric;
	uint32_t count = fabric->switch_count, spines, leaf, spine;
	uint32_t *above = recount_need(count, sizeof(*above));

	ret->up = recount_need(count, sizeof(double));
	ret->down = recount_need(count, sizeof(double));
	ret->core_up = recount_need(count, sizeof(double));
	ret->core_down = recount_need(count, sizeof(double));
	for (leaf = 0; leaf < count; leaf++) {
		ret->up[leaf] = bundle_price(state, &leaf, 1, true);
		ret->down[leaf] = bundle_price(state, &leaf, 1, false);
		spines = 0;
		for (spine = 0; spine < count; spine++)
			if (leaf_under_spine(fabric, leaf, spine))
				above[spines++] = spine;
		ret->core_up[leaf] = bundle_price(state, above, spines, true);
		ret->core_down[leaf] =
			bundle_price(state, above, spines, false);
	}
	free(above);
}

void recount_prices_done(struct cost_prices *prices)
{
	free(prices->up);
	free(prices->down);
	free(prices->core_up);
	free(prices->core_down);
}
