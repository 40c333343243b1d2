/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load: adds flows up on bundles. */

#include "load.h"

#include <stdlib.h>

int load_init(struct load *load, const struct fabric *fabric,
	      const struct kinds *kinds)
{
	load->fabric = fabric;
	load->kinds = kinds;
	load->cells = calloc((size_t)DIMENSIONS * LOAD_PARTS *
			     ((size_t)fabric->switch_count + 1),
			     sizeof(double));
	return load->cells ? 0 : -1;
}

void load_done(struct load *load)
{
	free(load->cells);
	load->cells = NULL;
}

double *load_cells(const struct load *load, enum dimension dimension,
		   enum load_part part)
{
	return load->cells + ((size_t)dimension * LOAD_PARTS + part) *
			     load->fabric->switch_count;
}

void load_add(struct load *load, const struct flow *flow)
{
	uint32_t from, to;

	if (flow->level < 2)
		return;
	from = kinds_leaf(load->kinds, load->fabric, flow->from, flow->rail);
	to = kinds_leaf(load->kinds, load->fabric, flow->to, flow->rail);
	load_cells(load, flow->dimension, LOAD_UP)[from] += flow->bytes;
	load_cells(load, flow->dimension, LOAD_DOWN)[to] +=
		flow->bytes + flow->hot_bytes;
	if (flow->level < 3)
		return;
	load_cells(load, flow->dimension, LOAD_CORE_UP)[from] += flow->bytes;
	load_cells(load, flow->dimension, LOAD_CORE_DOWN)[to] +=
		flow->bytes + flow->hot_bytes;
}

static void spread_leaf(struct load *load, uint32_t leaf, double *at_leaf,
			double *at_spines)
{
	const struct fabric *fabric = load->fabric;
	const struct fabric_switch *sw = &fabric->switches[leaf];
	const struct fabric_uplink *links = fabric->uplinks + sw->first_uplink;
	double capacity = 0, bytes = at_leaf[leaf];

	at_leaf[leaf] = 0;
	if (bytes == 0)
		return;
	for (uint32_t i = 0; i < sw->uplink_count; i++)
		if (fabric->switches[links[i].to].tier == FABRIC_SPINE)
			capacity += links[i].count * links[i].gbps;
	for (uint32_t i = 0; capacity > 0 && i < sw->uplink_count; i++)
		if (fabric->switches[links[i].to].tier == FABRIC_SPINE)
			at_spines[links[i].to] += bytes * links[i].count *
						  links[i].gbps / capacity;
}

void load_spread(struct load *load)
{
	for (int dim = 0; dim < DIMENSIONS; dim++) {
		enum dimension dimension = (enum dimension)dim;

		for (uint32_t sw = 0; sw < load->fabric->switch_count; sw++) {
			if (load->fabric->switches[sw].tier != FABRIC_LEAF)
				continue;
			spread_leaf(load, sw,
				    load_cells(load, dimension, LOAD_CORE_UP),
				    load_cells(load, dimension, LOAD_UP));
			spread_leaf(load, sw,
				    load_cells(load, dimension, LOAD_CORE_DOWN),
				    load_cells(load, dimension, LOAD_DOWN));
		}
	}
}
