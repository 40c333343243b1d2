/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scene: a random placement of a random job on a random fabric, scored by the
 * engine and by the recount.
 */
#ifndef LEAFSPINE_TEST_SCENE_H
#define LEAFSPINE_TEST_SCENE_H

#include "random_fabric.h"
#include "recount.h"

/* One case: a plan, a hint and the blocks of a placement on that plan. */
struct scene {
	uint64_t seed;
	struct random_source source;
	struct plan plan;
	struct random_hint hint;
	struct job_profile profile;
	struct random_blocks blocks;
};

/*
 * The scene's hint as its profile; false where it is refused, which must be
 * right.
 */
bool scene_fit_hint(struct scene *scene);

/* Runs CHECK over the cases; enough of them must make a placement. */
void scene_each(uint32_t cases, void (*check)(struct scene *scene));

struct traffic *scene_traffic(const struct scene *scene, bool by_slot);

/* The fabric's index of each block's node. */
void scene_nodes(const struct scene *scene, const struct built *built,
		 uint32_t *ret_nodes);

void scene_score(const struct scene *scene, const struct built *built,
		 bool by_slot, struct cost_score *ret);
void scene_recount(const struct scene *scene, const struct built *built,
		   struct recount *ret);

#endif
