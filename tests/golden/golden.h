/* SPDX-License-Identifier: GPL-2.0-or-later */
/* golden: what the golden tests share: jobs on synthetic fabrics. */
#ifndef LEAFSPINE_TEST_GOLDEN_H
#define LEAFSPINE_TEST_GOLDEN_H

#include <jansson.h>

#include "cost.h"

/* HINT for GPUS GPUs; a hint that does not fit fails the test. */
void golden_profile(const char *hint, uint32_t gpus, struct job_profile *ret);

/* The fabric of a one-line form; one that cannot be read fails the test. */
struct fabric *golden_fabric(const char *synthetic);

/* The score of HINT on COUNT nodes of FABRIC that give all their GPUs. */
void golden_score(const struct fabric *fabric, const char *hint,
		  const uint32_t *nodes, uint32_t count,
		  struct cost_score *ret);

enum { GOLDEN_MEMBERS_MAX = 64, GOLDEN_LEAVES_MAX = 8 };

/*
 * Nodes for members spread over leaves of WIDTH nodes each, MEMBERS[l] on leaf
 * l: leaf by leaf, or in turn round the leaves that have some left. Returns how
 * many.
 */
uint32_t golden_spread(const uint32_t *members, uint32_t leaves,
		       uint32_t width, bool in_turn, uint32_t *ret_nodes);

/*
 * A data file that is not part of this tree, below $LEAFSPINE_SHARED or beside
 * the source tree. NULL where it is absent.
 */
json_t *golden_shared(const char *name);

#endif
