/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_submit/leafspine's entry points: what they read, refuse and change. */

#include "fake_slurm.h"

#include <stdarg.h>
#include <unistd.h>

int init(void);
int fini(void);
int job_submit(job_desc_msg_t *desc, uint32_t uid, char **err_msg);
int job_modify(job_desc_msg_t *desc, job_record_t *job, uint32_t uid);

part_record_t *default_part_loc;

static char directory[32];
static job_desc_msg_t desc;
static char *message;
static part_record_t exclusive = { .name = (char *)"whole" };

part_record_t *find_part_record(char *name)
{
	return !strcmp(name, "whole") ? &exclusive : &fake_partition;
}

/* --- Slurm's allocations that may fail ------------------------------------ */

static long tries_left;	/* 0: none fails */
static bool failed;

void *__real_slurm_xcalloc(size_t count, size_t size, bool clear, bool try,
			   const char *file, int line, const char *function);
void *__wrap_slurm_xcalloc(size_t count, size_t size, bool clear, bool try,
			   const char *file, int line, const char *function);

void *__wrap_slurm_xcalloc(size_t count, size_t size, bool clear, bool try,
			   const char *file, int line, const char *function)
{
	if (try && tries_left && !--tries_left) {
		failed = true;
		return NULL;
	}
	return __real_slurm_xcalloc(count, size, clear, try, file, line,
				    function);
}

/* --- one submission ------------------------------------------------------ */

/* leafspine.conf with these lines, which Slurm has read just now. */
static void configure(const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/leafspine.conf", directory);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
	slurm_conf.last_update = time(NULL);
}

static void drop(char ***array, uint32_t count)
{
	for (uint32_t i = 0; *array && i < count; i++)
		xfree((*array)[i]);
	xfree(*array);
}

static void new_job(void)
{
	drop(&desc.spank_job_env, desc.spank_job_env_size);
	drop(&desc.environment, desc.env_size);
	slurm_init_job_desc_msg(&desc);
	desc.tres_per_node = (char *)"gres:gpu:8";
	desc.min_nodes = desc.max_nodes = 4;
	xfree(message);
	failed = false;
}

static void set_up(void)
{
	char path[256];

	fake_start("spine:4 leaf:4 node:4");
	strcpy(directory, "/tmp/leafspine-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/slurm.conf", directory);
	ck_assert_int_eq(setenv("SLURM_CONF", path, 1), 0);
	slurm_conf.slurm_user_id = getuid();
	fake_partition.max_share = 1;
	default_part_loc = &fake_partition;
	ck_assert_int_eq(init(), SLURM_SUCCESS);
	configure("Mode=steer\n");
	new_job();
}

static void tear_down(void)
{
	char path[256];

	ck_assert_int_eq(fini(), SLURM_SUCCESS);
	drop(&desc.spank_job_env, desc.spank_job_env_size);
	drop(&desc.environment, desc.env_size);
	xfree(message);
	snprintf(path, sizeof(path), "%s/leafspine.conf", directory);
	unlink(path);
	rmdir(directory);
	fake_stop();
}

/* The variables end with NULL. */
static void set_variables(char ***array, uint32_t *size, ...)
{
	const char *variable;
	va_list variables;

	drop(array, *size);
	*size = 0;
	*array = xcalloc(8, sizeof(char *));
	va_start(variables, size);
	while ((variable = va_arg(variables, const char *)))
		(*array)[(*size)++] = xstrdup(variable);
	va_end(variables);
}

#define ENVIRONMENT(...) \
	set_variables(&desc.environment, &desc.env_size, __VA_ARGS__, NULL)
#define OPTION(hint) set_variables(&desc.spank_job_env, \
	&desc.spank_job_env_size, "OTHER=x", HINT_ENV_NAME "=" hint, NULL)

static void check_refused(int code, const char *line)
{
	xfree(message);
	ck_assert_int_eq(job_submit(&desc, 1000, &message), code);
	ck_assert_ptr_nonnull(message);
	ck_assert_msg(strstr(message, line), "%s", message);
	ck_assert_ptr_null(strchr(message, '\n'));
}

static void check_taken(void)
{
	xfree(message);
	ck_assert_int_eq(job_submit(&desc, 1000, &message), SLURM_SUCCESS);
	ck_assert_ptr_null(message);
}

START_TEST(refused_with_a_line)
{
	OPTION("tp=8,dp=2");
	check_refused(ESLURM_INVALID_GRES, "--parallelism: dp: ");
	OPTION("tp=8,dp=4");
	check_taken();
	OPTION("tp=\x1b[31m");
	check_refused(EINVAL, "--parallelism: hint: byte 4 ");
	drop(&desc.spank_job_env, desc.spank_job_env_size);
	desc.comment = (char *)"leafspine:tp=7";
	check_refused(ESLURM_INVALID_GRES, "leafspine:HINT in the comment: ");
	/* Some callers want no message. */
	ck_assert_int_eq(job_submit(&desc, 1000, NULL), ESLURM_INVALID_GRES);
}
END_TEST

START_TEST(whole_nodes_have_gpus_of_their_own)
{
	desc.comment = (char *)"leafspine:tp=8,dp=2";
	desc.shared = 0;
	check_taken();
	desc.shared = NO_VAL16;
	check_refused(ESLURM_INVALID_GRES, "dp: ");
	desc.partition = (char *)"main,whole";
	check_taken();
}
END_TEST

START_TEST(partitions_of_others_are_left_alone)
{
	char names[600];

	configure("Partitions=main,b\n");
	desc.comment = (char *)"leafspine:tp=8,dp=2";
	check_refused(ESLURM_INVALID_GRES, "dp: ");
	default_part_loc = NULL;
	check_taken();
	desc.partition = (char *)"a,,b";
	check_refused(ESLURM_INVALID_GRES, "dp: ");
	desc.partition = (char *)"a,bb,";
	check_taken();
	/* Longer than any name: none of those in the list. */
	memset(names, 'b', sizeof(names));
	names[sizeof(names) - 1] = '\0';
	desc.partition = names;
	check_taken();
}
END_TEST

START_TEST(a_fault_in_the_file_keeps_what_was_read)
{
	desc.comment = (char *)"leafspine:tp=8,dp=2";
	configure("Mode=off\n");
	check_taken();
	configure("nonsense\n");
	check_taken();
	configure("Mode=steer\n#\n");
	check_refused(ESLURM_INVALID_GRES, "dp: ");
}
END_TEST

START_TEST(environment_is_carried_and_taken_away)
{
	set_variables(&desc.spank_job_env, &desc.spank_job_env_size,
		      "OTHER=x", NULL);
	ENVIRONMENT("A=1", "LEAFSPINE_PARALLELISM=tp=4", "B=2",
		    "LEAFSPINE_PARALLELISM=tp=7", "LEAFSPINE_PARALLELISMS=3");
	check_taken();
	ck_assert_uint_eq(desc.spank_job_env_size, 2);
	ck_assert_str_eq(desc.spank_job_env[0], "OTHER=x");
	ck_assert_str_eq(desc.spank_job_env[1], HINT_ENV_NAME "=tp=4");
	ck_assert_uint_eq(desc.env_size, 3);
	ck_assert_str_eq(desc.environment[0], "A=1");
	ck_assert_str_eq(desc.environment[1], "B=2");
	ck_assert_str_eq(desc.environment[2], "LEAFSPINE_PARALLELISMS=3");
	ck_assert_ptr_null(desc.environment[3]);
}
END_TEST

START_TEST(option_beats_the_environment)
{
	OPTION("tp=8");
	ENVIRONMENT("LEAFSPINE_PARALLELISM=tp=7");
	check_taken();
	ck_assert_uint_eq(desc.spank_job_env_size, 2);
	ck_assert_uint_eq(desc.env_size, 0);
}
END_TEST

START_TEST(refusal_leaves_the_submission_as_it_was)
{
	ENVIRONMENT("LEAFSPINE_PARALLELISM=tp=7", "A=1");
	check_refused(ESLURM_INVALID_GRES, "LEAFSPINE_PARALLELISM: dp: ");
	ck_assert_uint_eq(desc.env_size, 2);
	ck_assert_uint_eq(desc.spank_job_env_size, 0);
}
END_TEST

/* Refused without a word, or accepted without a hint: never worse. */
START_TEST(no_memory_is_no_harm)
{
	long n = 1;

	for (;; n++) {
		new_job();
		ENVIRONMENT("LEAFSPINE_PARALLELISM=tp=8", "A=1");
		tries_left = n;
		ck_assert_int_eq(job_submit(&desc, 1000, &message),
				 SLURM_SUCCESS);
		tries_left = 0;
		ck_assert_uint_eq(desc.env_size, 1);
		ck_assert_uint_eq(desc.spank_job_env_size, failed ? 0 : 1);
		drop(&desc.spank_job_env, desc.spank_job_env_size);
		if (!failed)
			break;
	}
	ck_assert_int_eq(n, 3);
	new_job();
	desc.comment = (char *)"leafspine:tp=7";
	tries_left = 1;
	ck_assert_int_eq(job_submit(&desc, 1000, &message),
			 ESLURM_INVALID_GRES);
	tries_left = 0;
	ck_assert(failed);
	ck_assert_ptr_null(message);
}
END_TEST

/* A pending job of four nodes with eight GPUs each, nothing changed. */
static void new_update(void)
{
	new_job();
	slurm_init_job_desc_msg(&desc);
	fake_job.job_state = JOB_PENDING;
	fake_job.comment = (char *)"leafspine:tp=8,dp=4";
	fake_job.tres_per_node = (char *)"gres:gpu:8";
	fake_details.min_nodes = fake_details.max_nodes = 4;
	fake_details.num_tasks = NO_VAL;
}

#define CHECK_UPDATE(code, ...) do { \
	new_update(); \
	__VA_ARGS__; \
	ck_assert_int_eq(job_modify(&desc, &fake_job, 1000), code); \
} while (0)

START_TEST(update_is_held_against_record_and_changes)
{
	CHECK_UPDATE(0, desc.min_nodes = desc.max_nodes = 4);
	CHECK_UPDATE(ESLURM_INVALID_GRES, desc.min_nodes = desc.max_nodes = 2);
	CHECK_UPDATE(ESLURM_INVALID_GRES, desc.min_nodes = 2);
	CHECK_UPDATE(ESLURM_INVALID_GRES, desc.max_nodes = 5);
	CHECK_UPDATE(ESLURM_INVALID_GRES,
		     desc.tres_per_node = (char *)"gres:gpu:4");
	CHECK_UPDATE(ESLURM_INVALID_GRES,
		     desc.tres_per_job = (char *)"gres:gpu:16");
	CHECK_UPDATE(0, desc.tres_per_job = (char *)"gres:gpu:32");
	CHECK_UPDATE(0, desc.tres_per_node = (char *)"");
	CHECK_UPDATE(ESLURM_INVALID_GRES,
		     desc.comment = (char *)"leafspine:dp=2");
	CHECK_UPDATE(EINVAL, desc.comment = (char *)"leafspine:dp=x");
	CHECK_UPDATE(0, desc.comment = (char *)"");
	CHECK_UPDATE(ESLURM_INVALID_GRES, fake_job.tres_per_node = NULL,
		     fake_job.tres_per_task = (char *)"gres:gpu:8",
		     fake_details.num_tasks = 4, desc.num_tasks = 8);
}
END_TEST

START_TEST(update_of_no_concern_is_let_through)
{
	/* Not even one that does not fit. */
	CHECK_UPDATE(0, fake_job.comment = (char *)"leafspine:tp=7",
		     desc.priority = 0);
	CHECK_UPDATE(0, fake_job.job_state = JOB_RUNNING,
		     desc.min_nodes = desc.max_nodes = 2);
	CHECK_UPDATE(0, fake_job.details = NULL, desc.min_nodes = 2);
	fake_job.details = &fake_details;
	CHECK_UPDATE(0, fake_details.whole_node = WHOLE_NODE_REQUIRED,
		     desc.min_nodes = desc.max_nodes = 2);
	fake_details.whole_node = 0;
	configure("Mode=observe\n");
	CHECK_UPDATE(0, desc.min_nodes = desc.max_nodes = 2);
	ck_assert_int_eq(job_modify(&desc, NULL, 1000), 0);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("job_submit");
	TCase *tests = tcase_create("job_submit");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, refused_with_a_line);
	tcase_add_test(tests, whole_nodes_have_gpus_of_their_own);
	tcase_add_test(tests, partitions_of_others_are_left_alone);
	tcase_add_test(tests, a_fault_in_the_file_keeps_what_was_read);
	tcase_add_test(tests, environment_is_carried_and_taken_away);
	tcase_add_test(tests, option_beats_the_environment);
	tcase_add_test(tests, refusal_leaves_the_submission_as_it_was);
	tcase_add_test(tests, no_memory_is_no_harm);
	tcase_add_test(tests, update_is_held_against_record_and_changes);
	tcase_add_test(tests, update_of_no_concern_is_let_through);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
