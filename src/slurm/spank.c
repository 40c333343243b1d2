/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spank: --parallelism=HINT for sbatch, salloc and srun, and the order of the
 * nodes for the steps of a job.
 *
 * A hint that cannot be read is refused here, with the engine's own message,
 * before anything is submitted. A good one reaches slurmctld with the job:
 * Slurm itself keeps the options of SPANK plugins in the job's record.
 *
 * The order comes back in the job's environment. Inside srun it becomes a host
 * file, which srun would take from SLURM_HOSTFILE: a variable that breaks
 * ordinary scripts when it stands in a job's environment, so it is there only
 * while this one srun reads its options (rule 20).
 */

#include "hint.h"
#include "parallelism.h"
#include "step_order.h"

#include <slurm/slurm_version.h>
#include <slurm/spank.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

SPANK_PLUGIN(leafspine, 1)

int slurm_spank_init(spank_t spank, int argc, char *argv[]);
int slurm_spank_init_post_opt(spank_t spank, int argc, char *argv[]);
int slurm_spank_local_user_init(spank_t spank, int argc, char *argv[]);
int slurm_spank_task_init(spank_t spank, int argc, char *argv[]);

/* What Slurm puts in front of the option's variable in a job's environment. */
#define INHERITED "SLURM_SPANK_" HINT_ENV_NAME

#define HOST_FILE "SLURM_HOSTFILE"
#define TASKS "SLURM_NTASKS"
#define DISTRIBUTION "SLURM_DISTRIBUTION"

/* --- the hint ------------------------------------------------------------ */

static int take_hint(int value, const char *text, int remote)
{
	struct parallelism_error error;
	struct parallelism hint;

	(void)value;
	/* On the node the job runs already; its hint was read before. */
	if (remote || !text)
		return 0;
	if (!parallelism_parse(text, strlen(text), &hint, &error))
		return 0;
	slurm_error("--" HINT_OPTION ": %s", error.text);
	return -1;
}

static struct spank_option option = {
	.name = (char *)HINT_OPTION,
	.arginfo = (char *)"HINT",
	.usage = (char *)"how the job is split over its GPUs, as "
		"tp=8,pp=4,dp=16; see leafspine-parallelism(7)",
	.has_arg = 1,
	.val = 0,
	.cb = take_hint,
};

/* --- the order, in srun -------------------------------------------------- */

static char *variable(const char *name)
{
	return getenv(name);
}

/* srun's state while SLURM_HOSTFILE stands in its environment. */
static struct {
	int descriptor;
	bool had_tasks;
	const char *distribution;	/* what srun would have used itself */
} host_file;

static bool write_all(int descriptor, const char *text, size_t length)
{
	while (length) {
		ssize_t written = write(descriptor, text, length);

		if (written <= 0)
			return false;
		text += written;
		length -= (size_t)written;
	}
	return true;
}

/*
 * No file of any name: nobody else sees it, and nothing has to be removed. The
 * number of tasks goes with it, for srun would take one a node.
 */
static void hand_over(const struct step_order *order)
{
	char path[32], tasks[16];
	int descriptor = memfd_create("leafspine", MFD_CLOEXEC);

	if (descriptor < 0)
		return;
	if (!write_all(descriptor, order->host_file, order->length)) {
		close(descriptor);
		return;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	snprintf(tasks, sizeof(tasks), "%u", order->tasks);
	host_file.had_tasks = getenv(TASKS);
	host_file.descriptor = descriptor;
	host_file.distribution = order->tasks > order->nodes ? "block" :
							       "cyclic";
	setenv(HOST_FILE, path, 1);
	setenv(TASKS, tasks, 0);
}

/* The words of /proc/self/cmdline, for free() of both; NULL without memory. */
static char **split_words(char *text, size_t length, int *ret_count)
{
	char **words;
	int count = 0;

	for (size_t i = 0; i < length; i++)
		count += !text[i];
	words = calloc((size_t)count + 1, sizeof(*words));
	*ret_count = count;
	for (int k = 0; words && k < count; k++) {
		words[k] = text;
		text += strlen(text) + 1;
	}
	return words;
}

/* The host file for this srun, if its step is one that gets the order. */
static void order_step(void)
{
	FILE *stream = fopen("/proc/self/cmdline", "r");
	char *text = NULL, **words;
	struct step_order order;
	struct srun_args args;
	size_t room = 0;
	ssize_t length;
	int count;

	if (!stream)
		return;
	length = getdelim(&text, &room, EOF, stream);
	fclose(stream);
	words = length > 0 ? split_words(text, (size_t)length, &count) : NULL;
	if (words) {
		args = srun_args_read(count, words, variable);
		order = step_order_make(&args, variable);
		if (order.host_file)
			hand_over(&order);
		step_order_done(&order);
	}
	free(words);
	free(text);
}

/* --- what Slurm calls ---------------------------------------------------- */

/*
 * Inside a job sbatch would take the job's own hint for an option that was
 * given to it (rule 3), and hand on the order of this job to the other.
 */
static void forget_job(spank_context_t context)
{
	unsetenv(INHERITED);
	/* Each node sets its own; where it cannot, it has not another's. */
	unsetenv(ORDER_NODE_RANK);
	if (context != S_CTX_ALLOCATOR)
		return;
	unsetenv(ORDER_NODES);
	unsetenv(ORDER_BYTES);
	unsetenv(ORDER_JOB);
	unsetenv(ORDER_GPUS);
}

/*
 * Tells slurmctld that the steps of the job will get the order, so that it can
 * choose nodes for it. srun asks for its nodes when its options are read long
 * since: too late.
 */
static void announce(spank_t spank, spank_context_t context)
{
	if (context == S_CTX_ALLOCATOR && !step_order_is_off(variable))
		spank_job_control_setenv(spank, ORDER_MARK, ORDER_ANNOUNCED, 1);
	else
		spank_job_control_unsetenv(spank, ORDER_MARK);
}

int slurm_spank_init(spank_t spank, int argc, char *argv[])
{
	spank_context_t context = spank_context();

	(void)argc;
	(void)argv;
	if (context == S_CTX_LOCAL || context == S_CTX_ALLOCATOR) {
		if (getenv("SLURM_JOB_ID"))
			forget_job(context);
		announce(spank, context);
	}
	if (context == S_CTX_LOCAL && getenv("SLURM_JOB_ID"))
		order_step();
	return spank_option_register(spank, &option) == ESPANK_SUCCESS ? 0 : -1;
}

/* srun has read its options, and with them the host file. */
int slurm_spank_init_post_opt(spank_t spank, int argc, char *argv[])
{
	(void)spank;
	(void)argc;
	(void)argv;
	if (!host_file.distribution)
		return 0;
	unsetenv(HOST_FILE);
	if (!host_file.had_tasks)
		unsetenv(TASKS);
	close(host_file.descriptor);
	return 0;
}

/*
 * The last moment before srun's environment goes to the tasks: srun inside one
 * of them must not take our distribution for its user's, nor without a file.
 */
int slurm_spank_local_user_init(spank_t spank, int argc, char *argv[])
{
	(void)spank;
	(void)argc;
	(void)argv;
	if (host_file.distribution)
		setenv(DISTRIBUTION, host_file.distribution, 1);
	return 0;
}

/* --- the order, in a task ------------------------------------------------ */

static char **task_environment;

static char *task_variable(const char *name)
{
	size_t length = strlen(name);

	for (char **entry = task_environment; entry && *entry; entry++)
		if (!strncmp(*entry, name, length) && (*entry)[length] == '=')
			return *entry + length + 1;
	return NULL;
}

int slurm_spank_task_init(spank_t spank, int argc, char *argv[])
{
	const char *node;
	char number[24];
	long rank;

	(void)argc;
	(void)argv;
	if (!spank_remote(spank) ||
	    spank_get_item(spank, S_JOB_ENV, &task_environment))
		return 0;
	node = task_variable("SLURMD_NODENAME");
	rank = node ? step_order_node_rank(node, task_variable) : -1;
	if (rank < 0)
		return 0;
	snprintf(number, sizeof(number), "%ld", rank);
	spank_setenv(spank, ORDER_NODE_RANK, number, 1);
	return 0;
}
