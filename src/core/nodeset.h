/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nodeset: a set of node indices of one fabric, as a bitmap.
 */
#ifndef LEAFSPINE_NODESET_H
#define LEAFSPINE_NODESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nodeset {
	size_t size;		/* indices 0 .. size-1 */
	uint64_t *words;	/* owned */
};

/* All take a set that was made by nodeset_init. 0, or -1 without memory. */
int nodeset_init(struct nodeset *set, size_t size);
int nodeset_copy(struct nodeset *ret_copy, const struct nodeset *set);
void nodeset_done(struct nodeset *set);

void nodeset_add(struct nodeset *set, size_t index);
void nodeset_remove(struct nodeset *set, size_t index);
void nodeset_clear(struct nodeset *set);
void nodeset_fill(struct nodeset *set);
bool nodeset_has(const struct nodeset *set, size_t index);
size_t nodeset_count(const struct nodeset *set);

/* The first member at or after FROM, or set->size where there is none. */
size_t nodeset_next(const struct nodeset *set, size_t from);

#endif
