/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placement: which nodes a job gets, in rank order (formats.md section 6).
 *
 * placement_choose turns a request into problems (one for each fabric that is
 * not connected to the others), asks the strategies for candidates and keeps
 * the best by cost, bottleneck, what stays whole for others, and names.
 */
#ifndef LEAFSPINE_PLACEMENT_H
#define LEAFSPINE_PLACEMENT_H

#include "cost.h"

struct placement_request {
	const struct state *state;
	const struct parallelism *hint;
	const struct parallelism *site;	/* defaults for bytes and step */
	uint32_t gpus;			/* of the job; 0: by hint and nodes */
	uint32_t gpus_per_node;		/* 0: as the nodes have them */
	uint32_t min_nodes;		/* 0: no bound; both equal: fixed */
	uint32_t max_nodes;
	const struct nodeset *required;	/* NULL: none */
	const struct nodeset *excluded;	/* NULL: none */
	const struct nodeset *allowed;	/* NULL: all */
	uint32_t max_leaves;		/* as cost_score counts; 0: no bound */
	bool keep_order;		/* ranks follow Slurm's node table */
	bool first_in_order;		/* block 0 on the first of the nodes */
					/* chosen, by Slurm's node table */
	bool has_first_node;		/* block 0 on FIRST_NODE, which must */
	uint32_t first_node;		/* be used as if it were required */
};

struct placement {
	uint32_t count;
	uint32_t *nodes;	/* owned, in rank order */
	uint32_t *gpus;		/* owned: GPUs that each node gives */
	struct job_profile profile;
	struct cost_score score;
	const char *strategy;	/* static: the name of the one that won */
};

enum placement_status {
	PLACEMENT_OK = 0,
	PLACEMENT_IMPOSSIBLE = 1,	/* does not fit what is free */
	PLACEMENT_BAD = 2,		/* the request or the hint is wrong */
	PLACEMENT_NO_MEMORY = 3
};

struct placement_error {
	char text[400];		/* one printable line */
};

enum placement_status placement_choose(const struct placement_request *request,
				       struct placement *ret,
				       struct placement_error *error);
void placement_done(struct placement *placement);

/*
 * The answer of one strategy alone, for comparison: "first-fit" (the first
 * nodes that fit, in Slurm's order) or "best-fit" (leaf by leaf, the tightest
 * that holds what remains, else the fullest).
 */
enum placement_status placement_baseline(
	const struct placement_request *request, const char *strategy,
	struct placement *ret, struct placement_error *error);

/*
 * NULL, or a static text that names what is wrong with an answer: a node
 * twice, not free, not allowed, two fabrics, wrong order, a score that is not
 * a recount. For tests.
 */
const char *placement_check(const struct placement_request *request,
			    const struct placement *placement);

#endif
