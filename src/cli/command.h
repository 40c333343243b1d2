/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command: one command of the program, as a constant entry of its table.
 */
#ifndef LEAFSPINE_COMMAND_H
#define LEAFSPINE_COMMAND_H

#include "options.h"

/* Exit statuses of the program (formats.md section 5). */
enum {
	EXIT_DONE = 0,
	EXIT_UNPLACED = 1,	/* the job cannot be placed */
	EXIT_BAD = 2		/* bad input or usage */
};

struct command {
	const char *name;
	const char *synopsis;	/* what follows the name on its usage line */
	const char *summary;	/* one line, for the list of commands */
	const char *description;	/* for its --help, with newlines */
	const struct option_spec *options;	/* up to one without a name */
	size_t values_size;	/* of the struct that the options fill */
	int (*run)(const void *values);	/* returns an exit status */
};

extern const struct command cmd_check;
extern const struct command cmd_show;
extern const struct command cmd_place;
extern const struct command cmd_score;
extern const struct command cmd_hint;
extern const struct command cmd_hostfile;
extern const struct command cmd_counters;

#endif
