/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fabric from Slurm's topology.conf: its numbers, and how it is built.
 *
 * The file says nothing of GPUs, NICs and link rates: nodes and uplinks get the
 * defaults. LinkSpeed is ignored, as Slurm does, since its unit is left to the
 * site.
 */
#define _GNU_SOURCE 1
#include "fabric_conf.h"

#include "fabric_builder.h"
#include "fabric_read.h"
#include "text_file.h"

static enum fabric_tier tier_of(const struct conf_graph *graph, size_t sw)
{
	if (graph->level[sw] == 0)
		return FABRIC_LEAF;
	return graph->level[sw] == 1 ? FABRIC_SPINE : FABRIC_CORE;
}

/* A node that a second leaf names too is the same node. */
static int add_leaf_nodes(struct fabric_builder *builder,
			  const struct conf_switch *sw, uint32_t index)
{
	const struct fabric_node_attributes attributes = {
		.gpus = FABRIC_DEFAULT_GPUS,
		.nics = FABRIC_DEFAULT_GPUS,
		.nic_gbps = FABRIC_DEFAULT_GBPS,
		.domain = sw->block ? sw->name : NULL,
	};

	for (size_t i = 0; i < sw->nodes.count; i++)
		if (fabric_builder_node_once(builder, sw->nodes.names[i],
					     &attributes, index) ||
		    fabric_builder_cable(builder, sw->name,
					 sw->nodes.names[i],
					 FABRIC_ALL_RAILS, index))
			return -1;
	return 0;
}

static int add_switch(struct conf_graph *graph, struct fabric_builder *builder,
		      uint32_t index)
{
	const struct conf_switch *sw = &graph->conf->switches[index];
	enum fabric_tier tier = tier_of(graph, index);

	if (fabric_builder_switch(builder, sw->name, tier, true, index))
		return -1;
	if (tier == FABRIC_LEAF && add_leaf_nodes(builder, sw, index))
		return -1;
	/* Of unknown children and of cycles enough is said already. */
	if (sw->children.count || sw->lost[CONF_NODES] ||
	    sw->lost[CONF_SWITCHES])
		return fabric_builder_not_empty(builder, sw->name);
	return 0;
}

/* It cannot be told which links are those of a switch that stands twice. */
static int add_child_links(struct conf_graph *graph,
			   struct fabric_builder *builder, uint32_t index)
{
	const struct conf_switch *parent = &graph->conf->switches[index];

	if (parent->repeated)
		return 0;
	for (uint32_t k = graph->first_child[index];
	     k < graph->first_child[index + 1]; k++) {
		const struct conf_switch *child =
			&graph->conf->switches[graph->children[k]];

		if (!child->repeated &&
		    fabric_builder_uplink(builder, child->name, parent->name,
					  FABRIC_DEFAULT_GBPS, 1, index))
			return -1;
	}
	return 0;
}

static int fill_builder(struct conf_graph *graph,
			struct fabric_builder *builder)
{
	const struct conf *conf = graph->conf;

	if (conf->lost_nodes &&
	    fabric_builder_lost(builder, FABRIC_LOST_NODES, NULL))
		return -1;
	for (size_t i = 0; i < conf->count; i++)
		if (add_switch(graph, builder, (uint32_t)i))
			return -1;
	for (size_t i = 0; i < graph->ordered; i++)
		if (add_child_links(graph, builder, graph->order[i]))
			return -1;
	return 0;
}

static enum conf_key key_of(enum fabric_field field)
{
	switch (field) {
	case FABRIC_FIELD_SWITCH_NODES:
	case FABRIC_FIELD_NODE_NAMES:
		return CONF_NODES;
	case FABRIC_FIELD_UPLINK_TO:
		return CONF_SWITCHES;
	case FABRIC_FIELD_WHOLE:
	case FABRIC_FIELD_SWITCH_NAME:
	case FABRIC_FIELD_SWITCH_RAIL:
		break;
	}
	return CONF_NAME;
}

static void report_fault(void *context, uint32_t origin,
			 enum fabric_field field, enum diag_severity severity,
			 const char *text)
{
	struct conf *conf = context;
	const struct conf_switch *sw;
	enum conf_key key = key_of(field);
	struct conf_place place;

	if (origin == FABRIC_NONE) {
		diag_add(conf->diag, severity, 1, 1, "$", "%s", text);
		return;
	}
	sw = &conf->switches[origin];
	place = sw->keys[fabric_conf_has(sw, key) ? key : CONF_NAME];
	fabric_conf_fault(conf, severity, place, sw, key, "%s", text);
}

static struct fabric *build(struct conf_graph *graph)
{
	struct fabric_builder_options options = {
		.fault = report_fault,
		.context = graph->conf,
		.unrailed_overlap = true,
		.core_may_stack = true,
	};
	struct fabric_builder *builder = fabric_builder_new(&options);
	struct diag *diag = graph->conf->diag;
	struct fabric *fabric = NULL;
	bool no_memory = false;

	if (!builder || fill_builder(graph, builder))
		no_memory = true;
	else
		fabric = fabric_builder_finish(builder, &no_memory);
	if (no_memory)
		diag_no_memory(diag);
	fabric_builder_free(builder);
	if (diag_ok(diag))
		return fabric;
	fabric_free(fabric);
	return NULL;
}

static struct fabric *fabric_of(struct conf *conf)
{
	struct conf_graph graph;
	struct fabric *fabric;

	if (fabric_conf_graph(conf, &graph)) {
		diag_no_memory(conf->diag);
		return NULL;
	}
	fabric = build(&graph);
	fabric_conf_graph_done(&graph);
	return fabric;
}

struct fabric *fabric_conf_finish(struct conf *conf)
{
	if (fabric_conf_blocks(conf)) {
		diag_no_memory(conf->diag);
		return NULL;
	}
	return fabric_of(conf);
}

struct fabric *fabric_read_conf(const char *text, size_t length,
				struct diag *diag)
{
	struct conf conf = { .diag = diag };
	struct fabric *fabric = NULL;

	/* Lines are handled as strings. */
	if (text_file_refuse_nul(text, length, "$", diag))
		;
	else if (fabric_conf_parse(&conf, text, length))
		diag_no_memory(diag);
	else if (conf.count > 0)
		fabric = fabric_conf_finish(&conf);
	else if (diag_ok(diag))
		diag_add(diag, DIAG_ERROR, 1, 1, "$", "no switch is declared, "
			 "expected lines of SwitchName or BlockName");
	fabric_conf_done(&conf);
	diag_sort(diag);
	return fabric;
}
