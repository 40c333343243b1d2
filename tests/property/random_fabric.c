/* SPDX-License-Identifier: GPL-2.0-or-later */
/* random_fabric: draws plans of fabrics and builds them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric_builder.h"
#include "random_fabric.h"

/* --- numbers --- */

void random_seed(struct random_source *source, uint64_t seed)
{
	source->state = seed;
}

/* splitmix64: seeds that differ by one give unlike streams. */
static uint64_t next(struct random_source *source)
{
	uint64_t z = source->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

uint32_t random_below(struct random_source *source, uint32_t below)
{
	return (uint32_t)((next(source) >> 32) * below >> 32);
}

bool random_chance(struct random_source *source, uint32_t percent)
{
	return random_below(source, 100) < percent;
}

void random_shuffle(struct random_source *source, uint32_t *items,
		    uint32_t count)
{
	uint32_t i, j, kept;

	for (i = count; i > 1; i--) {
		j = random_below(source, i);
		kept = items[i - 1];
		items[i - 1] = items[j];
		items[j] = kept;
	}
}

uint64_t random_first_seed(uint64_t fallback)
{
	const char *text = getenv("LEAFSPINE_SEED");

	return text && *text ? strtoull(text, NULL, 0) : fallback;
}

uint32_t random_cases(uint32_t fallback)
{
	const char *text = getenv("LEAFSPINE_CASES");

	return text && *text ? (uint32_t)strtoul(text, NULL, 0) : fallback;
}

/* --- plans --- */

/* What all of one unconnected part have in common. */
struct part {
	struct plan *plan;
	struct random_source *source;
	uint32_t number;
	uint32_t rails;		/* 0: none */
	bool holes;		/* some nodes lack a rail */
	bool tangled;		/* some rails end at another unit's leaf */
	uint32_t gpus;		/* 0: each node its own */
	uint32_t units[PLAN_SWITCHES_MAX];	/* first leaf of each unit */
	uint32_t unit_count;
};

static uint32_t pick_gbps(struct random_source *source)
{
	static const uint32_t rates[] = { 100, 200, 400, 800 };

	return rates[random_below(source, 4)];
}

static uint32_t add_switch(struct plan *plan, enum fabric_tier tier)
{
	struct plan_switch *sw = &plan->switches[plan->switch_count];

	sw->tier = tier;
	sw->health = 100;
	return plan->switch_count++;
}

static void add_cable(struct plan *plan, uint32_t leaf, uint32_t node,
		      int rail)
{
	plan->cables[plan->cable_count++] = (struct plan_cable){
		.leaf = leaf, .node = node, .rail = rail };
}

static void add_uplink(struct plan *plan, uint32_t from, uint32_t to,
		       uint32_t gbps, uint32_t count)
{
	plan->uplinks[plan->uplink_count++] = (struct plan_uplink){
		.from = from, .to = to, .gbps = gbps, .count = count };
}

/* A leaf, or one leaf for each rail; their Spines come later. */
static void add_unit(struct part *part)
{
	uint32_t leaves = part->rails ? part->rails : 1, i, leaf;

	for (i = 0; i < leaves; i++) {
		leaf = add_switch(part->plan, FABRIC_LEAF);
		if (i == 0)
			part->units[part->unit_count++] = leaf;
	}
}

/* Links every leaf of UNIT to [FIRST, FIRST+COUNT), or to some of them. */
static void link_unit(struct part *part, uint32_t unit, uint32_t first,
		      uint32_t count, bool all)
{
	uint32_t leaves = part->rails ? part->rails : 1, i, parent, must;

	for (i = 0; i < leaves; i++) {
		must = random_below(part->source, count);
		for (parent = 0; parent < count; parent++)
			if (all || parent == must ||
			    random_chance(part->source, 60))
				add_uplink(part->plan, part->units[unit] + i,
					   first + parent,
					   pick_gbps(part->source),
					   1 + random_below(part->source, 3));
	}
}

static uint32_t add_several(struct plan *plan, enum fabric_tier tier,
			    uint32_t count)
{
	uint32_t first = plan->switch_count;

	while (count--)
		add_switch(plan, tier);
	return first;
}

static void two_tiers(struct part *part)
{
	uint32_t units = 1 + random_below(part->source, 4), i;
	uint32_t spines = 1 + random_below(part->source, 3), first;

	for (i = 0; i < units; i++)
		add_unit(part);
	first = add_several(part->plan, FABRIC_SPINE, spines);
	for (i = 0; i < units; i++)
		link_unit(part, i, first, spines, true);
}

/* Pods of leaves and Spines under a core; some leaves skip the Spine. */
static void three_tiers(struct part *part, bool skipping)
{
	uint32_t cores = 1 + random_below(part->source, 2);
	uint32_t pods = 2 + random_below(part->source, 2), pod, i, j;
	uint32_t core = add_several(part->plan, FABRIC_CORE, cores);
	uint32_t units, spines, first, before;

	for (pod = 0; pod < pods; pod++) {
		before = part->unit_count;
		units = 1 + random_below(part->source, 2);
		for (i = 0; i < units; i++)
			add_unit(part);
		spines = 1 + random_below(part->source, 2);
		first = add_several(part->plan, FABRIC_SPINE, spines);
		for (i = before; i < part->unit_count; i++)
			link_unit(part, i, first, spines, false);
		for (i = 0; i < spines; i++)
			for (j = 0; j < cores; j++)
				add_uplink(part->plan, first + i, core + j,
					   pick_gbps(part->source),
					   1 + random_below(part->source, 3));
	}
	if (!skipping)
		return;
	if (random_chance(part->source, 50))	/* beside its Spines */
		link_unit(part, 0, core, cores, true);
	add_unit(part);
	link_unit(part, part->unit_count - 1, core, cores, false);
}

static uint32_t add_node(struct part *part)
{
	struct random_source *source = part->source;
	struct plan_node *node = &part->plan->nodes[part->plan->node_count];

	node->gpus = part->gpus ? part->gpus : 1 + random_below(source, 5);
	if (random_chance(source, 3))
		node->gpus = 0;
	node->nics = part->rails ? part->rails + random_below(source, 2) :
				   1 + random_below(source, 4);
	node->nic_gbps = pick_gbps(source);
	node->part = part->number;
	if (node->gpus && random_chance(source, 25))
		node->used = random_below(source, node->gpus + 1);
	return part->plan->node_count++;
}

/* The first node of a unit has all its rails, so that no leaf is empty. */
static void cable_node(struct part *part, uint32_t node, uint32_t unit,
		       bool whole)
{
	uint32_t rail, at;

	if (!part->rails) {
		add_cable(part->plan, part->units[unit], node,
			  FABRIC_ALL_RAILS);
		return;
	}
	for (rail = 0; rail < part->rails; rail++) {
		if (!whole && part->holes && rail > 0 &&
		    random_chance(part->source, 30))
			continue;
		at = !whole && part->tangled &&
		     random_chance(part->source, 20) ?
		     random_below(part->source, part->unit_count) : unit;
		add_cable(part->plan, part->units[at] + rail, node, (int)rail);
	}
}

/* NVLink domains of a few neighbours, at times over the border of a leaf. */
static void add_domains(struct part *part, uint32_t first)
{
	uint32_t size = 2 + random_below(part->source, 3), node;

	for (node = first; node < part->plan->node_count; node++)
		part->plan->nodes[node].domain =
			1 + part->number * 1000 + node / size;
}

static void add_nodes(struct part *part)
{
	uint32_t first = part->plan->node_count, unit, nodes, i;

	for (unit = 0; unit < part->unit_count; unit++) {
		nodes = 1 + random_below(part->source, 4);
		for (i = 0; i < nodes; i++)
			cable_node(part, add_node(part), unit, i == 0);
	}
	if (random_chance(part->source, 30))
		add_domains(part, first);
}

static void draw_part(struct part *part)
{
	uint32_t shape = random_below(part->source, 10);

	if (random_chance(part->source, 45)) {
		part->rails = 2 + random_below(part->source, 3);
		part->holes = random_chance(part->source, 40);
		part->tangled = random_chance(part->source, 25);
	}
	if (random_chance(part->source, 60))
		part->gpus = random_chance(part->source, 15) ? 8 :
			     1 + random_below(part->source, 4);
	if (shape == 0)
		add_unit(part);
	else if (shape < 5)
		two_tiers(part);
	else
		three_tiers(part, shape >= 8);
	add_nodes(part);
}

static void draw_links(struct random_source *source, struct plan *plan)
{
	uint32_t i;

	if (random_chance(source, 40))
		return;
	for (i = 0; i < plan->switch_count; i++) {
		if (random_chance(source, 30))
			plan->switches[i].health = random_below(source, 101);
		plan->switches[i].up = random_below(source, 80);
		plan->switches[i].down = random_below(source, 80);
	}
}

void plan_random(struct random_source *source, struct plan *ret)
{
	uint32_t part;

	memset(ret, 0, sizeof(*ret));
	ret->parts = 1 + random_chance(source, 20);
	for (part = 0; part < ret->parts; part++) {
		struct part drawn = { .plan = ret, .source = source,
				      .number = part };

		draw_part(&drawn);
	}
	draw_links(source, ret);
}

void plan_two_tier(struct plan *ret, uint32_t leaves, const uint32_t *nodes,
		   uint32_t gpus, uint32_t uplink_percent)
{
	uint32_t leaf, i, spine, first;

	memset(ret, 0, sizeof(*ret));
	ret->parts = 1;
	first = add_several(ret, FABRIC_LEAF, leaves);
	spine = add_switch(ret, FABRIC_SPINE);
	for (leaf = 0; leaf < leaves; leaf++) {
		for (i = 0; i < nodes[leaf]; i++) {
			ret->nodes[ret->node_count] = (struct plan_node){
				.gpus = gpus, .nics = gpus ? gpus : 1,
				.nic_gbps = 400 };
			add_cable(ret, first + leaf, ret->node_count++,
				  FABRIC_ALL_RAILS);
		}
		add_uplink(ret, first + leaf, spine,
			   4 * uplink_percent * nodes[leaf], gpus);
	}
}
