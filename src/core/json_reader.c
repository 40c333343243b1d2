/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsing of JSON with clear faults, and the keys of an object. */
#define _GNU_SOURCE 1
#include "json_reader.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text_file.h"

#define PATH_MAX_SHOWN 400
#define FAULT_MAX 800
#define KEY_SHOWN_MAX 64
/* A key with at most so many letters wrong is taken for a slip. */
#define SLIP_MAX 2
#define SLIP_LENGTH_MAX 32

/* A fault with its position; the text is built only if it will be kept. */
static void add_fault(struct json_reader *reader, enum diag_severity severity,
		      const struct jsonpos_step *at, const char *text)
{
	char path[PATH_MAX_SHOWN];
	int line = 0;
	int column = 0;

	if (!reader->positions)
		reader->positions = jsonpos_new(reader->text, reader->length);
	if (reader->positions)
		jsonpos_find(reader->positions, at, &line, &column);
	else
		diag_no_memory(reader->diag);
	diag_add(reader->diag, severity, line, column,
		 jsonpos_path(at, path, sizeof(path)), "%s", text);
}

void json_reader_fault(struct json_reader *reader, enum diag_severity severity,
		       const struct jsonpos_step *at, const char *format, ...)
{
	char text[FAULT_MAX];
	va_list arguments;

	if (!diag_keeps(reader->diag, severity)) {
		diag_add(reader->diag, severity, 0, 0, "", "not kept");
		return;
	}
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	add_fault(reader, severity, at, text);
}

/*
 * jansson counts the characters that it has read, with the token that it names
 * at the end of its text: users look for where that begins.
 */
static int fault_column(const json_error_t *found)
{
	const char *token = strstr(found->text, " near '");
	int column = found->column;

	if (json_error_code(found) == json_error_invalid_utf8)
		column++;
	else if (token)
		for (token += strlen(" near '"), column++; *token; token++)
			/* All but UTF-8's continuation bytes and the quote. */
			column -= (*token & 0xc0) != 0x80 && token[1] != '\0';
	return column > 0 ? column : 1;
}

/* What jansson found wrong, in our words where its own are unclear. */
static void report_syntax(struct diag *diag, json_error_t *found)
{
	int line = found->line > 0 ? found->line : 1;
	int column = fault_column(found);
	const char *text = found->text;

	switch (json_error_code(found)) {
	case json_error_out_of_memory:
		diag_no_memory(diag);
		return;
	case json_error_stack_overflow:
		text = "arrays and objects are nested too deep, expected "
		       "a few levels";
		break;
	case json_error_invalid_utf8:
		text = "a byte that is not UTF-8, expected UTF-8 text";
		break;
	case json_error_numeric_overflow:
		text = "a number is too large, expected one that fits 64 bits";
		break;
	case json_error_duplicate_key:
		diag_add(diag, DIAG_ERROR, line, column, "$",
			 "a key stands twice in its object, expected it once "
			 "(%s)", text);
		return;
	default:
		break;
	}
	/* Where an allocation fails deep inside, jansson sets no text. */
	if (text[0] == '\0')
		diag_no_memory(diag);
	else if (text != found->text)
		diag_add(diag, DIAG_ERROR, line, column, "$", "%s", text);
	else
		diag_add(diag, DIAG_ERROR, line, column, "$",
			 "this is no JSON: %s", text);
}

static bool is_blank(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!strchr(" \t\r\n", text[i]) || text[i] == '\0')
			return false;
	return true;
}

static json_t *parse(const char *text, size_t length, json_error_t *ret_error)
{
	return json_loadb(text, length, JSON_REJECT_DUPLICATES, ret_error);
}

/*
 * Twice, and compared: where an allocation fails within a token, jansson 2.14
 * drops a byte of it and goes on, or finds a fault of syntax. A range of nodes
 * that lacks a digit would be another range.
 */
static json_t *parse_surely(const char *text, size_t length, struct diag *diag)
{
	json_error_t found;
	json_error_t found_again;
	json_t *root = parse(text, length, &found);
	json_t *again = parse(text, length, &found_again);

	if (root && again && json_equal(root, again)) {
		json_decref(again);
		return root;
	}
	if (!root && !again && !strcmp(found.text, found_again.text))
		report_syntax(diag, &found);
	else
		diag_no_memory(diag);
	json_decref(root);
	json_decref(again);
	return NULL;
}

json_t *json_reader_open(struct json_reader *reader, const char *text,
			 size_t length, struct diag *diag)
{
	json_t *root;

	*reader = (struct json_reader) {
		.text = text, .length = length, .diag = diag,
	};
	if (is_blank(text, length)) {
		diag_add(diag, DIAG_ERROR, 1, 1, "$",
			 "the file is empty, expected a JSON object");
		return NULL;
	}
	/* jansson would speak of an invalid token. */
	if (text_file_refuse_nul(text, length, "$", diag))
		return NULL;
	root = parse_surely(text, length, diag);
	if (!root)
		return NULL;
	if (!json_reader_is_object(reader, NULL, root)) {
		json_reader_close(reader, root);
		return NULL;
	}
	return root;
}

void json_reader_close(struct json_reader *reader, json_t *root)
{
	json_decref(root);
	jsonpos_free(reader->positions);
	reader->positions = NULL;
}

static size_t smallest(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

/* Letters to add, drop or change to get from A to B; large when both are. */
static size_t distance(const char *a, const char *b)
{
	size_t a_length = strlen(a);
	size_t b_length = strlen(b);
	size_t row[SLIP_LENGTH_MAX + 1];

	if (a_length > SLIP_LENGTH_MAX || b_length > SLIP_LENGTH_MAX)
		return SIZE_MAX;
	for (size_t k = 0; k <= b_length; k++)
		row[k] = k;
	for (size_t i = 1; i <= a_length; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t k = 1; k <= b_length; k++) {
			size_t above = row[k];

			row[k] = smallest(above + 1, row[k - 1] + 1,
					  diagonal + (a[i - 1] != b[k - 1]));
			diagonal = above;
		}
	}
	return row[b_length];
}

/* The known key that KEY was probably meant to be, or NULL. */
static const char *closest_key(const char *key, const struct json_key *keys,
			       size_t key_count)
{
	size_t least = SLIP_MAX + 1;
	const char *closest = NULL;

	for (size_t i = 0; i < key_count; i++) {
		size_t slips = distance(key, keys[i].name);

		if (slips < least && slips < strlen(keys[i].name)) {
			least = slips;
			closest = keys[i].name;
		}
	}
	return closest;
}

static void report_unknown(struct json_reader *reader,
			   const struct jsonpos_step *at, const char *key,
			   const struct json_key *keys, size_t key_count)
{
	const char *closest = closest_key(key, keys, key_count);
	char shown[KEY_SHOWN_MAX];
	char known[FAULT_MAX / 2];
	size_t used = 0;

	diag_printable(key, strlen(key), shown, sizeof(shown));
	if (closest) {
		json_reader_fault(reader, DIAG_ERROR, at,
				  "unknown key \"%s\", expected \"%s\"", shown,
				  closest);
		return;
	}
	known[0] = '\0';
	for (size_t i = 0; i < key_count && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used,
					 "%s%s", i ? ", " : "", keys[i].name);
	json_reader_fault(reader, DIAG_ERROR, at,
			  "unknown key \"%s\", expected one of %s", shown,
			  known);
}

static bool is_known(const char *key, const struct json_key *keys,
		     size_t key_count)
{
	for (size_t i = 0; i < key_count; i++)
		if (!strcmp(key, keys[i].name))
			return true;
	return false;
}

void json_reader_check_keys(struct json_reader *reader,
			    const struct jsonpos_step *at,
			    const json_t *object, const struct json_key *keys,
			    size_t key_count)
{
	const char *key;
	json_t *value;

	/* The macro takes no const, and changes nothing. */
	json_object_foreach((json_t *)object, key, value) {
		struct jsonpos_step here = { .parent = at, .key = key };

		if (key[0] != '_' && !is_known(key, keys, key_count))
			report_unknown(reader, &here, key, keys, key_count);
	}
	for (size_t i = 0; i < key_count; i++) {
		struct jsonpos_step here = {
			.parent = at, .key = keys[i].name,
		};

		if (keys[i].needed && !json_object_get(object, keys[i].name))
			json_reader_fault(reader, DIAG_ERROR, &here,
					  "is missing, expected %s",
					  keys[i].needed);
	}
}
