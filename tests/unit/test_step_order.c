/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether one srun gets the order of its job, and the host file for it. */

#include "fault.h"
#include "slurm/step_order.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

#define VARIABLES_MAX 8

/* An ordinary job of four nodes; tests set and unset. */
static struct {
	const char *name;
	const char *value;
} variables[VARIABLES_MAX];

static const struct srun_args whole = { .plain = true, .nodes = 4 };

static char *variable(const char *name)
{
	for (int i = 0; i < VARIABLES_MAX; i++)
		if (variables[i].name && !strcmp(variables[i].name, name))
			return (char *)variables[i].value;
	return NULL;
}

static void set(const char *name, const char *value)
{
	int free_one = -1;

	for (int i = 0; i < VARIABLES_MAX; i++) {
		if (!variables[i].name)
			free_one = i;
		else if (!strcmp(variables[i].name, name)) {
			variables[i].value = value;
			return;
		}
	}
	ck_assert_int_ge(free_one, 0);
	variables[free_one].name = name;
	variables[free_one].value = value;
}

static void setup(void)
{
	memset(variables, 0, sizeof(variables));
	set("SLURM_JOB_ID", "17");
	set("SLURM_JOB_NODELIST", "n[01-04]");
	set("SLURM_JOB_CPUS_PER_NODE", "64(x4)");
	set(ORDER_JOB, "17");
	set(ORDER_NODES, "n[01,04,02,03]");
}

static void expect(struct srun_args args, const char *file, uint32_t tasks)
{
	struct step_order order = step_order_make(&args, variable);

	ck_assert_pstr_eq(order.host_file, file);
	ck_assert_uint_eq(order.tasks, tasks);
	if (file) {
		ck_assert_uint_eq(order.nodes, 4);
		ck_assert_uint_eq(order.length, strlen(file));
	}
	step_order_done(&order);
	ck_assert_ptr_null(order.host_file);
}

static void expect_alone(struct srun_args args)
{
	expect(args, NULL, 0);
}

START_TEST(one_task_a_node)
{
	struct srun_args args = whole;

	expect(args, "n01\nn04\nn02\nn03\n", 4);
	args.tasks = 4;
	expect(args, "n01\nn04\nn02\nn03\n", 4);
	args.tasks = 0;
	args.tasks_per_node = 1;
	expect(args, "n01\nn04\nn02\nn03\n", 4);
}
END_TEST

START_TEST(two_tasks_a_node)
{
	const char *file = "n01\nn01\nn04\nn04\nn02\nn02\nn03\nn03\n";
	struct srun_args args = whole;

	args.tasks_per_node = 2;
	expect(args, file, 8);
	args.tasks = 8;
	expect(args, file, 8);
	/* srun holds to the number of tasks, and says so. */
	args.tasks_per_node = 1;
	expect(args, file, 8);
}
END_TEST

START_TEST(part_of_the_nodes)
{
	struct srun_args args = whole;

	args.nodes = 2;
	expect_alone(args);
	args.nodes = 0;
	expect_alone(args);
	args.nodes = 8;
	expect_alone(args);
}
END_TEST

START_TEST(uneven_tasks)
{
	struct srun_args args = whole;

	args.tasks = 6;
	expect_alone(args);
	args.tasks = 1;
	expect_alone(args);
	args.tasks = 0;
	args.tasks_per_node = UINT32_MAX;
	expect_alone(args);
}
END_TEST

/* srun would then put more tasks on the nodes that have more CPUs. */
START_TEST(too_few_cpus)
{
	struct srun_args args = whole;

	args.tasks_per_node = 8;
	set("SLURM_JOB_CPUS_PER_NODE", "64(x3),7");
	expect_alone(args);
	set("SLURM_JOB_CPUS_PER_NODE", "8,64(x3)");
	expect(args, "n01\nn01\nn01\nn01\nn01\nn01\nn01\nn01\n"
		     "n04\nn04\nn04\nn04\nn04\nn04\nn04\nn04\n"
		     "n02\nn02\nn02\nn02\nn02\nn02\nn02\nn02\n"
		     "n03\nn03\nn03\nn03\nn03\nn03\nn03\nn03\n", 32);
	args.cpus_per_task = 2;
	expect_alone(args);
	args.tasks_per_node = 1;
	args.cpus_per_task = 64;
	expect(args, "n01\nn04\nn02\nn03\n", 4);
}
END_TEST

START_TEST(unknown_cpus)
{
	struct srun_args args = whole;

	args.tasks_per_node = 2;
	set("SLURM_JOB_CPUS_PER_NODE", NULL);
	expect_alone(args);
	set("SLURM_JOB_CPUS_PER_NODE", "x");
	expect_alone(args);
	set("SLURM_JOB_CPUS_PER_NODE", "64(x4),");
	expect(args, "n01\nn01\nn04\nn04\nn02\nn02\nn03\nn03\n", 8);
}
END_TEST

START_TEST(unequal_gpus)
{
	struct srun_args args = whole;

	set(ORDER_GPUS, "8,8,8,4");
	expect(args, "n01\nn04\nn02\nn03\n", 4);
	args.tasks_per_node = 2;
	expect_alone(args);
}
END_TEST

START_TEST(off_is_off)
{
	set(ORDER_SWITCH, "off");
	expect_alone(whole);
	set(ORDER_SWITCH, "on");
	expect(whole, "n01\nn04\nn02\nn03\n", 4);
}
END_TEST

START_TEST(is_left_alone)
{
	struct srun_args args = whole;

	args.plain = false;
	expect_alone(args);
}
END_TEST

/* A job that was submitted inside a job inherits the variables. */
START_TEST(order_of_another_job)
{
	set(ORDER_JOB, "16");
	expect_alone(whole);
	set(ORDER_JOB, NULL);
	expect_alone(whole);
	set(ORDER_JOB, "17");
	set("SLURM_JOB_ID", NULL);
	expect_alone(whole);
}
END_TEST

/* After a shrink, or with a text that is none of ours. */
START_TEST(other_nodes)
{
	set(ORDER_NODES, "n[01,04,02,05]");
	expect_alone(whole);
	set(ORDER_NODES, "n[01,04,04,03]");
	expect_alone(whole);
	set(ORDER_NODES, "n[01,04,02]");
	expect_alone(whole);
	set(ORDER_NODES, "n[01,04,02,03,05]");
	expect_alone(whole);
	set(ORDER_NODES, "n[01,");
	expect_alone(whole);
	set(ORDER_NODES, "");
	expect_alone(whole);
	set(ORDER_NODES, NULL);
	expect_alone(whole);
	set(ORDER_NODES, "n[01,04,02,03]");
	set("SLURM_JOB_NODELIST", NULL);
	expect_alone(whole);
	set("SLURM_JOB_NODELIST", "n[01-03,03]");
	expect_alone(whole);
}
END_TEST

/* What srun does by itself needs no help. */
START_TEST(same_order)
{
	set(ORDER_NODES, "n[01-04]");
	expect_alone(whole);
}
END_TEST

START_TEST(node_rank)
{
	ck_assert_int_eq(step_order_node_rank("n01", variable), 0);
	ck_assert_int_eq(step_order_node_rank("n04", variable), 1);
	ck_assert_int_eq(step_order_node_rank("n03", variable), 3);
	ck_assert_int_eq(step_order_node_rank("n05", variable), -1);
	set(ORDER_JOB, "16");
	ck_assert_int_eq(step_order_node_rank("n01", variable), -1);
}
END_TEST

/* The n-th allocation fails: the step is left alone, or all is well. */
START_TEST(without_memory_it_is_left_alone)
{
	struct step_order order;
	bool failed = true;
	int alone = 0;

	for (long n = 1; failed; n++) {
		fault_after(n);
		order = step_order_make(&whole, variable);
		failed = fault_hit();
		fault_off();
		alone += !order.host_file;
		ck_assert(failed || order.host_file);
		if (order.host_file)
			ck_assert_str_eq(order.host_file,
					 "n01\nn04\nn02\nn03\n");
		step_order_done(&order);
	}
	ck_assert_int_gt(alone, 3);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("step_order");
	TCase *core = tcase_create("core");

	tcase_add_checked_fixture(core, setup, NULL);
	tcase_add_test(core, one_task_a_node);
	tcase_add_test(core, two_tasks_a_node);
	tcase_add_test(core, part_of_the_nodes);
	tcase_add_test(core, uneven_tasks);
	tcase_add_test(core, too_few_cpus);
	tcase_add_test(core, unknown_cpus);
	tcase_add_test(core, unequal_gpus);
	tcase_add_test(core, off_is_off);
	tcase_add_test(core, is_left_alone);
	tcase_add_test(core, order_of_another_job);
	tcase_add_test(core, other_nodes);
	tcase_add_test(core, same_order);
	tcase_add_test(core, node_rank);
	tcase_add_test(core, without_memory_it_is_left_alone);
	suite_add_tcase(suite, core);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
