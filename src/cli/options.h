/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options: long options as a constant table that fills a struct.
 *
 * Read are `--name VALUE` and `--name=VALUE`, in any order with the operand;
 * `--` ends the options. Names are not abbreviated, so that a later option
 * cannot change what a script means. A separate value must not begin with
 * `--`: there a value was forgotten (`--name=--text` says that it was not), but
 * for options whose value is a command line.
 */
#ifndef LEAFSPINE_OPTIONS_H
#define LEAFSPINE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The type of the field that an option fills stands beside its kind. */
enum option_kind {
	OPTION_FLAG,		/* bool */
	OPTION_NUMBER,		/* uint32_t, 1 to max; stays 0 if not given */
	OPTION_TEXT,		/* const char *, stays NULL if not given */
	OPTION_LINE,		/* likewise, and may begin with dashes */
	OPTION_TEXTS,		/* struct option_texts: may be given again */
	OPTION_OPERAND		/* const char *: the argument without a name */
};

struct option_texts {
	const char **items;	/* owned; each points into argv */
	size_t count;
};

struct option_spec {
	const char *name;	/* without dashes; NULL ends the table */
	enum option_kind kind;
	bool required;
	uint32_t max;		/* of OPTION_NUMBER */
	size_t offset;		/* of its field */
	const char *value;	/* what the help calls the value */
	const char *help;	/* may have several lines */
};

enum options_result {
	OPTIONS_OK,
	OPTIONS_HELP,		/* --help was given */
	OPTIONS_BAD		/* said on standard error */
};

/*
 * Reads ARGV[0 .. ARGC-1] into *VALUES, which must be zeroed. COMMAND names the
 * command in messages. Call options_done whatever is returned.
 */
enum options_result options_parse(const struct option_spec *specs,
				  const char *command, int argc,
				  char *const *argv, void *values);
void options_done(const struct option_spec *specs, void *values);

/* The table as it stands in a --help, on standard output. */
void options_print_help(const struct option_spec *specs);

#endif
