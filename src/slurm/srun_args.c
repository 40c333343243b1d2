/* SPDX-License-Identifier: GPL-2.0-or-later */
/* srun_args: the options of srun, 22.05 to 26.05, and which of them matter. */

#include "srun_args.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum role {
	HARMLESS,	/* does not touch the layout */
	NODES,
	TASKS,
	TASKS_PER_NODE,
	CPUS_PER_TASK
};

/* MAYBE: only as --name=value, -nvalue. */
enum arity { NONE, ONE, MAYBE };

struct option_kind {
	const char *name;
	char letter;
	enum arity arity;
	enum role role;
};

/*
 * Not listed, and so left alone as what is not known: all that chooses nodes or
 * lays tasks out (-w, -x, -F, -C, -m, -r, -O, -B, --ntasks-per-gpu,
 * --het-group, ...) and steps of another kind (--pty, --interactive, -Z).
 */
static const struct option_kind kinds[] = {
	{ "accel-bind", 0, ONE, HARMLESS },
	{ "account", 'A', ONE, HARMLESS },
	{ "acctg-freq", 0, ONE, HARMLESS },
	{ "bb", 0, ONE, HARMLESS },
	{ "bbf", 0, ONE, HARMLESS },
	{ "bcast", 0, MAYBE, HARMLESS },
	{ "bcast-exclude", 0, ONE, HARMLESS },
	{ "begin", 'b', ONE, HARMLESS },
	{ "chdir", 'D', ONE, HARMLESS },
	{ "comment", 0, ONE, HARMLESS },
	{ "compress", 0, MAYBE, HARMLESS },
	{ "container", 0, ONE, HARMLESS },
	{ "container-id", 0, ONE, HARMLESS },
	{ "container-type", 0, ONE, HARMLESS },
	{ "context", 0, ONE, HARMLESS },
	{ "core-spec", 'S', ONE, HARMLESS },
	{ "cpu-bind", 0, ONE, HARMLESS },
	{ "cpu_bind", 0, ONE, HARMLESS },
	{ "cpu-freq", 0, ONE, HARMLESS },
	{ "cpus-per-gpu", 0, ONE, HARMLESS },
	{ "cpus-per-task", 'c', ONE, CPUS_PER_TASK },
	{ "deadline", 0, ONE, HARMLESS },
	{ "delay-boot", 0, ONE, HARMLESS },
	{ "dependency", 'd', ONE, HARMLESS },
	{ "disable-status", 'X', NONE, HARMLESS },
	{ "epilog", 0, ONE, HARMLESS },
	{ "error", 'e', ONE, HARMLESS },
	{ "exact", 0, NONE, HARMLESS },
	{ "exclusive", 0, MAYBE, HARMLESS },
	{ "export", 0, ONE, HARMLESS },
	{ "extra", 0, ONE, HARMLESS },
	{ "gpu-bind", 0, ONE, HARMLESS },
	{ "gpu-freq", 0, ONE, HARMLESS },
	{ "gpus", 'G', ONE, HARMLESS },
	{ "gpus-per-node", 0, ONE, HARMLESS },
	{ "gpus-per-task", 0, ONE, HARMLESS },
	{ "gres", 0, ONE, HARMLESS },
	{ "gres-flags", 0, ONE, HARMLESS },
	{ "hint", 0, ONE, HARMLESS },
	{ "ignore-signals", 0, ONE, HARMLESS },
	{ "immediate", 'I', MAYBE, HARMLESS },
	{ "input", 'i', ONE, HARMLESS },
	{ "job-name", 'J', ONE, HARMLESS },
	{ "kill-on-bad-exit", 'K', MAYBE, HARMLESS },
	{ "label", 'l', NONE, HARMLESS },
	{ "licenses", 'L', ONE, HARMLESS },
	{ "mail-type", 0, ONE, HARMLESS },
	{ "mail-user", 0, ONE, HARMLESS },
	{ "mcs-label", 0, ONE, HARMLESS },
	{ "mem", 0, ONE, HARMLESS },
	{ "mem-bind", 0, ONE, HARMLESS },
	{ "mem-per-cpu", 0, ONE, HARMLESS },
	{ "mem-per-gpu", 0, ONE, HARMLESS },
	{ "mpi", 0, ONE, HARMLESS },
	{ "msg-timeout", 0, ONE, HARMLESS },
	{ "multi-prog", 0, NONE, HARMLESS },
	{ "network", 0, ONE, HARMLESS },
	{ "nice", 0, MAYBE, HARMLESS },
	{ "no-kill", 'k', MAYBE, HARMLESS },
	{ "nodes", 'N', ONE, NODES },
	{ "ntasks", 'n', ONE, TASKS },
	{ "ntasks-per-node", 0, ONE, TASKS_PER_NODE },
	{ "tasks-per-node", 0, ONE, TASKS_PER_NODE },
	{ "oom-kill-step", 0, MAYBE, HARMLESS },
	{ "open-mode", 0, ONE, HARMLESS },
	{ "output", 'o', ONE, HARMLESS },
	{ "overlap", 0, MAYBE, HARMLESS },
	{ "oversubscribe", 's', NONE, HARMLESS },
	{ "parallelism", 0, ONE, HARMLESS },	/* ours */
	{ "partition", 'p', ONE, HARMLESS },
	{ "preserve-env", 'E', NONE, HARMLESS },
	{ "priority", 0, ONE, HARMLESS },
	{ "profile", 0, ONE, HARMLESS },
	{ "prolog", 0, ONE, HARMLESS },
	{ "propagate", 0, MAYBE, HARMLESS },
	{ "qos", 'q', ONE, HARMLESS },
	{ "quiet", 'Q', NONE, HARMLESS },
	{ "quit-on-interrupt", 0, NONE, HARMLESS },
	{ "reservation", 0, ONE, HARMLESS },
	{ "resv-ports", 0, MAYBE, HARMLESS },
	{ "send-libs", 0, MAYBE, HARMLESS },
	{ "signal", 0, ONE, HARMLESS },
	{ "slurmd-debug", 0, ONE, HARMLESS },
	{ "switches", 0, ONE, HARMLESS },
	{ "task-epilog", 0, ONE, HARMLESS },
	{ "task-prolog", 0, ONE, HARMLESS },
	{ "thread-spec", 0, ONE, HARMLESS },
	{ "threads", 'T', ONE, HARMLESS },
	{ "time", 't', ONE, HARMLESS },
	{ "time-min", 0, ONE, HARMLESS },
	{ "tmp", 0, ONE, HARMLESS },
	{ "treewidth", 0, ONE, HARMLESS },
	{ "tres-bind", 0, ONE, HARMLESS },
	{ "unbuffered", 'u', NONE, HARMLESS },
	{ "verbose", 'v', NONE, HARMLESS },
	{ "wait", 'W', ONE, HARMLESS },
	{ "wait-for-children", 0, NONE, HARMLESS },
	{ "wckey", 0, ONE, HARMLESS },
	{ "whole", 0, NONE, HARMLESS },
	{ "x11", 0, MAYBE, HARMLESS },
	/* Of enroot and pyxis: common in front of a training job. */
	{ "container-image", 0, ONE, HARMLESS },
	{ "container-mounts", 0, ONE, HARMLESS },
	{ "container-workdir", 0, ONE, HARMLESS },
	{ "container-name", 0, ONE, HARMLESS },
	{ "container-save", 0, ONE, HARMLESS },
	{ "container-env", 0, ONE, HARMLESS },
	{ "container-mount-home", 0, NONE, HARMLESS },
	{ "no-container-mount-home", 0, NONE, HARMLESS },
	{ "container-remap-root", 0, NONE, HARMLESS },
	{ "no-container-remap-root", 0, NONE, HARMLESS },
	{ "container-entrypoint", 0, NONE, HARMLESS },
	{ "no-container-entrypoint", 0, NONE, HARMLESS },
	{ "container-writable", 0, NONE, HARMLESS },
	{ "container-readonly", 0, NONE, HARMLESS },
	{ NULL, 0, NONE, HARMLESS }
};

/* Variables that stand for options which choose nodes or lay out tasks. */
static const char *const alone_variables[] = {
	"SLURM_HOSTFILE", "SLURM_DISTRIBUTION", "SLURM_HET_SIZE",
	"SLURM_NTASKS_PER_CORE", "SLURM_NTASKS_PER_SOCKET",
	"SLURM_NTASKS_PER_GPU", "SLURM_NTASKS_PER_TRES", "SLURM_OVERCOMMIT",
	"SLURM_CONSTRAINT", "SLURM_SPREAD_JOB", "SLURM_USE_MIN_NODES",
	"SLURM_NSOCKETS_PER_NODE", "SLURM_NCORES_PER_SOCKET", NULL
};

/* A plain number above 0; else false. */
static bool read_number(const char *text, uint32_t *ret)
{
	unsigned long long number;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	number = strtoull(text, &end, 10);
	if (*end || !number || number > UINT32_MAX)
		return false;
	*ret = (uint32_t)number;
	return true;
}

static uint32_t *field_of(struct srun_args *args, enum role role)
{
	switch (role) {
	case NODES:
		return &args->nodes;
	case TASKS:
		return &args->tasks;
	case TASKS_PER_NODE:
		return &args->tasks_per_node;
	case CPUS_PER_TASK:
		return &args->cpus_per_task;
	case HARMLESS:
		break;
	}
	return NULL;
}

/* VALUE may be NULL where the option has none. */
static bool take(struct srun_args *args, enum role role, const char *value)
{
	uint32_t *field = field_of(args, role);

	return !field || (value && read_number(value, field));
}

static const struct option_kind *find_name(const char *name, size_t length)
{
	for (const struct option_kind *kind = kinds; kind->name; kind++)
		if (strlen(kind->name) == length &&
		    !strncmp(kind->name, name, length))
			return kind;
	return NULL;
}

static const struct option_kind *find_letter(char letter)
{
	for (const struct option_kind *kind = kinds; kind->name; kind++)
		if (kind->letter == letter)
			return kind;
	return NULL;
}

/*
 * "--name", "--name=value" or "--name" "value": *AT moves on to the last word
 * of it. Of an unknown option with '=' at least the end is known.
 */
static bool take_long(struct srun_args *args, char *const argv[], int argc,
		      int *at)
{
	const char *name = argv[*at] + 2, *equals = strchr(name, '=');
	const struct option_kind *kind;

	kind = find_name(name, equals ? (size_t)(equals - name) : strlen(name));
	if (!kind)
		return false;
	if (equals)
		return kind->arity != NONE &&
		       take(args, kind->role, equals + 1);
	if (kind->arity != ONE)
		return take(args, kind->role, NULL);
	return ++*at < argc && take(args, kind->role, argv[*at]);
}

/* "-lN4", "-N4" or "-N" "4". */
static bool take_short(struct srun_args *args, char *const argv[], int argc,
		       int *at)
{
	const char *letter = argv[*at] + 1;

	for (; *letter; letter++) {
		const struct option_kind *kind = find_letter(*letter);

		if (!kind)
			return false;
		if (kind->arity == NONE) {
			if (!take(args, kind->role, NULL))
				return false;
			continue;
		}
		if (letter[1] || kind->arity == MAYBE)
			return take(args, kind->role, letter + 1);
		return ++*at < argc && take(args, kind->role, argv[*at]);
	}
	return true;
}

/* Up to the command. A lone ":" behind it starts another step component. */
static bool read_line(struct srun_args *args, int argc, char *const argv[])
{
	int at = 1;

	for (; at < argc && argv[at][0] == '-' && argv[at][1]; at++) {
		bool is_long = argv[at][1] == '-';

		if (is_long && !argv[at][2]) {
			at++;
			break;
		}
		if (!(is_long ? take_long : take_short)(args, argv, argc, &at))
			return false;
	}
	for (; at < argc; at++)
		if (!strcmp(argv[at], ":"))
			return false;
	return true;
}

/* A number that the options have not given; a bad one is srun's to refuse. */
static bool read_variable(srun_variable variable, const char *name,
			  uint32_t *number)
{
	const char *value = variable(name);

	return !value || *number || read_number(value, number);
}

static bool read_variables(struct srun_args *args, srun_variable variable)
{
	for (const char *const *name = alone_variables; *name; name++)
		if (variable(*name))
			return false;
	return read_variable(variable, "SLURM_JOB_NUM_NODES", &args->nodes) &&
	       read_variable(variable, "SLURM_NTASKS", &args->tasks) &&
	       read_variable(variable, "SLURM_NPROCS", &args->tasks) &&
	       read_variable(variable, "SLURM_NTASKS_PER_NODE",
			     &args->tasks_per_node) &&
	       read_variable(variable, "SRUN_CPUS_PER_TASK",
			     &args->cpus_per_task) &&
	       read_variable(variable, "SLURM_CPUS_PER_TASK",
			     &args->cpus_per_task);
}

struct srun_args srun_args_read(int argc, char *const argv[],
				srun_variable variable)
{
	struct srun_args args = { 0 };

	args.plain = argc > 0 && read_line(&args, argc, argv) &&
		     read_variables(&args, variable);
	return args;
}
