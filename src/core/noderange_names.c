/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The other way: folding of names into a range, and the order of names. */
#define _GNU_SOURCE 1
#include "noderange.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What noderange_expand takes in one number. */
#define DIGITS_MAX 18
/* A name, "[", "]" and ",", and a little. */
#define NAME_EXTRA 4

/* A name as its text before the last number, and that number. */
struct split {
	const char *name;
	size_t prefix_length;
	size_t width;		/* digits; 0: ends with no number */
	uint64_t value;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct split split_name(const char *name)
{
	size_t length = strlen(name);
	struct split split = { .name = name, .prefix_length = length };

	while (split.prefix_length > 0 && split.width < DIGITS_MAX &&
	       is_digit(name[split.prefix_length - 1])) {
		split.prefix_length--;
		split.width++;
	}
	for (size_t i = split.prefix_length; i < length; i++)
		split.value = split.value * 10 + (uint64_t)(name[i] - '0');
	return split;
}

static bool same_prefix(const struct split *a, const struct split *b)
{
	return a->width && b->width && a->prefix_length == b->prefix_length &&
	       !memcmp(a->name, b->name, a->prefix_length);
}

static size_t digits_of(uint64_t value)
{
	size_t digits = 1;

	while (value >= 10) {
		value /= 10;
		digits++;
	}
	return digits;
}

/* True when NEXT is what FIRST's range would give at VALUE. */
static bool continues(const struct split *first, uint64_t value,
		      const struct split *next)
{
	size_t digits = digits_of(value);

	return next->value == value &&
	       next->width == (digits > first->width ? digits : first->width);
}

static char *put(char *out, const char *text, size_t length)
{
	memcpy(out, text, length);
	return out + length;
}

static char *put_number(char *out, const struct split *split)
{
	return put(out, split->name + split->prefix_length, split->width);
}

/* Writes the COUNT names of one prefix, at least two, as PREFIX[...]. */
static char *put_group(char *out, const char *const *names, size_t count)
{
	struct split first = split_name(names[0]);
	size_t i = 0;

	out = put(out, names[0], first.prefix_length);
	*out++ = '[';
	while (i < count) {
		struct split last = first = split_name(names[i++]);

		while (i < count) {
			struct split next = split_name(names[i]);

			if (!continues(&first, last.value + 1, &next))
				break;
			last = next;
			i++;
		}
		out = put_number(out, &first);
		if (last.name != first.name) {
			*out++ = '-';
			out = put_number(out, &last);
		}
		*out++ = i < count ? ',' : ']';
	}
	return out;
}

/* How many names from the first on share its prefix. */
static size_t group_size(const char *const *names, size_t count)
{
	struct split first = split_name(names[0]);
	size_t size = 1;

	for (; size < count; size++) {
		struct split next = split_name(names[size]);

		if (!same_prefix(&first, &next))
			break;
	}
	return size;
}

char *noderange_compress(const char *const *names, size_t count)
{
	size_t room = 1;
	char *text;
	char *out;

	for (size_t i = 0; i < count; i++)
		room += strlen(names[i]) + NAME_EXTRA;
	text = out = malloc(room);
	if (!text)
		return NULL;
	for (size_t i = 0; i < count;) {
		size_t size = group_size(names + i, count - i);

		if (i > 0)
			*out++ = ',';
		if (size == 1)
			out = put(out, names[i], strlen(names[i]));
		else
			out = put_group(out, names + i, size);
		i += size;
	}
	*out = '\0';
	return text;
}

static const char *skip_zeros(const char *text)
{
	while (text[0] == '0' && is_digit(text[1]))
		text++;
	return text;
}

static size_t digit_run(const char *text)
{
	size_t length = 0;

	while (is_digit(text[length]))
		length++;
	return length;
}

/* Compares the numbers at *A and *B, of any length, and moves past them. */
static int compare_numbers(const char **a, const char **b)
{
	const char *x = skip_zeros(*a);
	const char *y = skip_zeros(*b);
	size_t x_length = digit_run(x);
	size_t y_length = digit_run(y);

	*a = x + x_length;
	*b = y + y_length;
	if (x_length != y_length)
		return x_length < y_length ? -1 : 1;
	return memcmp(x, y, x_length);
}

int noderange_compare(const char *a, const char *b)
{
	const char *x = a;
	const char *y = b;

	while (*x && *y) {
		if (is_digit(*x) && is_digit(*y)) {
			int order = compare_numbers(&x, &y);

			if (order)
				return order;
			continue;
		}
		if (*x != *y)
			return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
		x++;
		y++;
	}
	if (*x || *y)
		return *x ? 1 : -1;
	return strcmp(a, b);
}
