/* SPDX-License-Identifier: GPL-2.0-or-later */
/* random_build: makes a plan a fabric, under one labelling of many. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "fabric_builder.h"
#include "random_fabric.h"

struct labels {
	uint32_t node_name[PLAN_NODES_MAX];
	uint32_t switch_name[PLAN_SWITCHES_MAX];
	uint32_t node_order[PLAN_NODES_MAX];	/* of declaration */
	uint32_t switch_order[PLAN_SWITCHES_MAX];
	uint32_t cable_order[PLAN_CABLES_MAX];
	uint32_t uplink_order[PLAN_UPLINKS_MAX];
};

static void shuffled(struct random_source *source, uint32_t *items,
		     uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		items[i] = i;
	if (source)
		random_shuffle(source, items, count);
}

static void draw_labels(const struct plan *plan, struct random_source *source,
			struct labels *ret)
{
	shuffled(source, ret->node_name, plan->node_count);
	shuffled(source, ret->switch_name, plan->switch_count);
	shuffled(source, ret->node_order, plan->node_count);
	shuffled(source, ret->switch_order, plan->switch_count);
	shuffled(source, ret->cable_order, plan->cable_count);
	shuffled(source, ret->uplink_order, plan->uplink_count);
}

/* Numbers of unlike length, so that natural and plain order differ. */
static const char *node_name(const struct labels *labels, uint32_t node,
			     char *buffer)
{
	snprintf(buffer, 32, "n%u", labels->node_name[node] + 1);
	return buffer;
}

static const char *switch_name(const struct labels *labels, uint32_t sw,
			       char *buffer)
{
	snprintf(buffer, 32, "sw%u", labels->switch_name[sw] + 1);
	return buffer;
}

static void on_fault(void *context, uint32_t origin, enum fabric_field field,
		     enum diag_severity severity, const char *text)
{
	(void)context;
	if (severity == DIAG_ERROR)
		ck_abort_msg("a random fabric has a fault: origin %u field %d"
			     ": %s", origin, (int)field, text);
}

static void declare_nodes(struct fabric_builder *builder,
			  const struct plan *plan, const struct labels *labels)
{
	char name[32], domain[32];
	uint32_t i, at;

	for (i = 0; i < plan->node_count; i++) {
		struct fabric_node_attributes attributes;

		at = labels->node_order[i];
		attributes.gpus = plan->nodes[at].gpus;
		attributes.nics = plan->nodes[at].nics;
		attributes.nic_gbps = plan->nodes[at].nic_gbps;
		snprintf(domain, sizeof(domain), "domain%u",
			 plan->nodes[at].domain);
		attributes.domain = plan->nodes[at].domain ? domain : NULL;
		ck_assert_int_eq(fabric_builder_node(
			builder, node_name(labels, at, name), &attributes, at),
			0);
	}
}

static void declare_switches(struct fabric_builder *builder,
			     const struct plan *plan,
			     const struct labels *labels)
{
	char name[32];
	uint32_t i, at;

	for (i = 0; i < plan->switch_count; i++) {
		at = labels->switch_order[i];
		ck_assert_int_eq(fabric_builder_switch(
			builder, switch_name(labels, at, name),
			plan->switches[at].tier, true, 1000 + at), 0);
	}
}

static void declare_links(struct fabric_builder *builder,
			  const struct plan *plan, const struct labels *labels)
{
	char name[32], other[32];
	uint32_t i;

	for (i = 0; i < plan->cable_count; i++) {
		const struct plan_cable *cable =
			&plan->cables[labels->cable_order[i]];

		ck_assert_int_eq(fabric_builder_cable(
			builder, switch_name(labels, cable->leaf, name),
			node_name(labels, cable->node, other), cable->rail,
			2000), 0);
	}
	for (i = 0; i < plan->uplink_count; i++) {
		const struct plan_uplink *link =
			&plan->uplinks[labels->uplink_order[i]];

		ck_assert_int_eq(fabric_builder_uplink(
			builder, switch_name(labels, link->from, name),
			switch_name(labels, link->to, other), link->gbps,
			link->count, 3000), 0);
	}
}

static struct fabric *build_fabric(const struct plan *plan,
				   const struct labels *labels)
{
	struct fabric_builder_options options = { .fault = on_fault };
	struct fabric_builder *builder = fabric_builder_new(&options);
	struct fabric *fabric;
	bool no_memory = false;
	const char *broken;

	ck_assert_ptr_nonnull(builder);
	ck_assert_int_eq(fabric_builder_name(builder, "random"), 0);
	declare_nodes(builder, plan, labels);
	declare_switches(builder, plan, labels);
	declare_links(builder, plan, labels);
	fabric = fabric_builder_finish(builder, &no_memory);
	fabric_builder_free(builder);
	ck_assert_msg(fabric != NULL, "no fabric%s",
		      no_memory ? ": no memory" : "");
	broken = fabric_check(fabric);
	ck_assert_msg(!broken, "fabric_check: %s", broken);
	return fabric;
}

static double built_gbps(const struct plan *plan, uint32_t sw)
{
	double sum = 0;
	uint32_t i;

	for (i = 0; i < plan->uplink_count; i++)
		if (plan->uplinks[i].from == sw)
			sum += (double)plan->uplinks[i].gbps *
			       plan->uplinks[i].count;
	return sum;
}

static void set_state(const struct plan *plan, struct built *built)
{
	struct state *state = built->state;
	uint32_t i, sw;

	for (i = 0; i < plan->node_count; i++)
		state->gpus_used[built->node[i]] = plan->nodes[i].used;
	for (i = 0; i < plan->switch_count; i++) {
		const struct plan_switch *from = &plan->switches[i];
		double built_here = built_gbps(plan, i);

		sw = built->sw[i];
		state->healthy_gbps[sw] = built_here * from->health / 100;
		state->load_up_gbps[sw] = built_here * from->up / 100;
		state->load_down_gbps[sw] = built_here * from->down / 100;
	}
}

void plan_build(const struct plan *plan, struct random_source *source,
		struct built *ret)
{
	struct labels labels;
	char name[32];
	uint32_t i;

	memset(ret, 0, sizeof(*ret));
	draw_labels(plan, source, &labels);
	ret->fabric = build_fabric(plan, &labels);
	for (i = 0; i < plan->node_count; i++) {
		ret->node[i] = fabric_find_node(ret->fabric,
						node_name(&labels, i, name));
		ck_assert_uint_ne(ret->node[i], FABRIC_NONE);
	}
	for (i = 0; i < plan->switch_count; i++) {
		ret->sw[i] = fabric_find_switch(ret->fabric,
						switch_name(&labels, i, name));
		ck_assert_uint_ne(ret->sw[i], FABRIC_NONE);
	}
	ret->state = state_new(ret->fabric);
	ck_assert_ptr_nonnull(ret->state);
	set_state(plan, ret);
}

void built_done(struct built *built)
{
	state_free(built->state);
	fabric_free(built->fabric);
	memset(built, 0, sizeof(*built));
}
