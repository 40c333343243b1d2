/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names: sets of nodes and switches as hostlist expressions.
 *
 * Each returns a text that the caller frees, NULL without memory.
 */
#ifndef LEAFSPINE_NAMES_H
#define LEAFSPINE_NAMES_H

#include "core/fabric.h"

/* COUNT nodes in the order given. */
char *names_of_nodes(const struct fabric *fabric, const uint32_t *nodes,
		     uint32_t count);

/* The leaves of a leafset: one leaf, or the rail leaves of a unit. */
char *names_of_leafset(const struct fabric *fabric, uint32_t leafset);

#endif
