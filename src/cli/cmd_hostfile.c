/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_hostfile: `leafspine hostfile`: the nodes of the job that it runs in, in
 * rank order, as other launchers read them.
 */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "job_env.h"
#include "output.h"

struct hostfile_values {
	const char *format;
	uint32_t slots;
};

struct host {
	const char *name;
	size_t rank;		/* of the node */
	uint32_t slots;
};

static void print_plain(const struct host *host)
{
	puts(host->name);
}

static void print_openmpi(const struct host *host)
{
	printf("%s slots=%u\n", host->name, (unsigned)host->slots);
}

static void print_mpich(const struct host *host)
{
	printf("%s:%u\n", host->name, (unsigned)host->slots);
}

static void print_torchrun(const struct host *host)
{
	printf("%zu %s\n", host->rank, host->name);
}

static const struct format {
	const char *name;
	bool has_slots;
	void (*print)(const struct host *host);
} formats[] = {
	{ "plain", false, print_plain },
	{ "openmpi", true, print_openmpi },
	{ "mpich", true, print_mpich },
	{ "torchrun", false, print_torchrun },
};

static const struct format *find_format(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	output_complain("--format: expected plain, openmpi, mpich or torchrun, "
			"got '%s'", name);
	return NULL;
}

static void print_hosts(const struct job_env *job, const struct format *format)
{
	for (size_t k = 0; k < job->nodes.count; k++) {
		struct host host = {
			job->nodes.names[k], k, job->slots ? job->slots[k] : 0
		};

		format->print(&host);
	}
}

static int run_hostfile(const void *values_pointer)
{
	const struct hostfile_values *values = values_pointer;
	const struct format *format =
		find_format(values->format ? values->format : "plain");
	struct job_env job = { 0 };
	int status = -1;

	if (!format)
		return EXIT_BAD;
	if (values->slots && !format->has_slots) {
		output_complain("hostfile: --slots is for the formats openmpi "
				"and mpich; see 'leafspine hostfile --help'");
		return EXIT_BAD;
	}
	if (job_env_read(&job) == 0 &&
	    (!format->has_slots ||
	     job_env_read_slots(&job, values->slots) == 0)) {
		print_hosts(&job, format);
		status = 0;
	}
	job_env_done(&job);
	return status < 0 ? EXIT_BAD : EXIT_DONE;
}

#define FIELD(name) offsetof(struct hostfile_values, name)

static const struct option_spec hostfile_options[] = {
	{ "format", OPTION_TEXT, false, 0, FIELD(format), "FORMAT",
	  "plain (a name a line, the default),\n"
	  "openmpi (NAME slots=N), mpich (NAME:N)\n"
	  "or torchrun (NODE-RANK NAME)" },
	{ "slots", OPTION_NUMBER, false, 1000000, FIELD(slots), "N",
	  "slots of each node (default: its tasks, else its GPUs)" },
	{ 0 }
};

const struct command cmd_hostfile = {
	.name = "hostfile",
	.synopsis = "[--format FORMAT] [--slots N]",
	.summary = "print the nodes of this job in rank order",
	.description =
		"Prints the nodes of the job that it runs in, a line each, in "
		"the order that\nleafspine decided (LEAFSPINE_NODES_BY_RANK). "
		"Where there is none they stand in\nSlurm's order, which is "
		"said on standard error.",
	.options = hostfile_options,
	.values_size = sizeof(struct hostfile_values),
	.run = run_hostfile,
};
