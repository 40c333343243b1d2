/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_score: `leafspine score`: what given nodes in a given order would cost.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "core/cost.h"
#include "core/placement.h"
#include "core/traffic.h"
#include "input.h"
#include "jsonout.h"
#include "output.h"
#include "report.h"
#include "table.h"

struct score_values {
	const char *fabric;
	const char *state;
	const char *parallelism;
	struct option_texts placements;
	bool json;
};

struct score_job {
	struct input input;
	struct parallelism hint;
	struct cost_prices prices;
	struct placement *candidates;	/* owned, in the order given */
	size_t candidate_count;
};

static const char *node_name(const struct fabric *fabric, uint32_t node)
{
	return fabric->nodes[node].name;
}

/* Nodes that no job could use so, whatever its parallelism. */
static int check_nodes(const struct fabric *fabric,
		       const struct input_nodes *nodes)
{
	const uint32_t *list = nodes->nodes;
	struct nodeset seen;
	int result = 0;

	if (nodes->count == 0) {
		output_complain("--placement: names no node, expected at "
				"least one");
		return -1;
	}
	if (nodeset_init(&seen, fabric->node_count) < 0) {
		output_no_memory();
		return -1;
	}
	for (uint32_t i = 0; i < nodes->count && result == 0; i++) {
		const struct fabric_node *node = &fabric->nodes[list[i]];

		result = -1;
		if (nodeset_has(&seen, list[i]))
			output_complain("--placement: node '%s' is given twice",
					node->name);
		else if (node->gpus == 0)
			output_complain("--placement: node '%s' has no GPUs",
					node->name);
		else if (node->component != fabric->nodes[list[0]].component)
			output_complain("--placement: nodes '%s' and '%s' lie "
					"in fabrics that are not connected",
					node_name(fabric, list[0]),
					node->name);
		else
			result = 0;
		nodeset_add(&seen, list[i]);
	}
	nodeset_done(&seen);
	return result;
}

static uint64_t count_gpus(const struct fabric *fabric,
			   const struct input_nodes *nodes)
{
	uint64_t gpus = 0;

	for (uint32_t i = 0; i < nodes->count; i++)
		gpus += fabric->nodes[nodes->nodes[i]].gpus;
	return gpus;
}

/* A dp that is left out is filled from the GPUs of the nodes. */
static int fit(const struct score_job *job, const struct input_nodes *nodes,
	       struct job_profile *ret_profile)
{
	const struct parallelism *site = parallelism_site_default();
	uint64_t gpus = count_gpus(job->input.fabric, nodes);
	struct parallelism_error error;

	if (parallelism_fit(&job->hint, site, job->hint.dp ? 0 : gpus,
			    ret_profile, &error) < 0) {
		output_complain("--parallelism: %s", error.text);
		return -1;
	}
	if (ret_profile->gpus > gpus) {
		output_complain("--placement: the nodes have %" PRIu64
				" GPUs, the hint asks for %" PRIu32, gpus,
				ret_profile->gpus);
		return -1;
	}
	return 0;
}

/* All GPUs of each node, of the last what remains. */
static int share_ranks(const struct fabric *fabric,
		       const struct placement *placement)
{
	uint32_t left = placement->profile.gpus;

	for (uint32_t i = 0; i < placement->count; i++) {
		uint32_t node = placement->nodes[i];
		uint32_t gpus = fabric->nodes[node].gpus;

		if (left == 0) {
			output_complain("--placement: node '%s' is left with "
					"no rank, the %" PRIu32 " GPUs of the "
					"hint end before it",
					node_name(fabric, node),
					placement->profile.gpus);
			return -1;
		}
		placement->gpus[i] = gpus < left ? gpus : left;
		left -= placement->gpus[i];
	}
	return 0;
}

/* Fills nodes and profile and GPUs of *PLACEMENT, which is zeroed. */
static int read_placement(const struct score_job *job, const char *text,
			  struct placement *placement)
{
	const struct fabric *fabric = job->input.fabric;
	struct input_nodes nodes;

	if (input_read_nodes(fabric, "placement", text, &nodes) < 0)
		return -1;
	placement->nodes = nodes.nodes;
	placement->count = nodes.count;
	if (check_nodes(fabric, &nodes) < 0 ||
	    fit(job, &nodes, &placement->profile) < 0)
		return -1;
	placement->gpus = calloc(nodes.count, sizeof(*placement->gpus));
	if (!placement->gpus) {
		output_no_memory();
		return -1;
	}
	return share_ranks(fabric, placement);
}

static int score_placement(const struct score_job *job,
			   struct placement *placement)
{
	bool by_slot = job->input.fabric->has_rails;
	struct traffic *traffic;
	int result = -1;

	traffic = traffic_build(&placement->profile, placement->gpus,
				placement->count, by_slot);
	if (traffic)
		result = cost_score(job->input.state, &job->prices,
				    &placement->profile, traffic,
				    placement->nodes, &placement->score);
	traffic_free(traffic);
	if (result < 0)
		output_no_memory();
	return result;
}

/*
 * What is taken prices the links, but gives the job the same GPUs of its nodes
 * as if nothing were.
 */
static void ignore_taken_gpus(struct state *state)
{
	for (uint32_t i = 0; i < state->fabric->node_count; i++)
		state->gpus_used[i] = 0;
	nodeset_clear(&state->down);
}

static int prepare(struct score_job *job, const struct score_values *values)
{
	if (input_read_hint(values->parallelism, &job->hint) < 0 ||
	    input_read(&job->input, values->fabric, values->state) < 0)
		return -1;
	ignore_taken_gpus(job->input.state);
	job->candidates = calloc(values->placements.count,
				 sizeof(*job->candidates));
	if (!job->candidates ||
	    cost_prices_init(&job->prices, job->input.state) < 0) {
		output_no_memory();
		return -1;
	}
	return 0;
}

static int score_all(struct score_job *job, const struct option_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++) {
		struct placement *candidate = &job->candidates[i];

		job->candidate_count++;
		if (read_placement(job, texts->items[i], candidate) < 0 ||
		    score_placement(job, candidate) < 0)
			return -1;
	}
	return 0;
}

static void score_job_done(struct score_job *job)
{
	for (size_t i = 0; i < job->candidate_count; i++)
		placement_done(&job->candidates[i]);
	free(job->candidates);
	cost_prices_done(&job->prices);
	input_done(&job->input);
}

static json_t *candidates_json(const struct score_job *job)
{
	json_t *array;

	if (job->candidate_count == 1)
		return report_json(job->input.fabric, &job->candidates[0]);
	array = json_array();
	for (size_t i = 0; i < job->candidate_count; i++) {
		if (json_array_append_new(array, report_json(
				job->input.fabric,
				&job->candidates[i])) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

/* Best first: as placement ranks, then in the order given. */
static int compare_candidates(const void *a, const void *b)
{
	const struct placement *first = *(const struct placement *const *)a;
	const struct placement *second = *(const struct placement *const *)b;
	double difference = first->score.cost - second->score.cost;

	if (difference == 0)
		difference = first->score.bottleneck_seconds -
			     second->score.bottleneck_seconds;
	if (difference != 0)
		return difference < 0 ? -1 : 1;
	return first < second ? -1 : 1;
}

static void add_ratio(struct table *table, double cost, double best)
{
	char text[OUTPUT_QUANTITY_MAX];

	if (cost == best)
		table_cell(table, "1x");
	else if (best == 0)
		table_cell(table, "-");
	else
		table_cell(table, "%s", output_times(cost / best, text));
}

static void add_candidate(struct table *table,
			  const struct placement *candidate, double best,
			  const char *text)
{
	const struct cost_score *score = &candidate->score;
	char quantity[OUTPUT_QUANTITY_MAX];

	table_cell(table, "%s", output_bytes(score->cost, quantity));
	add_ratio(table, score->cost, best);
	table_cell(table, "%s", output_bytes(score->total.spine, quantity));
	table_cell(table, "%s", output_bytes(score->total.core, quantity));
	table_cell(table, "%" PRIu32, score->leaves);
	table_cell(table, "%s", score->bottleneck_link[0] ?
		   score->bottleneck_link : "none");
	table_cell(table, "%s",
		   output_seconds(score->bottleneck_seconds, quantity));
	table_cell(table, "%s",
		   output_seconds(score->comm_seconds, quantity));
	table_cell(table, "%s", text);
}

static const struct table_column candidate_columns[] = {
	{ "Rank", TABLE_RIGHT }, { "Cost", TABLE_RIGHT },
	{ "to best", TABLE_RIGHT }, { "Spine", TABLE_RIGHT },
	{ "of it core", TABLE_RIGHT }, { "Leaves", TABLE_RIGHT },
	{ "Bottleneck", TABLE_LEFT }, { "per step", TABLE_RIGHT },
	{ "Estimate", TABLE_RIGHT }, { "Placement", TABLE_LEFT },
};

enum { CANDIDATE_COLUMNS = sizeof(candidate_columns) /
			   sizeof(*candidate_columns) };

static int print_ranking(const struct score_job *job,
			 const struct option_texts *texts)
{
	const struct placement **ranking;
	struct table table;
	int result;

	ranking = calloc(job->candidate_count, sizeof(*ranking));
	if (!ranking)
		return -1;
	for (size_t i = 0; i < job->candidate_count; i++)
		ranking[i] = &job->candidates[i];
	qsort(ranking, job->candidate_count, sizeof(*ranking),
	      compare_candidates);
	table_init(&table, candidate_columns, CANDIDATE_COLUMNS);
	for (size_t i = 0; i < job->candidate_count; i++) {
		table_cell(&table, "%zu", i + 1);
		add_candidate(&table, ranking[i], ranking[0]->score.cost,
			      texts->items[ranking[i] - job->candidates]);
	}
	free(ranking);
	result = table_print(&table, stdout);
	table_done(&table);
	return result;
}

static int print_text(const struct score_job *job,
		      const struct option_texts *texts)
{
	int result = job->candidate_count == 1 ?
		     report_text(job->input.fabric, &job->candidates[0]) :
		     print_ranking(job, texts);

	if (result < 0)
		output_no_memory();
	return result;
}

static int run_score(const void *values_pointer)
{
	const struct score_values *values = values_pointer;
	struct score_job job = { 0 };
	int result = -1;

	if (prepare(&job, values) == 0 &&
	    score_all(&job, &values->placements) == 0)
		result = values->json ?
			 jsonout_print(candidates_json(&job)) :
			 print_text(&job, &values->placements);
	score_job_done(&job);
	return result < 0 ? EXIT_BAD : EXIT_DONE;
}

#define FIELD(name) offsetof(struct score_values, name)

static const struct option_spec score_options[] = {
	{ "fabric", OPTION_TEXT, true, 0, FIELD(fabric), "FABRIC",
	  "fabric file, or synth:TEXT" },
	{ "state", OPTION_TEXT, false, 0, FIELD(state), "STATE",
	  "state file: its jobs and links set prices; its taken\n"
	  "nodes may be used all the same" },
	{ "parallelism", OPTION_TEXT, true, 0, FIELD(parallelism), "HINT",
	  "parallelism of the job, such as tp=8,pp=4,dp=4" },
	{ "placement", OPTION_TEXTS, true, 0, FIELD(placements), "NODES",
	  "nodes in rank order; given again: one more candidate" },
	{ "json", OPTION_FLAG, false, 0, FIELD(json), NULL,
	  "print one JSON object; an array for several candidates" },
	{ 0 }
};

const struct command cmd_score = {
	.name = "score",
	.synopsis = "--fabric FABRIC [--state STATE] --parallelism HINT\n"
		"                       --placement NODES [--placement NODES "
		"...] [--json]",
	.summary = "what a placement would cost; several are ranked",
	.description =
		"Says what a job would send where on given nodes. NODES is a "
		"hostlist expression\nin rank order. All GPUs of each node "
		"are used, of the last what remains; a dp\nthat the hint "
		"leaves out is filled from the GPUs of the nodes.",
	.options = score_options,
	.values_size = sizeof(struct score_values),
	.run = run_score,
};
