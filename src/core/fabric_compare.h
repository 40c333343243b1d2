/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fabric_compare: does Slurm's tree of switches say what a fabric says?
 *
 * Compared are the nodes that both know: first which of them share a leaf, then
 * which leaves share a parent. Names of switches need not be the same, nor
 * does their order. A fabric with rails counts nodes under the same rail leaves
 * as under one leaf.
 */
#ifndef LEAFSPINE_FABRIC_COMPARE_H
#define LEAFSPINE_FABRIC_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#include "fabric.h"

/* A switch of Slurm's, with all nodes below it; borrowed by the call. */
struct fabric_compare_switch {
	const char *name;
	uint32_t level;		/* 0: a leaf */
	const char *const *nodes;
	size_t node_count;
};

enum { FABRIC_COMPARE_SAME, FABRIC_COMPARE_DIFFERS };

#define FABRIC_COMPARE_ROOM 400

/*
 * FABRIC_COMPARE_SAME, or FABRIC_COMPARE_DIFFERS with the first difference in
 * TEXT (one printable line of FABRIC_COMPARE_ROOM bytes), or -1 without memory.
 */
int fabric_compare(const struct fabric *fabric,
		   const struct fabric_compare_switch *switches, size_t count,
		   char *text);

#endif
