/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bundle: how wide and how full the links above some switches are. See
 * bundle.h.
 */
#include "bundle.h"

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double share_taken(double load, double healthy)
{
	return healthy > 0 ? load / healthy : 1;
}

static void add_switch(struct bundle *bundle, const struct state *state,
		       uint32_t sw)
{
	double healthy = state->healthy_gbps[sw];
	double up = state->load_up_gbps[sw];
	double down = state->load_down_gbps[sw];

	if (state->fabric->switches[sw].uplink_count == 0)
		return;
	bundle->built_gbps += state->fabric->switches[sw].up_gbps;
	bundle->healthy_gbps += healthy;
	bundle->load_up_gbps += up;
	bundle->load_down_gbps += down;
	bundle->oversubscription = larger(bundle->oversubscription,
			fabric_oversubscription(state->fabric, sw));
	bundle->up_share = larger(bundle->up_share, share_taken(up, healthy));
	bundle->down_share = larger(bundle->down_share,
				    share_taken(down, healthy));
}

void bundle_init(struct bundle *bundle, const struct state *state,
		 const uint32_t *switches, uint32_t count)
{
	*bundle = (struct bundle){ 0 };
	for (uint32_t i = 0; i < count; i++)
		add_switch(bundle, state, switches[i]);
}
