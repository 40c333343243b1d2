/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_score: the engine's score of random placements on random fabrics equals
 * the slow recount over all rank pairs, and keeps the laws that any score must
 * keep. A failure prints the seed: LEAFSPINE_SEED=... LEAFSPINE_CASES=1 runs
 * that case alone.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../unit/unit.h"
#include "scene.h"

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(1, fmax(fabs(a), fabs(b)));
}

#define same(scene, what, ours, theirs)                                     \
	ck_assert_msg(near(ours, theirs),                                    \
		      "LEAFSPINE_SEED=%llu %s: %s is %.17g, the recount "    \
		      "says %.17g", (unsigned long long)(scene)->seed,       \
		      (scene)->hint.text, what, ours, theirs)

static void compare_dimension(const struct scene *scene, int d,
			      const struct cost_bytes *ours,
			      const struct recount *theirs)
{
	char what[64];

#define compare(field)                                                      \
	do {                                                                 \
		snprintf(what, sizeof(what), "%s " #field,                   \
			 dimension_name(d));                                 \
		same(scene, what, ours->field, theirs->field[d]);            \
	} while (0)
	compare(spine);
	compare(core);
	if (!recount_near_bytes_known(&scene->profile, d))
		return;
	compare(leaf);
	compare(local);
#undef compare
	same(scene, "all that is sent",
	     ours->spine + ours->leaf + ours->local,
	     recount_sent(&scene->profile, d));
}

static void compare_scores(const struct scene *scene,
			   const struct cost_score *ours,
			   const struct recount *theirs)
{
	struct cost_bytes sum = { 0, 0, 0, 0 };
	int d;

	for (d = 0; d < DIMENSIONS; d++) {
		compare_dimension(scene, d, &ours->by_dimension[d], theirs);
		sum.spine += ours->by_dimension[d].spine;
		sum.core += ours->by_dimension[d].core;
		sum.leaf += ours->by_dimension[d].leaf;
		sum.local += ours->by_dimension[d].local;
	}
	same(scene, "sum of spine", ours->total.spine, sum.spine);
	same(scene, "sum of core", ours->total.core, sum.core);
	same(scene, "sum of leaf", ours->total.leaf, sum.leaf);
	same(scene, "sum of local", ours->total.local, sum.local);
	same(scene, "total spine", ours->total.spine, theirs->total_spine);
	same(scene, "total core", ours->total.core, theirs->total_core);
	same(scene, "cost", ours->cost, theirs->cost);
	same(scene, "leaves", (double)ours->leaves, (double)theirs->leaves);
}

static void check_recount(struct scene *scene)
{
	struct cost_score ours;
	struct recount theirs;
	struct built built;

	plan_build(&scene->plan, NULL, &built);
	scene_score(scene, &built, built.fabric->has_rails, &ours);
	scene_recount(scene, &built, &theirs);
	compare_scores(scene, &ours, &theirs);
	built_done(&built);
}

START_TEST(score_is_the_recount)
{
	scene_each(3000, check_recount);
}
END_TEST

static void check_prices(struct scene *scene)
{
	struct cost_prices ours, theirs;
	struct built built;
	uint32_t i;

	plan_build(&scene->plan, NULL, &built);
	ck_assert_int_eq(cost_prices_init(&ours, built.state), 0);
	recount_prices(built.state, &theirs);
	for (i = 0; i < built.fabric->switch_count; i++) {
		if (built.fabric->switches[i].tier != FABRIC_LEAF ||
		    built.fabric->switches[i].uplink_count == 0)
			continue;
		same(scene, "price up", ours.up[i], theirs.up[i]);
		same(scene, "price down", ours.down[i], theirs.down[i]);
		same(scene, "core up", ours.core_up[i], theirs.core_up[i]);
		same(scene, "core down", ours.core_down[i],
		     theirs.core_down[i]);
	}
	cost_prices_done(&ours);
	recount_prices_done(&theirs);
	built_done(&built);
}

START_TEST(prices_are_the_recount)
{
	scene_each(1000, check_prices);
}
END_TEST

static void check_levels(struct scene *scene)
{
	struct built built;
	uint32_t a, b;

	plan_build(&scene->plan, NULL, &built);
	for (a = 0; a < scene->plan.node_count; a++)
		for (b = 0; b < scene->plan.node_count; b++) {
			if (scene->plan.nodes[a].part !=
			    scene->plan.nodes[b].part)
				continue;
			ck_assert_msg(fabric_level(built.fabric, built.node[a],
						   built.node[b]) ==
				      recount_level(built.fabric,
						    built.node[a],
						    built.node[b]),
				      "LEAFSPINE_SEED=%llu: level of n%u n%u",
				      (unsigned long long)scene->seed, a + 1,
				      b + 1);
		}
	built_done(&built);
}

START_TEST(levels_are_the_recount)
{
	scene_each(500, check_levels);
}
END_TEST

static void check_relabelled(struct scene *scene)
{
	struct built plain, other;
	struct cost_score before, after;
	int d;

	plan_build(&scene->plan, NULL, &plain);
	plan_build(&scene->plan, &scene->source, &other);
	scene_score(scene, &plain, plain.fabric->has_rails, &before);
	scene_score(scene, &other, other.fabric->has_rails, &after);
	for (d = 0; d < DIMENSIONS; d++) {
		same(scene, "spine relabelled", after.by_dimension[d].spine,
		     before.by_dimension[d].spine);
		same(scene, "core relabelled", after.by_dimension[d].core,
		     before.by_dimension[d].core);
		same(scene, "leaf relabelled", after.by_dimension[d].leaf,
		     before.by_dimension[d].leaf);
		same(scene, "local relabelled", after.by_dimension[d].local,
		     before.by_dimension[d].local);
	}
	same(scene, "cost relabelled", after.cost, before.cost);
	same(scene, "bottleneck relabelled", after.bottleneck_seconds,
	     before.bottleneck_seconds);
	same(scene, "comm_seconds relabelled", after.comm_seconds,
	     before.comm_seconds);
	ck_assert_uint_eq(after.leaves, before.leaves);
	built_done(&plain);
	built_done(&other);
}

START_TEST(relabelling_changes_no_score)
{
	scene_each(1000, check_relabelled);
}
END_TEST

/* Keeping receivers apart by GPU is a matter of rails, never of bytes. */
static void check_slots(struct scene *scene)
{
	struct cost_score coarse, fine;
	struct built built;

	plan_build(&scene->plan, NULL, &built);
	if (!built.fabric->has_rails) {
		scene_score(scene, &built, false, &coarse);
		scene_score(scene, &built, true, &fine);
		same(scene, "cost by slot", fine.cost, coarse.cost);
		same(scene, "spine by slot", fine.total.spine,
		     coarse.total.spine);
		same(scene, "core by slot", fine.total.core,
		     coarse.total.core);
	}
	built_done(&built);
}

START_TEST(slots_change_no_score)
{
	scene_each(1000, check_slots);
}
END_TEST

/* Whole nodes are scored as whole, whatever the state says of them. */
static void check_taken(struct scene *scene)
{
	struct random_blocks *blocks = &scene->blocks;
	struct cost_score taken, unused;
	struct built built;
	uint32_t k, gpus = 0;

	for (k = 0; k < blocks->count; k++) {
		blocks->gpus[k] = scene->plan.nodes[blocks->nodes[k]].gpus;
		gpus += blocks->gpus[k];
	}
	random_hint_for(&scene->source, gpus, &scene->hint);
	if (!scene_fit_hint(scene))
		return;
	plan_build(&scene->plan, NULL, &built);
	scene_score(scene, &built, built.fabric->has_rails, &taken);
	memset(built.state->gpus_used, 0, built.fabric->node_count *
	       sizeof(*built.state->gpus_used));
	scene_score(scene, &built, built.fabric->has_rails, &unused);
	same(scene, "cost of taken nodes", taken.cost, unused.cost);
	same(scene, "spine of taken nodes", taken.total.spine,
	     unused.total.spine);
	built_done(&built);
}

START_TEST(taken_nodes_score_as_whole)
{
	scene_each(500, check_taken);
}
END_TEST

/*
 * What crosses the Spine leaves by one leaf's bundle and enters by another. The
 * step is so long that no NIC's line rate caps the load.
 */
static void check_load(struct scene *scene)
{
	double up = 0, down = 0, core = 0, bytes_per_gbps;
	struct cost_score score;
	struct built built;
	uint32_t nodes[PLAN_NODES_MAX], i;

	scene->profile.step = 1e6;
	bytes_per_gbps = 1e9 / 8 * scene->profile.step;
	plan_build(&scene->plan, NULL, &built);
	scene_score(scene, &built, built.fabric->has_rails, &score);
	scene_nodes(scene, &built, nodes);
	for (i = 0; i < built.fabric->switch_count; i++) {
		built.state->load_up_gbps[i] = 0;
		built.state->load_down_gbps[i] = 0;
	}
	ck_assert_int_eq(state_add_job(built.state, nodes, scene->blocks.gpus,
				       scene->blocks.count, &scene->profile),
			 0);
	for (i = 0; i < built.fabric->switch_count; i++) {
		if (built.fabric->switches[i].tier == FABRIC_LEAF) {
			up += built.state->load_up_gbps[i];
			down += built.state->load_down_gbps[i];
		} else {
			core += built.state->load_up_gbps[i];
		}
	}
	same(scene, "load up", up * bytes_per_gbps, score.total.spine);
	same(scene, "load down", down * bytes_per_gbps, score.total.spine);
	ck_assert_msg(core * bytes_per_gbps <=
		      score.total.core * (1 + 1e-9) + 1,
		      "LEAFSPINE_SEED=%llu %s: core load %g of %g",
		      (unsigned long long)scene->seed, scene->hint.text,
		      core * bytes_per_gbps, score.total.core);
	built_done(&built);
}

START_TEST(load_is_conserved)
{
	scene_each(1000, check_load);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("score");
	TCase *tests = tcase_create("properties");

	tcase_add_test(tests, levels_are_the_recount);
	tcase_add_test(tests, prices_are_the_recount);
	tcase_add_test(tests, score_is_the_recount);
	tcase_add_test(tests, relabelling_changes_no_score);
	tcase_add_test(tests, slots_change_no_score);
	tcase_add_test(tests, taken_nodes_score_as_whole);
	tcase_add_test(tests, load_is_conserved);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
