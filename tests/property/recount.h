/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recount: the score of a placement counted again, slowly, over rank pairs.
 *
 * Written from the published formats alone (traffic model and cost), without a
 * look at the engine: every rank gets its coordinates, every group is found by
 * comparing coordinates of all ranks, every level by walking cables and
 * uplinks. It is the judge of cost_score in the property tests, so it shares
 * no helper with the engine and is allowed to be quadratic.
 */
#ifndef LEAFSPINE_TEST_RECOUNT_H
#define LEAFSPINE_TEST_RECOUNT_H

#include "cost.h"

struct recount {
	double spine[DIMENSIONS];
	double core[DIMENSIONS];
	double leaf[DIMENSIONS];
	double local[DIMENSIONS];
	double total_spine;
	double total_core;
	double total_leaf;
	double total_local;
	double cost;
	uint32_t leaves;
};

/* What is recounted: block k takes GPUS[k] ranks on NODES[k]. */
struct recount_input {
	const struct fabric *fabric;
	const struct job_profile *profile;
	const struct cost_prices *prices;	/* by switch index */
	const uint32_t *nodes;
	const uint32_t *gpus;
	const uint32_t *first_gpu;	/* lowest GPU index it takes */
	uint32_t count;
};

void recount_score(const struct recount_input *input, struct recount *ret);

/* All prices again, from cables, uplinks and what the state leaves of them. */
void recount_prices(const struct state *state, struct cost_prices *ret);
void recount_prices_done(struct cost_prices *prices);

/* True where leaf and local bytes of the dimension are a contract. */
bool recount_near_bytes_known(const struct job_profile *profile,
			      enum dimension dimension);

/* All bytes that the ranks send to other ranks, by formula; not for dp and edp
 * under another algorithm than ring. */
double recount_sent(const struct job_profile *profile,
		    enum dimension dimension);

/* The stage of RANK in the dense grid, and in the expert grid. */
uint32_t recount_stage(const struct job_profile *profile, uint32_t rank);
uint32_t recount_expert_stage(const struct job_profile *profile,
			      uint32_t rank);

int recount_level(const struct fabric *fabric, uint32_t a, uint32_t b);

#endif
