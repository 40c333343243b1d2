/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_place: `leafspine place`: which nodes a job would get, in rank order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "core/fabric_builder.h"
#include "core/placement.h"
#include "input.h"
#include "jsonout.h"
#include "output.h"
#include "report.h"

struct place_values {
	const char *fabric;
	const char *state;
	const char *parallelism;
	uint32_t nodes;
	uint32_t gpus;
	uint32_t gpus_per_node;
	uint32_t min_nodes;
	uint32_t max_nodes;
	const char *require;
	const char *exclude;
	const char *allowed;
	bool keep_order;
	bool first_in_order;
	const char *first_node;
	bool json;
};

/* All that a request points to. */
struct place_job {
	struct input input;
	struct parallelism hint;
	struct nodeset required;
	struct nodeset excluded;
	struct nodeset allowed;
	struct placement_request request;
};

static int check_conflicts(const struct place_values *values)
{
	const char *text = NULL;

	if (values->nodes && values->gpus)
		text = "--nodes and --gpus";
	else if (values->nodes && values->min_nodes)
		text = "--nodes and --min-nodes";
	else if (values->nodes && values->max_nodes)
		text = "--nodes and --max-nodes";
	if (text) {
		output_complain("place: %s exclude each other; "
				"see 'leafspine place --help'", text);
		return -1;
	}
	if (values->max_nodes && values->min_nodes > values->max_nodes) {
		output_complain("place: --min-nodes %u is more than "
				"--max-nodes %u", values->min_nodes,
				values->max_nodes);
		return -1;
	}
	return 0;
}

/* TEXT NULL leaves the set unmade and *RET_GIVEN NULL. */
static int read_set(const struct place_job *job, const char *option,
		    const char *text, struct nodeset *set,
		    const struct nodeset **ret_given)
{
	if (!text)
		return 0;
	if (input_read_nodeset(job->input.fabric, option, text, set) < 0)
		return -1;
	*ret_given = set;
	return 0;
}

/* An empty list of allowed nodes is an unset variable, not a wish. */
static int check_allowed(const struct place_job *job)
{
	if (!job->request.allowed || nodeset_count(job->request.allowed) > 0)
		return 0;
	output_complain("--allowed: names no node, expected at least one");
	return -1;
}

/* Exactly one node; TEXT NULL: none is asked for. */
static int read_first_node(struct place_job *job, const char *text)
{
	struct input_nodes nodes;
	int status = 0;

	if (!text)
		return 0;
	if (input_read_nodes(job->input.fabric, "first-node", text,
			     &nodes) < 0)
		return -1;
	if (nodes.count == 1) {
		job->request.has_first_node = true;
		job->request.first_node = nodes.nodes[0];
	} else {
		output_complain("--first-node: names %u nodes, expected one",
				(unsigned)nodes.count);
		status = -1;
	}
	free(nodes.nodes);
	return status;
}

static int prepare(struct place_job *job, const struct place_values *values)
{
	struct placement_request *request = &job->request;

	if (input_read_hint(values->parallelism, &job->hint) < 0 ||
	    input_read(&job->input, values->fabric, values->state) < 0)
		return -1;
	request->state = job->input.state;
	request->hint = &job->hint;
	request->site = parallelism_site_default();
	request->gpus = values->gpus;
	request->gpus_per_node = values->gpus_per_node;
	request->min_nodes = values->nodes ? values->nodes
					   : values->min_nodes;
	request->max_nodes = values->nodes ? values->nodes
					   : values->max_nodes;
	request->keep_order = values->keep_order;
	request->first_in_order = values->first_in_order;
	if (read_first_node(job, values->first_node) < 0 ||
	    read_set(job, "require", values->require, &job->required,
		     &request->required) < 0 ||
	    read_set(job, "exclude", values->exclude, &job->excluded,
		     &request->excluded) < 0 ||
	    read_set(job, "allowed", values->allowed, &job->allowed,
		     &request->allowed) < 0)
		return -1;
	return check_allowed(job);
}

static void place_job_done(struct place_job *job)
{
	nodeset_done(&job->required);
	nodeset_done(&job->excluded);
	nodeset_done(&job->allowed);
	input_done(&job->input);
}

static int exit_status(enum placement_status status,
		       const struct placement_error *error)
{
	switch (status) {
	case PLACEMENT_OK:
		return EXIT_DONE;
	case PLACEMENT_IMPOSSIBLE:
		output_complain("%s", error->text);
		return EXIT_UNPLACED;
	case PLACEMENT_BAD:
		output_complain("%s", error->text);
		return EXIT_BAD;
	case PLACEMENT_NO_MEMORY:
		break;
	}
	output_no_memory();
	return EXIT_BAD;
}

/* What stock Slurm without a topology plugin would do, as a yardstick. */
static json_t *first_fit_json(const struct place_job *job)
{
	struct placement_error error;
	struct placement first;
	struct jsonout out;

	switch (placement_baseline(&job->request, "first-fit", &first,
				   &error)) {
	case PLACEMENT_OK:
		break;
	case PLACEMENT_NO_MEMORY:
		return NULL;
	default:
		return json_null();
	}
	jsonout_init(&out);
	jsonout_set(&out, "nodes", report_json_nodes(job->input.fabric,
						     first.nodes,
						     first.count));
	jsonout_set(&out, "cost", jsonout_number(first.score.cost));
	jsonout_set(&out, "spine_bytes",
		    jsonout_number(first.score.total.spine));
	jsonout_set(&out, "core_bytes", jsonout_number(first.score.total.core));
	jsonout_set(&out, "leaves", json_integer(first.score.leaves));
	placement_done(&first);
	return jsonout_finish(&out);
}

static int print_json(const struct place_job *job,
		      const struct placement *placement)
{
	json_t *object = report_json(job->input.fabric, placement);

	if (object && json_object_set_new(object, "first_fit",
					  first_fit_json(job)) < 0) {
		json_decref(object);
		object = NULL;
	}
	return jsonout_print(object);
}

static void print_comparison(const struct cost_score *ours,
			     const struct cost_score *first)
{
	char text[OUTPUT_QUANTITY_MAX];

	printf("First-fit would put %s on the Spine",
	       output_bytes(first->total.spine, text));
	if (first->total.spine == ours->total.spine)
		printf(": the same");
	else if (ours->total.spine == 0)
		printf(" instead of none");
	else
		printf(": %s", output_times(first->total.spine /
					    ours->total.spine, text));
	/* Fewer bytes may still climb dearer links. */
	if (first->total.spine <= ours->total.spine && ours->cost > 0 &&
	    first->cost != ours->cost)
		printf(", at %s the cost",
		       output_times(first->cost / ours->cost, text));
	putchar('\n');
}

/* 0, or -1 without memory. */
static int compare_with_first_fit(const struct place_job *job,
				  const struct placement *placement)
{
	struct placement_error error;
	struct placement first;

	switch (placement_baseline(&job->request, "first-fit", &first,
				   &error)) {
	case PLACEMENT_OK:
		print_comparison(&placement->score, &first.score);
		placement_done(&first);
		return 0;
	case PLACEMENT_NO_MEMORY:
		return -1;
	default:
		puts("First-fit would find no place");
		return 0;
	}
}

static int print_text(const struct place_job *job,
		      const struct placement *placement)
{
	if (report_text(job->input.fabric, placement) == 0 &&
	    compare_with_first_fit(job, placement) == 0)
		return 0;
	output_no_memory();
	return -1;
}

static int place(const struct place_job *job, bool json)
{
	struct placement_error error = { "" };
	struct placement placement;
	int status;
	int printed;

	status = exit_status(placement_choose(&job->request, &placement,
					      &error), &error);
	if (status != EXIT_DONE)
		return status;
	printed = json ? print_json(job, &placement)
		       : print_text(job, &placement);
	placement_done(&placement);
	return printed < 0 ? EXIT_BAD : EXIT_DONE;
}

static int run_place(const void *values_pointer)
{
	const struct place_values *values = values_pointer;
	struct place_job job = { 0 };
	int status = EXIT_BAD;

	if (check_conflicts(values) < 0)
		return EXIT_BAD;
	if (prepare(&job, values) == 0)
		status = place(&job, values->json);
	place_job_done(&job);
	return status;
}

#define FIELD(name) offsetof(struct place_values, name)

static const struct option_spec place_options[] = {
	{ "fabric", OPTION_TEXT, true, 0, FIELD(fabric), "FABRIC",
	  "fabric file, or synth:TEXT" },
	{ "state", OPTION_TEXT, false, 0, FIELD(state), "STATE",
	  "state file: what is taken (default: nothing)" },
	{ "parallelism", OPTION_TEXT, true, 0, FIELD(parallelism), "HINT",
	  "parallelism of the job, such as tp=8,pp=4,dp=4" },
	{ "nodes", OPTION_NUMBER, false, PARALLELISM_GPUS_MAX, FIELD(nodes),
	  "N", "exactly N nodes" },
	{ "gpus", OPTION_NUMBER, false, PARALLELISM_GPUS_MAX, FIELD(gpus),
	  "N", "N GPUs in all" },
	{ "gpus-per-node", OPTION_NUMBER, false, FABRIC_GPUS_MAX,
	  FIELD(gpus_per_node), "N",
	  "N GPUs of each node (default: as many as it has)" },
	{ "min-nodes", OPTION_NUMBER, false, PARALLELISM_GPUS_MAX,
	  FIELD(min_nodes), "N", "at least N nodes" },
	{ "max-nodes", OPTION_NUMBER, false, PARALLELISM_GPUS_MAX,
	  FIELD(max_nodes), "N", "at most N nodes" },
	{ "require", OPTION_TEXT, false, 0, FIELD(require), "NODES",
	  "nodes that the job must have" },
	{ "exclude", OPTION_TEXT, false, 0, FIELD(exclude), "NODES",
	  "nodes that it must not have" },
	{ "allowed", OPTION_TEXT, false, 0, FIELD(allowed), "NODES",
	  "the only nodes that it may have (default: all)" },
	{ "keep-order", OPTION_FLAG, false, 0, FIELD(keep_order), NULL,
	  "ranks follow Slurm's node order; choose for that" },
	{ "first-node", OPTION_TEXT, false, 0, FIELD(first_node), "NODE",
	  "the node of rank 0, which the job must have" },
	{ "first-in-order", OPTION_FLAG, false, 0, FIELD(first_in_order), NULL,
	  "rank 0 on the first of its nodes in Slurm's node order" },
	{ "json", OPTION_FLAG, false, 0, FIELD(json), NULL,
	  "print one JSON object" },
	{ 0 }
};

const struct command cmd_place = {
	.name = "place",
	.synopsis = "--fabric FABRIC [--state STATE] --parallelism HINT\n"
		"                       [--nodes N | --gpus N] "
		"[--gpus-per-node N]\n"
		"                       [--min-nodes N] [--max-nodes N]\n"
		"                       [--require NODES] [--exclude NODES] "
		"[--allowed NODES]\n"
		"                       [--keep-order] [--first-node NODE] "
		"[--first-in-order]\n"
		"                       [--json]",
	.summary = "choose nodes for a job and the order of its ranks",
	.description =
		"Chooses the free nodes, and the order of ranks on them, that "
		"put the least cost\non the links above the leaves, and says "
		"what the job sends where. NODES are\nhostlist expressions. "
		"Without --nodes and --gpus the job has as many GPUs as\nits "
		"degrees say; a dp that is left out is filled in.",
	.options = place_options,
	.values_size = sizeof(struct place_values),
	.run = run_place,
};
