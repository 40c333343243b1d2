/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expansion of node name ranges in Slurm's hostlist syntax. */
#define _GNU_SOURCE 1
#include "noderange.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

/* Slurm itself stops at a few. */
#define BRACKETS_MAX 8
/* 10^18 leaves room to count on in 64 bits. */
#define DIGITS_MAX 18

struct range {
	uint64_t first;
	uint64_t count;
	int width;		/* zero padded to this many digits */
};

/* The literal text before a bracket and what stands in it. */
struct bracket {
	const char *prefix;
	size_t prefix_length;
	size_t first_range;	/* in parser.ranges */
	size_t range_count;
	uint64_t value_count;
	/* where the expansion stands */
	size_t range;
	uint64_t step;
};

struct parser {
	const char *text;
	size_t at;
	struct noderange_error *error;
	struct range *ranges;
	size_t range_count;
	size_t range_room;
	struct bracket brackets[BRACKETS_MAX];
	size_t bracket_count;
	struct noderange_list list;
	size_t name_room;
};

static int fault(struct parser *parser, size_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int fault(struct parser *parser, size_t offset, const char *format, ...)
{
	va_list arguments;

	parser->error->offset = offset;
	va_start(arguments, format);
	vsnprintf(parser->error->text, sizeof(parser->error->text), format,
		  arguments);
	va_end(arguments);
	return NODERANGE_BAD;
}

static int no_memory(struct parser *parser)
{
	fault(parser, parser->at, "out of memory");
	return NODERANGE_NO_MEMORY;
}

static bool is_separator(char c)
{
	return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A byte that may stand in a name. */
static bool is_literal(char c)
{
	return c > 0x20 && c < 0x7f && c != ',' && c != '[' && c != ']';
}

/* Moves past a run of literal text and returns its length. */
static size_t skip_literal(struct parser *parser)
{
	size_t start = parser->at;

	while (is_literal(parser->text[parser->at]))
		parser->at++;
	return parser->at - start;
}

static int parse_number(struct parser *parser, uint64_t *ret_value,
			int *ret_width)
{
	size_t start = parser->at;
	uint64_t value = 0;

	while (is_digit(parser->text[parser->at])) {
		if (parser->at - start == DIGITS_MAX)
			return fault(parser, start, "the number has more than "
				     "%d digits, expected fewer", DIGITS_MAX);
		value = value * 10 + (uint64_t)(parser->text[parser->at] - '0');
		parser->at++;
	}
	if (parser->at == start && parser->text[start] == '\0')
		return fault(parser, start,
			     "the bracket is not closed, expected \"]\"");
	if (parser->at == start)
		return fault(parser, start, "expected a number or a range in "
			     "the brackets, as in [1-4,7]");
	*ret_value = value;
	*ret_width = (int)(parser->at - start);
	return NODERANGE_OK;
}

static int parse_range(struct parser *parser, struct range *ret)
{
	size_t start = parser->at;
	uint64_t last;
	int last_width;
	struct range range;
	int status = parse_number(parser, &range.first, &range.width);

	if (status)
		return status;
	last = range.first;
	if (parser->text[parser->at] == '-') {
		parser->at++;
		status = parse_number(parser, &last, &last_width);
		if (status)
			return status;
	}
	if (last < range.first)
		return fault(parser, start, "range %.*s runs backwards, "
			     "expected the smaller number first",
			     (int)(parser->at - start), parser->text + start);
	range.count = last - range.first + 1;
	*ret = range;
	return NODERANGE_OK;
}

static int add_range(struct parser *parser, struct bracket *bracket)
{
	size_t start = parser->at;
	struct range *ranges;
	struct range range;
	int status = parse_range(parser, &range);

	if (status)
		return status;
	if (range.count > NODERANGE_NAMES_MAX - bracket->value_count)
		return fault(parser, start, "more than %d names, expected "
			     "fewer", NODERANGE_NAMES_MAX);
	ranges = array_reserve(parser->ranges, &parser->range_room,
			       parser->range_count + 1, sizeof(*ranges));
	if (!ranges)
		return no_memory(parser);
	parser->ranges = ranges;
	ranges[parser->range_count++] = range;
	bracket->range_count++;
	bracket->value_count += range.count;
	return NODERANGE_OK;
}

/* The part from "[" on; PREFIX_LENGTH bytes stand before it. */
static int parse_bracket(struct parser *parser, size_t prefix_length)
{
	struct bracket *bracket;
	size_t start = parser->at;

	if (parser->bracket_count == BRACKETS_MAX)
		return fault(parser, start, "more than %d brackets in one "
			     "name, expected fewer", BRACKETS_MAX);
	bracket = &parser->brackets[parser->bracket_count++];
	*bracket = (struct bracket) {
		.prefix = parser->text + start - prefix_length,
		.prefix_length = prefix_length,
		.first_range = parser->range_count,
	};
	do {
		int status;

		parser->at++;
		status = add_range(parser, bracket);
		if (status)
			return status;
	} while (parser->text[parser->at] == ',');
	if (parser->text[parser->at] == '\0')
		return fault(parser, start,
			     "the bracket is not closed, expected \"]\"");
	if (parser->text[parser->at] != ']')
		return fault(parser, parser->at, "expected \",\" or \"]\" "
			     "after the number in the brackets");
	parser->at++;
	return NODERANGE_OK;
}

static int refuse_byte(struct parser *parser)
{
	char c = parser->text[parser->at];

	if (c == ']')
		return fault(parser, parser->at,
			     "\"]\" without \"[\", expected a name");
	return fault(parser, parser->at, "byte 0x%02x in a name, expected "
		     "printable ASCII", (unsigned int)(unsigned char)c);
}

/* Reads one item into the brackets; returns the length of its tail. */
static int parse_item(struct parser *parser, size_t *ret_tail)
{
	size_t tail;

	parser->bracket_count = 0;
	parser->range_count = 0;
	tail = skip_literal(parser);
	while (parser->text[parser->at] == '[') {
		int status = parse_bracket(parser, tail);

		if (status)
			return status;
		tail = skip_literal(parser);
	}
	if (parser->text[parser->at] != '\0' &&
	    !is_separator(parser->text[parser->at]))
		return refuse_byte(parser);
	if (parser->bracket_count && tail)
		return fault(parser, parser->at - tail, "text after the last "
			     "bracket, expected \",\" or the end as in Slurm");
	*ret_tail = tail;
	return NODERANGE_OK;
}

static int add_name(struct parser *parser, const char *text, size_t length)
{
	char **names;
	char *name;

	if (length > NODERANGE_NAME_MAX)
		return fault(parser, parser->at, "a name is longer than %d "
			     "characters, expected fewer", NODERANGE_NAME_MAX);
	if (parser->list.count == NODERANGE_NAMES_MAX)
		return fault(parser, parser->at, "more than %d names, expected "
			     "fewer", NODERANGE_NAMES_MAX);
	names = array_reserve(parser->list.names, &parser->name_room,
			      parser->list.count + 1, sizeof(*names));
	if (!names)
		return no_memory(parser);
	parser->list.names = names;
	name = malloc(length + 1);
	if (!name)
		return no_memory(parser);
	memcpy(name, text, length);
	name[length] = '\0';
	names[parser->list.count++] = name;
	return NODERANGE_OK;
}

/* VALUE in at least WIDTH digits. Half of all time went into snprintf here. */
static size_t put_number(char *out, uint64_t value, int width)
{
	char digits[DIGITS_MAX + 1];
	int count = 0;

	do
		digits[count++] = (char)('0' + value % 10);
	while ((value /= 10) > 0);
	while (count < width)
		digits[count++] = '0';
	for (int i = 0; i < count; i++)
		out[i] = digits[count - 1 - i];
	return (size_t)count;
}

/* Writes the name at which the brackets stand. */
static int add_product_name(struct parser *parser)
{
	char name[NODERANGE_NAME_MAX + DIGITS_MAX + 3];
	size_t length = 0;

	for (size_t i = 0; i < parser->bracket_count; i++) {
		const struct bracket *bracket = &parser->brackets[i];
		const struct range *range = &parser->ranges[bracket->range];

		if (length + bracket->prefix_length > NODERANGE_NAME_MAX)
			return add_name(parser, name, NODERANGE_NAME_MAX + 1);
		memcpy(name + length, bracket->prefix, bracket->prefix_length);
		length += bracket->prefix_length;
		length += put_number(name + length,
				     range->first + bracket->step,
				     range->width);
	}
	return add_name(parser, name, length);
}

/* The next value of one bracket; false when it has wrapped to its first. */
static bool advance_bracket(const struct parser *parser,
			    struct bracket *bracket)
{
	if (++bracket->step < parser->ranges[bracket->range].count)
		return true;
	bracket->step = 0;
	if (++bracket->range < bracket->first_range + bracket->range_count)
		return true;
	bracket->range = bracket->first_range;
	return false;
}

/* Slurm's order: the last bracket runs fastest, then the first, and so on. */
static bool advance(struct parser *parser)
{
	size_t last = parser->bracket_count - 1;

	if (advance_bracket(parser, &parser->brackets[last]))
		return true;
	for (size_t i = 0; i < last; i++)
		if (advance_bracket(parser, &parser->brackets[i]))
			return true;
	return false;
}

static int expand_product(struct parser *parser)
{
	uint64_t room = NODERANGE_NAMES_MAX - parser->list.count;
	uint64_t count = 1;
	int status;

	for (size_t i = 0; i < parser->bracket_count; i++) {
		struct bracket *bracket = &parser->brackets[i];

		bracket->range = bracket->first_range;
		count *= bracket->value_count;
		if (count > room)
			return fault(parser, parser->at, "more than %d names, "
				     "expected fewer", NODERANGE_NAMES_MAX);
	}
	do
		status = add_product_name(parser);
	while (status == NODERANGE_OK && advance(parser));
	return status;
}

static int expand_all(struct parser *parser)
{
	for (;;) {
		size_t tail = 0;
		int status;

		while (is_separator(parser->text[parser->at]))
			parser->at++;
		if (parser->text[parser->at] == '\0')
			return NODERANGE_OK;
		status = parse_item(parser, &tail);
		if (status)
			return status;
		status = parser->bracket_count ? expand_product(parser)
			: add_name(parser, parser->text + parser->at - tail,
				   tail);
		if (status)
			return status;
	}
}

int noderange_expand(const char *text, struct noderange_list *ret_list,
		     struct noderange_error *error)
{
	struct parser parser = { .text = text, .error = error };
	int status = expand_all(&parser);

	free(parser.ranges);
	if (status)
		noderange_list_done(&parser.list);
	else
		*ret_list = parser.list;
	return status;
}

void noderange_list_done(struct noderange_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->names[i]);
	free(list->names);
	*list = (struct noderange_list) { 0 };
}
