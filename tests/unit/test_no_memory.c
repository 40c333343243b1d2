/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The life of a job, through the plugin's entry points, again and again: each
 * time another allocation fails. Slurm then gets what the stock plugin alone
 * would have answered, and the next time all is as ever.
 */

#include "fake_slurm.h"
#include "fault.h"

#include "slurm/attempt.h"
#include "slurm/order.h"
#include "slurm/running.h"
#include "slurm/status.h"
#include "slurm/steer.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

int init(void);
int fini(void);

/* Fabric a: two leaves of four nodes. Fabric b: one leaf, not connected. */
#define NODES "{\"nodes\": [{\"names\": \"a[1-8]\", \"gpus\": 8}"
#define LEAF(name, nodes) "{\"name\": \"" name "\", \"tier\": \"leaf\", " \
	"\"nodes\": \"" nodes "\", \"uplinks\": [{\"to\": \"s\", " \
	"\"gbps\": 400, \"count\": 32}]},"
#define SWITCHES "], \"switches\": [" LEAF("la", "a[1-4]") \
	LEAF("lb", "a[5-8]") "{\"name\": \"s\", \"tier\": \"spine\"}"
#define ONE_FABRIC NODES SWITCHES "]}"
#define TWO_FABRICS NODES ", {\"names\": \"b[1-4]\", \"gpus\": 8}" SWITCHES \
	", {\"name\": \"lc\", \"tier\": \"leaf\", \"nodes\": \"b[1-4]\"}]}"

#define RUNNING_ON 0x11		/* a1 and a5, the other job */
#define OFFERED 0xee		/* all others of a */
#define PLACED_ON 0x60		/* a6 and a7, the job once it runs */
#define B_NODES 0xf00
#define OF_THE_SITE "of the site"

static char directory[] = "/tmp/leafspine-XXXXXX", names[64][8];
static char conf_path[64], fabric_path[64], status_path[64];
static job_record_t other;
static struct job_details other_details;
static uint64_t held[16];
static gres_job_state_t allocated;
static gres_state_t gres;
static bool two;

/* --- the rest of the stock plugin ---------------------------------------- */

static int yes(void)
{
	return SLURM_SUCCESS;
}

static int yes_job(job_record_t *job)
{
	(void)job;
	return SLURM_SUCCESS;
}

static int yes_suspend(job_record_t *job, bool indefinitely)
{
	(void)job;
	(void)indefinitely;
	return SLURM_SUCCESS;
}

static int yes_resized(job_record_t *job, node_record_t *node)
{
	(void)job;
	(void)node;
	return SLURM_SUCCESS;
}

static int yes_save(char *where)
{
	(void)where;
	return SLURM_SUCCESS;
}

static void set_stock(void)
{
	stock.node_init = stock.reconfigure = yes;
	stock.job_begin = stock.job_fini = stock.select_nodeinfo_set = yes_job;
	stock.job_suspend = stock.job_resume = yes_suspend;
	stock.job_resized = yes_resized;
	stock.state_save = yes_save;
}

int select_p_reconfigure(void);
int select_p_node_init(void);
int select_p_state_save(char *directory);
int select_p_job_test(job_record_t *job, bitstr_t *bitmap, uint32_t min_nodes,
		      uint32_t max_nodes, uint32_t req_nodes, uint16_t mode,
		      List candidates, List *preempted,
		      bitstr_t *excluded_cores);
int select_p_job_begin(job_record_t *job);
int select_p_select_nodeinfo_set(job_record_t *job);
int select_p_job_fini(job_record_t *job);
int select_p_job_resized(job_record_t *job, node_record_t *node);
int select_p_job_suspend(job_record_t *job, bool indefinitely);
int select_p_job_resume(job_record_t *job, bool indefinitely);

/* --- set-up -------------------------------------------------------------- */

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(chmod(path, 0644), 0);
}

static void write_files(const char *fabric)
{
	char text[256];

	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(conf_path, sizeof(conf_path), "%s/leafspine.conf", directory);
	snprintf(fabric_path, sizeof(fabric_path), "%s/fabric.json", directory);
	snprintf(status_path, sizeof(status_path), "%s/status", directory);
	write_file(fabric_path, fabric);
	snprintf(text, sizeof(text), "Fabric=fabric.json\nPartitions=main,x\n"
		 "StatusFile=status\n");
	write_file(conf_path, text);
	snprintf(text, sizeof(text), "%s/slurm.conf", directory);
	setenv("SLURM_CONF", text, 1);
}

static void make_other(void)
{
	other_details = (struct job_details){ .min_cpus = 2 };
	other = (job_record_t){
		.job_id = 9, .job_state = JOB_RUNNING,
		.details = &other_details, .part_ptr = &fake_partition,
		.comment = (char *)"leafspine:tp=8",
		.gres_list_alloc = list_create(NULL),
	};
	fake_run(&other, RUNNING_ON, 8, 1000);
	list_append(other.gres_list_alloc, &gres);
	job_list = list_create(NULL);
	list_append(job_list, &other);
	list_append(job_list, &fake_job);
	fake_node_gpus[0].gres_cnt_alloc = fake_node_gpus[4].gres_cnt_alloc = 8;
}

static void set_up(const char *fabric)
{
	log_options_t quiet = LOG_OPTS_INITIALIZER;

	/* Thousands of lines otherwise. */
	quiet.stderr_level = quiet.syslog_level = quiet.logfile_level =
		LOG_LEVEL_QUIET;
	two = !strcmp(fabric, TWO_FABRICS);
	fake_start(fabric);
	/* The fabric will be read anew: names of Slurm's own. */
	for (int i = 0; i < node_record_count; i++) {
		snprintf(names[i], sizeof(names[i]), "%s", fake_nodes[i].name);
		fake_nodes[i].name = names[i];
	}
	for (int k = 0; k < 16; k++)
		held[k] = 8;
	allocated = (gres_job_state_t){ .gres_cnt_node_alloc = held,
					.node_cnt = 2 };
	gres = (gres_state_t){ .gres_data = &allocated,
			       .plugin_id = gres_build_id("gpu") };
	/* Values that a call which fails does not leave behind. */
	fake_details.min_cpus = 3;
	fake_job.req_switch = NO_VAL;
	fake_job.total_cpus = 17;
	make_other();
	write_files(fabric);
	set_stock();
	slurm_conf.slurm_user_id = getuid();
	log_init((char *)"slurmctld", quiet, SYSLOG_FACILITY_DAEMON, NULL);
	running_in_slurmctld_reset();
}

static void set_up_one(void)
{
	set_up(ONE_FABRIC);
}

static void set_up_two(void)
{
	set_up(TWO_FABRICS);
}

static void tear_down(void)
{
	status_stop();
	FREE_NULL_LIST(job_list);
	FREE_NULL_LIST(other.gres_list_alloc);
	free_job_resources(&other.job_resrcs);
	unlink(conf_path);
	unlink(fabric_path);
	unlink(status_path);
	ck_assert_int_eq(rmdir(directory), 0);
	fake_stop();
}

/* --- one question, and what stock alone would say ------------------------- */

struct answer {
	int status;
	uint64_t nodes;
	job_record_t job;
	struct job_details details;
	int calls;
	int preempting;		/* calls */
};

static int yield_to_candidates(job_record_t *job, bitstr_t *bitmap,
			       uint32_t wanted, int number)
{
	bool given = fake_calls[number - 1].candidates;

	/* As stock does it: only with the candidates gone is there room. */
	return given ? fake_take(job, bitmap, wanted, number) :
		       fake_refuse(job, bitmap, wanted, number);
}

/* Neither of our own tries. */
static int take_third(job_record_t *job, bitstr_t *bitmap, uint32_t wanted,
		      int number)
{
	return number > 2 ? fake_take(job, bitmap, wanted, number) :
			    fake_refuse(job, bitmap, wanted, number);
}

/* Whether some job was to go for fewer nodes than were offered, and now. */
static void note_calls(struct answer *answer, uint64_t offered)
{
	answer->calls = fake_call_count;
	for (int i = 0; i < fake_call_count; i++) {
		const struct fake_call *call = &fake_calls[i];

		answer->preempting += call->candidates &&
			call->nodes != offered &&
			(call->now_only || call->mode == SELECT_MODE_RUN_NOW);
	}
}

/* To the user and the steps, by us alone, when the job begins. */
static void leave_out_what_is_told(struct answer *answer)
{
	answer->job.admin_comment = NULL;
	answer->details.env_sup = NULL;
	answer->details.env_cnt = 0;
}

/* The record as it was is put back, so that each question is the first. */
static struct answer ask(uint16_t mode, bool candidates, bool by_us)
{
	job_record_t job_before = fake_job;
	struct job_details details_before = fake_details;
	uint64_t offered = OFFERED | (two ? B_NODES : 0);
	struct adapter_call call = fake_ask(2, mode, offered);
	List jobs = candidates ? list_create(NULL) : NULL, preempted = NULL;
	struct answer answer = { 0 };

	if (jobs)
		list_append(jobs, &other);
	call.candidates = jobs;
	call.preempted = &preempted;
	fake_call_count = 0;
	answer.status = by_us ? select_p_job_test(
		call.job, call.bitmap, call.min_nodes, call.max_nodes,
		call.req_nodes, call.mode, jobs, &preempted, NULL) :
		attempt_stock(&call);
	answer.nodes = fake_bits(call.bitmap);
	free_job_resources(&fake_job.job_resrcs);
	answer.job = fake_job;
	answer.details = fake_details;
	leave_out_what_is_told(&answer);
	note_calls(&answer, offered);
	job_before.admin_comment = fake_job.admin_comment;
	fake_job = job_before;
	fake_details = details_before;
	FREE_NULL_LIST(jobs);
	FREE_NULL_LIST(preempted);
	fake_ask_done(&call);
	return answer;
}

static bool same(const struct answer *a, const struct answer *b)
{
	return a->status == b->status && a->nodes == b->nodes &&
	       !memcmp(&a->job, &b->job, sizeof(a->job)) &&
	       !memcmp(&a->details, &b->details, sizeof(a->details));
}

/* --- the life of a job ---------------------------------------------------- */

static const struct {
	fake_answer_f *of_stock;
	bool candidates;
} answers[] = {
	{ fake_take, false }, { fake_refuse, false },
	{ fake_take, true }, { yield_to_candidates, true },
	{ take_third, true },
};
enum { ANSWERS = sizeof(answers) / sizeof(*answers), MODES = 2 };

struct life {
	struct answer tests[ANSWERS][MODES];
	bool knew_fabric;
	uint16_t variables;	/* for the steps */
};

static const uint16_t modes[MODES] = {
	SELECT_MODE_RUN_NOW, SELECT_MODE_WILL_RUN
};

static void ask_all(struct life *life, bool by_us)
{
	for (int i = 0; i < ANSWERS; i++) {
		fake_answer = answers[i].of_stock;
		for (int k = 0; k < MODES; k++) {
			world_changed();
			life->tests[i][k] = ask(modes[k],
						  answers[i].candidates,
						  by_us);
		}
	}
}

static void run_job(void)
{
	fake_run(&fake_job, PLACED_ON, 4, 500);
	fake_job.gres_list_alloc = other.gres_list_alloc;
	xfree(fake_job.admin_comment);
	fake_job.admin_comment = xstrdup(OF_THE_SITE);
	(void)select_p_job_begin(&fake_job);
	fake_job.job_state = JOB_RUNNING;
	(void)select_p_select_nodeinfo_set(&fake_job);
	fake_job.job_state = JOB_SUSPENDED;
	(void)select_p_job_suspend(&fake_job, true);
	fake_job.job_state = JOB_RUNNING;
	(void)select_p_job_resume(&fake_job, true);
	(void)select_p_job_resized(&fake_job, &fake_nodes[5]);
}

static void end_job(void)
{
	fake_job.job_state = JOB_COMPLETE;
	(void)select_p_job_fini(&fake_job);
	free_job_resources(&fake_job.job_resrcs);
	fake_job.gres_list_alloc = NULL;
	fake_job.job_state = JOB_PENDING;
}

/* Allocates nothing itself through the functions that fail. */
static void live(struct life *life)
{
	(void)select_p_node_init();
	(void)select_p_reconfigure();
	life->knew_fabric = world.fabric && world.table_of;
	ask_all(life, true);
	run_job();
	life->variables = fake_details.env_cnt;
	(void)select_p_state_save(NULL);
	end_job();
}

/* What is counted of the two jobs, once all that was missed is made good. */
static void check_sums(void)
{
	struct answer answer;

	fake_answer = fake_take;
	fake_job.job_state = JOB_PENDING;
	answer = ask(SELECT_MODE_RUN_NOW, false, true);
	ck_assert_int_eq(answer.status, SLURM_SUCCESS);
	for (uint32_t i = 0; i < 8; i++) {
		bool used = RUNNING_ON >> i & 1;

		ck_assert_uint_eq(running_cores(i), used ? 8 : 0);
		ck_assert_uint_eq(running_memory_mb(i), used ? 1000 : 0);
	}
	ck_assert(running_mend());
	ck_assert(!world_is_short());
	ck_assert_ptr_nonnull(world.fabric);
	ck_assert_ptr_nonnull(world.table_of);
}

/* NOW with a failure somewhere is as WELL without one, or as STOCK alone. */
static void check_answer(const struct answer *now, const struct answer *well,
			 const struct answer *stock_alone, bool knew_fabric)
{
	struct answer unchanged = *now;

	ck_assert_int_le(now->preempting, well->preempting);
	if (same(now, well))
		return;
	if (!two || !knew_fabric) {
		ck_assert_msg(same(now, stock_alone), "%d, %lx", now->status,
			      (unsigned long)now->nodes);
		return;
	}
	/* Never over both: in one of them, or it waits and is as it was. */
	if (now->status == SLURM_SUCCESS) {
		ck_assert(!(now->nodes & OFFERED) || !(now->nodes & B_NODES));
		return;
	}
	unchanged.job = fake_job;
	unchanged.details = fake_details;
	leave_out_what_is_told(&unchanged);
	unchanged.nodes = OFFERED | B_NODES;
	ck_assert(same(now, &unchanged));
}

static void check_life(const struct life *now, const struct life *well,
		       const struct life *stock_alone)
{
	/* All of them or none. */
	ck_assert(!now->variables || now->variables == well->variables);
	ck_assert(!strncmp(fake_job.admin_comment, OF_THE_SITE,
			   strlen(OF_THE_SITE)));
	for (int i = 0; i < ANSWERS; i++)
		for (int k = 0; k < MODES; k++)
			check_answer(&now->tests[i][k], &well->tests[i][k],
				     &stock_alone->tests[i][k],
				     now->knew_fabric);
}

static void check_status(void)
{
	struct stat status;

	unlink(status_path);
	status_start();
	status_flush();
	ck_assert_int_eq(stat(status_path, &status), 0);
}

static void check_well(const struct life *life)
{
	/* a6 and a7 lie under one leaf, a2 and a3 too: not a2 and a6. */
	uint64_t chosen = life->tests[0][0].nodes;
	struct stat status;

	ck_assert(chosen == 0x60 || chosen == 0xc0 || chosen == 0xa0 ||
		  chosen == 0x06 || chosen == 0x0c || chosen == 0x0a);
	ck_assert_int_eq(life->tests[0][0].calls, 1);
	ck_assert_uint_eq(life->variables, 3);
	ck_assert_int_ne(life->tests[1][0].status, SLURM_SUCCESS);
	ck_assert_ptr_nonnull(strstr(fake_job.admin_comment, "\"leaves\":1"));
	ck_assert_int_eq(stat(status_path, &status), 0);
}

static void forget(void)
{
	unlink(status_path);
	status_stop();
	running_done();
	world_done();
}

/* A life after a failure, in the same process and with what that has left. */
static void live_on(const struct life *well)
{
	struct life life = { 0 };

	check_sums();
	check_status();
	unlink(status_path);
	live(&life);
	check_well(&life);
	check_life(&life, well, well);
}

START_TEST(each_allocation_of_a_life_may_fail)
{
	struct life well = { 0 }, stock_alone = { 0 };
	long n;

	ask_all(&stock_alone, false);
	live(&well);
	check_well(&well);
	for (n = 1; ; n++) {
		struct life life = { 0 };
		bool hit;

		forget();
		fault_after(n);
		live(&life);
		hit = fault_hit();
		fault_off();
		check_life(&life, &well, &stock_alone);
		if (!hit)
			break;
		live_on(&well);
	}
	ck_assert_int_gt(n, 200);
}
END_TEST

/* --- the start of the plugin ---------------------------------------------- */

START_TEST(init_fails_rather_than_run_without_stock)
{
	struct stock fake = stock;
	Dl_info library;
	char *slash;
	long n;

	/* Next to Slurm's library are its plugins. */
	ck_assert(dladdr(bit_copybits, &library));
	slurm_conf.plugindir = xstrdup(library.dli_fname);
	slash = strrchr(slurm_conf.plugindir, '/');
	ck_assert_ptr_nonnull(slash);
	*slash = '\0';
	for (n = 1; ; n++) {
		int status;
		bool hit;

		fault_after(n);
		status = init();
		hit = fault_hit();
		fault_off();
		if (!hit) {
			ck_assert_int_eq(status, SLURM_SUCCESS);
			break;
		}
		ck_assert_int_ne(status, SLURM_SUCCESS);
		ck_assert_ptr_null(stock.handle);
	}
	ck_assert_int_gt(n, 1);
	ck_assert_ptr_ne(stock.job_test, fake.job_test);
	(void)fini();
	stock = fake;
	xfree(slurm_conf.plugindir);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("no memory");
	TCase *one = tcase_create("one fabric"), *apart = tcase_create("two");

	tcase_add_checked_fixture(one, set_up_one, tear_down);
	tcase_add_test(one, each_allocation_of_a_life_may_fail);
	tcase_add_test(one, init_fails_rather_than_run_without_stock);
	suite_add_tcase(suite, one);
	tcase_add_checked_fixture(apart, set_up_two, tear_down);
	tcase_add_test(apart, each_allocation_of_a_life_may_fail);
	suite_add_tcase(suite, apart);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
