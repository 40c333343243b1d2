/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fabrics in JSON: what is read, and what is said of what is wrong. */
#include "reading.h"

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

static const char pod[] =
	"{\n"
	" \"fabric\": \"pod-a\", \"_note\": {\"any\": \"thing\"},\n"
	" \"nodes\": [\n"
	"  {\"names\": \"gpu[3-4,1-2]\"},\n"
	"  {\"names\": \"cpu[9-10]\", \"gpus\": 0, \"nic_gbps\": 12.5},\n"
	"  {\"names\": \"nvl[1-4]\", \"gpus\": 4, \"nics\": 2,\n"
	"   \"nvlink_domain\": \"rack1\"},\n"
	"  {\"names\": \"own1\", \"nvlink_domain\": \"node\"}],\n"
	" \"switches\": [\n"
	"  {\"name\": \"spine[1-2]\", \"tier\": \"spine\",\n"
	"   \"uplinks\": [{\"to\": \"core1\", \"gbps\": 800.5}]},\n"
	"  {\"name\": \"leaf1\", \"tier\": \"leaf\", \"nodes\": \"gpu[1-4]\",\n"
	"   \"uplinks\": [{\"to\": \"spine[1-2]\", \"count\": 2},\n"
	"               {\"to\": \"core1\", \"gbps\": 100, \"count\": 3.0}]},\n"
	"  {\"name\": \"leaf2\", \"tier\": \"leaf\", \"plane\": \"compute\",\n"
	"   \"nodes\": \"cpu[9-10],nvl[1-4],own1\",\n"
	"   \"uplinks\": [{\"to\": \"spine1\"}]},\n"
	"  {\"name\": \"st1\", \"tier\": \"leaf\", \"plane\": \"storage\",\n"
	"   \"nodes\": \"gpu[1-4],disk[1-9]\",\n"
	"   \"uplinks\": [{\"to\": \"st2\"}]},\n"
	"  {\"name\": \"st2\", \"tier\": \"spine\", \"plane\": \"storage\"},\n"
	"  {\"name\": \"core1\", \"tier\": \"core\"}\n"
	" ]}\n";

START_TEST(reads_nodes)
{
	static const char *const names[] = {
		"cpu9", "cpu10", "gpu1", "gpu2", "gpu3", "gpu4", "nvl1", "nvl2",
		"nvl3", "nvl4", "own1",
	};
	struct fabric *fabric = reading_good(fabric_read_json, pod);
	const struct fabric_node *node;

	ck_assert_str_eq(fabric->name, "pod-a");
	ck_assert_uint_eq(fabric->node_count, COUNT(names));
	for (int i = 0; i < COUNT(names); i++)
		ck_assert_str_eq(fabric->nodes[i].name, names[i]);
	node = &fabric->nodes[fabric_find_node(fabric, "gpu1")];
	ck_assert_uint_eq(node->gpus, 8);
	ck_assert_uint_eq(node->nics, 8);
	ck_assert_double_eq(node->nic_gbps, 400);
	node = &fabric->nodes[fabric_find_node(fabric, "cpu9")];
	ck_assert_uint_eq(node->gpus, 0);
	ck_assert_uint_eq(node->nics, 1);
	ck_assert_double_eq(node->nic_gbps, 12.5);
	node = &fabric->nodes[fabric_find_node(fabric, "nvl1")];
	ck_assert_uint_eq(node->gpus, 4);
	ck_assert_uint_eq(node->nics, 2);
	ck_assert_uint_eq(fabric->domain_sizes[node->domain], 4);
	ck_assert_uint_eq(fabric->domain_count, 8);
	ck_assert(!fabric->has_rails);
	fabric_free(fabric);
}
END_TEST

START_TEST(reads_switches)
{
	struct fabric *fabric = reading_good(fabric_read_json, pod);
	const struct fabric_switch *leaf1, *spine1, *core1;

	ck_assert_uint_eq(fabric->switch_count, 5);
	ck_assert_uint_eq(fabric->left_out_count, 2);
	ck_assert_uint_eq(fabric_find_switch(fabric, "st1"), FABRIC_NONE);
	ck_assert_uint_eq(fabric_find_node(fabric, "disk1"), FABRIC_NONE);
	ck_assert_uint_eq(fabric_find_switch(fabric, "spine1"), 0);
	ck_assert_uint_eq(fabric_find_switch(fabric, "leaf1"), 2);
	spine1 = &fabric->switches[0];
	leaf1 = &fabric->switches[2];
	core1 = &fabric->switches[4];
	ck_assert_int_eq(spine1->tier, FABRIC_SPINE);
	ck_assert_int_eq(core1->tier, FABRIC_CORE);
	ck_assert_uint_eq(leaf1->uplink_count, 3);
	ck_assert_uint_eq(fabric->uplinks[leaf1->first_uplink].to, 0);
	ck_assert_uint_eq(fabric->uplinks[leaf1->first_uplink + 2].to, 4);
	ck_assert_uint_eq(fabric->uplinks[leaf1->first_uplink + 2].count, 3);
	ck_assert_double_eq(leaf1->up_gbps, 2 * 2 * 400 + 3 * 100);
	ck_assert_double_eq(leaf1->down_gbps, 4 * 8 * 400);
	ck_assert_uint_eq(leaf1->node_count, 4);
	ck_assert_double_eq(fabric->switches[3].down_gbps,
			    2 * 12.5 + 4 * 2 * 400 + 8 * 400);
	ck_assert_double_eq(spine1->down_gbps, 2 * 400 + 400);
	ck_assert_double_eq(spine1->up_gbps, 800.5);
	ck_assert_double_eq(core1->down_gbps, 2 * 800.5 + 300);
	ck_assert_double_eq(core1->up_gbps, 0);
	fabric_free(fabric);
}
END_TEST

static const char rails[] =
	"{\"nodes\": [{\"names\": \"n[1-3]\", \"gpus\": 4}],\n"
	" \"switches\": [\n"
	" {\"name\": \"r3\", \"tier\": \"leaf\", \"rail\": 3,\n"
	"  \"nodes\": \"n[1-2]\"},\n"
	" {\"name\": \"r0\", \"tier\": \"leaf\", \"rail\": 0,\n"
	"  \"nodes\": \"n2,n1\"},\n"
	" {\"name\": \"all\", \"tier\": \"leaf\", \"nodes\": \"n3\"}]}";

START_TEST(reads_rails)
{
	struct fabric *fabric = reading_good(fabric_read_json, rails);
	const struct fabric_cable *cable;

	ck_assert(fabric->has_rails);
	ck_assert_uint_eq(fabric->leafset_count, 2);
	ck_assert_uint_eq(fabric->leafsets[0].node_count, 2);
	ck_assert_uint_eq(fabric->nodes[0].cable_count, 2);
	/* By rail, whatever the order in the file. */
	cable = &fabric->cables[fabric->nodes[0].first_cable];
	ck_assert_int_eq(cable[0].rail, 0);
	ck_assert_uint_eq(cable[0].leaf, 1);
	ck_assert_double_eq(cable[0].gbps, 400);
	ck_assert_int_eq(cable[1].rail, 3);
	cable = &fabric->cables[fabric->nodes[2].first_cable];
	ck_assert_int_eq(cable->rail, FABRIC_ALL_RAILS);
	ck_assert_double_eq(cable->gbps, 1600);
	ck_assert_double_eq(fabric->switches[0].down_gbps, 800);
	fabric_free(fabric);
}
END_TEST

/* A file of two nodes and one leaf around what is at fault. */
#define NODES "{\"nodes\": [{\"names\": \"n[1-2]\"}],\n"
#define LEAF "{\"name\": \"leaf1\", \"tier\": \"leaf\", \"nodes\": \"n[1-2]\"}"
#define SPINE "{\"name\": \"spine1\", \"tier\": \"spine\"}"
#define UP(text) "{\"name\": \"leaf1\", \"tier\": \"leaf\", \"nodes\": \
\"n[1-2]\", \"uplinks\": [" text "]}"
#define SWITCHES(text) "\"switches\": [\n" text "]}"

static const struct {
	const char *text;
	const char *said;
} faults[] = {
	/* the file as a whole */
	{ "{}",
	  "f:1:1: nodes: is missing, expected an array of nodes\n"
	  "f:1:1: switches: is missing, expected an array of switches\n" },
	{ "{\"nodes\": 1, \"switches\": {}}",
	  "f:1:11: nodes: found a number, expected an array\n"
	  "f:1:26: switches: found an object, expected an array\n" },
	{ "{\"nodes\": [], \"switches\": []}",
	  "f:1:1: $: no node is declared, expected at least one\n" },
	{ "{\"fabric\": [], \"node\": [], \"nodes\": [], \"switches\": []}",
	  "f:1:1: $: no node is declared, expected at least one\n"
	  "f:1:12: fabric: found an array, expected a string\n"
	  "f:1:24: node: unknown key \"node\", expected \"nodes\"\n" },
	/* nodes */
	{ "{\"nodes\": [7, {}, {\"names\": 3}, {\"names\": \"\"},"
	  " {\"names\": \",\"}, {\"names\": \"x[\"}], \"switches\": []}",
	  "f:1:12: nodes[0]: found a number, expected an object\n"
	  "f:1:15: nodes[1].names: is missing, expected a name range such as "
	  "\"gpu[001-064]\"\n"
	  "f:1:29: nodes[2].names: found a number, expected a string with node "
	  "or switch names\n"
	  "f:1:43: nodes[3].names: is empty, expected at least one name\n"
	  "f:1:58: nodes[4].names: is empty, expected at least one name\n"
	  "f:1:74: nodes[5].names: \"x[\": the bracket is not closed, expected "
	  "\"]\"\n" },
	{ "{\"nodes\": [{\"names\": \"n[1-2]\", \"gpus\": 2000, \"nics\": 0,\n"
	  "\"nic_gbps\": -1, \"nvlink_domain\": \"\", \"gpu\": 1}],\n"
	  SWITCHES(LEAF),
	  "f:1:40: nodes[0].gpus: 2000 is out of range, expected 0 to 1024\n"
	  "f:1:54: nodes[0].nics: 0 is out of range, expected 1 to 1024\n"
	  "f:2:13: nodes[0].nic_gbps: -1 is out of range, expected above 0 to "
	  "1000000\n"
	  "f:2:34: nodes[0].nvlink_domain: is empty, expected at least one "
	  "name\n"
	  "f:2:45: nodes[0].gpu: unknown key \"gpu\", expected \"gpus\"\n" },
	{ "{\"nodes\": [{\"names\": \"n[1-2]\"},\n{\"names\": \"n[2-3]\"},\n"
	  "{\"names\": \"n[1-4]\"}],\n\"switches\": [{\"name\": \"l\", "
	  "\"tier\": \"leaf\", \"nodes\": \"n[1-4]\"}]}",
	  "f:2:11: nodes[1].names: node \"n2\" is declared twice, expected "
	  "each name once\n"
	  "f:3:11: nodes[2].names: nodes \"n[1-3]\" are declared twice, "
	  "expected each name once\n" },
	{ "{\"nodes\": [{\"names\": \"n[1-5]\"}],\n" SWITCHES(LEAF),
	  "f:1:22: nodes[0].names: nodes \"n[3-5]\" stand under no compute "
	  "leaf, expected them in the nodes of a leaf\n" },
	{ NODES SWITCHES("{\"name\": \"st\", \"tier\": \"leaf\", \"plane\": "
			 "\"storage\", \"nodes\": \"n[1-2]\"}"),
	  "f:1:22: nodes[0].names: nodes \"n[1-2]\" stand under no compute "
	  "leaf, expected them in the nodes of a leaf\n" },
	/* switches */
	{ NODES SWITCHES(LEAF ",\n7,\n{\"name\": 1},\n"
			 "{\"name\": \"\", \"tier\": \"leaf\", "
			 "\"nodes\": \"\"},\n"
			 "{\"name\": \"x\", \"tier\": \"lead\"},\n"
			 "{\"name\": \"y\", \"tier\": 1, \"asic\": 2}"),
	  "f:4:1: switches[1]: found a number, expected an object\n"
	  "f:5:1: switches[2].tier: is missing, expected \"leaf\", \"spine\" "
	  "or \"core\"\n"
	  "f:5:10: switches[2].name: found a number, expected a string with "
	  "node or switch names\n"
	  "f:6:10: switches[3].name: is empty, expected at least one name\n"
	  "f:7:23: switches[4].tier: unknown tier \"lead\", expected leaf, "
	  "spine or core\n"
	  "f:8:23: switches[5].tier: found a number, expected a string\n"
	  "f:8:34: switches[5].asic: unknown key \"asic\", expected one of "
	  "name, tier, nodes, rail, plane, uplinks\n" },
	{ NODES SWITCHES(LEAF ",\n{\"name\": \"leaf1\", \"tier\": \"leaf\", "
			 "\"nodes\": \"n[1-2]\"}"),
	  "f:4:10: switches[1].name: switch \"leaf1\" is declared twice, "
	  "expected each name once\n" },
	{ NODES SWITCHES(LEAF ",\n{\"name\": \"l2\", \"tier\": \"leaf\"}"),
	  "f:4:1: switches[1].nodes: is missing, expected the nodes of the "
	  "leaf\n" },
	{ NODES SWITCHES(LEAF ",\n{\"name\": \"l[2-3]\", \"tier\": \"leaf\", "
			 "\"nodes\": \"\"},\n" SPINE),
	  "f:4:45: switches[1].nodes: warning: leaves \"l[2-3]\" have no "
	  "nodes\n"
	  "f:5:10: switches[2].name: warning: switch \"spine1\" has nothing "
	  "below it\n" },
	{ NODES SWITCHES(LEAF ",\n{\"name\": \"c\", \"tier\": \"core\", "
			 "\"nodes\": \"n1\", \"rail\": 0, \"plane\": \"\"}"),
	  "f:4:10: switches[1].name: warning: switch \"c\" has nothing below "
	  "it\n"
	  "f:4:40: switches[1].nodes: only a leaf has \"nodes\", expected none "
	  "on a core switch\n"
	  "f:4:54: switches[1].rail: only a leaf has \"rail\", expected none "
	  "on a core switch\n"
	  "f:4:66: switches[1].plane: is empty, expected at least one name\n" },
	/* cables */
	{ NODES SWITCHES(LEAF ",\n{\"name\": \"l2\", \"tier\": \"leaf\", "
			 "\"nodes\": \"n[1-4],n1,m\"}"),
	  "f:4:41: switches[1].nodes: no nodes are called \"n[3-4],m\", "
	  "expected declared nodes\n"
	  "f:4:41: switches[1].nodes: node \"n1\" is listed twice, expected "
	  "each once\n"
	  "f:4:41: switches[1].nodes: nodes \"n[1-2]\" stand under leaf "
	  "\"leaf1\" too, expected one leaf or a rail on each\n" },
	{ NODES SWITCHES("{\"name\": \"l[1-2]\", \"tier\": \"leaf\", "
			 "\"nodes\": \"n[1-2]\"}"),
	  "f:3:45: switches[0].nodes: nodes \"n[1-2]\" stand under leaf \"l1\" "
	  "too, expected one leaf or a rail on each\n" },
	{ NODES SWITCHES("{\"name\": \"a\", \"tier\": \"leaf\", \"nodes\": "
			 "\"n[1-2]\", \"rail\": 0},\n"
			 "{\"name\": \"b\", \"tier\": \"leaf\", \"nodes\": "
			 "\"n2\", \"rail\": 0},\n"
			 "{\"name\": \"c\", \"tier\": \"leaf\", \"nodes\": "
			 "\"n[1-2]\", \"rail\": 8},\n"
			 "{\"name\": \"d\", \"tier\": \"leaf\", \"nodes\": "
			 "\"n1\", \"rail\": 1024},\n"
			 "{\"name\": \"e\", \"tier\": \"leaf\", \"nodes\": "
			 "\"n2\"}"),
	  "f:4:54: switches[1].rail: rail 0 of node \"n2\" is cabled to leaf "
	  "\"a\" too, expected one leaf a rail\n"
	  "f:5:58: switches[2].rail: nodes \"n[1-2]\" have no such rail, "
	  "expected 0 to 7\n"
	  "f:6:54: switches[3].rail: 1024 is out of range, expected 0 to "
	  "1023\n"
	  "f:7:40: switches[4].nodes: node \"n2\" stands under leaf \"a\" too, "
	  "expected one leaf or a rail on each\n" },
	/* uplinks */
	{ NODES SWITCHES(UP("{\"to\": \"spine9\"}, {\"to\": \"s[1-9]\"}")),
	  "f:3:73: switches[0].uplinks[0].to: no switch is called \"spine9\", "
	  "expected a declared switch\n"
	  "f:3:91: switches[0].uplinks[1].to: no switches are called "
	  "\"s[1-9]\", expected declared switches\n" },
	{ NODES SWITCHES(UP("{\"to\": \"spine1\", \"gbps\": 0, \"count\": "
			    "4097, \"links\": 1}, 7, {}, {\"to\": \"\"}")
			 ",\n" SPINE),
	  "f:3:91: switches[0].uplinks[0].gbps: 0 is out of range, expected "
	  "above 0 to 1000000\n"
	  "f:3:103: switches[0].uplinks[0].count: 4097 is out of range, "
	  "expected 1 to 4096\n"
	  "f:3:118: switches[0].uplinks[0].links: unknown key \"links\", "
	  "expected one of to, gbps, count\n"
	  "f:3:122: switches[0].uplinks[1]: found a number, expected an "
	  "object\n"
	  "f:3:125: switches[0].uplinks[2].to: is missing, expected a name or "
	  "a range such as \"spine[1-4]\"\n"
	  "f:3:136: switches[0].uplinks[3].to: is empty, expected at least one "
	  "name\n" },
	{ NODES SWITCHES(UP("{\"to\": \"leaf1\"}, {\"to\": \"l2\"}, "
			    "{\"to\": \"spine1,spine1\"}, "
			    "{\"to\": \"spine1\"}, "
			    "{\"to\": \"st\"}")
			 ",\n" SPINE ",\n"
			 "{\"name\": \"l2\", \"tier\": \"leaf\", \"plane\": "
			 "\"compute\", \"nodes\": \"\"},\n"
			 "{\"name\": \"st\", \"tier\": \"spine\", \"plane\": "
			 "\"x\", \"uplinks\": [{\"to\": \"c\"}]},\n"
			 "{\"name\": \"c\", \"tier\": \"core\", \"uplinks\": "
			 "[{\"to\": \"c\"}]}"),
	  "f:3:73: switches[0].uplinks[0].to: \"leaf1\" is the switch itself, "
	  "expected one of a higher tier\n"
	  "f:3:90: switches[0].uplinks[1].to: \"l2\" does not stand above, "
	  "expected a switch of a higher tier than leaf\n"
	  "f:3:104: switches[0].uplinks[2].to: \"spine1\" is a parent of "
	  "\"leaf1\" already, expected one uplink with a count\n"
	  "f:3:129: switches[0].uplinks[3].to: \"spine1\" is a parent of "
	  "\"leaf1\" already, expected one uplink with a count\n"
	  "f:3:147: switches[0].uplinks[4].to: \"st\" is of another plane, "
	  "expected a switch of the same\n"
	  "f:5:61: switches[2].nodes: warning: leaf \"l2\" has no nodes\n"
	  "f:6:66: switches[3].uplinks[0].to: \"c\" is of another plane, "
	  "expected a switch of the same\n"
	  "f:7:50: switches[4].uplinks[0].to: \"c\" is the switch itself, "
	  "expected one of a higher tier\n" },
	{ NODES SWITCHES(UP("{\"to\": \"spine1\"}") ",\n"
			 "{\"name\": \"spine1\", \"tier\": \"spine\", "
			 "\"uplinks\": [{\"to\": \"leaf1\"}]},\n"
			 "{\"name\": \"s[2-3]\", \"tier\": \"spine\", "
			 "\"uplinks\": [{\"to\": \"spine1\"}]}"),
	  "f:4:56: switches[1].uplinks[0].to: the uplink to \"leaf1\" closes a "
	  "cycle, expected uplinks that climb\n"
	  "f:5:10: switches[2].name: warning: switches \"s[2-3]\" have nothing "
	  "below them\n"
	  "f:5:56: switches[2].uplinks[0].to: \"spine1\" does not stand above, "
	  "expected a switch of a higher tier than spine\n" },
	{ NODES SWITCHES(LEAF ",\n{\"name\": \"l2\", \"tier\": \"leaf\", "
			 "\"nodes\": \"\", \"uplinks\": {}}"),
	  "f:4:41: switches[1].nodes: warning: leaf \"l2\" has no nodes\n"
	  "f:4:56: switches[1].uplinks: found an object, expected an array\n" },
	/* one fault does not hide another elsewhere */
	{ NODES SWITCHES(UP("{\"to\": \"nowhere\"}, {\"to\": \"s\"}") ",\n"
			 "{\"name\": \"s\", \"tier\": \"spin\"},\n"
			 "{\"name\": \"t\", \"uplinks\": [{\"to\": \"t\"}, "
			 "{\"to\": \"leaf1\"}, {\"to\": \"no\"}]}"),
	  "f:3:73: switches[0].uplinks[0].to: no switch is called \"nowhere\", "
	  "expected a declared switch\n"
	  "f:4:23: switches[1].tier: unknown tier \"spin\", expected leaf, "
	  "spine or core\n"
	  "f:5:1: switches[2].tier: is missing, expected \"leaf\", \"spine\" "
	  "or \"core\"\n"
	  "f:5:34: switches[2].uplinks[0].to: \"t\" is the switch itself, "
	  "expected one of a higher tier\n"
	  "f:5:64: switches[2].uplinks[2].to: no switch is called \"no\", "
	  "expected a declared switch\n" },
	/* a leaf of bad tier: nodes are checked, those it has are not loose */
	{ "{\"nodes\": [{\"names\": \"n[1-3],x[1-2]\"}],\n"
	  SWITCHES("{\"name\": \"a\", \"tier\": \"laef\", \"nodes\": "
		   "\"n[1-2],m\", \"uplinks\": [{\"to\": \"s\"}]},\n"
		   "{\"name\": \"b\", \"tier\": \"leaf\", \"nodes\": "
		   "\"n2,n3\"},\n"
		   "{\"name\": \"s\", \"tier\": \"spine\", \"uplinks\": "
		   "[{\"to\": \"a\"}]},\n"
		   "{\"name\": \"t\", \"tier\": \"spine\"}"),
	  "f:1:22: nodes[0].names: nodes \"x[1-2]\" stand under no compute "
	  "leaf, expected them in the nodes of a leaf\n"
	  "f:3:23: switches[0].tier: unknown tier \"laef\", expected leaf, "
	  "spine or core\n"
	  "f:3:40: switches[0].nodes: no node is called \"m\", expected a "
	  "declared node\n"
	  "f:4:40: switches[1].nodes: node \"n2\" stands under leaf \"a\" too, "
	  "expected one leaf or a rail on each\n"
	  "f:5:51: switches[2].uplinks[0].to: the uplink to \"a\" closes a "
	  "cycle, expected uplinks that climb\n"
	  "f:6:10: switches[3].name: warning: switch \"t\" has nothing below "
	  "it\n" },
	/* unreadable names hide what may be among them */
	{ "{\"nodes\": [{\"names\": \"n[1-2]\"}, {\"names\": \"m[1-\"}],\n"
	  SWITCHES("{\"name\": \"a\", \"tier\": \"leaf\", \"nodes\": "
		   "\"n1,n9,m[1-9]\"},\n"
		   "{\"name\": \"b\", \"tier\": \"leaf\", \"nodes\": "
		   "\"n[3\"},\n"
		   "{\"name\": \"c\", \"tier\": \"leaf\", \"nodes\": "
		   "\"\"}"),
	  "f:1:43: nodes[1].names: \"m[1-\": the bracket is not closed, "
	  "expected \"]\"\n"
	  "f:3:40: switches[0].nodes: no node is called \"n9\", expected a "
	  "declared node\n"
	  "f:4:40: switches[1].nodes: \"n[3\": the bracket is not closed, "
	  "expected \"]\"\n"
	  "f:5:40: switches[2].nodes: warning: leaf \"c\" has no nodes\n" },
	{ "{\"nodes\": [{\"names\": \"n[1-2],x\"}],\n"
	  SWITCHES("{\"name\": \"a\", \"tier\": \"leaf\", \"nodes\": "
		   "\"n[1-3\", \"uplinks\": [{\"to\": \"t[1-2\"}]},\n"
		   "{\"name\": \"s,t1\", \"tier\": \"spine\"}"),
	  "f:1:22: nodes[0].names: node \"x\" stands under no compute leaf, "
	  "expected it in the nodes of a leaf\n"
	  "f:3:40: switches[0].nodes: \"n[1-3\": the bracket is not closed, "
	  "expected \"]\"\n"
	  "f:3:68: switches[0].uplinks[0].to: \"t[1-2\": the bracket is not "
	  "closed, expected \"]\"\n"
	  "f:4:10: switches[1].name: warning: switch \"s\" has nothing below "
	  "it\n" },
	/* a switch without a name has nodes and parents all the same */
	{ "{\"nodes\": [{\"names\": \"n[1-3],x\"}],\n"
	  SWITCHES("{\"name\": \"a[\", \"tier\": \"leaf\", \"nodes\": "
		   "\"n[1-2],n2,y\", \"uplinks\": [{\"to\": \"s,a1,b1\"}]},\n"
		   "{\"name\": \"b\", \"tier\": \"leaf\", \"nodes\": "
		   "\"n1,n3\", \"uplinks\": [{\"to\": \"a2\"}]},\n"
		   "{\"name\": \"s\", \"tier\": \"spine\"},\n"
		   "{\"tier\": \"leaf\", \"plane\": \"st\", \"nodes\": "
		   "\"disk1\"}"),
	  "f:1:22: nodes[0].names: node \"x\" stands under no compute leaf, "
	  "expected it in the nodes of a leaf\n"
	  "f:3:10: switches[0].name: \"a[\": the bracket is not closed, "
	  "expected \"]\"\n"
	  "f:3:41: switches[0].nodes: no node is called \"y\", expected a "
	  "declared node\n"
	  "f:3:41: switches[0].nodes: node \"n2\" is listed twice, expected "
	  "each once\n"
	  "f:3:41: switches[0].nodes: node \"n1\" stands under leaf \"b\" too, "
	  "expected one leaf or a rail on each\n"
	  "f:6:1: switches[3].name: is missing, expected a name or a range "
	  "such as \"spine[1-4]\"\n" },
	/* a name that stands twice: each is looked at, mix-ups are not */
	{ "{\"nodes\": [{\"names\": \"n[1-3],x\"}],\n"
	  SWITCHES("{\"name\": \"s\", \"tier\": \"leaf\", \"nodes\": "
		   "\"n1\", \"uplinks\": [{\"to\": \"s\"}]},\n"
		   "{\"name\": \"b\", \"tier\": \"leaf\", \"nodes\": "
		   "\"n[2-3]\", \"uplinks\": [{\"to\": \"s\"}]},\n"
		   "{\"name\": \"s\", \"tier\": \"spine\", \"uplinks\": "
		   "[{\"to\": \"no\"}, {\"to\": \"b\"}]},\n"
		   "{\"name\": \"b\", \"tier\": \"leaf\", \"nodes\": "
		   "\"n[1-2],n9\", \"uplinks\": [{\"to\": \"s\"}]},\n"
		   "{\"name\": \"t\", \"tier\": \"spine\"}"),
	  "f:1:22: nodes[0].names: node \"x\" stands under no compute leaf, "
	  "expected it in the nodes of a leaf\n"
	  "f:5:10: switches[2].name: switch \"s\" is declared twice, expected "
	  "each name once\n"
	  "f:5:51: switches[2].uplinks[0].to: no switch is called \"no\", "
	  "expected a declared switch\n"
	  "f:5:65: switches[2].uplinks[1].to: \"b\" does not stand above, "
	  "expected a switch of a higher tier than spine\n"
	  "f:6:10: switches[3].name: switch \"b\" is declared twice, expected "
	  "each name once\n"
	  "f:6:40: switches[3].nodes: no node is called \"n9\", expected a "
	  "declared node\n"
	  "f:6:40: switches[3].nodes: node \"n1\" stands under leaf \"s\" too, "
	  "expected one leaf or a rail on each\n"
	  "f:7:10: switches[4].name: warning: switch \"t\" has nothing below "
	  "it\n" },
	/* a rail that is no good */
	{ NODES SWITCHES("{\"name\": \"a\", \"tier\": \"leaf\", \"rail\": "
			 "\"x\", \"nodes\": \"n[1-2],n1,m\"},\n"
			 "{\"name\": \"b\", \"tier\": \"leaf\", \"rail\": 1, "
			 "\"nodes\": \"n[1-2]\"},\n"
			 "{\"name\": \"c\", \"tier\": \"leaf\", \"rail\": -1, "
			 "\"nodes\": \"n[1-2]\"}"),
	  "f:3:39: switches[0].rail: found a string, expected a whole number "
	  "0 to 1023\n"
	  "f:3:53: switches[0].nodes: no node is called \"m\", expected a "
	  "declared node\n"
	  "f:3:53: switches[0].nodes: node \"n1\" is listed twice, expected "
	  "each once\n"
	  "f:5:39: switches[2].rail: -1 is out of range, expected 0 to 1023\n"
	},
	/* too much of it */
	{ "{\"nodes\": [{\"names\": \"n[1-9]\"}],\n"
	  SWITCHES("{\"name\": \"l[1-1000000]\", \"tier\": \"leaf\", "
		   "\"nodes\": \"n[1-9]\", \"uplinks\": "
		   "[{\"to\": \"s[1-9]\"}]}"),
	  "f:3:51: switches[0].nodes: 1000000 switches times 9 names is too "
	  "much, expected at most 8388608\n"
	  "f:3:80: switches[0].uplinks[0].to: 1000000 switches times 9 names "
	  "is too much, expected at most 8388608\n" },
	{ "{\"nodes\": [{\"names\": \"n[1-1000000]\"},\n"
	  "{\"names\": \"m[1-100000]\"}], \"switches\": []}",
	  "f:2:1: nodes[1]: the fabric has more than leafspine handles, "
	  "expected fewer nodes, switches, cables, uplinks or sets of Spines\n"
	},
};

START_TEST(says_what_is_wrong)
{
	reading_says(fabric_read_json, faults[_i].text, faults[_i].said);
}
END_TEST

static const char many_faults[] =
	"{\"nodes\": [{\"names\": \"n[1-4]\", \"gpus\": -1}, 7, "
	"{\"names\": \"m[1-,k[\"}],\n"
	"\"switches\": [{\"name\": \"s[\", \"tier\": \"leaf\", "
	"\"nodes\": \"p[\"}, {\"name\": \"l1\", \"nodes\": \"n1\"}, "
	"{\"name\": \"l1\", \"tier\": \"leaf\", "
	"\"nodes\": \"n[1-9]\", \"uplinks\": [{\"to\": \"l1,s1,s1\"}]}]}";

START_TEST(survives_without_memory)
{
	reading_survives(fabric_read_json, pod, true);
	reading_survives(fabric_read_json, many_faults, false);
}
END_TEST

/* Control bytes of a name do not reach a terminal. */
START_TEST(fabric_name_is_printable)
{
	struct fabric *fabric = reading_good(fabric_read_json,
		"{\"fabric\": \"a\\u001b[1m\\n\xc3\xa4\", "
		"\"nodes\": [{\"names\": \"n1\"}], \"switches\": "
		"[{\"name\": \"l\", \"tier\": \"leaf\", \"nodes\": \"n1\"}]}");

	ck_assert_str_eq(fabric->name, "a?[1m?\xc3\xa4");
	fabric_free(fabric);
}
END_TEST

/* A hundred thousand faults: all counted, the first thousand told. */
START_TEST(very_many_faults_are_counted)
{
	size_t room = 8000000;
	char *text = malloc(room);
	struct diag diag;
	size_t length;

	length = (size_t)snprintf(text, room,
				  "{\"switches\": [], \"nodes\": [");
	for (int i = 0; i < 100000; i++)
		length += (size_t)snprintf(text + length, room - length,
			"%s\n{\"names\": \"n%d\", \"gpus\": -1}", i ? "," : "",
			i);
	length += (size_t)snprintf(text + length, room - length, "]}");
	diag_init(&diag, "f");
	ck_assert_ptr_null(fabric_read_json(text, length, &diag));
	/* Of each its GPUs and that it has no leaf. */
	ck_assert_uint_eq(diag.error_count, 200000);
	ck_assert_uint_eq(diag.entry_count, DIAG_KEPT_MAX);
	ck_assert_int_eq(diag.entries[0].line, 2);
	ck_assert_int_eq(diag.entries[999].line, 1001);
	ck_assert_str_eq(diag.entries[999].path, "nodes[999].gpus");
	diag_done(&diag);
	free(text);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("fabric_json");
	TCase *group = tcase_create("fabric_json");

	tcase_set_timeout(group, 120);
	tcase_add_test(group, reads_nodes);
	tcase_add_test(group, reads_switches);
	tcase_add_test(group, reads_rails);
	tcase_add_loop_test(group, says_what_is_wrong, 0, COUNT(faults));
	tcase_add_test(group, survives_without_memory);
	tcase_add_test(group, fabric_name_is_printable);
	tcase_add_test(group, very_many_faults_are_counted);
	suite_add_tcase(suite, group);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
