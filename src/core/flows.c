/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flows: walks edges and groups of a traffic over a placement. */

#include "flows.h"

#include <stdlib.h>

/* Ranks of an all-to-all group behind one kind and rail. */
struct cluster {
	uint32_t kind;
	uint32_t rail;
	double ranks;
	double same_block;	/* ordered pairs that stay in their block */
};

/* A connected class of a group's nodes under "joined by level 0 or 1". */
struct leaf_class {
	uint32_t first;		/* index into the group's members */
	uint32_t blocks;
};

struct walk {
	const struct flow_source *source;
	const struct flow_sink *sink;
	/* Scratch, each with room for the largest group. */
	struct cluster *clusters;
	double *kind_ranks;	/* by kind: ranks of the group, else 0 */
	uint32_t *group_kinds;
	double *near_ranks;	/* by kind: those within reach of level 0 */
	uint32_t *class_of;	/* by distinct kind of the group */
	struct leaf_class *classes;
};

static uint32_t kind_of(const struct walk *walk, uint32_t block)
{
	return walk->source->kinds->of_node[walk->source->nodes[block]];
}

static uint32_t rail_of(const struct walk *walk, uint32_t block,
			uint32_t slot)
{
	const struct flow_source *source = walk->source;
	const struct fabric_node *node =
		&source->fabric->nodes[source->nodes[block]];

	return (source->first_gpu[block] + slot) % node->nics;
}

static int level_of(const struct walk *walk, uint32_t from, uint32_t to)
{
	return kinds_level(walk->source->kinds, walk->source->fabric, from,
			   to);
}

static void hand_over(const struct walk *walk, const struct flow *flow)
{
	walk->sink->flow(walk->sink->context, flow);
}

static void hand_ends(const struct walk *walk, uint32_t block,
		      enum dimension dimension, double sent, double received)
{
	if (walk->sink->ends)
		walk->sink->ends(walk->sink->context, block, dimension, sent,
				 received);
}

static void walk_edges(const struct walk *walk)
{
	const struct traffic *traffic = walk->source->traffic;

	for (uint32_t i = 0; i < traffic->edge_count; i++) {
		const struct traffic_edge *edge = &traffic->edges[i];
		struct flow flow = {
			.from = kind_of(walk, edge->from),
			.to = kind_of(walk, edge->to),
			.rail = rail_of(walk, edge->to, edge->slot),
			.dimension = (enum dimension)edge->dimension,
			.bytes = edge->bytes,
		};

		flow.level = level_of(walk, flow.from, flow.to);
		hand_over(walk, &flow);
		if (flow.level == 0)
			continue;
		hand_ends(walk, edge->from, flow.dimension, edge->bytes, 0);
		hand_ends(walk, edge->to, flow.dimension, 0, edge->bytes);
	}
}

static int compare_clusters(const void *a, const void *b)
{
	const struct cluster *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->rail > y->rail) - (x->rail < y->rail);
}

/* Ranks of the group in the block of member I, whose run begins there. */
static double ranks_in_block(const struct traffic_member *members,
			     uint32_t count, uint32_t i)
{
	double ranks = 0;

	for (uint32_t k = i; k < count &&
	     members[k].block == members[i].block; k++)
		ranks += members[k].count;
	return ranks;
}

static uint32_t gather_clusters(const struct walk *walk,
				const struct traffic_group *group)
{
	const struct traffic_member *members =
		walk->source->traffic->members + group->first_member;
	struct cluster *clusters = walk->clusters;
	double in_block = 0;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < group->member_count; i++) {
		uint32_t block = members[i].block;

		if (!i || members[i - 1].block != block)
			in_block = ranks_in_block(members,
						  group->member_count, i);
		clusters[i] = (struct cluster){
			kind_of(walk, block),
			rail_of(walk, block, members[i].slot),
			members[i].count, in_block * members[i].count
		};
	}
	qsort(clusters, group->member_count, sizeof(*clusters),
	      compare_clusters);
	for (uint32_t i = 1; i < group->member_count; i++) {
		if (compare_clusters(&clusters[kept], &clusters[i])) {
			clusters[++kept] = clusters[i];
			continue;
		}
		clusters[kept].ranks += clusters[i].ranks;
		clusters[kept].same_block += clusters[i].same_block;
	}
	return kept + 1;
}

/* Fills kind_ranks and group_kinds; the number of distinct kinds. */
static uint32_t count_kinds(const struct walk *walk, uint32_t cluster_count)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < cluster_count; i++) {
		uint32_t kind = walk->clusters[i].kind;

		if (walk->kind_ranks[kind] == 0) {
			walk->group_kinds[count++] = kind;
			walk->near_ranks[kind] = 0;
		}
		walk->kind_ranks[kind] += walk->clusters[i].ranks;
	}
	return count;
}

static void flow_to_cluster(const struct walk *walk,
			    const struct traffic_group *group, uint32_t from,
			    const struct cluster *to)
{
	double unit = group->unit * group->multiplicity;
	double senders = walk->kind_ranks[from];
	double pairs = senders * to->ranks -
		       (from == to->kind ? to->same_block : 0);
	struct flow flow = {
		.from = from, .to = to->kind, .rail = to->rail,
		.level = level_of(walk, from, to->kind),
		.dimension = (enum dimension)group->dimension,
		.bytes = pairs * unit,
		.hot_bytes = senders * unit * (walk->source->skew - 1),
	};

	if (pairs > 0)
		hand_over(walk, &flow);
}

/* What each block's NICs carry of an all-to-all. */
static void all_to_all_ends(const struct walk *walk,
			    const struct traffic_group *group)
{
	const struct traffic_member *members =
		walk->source->traffic->members + group->first_member;
	double unit = group->unit * group->multiplicity;

	for (uint32_t i = 0; i < group->member_count; i++) {
		uint32_t block = members[i].block;
		double here, near, bytes;

		if (i && members[i - 1].block == block)
			continue;
		here = ranks_in_block(members, group->member_count, i);
		near = walk->near_ranks[kind_of(walk, block)];
		bytes = here * (group->ranks - (near > 0 ? near : here)) * unit;
		hand_ends(walk, block, (enum dimension)group->dimension, bytes,
			  bytes);
	}
}

static void walk_all_to_all(const struct walk *walk,
			    const struct traffic_group *group)
{
	uint32_t cluster_count = gather_clusters(walk, group);
	uint32_t kinds = count_kinds(walk, cluster_count);

	for (uint32_t k = 0; k < kinds; k++) {
		uint32_t from = walk->group_kinds[k];

		for (uint32_t c = 0; c < cluster_count; c++)
			flow_to_cluster(walk, group, from, &walk->clusters[c]);
		for (uint32_t to = 0; to < kinds; to++)
			if (!level_of(walk, from, walk->group_kinds[to]))
				walk->near_ranks[from] += walk->kind_ranks[
					walk->group_kinds[to]];
	}
	all_to_all_ends(walk, group);
	for (uint32_t k = 0; k < kinds; k++)
		walk->kind_ranks[walk->group_kinds[k]] = 0;
}

/* Makes one class of the classes A and B of the first COUNT kinds. */
static void join(uint32_t *class_of, uint32_t count, uint32_t a, uint32_t b)
{
	uint32_t low = a < b ? a : b, high = a < b ? b : a;

	for (uint32_t i = 0; i < count; i++)
		if (class_of[i] == high)
			class_of[i] = low;
}

/*
 * The distinct kinds of the group in order of their first member, and the
 * class of each. kind_ranks serves as a mark and is left clean.
 */
static uint32_t classify_kinds(const struct walk *walk,
			       const struct traffic_group *group)
{
	const struct traffic_member *members =
		walk->source->traffic->members + group->first_member;
	uint32_t count = 0;

	for (uint32_t i = 0; i < group->member_count; i++) {
		uint32_t kind = kind_of(walk, members[i].block);

		if (walk->kind_ranks[kind] > 0)
			continue;
		walk->kind_ranks[kind] = 1;
		walk->group_kinds[count] = kind;
		walk->class_of[count] = count;
		for (uint32_t k = 0; k < count; k++)
			if (level_of(walk, walk->group_kinds[k], kind) <= 1)
				join(walk->class_of, count + 1,
				     walk->class_of[k], walk->class_of[count]);
		count++;
	}
	for (uint32_t k = 0; k < count; k++)
		walk->kind_ranks[walk->group_kinds[k]] = 0;
	return count;
}

/* The classes in order of their first members; their number. */
static uint32_t find_classes(const struct walk *walk,
			     const struct traffic_group *group)
{
	const struct traffic_member *members =
		walk->source->traffic->members + group->first_member;
	uint32_t kinds = classify_kinds(walk, group), count = 0;

	for (uint32_t k = 0; k < kinds; k++)
		if (walk->class_of[k] == k)
			walk->classes[k].blocks = 0;
	for (uint32_t i = 0; i < group->member_count; i++) {
		uint32_t kind = kind_of(walk, members[i].block), k = 0;

		while (walk->group_kinds[k] != kind)
			k++;
		k = walk->class_of[k];
		if (!walk->classes[k].blocks++)
			walk->classes[k].first = i;
	}
	/* Classes are numbered by their first kind, so they stand in order. */
	for (uint32_t k = 0; k < kinds; k++)
		if (walk->class_of[k] == k)
			walk->classes[count++] = walk->classes[k];
	return count;
}

static void class_flow(const struct walk *walk,
		       const struct traffic_group *group,
		       const struct leaf_class *from,
		       const struct leaf_class *to, int level, double bytes)
{
	const struct traffic_member *members =
		walk->source->traffic->members + group->first_member;
	uint32_t sender = members[from->first].block;
	uint32_t receiver = members[to->first].block;
	struct flow flow = {
		.from = kind_of(walk, sender), .to = kind_of(walk, receiver),
		.rail = rail_of(walk, receiver, members[to->first].slot),
		.dimension = (enum dimension)group->dimension,
		.bytes = bytes * group->multiplicity,
	};

	flow.level = level ? level : level_of(walk, flow.from, flow.to);
	hand_over(walk, &flow);
}

/* NIC bytes of the two algorithms are an estimate: D a node, each way. */
static void reduce_ends(const struct walk *walk,
			const struct traffic_group *group)
{
	const struct traffic_member *members =
		walk->source->traffic->members + group->first_member;
	double bytes = group->unit * group->multiplicity;

	if (group->pattern == TRAFFIC_HIERARCHICAL)
		bytes *= 2.0 * (group->member_count - 1) / group->member_count;
	for (uint32_t i = 0; i < group->member_count; i++)
		hand_ends(walk, members[i].block,
			  (enum dimension)group->dimension, bytes, bytes);
}

static void walk_hierarchical(const struct walk *walk,
			      const struct traffic_group *group)
{
	uint32_t count = find_classes(walk, group);
	double bytes = 2.0 * (count - 1) / count * group->unit;

	for (uint32_t i = 0; count > 1 && i < count; i++)
		class_flow(walk, group, &walk->classes[i],
			   &walk->classes[(i + 1) % count], 0, bytes);
	reduce_ends(walk, group);
}

static bool spineset_has(const struct fabric *fabric, uint32_t spineset,
			 uint32_t spine)
{
	const struct fabric_spineset *set = &fabric->spinesets[spineset];

	for (uint32_t i = 0; i < set->spine_count; i++)
		if (fabric->spineset_spines[set->first_spine + i] == spine)
			return true;
	return false;
}

static uint32_t spineset_of_kind(const struct walk *walk, uint32_t kind)
{
	const struct fabric *fabric = walk->source->fabric;
	uint32_t node = walk->source->kinds->node_of[kind];

	return fabric->leafsets[fabric->nodes[node].leafset].spineset;
}

/* True where SPINE stands above some kind of class CLASS. */
static bool class_has_spine(const struct walk *walk, uint32_t kinds,
			    uint32_t class, uint32_t spine)
{
	for (uint32_t k = 0; k < kinds; k++)
		if (walk->class_of[k] == class &&
		    spineset_has(walk->source->fabric,
				 spineset_of_kind(walk, walk->group_kinds[k]),
				 spine))
			return true;
	return false;
}

static bool all_classes_have_spine(const struct walk *walk, uint32_t kinds,
				   uint32_t spine)
{
	for (uint32_t k = 0; k < kinds; k++)
		if (walk->class_of[k] == k &&
		    !class_has_spine(walk, kinds, k, spine))
			return false;
	return true;
}

/* True where all classes of the group have a Spine switch in common. */
static bool classes_meet(const struct walk *walk, uint32_t kinds)
{
	const struct fabric *fabric = walk->source->fabric;

	for (uint32_t k = 0; k < kinds; k++) {
		const struct fabric_spineset *set = &fabric->spinesets[
			spineset_of_kind(walk, walk->group_kinds[k])];

		for (uint32_t i = 0; !walk->class_of[k] &&
		     i < set->spine_count; i++)
			if (all_classes_have_spine(walk, kinds,
				fabric->spineset_spines[set->first_spine + i]))
				return true;
	}
	return false;
}

static void walk_sharp(const struct walk *walk,
		       const struct traffic_group *group)
{
	uint32_t kinds = classify_kinds(walk, group);
	int level = classes_meet(walk, kinds) ? 2 : 3;
	uint32_t count = find_classes(walk, group);

	for (uint32_t i = 0; count > 1 && i < count; i++)
		class_flow(walk, group, &walk->classes[i], &walk->classes[i],
			   level, group->unit);
	reduce_ends(walk, group);
}

static void walk_groups(const struct walk *walk)
{
	const struct traffic *traffic = walk->source->traffic;

	for (uint32_t i = 0; i < traffic->group_count; i++) {
		const struct traffic_group *group = &traffic->groups[i];

		if (group->pattern == TRAFFIC_ALL_TO_ALL)
			walk_all_to_all(walk, group);
		else if (group->pattern == TRAFFIC_HIERARCHICAL)
			walk_hierarchical(walk, group);
		else
			walk_sharp(walk, group);
	}
}

static void free_scratch(struct walk *walk)
{
	free(walk->clusters);
	free(walk->kind_ranks);
	free(walk->near_ranks);
	free(walk->group_kinds);
	free(walk->class_of);
	free(walk->classes);
}

static bool allocate_scratch(struct walk *walk)
{
	const struct traffic *traffic = walk->source->traffic;
	uint32_t kinds = walk->source->kinds->count, largest = 0;

	for (uint32_t i = 0; i < traffic->group_count; i++)
		if (traffic->groups[i].member_count > largest)
			largest = traffic->groups[i].member_count;
	walk->clusters = calloc(largest, sizeof(*walk->clusters));
	walk->kind_ranks = calloc(kinds, sizeof(*walk->kind_ranks));
	walk->near_ranks = calloc(kinds, sizeof(*walk->near_ranks));
	walk->group_kinds = calloc(largest, sizeof(*walk->group_kinds));
	walk->class_of = calloc(largest, sizeof(*walk->class_of));
	walk->classes = calloc(largest, sizeof(*walk->classes));
	return walk->clusters && walk->kind_ranks && walk->near_ranks &&
	       walk->group_kinds && walk->class_of && walk->classes;
}

int flows_walk(const struct flow_source *source, const struct flow_sink *sink)
{
	struct walk walk = { .source = source, .sink = sink };
	int status = 0;

	walk_edges(&walk);
	if (!source->traffic->group_count)
		return 0;
	if (allocate_scratch(&walk))
		walk_groups(&walk);
	else
		status = -1;
	free_scratch(&walk);
	return status;
}
