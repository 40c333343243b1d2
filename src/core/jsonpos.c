/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Positions of the values of a JSON text. */
#define _GNU_SOURCE 1
#include "jsonpos.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

#define NONE UINT32_MAX

struct value {
	uint32_t parent;
	uint32_t key;		/* offset behind its quote, or NONE */
	uint32_t line;
	uint32_t column;
	bool is_object;
};

struct jsonpos {
	const char *text;
	size_t length;
	struct value *values;
	size_t count;
	size_t room;
	/* The children of value v: children[first[v] .. first[v + 1] - 1]. */
	uint32_t *first;
	uint32_t *children;
};

/* The text is known to be JSON, so that little need be understood of it. */
struct scan {
	struct jsonpos *positions;
	size_t at;
	uint32_t line;
	uint32_t column;
	uint32_t parent;	/* the container that is open, or NONE */
	uint32_t key;		/* of the value that comes next, or NONE */
};

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Past one byte; columns count characters, as jansson does. */
static void step(struct scan *scan)
{
	char c = scan->positions->text[scan->at++];

	if (c == '\n') {
		scan->line++;
		scan->column = 1;
	} else if (!is_continuation(c)) {
		scan->column++;
	}
}

static void skip_string(struct scan *scan)
{
	const char *text = scan->positions->text;
	size_t length = scan->positions->length;

	step(scan);
	while (scan->at < length && text[scan->at] != '"') {
		if (text[scan->at] == '\\' && scan->at + 1 < length)
			step(scan);
		step(scan);
	}
	if (scan->at < length)
		step(scan);
}

static void skip_scalar(struct scan *scan)
{
	const char *text = scan->positions->text;

	do
		step(scan);
	while (scan->at < scan->positions->length &&
	       !memchr(",]}: \t\r\n\"[{", text[scan->at], 11));
}

static int add_value(struct scan *scan, bool is_object)
{
	struct jsonpos *positions = scan->positions;
	struct value *values = array_reserve(positions->values,
					     &positions->room,
					     positions->count + 1,
					     sizeof(*values));

	if (!values)
		return -1;
	positions->values = values;
	values[positions->count++] = (struct value) {
		.parent = scan->parent,
		.key = scan->key,
		.line = scan->line,
		.column = scan->column,
		.is_object = is_object,
	};
	scan->key = NONE;
	return 0;
}

static bool expects_key(const struct scan *scan)
{
	return scan->parent != NONE && scan->key == NONE &&
	       scan->positions->values[scan->parent].is_object;
}

static int scan_string(struct scan *scan)
{
	if (expects_key(scan))
		scan->key = (uint32_t)scan->at + 1;
	else if (add_value(scan, false))
		return -1;
	skip_string(scan);
	return 0;
}

static int scan_token(struct scan *scan)
{
	char c = scan->positions->text[scan->at];

	switch (c) {
	case ' ': case '\t': case '\r': case '\n': case ',': case ':':
		step(scan);
		return 0;
	case '{': case '[':
		if (add_value(scan, c == '{'))
			return -1;
		scan->parent = (uint32_t)scan->positions->count - 1;
		step(scan);
		return 0;
	case '}': case ']':
		if (scan->parent != NONE)
			scan->parent =
				scan->positions->values[scan->parent].parent;
		scan->key = NONE;
		step(scan);
		return 0;
	case '"':
		return scan_string(scan);
	default:
		if (add_value(scan, false))
			return -1;
		skip_scalar(scan);
		return 0;
	}
}

static int scan_text(struct jsonpos *positions)
{
	struct scan scan = {
		.positions = positions,
		.line = 1,
		.column = 1,
		.parent = NONE,
		.key = NONE,
	};

	while (scan.at < positions->length)
		if (scan_token(&scan))
			return -1;
	return 0;
}

/* By counting, so that one child is found at once by its index. */
static int group_children(struct jsonpos *positions)
{
	size_t count = positions->count;
	uint32_t *first = array_new(count + 2, sizeof(*first));

	positions->first = first;
	positions->children = array_new(count, sizeof(uint32_t));
	if (!first || !positions->children)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (positions->values[i].parent != NONE)
			first[positions->values[i].parent + 2]++;
	for (size_t i = 2; i < count + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < count; i++)
		if (positions->values[i].parent != NONE)
			positions->children[first[
				positions->values[i].parent + 1]++] =
				(uint32_t)i;
	return 0;
}

struct jsonpos *jsonpos_new(const char *text, size_t length)
{
	struct jsonpos *positions;

	if (length >= NONE)
		return NULL;
	positions = calloc(1, sizeof(*positions));
	if (!positions)
		return NULL;
	positions->text = text;
	positions->length = length;
	if (scan_text(positions) || group_children(positions)) {
		jsonpos_free(positions);
		return NULL;
	}
	return positions;
}

void jsonpos_free(struct jsonpos *positions)
{
	if (!positions)
		return;
	free(positions->values);
	free(positions->first);
	free(positions->children);
	free(positions);
}

static unsigned int hex4(const char *text)
{
	unsigned int value = 0;

	for (int i = 0; i < 4; i++) {
		char c = text[i];

		value = value * 16 + (unsigned int)(c <= '9' ? c - '0'
						    : (c | 0x20) - 'a' + 10);
	}
	return value;
}

static size_t put_utf8(unsigned int code, char *out)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3f));
		out[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 0x3f));
	out[2] = (char)(0x80 | (code >> 6 & 0x3f));
	out[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

/* Reads the escape at *AT, which is behind its backslash, and moves past it. */
static size_t decode_escape(const char **at, const char *end, char *out)
{
	static const char from[] = "bfnrt";
	static const char to[] = "\b\f\n\r\t";
	const char *known = strchr(from, **at);
	unsigned int code;

	if (**at != 'u' || end - *at < 5) {
		*out = known && **at ? to[known - from] : **at;
		++*at;
		return 1;
	}
	code = hex4(*at + 1);
	*at += 5;
	if (code >= 0xd800 && code < 0xdc00 && end - *at >= 6) {
		code = 0x10000 + ((code & 0x3ff) << 10) +
		       (hex4(*at + 2) & 0x3ff);
		*at += 6;
	}
	return put_utf8(code, out);
}

/* Compares the string of the text at OFFSET with a KEY without escapes. */
static bool key_is(const struct jsonpos *positions, uint32_t offset,
		   const char *key)
{
	const char *at = positions->text + offset;
	const char *end = positions->text + positions->length;

	while (at < end && *at != '"') {
		char decoded[4] = { *at };
		size_t length = 1;

		if (*at++ == '\\' && at < end)
			length = decode_escape(&at, end, decoded);
		if (strncmp(key, decoded, length))
			return false;
		key += length;
	}
	return *key == '\0';
}

static uint32_t find_child(const struct jsonpos *positions, uint32_t value,
			   const struct jsonpos_step *path)
{
	uint32_t first = positions->first[value];
	uint32_t count = positions->first[value + 1] - first;

	if (positions->values[value].is_object != (path->key != NULL))
		return NONE;
	if (!path->key)
		return path->index < count
		       ? positions->children[first + path->index] : NONE;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t child = positions->children[first + i];

		if (key_is(positions, positions->values[child].key, path->key))
			return child;
	}
	return NONE;
}

/* The steps from the root on, which is not one; at most JSONPOS_DEPTH_MAX. */
static size_t collect_steps(const struct jsonpos_step *path,
			 const struct jsonpos_step **steps)
{
	const struct jsonpos_step *walk;
	size_t depth = 0;
	size_t count;

	for (walk = path; walk; walk = walk->parent)
		depth++;
	/* Too deep: the last steps are the ones to do without. */
	for (walk = path; depth > JSONPOS_DEPTH_MAX; walk = walk->parent)
		depth--;
	count = depth;
	for (; walk; walk = walk->parent)
		steps[--depth] = walk;
	return count;
}

static int clip(uint32_t number)
{
	return number > INT_MAX ? INT_MAX : (int)number;
}

bool jsonpos_find(const struct jsonpos *positions,
		  const struct jsonpos_step *path, int *ret_line,
		  int *ret_column)
{
	const struct jsonpos_step *steps[JSONPOS_DEPTH_MAX];
	size_t count = collect_steps(path, steps);
	uint32_t value = 0;
	bool found = positions->count > 0;

	*ret_line = 1;
	*ret_column = 1;
	if (!found)
		return false;
	for (size_t i = 0; i < count; i++) {
		uint32_t child = find_child(positions, value, steps[i]);

		found = child != NONE;
		if (!found)
			break;
		value = child;
	}
	*ret_line = clip(positions->values[value].line);
	*ret_column = clip(positions->values[value].column);
	return found;
}

/* A key that reads well behind a dot. */
static bool is_plain(const char *key)
{
	size_t plain = strspn(key, "abcdefghijklmnopqrstuvwxyz"
			      "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	return plain > 0 && key[plain] == '\0';
}

char *jsonpos_path(const struct jsonpos_step *path, char *buffer, size_t room)
{
	const struct jsonpos_step *steps[JSONPOS_DEPTH_MAX];
	size_t count = collect_steps(path, steps);
	size_t used = 0;

	if (room)
		buffer[0] = '\0';
	if (count == 0)
		snprintf(buffer, room, "$");
	for (size_t i = 0; i < count && used < room; i++) {
		const char *key = steps[i]->key;
		int length;

		if (!key)
			length = snprintf(buffer + used, room - used, "[%zu]",
					  steps[i]->index);
		else
			length = snprintf(buffer + used, room - used,
					  !is_plain(key) ? "[\"%s\"]"
					  : i ? ".%s" : "%s", key);
		used += length > 0 ? (size_t)length : 0;
	}
	return buffer;
}
