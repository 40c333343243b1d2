/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the first two nodes of which fabric and Slurm say different things. */
#define _GNU_SOURCE 1
#include "fabric_compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "diag.h"
#include "fabric_tree.h"

#define SHOWN_MAX 64

/* Groups of nodes by both sides. NONE: the node is in no group there. */
struct sides {
	const struct fabric *fabric;
	const struct fabric_compare_switch *switches;
	uint32_t *ours;		/* by node: a switch of the fabric */
	uint32_t *theirs;	/* by node: an index of switches */
	uint32_t *first;	/* by group of one side: its first node */
};

static void fill(uint32_t *array, size_t count)
{
	for (size_t i = 0; i < count; i++)
		array[i] = FABRIC_NONE;
}

/* The lowest switch of LEVEL that has the node; the first of several. */
static void fill_theirs(struct sides *sides, size_t count, uint32_t level)
{
	fill(sides->theirs, sides->fabric->node_count);
	for (size_t i = 0; i < count; i++) {
		const struct fabric_compare_switch *sw = &sides->switches[i];

		for (size_t k = 0; sw->level == level && k < sw->node_count;
		     k++) {
			uint32_t node = fabric_find_node(sides->fabric,
							 sw->nodes[k]);

			if (node != FABRIC_NONE &&
			    sides->theirs[node] == FABRIC_NONE)
				sides->theirs[node] = (uint32_t)i;
		}
	}
}

static void say(const struct sides *sides, uint32_t a, uint32_t b,
		const char *what, bool ours, char *text)
{
	const struct fabric *fabric = sides->fabric;
	char shown[2][SHOWN_MAX];
	char sw[SHOWN_MAX];
	const char *name = ours ?
		fabric->switches[sides->ours[a]].name :
		sides->switches[sides->theirs[a]].name;
	const char *node[] = { fabric->nodes[a].name, fabric->nodes[b].name };

	for (int i = 0; i < 2; i++)
		diag_printable(node[i], strlen(node[i]), shown[i], SHOWN_MAX);
	diag_printable(name, strlen(name), sw, sizeof(sw));
	snprintf(text, FABRIC_COMPARE_ROOM, "nodes %s and %s share %s %s in "
		 "%s, but not in %s", shown[0], shown[1], what, sw,
		 ours ? "the fabric" : "Slurm's topology",
		 ours ? "Slurm's topology" : "the fabric");
}

/* Two nodes together in GROUPS, but not in OTHERS; true where there are. */
static bool find_parted(struct sides *sides, const uint32_t *groups,
			size_t group_count, const uint32_t *others,
			uint32_t *ret_a, uint32_t *ret_b)
{
	fill(sides->first, group_count);
	for (uint32_t n = 0; n < sides->fabric->node_count; n++) {
		uint32_t *first;

		if (groups[n] == FABRIC_NONE || others[n] == FABRIC_NONE)
			continue;
		first = &sides->first[groups[n]];
		if (*first == FABRIC_NONE)
			*first = n;
		if (others[*first] == others[n])
			continue;
		*ret_a = *first;
		*ret_b = n;
		return true;
	}
	return false;
}

static int compare_level(struct sides *sides, size_t count, const char *what,
			 char *text)
{
	uint32_t a;
	uint32_t b;

	if (find_parted(sides, sides->ours, sides->fabric->switch_count,
			sides->theirs, &a, &b))
		say(sides, a, b, what, true, text);
	else if (find_parted(sides, sides->theirs, count, sides->ours, &a, &b))
		say(sides, a, b, what, false, text);
	else
		return FABRIC_COMPARE_SAME;
	return FABRIC_COMPARE_DIFFERS;
}

static int compare(struct sides *sides, size_t count,
		   const struct fabric_tree *tree, char *text)
{
	const uint32_t *const groups[] = { tree->leaf_of, tree->pod_of };
	static const char *const what[] = { "leaf", "switch" };
	int result = FABRIC_COMPARE_SAME;

	for (uint32_t level = 0; result == 0 && level < 2; level++) {
		for (uint32_t n = 0; n < sides->fabric->node_count; n++)
			sides->ours[n] = groups[level][
				sides->fabric->nodes[n].leafset];
		fill_theirs(sides, count, level);
		result = compare_level(sides, count, what[level], text);
	}
	return result;
}

int fabric_compare(const struct fabric *fabric,
		   const struct fabric_compare_switch *switches, size_t count,
		   char *text)
{
	size_t most = count > fabric->switch_count ? count :
		      fabric->switch_count;
	struct sides sides = {
		.fabric = fabric, .switches = switches,
		.ours = array_new(fabric->node_count, sizeof(uint32_t)),
		.theirs = array_new(fabric->node_count, sizeof(uint32_t)),
		.first = array_new(most, sizeof(uint32_t)),
	};
	struct fabric_tree tree = { 0 };
	int result = -1;

	if (sides.ours && sides.theirs && sides.first &&
	    fabric_tree_init(&tree, fabric) == 0)
		result = compare(&sides, count, &tree, text);
	fabric_tree_done(&tree);
	free(sides.ours);
	free(sides.theirs);
	free(sides.first);
	return result;
}
