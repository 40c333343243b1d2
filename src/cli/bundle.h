/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bundle: how wide and how full the links above some switches are.
 */
#ifndef LEAFSPINE_BUNDLE_H
#define LEAFSPINE_BUNDLE_H

#include "core/state.h"

struct bundle {
	double built_gbps;	/* sums over the switches */
	double healthy_gbps;
	double load_up_gbps;
	double load_down_gbps;
	/* Of the switch where it is the highest. */
	double oversubscription;	/* 0: no uplinks */
	double up_share;	/* load over what is healthy; 1 if that is 0 */
	double down_share;
};

/* COUNT switches that jobs see as one. */
void bundle_init(struct bundle *bundle, const struct state *state,
		 const uint32_t *switches, uint32_t count);

#endif
