/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Node name ranges, both ways, and the order of names. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fault.h"
#include "noderange.h"
#include "unit.h"

/* What `scontrol show hostnames` gives, in its order. */
static const struct {
	const char *text;
	const char *names;	/* each with a blank behind */
} expansions[] = {
	{ "", "" },
	{ ",", "" },
	{ " \t\n", "" },
	{ "x", "x " },
	{ "0x1f", "0x1f " },
	{ "n-1", "n-1 " },
	{ "n1,n1", "n1 n1 " },
	{ "n1,", "n1 " },
	{ ",n1", "n1 " },
	{ "n1,,n2", "n1 n2 " },
	{ "n1 n2", "n1 n2 " },
	{ "n1\tn2\nn3", "n1 n2 n3 " },
	{ "n10,n9,n8", "n10 n9 n8 " },
	{ "n[1-3]", "n1 n2 n3 " },
	{ "[1-3]", "1 2 3 " },
	{ "n[0-0]", "n0 " },
	{ "n[0-00]", "n0 " },
	{ "n[000]", "n000 " },
	{ "n[9-11]", "n9 n10 n11 " },
	{ "n[09-11]", "n09 n10 n11 " },
	{ "n[01-2]", "n01 n02 " },
	{ "n[1-02]", "n1 n2 " },
	{ "n[8-011]", "n8 n9 n10 n11 " },
	{ "n[008-11]", "n008 n009 n010 n011 " },
	{ "n[5,1,3]", "n5 n1 n3 " },
	{ "n01[1-2]", "n011 n012 " },
	{ "a-b-[1-2]", "a-b-1 a-b-2 " },
	{ "n[1-2],m", "n1 n2 m " },
	{ "n[1-2],,n[3-4],", "n1 n2 n3 n4 " },
	{ "gpu[001-004,007],login1",
	  "gpu001 gpu002 gpu003 gpu004 gpu007 login1 " },
	{ "n[100000000000000001-100000000000000002]",
	  "n100000000000000001 n100000000000000002 " },
	{ "n[1-2][3-4]", "n13 n14 n23 n24 " },
	{ "rack[1-2]n[01-02]", "rack1n01 rack1n02 rack2n01 rack2n02 " },
	{ "n[5,1]b[2,1]", "n5b2 n5b1 n1b2 n1b1 " },
	{ "a[1-2]b[3-4],c", "a1b3 a1b4 a2b3 a2b4 c " },
	{ "n[1-2]b[1-2]c[1]", "n1b1c1 n2b1c1 n1b2c1 n2b2c1 " },
	{ "n[1-2]b[3-5]c[6-7]",
	  "n1b3c6 n1b3c7 n2b3c6 n2b3c7 n1b4c6 n1b4c7 n2b4c6 n2b4c7 "
	  "n1b5c6 n1b5c7 n2b5c6 n2b5c7 " },
	{ "a[1-2]b[1-2]c[1-2]d[1-2]",
	  "a1b1c1d1 a1b1c1d2 a2b1c1d1 a2b1c1d2 a1b2c1d1 a1b2c1d2 "
	  "a2b2c1d1 a2b2c1d2 a1b1c2d1 a1b1c2d2 a2b1c2d1 a2b1c2d2 "
	  "a1b2c2d1 a1b2c2d2 a2b2c2d1 a2b2c2d2 " },
};

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

static char *join(const struct noderange_list *list)
{
	size_t room = 1;
	char *text;

	for (size_t i = 0; i < list->count; i++)
		room += strlen(list->names[i]) + 1;
	text = calloc(1, room);
	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < list->count; i++) {
		strcat(text, list->names[i]);
		strcat(text, " ");
	}
	return text;
}

static struct noderange_list expand(const char *text)
{
	struct noderange_error wrong = { 0 };
	struct noderange_list list;
	int status = noderange_expand(text, &list, &wrong);

	ck_assert_msg(status == NODERANGE_OK, "%s: %s", text, wrong.text);
	return list;
}

START_TEST(expands_as_slurm_does)
{
	struct noderange_list list = expand(expansions[_i].text);
	char *names = join(&list);

	ck_assert_str_eq(names, expansions[_i].names);
	free(names);
	noderange_list_done(&list);
}
END_TEST

/* Folding any list and expanding it gives the list. */
START_TEST(folds_back)
{
	struct noderange_list list = expand(expansions[_i].text);
	char *folded = noderange_compress((const char *const *)list.names,
					  list.count);
	struct noderange_list again = expand(folded);

	ck_assert_uint_eq(again.count, list.count);
	for (size_t i = 0; i < list.count; i++)
		ck_assert_str_eq(again.names[i], list.names[i]);
	free(folded);
	noderange_list_done(&list);
	noderange_list_done(&again);
}
END_TEST

static const struct {
	const char *text;
	size_t offset;
	const char *wrong;
} refusals[] = {
	{ "n[3-1]", 2, "range 3-1 runs backwards, expected the smaller number "
	  "first" },
	{ "n[]", 2, "expected a number or a range in the brackets, as in "
	  "[1-4,7]" },
	{ "n[a]", 2, "expected a number or a range in the brackets, as in "
	  "[1-4,7]" },
	{ "n[1,]", 4, "expected a number or a range in the brackets, as in "
	  "[1-4,7]" },
	{ "n[-3]", 2, "expected a number or a range in the brackets, as in "
	  "[1-4,7]" },
	{ "n[1-]", 4, "expected a number or a range in the brackets, as in "
	  "[1-4,7]" },
	{ "n[+1-2]", 2, "expected a number or a range in the brackets, as in "
	  "[1-4,7]" },
	{ "n[[1-2]]", 2, "expected a number or a range in the brackets, as in "
	  "[1-4,7]" },
	{ "n[1-2", 1, "the bracket is not closed, expected \"]\"" },
	{ "n[", 2, "the bracket is not closed, expected \"]\"" },
	{ "n[1-", 4, "the bracket is not closed, expected \"]\"" },
	{ "n1,n[1,2", 4, "the bracket is not closed, expected \"]\"" },
	{ "n[1-2-3]", 5, "expected \",\" or \"]\" after the number in the "
	  "brackets" },
	{ "n[0x1]", 3, "expected \",\" or \"]\" after the number in the "
	  "brackets" },
	{ "n[1 ,2]", 3, "expected \",\" or \"]\" after the number in the "
	  "brackets" },
	{ "n]", 1, "\"]\" without \"[\", expected a name" },
	{ "n[1-3]]", 6, "\"]\" without \"[\", expected a name" },
	{ "n[1-3]x", 6, "text after the last bracket, expected \",\" or the "
	  "end as in Slurm" },
	{ "n.x[1-2].y", 8, "text after the last bracket, expected \",\" or "
	  "the end as in Slurm" },
	{ "n\x01", 1, "byte 0x01 in a name, expected printable ASCII" },
	{ "\xc3\xa4", 0, "byte 0xc3 in a name, expected printable ASCII" },
	{ "n\x7f", 1, "byte 0x7f in a name, expected printable ASCII" },
	{ "n[1234567890123456789]", 2, "the number has more than 18 digits, "
	  "expected fewer" },
	{ "n[0-999999999999999999]", 2, "more than 1000000 names, expected "
	  "fewer" },
	{ "a,n[1-1000000]", 14, "more than 1000000 names, expected fewer" },
	{ "n[1-1000]m[1-1001]", 18, "more than 1000000 names, expected "
	  "fewer" },
	{ "n[1-600000,1-600000]", 11, "more than 1000000 names, expected "
	  "fewer" },
	{ "a[1]b[1]c[1]d[1]e[1]f[1]g[1]h[1]i[1]", 33, "more than 8 brackets "
	  "in one name, expected fewer" },
};

START_TEST(refuses_with_a_reason)
{
	struct noderange_list list = { .count = 77 };
	struct noderange_error wrong = { 0 };

	ck_assert_int_eq(noderange_expand(refusals[_i].text, &list, &wrong),
			 NODERANGE_BAD);
	ck_assert_str_eq(wrong.text, refusals[_i].wrong);
	ck_assert_uint_eq(wrong.offset, refusals[_i].offset);
	ck_assert_uint_eq(list.count, 77);
}
END_TEST

START_TEST(takes_a_million_names)
{
	struct noderange_list list = expand("n[0-999998],m");

	ck_assert_uint_eq(list.count, NODERANGE_NAMES_MAX);
	ck_assert_str_eq(list.names[0], "n0");
	ck_assert_str_eq(list.names[999998], "n999998");
	ck_assert_str_eq(list.names[999999], "m");
	noderange_list_done(&list);
}
END_TEST

START_TEST(names_have_a_greatest_length)
{
	char text[NODERANGE_NAME_MAX + 16];
	struct noderange_error wrong;
	struct noderange_list list;

	memset(text, 'a', sizeof(text));
	text[NODERANGE_NAME_MAX] = '\0';
	list = expand(text);
	ck_assert_uint_eq(strlen(list.names[0]), NODERANGE_NAME_MAX);
	noderange_list_done(&list);
	text[NODERANGE_NAME_MAX] = 'a';
	text[NODERANGE_NAME_MAX + 1] = '\0';
	ck_assert_int_eq(noderange_expand(text, &list, &wrong), NODERANGE_BAD);
	ck_assert_str_eq(wrong.text, "a name is longer than 255 characters, "
			 "expected fewer");
	strcpy(text + NODERANGE_NAME_MAX - 1, "[8-9]");
	list = expand(text);
	ck_assert_uint_eq(strlen(list.names[1]), NODERANGE_NAME_MAX);
	noderange_list_done(&list);
	strcpy(text + NODERANGE_NAME_MAX - 1, "[9-10]");
	ck_assert_int_eq(noderange_expand(text, &list, &wrong), NODERANGE_BAD);
	strcpy(text + NODERANGE_NAME_MAX + 1, "[1]");
	ck_assert_int_eq(noderange_expand(text, &list, &wrong), NODERANGE_BAD);
}
END_TEST

static const struct {
	const char *names;	/* one list, as noderange_expand takes it */
	const char *folded;
} foldings[] = {
	{ "", "" },
	{ "n1", "n1" },
	{ "n1,n2", "n[1-2]" },
	{ "n1,n2,n3,n5", "n[1-3,5]" },
	{ "n3,n2,n1", "n[3,2,1]" },
	{ "n8,n9,n10,n11", "n[8-11]" },
	{ "n08,n09,n10", "n[08-10]" },
	{ "n9,n010", "n[9,010]" },
	{ "n09,n010", "n[09,010]" },
	{ "n1,n1", "n[1,1]" },
	{ "a,b,b1", "a,b,b1" },
	{ "gpu001,gpu002,login1", "gpu[001-002],login1" },
	{ "r1n1,r1n2,r2n1", "r1n[1-2],r2n1" },
	{ "7,8", "[7-8]" },
	{ "x1y,x2y", "x1y,x2y" },
	{ "n999999999999999998,n999999999999999999",
	  "n[999999999999999998-999999999999999999]" },
	{ "n1234567890123456788,n1234567890123456789",
	  "n1[234567890123456788-234567890123456789]" },
};

START_TEST(folds_runs)
{
	struct noderange_list list = expand(foldings[_i].names);
	char *folded = noderange_compress((const char *const *)list.names,
					  list.count);

	ck_assert_str_eq(folded, foldings[_i].folded);
	free(folded);
	noderange_list_done(&list);
}
END_TEST

/* In ascending order. */
static const char *const ordered[] = {
	"", "-", "01", "1", "2", "10", "a", "a-1", "a-2", "a01", "a1", "a1b",
	"a01c", "a2", "a09", "a9", "a10", "a99999999999999999999999998",
	"a99999999999999999999999999", "ab", "b", "gpu9n10", "gpu10n09",
	"gpu10n9", "gpu10n10",
};

START_TEST(names_have_a_natural_order)
{
	for (int a = 0; a < COUNT(ordered); a++) {
		for (int b = 0; b < COUNT(ordered); b++) {
			int order = noderange_compare(ordered[a], ordered[b]);

			ck_assert_msg((order > 0) - (order < 0) ==
				      (a > b) - (a < b), "%s and %s: %d",
				      ordered[a], ordered[b], order);
		}
	}
}
END_TEST

/* --- against Slurm itself, where it is installed --- */

/* What `scontrol show hostnames TEXT` says, with blanks for newlines. */
static char *ask_scontrol(const char *conf, const char *text)
{
	char command[1024];
	char *said = calloc(1, 4096);
	size_t length;
	FILE *pipe;

	snprintf(command, sizeof(command), "SLURM_CONF=%s scontrol show "
		 "hostnames '%s' 2>&1", conf, text);
	pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	ck_assert_ptr_nonnull(said);
	length = fread(said, 1, 4095, pipe);
	pclose(pipe);
	for (size_t i = 0; i < length; i++)
		if (said[i] == '\n')
			said[i] = ' ';
	return said;
}

/* An empty list is one empty line there. */
static bool is_list(const char *text)
{
	return strspn(text, ", \t\n") < strlen(text);
}

START_TEST(agrees_with_scontrol)
{
	char conf[] = "/tmp/leafspine-slurm-XXXXXX";
	int file;

	if (system("command -v scontrol >/dev/null")) {
		printf("# scontrol is not installed: not compared with it\n");
		return;
	}
	file = mkstemp(conf);
	ck_assert_int_ge(file, 0);
	dprintf(file, "ClusterName=c\nSlurmctldHost=localhost\n"
		"NodeName=n1\nPartitionName=p Nodes=n1\n");
	close(file);
	for (int i = 0; i < COUNT(expansions); i++) {
		char *said;

		if (!is_list(expansions[i].text))
			continue;
		said = ask_scontrol(conf, expansions[i].text);
		ck_assert_msg(!strcmp(said, expansions[i].names),
			      "of %s scontrol says %s", expansions[i].text,
			      said);
		free(said);
	}
	unlink(conf);
}
END_TEST

START_TEST(without_memory)
{
	struct noderange_error wrong;
	struct noderange_list list;
	int status;
	long n = 0;

	do {
		list.count = 77;
		fault_after(++n);
		status = noderange_expand("a[1-9]b[1-3],c", &list, &wrong);
		fault_off();
		if (status == NODERANGE_OK)
			break;
		ck_assert_int_eq(status, NODERANGE_NO_MEMORY);
		ck_assert_str_eq(wrong.text, "out of memory");
		ck_assert_uint_eq(list.count, 77);
	} while (n < 1000);
	ck_assert_int_gt(n, 28);
	ck_assert_uint_eq(list.count, 28);
	fault_after(1);
	ck_assert_ptr_null(noderange_compress((const char *const *)list.names,
					      list.count));
	fault_off();
	noderange_list_done(&list);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("noderange");
	TCase *group = tcase_create("noderange");

	tcase_set_timeout(group, 120);
	tcase_add_loop_test(group, expands_as_slurm_does, 0,
			    COUNT(expansions));
	tcase_add_loop_test(group, folds_back, 0, COUNT(expansions));
	tcase_add_loop_test(group, refuses_with_a_reason, 0, COUNT(refusals));
	tcase_add_test(group, takes_a_million_names);
	tcase_add_test(group, names_have_a_greatest_length);
	tcase_add_loop_test(group, folds_runs, 0, COUNT(foldings));
	tcase_add_test(group, names_have_a_natural_order);
	tcase_add_test(group, agrees_with_scontrol);
	tcase_add_test(group, without_memory);
	suite_add_tcase(suite, group);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
