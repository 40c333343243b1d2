/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs between a fabric and Slurm's tree. */
#include "fabric_compare.h"

#include "reading.h"

static const char *const n12[] = { "n0001", "n0002" };
static const char *const n34[] = { "n0003", "n0004" };
static const char *const n13[] = { "n0001", "n0003" };
static const char *const n1234[] = { "n0001", "n0002", "n0003", "n0004" };
static const char *const alien[] = { "x", "y" };

#define PODS "core:1 pod:2 spine:1 leaf:1 node:2"

static const struct {
	const char *fabric;
	struct fabric_compare_switch switches[4];
	const char *said;	/* "": the same */
} cases[] = {
	{ "spine:1 leaf:2 node:2",
	  { { "b", 0, n34, 2 }, { "a", 0, n12, 2 }, { "s", 1, n1234, 4 } },
	  "" },
	{ "spine:1 leaf:2 node:2", { { "x", 0, alien, 2 } }, "" },
	{ "spine:1 leaf:2 node:2 rails=4",
	  { { "a", 0, n12, 2 }, { "b", 0, n34, 2 }, { "s", 1, n1234, 4 } },
	  "" },
	{ "spine:1 leaf:2 node:2",
	  { { "a", 0, n13, 2 }, { "b", 0, n12 + 1, 1 }, { "c", 0, n34 + 1, 1 },
	    { "s", 1, n1234, 4 } },
	  "nodes n0001 and n0002 share leaf leaf1 in the fabric, but not in "
	  "Slurm's topology" },
	{ "spine:1 leaf:2 node:2", { { "all", 0, n1234, 4 } },
	  "nodes n0001 and n0003 share leaf all in Slurm's topology, but not "
	  "in the fabric" },
	{ PODS, { { "a", 0, n12, 2 }, { "b", 0, n34, 2 },
		  { "s", 1, n1234, 4 } },
	  "nodes n0001 and n0003 share switch s in Slurm's topology, but not "
	  "in the fabric" },
	{ "spine:1 leaf:2 node:2",
	  { { "a", 0, n12, 2 }, { "b", 0, n34, 2 }, { "s", 1, n12, 2 },
	    { "t", 1, n34, 2 } },
	  "nodes n0001 and n0003 share switch spine1 in the fabric, but not "
	  "in Slurm's topology" },
};

#define CASES (int)(sizeof(cases) / sizeof(cases[0]))

static struct fabric *synth(const char *text)
{
	struct fabric *fabric;
	struct diag diag;

	diag_init(&diag, "f");
	fabric = fabric_read_synth(text, &diag);
	diag_done(&diag);
	ck_assert_ptr_nonnull(fabric);
	return fabric;
}

START_TEST(names_the_first_difference)
{
	struct fabric *fabric = synth(cases[_i].fabric);
	char text[FABRIC_COMPARE_ROOM] = "";
	int result = fabric_compare(fabric, cases[_i].switches, 4, text);

	ck_assert_str_eq(text, cases[_i].said);
	ck_assert_int_eq(result, *cases[_i].said ? FABRIC_COMPARE_DIFFERS
			 : FABRIC_COMPARE_SAME);
	fabric_free(fabric);
}
END_TEST

/* n0002 stands under both leaves: for a tree they are one. */
START_TEST(leaves_that_share_a_node_are_one)
{
	struct fabric *fabric = reading_warned(fabric_read_conf,
		"SwitchName=l1 Nodes=n0001,n0002\n"
		"SwitchName=l2 Nodes=n0002,n0003,n0004\n",
		"f:2:15: SwitchName=l2 Nodes: warning: node \"n0002\" stands "
		"under l1 and l2\n");
	const struct fabric_compare_switch one = { "l", 0, n1234, 4 };
	char text[FABRIC_COMPARE_ROOM] = "";

	ck_assert_int_eq(fabric_compare(fabric, &one, 1, text),
			 FABRIC_COMPARE_SAME);
	ck_assert_str_eq(text, "");
	fabric_free(fabric);
}
END_TEST

START_TEST(survives_without_memory)
{
	struct fabric *fabric = synth(cases[0].fabric);
	char text[FABRIC_COMPARE_ROOM];
	long n = 0;
	bool hit;

	do {
		int result;

		fault_after(++n);
		result = fabric_compare(fabric, cases[0].switches, 3, text);
		hit = fault_hit();
		fault_off();
		ck_assert_int_eq(result, hit ? -1 : FABRIC_COMPARE_SAME);
	} while (hit);
	ck_assert_int_gt(n, 5);
	fabric_free(fabric);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("fabric_compare");
	TCase *group = tcase_create("fabric_compare");

	tcase_add_loop_test(group, names_the_first_difference, 0, CASES);
	tcase_add_test(group, leaves_that_share_a_node_are_one);
	tcase_add_test(group, survives_without_memory);
	suite_add_tcase(suite, group);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
