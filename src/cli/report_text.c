/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: a placement and its score, as text for people.
 */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "names.h"
#include "output.h"
#include "table.h"

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void print_heading(const struct placement *placement)
{
	const struct job_profile *profile = &placement->profile;
	uint32_t leaves = placement->score.leaves;

	printf("%" PRIu32 " GPU%s on %" PRIu32 " node%s under %" PRIu32
	       " %s: tp=%" PRIu32 " cp=%" PRIu32 " pp=%" PRIu32 " dp=%" PRIu32,
	       profile->gpus, plural(profile->gpus), placement->count,
	       plural(placement->count), leaves,
	       leaves == 1 ? "leaf" : "leaves", profile->tp, profile->cp,
	       profile->pp, profile->dp);
	if (profile->edp != 0)
		printf(" ep=%" PRIu32 " etp=%" PRIu32 " edp=%" PRIu32,
		       profile->ep, profile->etp, profile->edp);
	puts("\n");
}

static uint32_t leafset_of(const struct fabric *fabric,
			   const struct placement *placement, uint32_t block)
{
	return fabric->nodes[placement->nodes[block]].leafset;
}

/* Blocks FIRST .. END-1 in rank order, all under one leaf: one row. */
static void add_run(struct table *table, const struct fabric *fabric,
		    const struct placement *placement, uint32_t first,
		    uint32_t end, uint64_t first_rank)
{
	char *leaf = names_of_leafset(fabric,
				      leafset_of(fabric, placement, first));
	char *nodes = names_of_nodes(fabric, placement->nodes + first,
				     end - first);
	uint64_t gpus = 0;

	for (uint32_t k = first; k < end; k++)
		gpus += placement->gpus[k];
	if (!leaf || !nodes)
		table->no_memory = true;
	table_cell(table, "%" PRIu64 "-%" PRIu64, first_rank,
		   first_rank + gpus - 1);
	table_cell(table, "%s", leaf ? leaf : "");
	table_cell(table, "%" PRIu32, end - first);
	table_cell(table, "%" PRIu64, gpus);
	table_cell(table, "%s", nodes ? nodes : "");
	free(leaf);
	free(nodes);
}

static int print_nodes(const struct fabric *fabric,
		       const struct placement *placement)
{
	static const struct table_column columns[] = {
		{ "Ranks", TABLE_LEFT }, { "Leaf", TABLE_LEFT },
		{ "Nodes", TABLE_RIGHT }, { "GPUs", TABLE_RIGHT },
		{ "In rank order", TABLE_LEFT },
	};
	uint64_t rank = 0;
	uint64_t next_rank = 0;
	uint32_t first = 0;
	struct table table;
	int result;

	table_init(&table, columns, sizeof(columns) / sizeof(*columns));
	for (uint32_t k = 0; k < placement->count; k++) {
		next_rank += placement->gpus[k];
		if (k + 1 < placement->count &&
		    leafset_of(fabric, placement, k + 1) ==
		    leafset_of(fabric, placement, first))
			continue;
		add_run(&table, fabric, placement, first, k + 1, rank);
		first = k + 1;
		rank = next_rank;
	}
	result = table_print(&table, stdout);
	table_done(&table);
	return result;
}

static void add_bytes(struct table *table, const struct cost_bytes *bytes)
{
	char text[OUTPUT_QUANTITY_MAX];

	table_cell(table, "%s", output_bytes(bytes->spine, text));
	table_cell(table, "%s", output_bytes(bytes->core, text));
	table_cell(table, "%s", output_bytes(bytes->leaf, text));
	table_cell(table, "%s", output_bytes(bytes->local, text));
}

static int print_dimensions(const struct placement *placement)
{
	static const struct table_column columns[] = {
		{ "Sent per step", TABLE_LEFT }, { "Group", TABLE_RIGHT },
		{ "Spine", TABLE_RIGHT }, { "of it core", TABLE_RIGHT },
		{ "Leaf", TABLE_RIGHT }, { "Local", TABLE_RIGHT },
	};
	const struct cost_score *score = &placement->score;
	struct table table;
	int result;

	table_init(&table, columns, sizeof(columns) / sizeof(*columns));
	for (int d = 0; d < DIMENSIONS; d++) {
		uint64_t size = job_profile_group_size(&placement->profile, d);

		if (size <= 1)
			continue;
		table_cell(&table, "%s", dimension_name(d));
		table_cell(&table, "%" PRIu64, size);
		add_bytes(&table, &score->by_dimension[d]);
	}
	table_cell(&table, "all");
	table_cell(&table, "%s", "");
	add_bytes(&table, &score->total);
	result = table_print(&table, stdout);
	table_done(&table);
	return result;
}

static void print_summary(const struct placement *placement)
{
	const struct cost_score *score = &placement->score;
	char seconds[OUTPUT_QUANTITY_MAX];
	char share[OUTPUT_QUANTITY_MAX];
	char text[OUTPUT_QUANTITY_MAX];

	printf("Cost        %s\n", output_bytes(score->cost, text));
	if (score->bottleneck_link[0])
		printf("Bottleneck  %s: %s per step, %s of the step\n",
		       score->bottleneck_link,
		       output_seconds(score->bottleneck_seconds, seconds),
		       output_percent(score->bottleneck_utilisation, share));
	else
		puts("Bottleneck  none: nothing crosses the Spine");
	printf("Estimate    %s of communication per step of %s\n",
	       output_seconds(score->comm_seconds, text),
	       output_seconds(placement->profile.step, seconds));
}

int report_text(const struct fabric *fabric,
		const struct placement *placement)
{
	print_heading(placement);
	if (print_nodes(fabric, placement) < 0)
		return -1;
	putchar('\n');
	if (print_dimensions(placement) < 0)
		return -1;
	putchar('\n');
	print_summary(placement);
	return 0;
}
