/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fabrics from Slurm's topology.yaml. */
#include "reading.h"

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

static const char two_trees[] =
	"---\n"
	"# two halls\n"
	"- topology: b\n"
	"  tree:\n"
	"    switches:\n"
	"    - {switch: bleaf, nodes: 'b[1-2]'}\n"
	"- topology: a\n"
	"  cluster_default: true\n"
	"  tree:\n"
	"    switches:\n"
	"    - switch: top\n"
	"      children: s[1-2]\n"
	"    - switch: s1\n"
	"      nodes: n[1-3]\n"
	"    - switch: s2\n"
	"      nodes: n[4-5],0x1f\n";

START_TEST(trees_apart_are_fabrics_apart)
{
	struct fabric *fabric = reading_good(fabric_read_yaml, two_trees);

	ck_assert_uint_eq(fabric->switch_count, 4);
	ck_assert_uint_eq(fabric->node_count, 8);
	ck_assert_uint_eq(fabric->component_count, 2);
	/* The cluster's default comes first. */
	ck_assert_str_eq(fabric->switches[0].name, "top");
	ck_assert_int_eq(fabric->switches[0].tier, FABRIC_SPINE);
	ck_assert_int_eq(fabric_level(fabric, fabric_find_node(fabric, "n1"),
				      fabric_find_node(fabric, "0x1f")), 2);
	ck_assert_int_eq(fabric_level(fabric, fabric_find_node(fabric, "n1"),
				      fabric_find_node(fabric, "n3")), 1);
	fabric_free(fabric);
}
END_TEST

START_TEST(blocks_are_nvlink_domains)
{
	struct fabric *fabric = reading_warned(fabric_read_yaml,
		"- topology: t\n  block:\n    block_sizes: [2, 4]\n"
		"    blocks:\n    - block: b1\n      nodes: n[1-2]\n"
		"    - block: b2\n      nodes: n[3-4]\n",
		"f:5:7: $[0].block.blocks[0].block: warning: blocks name no "
		"switches: each is read as an NVLink domain under a leaf of "
		"its own, all below Spine \"spine\"\n");

	ck_assert_uint_eq(fabric->domain_count, 2);
	ck_assert_int_eq(fabric_level(fabric, 0, 1), 0);
	ck_assert_int_eq(fabric_level(fabric, 1, 2), 2);
	fabric_free(fabric);
}
END_TEST

#define TREE(name, leaf, nodes) "- topology: " name "\n  tree:\n" \
	"    switches: [{switch: " leaf ", nodes: '" nodes "'}]\n"
#define SWITCHES "- topology: t\n  tree:\n    switches:\n"

static const struct {
	const char *text;
	const char *said;
} faults[] = {
	{ "", "f:1:1: $: no topology is declared, expected a list of "
	  "topologies\n" },
	{ "{topology: a}", "f:1:1: $: no topology is declared, expected a list "
	  "of topologies\n" },
	{ "- topology: [\n",
	  "f:2:1: $: did not find expected node content, expected YAML\n" },
	{ "- topology: a\n  flat: true\n- topology: r\n  ring: {rings: []}\n",
	  "f:1:3: $: no topology says which nodes share a leaf, expected a "
	  "tree or a block\n" },
	/* What is no tree by Slurm's choice gives way to the first tree. */
	{ "- topology: f\n  cluster_default: true\n  flat: true\n"
	  TREE("t", "l", "n1"),
	  "f:1:3: $: warning: topology \"f\" (flat) is left out: the fabric is "
	  "\"t\"\n" },
	{ TREE("a", "l1", "n[1-2]") TREE("b", "l2", "n[2-3]")
	  TREE("c", "l1", "n4"),
	  "f:4:3: $: warning: topology \"b\" is left out: \"n2\" stands in "
	  "\"a\" or another before it too\n"
	  "f:7:3: $: warning: topology \"c\" is left out: \"l1\" stands in "
	  "\"a\" or another before it too\n" },
	{ "- tree: {switches: 7}\n  cluster_default: perhaps\n  nodes: n1\n"
	  "  tree: {}\n- topology: u\n- 5\n",
	  "f:1:3: $[0].topology: is missing, expected a name\n"
	  "f:1:20: $[0].tree.switches: is no list, expected a list of "
	  "switches\n"
	  "f:2:20: $[0].cluster_default: is no truth value, expected true or "
	  "false\n"
	  "f:3:3: $[0]: unknown key \"nodes\", expected topology, "
	  "cluster_default, tree, block, flat, ring or torus3d\n"
	  "f:4:3: $[0]: key \"tree\" stands twice, expected it once\n"
	  "f:5:3: $[1]: has no kind, expected tree, block, flat, ring or "
	  "torus3d\n"
	  "f:6:3: $[2]: is no object, expected keys with values\n" },
	{ "- topology: t\n  flat: true\n  tree: {switches: []}\n",
	  "f:2:9: $[0]: has two kinds, expected one of tree, block, flat, ring "
	  "and torus3d\n" },
	{ "- topology: t\n  tree: {switches: []}\n",
	  "f:1:3: $: the topology is empty, expected a switch or a block\n" },
	{ SWITCHES "    - {nodes: n1}\n    - {switch: 'a[1-2]', nodes: n2}\n"
	  "    - {switch: b, nodes: [n3]}\n    - {switch: c, nodes: 'n['}\n",
	  "f:4:7: $[0].tree.switches[0].switch: is missing, expected a name\n"
	  "f:5:16: $[0].tree.switches[1].switch: is not one name, expected "
	  "one\n"
	  "f:6:26: $[0].tree.switches[2].nodes: is no text, expected text\n"
	  "f:7:26: $[0].tree.switches[3].nodes: \"n[\": the bracket is not "
	  "closed, expected \"]\"\n" },
	{ SWITCHES "    - {switch: a, nodes: n1, children: b}\n"
	  "    - {switch: b, nodes: n1}\n    - {switch: c, children: 'd,e'}\n"
	  "    - {switch: d, children: c}\n",
	  "f:4:19: $[0].tree.switches[0].nodes: stands beside children, "
	  "expected only one of them\n"
	  "f:6:19: $[0].tree.switches[2].children: no switch is called \"e\", "
	  "expected a declared switch\n"
	  "f:6:19: $[0].tree.switches[2].children: c -> d -> c is a cycle, "
	  "expected each switch below its parents only\n" },
	{ "- topology: t\n  block: {blocks: [{block: b, nodes: n1, children: "
	  "c}],\n    block_sizes: [2, x]}\n",
	  "f:2:21: $[0].block.blocks[0].block: warning: blocks name no "
	  "switches: each is read as an NVLink domain under a leaf of its own, "
	  "all below Spine \"spine\"\n"
	  "f:2:42: $[0].block.blocks[0]: unknown key \"children\", expected "
	  "block or nodes\n"
	  "f:3:22: $[0].block.block_sizes: is no size, expected a number of "
	  "nodes\n" },
	{ SWITCHES "    - {switch: a, nodes: ~}\n"
	  "    - {switch: b, nodes: n1}\n",
	  "f:4:19: $[0].tree.switches[0].nodes: warning: leaf \"a\" has no "
	  "nodes\n" },
};

START_TEST(says_what_is_wrong)
{
	reading_says(fabric_read_yaml, faults[_i].text, faults[_i].said);
}
END_TEST

START_TEST(a_nul_byte_has_a_place)
{
	static const char text[] = "- topology: a\n\0";

	reading_says_of(fabric_read_yaml, text, sizeof(text) - 1,
			"f:2:1: $: a NUL byte, expected text\n");
}
END_TEST

START_TEST(survives_without_memory)
{
	reading_survives(fabric_read_yaml, two_trees, true);
	reading_survives(fabric_read_yaml, faults[6].text, false);
	reading_survives(fabric_read_yaml, faults[9].text, false);
	reading_survives(fabric_read_yaml, faults[10].text, false);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("fabric_yaml");
	TCase *group = tcase_create("fabric_yaml");

	tcase_set_timeout(group, 120);
	tcase_add_test(group, trees_apart_are_fabrics_apart);
	tcase_add_test(group, blocks_are_nvlink_domains);
	tcase_add_loop_test(group, says_what_is_wrong, 0, COUNT(faults));
	tcase_add_test(group, a_nul_byte_has_a_place);
	tcase_add_test(group, survives_without_memory);
	suite_add_tcase(suite, group);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
