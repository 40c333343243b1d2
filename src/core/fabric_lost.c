/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that a file may declare where it could not be read. */
#define _GNU_SOURCE 1
#include "fabric_lost.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define BETWEEN_NAMES ", \t\r\n\f\v"

/* So that a file full of different broken lists is read in linear time. */
#define STARTS_MAX 64

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool starts_with(const char *name, const char *start)
{
	if (!start[0])
		return is_digit(name[0]);
	return !strncmp(name, start, strlen(start));
}

bool fabric_lost_has(const struct fabric_lost_names *lost, const char *name)
{
	if (lost->any)
		return true;
	for (size_t i = 0; i < lost->count; i++)
		if (starts_with(name, lost->starts[i]))
			return true;
	return false;
}

/*
 * Only the letters in front are to be relied on: where the fault is, digits and
 * brackets are not what they should be.
 */
static int add_piece(struct fabric_lost_names *lost, const char *piece)
{
	size_t letters = strspn(piece, LETTERS);
	char **starts;

	if (lost->any || fabric_lost_has(lost, piece))
		return 0;
	if ((letters == 0 && !is_digit(piece[0])) ||
	    lost->count == STARTS_MAX) {
		lost->any = true;
		return 0;
	}
	starts = array_reserve(lost->starts, &lost->room, lost->count + 1,
			       sizeof(*starts));
	if (!starts)
		return -1;
	lost->starts = starts;
	starts[lost->count] = strndup(piece, letters);
	if (!starts[lost->count])
		return -1;
	lost->count++;
	return 0;
}

int fabric_lost_add(struct fabric_lost_names *lost, const char *expression)
{
	const char *at = expression ? expression : "";
	bool in_bracket = false;
	bool found = false;

	while (*(at += strspn(at, BETWEEN_NAMES))) {
		const char *end = at + strcspn(at, BETWEEN_NAMES);

		/* In a bracket stand numbers, unless it was never closed. */
		if (!in_bracket || strspn(at, LETTERS)) {
			found = true;
			if (add_piece(lost, at))
				return -1;
		}
		for (; at < end; at++)
			if (*at == '[' || *at == ']')
				in_bracket = *at == '[';
	}
	if (!found)
		lost->any = true;
	return 0;
}

void fabric_lost_done(struct fabric_lost_names *lost)
{
	for (size_t i = 0; i < lost->count; i++)
		free(lost->starts[i]);
	free(lost->starts);
}
