/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fabrics from one line, and the choice of reader by name. */
#include <unistd.h>

#include "reading.h"

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

static struct fabric *synth(const char *text, size_t length, struct diag *diag)
{
	(void)length;
	return fabric_read_synth(text, diag);
}

static const struct {
	const char *text;
	uint32_t nodes, switches, cables, uplinks, leafsets, components,
		domains;
} shapes[] = {
	{ "leaf:1 node:16", 16, 1, 16, 0, 1, 1, 16 },
	{ " leaf:2\tnode:1 ", 2, 2, 2, 0, 2, 2, 2 },
	{ "spine:4 leaf:8 node:16", 128, 12, 128, 32, 8, 1, 128 },
	{ "core:2 pod:2 spine:4 leaf:8 node:16", 256, 26, 256, 80, 16, 1,
	  256 },
	{ "pod:2 spine:4 leaf:8 node:16", 256, 24, 256, 64, 16, 2, 256 },
	{ "core:2 leaf:3 node:2", 6, 5, 6, 6, 3, 1, 6 },
	{ "fabric:2 spine:2 leaf:2 node:4", 16, 8, 16, 8, 4, 2, 16 },
	{ "fabric:2 core:1 pod:2 spine:2 leaf:2 node:4", 32, 18, 32, 24, 8, 2,
	  32 },
	{ "spine:2 leaf:2 node:4 rails=8", 8, 18, 64, 32, 2, 1, 8 },
	{ "spine:2 leaf:2 node:5 domain=2", 10, 4, 10, 4, 2, 1, 6 },
	{ "spine:2 leaf:2 node:4 domain=4", 8, 4, 8, 4, 2, 1, 2 },
};

START_TEST(has_the_shape)
{
	struct fabric *fabric = reading_good(synth, shapes[_i].text);

	ck_assert_uint_eq(fabric->node_count, shapes[_i].nodes);
	ck_assert_uint_eq(fabric->switch_count, shapes[_i].switches);
	ck_assert_uint_eq(fabric->cable_count, shapes[_i].cables);
	ck_assert_uint_eq(fabric->uplink_count, shapes[_i].uplinks);
	ck_assert_uint_eq(fabric->leafset_count, shapes[_i].leafsets);
	ck_assert_uint_eq(fabric->component_count, shapes[_i].components);
	ck_assert_uint_eq(fabric->domain_count, shapes[_i].domains);
	fabric_free(fabric);
}
END_TEST

START_TEST(has_the_names)
{
	static const char *const switches[] = {
		"leaf1", "leaf4", "spine1", "spine6", "core1", "core2",
	};
	struct fabric *fabric = reading_good(synth,
		"core:2 pod:2 spine:3 leaf:2 node:3");

	for (int i = 0; i < COUNT(switches); i++)
		ck_assert_uint_ne(fabric_find_switch(fabric, switches[i]),
				  FABRIC_NONE);
	ck_assert_str_eq(fabric->nodes[0].name, "n0001");
	ck_assert_str_eq(fabric->nodes[11].name, "n0012");
	fabric_free(fabric);
	fabric = reading_good(synth, "leaf:1 node:2 rails=2");
	ck_assert_str_eq(fabric->switches[0].name, "leaf1r0");
	ck_assert_str_eq(fabric->switches[1].name, "leaf1r1");
	ck_assert_uint_eq(fabric->nodes[0].nics, 2);
	ck_assert(fabric->has_rails);
	fabric_free(fabric);
	fabric = reading_good(synth, "leaf:1 node:10001");
	ck_assert_str_eq(fabric->nodes[9999].name, "n10000");
	fabric_free(fabric);
}
END_TEST

START_TEST(has_the_numbers)
{
	struct fabric *fabric = reading_good(synth,
		"core:2 pod:2 spine:3 leaf:2 node:3 gpus=4 nics=2 "
		"nic_gbps=200.5 gbps=100 links=5 core_gbps=50 core_links=7");
	const struct fabric_switch *leaf = &fabric->switches[0];
	const struct fabric_switch *spine =
		&fabric->switches[fabric_find_switch(fabric, "spine1")];

	ck_assert_uint_eq(fabric->nodes[0].gpus, 4);
	ck_assert_uint_eq(fabric->nodes[0].nics, 2);
	ck_assert_double_eq(leaf->down_gbps, 3 * 2 * 200.5);
	ck_assert_double_eq(leaf->up_gbps, 3 * 5 * 100);
	ck_assert_double_eq(spine->up_gbps, 2 * 7 * 50);
	fabric_free(fabric);
	fabric = reading_good(synth, "leaf:1 node:1 gpus=0");
	ck_assert_uint_eq(fabric->nodes[0].gpus, 0);
	ck_assert_uint_eq(fabric->nodes[0].nics, 1);
	fabric_free(fabric);
}
END_TEST

static const struct {
	const char *text;
	const char *said;
} faults[] = {
	{ "", "f:1:1: no leaf or no node is given, expected at least "
	  "\"leaf:N node:N\"\n" },
	{ "leaf:2", "f:1:1: no leaf or no node is given, expected at least "
	  "\"leaf:N node:N\"\n" },
	{ "leaf:2 node:0",
	  "f:1:8: \"node:0\" is out of range, expected 1 to 1048576\n" },
	{ "node:2 leaf:2", "f:1:8: \"leaf:2\" stands too late, expected each "
	  "tier once, from the top down\n" },
	{ "leaf:2 leaf:2 node:1", "f:1:8: \"leaf:2\" stands too late, expected "
	  "each tier once, from the top down\n" },
	{ "leaf:-1 node:1.5 gpus=x links= gbps=0",
	  "f:1:1: \"leaf:-1\" is out of range, expected 1 to 65536\n"
	  "f:1:9: \"node:1.5\" is out of range, expected 1 to 1048576\n"
	  "f:1:18: \"gpus=x\" is out of range, expected 0 to 1024\n"
	  "f:1:25: \"links=\" is out of range, expected 1 to 4096\n"
	  "f:1:32: \"gbps=0\" is out of range, expected 0.001 to 1000000\n" },
	{ "leaf:2 node:2 rail=3", "f:1:15: \"rail=3\" is unknown, expected "
	  "fabric:N core:N pod:N spine:N leaf:N node:N or one of gpus= nics= "
	  "nic_gbps= gbps= links= core_gbps= core_links= rails= domain=\n" },
	{ "leaf:2 node:2 gpus:3", "f:1:15: \"gpus:3\" is unknown, expected "
	  "fabric:N core:N pod:N spine:N leaf:N node:N or one of gpus= nics= "
	  "nic_gbps= gbps= links= core_gbps= core_links= rails= domain=\n" },
	{ "leaf:2 node:2 rails=4 nics=2",
	  "f:1:1: more rails than NICs, expected at most 2\n" },
	{ "leaf:65536 node:65536",
	  "f:1:1: the fabric is too large, expected at most 1048576 nodes\n" },
	{ "spine:65536 leaf:65536 node:1",
	  "f:1:1: the fabric is too large, expected at most 1048576 nodes\n" },
	{ "core:1 pod:40000 spine:1 leaf:1 node:1", "f:1:1: the fabric has "
	  "more than leafspine handles, expected fewer nodes, switches, "
	  "cables, uplinks or sets of Spines\n" },
};

START_TEST(says_what_is_wrong)
{
	reading_says(synth, faults[_i].text, faults[_i].said);
}
END_TEST

START_TEST(survives_without_memory)
{
	reading_survives(synth, "core:2 pod:2 spine:3 leaf:2 node:3 rails=2 "
			 "domain=2", true);
}
END_TEST

/* --- files --- */

static char folder[] = "/tmp/leafspine-test-XXXXXX";

static char *write_file(const char *name, const char *text)
{
	static char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
	return path;
}

static const char conf[] = "SwitchName=a Nodes=n[1-3]\n";
static const char json[] = "{\"nodes\": [{\"names\": \"n[1-3]\"}], "
	"\"switches\": [{\"name\": \"a\", \"tier\": \"leaf\", \"nodes\": "
	"\"n[1-3]\"}]}";

static const struct {
	const char *name;
	const char *text;	/* NULL: no such file */
	const char *said;	/* NULL: read */
} files[] = {
	{ "topology.conf", conf, NULL },
	{ "pod.json", json, NULL },
	{ "pod", json, NULL },
	{ "conf", json, NULL },
	{ "pod.conf.json", json, NULL },
	{ "pod.json.conf", json, "is no Key=Value" },
	{ "x.json", conf, ": this is no JSON" },
	{ "topology.yaml", "---\n", "no topology is declared, expected a "
	  "list of topologies" },
	{ "absent", NULL, "cannot be opened: No such file or directory" },
	{ ".", NULL, "cannot be read: Is a directory" },
};

static struct fabric *read_path(const char *path, char **ret_said)
{
	struct fabric *fabric;
	struct diag diag;

	diag_init(&diag, path);
	fabric = fabric_read_file(path, &diag);
	ck_assert(diag_ok(&diag) == (fabric != NULL));
	*ret_said = reading_lines(&diag);
	diag_done(&diag);
	return fabric;
}

START_TEST(reads_by_name)
{
	struct fabric *fabric;
	char path[128];
	char *said;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/%s", folder, files[_i].name);
	if (files[_i].text)
		write_file(files[_i].name, files[_i].text);
	fabric = read_path(path, &said);
	if (files[_i].text)
		unlink(path);
	rmdir(folder);
	memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
	if (files[_i].said) {
		ck_assert_ptr_null(fabric);
		ck_assert_msg(strstr(said, files[_i].said) != NULL, "%s", said);
	} else {
		ck_assert_msg(fabric != NULL, "%s", said);
		ck_assert_uint_eq(fabric->node_count, 3);
	}
	fabric_free(fabric);
	free(said);
}
END_TEST

START_TEST(reads_a_line_as_name)
{
	char *said;
	struct fabric *fabric = read_path("synth:leaf:2 node:3", &said);

	ck_assert_str_eq(said, "");
	ck_assert_uint_eq(fabric->node_count, 6);
	fabric_free(fabric);
	free(said);
}
END_TEST

START_TEST(files_without_memory)
{
	bool hit;
	long n = 0;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	write_file("topology.conf", conf);
	do {
		struct fabric *fabric;
		struct diag diag;
		char path[128];

		snprintf(path, sizeof(path), "%s/topology.conf", folder);
		fault_after(++n);
		diag_init(&diag, path);
		fabric = fabric_read_file(path, &diag);
		hit = fault_hit();
		fault_off();
		ck_assert(diag.no_memory == hit);
		ck_assert(diag_ok(&diag) == (fabric != NULL));
		fabric_free(fabric);
		diag_done(&diag);
	} while (hit);
	unlink(write_file("topology.conf", ""));
	rmdir(folder);
	memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("fabric_synth");
	TCase *group = tcase_create("fabric_synth");
	TCase *group_files = tcase_create("files");

	tcase_set_timeout(group, 120);
	tcase_add_loop_test(group, has_the_shape, 0, COUNT(shapes));
	tcase_add_test(group, has_the_names);
	tcase_add_test(group, has_the_numbers);
	tcase_add_loop_test(group, says_what_is_wrong, 0, COUNT(faults));
	tcase_add_test(group, survives_without_memory);
	suite_add_tcase(suite, group);
	tcase_add_loop_test(group_files, reads_by_name, 0, COUNT(files));
	tcase_add_test(group_files, reads_a_line_as_name);
	tcase_add_test(group_files, files_without_memory);
	suite_add_tcase(suite, group_files);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
