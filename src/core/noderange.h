/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * noderange: node name ranges in Slurm's hostlist syntax, without Slurm.
 *
 * "gpu[001-004,007],login1" is gpu001 gpu002 gpu003 gpu004 gpu007 login1; more
 * than one bracket gives the product, the last running fastest:
 * "rack[1-2]n[01-02]" is rack1n01 rack1n02 rack2n01 rack2n02. (Of three or more
 * the last runs fastest, then the first, the second and so on, as in Slurm.)
 * Blanks between names separate as commas do. Checked against `scontrol show
 * hostnames`.
 */
#ifndef LEAFSPINE_NODERANGE_H
#define LEAFSPINE_NODERANGE_H

#include <stddef.h>

/* More names than this in one expression are refused. */
#define NODERANGE_NAMES_MAX 1000000
/* A longer name is refused (Slurm's own limit is MAXHOSTNAMELEN, 64). */
#define NODERANGE_NAME_MAX 255

struct noderange_error {
	size_t offset;		/* byte of the expression where it goes wrong */
	char text[160];		/* what is wrong, what was expected */
};

struct noderange_list {
	char **names;		/* owned, in the order of the expression */
	size_t count;
};

enum { NODERANGE_OK = 0, NODERANGE_BAD = -1, NODERANGE_NO_MEMORY = -2 };

/*
 * Expands TEXT. An empty text is an empty list. On NODERANGE_BAD and
 * NODERANGE_NO_MEMORY *ERROR says why and *RET_LIST is untouched.
 * Repeated names are kept: what they mean is the caller's business.
 */
int noderange_expand(const char *text, struct noderange_list *ret_list,
		     struct noderange_error *error);
void noderange_list_done(struct noderange_list *list);

/*
 * The shortest expression that expands to NAMES in just this order: runs of
 * names that differ in their last number are folded. NULL without memory; the
 * caller frees it.
 */
char *noderange_compress(const char *const *names, size_t count);

/*
 * Slurm's natural order of names: digits compare as numbers ("n9" < "n10").
 * A total order: names that are equal so compare as strings.
 */
int noderange_compare(const char *a, const char *b);

#endif
