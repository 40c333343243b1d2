/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary: what a fabric is, in numbers. See summary.h.
 */
#include "summary.h"

#include "core/nodeset.h"

static void add_switch(struct summary_tier *tier, const struct fabric *fabric,
		       uint32_t sw)
{
	double ratio = fabric_oversubscription(fabric, sw);

	tier->switches++;
	if (fabric->switches[sw].uplink_count == 0)
		return;
	tier->up_gbps += fabric->switches[sw].up_gbps;
	if (tier->with_uplinks == 0 || ratio < tier->least_oversubscribed)
		tier->least_oversubscribed = ratio;
	if (tier->with_uplinks == 0 || ratio > tier->most_oversubscribed)
		tier->most_oversubscribed = ratio;
	tier->with_uplinks++;
}

static void add_node(struct summary *summary, const struct fabric_node *node)
{
	if (node->gpus)
		summary->gpu_nodes++;
	else
		summary->cpu_nodes++;
	summary->gpus += node->gpus;
}

static void add_domain(struct summary *summary, uint32_t nodes)
{
	if (nodes < 2)
		return;
	if (summary->domains == 0 || nodes < summary->smallest_domain)
		summary->smallest_domain = nodes;
	if (nodes > summary->largest_domain)
		summary->largest_domain = nodes;
	summary->domains++;
}

/* Rails are numbered from 0: the highest one says how many there are. */
static uint32_t count_rails(const struct fabric *fabric)
{
	int32_t highest = FABRIC_ALL_RAILS;

	for (uint32_t i = 0; i < fabric->cable_count; i++) {
		if (fabric->cables[i].rail > highest)
			highest = fabric->cables[i].rail;
	}
	return (uint32_t)(highest + 1);
}

static int count_fabrics(const struct fabric *fabric, uint32_t *ret_count)
{
	struct nodeset seen;

	if (nodeset_init(&seen, fabric->component_count) < 0)
		return -1;
	for (uint32_t i = 0; i < fabric->node_count; i++)
		nodeset_add(&seen, fabric->nodes[i].component);
	*ret_count = (uint32_t)nodeset_count(&seen);
	nodeset_done(&seen);
	return 0;
}

int summary_init(struct summary *summary, const struct fabric *fabric)
{
	*summary = (struct summary){ 0 };
	for (uint32_t i = 0; i < fabric->switch_count; i++)
		add_switch(&summary->tiers[fabric->switches[i].tier], fabric,
			   i);
	for (uint32_t i = 0; i < fabric->node_count; i++)
		add_node(summary, &fabric->nodes[i]);
	for (uint32_t i = 0; i < fabric->domain_count; i++)
		add_domain(summary, fabric->domain_sizes[i]);
	summary->rails = count_rails(fabric);
	return count_fabrics(fabric, &summary->fabrics);
}
