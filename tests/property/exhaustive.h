/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exhaustive: the cheapest placement there is, by trying them all.
 *
 * Every block takes the same number of GPUs. Nodes that no flow can tell apart
 * (cabled alike, alike in use, in no shared NVLink domain) are tried once.
 */
#ifndef LEAFSPINE_TEST_EXHAUSTIVE_H
#define LEAFSPINE_TEST_EXHAUSTIVE_H

#include "placement.h"

enum exhaustive_status {
	EXHAUSTIVE_DONE,
	EXHAUSTIVE_NONE,	/* nothing fits */
	EXHAUSTIVE_TOO_MANY	/* more than MOST candidates */
};

struct exhaustive_result {
	double cost;
	uint64_t tried;
	uint32_t classes;	/* most classes of alike nodes in one part */
};

/*
 * The lowest cost of REQUEST, which must have a fixed count of nodes, GPUs a
 * node and a hint that fits; PROFILE is what the hint means for them.
 */
enum exhaustive_status exhaustive_cost(const struct placement_request *request,
				       const struct job_profile *profile,
				       uint64_t most,
				       struct exhaustive_result *ret);

#endif
