/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a command line of srun asks of the layout of its step. */

#include "slurm/srun_args.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

#define WORDS_MAX 16

/* "NAME=value" pairs that stand for the environment. */
static const char *const *environment;

static char *variable(const char *name)
{
	size_t length = strlen(name);

	for (const char *const *entry = environment; entry && *entry; entry++)
		if (!strncmp(*entry, name, length) && (*entry)[length] == '=')
			return (char *)*entry + length + 1;
	return NULL;
}

/* Reads LINE, words apart by one blank, with the variables of ENV. */
static struct srun_args read_with(const char *line, const char *const *env)
{
	static char text[512];
	char *words[WORDS_MAX + 1] = { NULL };
	int count = 0;

	snprintf(text, sizeof(text), "%s", line);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
		ck_assert_int_lt(count, WORDS_MAX);
		words[count++] = word;
	}
	environment = env;
	return srun_args_read(count, words, variable);
}

static struct srun_args read_line(const char *line)
{
	return read_with(line, NULL);
}

START_TEST(plain_line)
{
	struct srun_args args = read_line("srun hostname");

	ck_assert(args.plain);
	ck_assert_uint_eq(args.nodes, 0);
	ck_assert_uint_eq(args.tasks, 0);
	ck_assert_uint_eq(args.tasks_per_node, 0);
	ck_assert_uint_eq(args.cpus_per_task, 0);
}
END_TEST

static const struct {
	const char *line;
	uint32_t nodes, tasks, each, cpus;
} numbers[] = {
	{ "srun -N4 -n32 train", 4, 32, 0, 0 },
	{ "srun -N 4 -n 32 train", 4, 32, 0, 0 },
	{ "srun --nodes=4 --ntasks=32 train", 4, 32, 0, 0 },
	{ "srun --nodes 4 --ntasks 32 train", 4, 32, 0, 0 },
	{ "srun --ntasks-per-node=8 -c7 train", 0, 0, 8, 7 },
	{ "srun --tasks-per-node 8 --cpus-per-task 7 train", 0, 0, 8, 7 },
	{ "srun -lN4 train", 4, 0, 0, 0 },
	{ "srun -luQ -n 8 train", 0, 8, 0, 0 },
	{ "srun -o log -n8 train", 0, 8, 0, 0 },
	{ "srun -olog -n8 train", 0, 8, 0, 0 },
	{ "srun --output log -n8 train", 0, 8, 0, 0 },
	{ "srun -K -n8 train", 0, 8, 0, 0 },
	{ "srun -K1 -n8 train", 0, 8, 0, 0 },
	{ "srun --kill-on-bad-exit=1 -n8 train", 0, 8, 0, 0 },
	{ "srun --overlap --exact --mpi=pmix -n8 train", 0, 8, 0, 0 },
	{ "srun --container-image /a.sqsh -n8 train", 0, 8, 0, 0 },
	{ "srun --no-container-mount-home -n8 train", 0, 8, 0, 0 },
	{ "srun --parallelism=tp=8 -n8 train", 0, 8, 0, 0 },
	/* What follows the command is the command's. */
	{ "srun -n8 train -N2 -w n1 --relative=1 --unknown", 0, 8, 0, 0 },
	{ "srun -n8 -- train -N2", 0, 8, 0, 0 },
	{ "srun -n8 - -N2", 0, 8, 0, 0 },
	{ "srun -n8 -n16 train", 0, 16, 0, 0 },
};

START_TEST(reads_numbers)
{
	struct srun_args args = read_line(numbers[_i].line);

	ck_assert_msg(args.plain, "%s", numbers[_i].line);
	ck_assert_uint_eq(args.nodes, numbers[_i].nodes);
	ck_assert_uint_eq(args.tasks, numbers[_i].tasks);
	ck_assert_uint_eq(args.tasks_per_node, numbers[_i].each);
	ck_assert_uint_eq(args.cpus_per_task, numbers[_i].cpus);
}
END_TEST

static const char *const not_plain[] = {
	"srun -w n1 train", "srun -wn1 train", "srun --nodelist=n1 train",
	"srun -x n1 train", "srun --exclude n1 train", "srun -F file train",
	"srun -m cyclic train", "srun --distribution=block train",
	"srun -lm cyclic train", "srun -r 1 train", "srun --relative=1 train",
	"srun -C gpu train", "srun -O train", "srun --overcommit train",
	"srun -B 2:4:1 train", "srun --ntasks-per-gpu=1 train",
	"srun --ntasks-per-core=1 train", "srun --ntasks-per-socket=1 train",
	"srun --het-group=0 train", "srun --pty bash", "srun -Z train",
	"srun --interactive --preserve-env bash", "srun --jobid=7 train",
	"srun --use-min-nodes train", "srun --spread-job train",
	"srun -n4 train : -n4 other", "srun -n4 : -n4 other",
	/* Not known: where its value ends, nobody can tell. */
	"srun --of-another-plugin x train", "srun --of-another-plugin=x train",
	"srun -y train",
	/* Ranges and what is no number are srun's business. */
	"srun -N 2-4 train", "srun -N2-4 train", "srun -n x train",
	"srun -n 0 train", "srun -n -4 train", "srun -N4k train",
	"srun -n 99999999999999999999 train", "srun -n 4294967296 train",
	"srun --nodes= train", "srun -n", "srun --ntasks", "srun --label=1 a",
};

START_TEST(is_left_alone)
{
	ck_assert_msg(!read_line(not_plain[_i]).plain, "%s", not_plain[_i]);
}
END_TEST

START_TEST(no_words_at_all)
{
	ck_assert(!read_line("").plain);
}
END_TEST

START_TEST(variables_count_as_options)
{
	const char *const env[] = { "SLURM_JOB_NUM_NODES=4", "SLURM_NTASKS=32",
		"SLURM_NTASKS_PER_NODE=8", "SRUN_CPUS_PER_TASK=7",
		"SLURM_NPROCS=99", "SLURM_CPUS_PER_TASK=99", NULL };
	struct srun_args args = read_with("srun train", env);

	ck_assert(args.plain);
	ck_assert_uint_eq(args.nodes, 4);
	ck_assert_uint_eq(args.tasks, 32);
	ck_assert_uint_eq(args.tasks_per_node, 8);
	ck_assert_uint_eq(args.cpus_per_task, 7);
}
END_TEST

START_TEST(older_variables_too)
{
	const char *const env[] = { "SLURM_NPROCS=32", "SLURM_CPUS_PER_TASK=7",
		NULL };
	struct srun_args args = read_with("srun train", env);

	ck_assert_uint_eq(args.tasks, 32);
	ck_assert_uint_eq(args.cpus_per_task, 7);
}
END_TEST

START_TEST(option_wins_over_variable)
{
	const char *const env[] = { "SLURM_JOB_NUM_NODES=4", "SLURM_NTASKS=32",
		NULL };
	struct srun_args args = read_with("srun -N2 -n16 train", env);

	ck_assert(args.plain);
	ck_assert_uint_eq(args.nodes, 2);
	ck_assert_uint_eq(args.tasks, 16);
}
END_TEST

static const char *const not_plain_variables[] = {
	"SLURM_HOSTFILE=hosts", "SLURM_DISTRIBUTION=cyclic", "SLURM_HET_SIZE=2",
	"SLURM_NTASKS_PER_GPU=1", "SLURM_NTASKS_PER_TRES=1",
	"SLURM_NTASKS_PER_CORE=1", "SLURM_NTASKS_PER_SOCKET=1",
	"SLURM_OVERCOMMIT=1", "SLURM_CONSTRAINT=gpu", "SLURM_SPREAD_JOB=1",
	"SLURM_USE_MIN_NODES=1", "SLURM_NSOCKETS_PER_NODE=1",
	"SLURM_NCORES_PER_SOCKET=1", "SLURM_NTASKS=x", "SLURM_NTASKS=0",
	"SLURM_JOB_NUM_NODES=1-4", "SLURM_HOSTFILE=",
};

START_TEST(variables_that_leave_it_alone)
{
	const char *const env[] = { not_plain_variables[_i], NULL };

	ck_assert_msg(!read_with("srun train", env).plain, "%s", env[0]);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static Suite *make_suite(void)
{
	Suite *suite = suite_create("srun_args");
	TCase *options = tcase_create("options");
	TCase *variables = tcase_create("variables");

	tcase_add_test(options, plain_line);
	tcase_add_test(options, no_words_at_all);
	tcase_add_loop_test(options, reads_numbers, 0, COUNT(numbers));
	tcase_add_loop_test(options, is_left_alone, 0, COUNT(not_plain));
	tcase_add_test(variables, variables_count_as_options);
	tcase_add_test(variables, older_variables_too);
	tcase_add_test(variables, option_wins_over_variable);
	tcase_add_loop_test(variables, variables_that_leave_it_alone, 0,
			    COUNT(not_plain_variables));
	suite_add_tcase(suite, options);
	suite_add_tcase(suite, variables);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
