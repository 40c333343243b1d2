/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jsonpos: where the values of a JSON text stand.
 *
 * jansson tells positions for syntax errors only. This is a skeleton of
 * positions of a text that jansson has taken, made when the first fault of
 * meaning is found, so that texts without faults pay nothing.
 */
#ifndef LEAFSPINE_JSONPOS_H
#define LEAFSPINE_JSONPOS_H

#include <stdbool.h>
#include <stddef.h>

struct jsonpos;

/*
 * One step of a path, linked to the one before, so that a reader keeps paths on
 * its stack. The root of the text is NULL.
 */
struct jsonpos_step {
	const struct jsonpos_step *parent;
	const char *key;	/* NULL: an element of an array */
	size_t index;
};

/* A path deeper than this is cut. */
#define JSONPOS_DEPTH_MAX 16

/* TEXT must outlive it. NULL without memory. Linear in LENGTH. */
struct jsonpos *jsonpos_new(const char *text, size_t length);
void jsonpos_free(struct jsonpos *positions);

/*
 * Line and column, from 1, where the value at PATH starts. Where there is no
 * such value it is where the last one on the way starts; false then.
 */
bool jsonpos_find(const struct jsonpos *positions,
		  const struct jsonpos_step *path, int *ret_line,
		  int *ret_column);

/* Writes PATH as "switches[3].uplinks[0].gbps", the root as "$". */
char *jsonpos_path(const struct jsonpos_step *path, char *buffer,
		   size_t room);

#endif
