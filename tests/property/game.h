/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * game: a random request for a placement on a random fabric, with all that it
 * points to.
 */
#ifndef LEAFSPINE_TEST_GAME_H
#define LEAFSPINE_TEST_GAME_H

#include <check.h>

#include "placement.h"
#include "random_fabric.h"

enum { GAME_SMALL_LEAVES = 4 };

/* A request on a plan, with all that it points to. */
struct game {
	uint64_t seed;
	struct random_source source;
	struct plan plan;
	struct random_hint hint;
	struct parallelism parsed;
	struct job_profile profile;
	uint32_t count;			/* nodes */
	uint32_t gpus_per_node;
	bool keep_order;
	bool first_in_order;
	bool has_first_node;
	uint32_t first_node;	/* by the plan's number */
	bool loose;	/* GPUs in all, on as many nodes as it takes */
	uint32_t weights[PLAN_NODES_MAX];	/* by the plan's numbers */
	bool down[PLAN_NODES_MAX];
	bool required[PLAN_NODES_MAX];
	bool excluded[PLAN_NODES_MAX];
	bool allowed[PLAN_NODES_MAX];
	bool has_required, has_excluded, has_allowed;
};

/* The game on one labelling of its plan. */
struct table {
	struct built built;
	struct nodeset required, excluded, allowed;
	struct placement_request request;
};

#define say(game, condition, format, ...)                                   \
	ck_assert_msg(condition, "LEAFSPINE_SEED=%llu %s, %u nodes of %u%s:" \
		      " " format, (unsigned long long)(game)->seed,          \
		      (game)->hint.text, (game)->count,                      \
		      (game)->gpus_per_node, game_order(game), __VA_ARGS__)

/* What the job says of the order of its ranks, for messages. */
const char *game_order(const struct game *game);

/* Up to GAME_SMALL_LEAVES leaves of up to 6 nodes, under one Spine. */
void game_small_plan(struct game *game);
/* Up to 8 leaves of up to 8 nodes. */
void game_large_plan(struct game *game);

/* The plan is there; all else follows. False where no job comes of it. */
bool game_draw_job(struct game *game, uint32_t most_nodes);
/* Likewise, a loose one that fits what is free in the plan's first part. */
bool game_draw_loose(struct game *game);

/*
 * The job's block 0 is bound, to a node or to Slurm's order, or both. False
 * where no node could have it.
 */
bool game_bind_first(struct game *game);

/* LABELS NULL: the plan's own names and order. */
void table_init(struct table *table, const struct game *game,
		struct random_source *labels);
void table_done(struct table *table);

/* Runs PLAY over the cases; enough of them must count. */
void game_each(uint32_t cases, bool (*play)(struct game *game));

#endif
