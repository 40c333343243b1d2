/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands of the program as functions: where memory runs out they end with
 * exit status 2 and say so. What they print is tested in tests/cli.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "fault.h"
#include "unit.h"

enum { ARGUMENTS_MAX = 16 };

#define FABRIC "synth:core:1 pod:2 spine:1 leaf:2 node:2 gpus=2 rails=2"

static const struct run {
	const struct command *command;
	char *arguments[ARGUMENTS_MAX];
} runs[] = {
	{ &cmd_check, { FABRIC } },
	{ &cmd_check, { FABRIC, "--json" } },
	{ &cmd_show, { FABRIC, "--state", "STATE" } },
	{ &cmd_show, { FABRIC, "--state", "STATE", "--json" } },
	{ &cmd_place, { "--fabric", FABRIC, "--parallelism", "tp=2",
			"--nodes", "3", "--require", "n0002" } },
	{ &cmd_place, { "--fabric", FABRIC, "--parallelism", "tp=2",
			"--nodes", "3", "--exclude", "n0002", "--allowed",
			"n[0001-0006]", "--state", "STATE", "--json" } },
	{ &cmd_score, { "--fabric", FABRIC, "--parallelism", "tp=2",
			"--placement", "n[0001-0003]" } },
	{ &cmd_score, { "--fabric", FABRIC, "--parallelism", "tp=2",
			"--state", "STATE", "--json",
			"--placement", "n[0001-0003]",
			"--placement", "n[0002-0005]" } },
	{ &cmd_score, { "--fabric", FABRIC, "--parallelism", "tp=2",
			"--placement", "n[0001-0003]",
			"--placement", "n[0002-0005]" } },
	{ &cmd_counters, { "STATUS" } },
	{ &cmd_counters, { "STATUS", "--json" } },
};

enum { RUNS = sizeof(runs) / sizeof(*runs) };

static char state_path[] = "/tmp/leafspine-state.XXXXXX";
static char status_path[] = "/tmp/leafspine-status.XXXXXX";
static char said_path[] = "/tmp/leafspine-said.XXXXXX";
static int real_output = -1, real_errors = -1;

/* PATH is a template, set to what was made. */
static void write_input(char *path, const char *text)
{
	int file = mkstemp(path);

	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, text, strlen(text)), (int)strlen(text));
	close(file);
}

/* What the commands print goes nowhere, what they say into a file. */
static void redirect(void)
{
	int said_file = mkstemp(said_path);
	int nowhere = open("/dev/null", O_WRONLY);

	ck_assert(said_file >= 0 && nowhere >= 0);
	write_input(state_path,
		    "{\"jobs\": [{\"nodes\": \"n0001\", \"gpus\": [1]}]}");
	write_input(status_path,
		    "{\"version\": \"1\", \"since\": 1, \"time\": 2,"
		    "\"mode\": \"steer\", \"fabric\": \"f\", \"offered\": 4,"
		    "\"narrowed\": 1, \"fell_back\": {\"infeasible\": 3},"
		    "\"skipped\": {\"no_hint\": 5}, \"starts\": {\"free\": 1},"
		    "\"gpu_hours\": {\"free\": 2.5},"
		    "\"unlimited\": {\"free\": 0}, \"microseconds\": 7}");
	fflush(stdout);
	real_output = dup(STDOUT_FILENO);
	real_errors = dup(STDERR_FILENO);
	dup2(nowhere, STDOUT_FILENO);
	dup2(said_file, STDERR_FILENO);
	close(nowhere);
	close(said_file);
}

static void redirect_back(void)
{
	static const char mark[] = "XXXXXX";

	fflush(stdout);
	dup2(real_output, STDOUT_FILENO);
	dup2(real_errors, STDERR_FILENO);
	close(real_output);
	close(real_errors);
	unlink(state_path);
	unlink(status_path);
	unlink(said_path);
	memcpy(strstr(state_path, ".") + 1, mark, strlen(mark));
	memcpy(strstr(status_path, ".") + 1, mark, strlen(mark));
	memcpy(strstr(said_path, ".") + 1, mark, strlen(mark));
}

/* The exit status; VALUES is room for the options of any command. */
static int run_command(const struct run *run, void *values, size_t room)
{
	const struct command *command = run->command;
	char *arguments[ARGUMENTS_MAX];
	int status = EXIT_BAD;
	int count;

	for (count = 0; run->arguments[count]; count++) {
		char *text = run->arguments[count];

		arguments[count] = !strcmp(text, "STATE") ? state_path :
				   !strcmp(text, "STATUS") ? status_path : text;
	}
	if (command->values_size > room)
		return -1;
	memset(values, 0, room);
	if (options_parse(command->options, command->name, count, arguments,
			  values) == OPTIONS_OK)
		status = command->run(values);
	options_done(command->options, values);
	return status;
}

START_TEST(every_allocation_may_fail)
{
	uint64_t values[64];
	long n;

	for (n = 1; ; n++) {
		long said;
		int status;
		bool hit;

		lseek(STDERR_FILENO, 0, SEEK_SET);
		fault_after(n);
		status = run_command(&runs[_i], values, sizeof(values));
		hit = fault_hit();
		fault_off();
		said = lseek(STDERR_FILENO, 0, SEEK_CUR);
		ck_assert_msg(status == (hit ? EXIT_BAD : EXIT_DONE),
			      "allocation %ld: exit status %d", n, status);
		ck_assert_msg((said > 0) == hit,
			      "allocation %ld: said %ld bytes", n, said);
		if (!hit)
			break;
	}
	ck_assert_int_gt(n, 30);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("commands");
	TCase *memory = tcase_create("memory");

	tcase_add_checked_fixture(memory, redirect, redirect_back);
	tcase_add_loop_test(memory, every_allocation_may_fail, 0, RUNS);
	suite_add_tcase(suite, memory);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
