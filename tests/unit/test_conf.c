/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leafspine.conf: every key, every fault with its place, no memory. */

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fault.h"
#include "slurm/conf.h"
#include "unit.h"

#define DIRECTORY "/etc/slurm"

static struct diag diag;

static void set_up(void)
{
	diag_init(&diag, "leafspine.conf");
}

static void tear_down(void)
{
	diag_done(&diag);
}

static struct conf *read_text(const char *text)
{
	return conf_read_text(text, strlen(text), DIRECTORY, &diag);
}

static void check_defaults(const struct conf *conf)
{
	ck_assert_str_eq(conf->fabric, DIRECTORY "/topology.conf");
	ck_assert_int_eq(conf->mode, CONF_STEER);
	ck_assert(!conf->default_for_all);
	ck_assert_str_eq(conf->default_text, PARALLELISM_SITE_DEFAULT);
	ck_assert_double_eq(conf->default_hint.step, 4);
	ck_assert(conf->orders);
	ck_assert(conf->report);
	ck_assert_ptr_null(conf->status_file);
	ck_assert(conf_has_partition(conf, "any"));
}

START_TEST(empty_file_has_all_defaults)
{
	static const char *const texts[] = {
		"", "\n\n", "# nothing\n", "   # nothing", "\r\n \t\r\n"
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct conf *conf = read_text(texts[i]);

		check_defaults(conf);
		conf_free(conf);
	}
	ck_assert_uint_eq(diag.entry_count, 0);
}
END_TEST

START_TEST(every_key_is_read)
{
	struct conf *conf = read_text(
		"Fabric=/srv/fabric.json\n"
		"mode = Observe   # for a week\n"
		"NOHINT=default\n"
		"DefaultHint=tp=8,dp_bytes=4G,step=2\n"
		"Partitions=train,big\n"
		"Order=slurm\n"
		"Report=none\r\n"
		"StatusFile=run/status");

	ck_assert(diag_ok(&diag));
	ck_assert_str_eq(conf->fabric, "/srv/fabric.json");
	ck_assert_int_eq(conf->mode, CONF_OBSERVE);
	ck_assert(conf->default_for_all);
	ck_assert_str_eq(conf->default_text, "tp=8,dp_bytes=4G,step=2");
	ck_assert_uint_eq(conf->default_hint.tp, 8);
	ck_assert(conf_has_partition(conf, "train"));
	ck_assert(conf_has_partition(conf, "big"));
	ck_assert(!conf_has_partition(conf, "bi"));
	ck_assert(!conf_has_partition(conf, NULL));
	ck_assert(!conf->orders);
	ck_assert(!conf->report);
	ck_assert_str_eq(conf->status_file, DIRECTORY "/run/status");
	conf_free(conf);
}
END_TEST

static const struct {
	const char *text;
	const char *line;
} faults[] = {
	{ "Mode=sideways", "leafspine.conf:1:6: Mode: cannot take 'sideways', "
	  "expected off, observe or steer; the default stays" },
	{ "\n  Colour = red", "leafspine.conf:2:3: unknown key 'Colour', "
	  "expected Fabric, Mode, NoHint, DefaultHint, Partitions, Order, "
	  "Report or StatusFile" },
	{ "Fabric", "leafspine.conf:1:1: no '=' in this line, expected "
	  "Key=Value" },
	{ "=x", "leafspine.conf:1:1: unknown key '', expected Fabric, Mode, "
	  "NoHint, DefaultHint, Partitions, Order, Report or StatusFile" },
	{ "Fabric= # none", "leafspine.conf:1:8: Fabric: cannot take '', "
	  "expected a value; the default stays" },
	{ "NoHint=maybe", "leafspine.conf:1:8: NoHint: cannot take 'maybe', "
	  "expected stock or default; the default stays" },
	{ "Order=any", "leafspine.conf:1:7: Order: cannot take 'any', "
	  "expected leafspine or slurm; the default stays" },
	{ "Report=mail", "leafspine.conf:1:8: Report: cannot take 'mail', "
	  "expected admin_comment or none; the default stays" },
	{ "Partitions=a,,b", "leafspine.conf:1:12: Partitions: cannot take "
	  "'a,,b', expected names with commas between; the default stays" },
	{ "Partitions=a, b", "leafspine.conf:1:12: Partitions: cannot take "
	  "'a, b', expected names with commas between; the default stays" },
	{ "DefaultHint=tp=8,dp=2", "leafspine.conf:1:13: DefaultHint: cannot "
	  "take 'tp=8,dp=2', expected a hint without dp; the default stays" },
	{ "DefaultHint=off", "leafspine.conf:1:13: DefaultHint: cannot take "
	  "'off', expected a hint without dp; the default stays" },
	{ "Mode=steer\nMode=off", "leafspine.conf:2:1: Mode: given before, in "
	  "line 1, which counts" },
	{ "Mode=\001\377", "leafspine.conf:1:6: Mode: cannot take '?" "?', "
	  "expected off, observe or steer; the default stays" },
};

START_TEST(fault_has_its_line_and_costs_its_key)
{
	struct conf *conf = read_text(faults[_i].text);
	char line[512];

	ck_assert_uint_eq(diag.entry_count, 1);
	ck_assert_str_eq(diag_line(&diag, 0, line, sizeof(line)),
			 faults[_i].line);
	check_defaults(conf);
	conf_free(conf);
}
END_TEST

START_TEST(bad_default_hint_is_told_in_the_engines_words)
{
	struct conf *conf = read_text("DefaultHint=tp=many");
	struct parallelism_error error;
	struct parallelism hint;
	char line[512];

	ck_assert_int_eq(parallelism_parse("tp=many", 7, &hint, &error), -1);
	ck_assert_ptr_nonnull(strstr(diag_line(&diag, 0, line, sizeof(line)),
				     error.text));
	check_defaults(conf);
	conf_free(conf);
}
END_TEST

START_TEST(faults_do_not_cost_other_keys)
{
	struct conf *conf = read_text("Mode=x\nwhat\nReport=none\nMode=off\n"
				      "Partitions=p\n");

	ck_assert_uint_eq(diag.error_count, 3);
	ck_assert_int_eq(conf->mode, CONF_STEER);
	ck_assert(!conf->report);
	ck_assert(!conf_has_partition(conf, "q"));
	conf_free(conf);
}
END_TEST

/* A file with this text and mode; its name in PATH. */
static void make_file(char *path, const char *text, mode_t mode)
{
	int file = mkstemp(path);

	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, text, strlen(text)), strlen(text));
	ck_assert_int_eq(fchmod(file, mode), 0);
	ck_assert_int_eq(close(file), 0);
}

START_TEST(file_is_read_where_nobody_else_can_write)
{
	char path[] = "/tmp/leafspine-conf.XXXXXX";
	struct conf *conf;

	make_file(path, "Mode=off\n", 0644);
	conf = conf_read_file(path, getuid(), &diag);
	ck_assert_ptr_nonnull(conf);
	ck_assert_int_eq(conf->mode, CONF_OFF);
	ck_assert_str_eq(conf->fabric, "/tmp/topology.conf");
	conf_free(conf);
	for (mode_t mode = 0664; mode != 0; mode = mode == 0664 ? 0646 : 0) {
		ck_assert_int_eq(chmod(path, mode), 0);
		ck_assert_ptr_null(conf_read_file(path, getuid(), &diag));
	}
	ck_assert_uint_eq(diag.error_count, 2);
	unlink(path);
}
END_TEST

START_TEST(file_that_is_not_there_is_an_empty_one)
{
	struct conf *conf = conf_read_file("/nonexistent/leafspine.conf", 0,
					   &diag);

	ck_assert_ptr_nonnull(conf);
	ck_assert_str_eq(conf->fabric, "/nonexistent/topology.conf");
	ck_assert_uint_eq(diag.entry_count, 0);
	conf_free(conf);
}
END_TEST

START_TEST(directory_is_no_file)
{
	ck_assert_ptr_null(conf_read_file("/tmp", 0, &diag));
	ck_assert_uint_eq(diag.error_count, 1);
}
END_TEST

/* conf_read_file on TEXT, which only this user can write. */
static struct conf *read_file_of(const char *text, size_t length)
{
	char path[] = "/tmp/test-conf-XXXXXX";
	int file = mkstemp(path);
	struct conf *conf;

	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, text, length), (ssize_t)length);
	close(file);
	conf = conf_read_file(path, getuid(), &diag);
	unlink(path);
	return conf;
}

START_TEST(file_without_a_good_line_is_broken)
{
	static const char *const texts[] = {
		"Mode=sideways\n", "what is this", "# good\n\nColour=red\n",
		"\x7f""ELF\n\xff\xfe\n", "Mode=x\nReport=y\nnothing\n=\n",
	};
	char line[200];

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		ck_assert_ptr_null(read_file_of(texts[i], strlen(texts[i])));
		ck_assert_uint_eq(diag.entry_count, 1);
		diag_line(&diag, 0, line, sizeof(line));
		ck_assert_ptr_nonnull(strstr(line, "lines can be taken"));
		diag_done(&diag);
		diag_init(&diag, "leafspine.conf");
	}
	ck_assert_ptr_null(read_file_of("\0\0\n\0", 4));
}
END_TEST

START_TEST(one_good_line_makes_the_rest_faults_of_their_own)
{
	struct conf *conf = read_file_of("Mode=sideways\nReport=none\n", 26);

	ck_assert_ptr_nonnull(conf);
	ck_assert_int_eq(conf->mode, CONF_STEER);
	ck_assert(!conf->report);
	ck_assert_uint_eq(diag.error_count, 1);
	conf_free(conf);
}
END_TEST

START_TEST(no_memory_is_an_error_each_time)
{
	static const char text[] = "Fabric=a\nMode=x\nDefaultHint=tp=2\n"
		"Partitions=a,b,c\nPartitions=d\nStatusFile=s\n";

	for (long n = 1; ; n++) {
		struct conf *conf;
		bool hit, told;

		fault_after(n);
		conf = read_text(text);
		hit = fault_hit();
		fault_off();
		told = diag.no_memory;
		conf_free(conf);
		tear_down();
		set_up();
		if (!hit) {
			ck_assert_ptr_nonnull(conf);
			ck_assert_int_gt(n, 8);
			break;
		}
		ck_assert(told);
	}
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("conf");
	TCase *tests = tcase_create("conf");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, empty_file_has_all_defaults);
	tcase_add_test(tests, every_key_is_read);
	tcase_add_loop_test(tests, fault_has_its_line_and_costs_its_key, 0,
			    sizeof(faults) / sizeof(*faults));
	tcase_add_test(tests, bad_default_hint_is_told_in_the_engines_words);
	tcase_add_test(tests, faults_do_not_cost_other_keys);
	tcase_add_test(tests, file_is_read_where_nobody_else_can_write);
	tcase_add_test(tests, file_that_is_not_there_is_an_empty_one);
	tcase_add_test(tests, directory_is_no_file);
	tcase_add_test(tests, file_without_a_good_line_is_broken);
	tcase_add_test(tests,
		       one_good_line_makes_the_rest_faults_of_their_own);
	tcase_add_test(tests, no_memory_is_an_error_each_time);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
