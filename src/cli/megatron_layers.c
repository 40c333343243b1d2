/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * megatron_layers: how many layers have experts. Megatron-LM takes a Python
 * list expression: lists of 0 and 1, joined by +, repeated by *, in brackets.
 */
#include "megatron.h"

#include <ctype.h>
#include <stdlib.h>

enum { DEPTH_MAX = 16, LAYERS_MAX = 100000 };

struct pattern {
	const char *at;
	int depth;
	bool wrong;
};

/* A list, by what matters of it. */
struct layers {
	int64_t count, experts;
};

static struct layers read_sum(struct pattern *pattern);

static bool take(struct pattern *pattern, char c)
{
	while (*pattern->at == ' ')
		pattern->at++;
	if (*pattern->at != c)
		return false;
	pattern->at++;
	return true;
}

static int64_t read_number(struct pattern *pattern)
{
	char *end;
	long number;

	while (*pattern->at == ' ')
		pattern->at++;
	number = strtol(pattern->at, &end, 10);
	if (!isdigit((unsigned char)*pattern->at) || number > LAYERS_MAX)
		pattern->wrong = true;
	pattern->at = end;
	return pattern->wrong ? 0 : number;
}

static struct layers read_list(struct pattern *pattern)
{
	struct layers layers = { 0, 0 };

	do {
		int64_t number = read_number(pattern);

		layers.count++;
		layers.experts += number;
		if (number > 1)
			pattern->wrong = true;
	} while (!pattern->wrong && take(pattern, ','));
	if (!take(pattern, ']'))
		pattern->wrong = true;
	return layers;
}

static struct layers read_part(struct pattern *pattern)
{
	struct layers layers = { 0, 0 };

	if (take(pattern, '[')) {
		layers = read_list(pattern);
	} else if (take(pattern, '(') && pattern->depth < DEPTH_MAX) {
		pattern->depth++;
		layers = read_sum(pattern);
		pattern->depth--;
		if (!take(pattern, ')'))
			pattern->wrong = true;
	} else {
		pattern->wrong = true;
	}
	return layers;
}

static struct layers read_product(struct pattern *pattern)
{
	struct layers layers = read_part(pattern);

	while (!pattern->wrong && take(pattern, '*')) {
		int64_t times = read_number(pattern);

		layers.count *= times;
		layers.experts *= times;
		if (layers.count > LAYERS_MAX)
			pattern->wrong = true;
	}
	return layers;
}

static struct layers read_sum(struct pattern *pattern)
{
	struct layers sum = read_product(pattern);

	while (!pattern->wrong && take(pattern, '+')) {
		struct layers more = read_product(pattern);

		sum.count += more.count;
		sum.experts += more.experts;
	}
	return sum;
}

int64_t megatron_moe_layers(const char *text, uint32_t layers)
{
	struct pattern pattern = { text, 0, false };
	struct layers read;

	if (!*text)
		return layers;
	if (isdigit((unsigned char)*text)) {
		int64_t every = read_number(&pattern);

		/* Layer 0 is the first of each EVERY. */
		return pattern.wrong || *pattern.at || !every ? -1 :
		       (layers + every - 1) / every;
	}
	read = read_sum(&pattern);
	while (*pattern.at == ' ')
		pattern.at++;
	return pattern.wrong || *pattern.at || read.count != layers ?
	       -1 : read.experts;
}
