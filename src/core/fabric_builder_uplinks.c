/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with the uplinks of a fabric. */
#define _GNU_SOURCE 1
#include "fabric_private.h"

#include <stdlib.h>

/* Both ends from symbols to indices; the target of a bad one: FABRIC_NONE. */
static int resolve_uplink(struct fabric_builder *builder,
			  struct builder_uplink *uplink)
{
	uint32_t to_symbol = uplink->to;
	const struct builder_symbol *parent = &builder->symbols[to_symbol];
	struct builder_switch *to;
	enum builder_fault_kind kind = FAULT_PARENT_UNKNOWN;

	uplink->from = builder_lower_switch(builder, uplink->from,
					    uplink->from_sw);
	uplink->to = FABRIC_NONE;
	if (parent->sw == FABRIC_NONE) {
		if (fabric_lost_has(&builder->lost[FABRIC_LOST_SWITCHES],
				    parent->name))
			return 0;
	} else {
		to = &builder->switches[parent->sw];
		to->has_children = true;
		/* Which of two switches that are called so may be meant? */
		if (uplink->from == FABRIC_NONE || to->ambiguous)
			return 0;
		kind = FAULT_PARENT_PLANE;
		if (parent->sw == uplink->from)
			kind = FAULT_PARENT_SELF;
		else if (to->compute ==
			 builder->switches[uplink->from].compute)
			uplink->to = parent->sw;
	}
	if (uplink->to != FABRIC_NONE)
		return 0;
	return builder_fault(builder, kind, uplink->origin, to_symbol,
			     FABRIC_NONE, 0);
}

static bool climbs(const struct fabric_builder *builder,
		   const struct builder_uplink *uplink)
{
	enum fabric_tier from = builder->switches[uplink->from].tier;
	enum fabric_tier to = builder->switches[uplink->to].tier;

	return to > from || from == FABRIC_TIER_UNKNOWN ||
	       (builder->options.core_may_stack && from == FABRIC_CORE &&
		to == FABRIC_CORE);
}

/* A walk in depth over the uplinks, without recursion. */
struct walk {
	struct fabric_builder *builder;
	const uint32_t *first;	/* the uplinks of each switch */
	const uint32_t *order;
	uint32_t *next;		/* of each switch: the uplink to take next */
	uint32_t *path;
	unsigned char *seen;	/* 1 while on the path, 2 when done */
};

static void walk_from(struct walk *walk, uint32_t start)
{
	size_t depth = 0;

	walk->path[depth++] = start;
	walk->seen[start] = 1;
	while (depth > 0) {
		uint32_t sw = walk->path[depth - 1];
		struct builder_uplink *uplink;

		if (walk->next[sw] == walk->first[sw + 1]) {
			walk->seen[sw] = 2;
			depth--;
			continue;
		}
		uplink = &walk->builder->uplinks[
			walk->order[walk->next[sw]++]];
		if (walk->seen[uplink->to] == 1)
			uplink->closes_cycle = true;
		if (walk->seen[uplink->to])
			continue;
		walk->path[depth++] = uplink->to;
		walk->seen[uplink->to] = 1;
	}
}

/* Where a switch of unknown tier stands is guessed. */
static enum fabric_tier likely_tier(const struct builder_switch *sw)
{
	if (sw->tier == FABRIC_TIER_UNKNOWN && sw->has_nodes)
		return FABRIC_LEAF;
	return sw->tier;
}

/* From the leaves on, so that what closes a cycle is what leads down. */
static int mark_cycles(struct fabric_builder *builder, const uint32_t *first,
		       const uint32_t *order)
{
	size_t count = builder->switch_count;
	struct walk walk = {
		.builder = builder,
		.first = first,
		.order = order,
		.next = array_new(count, sizeof(uint32_t)),
		.path = array_new(count, sizeof(uint32_t)),
		.seen = array_new(count, 1),
	};
	int status = walk.next && walk.path && walk.seen ? 0 : -1;

	if (status == 0) {
		memcpy(walk.next, first, count * sizeof(*first));
		for (int tier = 0; tier <= (int)FABRIC_TIER_UNKNOWN; tier++)
			for (size_t i = 0; i < count; i++)
				if ((int)likely_tier(&builder->switches[i]) ==
				    tier && !walk.seen[i])
					walk_from(&walk, (uint32_t)i);
	}
	free(walk.next);
	free(walk.path);
	free(walk.seen);
	return status;
}

/* LAST_FROM[t]: the switch that last named t as its parent, plus 1. */
static int check_parent(struct fabric_builder *builder,
			const struct builder_uplink *uplink,
			uint32_t *last_from)
{
	uint32_t to = builder->switches[uplink->to].symbol;
	uint32_t from = builder->switches[uplink->from].symbol;

	if (last_from[uplink->to] == uplink->from + 1)
		return builder_fault(builder, FAULT_PARENT_TWICE,
				     uplink->origin, to, from, 0);
	last_from[uplink->to] = uplink->from + 1;
	if (uplink->closes_cycle)
		return builder_fault(builder, FAULT_PARENT_CYCLE,
				     uplink->origin, to, FABRIC_NONE, 0);
	if (!climbs(builder, uplink))
		return builder_fault(builder, FAULT_PARENT_LOW, uplink->origin,
				     to, FABRIC_NONE,
				     builder->switches[uplink->from].tier);
	return 0;
}

static int check_parents(struct fabric_builder *builder,
			 const uint32_t *keys)
{
	uint32_t *last_from = array_new(builder->switch_count,
					sizeof(*last_from));
	uint32_t *first = NULL;
	uint32_t *order = NULL;
	int status = -1;

	if (last_from && !builder_group(keys, builder->uplink_count,
					builder->switch_count, &first, &order))
		status = mark_cycles(builder, first, order);
	for (size_t i = 0; status == 0 && i < first[builder->switch_count];
	     i++)
		status = check_parent(builder, &builder->uplinks[order[i]],
				      last_from);
	free(last_from);
	free(first);
	free(order);
	return status;
}

static int check_uplinks(struct fabric_builder *builder)
{
	size_t count = builder->uplink_count;
	uint32_t *keys = array_new(count, sizeof(*keys));
	int status = keys ? 0 : -1;

	for (size_t i = 0; status == 0 && i < count; i++) {
		struct builder_uplink *uplink = &builder->uplinks[i];

		status = resolve_uplink(builder, uplink);
		keys[i] = uplink->to == FABRIC_NONE ? FABRIC_NONE
						    : uplink->from;
	}
	if (status == 0)
		status = check_parents(builder, keys);
	free(keys);
	return status;
}

static bool seems_empty(const struct fabric_builder *builder,
			const struct builder_switch *sw)
{
	if (!sw->compute || sw->again || builder->too_much ||
	    sw->tier == FABRIC_TIER_UNKNOWN)
		return false;
	if (sw->tier == FABRIC_LEAF)
		return !sw->has_nodes;
	return !sw->has_children &&
	       !fabric_lost_has(&builder->lost[FABRIC_LOST_UPLINKS],
				builder->symbols[sw->symbol].name);
}

static int warn_of_switches(struct fabric_builder *builder)
{
	for (size_t i = 0; i < builder->switch_count; i++) {
		const struct builder_switch *sw = &builder->switches[i];

		if (seems_empty(builder, sw) &&
		    builder_fault(builder, sw->tier == FABRIC_LEAF
				  ? FAULT_LEAF_EMPTY : FAULT_CHILDLESS,
				  sw->origin, sw->symbol, FABRIC_NONE, 0))
			return -1;
	}
	return 0;
}

int builder_check_uplinks(struct fabric_builder *builder)
{
	if (check_uplinks(builder))
		return -1;
	return warn_of_switches(builder);
}
