/* SPDX-License-Identifier: GPL-2.0-or-later */
/* random_job: draws hints and the blocks of placements. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "random_fabric.h"

static uint32_t pick_degree(struct random_source *source, uint32_t most)
{
	static const uint32_t degrees[] = { 1, 1, 1, 2, 2, 2, 3, 4, 4, 5, 6,
					    8 };
	uint32_t degree = degrees[random_below(source, 12)];

	return degree <= most ? degree : 1;
}

static uint32_t pick_divisor(struct random_source *source, uint32_t number)
{
	uint32_t divisors[64], count = 0, i;

	for (i = 1; i <= number && count < 64; i++)
		if (number % i == 0)
			divisors[count++] = i;
	return divisors[random_below(source, count)];
}

static void put(char *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void put(char *text, const char *format, ...)
{
	size_t length = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + length, RANDOM_HINT_MAX - length, format, arguments);
	va_end(arguments);
}

static void put_order(struct random_source *source, char *text)
{
	static const char *const names[] = { "tp", "cp", "ep", "dp", "pp" };
	uint32_t order[] = { 0, 1, 2, 3, 4 };

	if (random_chance(source, 40))
		return;
	/* Half the orders keep pp slowest, where the two grids agree. */
	random_shuffle(source, order, random_chance(source, 50) ? 4 : 5);
	put(text, ",order=%s-%s-%s-%s-%s", names[order[0]], names[order[1]],
	    names[order[2]], names[order[3]], names[order[4]]);
}

static void put_bytes(struct random_source *source, char *text,
		      const char *name)
{
	if (random_chance(source, 15))
		return;
	put(text, ",%s_bytes=%u", name,
	    random_chance(source, 10) ? 0 : random_below(source, 2000000000));
}

static void put_traffic(struct random_source *source, char *text, bool experts)
{
	static const char *const algorithms[] = { "ring", "tree",
						  "hierarchical", "sharp" };

	put(text, ",dp_bytes=%u", 1 + random_below(source, 2000000000));
	put_bytes(source, text, "tp");
	put_bytes(source, text, "cp");
	put_bytes(source, text, "pp");
	if (experts) {
		put_bytes(source, text, "ep");
		put_bytes(source, text, "edp");
	}
	if (random_chance(source, 70))
		put(text, ",allreduce=%s",
		    algorithms[random_below(source, 4)]);
	if (random_chance(source, 40))
		put(text, ",interleave=%u", 1 + random_below(source, 4));
}

/* Experts, order and bytes for the degrees that are set. */
static void finish_hint(struct random_source *source, struct random_hint *hint)
{
	uint32_t inner = hint->tp * hint->cp * hint->dp;

	hint->gpus = inner * hint->pp;
	hint->etp = random_chance(source, 30) ? pick_divisor(source, inner) :
						1;
	hint->ep = random_chance(source, 60) ?
		   pick_divisor(source, inner / hint->etp) : 1;
	put(hint->text, "tp=%u,cp=%u,pp=%u,dp=%u,ep=%u,etp=%u", hint->tp,
	    hint->cp, hint->pp, hint->dp, hint->ep, hint->etp);
	put_order(source, hint->text);
	put_traffic(source, hint->text, hint->ep > 1);
}

void random_hint(struct random_source *source, uint32_t most,
		 struct random_hint *ret)
{
	uint32_t room = most;

	memset(ret, 0, sizeof(*ret));
	ret->tp = pick_degree(source, room);
	room /= ret->tp;
	ret->pp = pick_degree(source, room);
	room /= ret->pp;
	ret->cp = random_chance(source, 40) ? pick_degree(source, room) : 1;
	room /= ret->cp;
	ret->dp = random_chance(source, 50) && room ? room :
		  pick_degree(source, room);
	finish_hint(source, ret);
}

void random_hint_for(struct random_source *source, uint32_t gpus,
		     struct random_hint *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->tp = random_chance(source, 70) ? pick_divisor(source, gpus) : 1;
	gpus /= ret->tp;
	ret->pp = random_chance(source, 70) ? pick_divisor(source, gpus) : 1;
	gpus /= ret->pp;
	ret->cp = random_chance(source, 20) ? pick_divisor(source, gpus) : 1;
	ret->dp = gpus / ret->cp;
	finish_hint(source, ret);
}

uint32_t plan_free_gpus(const struct plan *plan, uint32_t part)
{
	uint32_t i, sum = 0;

	for (i = 0; i < plan->node_count; i++)
		if (plan->nodes[i].part == part)
			sum += plan->nodes[i].gpus - plan->nodes[i].used;
	return sum;
}

/* In one case of three the nodes are filled, else they give what they like. */
bool random_blocks(struct random_source *source, const struct plan *plan,
		   uint32_t part, uint32_t gpus, struct random_blocks *ret)
{
	uint32_t order[PLAN_NODES_MAX], i, free_gpus, taken;
	bool full = random_chance(source, 33);

	for (i = 0; i < plan->node_count; i++)
		order[i] = i;
	random_shuffle(source, order, plan->node_count);
	ret->count = 0;
	for (i = 0; i < plan->node_count && gpus > 0; i++) {
		const struct plan_node *node = &plan->nodes[order[i]];

		free_gpus = node->gpus - node->used;
		if (node->part != part || free_gpus == 0)
			continue;
		taken = full ? free_gpus : 1 + random_below(source, free_gpus);
		if (taken > gpus)
			taken = gpus;
		ret->nodes[ret->count] = order[i];
		ret->gpus[ret->count] = taken;
		ret->first_gpu[ret->count++] = node->used;
		gpus -= taken;
	}
	return gpus == 0;
}
