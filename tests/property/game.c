/* SPDX-License-Identifier: GPL-2.0-or-later */
/* game: draws requests and sets them up on a labelling of their plan. */
#include <string.h>

#include "game.h"

/* --- drawing --- */

void game_small_plan(struct game *game)
{
	struct random_source *source = &game->source;
	uint32_t nodes[GAME_SMALL_LEAVES], leaves, i, gpus;

	leaves = 1 + random_below(source, GAME_SMALL_LEAVES);
	for (i = 0; i < leaves; i++)
		nodes[i] = 1 + random_below(source, 6);
	gpus = 1 + random_below(source, 4);
	plan_two_tier(&game->plan, leaves, nodes, gpus,
		      random_chance(source, 50) ? 100 :
		      10 + random_below(source, 90));
	for (i = 0; i < leaves && random_chance(source, 50); i++) {
		game->plan.switches[i].health = random_below(source, 101);
		game->plan.switches[i].up = random_below(source, 90);
		game->plan.switches[i].down = random_below(source, 90);
	}
}

void game_large_plan(struct game *game)
{
	uint32_t nodes[8], leaves, i;

	leaves = 3 + random_below(&game->source, 6);
	for (i = 0; i < leaves; i++)
		nodes[i] = 1 + random_below(&game->source, 8);
	plan_two_tier(&game->plan, leaves, nodes,
		      1 + random_below(&game->source, 4),
		      10 + random_below(&game->source, 91));
}

static uint32_t usable_nodes(const struct game *game)
{
	uint32_t i, count = 0;

	for (i = 0; i < game->plan.node_count; i++)
		count += game->plan.nodes[i].part == 0 && !game->down[i] &&
			 game->plan.nodes[i].gpus >=
			 game->plan.nodes[i].used + game->gpus_per_node;
	return count;
}

/* Nodes in use, whole or in part, or down. */
static void draw_use(struct game *game)
{
	uint32_t percent = random_below(&game->source, 60), i;
	struct plan_node *node;

	for (i = 0; i < game->plan.node_count; i++) {
		node = &game->plan.nodes[i];
		node->used = 0;
		if (random_chance(&game->source, percent))
			node->used = random_chance(&game->source, 50) ?
				     node->gpus :
				     random_below(&game->source,
						  node->gpus + 1);
		game->down[i] = random_chance(&game->source, 5);
	}
}

static void draw_limits(struct game *game)
{
	struct random_source *source = &game->source;
	uint32_t i, groups = random_chance(source, 30) ? 3 : 1;

	game->has_excluded = random_chance(source, 15);
	game->has_allowed = random_chance(source, 15);
	for (i = 0; i < game->plan.node_count; i++) {
		game->weights[i] = 1 + 10 * random_below(source, groups);
		game->excluded[i] = random_chance(source, 15);
		game->allowed[i] = random_chance(source, 85);
	}
}

static bool usable(const struct game *game, uint32_t i)
{
	const struct plan_node *node = &game->plan.nodes[i];

	return node->part == 0 && !game->down[i] &&
	       node->gpus >= node->used + game->gpus_per_node &&
	       !(game->has_excluded && game->excluded[i]) &&
	       !(game->has_allowed && !game->allowed[i]);
}

/* Required are nodes that can be had, so that the request stays possible. */
static void draw_required(struct game *game)
{
	uint32_t wanted, i;

	game->has_required = random_chance(&game->source, 20);
	if (!game->has_required)
		return;
	wanted = 1 + random_below(&game->source, game->count);
	for (i = 0; i < game->plan.node_count && wanted; i++) {
		if (!usable(game, i) || !random_chance(&game->source, 40))
			continue;
		game->required[i] = true;
		wanted--;
	}
}

static bool fit(struct game *game)
{
	struct parallelism_error error;

	ck_assert_int_eq(parallelism_parse(game->hint.text,
					   strlen(game->hint.text),
					   &game->parsed, &error), 0);
	return parallelism_fit(&game->parsed, parallelism_site_default(),
			       game->hint.gpus, &game->profile, &error) == 0;
}

bool game_draw_job(struct game *game, uint32_t most_nodes)
{
	uint32_t room;

	draw_use(game);
	game->gpus_per_node = 1 + random_below(&game->source, 4);
	room = usable_nodes(game);
	if (room == 0)
		return false;
	game->count = 1 + random_below(&game->source,
				       room < most_nodes ? room : most_nodes);
	draw_limits(game);
	draw_required(game);
	game->keep_order = random_chance(&game->source, 40);
	random_hint_for(&game->source, game->count * game->gpus_per_node,
			&game->hint);
	return fit(game);
}

bool game_bind_first(struct game *game)
{
	uint32_t candidates[PLAN_NODES_MAX], count = 0, required = 0, i;

	for (i = 0; i < game->plan.node_count; i++)
		required += game->required[i];
	/* Where all are required by name, one of them has to be it. */
	for (i = 0; i < game->plan.node_count; i++)
		if (usable(game, i) &&
		    (game->loose || required < game->count ||
		     game->required[i]))
			candidates[count++] = i;
	if (count == 0)
		return false;
	game->has_first_node = random_chance(&game->source, 50);
	game->first_in_order = !game->has_first_node ||
			       random_chance(&game->source, 20);
	game->first_node = candidates[random_below(&game->source, count)];
	game->keep_order = random_chance(&game->source, 10);
	return true;
}

const char *game_order(const struct game *game)
{
	if (game->keep_order)
		return game->has_first_node ? " in order from a node" :
					      " in order";
	if (game->has_first_node)
		return game->first_in_order ? " from a node, the first of all" :
					      " from a node";
	return game->first_in_order ? " from the first" : "";
}

static uint32_t usable_gpus(const struct game *game)
{
	uint32_t i, sum = 0;

	for (i = 0; i < game->plan.node_count; i++)
		if (usable(game, i))
			sum += game->plan.nodes[i].gpus -
			       game->plan.nodes[i].used;
	return sum;
}

bool game_draw_loose(struct game *game)
{
	uint32_t room;

	game->loose = true;
	draw_use(game);
	draw_limits(game);
	game->gpus_per_node = 1;	/* what makes a node usable */
	room = usable_gpus(game);
	game->gpus_per_node = 0;
	if (room == 0)
		return false;
	game->keep_order = random_chance(&game->source, 40);
	random_hint_for(&game->source, 1 + random_below(&game->source, room),
			&game->hint);
	return fit(game);
}

/* --- on a fabric --- */

static void init_set(struct nodeset *set, const struct built *built,
		     const bool *members, const struct plan *plan)
{
	uint32_t i;

	ck_assert_int_eq(nodeset_init(set, built->fabric->node_count), 0);
	for (i = 0; i < plan->node_count; i++)
		if (members[i])
			nodeset_add(set, built->node[i]);
}

void table_init(struct table *table, const struct game *game,
		struct random_source *labels)
{
	struct built *built = &table->built;
	uint32_t i;

	plan_build(&game->plan, labels, built);
	for (i = 0; i < game->plan.node_count; i++) {
		built->state->weights[built->node[i]] = game->weights[i];
		/* Slurm's table need not be in the order of names. */
		built->state->positions[built->node[i]] =
			(i * 7 + 3) % game->plan.node_count;
		if (game->plan.node_count % 7 == 0)
			built->state->positions[built->node[i]] = i;
		if (game->down[i])
			nodeset_add(&built->state->down, built->node[i]);
	}
	init_set(&table->required, built, game->required, &game->plan);
	init_set(&table->excluded, built, game->excluded, &game->plan);
	init_set(&table->allowed, built, game->allowed, &game->plan);
	table->request = (struct placement_request){
		.state = built->state, .hint = &game->parsed,
		.site = parallelism_site_default(), .gpus = game->hint.gpus,
		.gpus_per_node = game->gpus_per_node,
		.min_nodes = game->count, .max_nodes = game->count,
		.required = game->has_required ? &table->required : NULL,
		.excluded = game->has_excluded ? &table->excluded : NULL,
		.allowed = game->has_allowed ? &table->allowed : NULL,
		.keep_order = game->keep_order,
		.first_in_order = game->first_in_order,
		.has_first_node = game->has_first_node,
		.first_node = built->node[game->first_node]
	};
}

void table_done(struct table *table)
{
	nodeset_done(&table->required);
	nodeset_done(&table->excluded);
	nodeset_done(&table->allowed);
	built_done(&table->built);
}

void game_each(uint32_t cases, bool (*play)(struct game *game))
{
	uint64_t first = random_first_seed(1);
	uint32_t wanted = random_cases(cases), done = 0, i;
	static struct game game;

	for (i = 0; i < wanted; i++) {
		memset(&game, 0, sizeof(game));
		game.seed = first + i;
		random_seed(&game.source, game.seed);
		done += play(&game);
	}
	ck_assert_msg(wanted < 100 || done > wanted / 4,
		      "only %u of %u cases counted", done, wanted);
}
