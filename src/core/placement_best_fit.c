/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placement_best_fit: leaf by leaf, the tightest that holds what remains, else
 * the roomiest. What Slurm's topology/tree comes near to on two tiers.
 */

#include <stdlib.h>

#include "placement_fill.h"

static int best_fit(struct placement_problem *problem)
{
	struct placement_fill fill = {
		.only_leafset = FABRIC_NONE, .only_kind = FABRIC_NONE,
		.unit = 1,
	};
	uint32_t *plan = calloc(2 * (size_t)problem->block_count,
				sizeof(*plan));
	int status = -1;

	if (plan) {
		uint32_t *nodes = plan + problem->block_count;

		status = placement_fill(problem, &fill, plan);
		if (status > 0)
			status = placement_settle(problem, plan, nodes);
		if (status > 0)
			status = placement_offer(problem, nodes);
	}
	free(plan);
	return status;
}

const struct placement_strategy placement_best_fit = {
	"best-fit", best_fit
};
