/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placement_problem: one job on one connected fabric, as the strategies see it.
 *
 * Block k needs need[k] GPUs of one node; needs never grow with k, unless it is
 * given what each node gives. Nodes that no strategy need tell apart are one
 * class: of one kind, fitting the same blocks, all wanted or none. A candidate
 * is a class for each block ("a plan"); which node of the class it is follows
 * from the class's order, so that all modes search the same space: kept order
 * only adds that a plan must be met by nodes in ascending position, a bound
 * block 0 that all others stand behind its node, or that it has a class alone.
 */
#ifndef LEAFSPINE_PLACEMENT_PROBLEM_H
#define LEAFSPINE_PLACEMENT_PROBLEM_H

#include "placement.h"

/*
 * Which node block 0 may have. Where Slurm's order is kept the request's wishes
 * are met already: nodes before the first one are not eligible then.
 */
enum placement_lead {
	PLACEMENT_LEAD_ANY,
	PLACEMENT_LEAD_NODE,	/* the one of the class that leads */
	PLACEMENT_LEAD_LOWEST	/* of the nodes used, that of lowest position */
};

struct placement_class {
	uint32_t kind;
	uint32_t leafset;
	uint32_t spineset;
	uint32_t leaf;		/* any leaf of it: where all rails cost alike */
	uint32_t first_gpu;	/* matters only where rails differ in price */
	uint32_t nics;
	uint32_t fits_from;	/* the first block that its nodes can take */
	uint32_t gives;		/* not 0: they take just blocks of that size */
	bool wanted;		/* every node of it must be used */
	bool leads;		/* its node is the request's first node */
	uint32_t first_node;	/* class_nodes[first_node .. +node_count-1] */
	uint32_t node_count;
	uint32_t free_gpus;	/* of all its nodes */
};

/* Bytes between a block and another, one way. */
struct placement_arc {
	uint32_t other;
	uint16_t slot;		/* of the receiver; 0 where rails cost alike */
	bool outgoing;
	double bytes;
};

/* How good an answer is: smaller is better, the first difference decides. */
struct placement_merit {
	double cost;
	double bottleneck_seconds;
	uint64_t node_rest;	/* GPUs left over on the nodes used, */
	uint64_t domain_rest;	/* in the NVLink domains touched, */
	uint64_t leaf_rest;	/* under the leaves touched */
};

struct placement_problem {
	const struct placement_request *request;
	const struct state *state;
	const struct cost_prices *prices;
	struct job_profile profile;
	uint32_t component;
	uint32_t block_count;
	uint32_t *need;

	struct placement_class *classes;
	uint32_t class_count;
	uint32_t *class_nodes;	/* by class, in the order of use */
	uint32_t *class_of;	/* by node; FABRIC_NONE: not to be had */
	uint32_t wanted_count;
	enum placement_lead lead;

	struct traffic *traffic;
	struct placement_arc *arcs;	/* of block k: arcs[arc_start[k] .. */
	uint32_t *arc_start;		/*             .. arc_start[k+1]-1] */
	/*
	 * Groups whose flows depend on the leaves, or that are too large for
	 * arcs: their cost is worked out as a whole. NULL where there are none.
	 */
	struct traffic *whole_groups;
	uint32_t *stand_ins;	/* by block: a node of its class, */
	uint32_t *stand_in_gpus;	/* and that node's first GPU */
	bool *ret_failed;	/* set when they could not be costed */

	uint64_t *free_by_leafset;
	uint64_t *free_by_domain;

	/* The best answer so far. */
	bool solved;
	uint32_t *best_nodes;
	struct placement_merit best_merit;
	struct cost_score best_score;
	const char *best_strategy;
	const char *strategy;	/* the one that is running */
};

/* True where nodes of CLASS can take BLOCK. */
static inline bool placement_fits(const struct placement_problem *problem,
				  uint32_t class, uint32_t block)
{
	const struct placement_class *it = &problem->classes[class];

	return it->gives ? it->gives == problem->need[block] :
			   it->fits_from <= block;
}

/* What a strategy is: RUN offers answers; 0, or -1 without memory. */
struct placement_strategy {
	const char *name;
	int (*run)(struct placement_problem *problem);
};

extern const struct placement_strategy placement_first_fit;
extern const struct placement_strategy placement_best_fit;
extern const struct placement_strategy placement_pack;
extern const struct placement_strategy placement_exact;

/*
 * Makes the problem for NEED (taken over, freed by placement_problem_done even
 * after a failure). NODES are the nodes that may be used, COUNT of them. GIVES,
 * by node of the fabric, says how many GPUs a node has to give; NULL: as many
 * as are needed and free. 0, or -1 without memory.
 */
int placement_problem_init(struct placement_problem *problem,
			   const struct placement_request *request,
			   const struct cost_prices *prices,
			   const struct job_profile *profile, uint32_t *need,
			   uint32_t block_count, const uint32_t *nodes,
			   uint32_t count, const struct nodeset *wanted,
			   const uint32_t *gives);
void placement_problem_done(struct placement_problem *problem);

/*
 * With block 0 of class LEAD, how many nodes of each class a plan may use:
 * *ROOM, by class. False where no plan has block 0 there.
 */
bool placement_lead_rooms(const struct placement_problem *problem,
			  uint32_t lead, uint32_t *room);

/* Price of a byte between two classes; 0 where it crosses no Spine. */
double placement_price(const struct placement_problem *problem, uint32_t from,
		       uint32_t to, uint32_t slot);

/* Cost of the arcs of BLOCK if it were of CLASS, the others as in PLAN. */
double placement_block_cost(const struct placement_problem *problem,
			    const uint32_t *plan, uint32_t block,
			    uint32_t class);
double placement_plan_cost(const struct placement_problem *problem,
			   const uint32_t *plan);
/* The part of whole_groups alone; INFINITY without memory. */
double placement_groups_cost(const struct placement_problem *problem,
			     const uint32_t *plan);

/*
 * The nodes of a plan, in rank order. False when the plan cannot be met: too
 * few nodes of a class, a wanted node unused, block 0 not where it has to be,
 * or in kept order no ascending choice. SCRATCH has class_count entries.
 */
bool placement_plan_nodes(const struct placement_problem *problem,
			  const uint32_t *plan, uint32_t *nodes,
			  uint32_t *scratch);

/*
 * Offers an answer: NODES by block. Kept when it is better than what is there.
 * 0, or -1 without memory.
 */
int placement_offer(struct placement_problem *problem, const uint32_t *nodes);

/* placement_plan_nodes, then placement_offer if that went. */
int placement_offer_plan(struct placement_problem *problem,
			 const uint32_t *plan);

/*
 * Improves PLAN by moves and swaps until none helps or WORK is used up, in
 * units of one arc looked at.
 */
int placement_improve(const struct placement_problem *problem, uint32_t *plan,
		      int64_t *work);

/* What NODES leave unused, into the three rests of *RET. 0, or -1. */
int placement_weigh_rests(const struct placement_problem *problem,
			  const uint32_t *nodes, struct placement_merit *ret);

/* A node and its place in Slurm's node table, and qsort's order by that. */
struct placement_positioned {
	uint32_t position, node;
};

int placement_by_position(const void *a, const void *b);

/* True where A is better than B; NODES break a tie by their names. */
bool placement_better(const struct placement_merit *a, const uint32_t *a_nodes,
		      const struct placement_merit *b, const uint32_t *b_nodes,
		      uint32_t count);

#endif
