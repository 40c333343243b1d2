/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_hint: `leafspine hint`: a training command's arguments as a hint, and the
 * bytes that follow from it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "core/parallelism.h"
#include "jsonout.h"
#include "megatron.h"
#include "output.h"
#include "table.h"

struct hint_values {
	const char *megatron;
	uint32_t gpus;
	bool json;
};

/* What is printed. */
struct hint {
	char text[PARALLELISM_TEXT_MAX + 1];
	struct megatron megatron;
	uint32_t gpus;			/* 0: not known */
	struct job_profile profile;	/* of these GPUs */
};

/* --gpus, else what torchrun's own arguments say. */
static uint32_t count_gpus(const struct hint_values *values,
			   const struct megatron *megatron)
{
	uint64_t gpus = (uint64_t)megatron->node_gpus *
			(megatron->nodes ? megatron->nodes : 1);

	if (values->gpus)
		return values->gpus;
	return gpus <= PARALLELISM_GPUS_MAX ? (uint32_t)gpus : 0;
}

/* The program's own reading of its own hint, which finds what does not fit. */
static int fit(struct hint *hint)
{
	struct parallelism parsed;
	struct parallelism_error error;

	if (parallelism_parse(hint->text, strlen(hint->text), &parsed,
			      &error) == 0 &&
	    (!hint->gpus ||
	     parallelism_fit(&parsed, parallelism_site_default(), hint->gpus,
			     &hint->profile, &error) == 0))
		return 0;
	output_complain("--megatron: %s", error.text);
	return -1;
}

static int convert(const struct hint_values *values, struct hint *ret)
{
	struct megatron_error error;

	if (megatron_read(values->megatron, &ret->megatron, &error) < 0) {
		output_complain("--megatron: %s", error.text);
		return -1;
	}
	ret->gpus = count_gpus(values, &ret->megatron);
	if (megatron_hint(&ret->megatron, ret->gpus, ret->text,
			  sizeof(ret->text), &error) < 0) {
		output_complain("--megatron: %s", error.text);
		return -1;
	}
	return fit(ret);
}

/* What the hint leaves out, a line each. */
static void tell_gaps(const struct hint *hint)
{
	const struct megatron *megatron = &hint->megatron;
	bool shape = megatron->layers != 0;

	if (*megatron->passed_over)
		output_complain("not taken into account: %s",
				megatron->passed_over);
	if (!shape)
		output_complain("no sizes of a model are given: the bytes are "
				"the site's defaults");
	else if (!megatron->vocab)
		output_complain("no --vocab-size is given: params has no "
				"embedding in it");
	if (shape && megatron->gbs && !hint->gpus)
		output_complain("no --gpus is given: the hint has no "
				"microbatches, which follow from it");
}

static int print_json(const struct hint *hint)
{
	struct jsonout out, dimensions;

	jsonout_init(&out);
	jsonout_set(&out, "parallelism", jsonout_text(hint->text));
	if (hint->gpus) {
		jsonout_set(&out, "gpus", json_integer(hint->gpus));
		jsonout_set(&out, "dp", json_integer(hint->profile.dp));
		jsonout_init(&dimensions);
		for (enum dimension d = 0; d < DIMENSIONS; d++) {
			uint64_t size = job_profile_group_size(&hint->profile,
							       d);
			if (size < 2)
				continue;
			jsonout_set(&dimensions, dimension_name(d),
				    json_pack("{s:I,s:o}", "group",
					      (json_int_t)size, "bytes",
					      jsonout_number(
						hint->profile.bytes[d])));
		}
		jsonout_set(&out, "by_dimension", jsonout_finish(&dimensions));
	}
	return jsonout_print(jsonout_finish(&out));
}

static int print_bytes(const struct hint *hint)
{
	static const struct table_column columns[] = {
		{ "A GPU sends per step", TABLE_LEFT },
		{ "Group", TABLE_RIGHT },
		{ "Bytes", TABLE_RIGHT },
	};
	char text[OUTPUT_QUANTITY_MAX];
	struct table table;
	int status;

	table_init(&table, columns, sizeof(columns) / sizeof(*columns));
	for (enum dimension d = 0; d < DIMENSIONS; d++) {
		uint64_t size = job_profile_group_size(&hint->profile, d);

		if (size < 2)
			continue;
		table_cell(&table, "%s%s", dimension_name(d), d == DIM_PP ?
			   ", a boundary and way" : "");
		table_cell(&table, "%" PRIu64, size);
		table_cell(&table, "%s",
			   output_bytes(hint->profile.bytes[d], text));
	}
	printf("\n%" PRIu32 " GPUs: tp=%" PRIu32 " cp=%" PRIu32 " pp=%" PRIu32
	       " dp=%" PRIu32 "\n\n", hint->gpus, hint->profile.tp,
	       hint->profile.cp, hint->profile.pp, hint->profile.dp);
	status = table_print(&table, stdout);
	table_done(&table);
	if (status < 0)
		output_no_memory();
	return status;
}

static int run_hint(const void *values_pointer)
{
	const struct hint_values *values = values_pointer;
	struct hint hint;
	int status = 0;

	if (convert(values, &hint) < 0)
		return EXIT_BAD;
	tell_gaps(&hint);
	if (values->json) {
		status = print_json(&hint);
	} else {
		puts(hint.text);
		if (hint.gpus)
			status = print_bytes(&hint);
	}
	return status < 0 ? EXIT_BAD : EXIT_DONE;
}

#define FIELD(name) offsetof(struct hint_values, name)

static const struct option_spec hint_options[] = {
	{ "megatron", OPTION_LINE, true, 0, FIELD(megatron), "ARGS",
	  "the arguments of a Megatron-LM command, in one word" },
	{ "gpus", OPTION_NUMBER, false, PARALLELISM_GPUS_MAX, FIELD(gpus), "N",
	  "GPUs of the job (default: --nnodes times\n"
	  "--nproc-per-node in ARGS)" },
	{ "json", OPTION_FLAG, false, 0, FIELD(json), NULL,
	  "print one JSON object" },
	{ 0 }
};

const struct command cmd_hint = {
	.name = "hint",
	.synopsis = "--megatron ARGS [--gpus N] [--json]",
	.summary = "turn a training command into a hint, and say its bytes",
	.description =
		"Reads the arguments of a Megatron-LM command line and prints "
		"the hint that says\nthe same, then the bytes that one GPU "
		"sends in a step on each dimension. What\nhas to do with "
		"parallelism but has no key in a hint is named.",
	.options = hint_options,
	.values_size = sizeof(struct hint_values),
	.run = run_hint,
};
