/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_counters: `leafspine counters`: what became of the jobs and of the
 * questions of slurmctld, from the status file.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "command.h"
#include "jsonout.h"
#include "output.h"
#include "status_file.h"
#include "table.h"

struct counters_values {
	const char *file;
	bool json;
};

/* Sums over all kinds of starts. */
static struct status_starts all_starts(const struct status_file *file)
{
	struct status_starts all = { .how = "all" };

	for (size_t i = 0; i < file->start_count; i++) {
		all.jobs += file->starts[i].jobs;
		all.gpu_hours += file->starts[i].gpu_hours;
		all.unlimited += file->starts[i].unlimited;
	}
	return all;
}

/* --- JSON ---------------------------------------------------------------- */

/* Null where there is nothing to have a share of. */
static json_t *ratio_json(double part, double whole)
{
	return whole > 0 ? jsonout_number(part / whole) : json_null();
}

static json_t *start_json(const struct status_starts *starts,
			  const struct status_starts *all)
{
	struct jsonout out;

	jsonout_init(&out);
	jsonout_set(&out, "jobs", jsonout_number(starts->jobs));
	jsonout_set(&out, "job_share", ratio_json(starts->jobs, all->jobs));
	jsonout_set(&out, "gpu_hours", jsonout_number(starts->gpu_hours));
	jsonout_set(&out, "gpu_hour_share",
		    ratio_json(starts->gpu_hours, all->gpu_hours));
	jsonout_set(&out, "unlimited", jsonout_number(starts->unlimited));
	return jsonout_finish(&out);
}

static json_t *starts_json(const struct status_file *file)
{
	struct status_starts all = all_starts(file);
	struct jsonout out;

	jsonout_init(&out);
	for (size_t i = 0; i < file->start_count; i++)
		jsonout_set(&out, file->starts[i].how,
			    start_json(&file->starts[i], &all));
	return jsonout_finish(&out);
}

static int print_json(const struct status_file *file)
{
	struct jsonout out;

	jsonout_init(&out);
	jsonout_set(&out, "version", jsonout_text(file->version));
	jsonout_set(&out, "mode", jsonout_text(file->mode));
	jsonout_set(&out, "fabric", jsonout_text(file->fabric));
	jsonout_set(&out, "since", jsonout_number(file->since));
	jsonout_set(&out, "time", jsonout_number(file->time));
	jsonout_set(&out, "starts", starts_json(file));
	jsonout_set(&out, "offered", jsonout_number(file->offered));
	jsonout_set(&out, "narrowed", jsonout_number(file->narrowed));
	jsonout_set(&out, "fell_back", json_deep_copy(file->fell_back));
	jsonout_set(&out, "skipped", json_deep_copy(file->skipped));
	jsonout_set(&out, "microseconds", jsonout_number(file->microseconds));
	jsonout_set(&out, "microseconds_per_call",
		    ratio_json(file->microseconds, file->offered));
	return jsonout_print(jsonout_finish(&out));
}

/* --- text ---------------------------------------------------------------- */

/* Kinds and causes are text of a file. */
static void name_cell(struct table *table, const char *indent, const char *name)
{
	char shown[64];

	table_cell(table, "%s%s", indent,
		   diag_printable(name, strlen(name), shown, sizeof(shown)));
}

static void share_cell(struct table *table, double part, double whole)
{
	char buffer[OUTPUT_QUANTITY_MAX];

	table_cell(table, "%s", whole > 0 ?
		   output_percent(part / whole, buffer) : "-");
}

static const struct table_column start_columns[] = {
	{ "Started", TABLE_LEFT }, { "Jobs", TABLE_RIGHT },
	{ "share", TABLE_RIGHT }, { "GPU-hours", TABLE_RIGHT },
	{ "share", TABLE_RIGHT }, { "No limit", TABLE_RIGHT },
};

enum { START_COLUMNS = sizeof(start_columns) / sizeof(*start_columns) };

static void add_starts(struct table *table, const struct status_starts *starts,
		       const struct status_starts *all)
{
	name_cell(table, "", starts->how);
	table_cell(table, "%.0f", starts->jobs);
	share_cell(table, starts->jobs, all->jobs);
	table_cell(table, "%.1f", starts->gpu_hours);
	share_cell(table, starts->gpu_hours, all->gpu_hours);
	table_cell(table, "%.0f", starts->unlimited);
}

static int print_starts(const struct status_file *file)
{
	struct status_starts all = all_starts(file);
	struct table table;
	int result;

	table_init(&table, start_columns, START_COLUMNS);
	for (size_t i = 0; i < file->start_count; i++)
		add_starts(&table, &file->starts[i], &all);
	add_starts(&table, &all, &all);
	result = table_print(&table, stdout);
	table_done(&table);
	return result;
}

static const struct table_column call_columns[] = {
	{ "Calls", TABLE_LEFT }, { "Number", TABLE_RIGHT },
	{ "share", TABLE_RIGHT },
};

enum { CALL_COLUMNS = sizeof(call_columns) / sizeof(*call_columns) };

static void add_calls(struct table *table, const char *what, double count,
		      double all)
{
	table_cell(table, "%s", what);
	table_cell(table, "%.0f", count);
	share_cell(table, count, all);
}

/* The sum, and behind it the causes that there were. */
static void add_causes(struct table *table, const char *what,
		       const json_t *causes, double all)
{
	const char *cause;
	json_t *value;

	add_calls(table, what, status_file_sum(causes), all);
	json_object_foreach((json_t *)causes, cause, value) {
		double count = json_number_value(value);

		if (count <= 0)
			continue;
		name_cell(table, "  ", cause);
		table_cell(table, "%.0f", count);
		share_cell(table, count, all);
	}
}

static int print_calls(const struct status_file *file)
{
	double all = file->offered + status_file_sum(file->skipped);
	struct table table;
	int result;

	table_init(&table, call_columns, CALL_COLUMNS);
	add_calls(&table, "offered", file->offered, all);
	add_calls(&table, "narrowed", file->narrowed, all);
	add_causes(&table, "fell back", file->fell_back, all);
	add_causes(&table, "skipped", file->skipped, all);
	result = table_print(&table, stdout);
	table_done(&table);
	return result;
}

static const char *print_time(double seconds, char *buffer, size_t room)
{
	time_t when = (time_t)seconds;
	struct tm broken_down;

	if (seconds > 1e11 || !gmtime_r(&when, &broken_down) ||
	    !strftime(buffer, room, "%Y-%m-%dT%H:%M:%SZ", &broken_down))
		return "?";
	return buffer;
}

static int print_text(const struct status_file *file)
{
	char since[32], until[32], mean[OUTPUT_QUANTITY_MAX];
	char mode[64], fabric[1024];

	printf("Mode %s, fabric %s, from %s to %s\n\n",
	       diag_printable(file->mode, strlen(file->mode), mode,
			      sizeof(mode)),
	       diag_printable(file->fabric, strlen(file->fabric), fabric,
			      sizeof(fabric)),
	       print_time(file->since, since, sizeof(since)),
	       print_time(file->time, until, sizeof(until)));
	if (print_starts(file) < 0)
		return -1;
	putchar('\n');
	if (print_calls(file) < 0)
		return -1;
	if (file->offered > 0)
		printf("\nMean time of a call that was offered: %s\n",
		       output_seconds(file->microseconds / file->offered / 1e6,
				      mean));
	return 0;
}

/* --- the command --------------------------------------------------------- */

static int print(const struct status_file *file, bool json)
{
	if (json)
		return print_json(file);
	if (print_text(file) == 0)
		return 0;
	output_no_memory();
	return -1;
}

static int run_counters(const void *values_pointer)
{
	const struct counters_values *values = values_pointer;
	struct status_file file;
	struct diag diag;
	int result;

	diag_init(&diag, values->file);
	result = status_file_read(values->file, &file, &diag);
	diag_print(&diag, stderr);
	diag_done(&diag);
	if (result == 0) {
		result = print(&file, values->json);
		status_file_done(&file);
	}
	return result < 0 ? EXIT_BAD : EXIT_DONE;
}

#define FIELD(name) offsetof(struct counters_values, name)

static const struct option_spec counters_options[] = {
	{ "FILE", OPTION_OPERAND, true, 0, FIELD(file), NULL,
	  "status file: StatusFile of leafspine.conf" },
	{ "json", OPTION_FLAG, false, 0, FIELD(json), NULL,
	  "print one JSON object" },
	{ 0 }
};

const struct command cmd_counters = {
	.name = "counters",
	.synopsis = "FILE [--json]",
	.summary = "how jobs came to their nodes in slurmctld",
	.description =
		"Shows the counters that the plugin in slurmctld writes each "
		"minute: how many\nstarts of jobs with GPUs were free "
		"choices, forced to nodes of Slurm's choice,\nby preemption, "
		"or none of leafspine's, in jobs and in GPU-hours by their\n"
		"time limits; and what became of Slurm's questions for nodes.",
	.options = counters_options,
	.values_size = sizeof(struct counters_values),
	.run = run_counters,
};
