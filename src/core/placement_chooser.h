/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placement_chooser: the state of one call of placement_choose.
 */
#ifndef LEAFSPINE_PLACEMENT_CHOOSER_H
#define LEAFSPINE_PLACEMENT_CHOOSER_H

#include "placement_problem.h"
#include "placement_shape.h"

struct placement_chooser {
	const struct placement_request *request;
	const struct placement_strategy *only;	/* NULL: all */
	struct cost_prices prices;
	uint32_t *nodes;	/* eligible in the component at hand */
	uint32_t node_count;
	struct nodeset wanted;
	uint32_t weight;	/* of the last group admitted in it */
	struct placement best;
	struct placement_merit best_merit;
	uint32_t best_weight;
	bool solved;
	bool failed;		/* memory ran out while plans were costed */
	/* The nearest miss, for the message. */
	struct placement_lack lack;
	uint32_t components_tried;
	uint64_t free_everywhere;	/* nodes or GPUs, as the lack counts */
	struct placement_error *error;
};

/*
 * Solves one shape on the nodes at hand, a connected fabric's, and keeps the
 * answer if it is the best so far. _IMPOSSIBLE where no fabric has one yet.
 */
enum placement_status placement_solve(struct placement_chooser *chooser,
				      const struct placement_shape *shape);

/* Asked one after the other; each may better what those before found. */
extern const struct placement_strategy *const placement_strategies[];

/*
 * What placement_solve is made of. All return 0, or -1 without memory.
 *
 * A problem of the nodes at hand, to be given back by placement_problem_done
 * in any case; its answer is kept where it is the best so far.
 */
int placement_open_problem(struct placement_chooser *chooser,
			   const struct placement_request *request,
			   const struct placement_shape *shape,
			   struct placement_problem *ret);
int placement_run_strategies(struct placement_chooser *chooser,
			     struct placement_problem *problem);
void placement_keep_answer(struct placement_chooser *chooser,
			   struct placement_problem *problem);

/*
 * Blocks of several sizes where Slurm's order binds all nodes or the first: a
 * node takes the ranks that its place gives it, so the sizes have to follow the
 * nodes. Each strategy chooses its set in free order; sorted, another may be
 * the best.
 */
int placement_sort_free(struct placement_chooser *chooser,
			const struct placement_shape *shape);
/* What always goes where the shape fits: the nodes with most free GPUs. */
int placement_take_roomiest(struct placement_chooser *chooser,
			    const struct placement_shape *shape);
/* The set chosen in free order, as well ordered as its first node allows. */
int placement_order_free(struct placement_chooser *chooser,
			 const struct placement_shape *shape);

/* The strategy of that name, or NULL. */
const struct placement_strategy *placement_strategy(const char *name);

#endif
