/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_check: `leafspine check`: all faults of a fabric file, or what it is.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "core/diag.h"
#include "core/fabric.h"
#include "core/fabric_read.h"
#include "input.h"
#include "jsonout.h"
#include "output.h"
#include "summary.h"
#include "table.h"

struct check_values {
	const char *fabric;
	bool json;
};

static size_t count_errors(const struct diag *diag)
{
	return diag->error_count + (diag->no_memory ? 1 : 0);
}

static void print_faults(struct diag *diag)
{
	size_t errors = count_errors(diag);

	if (errors == 0 && diag->warning_count == 0)
		return;
	diag_print(diag, stderr);
	fprintf(stderr, "%zu error%s, %zu warning%s\n", errors,
		errors == 1 ? "" : "s", diag->warning_count,
		diag->warning_count == 1 ? "" : "s");
}

static const struct table_column fact_columns[] = {
	{ NULL, TABLE_LEFT }, { NULL, TABLE_LEFT },
};

/* One of the names for each tier that has switches. */
static void add_tiers(struct table *table, const struct summary *summary)
{
	static const char *const names[FABRIC_TIERS] = {
		"leaf", ", Spine", ", core"
	};

	table_cell(table, "Tiers");
	table_cell(table, "%s%s%s",
		   summary->tiers[FABRIC_LEAF].switches ? names[0] : "",
		   summary->tiers[FABRIC_SPINE].switches ? names[1] : "",
		   summary->tiers[FABRIC_CORE].switches ? names[2] : "");
}

static void add_count(struct table *table, const char *name, uint64_t count)
{
	table_cell(table, "%s", name);
	table_cell(table, "%" PRIu64, count);
}

static void add_tier_capacity(struct table *table, const char *name,
			      const struct summary_tier *tier)
{
	char capacity[OUTPUT_QUANTITY_MAX];
	char least[OUTPUT_QUANTITY_MAX];
	char most[OUTPUT_QUANTITY_MAX];

	if (tier->with_uplinks == 0)
		return;
	output_gbps(tier->up_gbps, capacity);
	output_ratio(tier->least_oversubscribed, least);
	output_ratio(tier->most_oversubscribed, most);
	table_cell(table, "%s uplinks", name);
	if (tier->least_oversubscribed == tier->most_oversubscribed)
		table_cell(table, "%s in all, oversubscription %s", capacity,
			   most);
	else
		table_cell(table, "%s in all, oversubscription %s to %s",
			   capacity, least, most);
}

static void add_domains(struct table *table, const struct summary *summary)
{
	table_cell(table, "NVLink domains");
	if (summary->domains == 0)
		table_cell(table, "each node its own");
	else if (summary->smallest_domain == summary->largest_domain)
		table_cell(table, "%" PRIu32 " of %" PRIu32 " nodes",
			   summary->domains, summary->largest_domain);
	else
		table_cell(table, "%" PRIu32 " of %" PRIu32 " to %" PRIu32
			   " nodes", summary->domains,
			   summary->smallest_domain, summary->largest_domain);
}

static void add_switches(struct table *table, const struct fabric *fabric,
			 const struct summary *summary)
{
	add_tiers(table, summary);
	add_count(table, "Leaves", summary->tiers[FABRIC_LEAF].switches);
	add_count(table, "Spines", summary->tiers[FABRIC_SPINE].switches);
	add_count(table, "Core switches",
		  summary->tiers[FABRIC_CORE].switches);
	add_tier_capacity(table, "Leaf", &summary->tiers[FABRIC_LEAF]);
	add_tier_capacity(table, "Spine", &summary->tiers[FABRIC_SPINE]);
	table_cell(table, "Rails");
	if (summary->rails)
		table_cell(table, "%" PRIu32, summary->rails);
	else
		table_cell(table, "none");
	table_cell(table, "Fabrics");
	table_cell(table, "%" PRIu32 "%s", summary->fabrics,
		   summary->fabrics > 1 ?
		   ", not connected to each other" : "");
	if (fabric->left_out_count)
		add_count(table, "Switches left out (other planes)",
			  fabric->left_out_count);
}

static void add_facts(struct table *table, const struct fabric *fabric,
		      const struct summary *summary, size_t warnings)
{
	table_cell(table, "Fabric");
	table_cell(table, "%s", fabric->name && *fabric->name ?
		   fabric->name : "without a name");
	table_cell(table, "Nodes");
	table_cell(table, "%" PRIu32 " (%" PRIu32 " with GPUs, %" PRIu32
		   " without)", fabric->node_count, summary->gpu_nodes,
		   summary->cpu_nodes);
	add_count(table, "GPUs", summary->gpus);
	add_domains(table, summary);
	add_switches(table, fabric, summary);
	add_count(table, "Warnings", warnings);
}

static int print_text(const struct fabric *fabric, const struct diag *diag)
{
	struct summary summary;
	struct table table;
	int result;

	result = summary_init(&summary, fabric);
	table_init(&table, fact_columns, 2);
	if (result == 0) {
		add_facts(&table, fabric, &summary, diag->warning_count);
		result = table_print(&table, stdout);
	}
	table_done(&table);
	if (result < 0)
		output_no_memory();
	return result;
}

static json_t *oversubscription_json(const struct summary *summary)
{
	struct jsonout out;

	jsonout_init(&out);
	for (int tier = 0; tier < FABRIC_TIERS; tier++) {
		const struct summary_tier *facts = &summary->tiers[tier];
		struct jsonout range;

		if (facts->with_uplinks == 0)
			continue;
		jsonout_init(&range);
		jsonout_set(&range, "min",
			    jsonout_number(facts->least_oversubscribed));
		jsonout_set(&range, "max",
			    jsonout_number(facts->most_oversubscribed));
		jsonout_set(&range, "uplink_gbps",
			    jsonout_number(facts->up_gbps));
		jsonout_set(&out, fabric_tier_name(tier),
			    jsonout_finish(&range));
	}
	return jsonout_finish(&out);
}

static json_t *domains_json(const struct summary *summary)
{
	struct jsonout out;

	jsonout_init(&out);
	jsonout_set(&out, "count", json_integer(summary->domains));
	jsonout_set(&out, "min_nodes", json_integer(summary->smallest_domain));
	jsonout_set(&out, "max_nodes", json_integer(summary->largest_domain));
	return jsonout_finish(&out);
}

static void set_facts(struct jsonout *out, const struct fabric *fabric)
{
	struct summary summary;
	int tiers = 0;

	if (summary_init(&summary, fabric) < 0) {
		out->failed = true;
		return;
	}
	for (int tier = 0; tier < FABRIC_TIERS; tier++)
		tiers += summary.tiers[tier].switches > 0;
	jsonout_set(out, "fabric",
		    jsonout_text(fabric->name ? fabric->name : ""));
	jsonout_set(out, "nodes", json_integer(fabric->node_count));
	jsonout_set(out, "gpu_nodes", json_integer(summary.gpu_nodes));
	jsonout_set(out, "cpu_nodes", json_integer(summary.cpu_nodes));
	jsonout_set(out, "gpus", json_integer((json_int_t)summary.gpus));
	jsonout_set(out, "tiers", json_integer(tiers));
	jsonout_set(out, "leaves",
		    json_integer(summary.tiers[FABRIC_LEAF].switches));
	jsonout_set(out, "spines",
		    json_integer(summary.tiers[FABRIC_SPINE].switches));
	jsonout_set(out, "core",
		    json_integer(summary.tiers[FABRIC_CORE].switches));
	jsonout_set(out, "rails", json_integer(summary.rails));
	jsonout_set(out, "nvlink_domains", domains_json(&summary));
	jsonout_set(out, "fabrics", json_integer(summary.fabrics));
	jsonout_set(out, "oversubscription", oversubscription_json(&summary));
	jsonout_set(out, "left_out_switches",
		    json_integer(fabric->left_out_count));
}

static json_t *fault_json(const struct diag_entry *entry)
{
	struct jsonout out;

	jsonout_init(&out);
	jsonout_set(&out, "severity", json_string(
		    entry->severity == DIAG_ERROR ? "error" : "warning"));
	jsonout_set(&out, "line", json_integer(entry->line));
	jsonout_set(&out, "column", json_integer(entry->column));
	jsonout_set(&out, "path", jsonout_text(entry->path));
	jsonout_set(&out, "text", jsonout_text(entry->text));
	return jsonout_finish(&out);
}

static json_t *faults_json(const struct diag *diag)
{
	json_t *array = json_array();

	for (size_t i = 0; i < diag->entry_count; i++) {
		if (json_array_append_new(array,
					  fault_json(&diag->entries[i])) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static int print_json(const struct fabric *fabric, const struct diag *diag)
{
	struct jsonout out;

	jsonout_init(&out);
	jsonout_set(&out, "valid", json_boolean(fabric != NULL));
	if (fabric)
		set_facts(&out, fabric);
	jsonout_set(&out, "errors",
		    json_integer((json_int_t)count_errors(diag)));
	jsonout_set(&out, "warnings",
		    json_integer((json_int_t)diag->warning_count));
	jsonout_set(&out, "faults", faults_json(diag));
	return jsonout_print(jsonout_finish(&out));
}

static int run_check(const void *values_pointer)
{
	const struct check_values *values = values_pointer;
	struct fabric *fabric;
	struct diag diag;
	int printed = 0;

	diag_init(&diag, input_source_name(values->fabric));
	fabric = fabric_read_file(values->fabric, &diag);
	print_faults(&diag);
	if (values->json)
		printed = print_json(fabric, &diag);
	else if (fabric)
		printed = print_text(fabric, &diag);
	diag_done(&diag);
	fabric_free(fabric);
	return fabric && printed == 0 ? EXIT_DONE : EXIT_BAD;
}

#define FIELD(name) offsetof(struct check_values, name)

static const struct option_spec check_options[] = {
	{ "FABRIC", OPTION_OPERAND, true, 0, FIELD(fabric), NULL,
	  "fabric file (JSON, .conf or .yaml), or synth:TEXT" },
	{ "json", OPTION_FLAG, false, 0, FIELD(json), NULL,
	  "print one JSON object, with the faults in it" },
	{ 0 }
};

const struct command cmd_check = {
	.name = "check",
	.synopsis = "FABRIC [--json]",
	.summary = "read and validate a fabric, say what it is",
	.description =
		"Reads a fabric and says what it is. Each fault of the file "
		"is one line on\nstandard error:\n"
		"  FILE:LINE:COLUMN: PATH: what is wrong, what was expected",
	.options = check_options,
	.values_size = sizeof(struct check_values),
	.run = run_check,
};
