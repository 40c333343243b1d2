/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placement_problem: sorts nodes into classes and traffic into arcs. */

#include "placement_problem.h"

#include <stdlib.h>
#include <string.h>

/* A group of more blocks is scored as a whole, not cut into arcs. */
#define ARC_GROUP_BLOCKS_MAX 256
#define ARCS_MAX 4000000

/* The first block that a node with FREE GPUs can take. */
static uint32_t fits_from(const struct placement_problem *problem,
			  uint32_t free_gpus)
{
	uint32_t low = 0, high = problem->block_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (problem->need[middle] <= free_gpus)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

struct class_key {
	uint32_t node, kind, fits_from, gives, first_gpu;
	bool wanted, leads;
};

static int compare_keys(const void *a, const void *b)
{
	const struct class_key *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->wanted != y->wanted)
		return x->wanted ? -1 : 1;
	if (x->leads != y->leads)
		return x->leads ? -1 : 1;
	if (x->fits_from != y->fits_from)
		return x->fits_from < y->fits_from ? -1 : 1;
	if (x->gives != y->gives)
		return x->gives < y->gives ? -1 : 1;
	if (x->first_gpu != y->first_gpu)
		return x->first_gpu < y->first_gpu ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static bool same_class(const struct class_key *x, const struct class_key *y)
{
	return x->kind == y->kind && x->wanted == y->wanted &&
	       x->leads == y->leads && x->fits_from == y->fits_from &&
	       x->gives == y->gives && x->first_gpu == y->first_gpu;
}

/* In the order of use: free order the fullest first, kept order by position. */
struct use_key {
	uint32_t node, rank;
};

static int compare_use(const void *a, const void *b)
{
	const struct use_key *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* The node that would lead comes first, so that block 0 finds it there. */
static void put_lowest_first(const struct placement_problem *problem,
			     uint32_t *nodes, uint32_t count)
{
	const uint32_t *positions = problem->state->positions;
	uint32_t lowest = 0, node;

	for (uint32_t i = 1; i < count; i++)
		if (positions[nodes[i]] < positions[nodes[lowest]])
			lowest = i;
	node = nodes[lowest];
	memmove(nodes + 1, nodes, lowest * sizeof(*nodes));
	nodes[0] = node;
}

static void order_class(struct placement_problem *problem,
			struct placement_class *class, struct use_key *keys)
{
	const struct state *state = problem->state;
	uint32_t *nodes = problem->class_nodes + class->first_node;
	/* A single block has no order to keep. */
	bool by_position = problem->request->keep_order &&
			   problem->block_count > 1;

	for (uint32_t i = 0; i < class->node_count; i++) {
		keys[i].node = nodes[i];
		keys[i].rank = by_position ? state->positions[nodes[i]] :
					     state_free_gpus(state, nodes[i]);
	}
	qsort(keys, class->node_count, sizeof(*keys), compare_use);
	for (uint32_t i = 0; i < class->node_count; i++)
		nodes[i] = keys[i].node;
	if (problem->lead == PLACEMENT_LEAD_LOWEST)
		put_lowest_first(problem, nodes, class->node_count);
}

static void open_class(struct placement_problem *problem,
		       const struct class_key *key, uint32_t first)
{
	const struct fabric *fabric = problem->state->fabric;
	const struct fabric_node *node = &fabric->nodes[key->node];
	struct placement_class *class =
		&problem->classes[problem->class_count++];

	*class = (struct placement_class){
		.kind = key->kind, .leafset = node->leafset,
		.spineset = fabric->leafsets[node->leafset].spineset,
		.leaf = fabric->cables[node->first_cable].leaf,
		.first_gpu = key->first_gpu, .nics = node->nics,
		.fits_from = key->fits_from, .gives = key->gives,
		.wanted = key->wanted, .leads = key->leads,
		.first_node = first,
	};
}

static void fill_classes(struct placement_problem *problem,
			 const struct class_key *keys, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct placement_class *class;

		if (!i || !same_class(&keys[i - 1], &keys[i]))
			open_class(problem, &keys[i], i);
		class = &problem->classes[problem->class_count - 1];
		class->node_count++;
		class->free_gpus += state_free_gpus(problem->state,
						    keys[i].node);
		problem->class_nodes[i] = keys[i].node;
		problem->class_of[keys[i].node] = problem->class_count - 1;
		problem->wanted_count += keys[i].wanted;
	}
}

static int make_classes(struct placement_problem *problem,
			const uint32_t *nodes, uint32_t count,
			const struct nodeset *wanted, const uint32_t *gives)
{
	const struct state *state = problem->state;
	struct class_key *keys = calloc((size_t)count + 1, sizeof(*keys));
	struct use_key *use = calloc((size_t)count + 1, sizeof(*use));
	uint32_t kept = 0;

	for (uint32_t i = 0; keys && use && i < count; i++) {
		uint32_t free_gpus = state_free_gpus(state, nodes[i]);
		struct class_key key = {
			nodes[i], state->kinds.of_node[nodes[i]],
			gives ? 0 : fits_from(problem, free_gpus),
			gives ? gives[nodes[i]] : 0,
			problem->prices->rails_alike ? 0 :
				state->gpus_used[nodes[i]],
			nodeset_has(wanted, nodes[i]),
			problem->lead == PLACEMENT_LEAD_NODE &&
				nodes[i] == problem->request->first_node
		};

		if (key.fits_from < problem->block_count)
			keys[kept++] = key;
	}
	if (keys && use) {
		qsort(keys, kept, sizeof(*keys), compare_keys);
		fill_classes(problem, keys, kept);
		for (uint32_t c = 0; c < problem->class_count; c++)
			order_class(problem, &problem->classes[c], use);
	}
	free(keys);
	free(use);
	return keys && use ? 0 : -1;
}

/* What is free under each leafset and in each domain, for the merit. */
static void count_free(struct placement_problem *problem)
{
	const struct fabric *fabric = problem->state->fabric;

	for (uint32_t i = 0; i < fabric->node_count; i++) {
		uint32_t free_gpus = state_free_gpus(problem->state, i);

		problem->free_by_leafset[fabric->nodes[i].leafset] += free_gpus;
		problem->free_by_domain[fabric->nodes[i].domain] += free_gpus;
	}
}

/* Arcs while they are gathered. */
struct arc_list {
	struct placement_problem *problem;
	struct { uint32_t owner; struct placement_arc arc; } *items;
	uint32_t count, room;
};

static int add_arc(struct arc_list *list, uint32_t owner,
		   struct placement_arc arc)
{
	if (list->count == list->room) {
		uint32_t room = list->room ? list->room * 2 : 512;
		void *items = realloc(list->items,
				      room * sizeof(*list->items));

		if (!items)
			return -1;
		list->items = items;
		list->room = room;
	}
	list->items[list->count].owner = owner;
	list->items[list->count++].arc = arc;
	return 0;
}

static int add_pair(struct arc_list *list, uint32_t from, uint32_t to,
		    uint16_t slot, double bytes)
{
	if (list->problem->prices->rails_alike)
		slot = 0;
	return add_arc(list, from, (struct placement_arc){ to, slot, true,
							   bytes }) ||
	       add_arc(list, to, (struct placement_arc){ from, slot, false,
							 bytes }) ? -1 : 0;
}

static int add_group_arcs(struct arc_list *list,
			  const struct traffic_group *group)
{
	const struct traffic_member *members =
		list->problem->traffic->members + group->first_member;
	double unit = group->unit * group->multiplicity;

	for (uint32_t i = 0; i < group->member_count; i++)
		for (uint32_t k = 0; k < group->member_count; k++)
			if (members[i].block != members[k].block &&
			    add_pair(list, members[i].block, members[k].block,
				     members[k].slot,
				     unit * members[i].count *
				     members[k].count))
				return -1;
	return 0;
}

/* Sets GROUP aside, to be costed as a whole. */
static int set_aside(struct placement_problem *problem,
		     const struct traffic_group *group)
{
	const struct traffic *traffic = problem->traffic;
	struct traffic *whole = problem->whole_groups;

	if (!whole) {
		whole = calloc(1, sizeof(*whole));
		if (!whole)
			return -1;
		problem->whole_groups = whole;
		*whole = *traffic;	/* members and blocks are borrowed */
		whole->edge_count = 0;
		whole->edges = NULL;
		whole->group_count = 0;
		whole->groups = calloc(traffic->group_count,
				       sizeof(*whole->groups));
		problem->stand_ins = calloc(2 * (size_t)problem->block_count,
					    sizeof(uint32_t));
	}
	if (!whole->groups || !problem->stand_ins)
		return -1;
	problem->stand_in_gpus = problem->stand_ins + problem->block_count;
	whole->groups[whole->group_count++] = *group;
	return 0;
}

static int gather_groups(struct arc_list *list)
{
	const struct traffic *traffic = list->problem->traffic;

	for (uint32_t i = 0; i < traffic->group_count; i++) {
		const struct traffic_group *group = &traffic->groups[i];
		bool whole = group->pattern != TRAFFIC_ALL_TO_ALL ||
			     group->member_count > ARC_GROUP_BLOCKS_MAX ||
			     list->count > ARCS_MAX;

		if (whole ? set_aside(list->problem, group) :
			    add_group_arcs(list, group))
			return -1;
	}
	return 0;
}

static int gather_arcs(struct arc_list *list)
{
	const struct traffic *traffic = list->problem->traffic;

	for (uint32_t i = 0; i < traffic->edge_count; i++) {
		const struct traffic_edge *edge = &traffic->edges[i];

		if (add_pair(list, edge->from, edge->to, edge->slot,
			     edge->bytes))
			return -1;
	}
	return gather_groups(list);
}

static int compare_arcs(const void *a, const void *b)
{
	const struct placement_arc *x = a, *y = b;

	if (x->other != y->other)
		return x->other < y->other ? -1 : 1;
	if (x->outgoing != y->outgoing)
		return x->outgoing ? -1 : 1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

/* Sorts COUNT arcs and adds equal ones up; what is left of them. */
static uint32_t merge_arcs(struct placement_arc *arcs, uint32_t count)
{
	uint32_t kept = 0;

	if (!count)
		return 0;
	qsort(arcs, count, sizeof(*arcs), compare_arcs);
	for (uint32_t i = 1; i < count; i++) {
		if (compare_arcs(&arcs[kept], &arcs[i]))
			arcs[++kept] = arcs[i];
		else
			arcs[kept].bytes += arcs[i].bytes;
	}
	return kept + 1;
}

/* Counting sort by owner, then each owner's arcs merged in place. */
static int file_arcs(struct placement_problem *problem,
		     const struct arc_list *list)
{
	uint32_t blocks = problem->block_count, to = 0, from = 0;
	uint32_t *next;

	problem->arcs = calloc((size_t)list->count + 1,
			       sizeof(*problem->arcs));
	problem->arc_start = calloc((size_t)blocks + 2, sizeof(uint32_t));
	if (!problem->arcs || !problem->arc_start)
		return -1;
	next = problem->arc_start + 1;
	for (uint32_t i = 0; i < list->count; i++)
		next[list->items[i].owner + 1]++;
	for (uint32_t b = 0; b < blocks; b++)
		next[b + 1] += next[b];
	for (uint32_t i = 0; i < list->count; i++)
		problem->arcs[next[list->items[i].owner]++] =
			list->items[i].arc;
	for (uint32_t b = 0; b < blocks; b++) {
		uint32_t end = problem->arc_start[b + 1], kept;

		kept = merge_arcs(problem->arcs + from, end - from);
		memmove(problem->arcs + to, problem->arcs + from,
			kept * sizeof(*problem->arcs));
		from = end;
		problem->arc_start[b] = to;
		to += kept;
	}
	problem->arc_start[blocks] = to;
	return 0;
}

static int make_arcs(struct placement_problem *problem)
{
	struct arc_list list = { .problem = problem };
	int status;

	status = gather_arcs(&list);
	if (!status)
		status = file_arcs(problem, &list);
	free(list.items);
	return status;
}

static bool allocate(struct placement_problem *problem, uint32_t node_count)
{
	const struct fabric *fabric = problem->state->fabric;
	size_t nodes = (size_t)node_count + 1;

	problem->classes = calloc(nodes, sizeof(*problem->classes));
	problem->class_nodes = calloc(nodes, sizeof(uint32_t));
	problem->class_of = calloc((size_t)fabric->node_count + 1,
				   sizeof(uint32_t));
	problem->free_by_leafset = calloc((size_t)fabric->leafset_count + 1,
					  sizeof(uint64_t));
	problem->free_by_domain = calloc((size_t)fabric->domain_count + 1,
					 sizeof(uint64_t));
	problem->best_nodes = calloc((size_t)problem->block_count + 1,
				     sizeof(uint32_t));
	if (!problem->classes || !problem->class_nodes || !problem->class_of ||
	    !problem->free_by_leafset || !problem->free_by_domain ||
	    !problem->best_nodes)
		return false;
	memset(problem->class_of, 0xff,
	       fabric->node_count * sizeof(uint32_t));
	return true;
}

/* A single block has no order; in kept order the first is the lowest. */
static enum placement_lead find_lead(const struct placement_request *request,
				     uint32_t block_count)
{
	if (block_count == 1 || request->keep_order)
		return PLACEMENT_LEAD_ANY;
	if (request->has_first_node)
		return PLACEMENT_LEAD_NODE;
	return request->first_in_order ? PLACEMENT_LEAD_LOWEST :
					 PLACEMENT_LEAD_ANY;
}

int placement_problem_init(struct placement_problem *problem,
			   const struct placement_request *request,
			   const struct cost_prices *prices,
			   const struct job_profile *profile, uint32_t *need,
			   uint32_t block_count, const uint32_t *nodes,
			   uint32_t count, const struct nodeset *wanted,
			   const uint32_t *gives)
{
	*problem = (struct placement_problem){
		.request = request, .state = request->state,
		.prices = prices, .profile = *profile, .need = need,
		.block_count = block_count,
		.lead = find_lead(request, block_count),
	};
	if (!allocate(problem, count) ||
	    make_classes(problem, nodes, count, wanted, gives))
		return -1;
	count_free(problem);
	problem->traffic = traffic_build(profile, need, block_count,
					 problem->state->fabric->has_rails);
	return problem->traffic ? make_arcs(problem) : -1;
}

void placement_problem_done(struct placement_problem *problem)
{
	free(problem->need);
	free(problem->classes);
	free(problem->class_nodes);
	free(problem->class_of);
	free(problem->free_by_leafset);
	free(problem->free_by_domain);
	free(problem->best_nodes);
	free(problem->arcs);
	free(problem->arc_start);
	if (problem->whole_groups)
		free(problem->whole_groups->groups);
	free(problem->whole_groups);
	free(problem->stand_ins);
	traffic_free(problem->traffic);
}
