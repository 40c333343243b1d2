/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recount: a placement's bytes and cost, over all pairs of ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recount_internal.h"

void *recount_need(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory) {
		fprintf(stderr, "recount: out of memory\n");
		exit(99);
	}
	return memory;
}

/* Coordinate WANTED of RANK in the grid of SIZES, the order's first fastest. */
static uint32_t coordinate(const uint8_t *order, const uint32_t *sizes,
			   enum axis wanted, uint32_t rank)
{
	uint32_t stride = 1;
	int i;

	for (i = 0; i < AXES && order[i] != wanted; i++)
		stride *= sizes[order[i]];
	return rank / stride % sizes[wanted];
}

static void dense_sizes(const struct job_profile *profile, uint32_t *sizes)
{
	sizes[AXIS_TP] = profile->tp;
	sizes[AXIS_CP] = profile->cp;
	sizes[AXIS_EP] = 1;
	sizes[AXIS_DP] = profile->dp;
	sizes[AXIS_PP] = profile->pp;
}

static uint32_t edp_of(const struct job_profile *profile)
{
	return profile->tp * profile->cp * profile->dp /
	       (profile->etp * profile->ep);
}

static void expert_sizes(const struct job_profile *profile, uint32_t *sizes)
{
	sizes[AXIS_TP] = profile->etp;
	sizes[AXIS_CP] = 1;
	sizes[AXIS_EP] = profile->ep;
	sizes[AXIS_DP] = edp_of(profile);
	sizes[AXIS_PP] = profile->pp;
}

uint32_t recount_stage(const struct job_profile *profile, uint32_t rank)
{
	uint32_t sizes[AXES];

	dense_sizes(profile, sizes);
	return coordinate(profile->order, sizes, AXIS_PP, rank);
}

uint32_t recount_expert_stage(const struct job_profile *profile, uint32_t rank)
{
	uint32_t sizes[AXES];

	expert_sizes(profile, sizes);
	return coordinate(profile->order, sizes, AXIS_PP, rank);
}

static void set_coordinates(const struct job_profile *profile, uint32_t rank,
			    struct rank *ret)
{
	const uint8_t *order = profile->order;
	uint32_t sizes[AXES];

	dense_sizes(profile, sizes);
	ret->t = coordinate(order, sizes, AXIS_TP, rank);
	ret->c = coordinate(order, sizes, AXIS_CP, rank);
	ret->d = coordinate(order, sizes, AXIS_DP, rank);
	ret->p = coordinate(order, sizes, AXIS_PP, rank);
	if (profile->ep < 2)
		return;
	expert_sizes(profile, sizes);
	ret->x = coordinate(order, sizes, AXIS_TP, rank);
	ret->e = coordinate(order, sizes, AXIS_EP, rank);
	ret->y = coordinate(order, sizes, AXIS_DP, rank);
}

/* True where A and B are in one group of DIMENSION. */
static bool together(enum dimension dimension, const struct rank *a,
		     const struct rank *b)
{
	if (a->p != b->p)
		return false;
	switch (dimension) {
	case DIM_TP:
		return a->c == b->c && a->d == b->d;
	case DIM_CP:
		return a->t == b->t && a->d == b->d;
	case DIM_DP:
		return a->t == b->t;
	case DIM_EP:
		return a->x == b->x && a->y == b->y;
	case DIM_EDP:
		return a->x == b->x && a->e == b->e;
	default:
		return false;
	}
}

/* Gathers the group of RANK; false where RANK is not its first member. */
static bool gather(struct counting *c, enum dimension dimension, uint32_t rank)
{
	uint32_t other;

	c->size = 0;
	for (other = 0; other < c->world; other++) {
		if (!together(dimension, &c->ranks[rank], &c->ranks[other]))
			continue;
		c->group[c->size++] = other;
	}
	return c->group[0] == rank;
}

static void count_groups(struct counting *c, enum dimension dimension)
{
	double bytes = c->in->profile->bytes[dimension];
	uint32_t rank;

	for (rank = 0; rank < c->world; rank++) {
		if (!gather(c, dimension, rank) || c->size < 2)
			continue;
		if (dimension == DIM_EP)
			recount_all_to_all(c, dimension, bytes);
		else if (dimension == DIM_DP || dimension == DIM_EDP)
			recount_all_reduce(c, dimension, bytes);
		else
			recount_ring(c, dimension, bytes);
	}
}

static void count_stages(struct counting *c)
{
	const struct job_profile *profile = c->in->profile;
	uint32_t last = profile->pp - 1, v = profile->interleave, i, j;
	double bytes = profile->bytes[DIM_PP];
	const struct rank *a, *b;

	for (i = 0; i < c->world; i++)
		for (j = 0; j < c->world; j++) {
			a = &c->ranks[i];
			b = &c->ranks[j];
			if (a->t != b->t || a->c != b->c || a->d != b->d)
				continue;
			if (b->p == a->p + 1)
				recount_both_ways(c, DIM_PP, i, j, bytes);
			if (last > 0 && a->p == last && b->p == 0)
				recount_both_ways(c, DIM_PP, i, j,
					  bytes * (v - 1) / v);
		}
}

static void set_ranks(struct counting *c)
{
	const struct recount_input *in = c->in;
	uint32_t k, i, rank = 0;

	for (k = 0; k < in->count; k++)
		for (i = 0; i < in->gpus[k]; i++, rank++) {
			set_coordinates(in->profile, rank, &c->ranks[rank]);
			c->ranks[rank].node = in->nodes[k];
			c->ranks[rank].gpu = in->first_gpu[k] + i;
		}
}

static uint32_t count_leaves(struct counting *c)
{
	uint32_t *firsts = recount_need(c->world, sizeof(*firsts));
	uint32_t *class = recount_need(c->world, sizeof(*class));
	uint32_t nodes, i, count;

	for (i = 0; i < c->world; i++)
		c->group[i] = i;
	c->size = c->world;
	nodes = recount_first_members(c, firsts);
	count = recount_classes(c, firsts, nodes, -1, class);
	free(firsts);
	free(class);
	return count;
}

static void add_up(struct recount *out)
{
	int d;

	for (d = 0; d < DIMENSIONS; d++) {
		out->total_spine += out->spine[d];
		out->total_core += out->core[d];
		out->total_leaf += out->leaf[d];
		out->total_local += out->local[d];
	}
}

void recount_score(const struct recount_input *input, struct recount *ret)
{
	struct counting c = { .in = input, .out = ret };

	memset(ret, 0, sizeof(*ret));
	c.world = input->profile->tp * input->profile->cp * input->profile->dp *
		  input->profile->pp;
	c.ranks = recount_need(c.world, sizeof(*c.ranks));
	c.group = recount_need(c.world, sizeof(*c.group));
	set_ranks(&c);
	count_groups(&c, DIM_TP);
	count_groups(&c, DIM_CP);
	count_groups(&c, DIM_DP);
	count_stages(&c);
	if (input->profile->ep > 1) {
		count_groups(&c, DIM_EP);
		count_groups(&c, DIM_EDP);
	}
	add_up(ret);
	ret->leaves = count_leaves(&c);
	free(c.ranks);
	free(c.group);
}

bool recount_near_bytes_known(const struct job_profile *profile,
			      enum dimension dimension)
{
	return profile->allreduce == ALLREDUCE_RING ||
	       (dimension != DIM_DP && dimension != DIM_EDP);
}

double recount_sent(const struct job_profile *profile,
		    enum dimension dimension)
{
	double world = (double)profile->tp * profile->cp * profile->dp *
		       profile->pp;
	double all = world * profile->bytes[dimension];
	double v = profile->interleave, pp = profile->pp;

	switch (dimension) {
	case DIM_TP:
		return profile->tp > 1 ? all : 0;
	case DIM_CP:
		return profile->cp > 1 ? all : 0;
	case DIM_DP:
		return profile->dp * profile->cp > 1 ? all : 0;
	case DIM_PP:
		return pp > 1 ? all / pp * 2 * (pp - 1 + (v - 1) / v) : 0;
	case DIM_EP:
		return profile->ep > 1 ? all : 0;
	default:
		return profile->ep > 1 && edp_of(profile) > 1 ? all : 0;
	}
}
