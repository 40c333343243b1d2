/* SPDX-License-Identifier: GPL-2.0-or-later */
/* step_order: compares what srun asks with what was decided for the job. */

#include "step_order.h"

#include "noderange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool step_order_is_off(srun_variable variable)
{
	const char *word = variable(ORDER_SWITCH);

	return word && !strcmp(word, "off");
}

/* Order of another job may have come down by inheritance. */
static const char *nodes_of_job(srun_variable variable)
{
	const char *whose = variable(ORDER_JOB);
	const char *job = variable("SLURM_JOB_ID");

	return whose && job && !strcmp(whose, job) ? variable(ORDER_NODES) :
						     NULL;
}

static bool expand(const char *text, struct noderange_list *ret)
{
	struct noderange_error ignored;

	return text && !noderange_expand(text, ret, &ignored);
}

long step_order_node_rank(const char *node, srun_variable variable)
{
	struct noderange_list order;
	long rank = -1;

	if (!expand(nodes_of_job(variable), &order))
		return -1;
	for (size_t k = 0; k < order.count && rank < 0; k++)
		if (!strcmp(order.names[k], node))
			rank = (long)k;
	noderange_list_done(&order);
	return rank;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Same nodes, each once, in another order. Sorts OTHERS' array. */
static bool is_permutation(const struct noderange_list *order,
			   struct noderange_list *others)
{
	char **sorted;
	bool same = order->count == others->count, moved = false;

	for (size_t i = 0; same && !moved && i < order->count; i++)
		moved = strcmp(order->names[i], others->names[i]) != 0;
	if (!same || !moved)
		return false;
	sorted = calloc(order->count + 1, sizeof(*sorted));
	if (!sorted)
		return false;
	memcpy(sorted, order->names, order->count * sizeof(*sorted));
	qsort(sorted, order->count, sizeof(*sorted), compare);
	qsort(others->names, others->count, sizeof(*sorted), compare);
	for (size_t i = 0; same && i < order->count; i++)
		same = !strcmp(sorted[i], others->names[i]) &&
		       (!i || strcmp(sorted[i - 1], sorted[i]));
	free(sorted);
	return same;
}

/* The least of "64(x3),32", or 0. */
static unsigned long least_cpus(const char *text)
{
	unsigned long least = 0;

	while (text && *text) {
		char *end;
		unsigned long cpus = strtoul(text, &end, 10);

		if (end == text)
			return 0;
		if (!least || cpus < least)
			least = cpus;
		text = strchr(end, ',');
		if (text)
			text++;
	}
	return least;
}

/* srun's own rule for how many tasks it starts. */
static uint64_t task_count(const struct srun_args *args, uint64_t nodes)
{
	if (args->tasks)
		return args->tasks;
	return args->tasks_per_node ? nodes * args->tasks_per_node : nodes;
}

/*
 * How many tasks on each node, or 0 where that is no single number. srun fills
 * the nodes evenly only while each has the CPUs for it, and a job whose nodes
 * give different numbers of GPUs would want different numbers of tasks.
 */
static uint32_t tasks_on_each(const struct srun_args *args, size_t nodes,
			      srun_variable variable)
{
	uint64_t tasks = task_count(args, nodes), each = tasks / nodes;
	uint64_t cpus = args->cpus_per_task ? args->cpus_per_task : 1;

	if (!each || tasks % nodes || tasks > UINT32_MAX)
		return 0;
	if (each > 1 && (variable(ORDER_GPUS) ||
	    each * cpus > least_cpus(variable("SLURM_JOB_CPUS_PER_NODE"))))
		return 0;
	return (uint32_t)each;
}

static void write_hosts(const struct noderange_list *order, uint32_t each,
			struct step_order *ret)
{
	FILE *stream = open_memstream(&ret->host_file, &ret->length);
	bool failed;

	if (!stream)
		return;
	for (size_t k = 0; k < order->count; k++)
		for (uint32_t i = 0; i < each; i++)
			fprintf(stream, "%s\n", order->names[k]);
	failed = ferror(stream);
	ret->nodes = (uint32_t)order->count;
	ret->tasks = (uint32_t)order->count * each;
	if (fclose(stream) || failed)
		step_order_done(ret);
}

static void make(const struct srun_args *args, srun_variable variable,
		 const struct noderange_list *order, struct step_order *ret)
{
	struct noderange_list nodes;
	uint32_t each;

	if (!order->count || args->nodes != order->count ||
	    !expand(variable("SLURM_JOB_NODELIST"), &nodes))
		return;
	each = tasks_on_each(args, order->count, variable);
	if (each && is_permutation(order, &nodes))
		write_hosts(order, each, ret);
	noderange_list_done(&nodes);
}

struct step_order step_order_make(const struct srun_args *args,
				  srun_variable variable)
{
	struct step_order order = { 0 };
	struct noderange_list nodes;

	if (!args->plain || step_order_is_off(variable) ||
	    !expand(nodes_of_job(variable), &nodes))
		return order;
	make(args, variable, &nodes, &order);
	noderange_list_done(&nodes);
	return order;
}

void step_order_done(struct step_order *order)
{
	free(order->host_file);
	*order = (struct step_order){ 0 };
}
