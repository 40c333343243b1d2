/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of node indices as a bitmap. Bits past the size are always 0. */
#include "nodeset.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

#define WORD_BITS 64

static size_t word_count(const struct nodeset *set)
{
	return set->size / WORD_BITS + (set->size % WORD_BITS != 0);
}

int nodeset_init(struct nodeset *set, size_t size)
{
	struct nodeset made = { .size = size };

	made.words = array_new(word_count(&made), sizeof(*made.words));
	if (!made.words)
		return -1;
	*set = made;
	return 0;
}

int nodeset_copy(struct nodeset *ret_copy, const struct nodeset *set)
{
	struct nodeset copy;

	if (nodeset_init(&copy, set->size))
		return -1;
	memcpy(copy.words, set->words, word_count(set) * sizeof(*set->words));
	*ret_copy = copy;
	return 0;
}

void nodeset_done(struct nodeset *set)
{
	free(set->words);
	*set = (struct nodeset) { 0 };
}

void nodeset_add(struct nodeset *set, size_t index)
{
	if (index < set->size)
		set->words[index / WORD_BITS] |=
			UINT64_C(1) << index % WORD_BITS;
}

void nodeset_remove(struct nodeset *set, size_t index)
{
	if (index < set->size)
		set->words[index / WORD_BITS] &=
			~(UINT64_C(1) << index % WORD_BITS);
}

void nodeset_clear(struct nodeset *set)
{
	if (set->size)
		memset(set->words, 0, word_count(set) * sizeof(*set->words));
}

void nodeset_fill(struct nodeset *set)
{
	size_t rest = set->size % WORD_BITS;

	if (set->size == 0)
		return;
	memset(set->words, 0xff, word_count(set) * sizeof(*set->words));
	if (rest)
		set->words[word_count(set) - 1] = (UINT64_C(1) << rest) - 1;
}

bool nodeset_has(const struct nodeset *set, size_t index)
{
	return index < set->size &&
	       (set->words[index / WORD_BITS] >> index % WORD_BITS & 1);
}

size_t nodeset_count(const struct nodeset *set)
{
	size_t words = word_count(set);
	size_t count = 0;

	for (size_t i = 0; i < words; i++)
		count += (size_t)__builtin_popcountll(set->words[i]);
	return count;
}

size_t nodeset_next(const struct nodeset *set, size_t from)
{
	size_t words = word_count(set);
	uint64_t word;
	size_t i;

	if (from >= set->size)
		return set->size;
	i = from / WORD_BITS;
	word = set->words[i] & UINT64_MAX << from % WORD_BITS;
	while (word == 0) {
		if (++i == words)
			return set->size;
		word = set->words[i];
	}
	return i * WORD_BITS + (size_t)__builtin_ctzll(word);
}
