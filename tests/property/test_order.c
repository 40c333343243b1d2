/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_order: what placement_order promises, on random nodes of random fabrics
 * against all orders of them. A failure prints the seed: LEAFSPINE_SEED=...
 * LEAFSPINE_CASES=1 runs that case alone.
 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "../unit/fault.h"
#include "../unit/unit.h"
#include "game.h"
#include "placement_order.h"
#include "scene.h"

enum { NODES_EXACT = 7, NODES_LARGE = 40 };

/* Nodes with what they give, and all orders of them. */
struct trial {
	struct placement_order_request request;
	struct cost_prices prices;
	uint32_t nodes[PLAN_NODES_MAX], gpus[PLAN_NODES_MAX];
	bool used[PLAN_NODES_MAX];
	double given, least;
	uint64_t orders;
};

#define claim(scene, condition, format, ...)                                  \
	ck_assert_msg(condition, "LEAFSPINE_SEED=%llu %s, %u nodes: " format, \
		      (unsigned long long)(scene)->seed, (scene)->hint.text,  \
		      (scene)->blocks.count, __VA_ARGS__)

static bool no_dearer(double cost, double limit)
{
	return cost <= limit + 1e-9 * fmax(1, fabs(limit));
}

static double cost_now(const struct trial *t)
{
	const struct state *state = t->request.state;
	struct traffic *traffic = traffic_build(t->request.profile, t->gpus,
						t->request.count,
						state->fabric->has_rails);
	struct cost_score score;

	ck_assert_ptr_nonnull(traffic);
	ck_assert_int_eq(cost_score(state, &t->prices, t->request.profile,
				    traffic, t->nodes, &score), 0);
	traffic_free(traffic);
	return score.cost;
}

static void try_orders(struct trial *t, uint32_t depth)
{
	uint32_t i;

	if (depth == t->request.count) {
		t->least = fmin(t->least, cost_now(t));
		t->orders++;
		return;
	}
	for (i = 0; i < t->request.count; i++) {
		if (t->used[i] || (!depth && i && t->request.keep_first))
			continue;
		t->used[i] = true;
		t->nodes[depth] = t->request.nodes[i];
		t->gpus[depth] = t->request.gpus[i];
		try_orders(t, depth + 1);
		t->used[i] = false;
	}
}

/* Orders of the sizes of what may move: n! over the factorials of the alike. */
static double size_orders(const struct trial *t)
{
	uint32_t first = t->request.keep_first, i, k, alike;
	double orders = 1;

	for (i = first; i < t->request.count; i++) {
		alike = 1;
		for (k = first; k < i; k++)
			alike += t->request.gpus[k] == t->request.gpus[i];
		orders *= (double)(i - first + 1) / alike;
	}
	return orders;
}

/* The answer has these nodes, each with its GPUs, and a true score. */
static void check_answer(const struct scene *scene, const struct trial *t,
			 const struct placement *answer)
{
	struct placement_request any = { .state = t->request.state };
	const char *broken = placement_check(&any, answer);
	uint32_t i, k;

	claim(scene, !broken, "placement_check: %s", broken);
	ck_assert_uint_eq(answer->count, t->request.count);
	for (i = 0; i < answer->count; i++) {
		for (k = 0; k < answer->count; k++)
			if (answer->nodes[k] == t->request.nodes[i])
				break;
		claim(scene, k < answer->count &&
		      answer->gpus[k] == t->request.gpus[i], "node %u is not "
		      "there as it was given", i);
	}
	claim(scene, !t->request.keep_first ||
	      answer->nodes[0] == t->request.nodes[0], "%s",
	      "the first node moved");
	claim(scene, no_dearer(answer->score.cost, t->given),
	      "cost %.17g, as it was %.17g", answer->score.cost, t->given);
}

static void check_again(const struct scene *scene, const struct trial *t,
			const struct placement *first)
{
	struct placement again;

	ck_assert_int_eq(placement_order(&t->request, &again), PLACEMENT_OK);
	claim(scene, !memcmp(again.nodes, first->nodes,
			     first->count * sizeof(*first->nodes)), "%s",
	      "another order the second time");
	placement_done(&again);
}

static void play(struct scene *scene, bool exact)
{
	uint32_t nodes[PLAN_NODES_MAX];
	struct trial t = { .least = INFINITY };
	struct placement answer;
	struct built built;

	plan_build(&scene->plan, NULL, &built);
	scene_nodes(scene, &built, nodes);
	t.request = (struct placement_order_request){
		built.state, &scene->profile, nodes, scene->blocks.gpus,
		scene->blocks.count, random_chance(&scene->source, 50)
	};
	ck_assert_int_eq(cost_prices_init(&t.prices, built.state), 0);
	memcpy(t.nodes, nodes, sizeof(nodes));
	memcpy(t.gpus, scene->blocks.gpus, sizeof(t.gpus));
	t.given = cost_now(&t);
	ck_assert_int_eq(placement_order(&t.request, &answer), PLACEMENT_OK);
	check_answer(scene, &t, &answer);
	check_again(scene, &t, &answer);
	if (exact && size_orders(&t) < PLACEMENT_ORDER_SIZES + 0.5) {
		try_orders(&t, 0);
		claim(scene, no_dearer(answer.score.cost, t.least),
		      "cost %.17g by %s, the best of %llu is %.17g",
		      answer.score.cost, answer.strategy,
		      (unsigned long long)t.orders, t.least);
		claim(scene, no_dearer(t.least, answer.score.cost),
		      "cost %.17g is less than the least, %.17g",
		      answer.score.cost, t.least);
	}
	placement_done(&answer);
	cost_prices_done(&t.prices);
	built_done(&built);
}

/* Rails, domains, three tiers, nodes of all sizes: blocks of several sizes. */
static void play_any(struct scene *scene)
{
	if (scene->blocks.count <= NODES_LARGE)
		play(scene, scene->blocks.count <= NODES_EXACT);
}

START_TEST(order_of_few_is_the_best)
{
	scene_each(1200, play_any);
}
END_TEST

/* Eight nodes under up to four leaves, in all 8 GPUs or 4. */
static bool draw_eight(struct scene *scene, uint64_t seed)
{
	uint32_t leaves[4], used = 0, k, gpus = 0;
	struct random_source *source = &scene->source;

	memset(scene, 0, sizeof(*scene));
	scene->seed = seed;
	random_seed(source, seed);
	for (k = 0; k < 4; k++)
		leaves[k] = 2 + random_below(source, 4);
	plan_two_tier(&scene->plan, 4, leaves, 8,
		      10 + random_below(source, 91));
	for (k = 0; k < scene->plan.node_count && used < 8; k++) {
		if (random_chance(source, 40) &&
		    scene->plan.node_count - k > 8 - used)
			continue;
		scene->blocks.nodes[used] = k;
		scene->blocks.gpus[used] = random_chance(source, 25) ? 4 : 8;
		gpus += scene->blocks.gpus[used++];
	}
	random_shuffle(source, scene->blocks.nodes, 8);
	scene->blocks.count = 8;
	random_hint_for(source, gpus, &scene->hint);
	return scene_fit_hint(scene);
}

START_TEST(order_of_eight_is_the_best)
{
	uint32_t cases = random_cases(24), i;
	uint64_t first = random_first_seed(1);
	static struct scene scene;

	for (i = 0; i < cases; i++)
		if (draw_eight(&scene, first + i))
			play(&scene, true);
}
END_TEST

/* --- what is refused, and memory --- */

START_TEST(nonsense_is_refused)
{
	static const uint32_t nodes[] = { 0, 1 }, twice[] = { 1, 1 };
	static const uint32_t far[] = { 0, 99 }, gpus[] = { 8, 8 };
	static const uint32_t none[] = { 16, 0 }, few[] = { 8, 7 };
	const uint32_t leaves[] = { 2, 2 };
	struct job_profile profile = { .gpus = 16, .tp = 8, .cp = 1, .pp = 1,
				       .dp = 2, .ep = 1, .etp = 8, .edp = 1,
				       .order = { AXIS_TP, AXIS_CP, AXIS_EP,
						  AXIS_DP, AXIS_PP } };
	struct placement answer = { .count = 77 };
	struct placement_order_request request;
	struct plan plan;
	struct built built;

	memset(&plan, 0, sizeof(plan));
	plan_two_tier(&plan, 2, leaves, 8, 100);
	plan_build(&plan, NULL, &built);
	request = (struct placement_order_request){
		built.state, &profile, nodes, gpus, 2, false
	};
#define REFUSED(field, value) do {                                            \
		struct placement_order_request wrong = request;               \
		wrong.field = (value);                                        \
		ck_assert_int_eq(placement_order(&wrong, &answer),            \
				 PLACEMENT_BAD);                              \
		ck_assert_uint_eq(answer.count, 77);                          \
	} while (0)
	REFUSED(nodes, twice);
	REFUSED(nodes, far);
	REFUSED(gpus, none);
	REFUSED(gpus, few);
	REFUSED(count, 0);
	ck_assert_int_eq(placement_order(&request, &answer), PLACEMENT_OK);
	ck_assert_uint_eq(answer.count, 2);
	placement_done(&answer);
	built_done(&built);
}
END_TEST

START_TEST(without_memory_there_is_no_order)
{
	static struct scene scene;
	uint32_t nodes[PLAN_NODES_MAX];
	struct placement_order_request request;
	struct built built;
	uint64_t seed = 1;
	long n;

	while (!draw_eight(&scene, seed) ||
	       scene.blocks.gpus[0] == scene.blocks.gpus[1])
		seed++;
	scene.blocks.count = 8;
	plan_build(&scene.plan, NULL, &built);
	scene_nodes(&scene, &built, nodes);
	request = (struct placement_order_request){
		built.state, &scene.profile, nodes, scene.blocks.gpus, 8, true
	};
	/* Every allocation of the first problem, then ever fewer. */
	for (n = 1; ; n += 1 + n / 64) {
		struct placement answer = { .count = 77 };
		enum placement_status status;
		bool hit;

		fault_after(n);
		status = placement_order(&request, &answer);
		hit = fault_hit();
		fault_off();
		if (status == PLACEMENT_OK)
			placement_done(&answer);
		if (!hit)
			break;
		ck_assert_int_eq(status, PLACEMENT_NO_MEMORY);
		ck_assert_uint_eq(answer.count, 77);
	}
	ck_assert_int_gt(n, 60);
	built_done(&built);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("order");
	TCase *tests = tcase_create("properties");

	tcase_set_timeout(tests, 600);
	tcase_add_test(tests, order_of_few_is_the_best);
	tcase_add_test(tests, order_of_eight_is_the_best);
	tcase_add_test(tests, nonsense_is_refused);
	tcase_add_test(tests, without_memory_there_is_no_order);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return unit_run(make_suite());
}
