/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fabric_lost: names that a file may declare where it could not be read.
 *
 * Behind "gpu[1-64" stand some nodes that start with "gpu"; that a leaf lists
 * an unknown gpu7 may only follow from that, but not that it lists login3.
 */
#ifndef LEAFSPINE_FABRIC_LOST_H
#define LEAFSPINE_FABRIC_LOST_H

#include <stdbool.h>
#include <stddef.h>

struct fabric_lost_names {
	bool any;		/* it may be whatever name */
	char **starts;		/* owned; "": names that start with a digit */
	size_t count, room;
};

/*
 * EXPRESSION is what could not be read; NULL, or one without a name: it may
 * have been anything. 0, or -1 without memory.
 */
int fabric_lost_add(struct fabric_lost_names *lost, const char *expression);
/* Whether NAME may stand in one of the expressions. */
bool fabric_lost_has(const struct fabric_lost_names *lost, const char *name);
void fabric_lost_done(struct fabric_lost_names *lost);

#endif
