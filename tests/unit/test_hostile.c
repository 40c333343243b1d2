/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hints that mean harm, through the plugin and a fake slurmctld. */

#include "fake_slurm.h"
#include "hostile.h"

#include "slurm/steer.h"
#include "slurm/vet.h"

#include <jansson.h>

#define HINTS 1000
#define SITES 2		/* as the option, and in the comment */

static gres_job_state_t allocated;
static gres_state_t gres;
static uint64_t held[2] = { 8, 8 };
static uint32_t steered, refused;

static void set_up(void)
{
	fake_start("spine:4 leaf:4 node:4");
	allocated = (gres_job_state_t){ .gres_cnt_node_alloc = held,
					.node_cnt = 2 };
	gres = (gres_state_t){ .gres_data = &allocated,
			       .plugin_id = gres_build_id("gpu") };
	fake_job.gres_list_alloc = list_create(NULL);
	list_append(fake_job.gres_list_alloc, &gres);
	steered = refused = 0;
}

static void tear_down(void)
{
	FREE_NULL_LIST(fake_job.gres_list_alloc);
	fake_stop();
}

/* What others wrote stays, and behind it is one object of ours. */
static void check_comment(unsigned number)
{
	static const char theirs[] = "ticket {4711} ";
	const char *comment = fake_job.admin_comment;
	json_t *object;

	if (!strcmp(comment, "ticket {4711}"))
		return;
	ck_assert_msg(!strncmp(comment, theirs, strlen(theirs)), "%u", number);
	comment += strlen(theirs);
	for (const char *c = comment; *c; c++)
		ck_assert_msg(*c >= ' ' && *c <= '~', "%u: %s", number,
			      comment);
	ck_assert_msg(!strncmp(comment, "leafspine{", 10), "%u", number);
	object = json_loads(comment + 9, JSON_REJECT_DUPLICATES, NULL);
	ck_assert_msg(object, "%u: %s", number, comment);
	ck_assert_msg(json_is_string(json_object_get(object, "hint")) &&
		      json_is_string(json_object_get(object, "placed_by")),
		      "%u: %s", number, comment);
	json_decref(object);
}

/* What job_submit would say is one line of printable ASCII. */
static void check_vet(unsigned number, const struct vet_job *job)
{
	struct vet_reason reason;

	if (vet_job(job, &reason) == VET_GOOD)
		return;
	refused++;
	for (const char *c = reason.text; *c; c++)
		ck_assert_msg(*c >= ' ' && *c <= '~', "%u", number);
}

/* Twice: the second report takes the place of the first. */
static void check_job(unsigned number)
{
	struct adapter_call call;

	fake_job.job_id = number + 1;
	fake_job.admin_comment = xstrdup("ticket {4711}");
	for (int i = 0; i < 2; i++) {
		call = fake_ask(2, SELECT_MODE_RUN_NOW, 0xffff);
		fake_call_count = 0;
		ck_assert_int_eq(steer_job_test(&call), SLURM_SUCCESS);
		ck_assert_int_eq(bit_set_count(call.bitmap), 2);
		if (i == 0 && fake_calls[0].nodes != 0xffff)
			steered++;
		fake_run(&fake_job, fake_bits(call.bitmap), 8, 1000);
		fake_ask_done(&call);
		steer_job_begin(&fake_job);
		check_comment(number);
	}
	xfree(fake_job.admin_comment);
}

START_TEST(hint_does_no_harm)
{
	static char text[HOSTILE_MAX + 100], hint[HOSTILE_MAX];
	char *variables[] = { text };

	for (unsigned number = 0; number < HINTS; number++) {
		struct vet_job job = { .gpus = { .per_job = 16 } };

		hostile_hint(number, hint);
		if (_i == 0) {
			snprintf(text, sizeof(text), HINT_ENV_NAME "=%s", hint);
			fake_job.spank_job_env = variables;
			fake_job.spank_job_env_size = 1;
			job.variables = variables;
			job.variable_count = 1;
		} else {
			snprintf(text, sizeof(text), "x leafspine:%s", hint);
			fake_job.comment = text;
			job.comment = text;
		}
		check_vet(number, &job);
		check_job(number);
	}
	/* Some of them are good, most are not. */
	ck_assert_uint_ge(steered, HINTS / 20);
	ck_assert_uint_ge(refused, HINTS / 2);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("hostile");
	TCase *tests = tcase_create("hostile");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_loop_test(tests, hint_does_no_harm, 0, SITES);
	tcase_set_timeout(tests, 60);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
