/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Leafsets and spinesets of a fabric, and which of them touch or meet. */
#define _GNU_SOURCE 1
#include "fabric_private.h"

#include <stdlib.h>

/* Different sets of small integers, each kept once and found by hash. */
struct set_pool {
	uint32_t *members;	/* of all sets, one after the other */
	size_t member_count, member_room;
	uint32_t *firsts;	/* by set: its first in members */
	size_t first_room;
	uint32_t count;
	uint32_t *table;	/* open-addressed: set or FABRIC_NONE */
	size_t table_size;
};

static void pool_done(struct set_pool *pool)
{
	free(pool->members);
	free(pool->firsts);
	free(pool->table);
}

static uint32_t pool_size(const struct set_pool *pool, uint32_t set)
{
	size_t end = set + 1 < pool->count ? pool->firsts[set + 1]
					   : pool->member_count;

	return (uint32_t)(end - pool->firsts[set]);
}

static bool pool_is(const struct set_pool *pool, uint32_t set,
		    const uint32_t *members, uint32_t count)
{
	return pool_size(pool, set) == count &&
	       (count == 0 || !memcmp(pool->members + pool->firsts[set],
				      members, count * sizeof(*members)));
}

static size_t pool_slot(const struct set_pool *pool, const uint32_t *members,
			uint32_t count)
{
	size_t mask = pool->table_size - 1;
	size_t slot = array_hash_mix(array_hash(members,
						count * sizeof(*members),
						ARRAY_HASH_SEED)) & mask;

	while (pool->table[slot] != FABRIC_NONE &&
	       !pool_is(pool, pool->table[slot], members, count))
		slot = (slot + 1) & mask;
	return slot;
}

static int pool_reserve(struct set_pool *pool, uint32_t member_count)
{
	size_t size = pool->table_size ? pool->table_size * 2 : 64;
	uint32_t *moved = array_reserve(pool->members, &pool->member_room,
					pool->member_count + member_count,
					sizeof(*moved));

	if (!moved)
		return -1;
	pool->members = moved;
	moved = array_reserve(pool->firsts, &pool->first_room,
			      (size_t)pool->count + 1, sizeof(*moved));
	if (!moved)
		return -1;
	pool->firsts = moved;
	if (pool->table_size > 2 * (size_t)pool->count)
		return 0;
	moved = malloc(size * sizeof(*moved));
	if (!moved)
		return -1;
	memset(moved, 0xff, size * sizeof(*moved));
	free(pool->table);
	pool->table = moved;
	pool->table_size = size;
	for (uint32_t set = 0; set < pool->count; set++)
		moved[pool_slot(pool, pool->members + pool->firsts[set],
				pool_size(pool, set))] = set;
	return 0;
}

/* The number of the set of COUNT ascending MEMBERS. 0, or -1. */
static int pool_add(struct set_pool *pool, const uint32_t *members,
		    uint32_t count, uint32_t *ret_set)
{
	size_t slot;

	if (pool_reserve(pool, count))
		return -1;
	slot = pool_slot(pool, members, count);
	if (pool->table[slot] == FABRIC_NONE) {
		pool->table[slot] = pool->count;
		pool->firsts[pool->count++] = (uint32_t)pool->member_count;
		if (count)
			memcpy(pool->members + pool->member_count, members,
			       count * sizeof(*members));
		pool->member_count += count;
	}
	*ret_set = pool->table[slot];
	return 0;
}

static int compare_numbers(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left;
	uint32_t b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

/* Sorts and drops repetitions; returns the new count. */
static uint32_t make_set(uint32_t *members, uint32_t count)
{
	uint32_t kept = 0;

	if (count > 1)
		qsort(members, count, sizeof(*members), compare_numbers);
	for (uint32_t i = 0; i < count; i++)
		if (kept == 0 || members[kept - 1] != members[i])
			members[kept++] = members[i];
	return kept;
}

/* Sorts the nodes into sets; SCRATCH holds the leaves of one node. */
static int pool_leafsets(struct fabric *fabric, struct set_pool *pool,
			 uint32_t *scratch)
{
	for (uint32_t i = 0; i < fabric->node_count; i++) {
		struct fabric_node *node = &fabric->nodes[i];

		for (uint32_t k = 0; k < node->cable_count; k++)
			scratch[k] =
				fabric->cables[node->first_cable + k].leaf;
		if (pool_add(pool, scratch,
			     make_set(scratch, node->cable_count),
			     &node->leafset))
			return -1;
	}
	return 0;
}

/* OWNERS: scratch by switch, how many sets each leaf belongs to. */
static void mark_overlaps(struct fabric *fabric, uint32_t *owners)
{
	for (uint32_t i = 0; i < fabric->leafset_count; i++)
		for (uint32_t k = 0; k < fabric->leafsets[i].leaf_count; k++)
			owners[fabric->leafset_leaves[
				fabric->leafsets[i].first_leaf + k]]++;
	for (uint32_t i = 0; i < fabric->leafset_count; i++)
		for (uint32_t k = 0; k < fabric->leafsets[i].leaf_count; k++)
			if (owners[fabric->leafset_leaves[
				fabric->leafsets[i].first_leaf + k]] > 1)
				fabric->leafsets[i].overlaps = true;
}

static int make_leafsets(struct fabric *fabric)
{
	uint32_t *scratch = array_new(fabric->cable_count, sizeof(*scratch));
	uint32_t *owners = array_new(fabric->switch_count, sizeof(*owners));
	struct set_pool pool = { 0 };
	int status = -1;

	if (scratch && owners && !pool_leafsets(fabric, &pool, scratch))
		fabric->leafsets = array_new(pool.count,
					     sizeof(*fabric->leafsets));
	if (fabric->leafsets) {
		status = 0;
		fabric->leafset_count = pool.count;
		fabric->leafset_leaves = pool.members;
		pool.members = NULL;
		for (uint32_t i = 0; i < pool.count; i++) {
			fabric->leafsets[i].first_leaf = pool.firsts[i];
			fabric->leafsets[i].leaf_count = pool_size(&pool, i);
		}
		for (uint32_t i = 0; i < fabric->node_count; i++)
			fabric->leafsets[fabric->nodes[i].leafset]
				.node_count++;
		mark_overlaps(fabric, owners);
	}
	pool_done(&pool);
	free(scratch);
	free(owners);
	return status;
}

/* Each switch once, whatever the number of leaves that name it. */
static uint32_t spines_above(const struct fabric *fabric,
			     const struct fabric_leafset *leafset,
			     uint32_t stamp, uint32_t *stamps, uint32_t *spines)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < leafset->leaf_count; i++) {
		const struct fabric_switch *leaf = &fabric->switches[
			fabric->leafset_leaves[leafset->first_leaf + i]];

		for (uint32_t k = 0; k < leaf->uplink_count; k++) {
			uint32_t to =
				fabric->uplinks[leaf->first_uplink + k].to;

			if (fabric->switches[to].tier != FABRIC_SPINE ||
			    stamps[to] == stamp)
				continue;
			stamps[to] = stamp;
			spines[count++] = to;
		}
	}
	return make_set(spines, count);
}

static int pool_spinesets(struct fabric *fabric, struct set_pool *pool)
{
	uint32_t *stamps = array_new(fabric->switch_count, sizeof(*stamps));
	uint32_t *spines = array_new(fabric->switch_count, sizeof(*spines));
	int status = stamps && spines ? 0 : -1;

	for (uint32_t i = 0; status == 0 && i < fabric->leafset_count; i++) {
		struct fabric_leafset *leafset = &fabric->leafsets[i];
		uint32_t count = spines_above(fabric, leafset, i + 1, stamps,
					      spines);

		status = pool_add(pool, spines, count, &leafset->spineset);
	}
	free(stamps);
	free(spines);
	return status;
}

static int make_spinesets(struct fabric *fabric)
{
	struct set_pool pool = { 0 };

	if (pool_spinesets(fabric, &pool)) {
		pool_done(&pool);
		return -1;
	}
	fabric->spinesets = array_new(pool.count, sizeof(*fabric->spinesets));
	if (!fabric->spinesets) {
		pool_done(&pool);
		return -1;
	}
	fabric->spineset_count = pool.count;
	fabric->spineset_spines = pool.members;
	pool.members = NULL;
	for (uint32_t i = 0; i < pool.count; i++) {
		fabric->spinesets[i].first_spine = pool.firsts[i];
		fabric->spinesets[i].spine_count = pool_size(&pool, i);
	}
	pool_done(&pool);
	return 0;
}

static void set_meeting(struct fabric *fabric, uint32_t a, uint32_t b)
{
	size_t row = fabric_meets_row_words(fabric);

	fabric->spineset_meets[a * row + b / 64] |= UINT64_C(1) << b % 64;
}

/*
 * By Spine: the sets that it belongs to meet each other. SETS of COUNT sets are
 * in one row of bits first, so that the work is words, not pairs.
 */
static void join_rows(struct fabric *fabric, const uint32_t *sets,
		      uint32_t count, uint64_t *row)
{
	size_t words = fabric_meets_row_words(fabric);

	memset(row, 0, words * sizeof(*row));
	for (uint32_t i = 0; i < count; i++)
		row[sets[i] / 64] |= UINT64_C(1) << sets[i] % 64;
	for (uint32_t i = 0; i < count; i++)
		for (size_t k = 0; k < words; k++)
			fabric->spineset_meets[sets[i] * words + k] |= row[k];
}

/* OWNERS[m]: the set to which spineset_spines[m] belongs. */
static void note_owners(const struct fabric *fabric, uint32_t *owners)
{
	for (uint32_t i = 0; i < fabric->spineset_count; i++)
		for (uint32_t k = 0; k < fabric->spinesets[i].spine_count; k++)
			owners[fabric->spinesets[i].first_spine + k] = i;
}

static void fill_meetings(struct fabric *fabric, const uint32_t *first,
			  uint32_t *order, const uint32_t *owners,
			  uint64_t *row)
{
	for (uint32_t i = 0; i < fabric->spineset_count; i++)
		if (fabric->spinesets[i].spine_count > 0)
			set_meeting(fabric, i, i);
	for (uint32_t sw = 0; sw < fabric->switch_count; sw++) {
		uint32_t count = first[sw + 1] - first[sw];

		if (count < 2)
			continue;
		for (uint32_t k = first[sw]; k < first[sw + 1]; k++)
			order[k] = owners[order[k]];
		join_rows(fabric, order + first[sw], count, row);
	}
}

static int make_meetings(struct fabric *fabric)
{
	size_t words = fabric_meets_row_words(fabric);
	size_t member_count = 0;
	uint32_t *owners = NULL;
	uint64_t *row = array_new(words, sizeof(*row));
	uint32_t *first = NULL;
	uint32_t *order = NULL;
	int status = -1;

	for (uint32_t i = 0; i < fabric->spineset_count; i++)
		member_count += fabric->spinesets[i].spine_count;
	fabric->spineset_meets = array_new(words * fabric->spineset_count,
					   sizeof(uint64_t));
	owners = array_new(member_count, sizeof(*owners));
	if (fabric->spineset_meets && owners && row &&
	    !builder_group(fabric->spineset_spines, member_count,
			   fabric->switch_count, &first, &order)) {
		note_owners(fabric, owners);
		fill_meetings(fabric, first, order, owners, row);
		status = 0;
	}
	free(owners);
	free(row);
	free(first);
	free(order);
	return status;
}

int fabric_index_sets(struct fabric *fabric)
{
	if (make_leafsets(fabric) || make_spinesets(fabric))
		return INDEX_NO_MEMORY;
	if (fabric->spineset_count > FABRIC_SPINESETS_MAX)
		return INDEX_TOO_MANY_SPINESETS;
	return make_meetings(fabric) ? INDEX_NO_MEMORY : INDEX_OK;
}
