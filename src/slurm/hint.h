/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hint: where in a job record its hint stands. Knows nothing of Slurm.
 */
#ifndef LEAFSPINE_HINT_H
#define LEAFSPINE_HINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The plugin's name and the option's, as Slurm's environment joins them. */
#define HINT_SPANK_PLUGIN "leafspine"
#define HINT_OPTION "parallelism"
#define HINT_ENV_NAME "_SLURM_SPANK_OPTION_" HINT_SPANK_PLUGIN "_" HINT_OPTION
/* What marks a hint in a comment. */
#define HINT_WORD "leafspine:"

/* A piece of a text that belongs to somebody else. */
struct hint_text {
	const char *start;	/* NULL: no hint */
	size_t length;
};

/* What NAME has for a value among COUNT entries "NAME=value", or NULL. */
const char *hint_variable(char *const *variables, uint32_t count,
			  const char *name);

/*
 * The hint of a job with these SPANK variables and this comment (each may be
 * NULL): the option's, else that of the first word "leafspine:HINT".
 */
struct hint_text hint_find(char *const *variables, uint32_t count,
			   const char *comment);

#endif
