/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_placement: what placement_choose promises, on random small fabrics
 * against exhaustive search, on larger ones against the baselines. A failure
 * prints the seed: LEAFSPINE_SEED=... LEAFSPINE_CASES=1 runs that case alone.
 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "../unit/unit.h"
#include "exhaustive.h"
#include "game.h"
#include "placement_order.h"
#include "recount.h"

enum {
	TRIED_MOST = 100000,
	EXACT_BLOCKS = 8	/* the optimum is promised up to here */
};

static bool no_dearer(double cost, double limit)
{
	return cost <= limit + 1e-9 * fmax(1, fabs(limit));
}

/* The answer's cost once more, over all rank pairs. */
static double recounted(const struct table *table, const struct game *game,
			const struct placement *placement)
{
	uint32_t first[PLAN_NODES_MAX], k;
	struct cost_prices prices;
	struct recount recount;
	struct recount_input input = {
		.fabric = table->built.fabric, .profile = &game->profile,
		.prices = &prices, .nodes = placement->nodes,
		.gpus = placement->gpus, .first_gpu = first,
		.count = placement->count
	};

	for (k = 0; k < placement->count; k++)
		first[k] = table->built.state->gpus_used[placement->nodes[k]];
	recount_prices(table->built.state, &prices);
	recount_score(&input, &recount);
	recount_prices_done(&prices);
	return recount.cost;
}

/* Chooses, and checks all that holds for any answer. */
static enum placement_status choose(const struct table *table,
				    const struct game *game,
				    struct placement *ret)
{
	struct placement_error error = { "" };
	enum placement_status status;
	const char *broken;
	double cost;

	status = placement_choose(&table->request, ret, &error);
	say(game, status == PLACEMENT_OK || status == PLACEMENT_IMPOSSIBLE,
	    "status %d: %s", (int)status, error.text);
	if (status != PLACEMENT_OK) {
		say(game, error.text[0] != '\0', "no reason (%d)",
		    (int)status);
		return status;
	}
	broken = placement_check(&table->request, ret);
	say(game, !broken, "placement_check: %s", broken);
	cost = recounted(table, game, ret);
	say(game, fabs(cost - ret->score.cost) <= 1e-9 * fmax(1, cost),
	    "cost %.17g, the recount says %.17g", ret->score.cost, cost);
	return status;
}

static void check_baseline(const struct table *table, const struct game *game,
			   const struct placement *ours, const char *name)
{
	struct placement_error error = { "" };
	struct placement theirs;
	const char *broken;

	if (placement_baseline(&table->request, name, &theirs, &error) !=
	    PLACEMENT_OK)
		return;
	broken = placement_check(&table->request, &theirs);
	say(game, !broken, "%s: placement_check: %s", name, broken);
	say(game, no_dearer(ours->score.cost, theirs.score.cost),
	    "cost %.17g, %s has %.17g", ours->score.cost, name,
	    theirs.score.cost);
	placement_done(&theirs);
}

static void check_again(const struct table *table, const struct game *game,
			const struct placement *first)
{
	struct placement again;

	ck_assert_int_eq(choose(table, game, &again), PLACEMENT_OK);
	say(game, again.count == first->count &&
	    !memcmp(again.nodes, first->nodes,
		    first->count * sizeof(*first->nodes)),
	    "%s", "another answer the second time");
	placement_done(&again);
}

/* --- against all there are --- */

static bool against_all(struct game *game, bool promised)
{
	struct exhaustive_result best;
	enum exhaustive_status status;
	struct placement placement;
	struct table table;
	bool counts = false;

	table_init(&table, game, NULL);
	status = exhaustive_cost(&table.request, &game->profile, TRIED_MOST,
				 &best);
	if (status == EXHAUSTIVE_NONE) {
		ck_assert_int_eq(choose(&table, game, &placement),
				 PLACEMENT_IMPOSSIBLE);
	} else if (status == EXHAUSTIVE_DONE) {
		say(game, choose(&table, game, &placement) == PLACEMENT_OK,
		    "not placed, %llu ways", (unsigned long long)best.tried);
		counts = promised || best.classes <= GAME_SMALL_LEAVES;
		say(game, !counts ||
		    no_dearer(placement.score.cost, best.cost),
		    "cost %.17g by %s, the best of %llu is %.17g",
		    placement.score.cost, placement.strategy,
		    (unsigned long long)best.tried, best.cost);
		say(game, no_dearer(best.cost, placement.score.cost),
		    "cost %.17g is less than the least, %.17g",
		    placement.score.cost, best.cost);
		placement_done(&placement);
	}
	table_done(&table);
	return counts;
}

static bool play_small(struct game *game)
{
	game_small_plan(game);
	return game_draw_job(game, EXACT_BLOCKS) && against_all(game, false);
}

START_TEST(small_is_optimal)
{
	game_each(400, play_small);
}
END_TEST

/* Rails, domains, three tiers, skipped tiers, unconnected parts. */
static bool play_any_small(struct game *game)
{
	plan_random(&game->source, &game->plan);
	return game_draw_job(game, 5) && against_all(game, false);
}

START_TEST(small_on_any_fabric_is_optimal)
{
	game_each(400, play_any_small);
}
END_TEST

/* --- block 0 bound to a node, or to Slurm's order --- */

static bool play_first(struct game *game)
{
	game_small_plan(game);
	return game_draw_job(game, EXACT_BLOCKS) && game_bind_first(game) &&
	       against_all(game, false);
}

START_TEST(small_is_optimal_from_the_first)
{
	game_each(500, play_first);
}
END_TEST

static bool play_any_first(struct game *game)
{
	plan_random(&game->source, &game->plan);
	return game_draw_job(game, 5) && game_bind_first(game) &&
	       against_all(game, false);
}

START_TEST(small_on_any_fabric_is_optimal_from_the_first)
{
	game_each(500, play_any_first);
}
END_TEST

/* The cost of the same request with other wishes for order. */
static double cost_of(const struct table *table, const struct game *game,
		      bool keep_order, bool first_in_order)
{
	struct table other = *table;
	struct placement placement;
	double cost;

	other.request.keep_order = keep_order;
	other.request.first_in_order = first_in_order;
	if (choose(&other, game, &placement) != PLACEMENT_OK)
		return INFINITY;
	cost = placement.score.cost;
	placement_done(&placement);
	return cost;
}

/* Puts the node of lowest position first; the others keep their order. */
static void lowest_first(struct placement *placement, const uint32_t *positions)
{
	uint32_t lowest = 0, k, node, gpus;

	for (k = 1; k < placement->count; k++)
		if (positions[placement->nodes[k]] <
		    positions[placement->nodes[lowest]])
			lowest = k;
	node = placement->nodes[lowest];
	gpus = placement->gpus[lowest];
	for (k = lowest; k > 0; k--) {
		placement->nodes[k] = placement->nodes[k - 1];
		placement->gpus[k] = placement->gpus[k - 1];
	}
	placement->nodes[0] = node;
	placement->gpus[0] = gpus;
}

/* The nodes of free order, in the best order with the first of them first. */
static double cost_of_free_set(const struct table *table,
			       const struct game *game)
{
	const struct state *state = table->built.state;
	struct table other = *table;
	struct placement chosen, ordered;
	double cost;

	other.request.keep_order = other.request.first_in_order = false;
	if (choose(&other, game, &chosen) != PLACEMENT_OK)
		return INFINITY;
	lowest_first(&chosen, state->positions);
	ck_assert_int_eq(placement_order(&(struct placement_order_request){
		state, &chosen.profile, chosen.nodes, chosen.gpus,
		chosen.count, true }, &ordered), PLACEMENT_OK);
	cost = ordered.score.cost;
	placement_done(&chosen);
	placement_done(&ordered);
	return cost;
}

/* What binds less is never the dearer; free order only where it is exact. */
static bool between_orders(struct game *game, bool exact)
{
	struct table table;
	double kept, first, free_order, free_set;

	table_init(&table, game, NULL);
	kept = cost_of(&table, game, true, false);
	first = cost_of(&table, game, false, true);
	free_order = cost_of(&table, game, false, false);
	free_set = cost_of_free_set(&table, game);
	table_done(&table);
	say(game, no_dearer(first, kept), "from the first %.17g, in order "
	    "%.17g", first, kept);
	/* Of a loose job free order may have other sizes. */
	say(game, game->loose || no_dearer(first, free_set), "from the first "
	    "%.17g, the set of free order %.17g", first, free_set);
	say(game, !exact || no_dearer(free_order, first), "in any order %.17g, "
	    "from the first %.17g", free_order, first);
	return first < INFINITY;
}

static bool play_between_small(struct game *game)
{
	game_small_plan(game);
	return game_draw_job(game, EXACT_BLOCKS) && between_orders(game, true);
}

static bool play_between_large(struct game *game)
{
	game_large_plan(game);
	return game_draw_job(game, 40) && between_orders(game, false);
}

static bool play_between_loose(struct game *game)
{
	plan_random(&game->source, &game->plan);
	return game_draw_loose(game) && between_orders(game, false);
}

START_TEST(from_the_first_is_between_kept_and_free)
{
	game_each(300, play_between_small);
	game_each(200, play_between_large);
	game_each(200, play_between_loose);
}
END_TEST

/* A large job from a node, and sizes that differ. */
static bool play_first_large(struct game *game)
{
	struct placement placement;
	struct table table;
	bool placed;

	if (random_chance(&game->source, 50)) {
		game_large_plan(game);
		if (!game_draw_job(game, 40))
			return false;
	} else {
		plan_random(&game->source, &game->plan);
		if (!game_draw_loose(game))
			return false;
	}
	if (!game_bind_first(game))
		return false;
	table_init(&table, game, NULL);
	placed = choose(&table, game, &placement) == PLACEMENT_OK;
	if (placed) {
		check_baseline(&table, game, &placement, "first-fit");
		check_baseline(&table, game, &placement, "best-fit");
		check_again(&table, game, &placement);
		placement_done(&placement);
	}
	table_done(&table);
	return placed;
}

START_TEST(from_the_first_is_valid)
{
	game_each(400, play_first_large);
}
END_TEST

/* --- against the baselines --- */

static bool against_baselines(struct game *game)
{
	struct placement placement;
	struct table table;

	table_init(&table, game, NULL);
	if (choose(&table, game, &placement) != PLACEMENT_OK) {
		table_done(&table);
		return false;
	}
	check_baseline(&table, game, &placement, "first-fit");
	check_baseline(&table, game, &placement, "best-fit");
	check_again(&table, game, &placement);
	placement_done(&placement);
	table_done(&table);
	return true;
}

static bool play_large(struct game *game)
{
	game_large_plan(game);
	return game_draw_job(game, 40) && against_baselines(game);
}

START_TEST(never_worse_than_a_baseline)
{
	game_each(400, play_large);
}
END_TEST

static bool play_any_large(struct game *game)
{
	plan_random(&game->source, &game->plan);
	return game_draw_job(game, 40) && against_baselines(game);
}

START_TEST(never_worse_on_any_fabric)
{
	game_each(400, play_any_large);
}
END_TEST

/*
 * So many GPUs in all, on nodes of all sizes, some in use: blocks are uneven.
 * They are there, so that a placement must be found.
 */
static bool play_loose(struct game *game)
{
	plan_random(&game->source, &game->plan);
	if (!game_draw_loose(game))
		return false;
	say(game, against_baselines(game), "%s", "not placed");
	return true;
}

START_TEST(gpus_in_all_are_found)
{
	game_each(400, play_loose);
}
END_TEST

/* --- other names, same fabric --- */

static bool play_relabelled(struct game *game)
{
	struct placement plain, other;
	struct table table, again;

	game_small_plan(game);
	if (!game_draw_job(game, EXACT_BLOCKS))
		return false;
	table_init(&table, game, NULL);
	table_init(&again, game, &game->source);
	if (choose(&table, game, &plain) == PLACEMENT_OK) {
		ck_assert_int_eq(choose(&again, game, &other), PLACEMENT_OK);
		say(game, no_dearer(plain.score.cost, other.score.cost) &&
		    no_dearer(other.score.cost, plain.score.cost),
		    "cost %.17g, relabelled %.17g", plain.score.cost,
		    other.score.cost);
		placement_done(&plain);
		placement_done(&other);
	} else {
		ck_assert_int_eq(choose(&again, game, &other),
				 PLACEMENT_IMPOSSIBLE);
	}
	table_done(&table);
	table_done(&again);
	return true;
}

START_TEST(relabelling_changes_no_cost)
{
	game_each(300, play_relabelled);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("placement");
	TCase *tests = tcase_create("properties");

	tcase_set_timeout(tests, 600);
	tcase_add_test(tests, small_is_optimal);
	tcase_add_test(tests, small_on_any_fabric_is_optimal);
	tcase_add_test(tests, small_is_optimal_from_the_first);
	tcase_add_test(tests, small_on_any_fabric_is_optimal_from_the_first);
	tcase_add_test(tests, from_the_first_is_between_kept_and_free);
	tcase_add_test(tests, from_the_first_is_valid);
	tcase_add_test(tests, never_worse_than_a_baseline);
	tcase_add_test(tests, never_worse_on_any_fabric);
	tcase_add_test(tests, gpus_in_all_are_found);
	tcase_add_test(tests, relabelling_changes_no_cost);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
