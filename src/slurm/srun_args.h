/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * srun_args: what the command line and the environment of one srun ask of the
 * layout of its step. Knows nothing of Slurm.
 *
 * A SPANK plugin is called before srun has read its options, and what it then
 * wants to change it must change before that: so the options are read here
 * too. Whatever is not understood makes the answer "leave it alone".
 */
#ifndef LEAFSPINE_SRUN_ARGS_H
#define LEAFSPINE_SRUN_ARGS_H

#include <stdbool.h>
#include <stdint.h>

struct srun_args {
	/*
	 * Nothing in it that chooses nodes or lays tasks out by itself, and
	 * nothing unknown. False: the numbers below mean nothing.
	 */
	bool plain;
	/* 0: not given. The option wins over the variable, as in srun. */
	uint32_t nodes;
	uint32_t tasks;
	uint32_t tasks_per_node;
	uint32_t cpus_per_task;
};

/* getenv(), or a test's own. */
typedef char *(*srun_variable)(const char *name);

/* ARGV[0] is the program; it ends by NULL at ARGV[ARGC]. */
struct srun_args srun_args_read(int argc, char *const argv[],
				srun_variable variable);

#endif
