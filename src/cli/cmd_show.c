/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_show: `leafspine show`: what is free under each leaf, and how full the
 * links above the leaves and the Spines are.
 */
#include <inttypes.h>
#include <stdio.h>

#include "bundle.h"
#include "command.h"
#include "input.h"
#include "jsonout.h"
#include "occupancy.h"
#include "output.h"
#include "table.h"

struct show_values {
	const char *fabric;
	const char *state;
	bool json;
};

static bool has_core_uplinks(const struct fabric_switch *sw)
{
	return sw->tier == FABRIC_SPINE && sw->uplink_count > 0;
}

static void set_bundle(struct jsonout *out, const struct bundle *bundle)
{
	jsonout_set(out, "uplink_gbps", jsonout_number(bundle->built_gbps));
	jsonout_set(out, "healthy_gbps", jsonout_number(bundle->healthy_gbps));
	jsonout_set(out, "oversubscription", bundle->built_gbps > 0 ?
		    jsonout_number(bundle->oversubscription) : json_null());
	jsonout_set(out, "load_up_gbps",
		    jsonout_number(bundle->load_up_gbps));
	jsonout_set(out, "load_down_gbps",
		    jsonout_number(bundle->load_down_gbps));
	jsonout_set(out, "load_up_percent",
		    jsonout_number(100 * bundle->up_share));
	jsonout_set(out, "load_down_percent",
		    jsonout_number(100 * bundle->down_share));
}

static json_t *leaf_json(const struct occupancy_leaf *leaf)
{
	struct jsonout out;

	jsonout_init(&out);
	jsonout_set(&out, "leaf", jsonout_text(leaf->name));
	jsonout_set(&out, "component", json_integer(leaf->component));
	jsonout_set(&out, "nodes", jsonout_text(leaf->all.names));
	jsonout_set(&out, "node_count", json_integer(leaf->all.count));
	jsonout_set(&out, "free_nodes", jsonout_text(leaf->idle.names));
	jsonout_set(&out, "free_node_count", json_integer(leaf->idle.count));
	jsonout_set(&out, "down_nodes", jsonout_text(leaf->down.names));
	jsonout_set(&out, "down_node_count", json_integer(leaf->down.count));
	jsonout_set(&out, "gpus", json_integer((json_int_t)leaf->gpus));
	jsonout_set(&out, "free_gpus",
		    json_integer((json_int_t)leaf->free_gpus));
	set_bundle(&out, &leaf->bundle);
	return jsonout_finish(&out);
}

static json_t *spine_json(const struct state *state, uint32_t sw)
{
	struct bundle bundle;
	struct jsonout out;

	bundle_init(&bundle, state, &sw, 1);
	jsonout_init(&out);
	jsonout_set(&out, "spine",
		    jsonout_text(state->fabric->switches[sw].name));
	set_bundle(&out, &bundle);
	return jsonout_finish(&out);
}

/* Takes ITEM; remembers a failure in *FAILED. */
static void append(json_t *array, json_t *item, bool *failed)
{
	if (json_array_append_new(array, item) < 0)
		*failed = true;
}

static int print_json(const struct state *state,
		      const struct occupancy *occupancy)
{
	const struct fabric *fabric = state->fabric;
	json_t *leaves = json_array();
	json_t *spines = json_array();
	struct jsonout out;

	jsonout_init(&out);
	for (uint32_t i = 0; i < occupancy->count; i++)
		append(leaves, leaf_json(&occupancy->leaves[i]), &out.failed);
	for (uint32_t i = 0; i < fabric->switch_count; i++) {
		if (has_core_uplinks(&fabric->switches[i]))
			append(spines, spine_json(state, i), &out.failed);
	}
	jsonout_set(&out, "fabric",
		    jsonout_text(fabric->name ? fabric->name : ""));
	jsonout_set(&out, "leaves", leaves);
	jsonout_set(&out, "spines", spines);
	return jsonout_print(jsonout_finish(&out));
}

static void add_bundle(struct table *table, const struct bundle *bundle)
{
	char text[OUTPUT_QUANTITY_MAX];

	if (bundle->built_gbps <= 0) {
		table_cell(table, "none");
		for (int i = 0; i < 4; i++)
			table_cell(table, "-");
		return;
	}
	table_cell(table, "%s", output_gbps(bundle->built_gbps, text));
	table_cell(table, "%s", output_percent(
			bundle->healthy_gbps / bundle->built_gbps, text));
	table_cell(table, "%s",
		   output_ratio(bundle->oversubscription, text));
	table_cell(table, "%s", output_percent(bundle->up_share, text));
	table_cell(table, "%s", output_percent(bundle->down_share, text));
}

static void add_leaf(struct table *table, const struct occupancy_leaf *leaf,
		     bool with_component)
{
	if (with_component)
		table_cell(table, "%" PRIu32, leaf->component + 1);
	table_cell(table, "%s", leaf->name);
	table_cell(table, "%" PRIu32, leaf->all.count);
	table_cell(table, "%" PRIu32, leaf->idle.count);
	table_cell(table, "%" PRIu32, leaf->down.count);
	table_cell(table, "%" PRIu64, leaf->gpus);
	table_cell(table, "%" PRIu64, leaf->free_gpus);
	add_bundle(table, &leaf->bundle);
	table_cell(table, "%s",
		   leaf->idle.count ? leaf->idle.names : "none");
	table_cell(table, "%s", leaf->all.names);
}

/* The first column is only for fabrics that are not connected. */
static const struct table_column leaf_columns[] = {
	{ "Fabric", TABLE_RIGHT }, { "Leaf", TABLE_LEFT },
	{ "Nodes", TABLE_RIGHT }, { "free", TABLE_RIGHT },
	{ "down", TABLE_RIGHT }, { "GPUs", TABLE_RIGHT },
	{ "free", TABLE_RIGHT }, { "Uplinks", TABLE_RIGHT },
	{ "healthy", TABLE_RIGHT }, { "Oversub.", TABLE_RIGHT },
	{ "Load up", TABLE_RIGHT }, { "Load down", TABLE_RIGHT },
	{ "Free nodes", TABLE_LEFT }, { "All nodes", TABLE_LEFT },
};

enum { LEAF_COLUMNS = sizeof(leaf_columns) / sizeof(*leaf_columns) };

static int print_leaves(const struct occupancy *occupancy)
{
	size_t skipped = occupancy->component_count > 1 ? 0 : 1;
	struct table table;
	int result;

	table_init(&table, leaf_columns + skipped, LEAF_COLUMNS - skipped);
	for (uint32_t i = 0; i < occupancy->count; i++)
		add_leaf(&table, &occupancy->leaves[i], skipped == 0);
	result = table_print(&table, stdout);
	table_done(&table);
	return result;
}

static const struct table_column spine_columns[] = {
	{ "Spine", TABLE_LEFT }, { "Uplinks", TABLE_RIGHT },
	{ "healthy", TABLE_RIGHT }, { "Oversub.", TABLE_RIGHT },
	{ "Load up", TABLE_RIGHT }, { "Load down", TABLE_RIGHT },
};

enum { SPINE_COLUMNS = sizeof(spine_columns) / sizeof(*spine_columns) };

static int print_spines(const struct state *state)
{
	const struct fabric *fabric = state->fabric;
	struct table table;
	int result = 0;

	table_init(&table, spine_columns, SPINE_COLUMNS);
	for (uint32_t i = 0; i < fabric->switch_count; i++) {
		struct bundle bundle;

		if (!has_core_uplinks(&fabric->switches[i]))
			continue;
		bundle_init(&bundle, state, &i, 1);
		table_cell(&table, "%s", fabric->switches[i].name);
		add_bundle(&table, &bundle);
	}
	if (table.cell_count > 0 || table.no_memory) {
		putchar('\n');
		result = table_print(&table, stdout);
	}
	table_done(&table);
	return result;
}

static int print_text(const struct state *state,
		      const struct occupancy *occupancy)
{
	if (print_leaves(occupancy) == 0 &&
	    print_spines(state) == 0)
		return 0;
	output_no_memory();
	return -1;
}

static int show(const struct state *state, bool json)
{
	struct occupancy occupancy;
	int result;

	if (occupancy_init(&occupancy, state) < 0) {
		output_no_memory();
		return -1;
	}
	result = json ? print_json(state, &occupancy)
		      : print_text(state, &occupancy);
	occupancy_done(&occupancy);
	return result;
}

static int run_show(const void *values_pointer)
{
	const struct show_values *values = values_pointer;
	struct input input;
	int result = -1;

	if (input_read(&input, values->fabric, values->state) == 0)
		result = show(input.state, values->json);
	input_done(&input);
	return result < 0 ? EXIT_BAD : EXIT_DONE;
}

#define FIELD(name) offsetof(struct show_values, name)

static const struct option_spec show_options[] = {
	{ "FABRIC", OPTION_OPERAND, true, 0, FIELD(fabric), NULL,
	  "fabric file (JSON, .conf or .yaml), or synth:TEXT" },
	{ "state", OPTION_TEXT, false, 0, FIELD(state), "STATE",
	  "state file: what is taken (default: nothing)" },
	{ "json", OPTION_FLAG, false, 0, FIELD(json), NULL,
	  "print one JSON object" },
	{ 0 }
};

const struct command cmd_show = {
	.name = "show",
	.synopsis = "FABRIC [--state STATE] [--json]",
	.summary = "leaves with their nodes, what is free, uplinks, load",
	.description =
		"Shows each leaf with its nodes, the free ones of them, free "
		"GPUs, and how wide,\nhow healthy, how oversubscribed and how "
		"loaded its uplinks are; on fabrics with\na core the same of "
		"each Spine. Rail leaves above the same nodes are one row,\n"
		"with the load of the busiest of them. A node is free when it "
		"is up and none of\nits GPUs is taken.",
	.options = show_options,
	.values_size = sizeof(struct show_values),
	.run = run_show,
};
