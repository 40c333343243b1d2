/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_env: the nodes of a job, in rank order. See job_env.h. */
#include "job_env.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

#define ORDER "LEAFSPINE_NODES_BY_RANK"
#define NODE_LIST "SLURM_JOB_NODELIST"
#define IN_SLURMS_ORDER ": the nodes stand in Slurm's order"

/* NULL where it is not set, or empty. */
static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static int expand(const char *name, struct noderange_list *ret)
{
	struct noderange_error error;

	switch (noderange_expand(variable(name), ret, &error)) {
	case NODERANGE_OK:
		return 0;
	case NODERANGE_BAD:
		output_complain("%s: character %zu: %s", name,
				error.offset + 1, error.text);
		return -1;
	default:
		output_no_memory();
		return -1;
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names sorted, for free(); NULL without memory, which is said. */
static char **sorted_names(const struct noderange_list *list)
{
	char **names = calloc(list->count + 1, sizeof(*names));

	if (!names) {
		output_no_memory();
		return NULL;
	}
	for (size_t i = 0; i < list->count; i++)
		names[i] = list->names[i];
	qsort(names, list->count, sizeof(*names), by_name);
	return names;
}

/* 1 where both have the same names, 0 where not, -1 without memory. */
static int same_nodes(const struct noderange_list *a,
		      const struct noderange_list *b)
{
	char **x, **y;
	int same = -1;

	if (a->count != b->count)
		return 0;
	x = sorted_names(a);
	y = x ? sorted_names(b) : NULL;
	if (y) {
		same = 1;
		for (size_t i = 0; i < a->count; i++)
			if (strcmp(x[i], y[i]))
				same = 0;
	}
	free(x);
	free(y);
	return same;
}

/* False, after a word on it, where the order of ranks is not to be used. */
static bool order_counts(void)
{
	const char *off = variable("LEAFSPINE_ORDER");
	const char *owner = variable("LEAFSPINE_JOB_ID");
	const char *job = variable("SLURM_JOB_ID");

	if (!variable(ORDER)) {
		output_complain(ORDER " is not set" IN_SLURMS_ORDER);
	} else if (off && !strcmp(off, "off")) {
		output_complain("LEAFSPINE_ORDER=off" IN_SLURMS_ORDER);
	} else if (!owner || !job || strcmp(owner, job)) {
		output_complain(ORDER " is of %s%s" IN_SLURMS_ORDER,
				owner ? "job " : "no known job",
				owner ? owner : "");
	} else {
		return true;
	}
	return false;
}

int job_env_read(struct job_env *ret)
{
	struct noderange_list order = { 0 };
	int same;

	*ret = (struct job_env){ 0 };
	if (!variable(NODE_LIST)) {
		output_complain(NODE_LIST " is not set, expected to run in a "
				"job");
		return -1;
	}
	if (expand(NODE_LIST, &ret->nodes) < 0)
		return -1;
	if (!order_counts())
		return 0;
	if (expand(ORDER, &order) < 0)
		return -1;
	same = same_nodes(&order, &ret->nodes);
	if (same > 0) {
		noderange_list_done(&ret->nodes);
		ret->nodes = order;
		return 0;
	}
	noderange_list_done(&order);
	if (!same)
		output_complain(ORDER " has other nodes than " NODE_LIST
				IN_SLURMS_ORDER);
	return same;
}

/* The number at *TEXT, 1 to 1000000, or 0; *TEXT is behind it then. */
static uint32_t read_count(const char **text)
{
	uint32_t count = 0;

	while (isdigit((unsigned char)**text) && count <= 1000000)
		count = count * 10 + (uint32_t)(*(*text)++ - '0');
	return count <= 1000000 ? count : 0;
}

/* "8(x3),4" as COUNT numbers; -1 where it is not that. */
static int read_counts(const char *text, uint32_t *counts, size_t count)
{
	size_t at = 0;

	for (;;) {
		uint32_t value = read_count(&text), times = 1;

		if (!strncmp(text, "(x", 2)) {
			text += 2;
			times = read_count(&text);
			if (*text++ != ')')
				return -1;
		}
		if (!value || !times || times > count - at)
			return -1;
		while (times--)
			counts[at++] = value;
		if (!*text)
			return at == count ? 0 : -1;
		if (*text++ != ',')
			return -1;
	}
}

struct counted_node {
	const char *name;
	uint32_t count;
};

static int by_node(const void *a, const void *b)
{
	const struct counted_node *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Counts stand in Slurm's order of nodes; ours is another. */
static int sort_counts(struct job_env *job, const struct noderange_list *list)
{
	struct counted_node *nodes = calloc(list->count + 1, sizeof(*nodes));

	if (!nodes) {
		output_no_memory();
		return -1;
	}
	for (size_t i = 0; i < list->count; i++)
		nodes[i] = (struct counted_node){
			list->names[i], job->slots[i]
		};
	qsort(nodes, list->count, sizeof(*nodes), by_node);
	for (size_t i = 0; i < list->count; i++) {
		struct counted_node wanted = { job->nodes.names[i], 0 };
		const struct counted_node *found = bsearch(
			&wanted, nodes, list->count, sizeof(*nodes), by_node);

		job->slots[i] = found->count;
	}
	free(nodes);
	return 0;
}

/* The tasks of each node, from Slurm's list of them. */
static int take_tasks(struct job_env *job)
{
	const char *text = variable("SLURM_TASKS_PER_NODE");
	struct noderange_list list = { 0 };
	int status;

	if (read_counts(text, job->slots, job->nodes.count) < 0) {
		output_complain("SLURM_TASKS_PER_NODE: expected the tasks of "
				"the job's %zu nodes, such as 8(x3),4, got "
				"'%s'", job->nodes.count, text);
		return -1;
	}
	if (expand(NODE_LIST, &list) < 0)
		return -1;
	status = sort_counts(job, &list);
	noderange_list_done(&list);
	return status;
}

/* The same of each node. */
static int take_all(struct job_env *job, uint32_t slots)
{
	for (size_t i = 0; i < job->nodes.count; i++)
		job->slots[i] = slots;
	return 0;
}

static int take_number(struct job_env *job, const char *name)
{
	const char *text = variable(name), *at = text;
	uint32_t slots = read_count(&at);

	if (slots && !*at)
		return take_all(job, slots);
	output_complain("%s: expected a whole number from 1 to 1000000, got "
			"'%s'", name, text);
	return -1;
}

/* GPUs by rank, "8,8,4", where the nodes give different numbers. */
static int take_gpus(struct job_env *job)
{
	const char *text = variable("LEAFSPINE_GPUS_BY_RANK");

	if (!text)
		return take_number(job, "SLURM_GPUS_ON_NODE");
	if (read_counts(text, job->slots, job->nodes.count) == 0)
		return 0;
	output_complain("LEAFSPINE_GPUS_BY_RANK: expected the GPUs of the "
			"job's %zu nodes, such as 8,8,4, got '%s'",
			job->nodes.count, text);
	return -1;
}

int job_env_read_slots(struct job_env *job, uint32_t given)
{
	bool asked = variable("SLURM_NTASKS") ||
		     variable("SLURM_NTASKS_PER_NODE");

	job->slots = calloc(job->nodes.count + 1, sizeof(*job->slots));
	if (!job->slots) {
		output_no_memory();
		return -1;
	}
	if (given)
		return take_all(job, given);
	if (asked && variable("SLURM_TASKS_PER_NODE"))
		return take_tasks(job);
	if (variable("SLURM_NTASKS_PER_NODE"))
		return take_number(job, "SLURM_NTASKS_PER_NODE");
	if (variable("LEAFSPINE_GPUS_BY_RANK") ||
	    variable("SLURM_GPUS_ON_NODE"))
		return take_gpus(job);
	if (variable("SLURM_TASKS_PER_NODE"))
		return take_tasks(job);
	output_complain("neither SLURM_TASKS_PER_NODE nor SLURM_GPUS_ON_NODE "
			"is set, expected one of them or --slots N");
	return -1;
}

void job_env_done(struct job_env *job)
{
	noderange_list_done(&job->nodes);
	free(job->slots);
	*job = (struct job_env){ 0 };
}
