/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placement_first_fit: the first nodes that fit, in Slurm's order. */

#include "placement_problem.h"

#include <stdlib.h>
#include <string.h>

static void put_first(struct placement_positioned *sorted, uint32_t count,
		      uint32_t node)
{
	for (uint32_t i = count; i-- > 1;) {
		struct placement_positioned here = sorted[i];

		if (here.node != node)
			continue;
		memmove(sorted + 1, sorted, i * sizeof(*sorted));
		sorted[0] = here;
		return;
	}
}

static uint32_t gather_nodes(const struct placement_problem *problem,
			   struct placement_positioned *sorted)
{
	uint32_t count = 0;

	for (uint32_t c = 0; c < problem->class_count; c++) {
		const struct placement_class *class = &problem->classes[c];

		for (uint32_t i = 0; i < class->node_count; i++) {
			uint32_t node = problem->class_nodes[
				class->first_node + i];

			sorted[count++] = (struct placement_positioned){
				problem->state->positions[node], node
			};
		}
	}
	qsort(sorted, count, sizeof(*sorted), placement_by_position);
	if (problem->lead == PLACEMENT_LEAD_NODE)
		put_first(sorted, count, problem->request->first_node);
	return count;
}

/* Room is kept for the nodes that must be used. */
static bool choose(const struct placement_problem *problem,
		   const struct placement_positioned *sorted, uint32_t count,
		   uint32_t *nodes)
{
	uint32_t wanted = problem->wanted_count, chosen = 0;

	for (uint32_t i = 0; i < count && chosen < problem->block_count; i++) {
		const struct placement_class *class = &problem->classes[
			problem->class_of[sorted[i].node]];

		if (!placement_fits(problem, problem->class_of[sorted[i].node],
				    chosen) ||
		    (!class->wanted &&
		     chosen + wanted >= problem->block_count))
			continue;
		wanted -= class->wanted;
		nodes[chosen++] = sorted[i].node;
	}
	return chosen == problem->block_count && !wanted;
}

static int first_fit(struct placement_problem *problem)
{
	const struct fabric *fabric = problem->state->fabric;
	struct placement_positioned *sorted =
		calloc((size_t)fabric->node_count + 1, sizeof(*sorted));
	uint32_t *nodes = calloc(problem->block_count, sizeof(*nodes));
	int status = -1;

	if (sorted && nodes) {
		uint32_t count = gather_nodes(problem, sorted);

		status = 0;
		if (choose(problem, sorted, count, nodes))
			status = placement_offer(problem, nodes);
	}
	free(sorted);
	free(nodes);
	return status;
}

const struct placement_strategy placement_first_fit = {
	"first-fit", first_fit
};
