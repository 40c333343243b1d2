/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * array: growing of plain arrays, and the hash of names.
 */
#ifndef LEAFSPINE_ARRAY_H
#define LEAFSPINE_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * Makes room for NEEDED items of SIZE bytes, doubling so that appending is
 * linear. Returns the array, which may have moved; NULL without memory, ITEMS
 * then stands as it was.
 */
static inline void *array_reserve(void *items, size_t *room, size_t needed,
				  size_t size)
{
	size_t wanted = *room < 8 ? 8 : *room;
	void *moved;

	if (needed <= *room && items)
		return items;
	while (wanted < needed) {
		if (wanted > SIZE_MAX / 2)
			return NULL;
		wanted *= 2;
	}
	if (wanted > SIZE_MAX / size)
		return NULL;
	moved = realloc(items, wanted * size);
	if (moved)
		*room = wanted;
	return moved;
}

/*
 * COUNT items of SIZE bytes, zeroed. Never NULL for a count of 0, so that NULL
 * always means that memory ran out.
 */
static inline void *array_new(size_t count, size_t size)
{
	return calloc(count ? count : 1, size);
}

#define ARRAY_HASH_SEED 2166136261U

/* FNV-1a, to be chained through SEED. */
static inline uint32_t array_hash(const void *bytes, size_t length,
				  uint32_t seed)
{
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < length; i++)
		seed = (seed ^ byte[i]) * 16777619U;
	return seed;
}

/* FNV's low bits are weak in long runs of like names: mix before masking. */
static inline uint32_t array_hash_mix(uint32_t hash)
{
	hash ^= hash >> 15;
	hash *= 0x2c1b3c6dU;
	hash ^= hash >> 13;
	return hash;
}

#endif
