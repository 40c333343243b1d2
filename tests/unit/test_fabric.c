/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions to a fabric, its invariants, and the builder by itself. */
#include "fabric_builder.h"
#include "fabric_lost.h"
#include "reading.h"

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

static struct fabric *synth(const char *text, size_t length, struct diag *diag)
{
	(void)length;
	return fabric_read_synth(text, diag);
}

static uint32_t node(const struct fabric *fabric, const char *name)
{
	uint32_t found = fabric_find_node(fabric, name);

	ck_assert_msg(found != FABRIC_NONE, "no node %s", name);
	return found;
}

static int level(const struct fabric *fabric, const char *a, const char *b)
{
	int there = fabric_level(fabric, node(fabric, a), node(fabric, b));

	ck_assert_int_eq(fabric_level(fabric, node(fabric, b),
				      node(fabric, a)), there);
	return there;
}

/* Two pods under a core, one leaf straight under it, a second network. */
static const char mixed[] =
	"{\"nodes\": [{\"names\": \"a[1-4],b[1-2],c[1-2],d1,z1\"},"
	"  {\"names\": \"e[1-2]\", \"nvlink_domain\": \"r\"}],"
	" \"switches\": ["
	" {\"name\": \"la1\", \"tier\": \"leaf\", \"nodes\": \"a[1-2],e1\","
	"  \"uplinks\": [{\"to\": \"s1\"}]},"
	" {\"name\": \"la2\", \"tier\": \"leaf\", \"nodes\": \"a[3-4]\","
	"  \"uplinks\": [{\"to\": \"s1,s2\"}]},"
	" {\"name\": \"lb\", \"tier\": \"leaf\", \"nodes\": \"b[1-2],e2\","
	"  \"uplinks\": [{\"to\": \"s2\"}]},"
	" {\"name\": \"lc\", \"tier\": \"leaf\", \"nodes\": \"c[1-2]\","
	"  \"uplinks\": [{\"to\": \"core\"}]},"
	" {\"name\": \"ld\", \"tier\": \"leaf\", \"nodes\": \"d1\","
	"  \"uplinks\": [{\"to\": \"s1\", \"gbps\": 1600},"
	"                {\"to\": \"core\", \"gbps\": 1600}]},"
	" {\"name\": \"lz\", \"tier\": \"leaf\", \"nodes\": \"z1\"},"
	" {\"name\": \"s[1-2]\", \"tier\": \"spine\","
	"  \"uplinks\": [{\"to\": \"core\"}]},"
	" {\"name\": \"core\", \"tier\": \"core\"}]}";

START_TEST(levels_follow_the_cabling)
{
	struct fabric *fabric = reading_good(fabric_read_json, mixed);

	ck_assert_int_eq(level(fabric, "a1", "a1"), 0);
	ck_assert_int_eq(level(fabric, "e1", "e2"), 0);
	ck_assert_int_eq(level(fabric, "a1", "a2"), 1);
	ck_assert_int_eq(level(fabric, "a1", "e1"), 1);
	ck_assert_int_eq(level(fabric, "a1", "a3"), 2);
	ck_assert_int_eq(level(fabric, "a3", "b1"), 2);
	ck_assert_int_eq(level(fabric, "a1", "d1"), 2);
	/* No Spine in common. */
	ck_assert_int_eq(level(fabric, "a1", "b1"), 3);
	ck_assert_int_eq(level(fabric, "b1", "d1"), 3);
	/* A leaf cabled straight to the core. */
	ck_assert_int_eq(level(fabric, "a1", "c1"), 3);
	ck_assert_int_eq(level(fabric, "c1", "d1"), 3);
	ck_assert_int_eq(level(fabric, "c1", "c2"), 1);
	fabric_free(fabric);
}
END_TEST

START_TEST(components_are_the_connected_parts)
{
	struct fabric *fabric = reading_good(fabric_read_json, mixed);
	uint32_t main_part = fabric->nodes[node(fabric, "a1")].component;

	ck_assert_uint_eq(fabric->component_count, 2);
	ck_assert_uint_eq(main_part, 0);
	ck_assert_uint_eq(fabric->nodes[node(fabric, "c1")].component, 0);
	ck_assert_uint_eq(fabric->nodes[node(fabric, "z1")].component, 1);
	ck_assert_uint_eq(fabric->switches[fabric_find_switch(
				fabric, "lz")].component, 1);
	fabric_free(fabric);
}
END_TEST

START_TEST(names_are_found)
{
	struct fabric *fabric = reading_good(synth,
					     "spine:3 leaf:100 node:20");

	for (uint32_t i = 0; i < fabric->node_count; i++)
		ck_assert_uint_eq(fabric_find_node(fabric,
						   fabric->nodes[i].name), i);
	for (uint32_t i = 0; i < fabric->switch_count; i++)
		ck_assert_uint_eq(
			fabric_find_switch(fabric, fabric->switches[i].name),
			i);
	ck_assert_uint_eq(fabric_find_node(fabric, "n2001"), FABRIC_NONE);
	ck_assert_uint_eq(fabric_find_node(fabric, "leaf1"), FABRIC_NONE);
	ck_assert_uint_eq(fabric_find_node(fabric, ""), FABRIC_NONE);
	ck_assert_uint_eq(fabric_find_switch(fabric, "n0001"), FABRIC_NONE);
	fabric_free(fabric);
}
END_TEST

START_TEST(oversubscription_is_down_over_up)
{
	struct fabric *fabric = reading_good(fabric_read_json, mixed);

	ck_assert_double_eq(fabric_oversubscription(
		fabric, fabric_find_switch(fabric, "ld")), 1);
	ck_assert_double_eq(fabric_oversubscription(
		fabric, fabric_find_switch(fabric, "la1")), 24);
	ck_assert_double_eq(fabric_oversubscription(
		fabric, fabric_find_switch(fabric, "s1")), 6);
	ck_assert_double_eq(fabric_oversubscription(
		fabric, fabric_find_switch(fabric, "core")), 0);
	fabric_free(fabric);
}
END_TEST

/* n1 has rails 0, 2 and 5 of 8; n2 all NICs on one leaf. */
static const char some_rails[] =
	"{\"nodes\": [{\"names\": \"n[1-2]\"}], \"switches\": ["
	" {\"name\": \"r5\", \"tier\": \"leaf\", \"nodes\": \"n1\", "
	"  \"rail\": 5},"
	" {\"name\": \"r0\", \"tier\": \"leaf\", \"nodes\": \"n1\", "
	"  \"rail\": 0},"
	" {\"name\": \"all\", \"tier\": \"leaf\", \"nodes\": \"n2\"},"
	" {\"name\": \"r2\", \"tier\": \"leaf\", \"nodes\": \"n1\", "
	"  \"rail\": 2}]}";

START_TEST(rails_without_a_cable_wrap)
{
	static const int wanted[] = { 0, 2, 2, 0, 2, 5, 0, 2, 5, 0 };
	struct fabric *fabric = reading_good(fabric_read_json, some_rails);

	for (int rail = 0; rail < COUNT(wanted); rail++) {
		const struct fabric_cable *cable = fabric_cable_of_rail(
			fabric, node(fabric, "n1"), (uint32_t)rail);

		ck_assert_int_eq(cable->rail, wanted[rail]);
		cable = fabric_cable_of_rail(fabric, node(fabric, "n2"),
					     (uint32_t)rail);
		ck_assert_int_eq(cable->rail, FABRIC_ALL_RAILS);
		ck_assert_double_eq(cable->gbps, 3200);
	}
	fabric_free(fabric);
}
END_TEST

/* n1 under a and b, n2 under b and c, n3 under c alone, n4 under d. */
START_TEST(leafsets_touch_where_they_share)
{
	struct fabric *fabric = reading_warned(fabric_read_conf,
		"SwitchName=a Nodes=n1\nSwitchName=b Nodes=n1,n2\n"
		"SwitchName=c Nodes=n2,n3\nSwitchName=d Nodes=n4\n"
		"SwitchName=s1 Switches=a,b\nSwitchName=s2 Switches=c,d\n",
		"f:2:14: SwitchName=b Nodes: warning: node \"n1\" stands under "
		"a and b\n"
		"f:3:14: SwitchName=c Nodes: warning: node \"n2\" stands under "
		"b and c\n");
	static const bool touches[4][4] = {
		{ true, true, false, false }, { true, true, true, false },
		{ false, true, true, false }, { false, false, false, true },
	};
	static const bool meets[4][4] = {
		{ true, true, false, false }, { true, true, true, true },
		{ false, true, true, true }, { false, true, true, true },
	};

	ck_assert_uint_eq(fabric->leafset_count, 4);
	for (uint32_t a = 0; a < 4; a++) {
		ck_assert_uint_eq(fabric->nodes[a].leafset, a);
		ck_assert(fabric->leafsets[a].overlaps == (a < 3));
		for (uint32_t b = 0; b < 4; b++) {
			ck_assert(fabric_leafsets_touch(fabric, a, b) ==
				  touches[a][b]);
			ck_assert(fabric_leafsets_meet(fabric, a, b) ==
				  meets[a][b]);
		}
	}
	fabric_free(fabric);
}
END_TEST

/* More sets than a word has bits, each meeting its neighbours. */
START_TEST(many_spinesets_meet_their_neighbours)
{
	char *text = malloc(100000);
	struct fabric *fabric;
	size_t length = 0;

	for (int i = 0; i < 200; i++)
		length += (size_t)snprintf(text + length, 100000 - length,
			"SwitchName=l%d Nodes=n%03d\n"
			"SwitchName=s%d Switches=l%d\n", i, i, i, i);
	for (int i = 0; i < 199; i++)
		length += (size_t)snprintf(text + length, 100000 - length,
			"SwitchName=t%d Switches=l%d,l%d\n", i, i, i + 1);
	fabric = reading_good(fabric_read_conf, text);
	ck_assert_uint_eq(fabric->spineset_count, 200);
	for (uint32_t a = 0; a < 200; a++)
		for (uint32_t b = 0; b < 200; b++)
			ck_assert(fabric_leafsets_meet(fabric, a, b) ==
				  (a <= b + 1 && b <= a + 1));
	fabric_free(fabric);
	free(text);
}
END_TEST

START_TEST(tiers_have_names)
{
	ck_assert_str_eq(fabric_tier_name(FABRIC_LEAF), "leaf");
	ck_assert_str_eq(fabric_tier_name(FABRIC_SPINE), "spine");
	ck_assert_str_eq(fabric_tier_name(FABRIC_CORE), "core");
	ck_assert_str_eq(fabric_tier_name((enum fabric_tier)7), "?");
}
END_TEST

/* --- the checker finds what is broken --- */

static void break_order(struct fabric *fabric)
{
	char *name = fabric->nodes[0].name;

	fabric->nodes[0].name = fabric->nodes[1].name;
	fabric->nodes[1].name = name;
}

static void break_table(struct fabric *fabric)
{
	memset(fabric->switch_table, 0xff,
	       fabric->switch_table_size * sizeof(uint32_t));
}

static void break_leaf(struct fabric *fabric)
{
	fabric->cables[3].leaf = fabric_find_switch(fabric, "spine1");
}

static void break_rate(struct fabric *fabric)
{
	fabric->cables[3].gbps += 1;
}

static void break_rail(struct fabric *fabric)
{
	fabric->cables[3].rail = 1;
}

static void break_down(struct fabric *fabric)
{
	fabric->switches[0].down_gbps *= 2;
}

static void break_up(struct fabric *fabric)
{
	fabric->switches[0].up_gbps /= 2;
}

static void break_climb(struct fabric *fabric)
{
	fabric->uplinks[0].to = 1;
}

static void break_component(struct fabric *fabric)
{
	fabric->component_count = 2;
	fabric->nodes[5].component = 1;
}

static void break_leafset(struct fabric *fabric)
{
	fabric->nodes[0].leafset = fabric->nodes[5].leafset;
}

static void break_spineset(struct fabric *fabric)
{
	fabric->spinesets[0].spine_count--;
}

static void break_meeting(struct fabric *fabric)
{
	fabric->spineset_meets[0] = 0;
}

static void break_domain(struct fabric *fabric)
{
	fabric->domain_sizes[0]++;
}

static void break_count(struct fabric *fabric)
{
	fabric->switches[0].node_count--;
}

static void (*const breakers[])(struct fabric *) = {
	break_order, break_table, break_leaf, break_rate, break_rail,
	break_down, break_up, break_climb, break_component, break_leafset,
	break_spineset, break_meeting, break_domain, break_count,
};

START_TEST(the_checker_finds_it)
{
	struct fabric *fabric = reading_good(synth,
					     "spine:2 leaf:3 node:2");

	breakers[_i](fabric);
	ck_assert_ptr_nonnull(fabric_check(fabric));
	fabric_free(fabric);
}
END_TEST

/* --- the builder by itself --- */

static size_t builder_faults;

static void count_fault(void *context, uint32_t origin,
			enum fabric_field field, enum diag_severity severity,
			const char *text)
{
	(void)context;
	(void)origin;
	(void)field;
	(void)severity;
	(void)text;
	builder_faults++;
}

static struct fabric_builder *new_builder(bool unrailed_overlap)
{
	struct fabric_builder_options options = {
		.fault = count_fault, .unrailed_overlap = unrailed_overlap,
	};
	struct fabric_builder *builder = fabric_builder_new(&options);

	ck_assert_ptr_nonnull(builder);
	builder_faults = 0;
	return builder;
}

static const struct fabric_node_attributes plain = {
	.gpus = 8, .nics = 8, .nic_gbps = 400,
};

/* Two leaves over one node; names are used before they are declared. */
static struct fabric *finish_overlap(bool allowed)
{
	struct fabric_builder *builder = new_builder(allowed);
	struct fabric *fabric;
	bool no_memory = false;
	int failed = 0;

	failed |= fabric_builder_uplink(builder, "a", "s", 400, 1, 4);
	failed |= fabric_builder_cable(builder, "b", "n1", -1, 1);
	failed |= fabric_builder_cable(builder, "a", "n1", -1, 2);
	failed |= fabric_builder_switch(builder, "a", FABRIC_LEAF, true, 2);
	failed |= fabric_builder_switch(builder, "b", FABRIC_LEAF, true, 1);
	failed |= fabric_builder_switch(builder, "s", FABRIC_SPINE, true, 3);
	failed |= fabric_builder_node(builder, "n1", &plain, 0);
	ck_assert_int_eq(failed, 0);
	fabric = fabric_builder_finish(builder, &no_memory);
	ck_assert(!no_memory);
	fabric_builder_free(builder);
	return fabric;
}

START_TEST(overlap_is_an_option)
{
	struct fabric *fabric = finish_overlap(true);

	/* A warning. */
	ck_assert_uint_eq(builder_faults, 1);
	ck_assert_pstr_eq(fabric_check(fabric), NULL);
	ck_assert_uint_eq(fabric->leafsets[0].leaf_count, 2);
	fabric_free(fabric);
	ck_assert_ptr_null(finish_overlap(false));
	ck_assert_uint_eq(builder_faults, 1);
}
END_TEST

/* A name may be that of a node, of a switch and of a domain at once. */
START_TEST(names_do_not_clash_between_kinds)
{
	struct fabric *fabric = reading_good(fabric_read_json,
		"{\"nodes\": [{\"names\": \"x,y\", \"nvlink_domain\": \"x\"}],"
		" \"switches\": [{\"name\": \"x\", \"tier\": \"leaf\", "
		"\"nodes\": \"x,y\"}]}");

	ck_assert_uint_eq(fabric_find_node(fabric, "x"), 0);
	ck_assert_uint_eq(fabric_find_switch(fabric, "x"), 0);
	ck_assert_uint_eq(fabric->domain_count, 1);
	fabric_free(fabric);
}
END_TEST

/* --- names that could not be read --- */

static const struct {
	const char *expression;
	const char *may;	/* names that it may stand for, */
	const char *not;	/* and names that it does not */
} losses[] = {
	{ NULL, "n1 x 7", "" },
	{ "", "n1 x 7", "" },
	{ " ,\t", "n1 x 7", "" },
	{ "gpu[1-64", "gpu1 gpux gpu", "gp1 login1 cpu1 GPU1 7" },
	{ "gpu[1-64]]", "gpu1", "login1 7" },
	{ "rack-1[1-", "rack1 rack-1", "rac k" },
	{ "a[1-3,5,b[7-", "a1 b1", "c1 5" },
	{ "a[3-1],b7 c", "a b1 c9", "d 3" },
	{ "[1-4]", "n1 7", "" },
	{ "a1,?", "n1 7", "" },
	{ "1[2-", "7 0x", "a x1" },
};

/* Counts of the WORDS those that LOST may hold. */
static int count_held(const struct fabric_lost_names *lost, const char *words,
		      int *ret_words)
{
	char *copy = strdup(words);
	char *rest = NULL;
	int held = 0;

	*ret_words = 0;
	for (char *word = strtok_r(copy, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest)) {
		held += fabric_lost_has(lost, word);
		(*ret_words)++;
	}
	free(copy);
	return held;
}

START_TEST(lost_names_are_known_by_their_letters)
{
	struct fabric_lost_names lost = { 0 };
	int words;

	ck_assert(!fabric_lost_has(&lost, "n1"));
	ck_assert_int_eq(fabric_lost_add(&lost, losses[_i].expression), 0);
	ck_assert_int_eq(count_held(&lost, losses[_i].may, &words), words);
	ck_assert_int_eq(count_held(&lost, losses[_i].not, &words), 0);
	fabric_lost_done(&lost);
}
END_TEST

/* Past some number of beginnings it may have been anything. */
START_TEST(very_many_lost_names_are_all_names)
{
	struct fabric_lost_names lost = { 0 };
	char text[] = "xaa[";

	for (int i = 0; i < 26 * 26; i++) {
		ck_assert_int_eq(fabric_lost_has(&lost, "n1"), i > 64);
		text[1] = (char)('a' + i / 26);
		text[2] = (char)('a' + i % 26);
		ck_assert_int_eq(fabric_lost_add(&lost, text), 0);
		ck_assert_int_eq(fabric_lost_add(&lost, text), 0);
	}
	fabric_lost_done(&lost);
}
END_TEST

/* An unfinished builder can be freed, and nothing can be. */
START_TEST(freeing_is_always_allowed)
{
	struct fabric_builder *builder = new_builder(false);

	ck_assert_int_eq(fabric_builder_name(builder, "a"), 0);
	ck_assert_int_eq(fabric_builder_name(builder, "b"), 0);
	ck_assert_int_eq(fabric_builder_node(builder, "n", &plain, 0), 0);
	fabric_builder_free(builder);
	fabric_builder_free(NULL);
	fabric_free(NULL);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("fabric");
	TCase *group = tcase_create("questions");
	TCase *checker = tcase_create("checker");
	TCase *builder = tcase_create("builder");

	tcase_add_test(group, levels_follow_the_cabling);
	tcase_add_test(group, components_are_the_connected_parts);
	tcase_add_test(group, names_are_found);
	tcase_add_test(group, oversubscription_is_down_over_up);
	tcase_add_test(group, rails_without_a_cable_wrap);
	tcase_add_test(group, leafsets_touch_where_they_share);
	tcase_add_test(group, many_spinesets_meet_their_neighbours);
	tcase_add_test(group, tiers_have_names);
	suite_add_tcase(suite, group);
	tcase_add_loop_test(checker, the_checker_finds_it, 0, COUNT(breakers));
	suite_add_tcase(suite, checker);
	tcase_add_test(builder, overlap_is_an_option);
	tcase_add_test(builder, names_do_not_clash_between_kinds);
	tcase_add_test(builder, freeing_is_always_allowed);
	tcase_add_loop_test(builder, lost_names_are_known_by_their_letters, 0,
			    COUNT(losses));
	tcase_add_test(builder, very_many_lost_names_are_all_names);
	suite_add_tcase(suite, builder);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
