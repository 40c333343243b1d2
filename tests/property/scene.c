/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene: draws the cases of the score's property tests, and scores them. */
#include <check.h>
#include <string.h>

#include "scene.h"

enum { GPUS_MOST = 48, GPUS_MOST_WIDE = 200 };

/* Both grids of an expert hint must put every rank on the same stage. */
static bool stages_agree(const struct random_hint *hint,
			 const struct parallelism *parsed)
{
	struct job_profile profile = { .tp = hint->tp, .cp = hint->cp,
				       .dp = hint->dp, .pp = hint->pp,
				       .ep = hint->ep, .etp = hint->etp };
	uint32_t rank;

	memcpy(profile.order, parsed->order, sizeof(profile.order));
	for (rank = 0; hint->ep > 1 && rank < hint->gpus; rank++)
		if (recount_stage(&profile, rank) !=
		    recount_expert_stage(&profile, rank))
			return false;
	return true;
}

/* The hint as a profile; false where it is refused, which must be right. */
bool scene_fit_hint(struct scene *scene)
{
	const struct random_hint *hint = &scene->hint;
	struct job_profile *profile = &scene->profile;
	struct parallelism_error error = { "" };
	struct parallelism parsed;
	int status;

	status = parallelism_parse(hint->text, strlen(hint->text), &parsed,
				   &error);
	ck_assert_msg(status == 0, "LEAFSPINE_SEED=%llu %s: %s",
		      (unsigned long long)scene->seed, hint->text,
		      error.text);
	status = parallelism_fit(&parsed, parallelism_site_default(),
				 hint->gpus, profile, &error);
	ck_assert_msg((status == 0) == stages_agree(hint, &parsed),
		      "LEAFSPINE_SEED=%llu %s: fit says %d %s",
		      (unsigned long long)scene->seed, hint->text, status,
		      error.text);
	if (status)
		return false;
	ck_assert_uint_eq(profile->gpus, hint->gpus);
	ck_assert_uint_eq(profile->tp, hint->tp);
	ck_assert_uint_eq(profile->cp, hint->cp);
	ck_assert_uint_eq(profile->dp, hint->dp);
	ck_assert_uint_eq(profile->pp, hint->pp);
	ck_assert_uint_eq(profile->ep, hint->ep);
	return true;
}

/* Draws the case of SEED; false where it makes no placement. */
static bool scene_draw(struct scene *scene, uint64_t seed)
{
	struct random_source *source = &scene->source;
	uint32_t part, most, wanted;

	memset(scene, 0, sizeof(*scene));
	scene->seed = seed;
	random_seed(source, seed);
	plan_random(source, &scene->plan);
	part = random_below(source, scene->plan.parts);
	most = plan_free_gpus(&scene->plan, part);
	if (most == 0)
		return false;
	wanted = random_chance(source, 10) ? GPUS_MOST_WIDE : GPUS_MOST;
	random_hint(source, most < wanted ? most : wanted, &scene->hint);
	return scene_fit_hint(scene) &&
	       random_blocks(source, &scene->plan, part, scene->hint.gpus,
			     &scene->blocks);
}

struct traffic *scene_traffic(const struct scene *scene, bool by_slot)
{
	struct traffic *traffic = traffic_build(&scene->profile,
						scene->blocks.gpus,
						scene->blocks.count, by_slot);
	const char *broken;

	ck_assert_ptr_nonnull(traffic);
	broken = traffic_check(traffic);
	ck_assert_msg(!broken, "LEAFSPINE_SEED=%llu %s: traffic_check: %s",
		      (unsigned long long)scene->seed, scene->hint.text,
		      broken);
	return traffic;
}

void scene_nodes(const struct scene *scene, const struct built *built,
		 uint32_t *ret_nodes)
{
	uint32_t k;

	for (k = 0; k < scene->blocks.count; k++)
		ret_nodes[k] = built->node[scene->blocks.nodes[k]];
}

void scene_score(const struct scene *scene, const struct built *built,
		 bool by_slot, struct cost_score *ret)
{
	struct traffic *traffic = scene_traffic(scene, by_slot);
	struct cost_prices prices;
	uint32_t nodes[PLAN_NODES_MAX];

	scene_nodes(scene, built, nodes);
	ck_assert_int_eq(cost_prices_init(&prices, built->state), 0);
	ck_assert_int_eq(cost_score(built->state, &prices, &scene->profile,
				    traffic, nodes, ret), 0);
	cost_prices_done(&prices);
	traffic_free(traffic);
}

void scene_recount(const struct scene *scene, const struct built *built,
		   struct recount *ret)
{
	struct cost_prices prices;
	uint32_t nodes[PLAN_NODES_MAX];
	struct recount_input input = {
		.fabric = built->fabric, .profile = &scene->profile,
		.prices = &prices, .nodes = nodes,
		.gpus = scene->blocks.gpus,
		.first_gpu = scene->blocks.first_gpu,
		.count = scene->blocks.count
	};

	scene_nodes(scene, built, nodes);
	recount_prices(built->state, &prices);
	recount_score(&input, ret);
	recount_prices_done(&prices);
}

/* Runs CHECK over the cases; enough of them must make a placement. */
void scene_each(uint32_t cases, void (*check)(struct scene *scene))
{
	uint64_t first = random_first_seed(1);
	uint32_t wanted = random_cases(cases), done = 0, i;
	static struct scene scene;

	for (i = 0; i < wanted; i++) {
		if (!scene_draw(&scene, first + i))
			continue;
		check(&scene);
		done++;
	}
	ck_assert_msg(wanted < 100 || done > wanted / 2,
		      "only %u of %u cases were placements", done, wanted);
}
