/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cost_prices: what a byte costs on each leaf's way up and down. */

#include "cost.h"

#include <stdlib.h>

static double at_least_one(double value)
{
	return value > 1 ? value : 1;
}

/* The Spines above LEAF taken as one bundle towards the core. */
static void price_core(struct cost_prices *prices, const struct state *state,
		       uint32_t leaf)
{
	const struct fabric *fabric = state->fabric;
	const struct fabric_switch *sw = &fabric->switches[leaf];
	double below = 0, built = 0, left_up = 0, left_down = 0;

	for (uint32_t i = 0; i < sw->uplink_count; i++) {
		uint32_t spine = fabric->uplinks[sw->first_uplink + i].to;

		if (fabric->switches[spine].tier != FABRIC_SPINE)
			continue;
		below += fabric->switches[spine].down_gbps;
		built += fabric->switches[spine].up_gbps;
		left_up += state_up_left_gbps(state, spine);
		left_down += state_down_left_gbps(state, spine);
	}
	prices->core_up[leaf] = 1;
	prices->core_down[leaf] = 1;
	if (built > 0) {
		double price = at_least_one(below / built) * built;

		prices->core_up[leaf] = price / left_up;
		prices->core_down[leaf] = price / left_down;
	}
}

static void price_leaf(struct cost_prices *prices, const struct state *state,
		       uint32_t leaf)
{
	const struct fabric_switch *sw = &state->fabric->switches[leaf];
	double price = at_least_one(fabric_oversubscription(state->fabric,
							    leaf));

	prices->up[leaf] = 1;
	prices->down[leaf] = 1;
	if (sw->up_gbps > 0) {
		prices->up[leaf] = price * sw->up_gbps /
				   state_up_left_gbps(state, leaf);
		prices->down[leaf] = price * sw->up_gbps /
				     state_down_left_gbps(state, leaf);
	}
	price_core(prices, state, leaf);
}

static bool leaves_alike(const struct cost_prices *prices,
			 const struct fabric *fabric)
{
	for (uint32_t i = 0; i < fabric->leafset_count; i++) {
		const struct fabric_leafset *set = &fabric->leafsets[i];
		const uint32_t *leaves =
			fabric->leafset_leaves + set->first_leaf;

		for (uint32_t k = 1; k < set->leaf_count; k++)
			if (prices->up[leaves[k]] != prices->up[*leaves] ||
			    prices->down[leaves[k]] != prices->down[*leaves] ||
			    prices->core_up[leaves[k]] !=
				prices->core_up[*leaves] ||
			    prices->core_down[leaves[k]] !=
				prices->core_down[*leaves])
				return false;
	}
	return true;
}

int cost_prices_init(struct cost_prices *prices, const struct state *state)
{
	const struct fabric *fabric = state->fabric;
	size_t count = fabric->switch_count;
	double *cells = calloc(4 * count + 1, sizeof(double));

	if (!cells)
		return -1;
	prices->up = cells;
	prices->down = cells + count;
	prices->core_up = cells + 2 * count;
	prices->core_down = cells + 3 * count;
	for (uint32_t sw = 0; sw < fabric->switch_count; sw++)
		if (fabric->switches[sw].tier == FABRIC_LEAF)
			price_leaf(prices, state, sw);
	prices->rails_alike = leaves_alike(prices, fabric);
	return 0;
}

void cost_prices_done(struct cost_prices *prices)
{
	free(prices->up);	/* one block, see cost_prices_init */
	prices->up = prices->down = NULL;
	prices->core_up = prices->core_down = NULL;
}

double cost_pair_price(const struct cost_prices *prices, uint32_t from_leaf,
		       uint32_t to_leaf, int level)
{
	double price, core;

	if (level < 2)
		return 0;
	price = prices->up[from_leaf] > prices->down[to_leaf] ?
		prices->up[from_leaf] : prices->down[to_leaf];
	if (level < 3)
		return price;
	core = prices->core_up[from_leaf] > prices->core_down[to_leaf] ?
	       prices->core_up[from_leaf] : prices->core_down[to_leaf];
	return price + core;
}
