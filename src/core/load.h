/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load: bytes per step on the links that a job's flows use.
 *
 * Kept by dimension and by bundle: all links of one switch to its parents, up
 * and down apart. What climbs from a leaf to the core is noted at the leaf and
 * spread over the Spines above it by load_spread, in proportion to the
 * capacity of the leaf's links to each, as equal-cost routing does.
 */
#ifndef LEAFSPINE_LOAD_H
#define LEAFSPINE_LOAD_H

#include "flows.h"

struct load {
	const struct fabric *fabric;
	const struct kinds *kinds;
	double *cells;		/* owned: [DIMENSIONS][4][switch_count] */
};

enum load_part { LOAD_UP, LOAD_DOWN, LOAD_CORE_UP, LOAD_CORE_DOWN, LOAD_PARTS };

/* All zero. 0, or -1 without memory. */
int load_init(struct load *load, const struct fabric *fabric,
	      const struct kinds *kinds);
void load_done(struct load *load);

/* Adds a flow of level 2 or 3 to its leaves' bundles; ignores others. */
void load_add(struct load *load, const struct flow *flow);

/* Moves what was noted at leaves for the core to the Spines' bundles. */
void load_spread(struct load *load);

/* The array by switch index of one dimension and part. */
double *load_cells(const struct load *load, enum dimension dimension,
		   enum load_part part);

#endif
