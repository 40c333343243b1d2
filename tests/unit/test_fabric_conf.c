/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fabrics from Slurm's topology.conf. */
#include "reading.h"

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

static const char tree[] =
	"# a comment \\\n"
	"\n"
	"SwitchName=top Switches=s[1-2],leaf5\n"
	"switchname=s1\tSWITCHES=leaf[1-2]   LinkSpeed=100 # behind\r\n"
	"  SwitchName=s2 Switches=leaf3,\\\n"
	"leaf4\n"
	"Nodes=n[1-4] SwitchName=leaf1\n"
	"SwitchName = leaf2 Nodes = \"n[5-8]\"\n"
	"SwitchName=leaf3 \\  \n"
	"   Nodes=0x1f,0x20\n"
	"SwitchName=leaf4 Nodes=n9,n1\n"
	"SwitchName=leaf5 Nodes=n10";

static const char tree_said[] =
	"f:11:18: SwitchName=leaf4 Nodes: warning: node \"n1\" stands under "
	"leaf1 and leaf4\n";

static const struct fabric_switch *find(const struct fabric *fabric,
					const char *name)
{
	uint32_t sw = fabric_find_switch(fabric, name);

	ck_assert_msg(sw != FABRIC_NONE, "no switch %s", name);
	return &fabric->switches[sw];
}

START_TEST(reads_a_tree)
{
	struct fabric *fabric = reading_warned(fabric_read_conf, tree,
					       tree_said);

	ck_assert_uint_eq(fabric->switch_count, 8);
	ck_assert_uint_eq(fabric->node_count, 12);
	ck_assert_uint_eq(fabric->component_count, 1);
	ck_assert_int_eq(find(fabric, "leaf1")->tier, FABRIC_LEAF);
	ck_assert_int_eq(find(fabric, "s2")->tier, FABRIC_SPINE);
	ck_assert_int_eq(find(fabric, "top")->tier, FABRIC_CORE);
	ck_assert_uint_eq(find(fabric, "leaf2")->node_count, 4);
	ck_assert_uint_eq(find(fabric, "leaf3")->node_count, 2);
	ck_assert_uint_ne(fabric_find_node(fabric, "0x1f"), FABRIC_NONE);
	/* n1 stands under leaf1 and leaf4 and is one node. */
	ck_assert_uint_eq(
		fabric->nodes[fabric_find_node(fabric, "n1")].cable_count, 2);
	ck_assert_int_eq(fabric_level(fabric, fabric_find_node(fabric, "n1"),
				      fabric_find_node(fabric, "n9")), 1);
	ck_assert_int_eq(fabric_level(fabric, fabric_find_node(fabric, "n2"),
				      fabric_find_node(fabric, "n5")), 2);
	ck_assert_int_eq(fabric_level(fabric, fabric_find_node(fabric, "n2"),
				      fabric_find_node(fabric, "n10")), 3);
	fabric_free(fabric);
}
END_TEST

START_TEST(numbers_are_defaults)
{
	struct fabric *fabric = reading_warned(fabric_read_conf, tree,
					       tree_said);

	for (uint32_t i = 0; i < fabric->node_count; i++) {
		ck_assert_uint_eq(fabric->nodes[i].gpus, 8);
		ck_assert_uint_eq(fabric->nodes[i].nics, 8);
		ck_assert_double_eq(fabric->nodes[i].nic_gbps, 400);
	}
	ck_assert_uint_eq(fabric->uplink_count, 7);
	for (uint32_t i = 0; i < fabric->uplink_count; i++) {
		ck_assert_double_eq(fabric->uplinks[i].gbps, 400);
		ck_assert_uint_eq(fabric->uplinks[i].count, 1);
	}
	ck_assert_double_eq(find(fabric, "leaf1")->up_gbps, 400);
	ck_assert_double_eq(find(fabric, "leaf1")->down_gbps, 4 * 3200);
	ck_assert_double_eq(find(fabric, "top")->down_gbps, 3 * 400);
	fabric_free(fabric);
}
END_TEST

START_TEST(several_parents_have_a_link_each)
{
	struct fabric *fabric = reading_good(fabric_read_conf,
		"SwitchName=a Switches=leaf[1-2]\n"
		"SwitchName=b Switches=leaf[2,1]\n"
		"SwitchName=c Switches=a,b\n"
		"SwitchName=d Switches=c\n"
		"SwitchName=leaf1 Nodes=n1\n"
		"SwitchName=leaf2 Nodes=n2\n");
	const struct fabric_switch *leaf = find(fabric, "leaf1");

	ck_assert_uint_eq(leaf->uplink_count, 2);
	ck_assert_double_eq(fabric->uplinks[leaf->first_uplink].gbps, 400);
	ck_assert_double_eq(leaf->up_gbps, 800);
	ck_assert_double_eq(find(fabric, "a")->up_gbps, 400);
	ck_assert_double_eq(find(fabric, "a")->down_gbps, 800);
	ck_assert_int_eq(find(fabric, "c")->tier, FABRIC_CORE);
	ck_assert_int_eq(find(fabric, "d")->tier, FABRIC_CORE);
	ck_assert_double_eq(find(fabric, "d")->down_gbps, 400);
	fabric_free(fabric);
}
END_TEST

START_TEST(fabrics_need_no_root)
{
	struct fabric *fabric = reading_good(fabric_read_conf,
		"SwitchName=sA Switches=a1,a2\nSwitchName=sB Switches=b1\n"
		"SwitchName=a1 Nodes=n1\nSwitchName=a2 Nodes=n2\n"
		"SwitchName=b1 Nodes=n3\nSwitchName=c1 Nodes=n4\n");

	ck_assert_uint_eq(fabric->component_count, 3);
	ck_assert_uint_eq(fabric->nodes[0].component,
			  fabric->nodes[1].component);
	ck_assert_uint_ne(fabric->nodes[1].component,
			  fabric->nodes[2].component);
	fabric_free(fabric);
}
END_TEST

static const struct {
	const char *text;
	const char *said;
} faults[] = {
	{ "",
	  "f:1:1: $: no switch is declared, expected lines of SwitchName "
	  "or BlockName\n" },
	{ "# SwitchName=a Nodes=n1\n",
	  "f:1:1: $: no switch is declared, expected lines of SwitchName "
	  "or BlockName\n" },
	/* An empty value does not swallow the word behind it. */
	{ "SwitchName=a Nodes=n1\nSwitchName=b Nodes= LinkSpeed=1\n",
	  "f:2:14: SwitchName=b Nodes: warning: leaf \"b\" has no nodes\n" },
	{ "SwitchName=a Nodes=n1\nSwitchName=b\nSwitchName=c Switches=\n",
	  "f:2:1: SwitchName=b Nodes: warning: leaf \"b\" has no nodes\n"
	  "f:3:1: SwitchName=c: warning: switch \"c\" has nothing below it\n" },
	{ "leaf= nodes=n1\n",
	  "f:1:1: leaf: unknown key \"leaf\", expected SwitchName, Nodes, "
	  "Switches or LinkSpeed\n"
	  "f:1:7: Nodes: the line has no SwitchName, expected "
	  "SwitchName=NAME\n" },
	/* Whatever is said has a place and a path. */
	{ "hello =x\nLinkSpeed=1 Switches=a[ Nodes=n[\n",
	  "f:1:1: hello: unknown key \"hello\", expected SwitchName, Nodes, "
	  "Switches or LinkSpeed\n"
	  "f:2:1: LinkSpeed: the line has no SwitchName, expected "
	  "SwitchName=NAME\n"
	  "f:2:24: Switches: \"a[\": the bracket is not closed, expected "
	  "\"]\"\n"
	  "f:2:33: Nodes: \"n[\": the bracket is not closed, expected "
	  "\"]\"\n" },
	{ "=x\nSwitchName=a Nodes=\nSwitchName=b Nodes=n1\nhello\n",
	  "f:1:1: =: unknown key \"\", expected SwitchName, Nodes, Switches "
	  "or LinkSpeed\n"
	  "f:2:14: SwitchName=a Nodes: warning: leaf \"a\" has no nodes\n"
	  "f:4:1: hello: \"hello\" is no Key=Value, expected SwitchName=, "
	  "Nodes=, Switches= or LinkSpeed=\n" },
	{ "SwitchName=a Nodes=\n",
	  "f:1:1: $: no node is declared, expected at least one\n"
	  "f:1:14: SwitchName=a Nodes: warning: leaf \"a\" has no nodes\n" },
	{ "SwitchName= Nodes=n1\n",
	  "f:1:12: SwitchName: is empty, expected a name\n" },
	{ "SwitchName=a[1-2] Nodes=n1\nNodes=n2\nSwitchName=b Nodes=n3\n",
	  "f:1:12: SwitchName: has 2 names, expected one\n"
	  "f:2:1: Nodes: the line has no SwitchName, expected "
	  "SwitchName=NAME\n" },
	{ "SwitchName=a Nodes=n1 \\\n Rail=3 Nodes=n2 exclusive\n",
	  "f:2:2: Rail: unknown key \"Rail\", expected SwitchName, Nodes, "
	  "Switches or LinkSpeed\n"
	  "f:2:9: SwitchName=a Nodes: stands twice in one line, expected it "
	  "once\n"
	  "f:2:18: exclusive: \"exclusive\" is no Key=Value, expected "
	  "SwitchName=, Nodes=, Switches= or LinkSpeed=\n" },
	{ "SwitchName=a Nodes=n[1-,x\nSwitchName=b Switches=a]\n",
	  "f:1:24: SwitchName=a Nodes: \"n[1-,x\": expected a number or a "
	  "range in the brackets, as in [1-4,7]\n"
	  "f:2:24: SwitchName=b Switches: \"a]\": \"]\" without \"[\", "
	  "expected a name\n" },
	{ "SwitchName=a Nodes=n1 Switches=b\nSwitchName=b Nodes=n2\n",
	  "f:1:14: SwitchName=a Nodes: stands beside Switches, expected only "
	  "one of them\n" },
	{ "SwitchName=a Nodes=n[1-3],n2\nSwitchName=a Nodes=n4\n"
	  "SwitchName=b Nodes=n5,n5\n",
	  "f:1:14: SwitchName=a Nodes: node \"n2\" is listed twice, expected "
	  "each once\n"
	  "f:2:1: SwitchName=a: switch \"a\" is declared twice, expected each "
	  "name once\n"
	  "f:3:14: SwitchName=b Nodes: node \"n5\" is listed twice, expected "
	  "each once\n" },
	{ "SwitchName=s Switches=a,b,c[1-3],a,n1\nSwitchName=a Nodes=n1\n",
	  "f:1:14: SwitchName=s Switches: no switch is called \"b,c[1-3],n1\", "
	  "expected a declared switch\n"
	  "f:1:14: SwitchName=s Switches: \"a\" is listed twice, expected each "
	  "child once\n" },
	{ "SwitchName=a Switches=b\nSwitchName=b Switches=c,l\n"
	  "SwitchName=c Switches=a\nSwitchName=above Switches=c\n"
	  "SwitchName=l Nodes=n1\nSwitchName=x Switches=x\n",
	  "f:1:14: SwitchName=a Switches: a -> b -> c -> a is a cycle, "
	  "expected each switch below its parents only\n"
	  "f:6:14: SwitchName=x Switches: x -> x is a cycle, expected each "
	  "switch below its parents only\n" },
	/* Only what may follow from another fault is not said. */
	{ "SwitchName=s Switches=leaf[1-3],core1,x\n"
	  "SwitchName=leaf1 Nodes=n1\nSwitchName=leaf[2-3 Nodes=n2\n"
	  "SwitchName=a Nodes=n[\nSwitchName=b Nodes=\nSwitchName=c\n"
	  "SwitchName=t Switches=s[\nSwitchName=u Switches=\n"
	  "SwitchName=v Switches=y\n",
	  "f:1:14: SwitchName=s Switches: no switch is called \"core1,x\", "
	  "expected a declared switch\n"
	  "f:3:16: SwitchName: \"leaf[2-3\": the bracket is not closed, "
	  "expected \"]\"\n"
	  "f:4:22: SwitchName=a Nodes: \"n[\": the bracket is not closed, "
	  "expected \"]\"\n"
	  "f:5:14: SwitchName=b Nodes: warning: leaf \"b\" has no nodes\n"
	  "f:6:1: SwitchName=c Nodes: warning: leaf \"c\" has no nodes\n"
	  "f:7:25: SwitchName=t Switches: \"s[\": the bracket is not closed, "
	  "expected \"]\"\n"
	  "f:8:1: SwitchName=u: warning: switch \"u\" has nothing below it\n"
	  "f:9:14: SwitchName=v Switches: no switch is called \"y\", expected "
	  "a declared switch\n" },
	/* Links of a switch that stands twice lead nowhere wrong. */
	{ "SwitchName=p Switches=a\nSwitchName=a Nodes=n1\n"
	  "SwitchName=a Switches=b\nSwitchName=b Nodes=n2\n"
	  "SwitchName=p Switches=a,zz\nSwitchName=e\n",
	  "f:3:1: SwitchName=a: switch \"a\" is declared twice, expected each "
	  "name once\n"
	  "f:5:1: SwitchName=p: switch \"p\" is declared twice, expected each "
	  "name once\n"
	  "f:5:14: SwitchName=p Switches: no switch is called \"zz\", expected "
	  "a declared switch\n"
	  "f:6:1: SwitchName=e Nodes: warning: leaf \"e\" has no nodes\n" },
	/* A node may stand under several leaves. */
	{ "SwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[3-5],n3\n"
	  "SwitchName=c Nodes=n[1,4]\n",
	  "f:2:14: SwitchName=b Nodes: node \"n3\" is listed twice, expected "
	  "each once\n"
	  "f:2:14: SwitchName=b Nodes: warning: nodes \"n[3-4]\" stand under a "
	  "and b\n"
	  "f:3:14: SwitchName=c Nodes: warning: node \"n1\" stands under a and "
	  "c\n"
	  "f:3:14: SwitchName=c Nodes: warning: node \"n4\" stands under b and "
	  "c\n" },
	{ "BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\n"
	  "BlockSizes=2,4\n",
	  "f:1:1: BlockName=b1: warning: blocks name no switches: each is "
	  "read as an NVLink domain under a leaf of its own, all below Spine "
	  "\"spine\"\n" },
	{ "BlockName=b1 Nodes=n[1-2]\nBlockSizes=2;4\n"
	  "SwitchName=s Switches=b1\n",
	  "f:1:1: BlockName=b1: a block beside switch \"s\", expected only "
	  "blocks or only switches\n"
	  "f:2:12: BlockSizes: is no list of sizes, expected numbers of nodes "
	  "with commas between\n" },
	{ "SwitchName=a BlockName=b Nodes=n1\nBlockName=c SwitchName=d\n",
	  "f:1:14: SwitchName=a: has BlockName beside it, expected one name "
	  "in a line\n"
	  "f:2:1: BlockName=c: a block beside switch \"a\", expected only "
	  "blocks or only switches\n"
	  "f:2:1: BlockName=c Nodes: warning: leaf \"c\" has no nodes\n"
	  "f:2:13: BlockName=c: has SwitchName beside it, expected one name "
	  "in a line\n" },
	{ "BlockName=spine Switches=n[1-2] Nodes=n1\nBlockName= Nodes=n2\n",
	  "f:1:1: BlockName=spine: warning: blocks name no switches: each is "
	  "read as an NVLink domain under a leaf of its own, all below Spine "
	  "\"spine1\"\n"
	  "f:1:17: BlockName=spine Switches: stands in a block, expected nodes "
	  "only\n"
	  "f:2:11: BlockName: is empty, expected a name\n" },
};

START_TEST(says_what_is_wrong)
{
	reading_says(fabric_read_conf, faults[_i].text, faults[_i].said);
}
END_TEST

START_TEST(a_nul_byte_has_a_place)
{
	static const char text[] = "SwitchName=a\n Nodes=\0n1\n";

	reading_says_of(fabric_read_conf, text, sizeof(text) - 1,
			"f:2:8: $: a NUL byte, expected text\n");
}
END_TEST

/* A level each: no recursion, and linear. */
START_TEST(chains_may_be_long)
{
	size_t room = 4000000;
	char *text = malloc(room);
	struct fabric *fabric;
	struct diag diag;
	size_t length = 0;

	for (int i = 50000; i > 0; i--)
		length += (size_t)snprintf(text + length, room - length,
			"SwitchName=s%d Switches=s%d\n", i, i - 1);
	snprintf(text + length, room - length, "SwitchName=s0 Nodes=n[1-9]\n");
	fabric = reading_good(fabric_read_conf, text);
	ck_assert_uint_eq(fabric->switch_count, 50001);
	ck_assert_int_eq(fabric->switches[0].tier, FABRIC_CORE);
	ck_assert_double_eq(fabric->switches[0].down_gbps, 400);
	fabric_free(fabric);
	/* And closed to a ring. */
	snprintf(text + length, room - length, "SwitchName=n Nodes=n1\n"
		 "SwitchName=s0 Switches=s50000\n");
	diag_init(&diag, "f");
	ck_assert_ptr_null(fabric_read_conf(text, strlen(text), &diag));
	ck_assert_uint_eq(diag.error_count, 1);
	ck_assert_ptr_nonnull(strstr(diag.entries[0].text, "... is a cycle"));
	diag_done(&diag);
	free(text);
}
END_TEST

static const char many_faults[] =
	"SwitchName=a Switches=b,c,zz,b\nSwitchName=b Switches=a\n"
	"SwitchName=c Nodes=n[1-3],n1\nSwitchName=c Nodes=n[\nFoo=1\n"
	"SwitchName=d Nodes=n4,n4 \\\n Switches=c\n";

START_TEST(survives_without_memory)
{
	reading_survives(fabric_read_conf, tree, true);
	reading_survives(fabric_read_conf, many_faults, false);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("fabric_conf");
	TCase *group = tcase_create("fabric_conf");

	tcase_set_timeout(group, 120);
	tcase_add_test(group, reads_a_tree);
	tcase_add_test(group, numbers_are_defaults);
	tcase_add_test(group, several_parents_have_a_link_each);
	tcase_add_test(group, fabrics_need_no_root);
	tcase_add_loop_test(group, says_what_is_wrong, 0, COUNT(faults));
	tcase_add_test(group, a_nul_byte_has_a_place);
	tcase_add_test(group, chains_may_be_long);
	tcase_add_test(group, survives_without_memory);
	suite_add_tcase(suite, group);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
