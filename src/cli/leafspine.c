/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leafspine: the program: finds the command and runs it.
 */
#include "leafspine_config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "output.h"

static const struct command *const commands[] = {
	&cmd_check,
	&cmd_show,
	&cmd_place,
	&cmd_score,
	&cmd_hint,
	&cmd_hostfile,
	&cmd_counters,
};

enum { COMMANDS = sizeof(commands) / sizeof(*commands) };

static void print_usage(FILE *stream, const char *prefix)
{
	fprintf(stream, "%sUsage: leafspine COMMAND [OPTION ...]\n", prefix);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(stream, "%s  %-8s  %s\n", prefix, commands[i]->name,
			commands[i]->summary);
	fprintf(stream, "%s  help      the options of a command: "
		"leafspine help COMMAND\n", prefix);
}

static int print_help(void)
{
	puts("leafspine places jobs on leaf-spine fabrics by their "
	     "parallelism.\n");
	print_usage(stdout, "");
	puts("\nOptions:\n"
	     "  --help     print this text\n"
	     "  --version  print the version\n"
	     "\nExit status: 0 done, 1 the job cannot be placed, 2 bad input "
	     "or usage.\nSee leafspine(1), leafspine-fabric(5) and "
	     "leafspine-parallelism(7).");
	return EXIT_DONE;
}

static int print_version(void)
{
	puts("leafspine " PACKAGE_VERSION);
	return EXIT_DONE;
}

static int print_command_help(const struct command *command)
{
	printf("Usage: leafspine %s %s\n\n%s\n\nOptions:\n", command->name,
	       command->synopsis, command->description);
	options_print_help(command->options);
	return EXIT_DONE;
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	}
	output_complain("unknown command '%s'; see 'leafspine --help'", name);
	return NULL;
}

static int run_help(int argc, char *const *argv)
{
	const struct command *command;

	if (argc == 0)
		return print_help();
	if (argc > 1) {
		output_complain("help: unexpected argument '%s'; "
				"see 'leafspine --help'", argv[1]);
		return EXIT_BAD;
	}
	command = find_command(argv[0]);
	return command ? print_command_help(command) : EXIT_BAD;
}

static int run_command(const struct command *command, int argc,
		       char *const *argv)
{
	void *values = calloc(1, command->values_size);
	int status = EXIT_BAD;

	if (!values) {
		output_no_memory();
		return EXIT_BAD;
	}
	switch (options_parse(command->options, command->name, argc, argv,
			      values)) {
	case OPTIONS_OK:
		status = command->run(values);
		break;
	case OPTIONS_HELP:
		status = print_command_help(command);
		break;
	case OPTIONS_BAD:
		break;
	}
	options_done(command->options, values);
	free(values);
	return status;
}

static int run(int argc, char *const *argv)
{
	const struct command *command;

	if (argc == 0) {
		print_usage(stderr, "leafspine: ");
		return EXIT_BAD;
	}
	if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)
		return print_help();
	if (strcmp(argv[0], "--version") == 0)
		return print_version();
	if (strcmp(argv[0], "help") == 0)
		return run_help(argc - 1, argv + 1);
	if (argv[0][0] == '-') {
		output_complain("unknown option '%s'; see 'leafspine --help'",
				argv[0]);
		return EXIT_BAD;
	}
	command = find_command(argv[0]);
	return command ? run_command(command, argc - 1, argv + 1) : EXIT_BAD;
}

/* An answer that did not reach its reader must not look like one that did. */
static int close_output(int status)
{
	int failed = ferror(stdout);

	errno = 0;
	if (fclose(stdout) == 0 && !failed)
		return status;
	output_complain("cannot write to standard output%s%s",
			errno ? ": " : "", errno ? strerror(errno) : "");
	return EXIT_BAD;
}

int main(int argc, char **argv)
{
	/* A closed pipe is a write error like any other. */
	signal(SIGPIPE, SIG_IGN);
	return close_output(run(argc > 0 ? argc - 1 : 0, argv + 1));
}
