/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of a topology.conf, with those that a backslash joins. */
#define _GNU_SOURCE 1
#include "fabric_conf.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

bool fabric_conf_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* Of a column, to which 1 will be added. */
static int clip(size_t number)
{
	return number > INT_MAX / 2 ? INT_MAX / 2 : (int)number;
}

struct conf_place fabric_conf_place(const struct conf_lines *lines,
				    size_t offset)
{
	size_t low = 0;
	size_t high = lines->piece_count;
	struct conf_place place;

	/* The last piece that starts at or before OFFSET. */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (lines->pieces[middle].start <= offset)
			low = middle;
		else
			high = middle;
	}
	place = lines->pieces[low].place;
	place.column += clip(offset - lines->pieces[low].start);
	return place;
}

/* The length of a line without its comment and newline. */
static size_t content_length(const char *line, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (line[i] == '#' && (i == 0 || line[i - 1] != '\\'))
			return i;
	return length;
}

/* Where the line ends with a backslash: drops it and what is behind it. */
static bool drop_backslash(const char *line, size_t *length)
{
	size_t end = *length;

	while (end > 0 && fabric_conf_is_space(line[end - 1]))
		end--;
	if (end == 0 || line[end - 1] != '\\')
		return false;
	*length = end - 1;
	return true;
}

static int join_piece(struct conf_lines *lines, const char *line,
		      size_t length)
{
	struct conf_piece *pieces = array_reserve(
		lines->pieces, &lines->piece_room, lines->piece_count + 1,
		sizeof(*pieces));

	if (!pieces)
		return -1;
	lines->pieces = pieces;
	pieces[lines->piece_count++] = (struct conf_piece) {
		.start = lines->joined_length,
		.place = { lines->number, 1 },
	};
	memcpy(lines->joined + lines->joined_length, line, length);
	lines->joined_length += length;
	return 0;
}

int fabric_conf_next_line(struct conf_lines *lines)
{
	bool joins = true;

	lines->joined_length = 0;
	lines->piece_count = 0;
	if (lines->at >= lines->length)
		return 0;
	while (joins && lines->at < lines->length) {
		const char *line = lines->text + lines->at;
		const char *newline = memchr(line, '\n',
					     lines->length - lines->at);
		size_t whole = newline ? (size_t)(newline - line)
				       : lines->length - lines->at;
		size_t length = content_length(line, whole);

		joins = drop_backslash(line, &length);
		if (join_piece(lines, line, length))
			return -1;
		lines->at += whole + (newline != NULL);
		lines->number += newline != NULL && lines->number < INT_MAX;
	}
	lines->joined[lines->joined_length] = '\0';
	return 1;
}
