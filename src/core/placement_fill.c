/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placement_fill: leaf by leaf. */

#include "placement_fill.h"

#include <stdlib.h>

struct filler {
	const struct placement_problem *problem;
	const struct placement_fill *fill;
	uint32_t *plan;
	const uint32_t *used;		/* by class: at most; NULL: no bound */
	uint32_t *room;			/* by class */
	uint32_t *leaf_room;		/* by leafset */
	uint32_t *pod_room;		/* by spineset */
	uint32_t *wanted_room;		/* by leafset */
	uint32_t wanted_left;		/* wanted nodes not yet used */
	uint32_t placed;
	uint32_t unit;
	uint32_t leafset, pod;		/* where we are, or FABRIC_NONE */
	uint32_t lead;			/* block 0's class, or FABRIC_NONE */
};

static uint32_t remaining(const struct filler *filler)
{
	return filler->problem->block_count - filler->placed;
}

static uint32_t next_block(const struct filler *filler)
{
	return filler->fill->order ? filler->fill->order[filler->placed] :
				     filler->placed;
}

static bool may_use(const struct filler *filler,
		    const struct placement_class *class)
{
	const struct placement_fill *fill = filler->fill;

	return (fill->only_leafset == FABRIC_NONE ||
		fill->only_leafset == class->leafset) &&
	       (fill->only_kind == FABRIC_NONE ||
		fill->only_kind == class->kind);
}

static void count_rooms(struct filler *filler)
{
	for (uint32_t c = 0; c < filler->problem->class_count; c++) {
		const struct placement_class *class =
			&filler->problem->classes[c];
		uint32_t count = filler->used ? filler->used[c] :
						class->node_count;

		if (!may_use(filler, class))
			continue;
		filler->room[c] = count;
		filler->leaf_room[class->leafset] += count;
		filler->pod_room[class->spineset] += count;
		if (class->wanted)
			filler->wanted_room[class->leafset] += count;
	}
}

/* What one leaf gets at most now. */
static uint32_t share(const struct filler *filler)
{
	uint32_t most = filler->fill->most_per_leaf;

	return most && most < remaining(filler) ? most : remaining(filler);
}

/* True while block 0 has to be placed in a class that is given. */
static bool leading(const struct filler *filler)
{
	return !filler->placed && filler->lead != FABRIC_NONE;
}

/* What of TAKE completes multiples of the unit. */
static uint32_t in_units(const struct filler *filler, uint32_t take)
{
	uint32_t over = take % filler->unit;

	if (filler->problem->lead != PLACEMENT_LEAD_ANY)
		over = (filler->placed + take) % filler->unit;
	if (leading(filler) && take < filler->unit)
		return take;	/* block 0 has to go there in any case */
	return over < take ? take - over : 0;
}

/* How much LEAFSET would take now; 0: not to be used with this unit. */
static uint32_t leaf_take(const struct filler *filler, uint32_t leafset)
{
	uint32_t room = filler->leaf_room[leafset];
	uint32_t take = remaining(filler);
	/* What must be used elsewhere is not to be had here. */
	uint32_t elsewhere = filler->wanted_left -
			     filler->wanted_room[leafset];

	take -= elsewhere < take ? elsewhere : take;
	if (take > share(filler))
		take = share(filler);
	if (take > room)
		take = room;
	return take < remaining(filler) ? in_units(filler, take) : take;
}

/* The tightest room that holds WANTED is better, else the largest. */
static bool better_room(uint32_t room, uint32_t best, uint32_t wanted)
{
	if (best < wanted)
		return room > best;
	return room >= wanted && room < best;
}

static uint32_t pick_pod(const struct filler *filler)
{
	const struct fabric *fabric = filler->problem->state->fabric;
	uint32_t best = FABRIC_NONE;

	for (uint32_t p = 0; p < fabric->spineset_count; p++)
		if (filler->pod_room[p] &&
		    (best == FABRIC_NONE ||
		     better_room(filler->pod_room[p], filler->pod_room[best],
				 remaining(filler))))
			best = p;
	return best;
}

static bool better_leaf(const struct filler *filler, uint32_t leafset,
			uint32_t best)
{
	if (best == FABRIC_NONE)
		return true;
	/* Wanted nodes have to be used in any case: their leaves come first. */
	if (!filler->wanted_room[leafset] != !filler->wanted_room[best])
		return filler->wanted_room[leafset] > 0;
	return better_room(filler->leaf_room[leafset],
			   filler->leaf_room[best], share(filler));
}

static uint32_t pick_leafset(const struct filler *filler)
{
	const struct fabric *fabric = filler->problem->state->fabric;
	uint32_t best = FABRIC_NONE;

	if (leading(filler))
		return filler->problem->classes[filler->lead].leafset;
	for (uint32_t l = 0; l < fabric->leafset_count; l++) {
		if (!leaf_take(filler, l))
			continue;
		if (filler->fill->by_pod && !filler->wanted_room[l] &&
		    fabric->leafsets[l].spineset != filler->pod)
			continue;
		if (better_leaf(filler, l, best))
			best = l;
	}
	return best;
}

static bool better_class(const struct filler *filler, uint32_t c,
			 uint32_t best, uint32_t wanted)
{
	const struct placement_class *classes = filler->problem->classes;
	bool full = classes[c].fits_from == 0;

	if (best == FABRIC_NONE)
		return true;
	if (classes[c].wanted != classes[best].wanted)
		return classes[c].wanted;
	/* A node that can take this block but not a whole one: use it up. */
	if (full != (classes[best].fits_from == 0))
		return !full;
	return better_room(filler->room[c], filler->room[best], wanted);
}

static uint32_t pick_class(const struct filler *filler, uint32_t take)
{
	uint32_t best = FABRIC_NONE, block = next_block(filler);

	if (leading(filler))
		return placement_fits(filler->problem, filler->lead, block) ?
		       filler->lead : FABRIC_NONE;
	for (uint32_t c = 0; c < filler->problem->class_count; c++) {
		const struct placement_class *class =
			&filler->problem->classes[c];

		if (filler->room[c] && class->leafset == filler->leafset &&
		    placement_fits(filler->problem, c, block) &&
		    better_class(filler, c, best, take))
			best = c;
	}
	return best;
}

static void place(struct filler *filler, uint32_t c)
{
	const struct placement_class *class = &filler->problem->classes[c];

	filler->plan[next_block(filler)] = c;
	filler->placed++;
	filler->room[c]--;
	filler->leaf_room[class->leafset]--;
	filler->pod_room[class->spineset]--;
	if (class->wanted) {
		filler->wanted_room[class->leafset]--;
		filler->wanted_left--;
	}
}

/* True where the next block may go to class C as BLOCK did. */
static bool goes_on(const struct filler *filler, uint32_t c, uint32_t block)
{
	const uint32_t *need = filler->problem->need;
	uint32_t next = next_block(filler);

	/* A smaller block has classes of its own to choose from. */
	return need[next] == need[block] &&
	       placement_fits(filler->problem, c, next);
}

/* Places up to TAKE blocks under the current leaf; how many it were. */
static uint32_t fill_leaf(struct filler *filler, uint32_t take)
{
	uint32_t placed = 0;

	while (placed < take) {
		uint32_t c = pick_class(filler, take - placed), block;

		if (c == FABRIC_NONE)
			break;
		block = next_block(filler);
		do {
			place(filler, c);
			placed++;
		} while (placed < take && filler->room[c] &&
			 goes_on(filler, c, block));
	}
	return placed;
}

/* One leaf filled, or the next thing tried; false when nothing is left. */
static bool fill_step(struct filler *filler)
{
	if (filler->fill->by_pod && (filler->pod == FABRIC_NONE ||
				     !filler->pod_room[filler->pod]))
		filler->pod = pick_pod(filler);
	filler->leafset = pick_leafset(filler);
	if (filler->leafset != FABRIC_NONE) {
		uint32_t take = leaf_take(filler, filler->leafset);
		uint32_t pod = filler->problem->state->fabric->leafsets[
				filler->leafset].spineset;

		filler->pod = pod;
		if (leading(filler))
			return fill_leaf(filler, take) > 0;
		/*
		 * A leaf is done with when it has had its share, or when only
		 * nodes too small for the next block are left there.
		 */
		if (!fill_leaf(filler, take) || filler->fill->most_per_leaf) {
			filler->pod_room[pod] -=
				filler->leaf_room[filler->leafset];
			filler->leaf_room[filler->leafset] = 0;
		}
		return true;
	}
	if (filler->unit > 1) {
		filler->unit = 1;	/* mop up what the multiples left */
		return true;
	}
	if (!filler->fill->by_pod || filler->pod == FABRIC_NONE)
		return false;
	filler->pod_room[filler->pod] = 0;
	filler->pod = FABRIC_NONE;
	filler->unit = filler->fill->unit ? filler->fill->unit : 1;
	return pick_pod(filler) != FABRIC_NONE;
}

/*
 * Fills PLAN with block 0 in class LEAD; USED bounds the nodes of each class,
 * NULL: as many as there are. As placement_fill.
 */
static int fill_once(const struct placement_problem *problem,
		     const struct placement_fill *fill, uint32_t lead,
		     const uint32_t *used, uint32_t *plan)
{
	const struct fabric *fabric = problem->state->fabric;
	size_t leafsets = fabric->leafset_count;
	uint32_t *rooms = calloc(problem->class_count + 2 * leafsets +
				 fabric->spineset_count, sizeof(*rooms));
	struct filler filler = {
		.problem = problem, .fill = fill, .plan = plan, .room = rooms,
		.used = used, .lead = lead,
		.leafset = FABRIC_NONE, .pod = FABRIC_NONE,
		.wanted_left = problem->wanted_count,
		.unit = fill->unit ? fill->unit : 1,
	};

	if (!rooms)
		return -1;
	filler.leaf_room = rooms + problem->class_count;
	filler.wanted_room = filler.leaf_room + leafsets;
	filler.pod_room = filler.wanted_room + leafsets;
	count_rooms(&filler);
	if (lead == FABRIC_NONE || filler.room[lead])
		while (remaining(&filler) && fill_step(&filler))
			;
	free(rooms);
	return remaining(&filler) == 0;
}

/* Of the classes used, the one whose first node stands lowest. */
static uint32_t lowest_class(const struct placement_problem *problem,
			     const uint32_t *used)
{
	const uint32_t *positions = problem->state->positions;
	uint32_t best = FABRIC_NONE, best_position = 0;

	for (uint32_t c = 0; c < problem->class_count; c++) {
		uint32_t position = positions[problem->class_nodes[
			problem->classes[c].first_node]];

		if (!used[c] ||
		    (best != FABRIC_NONE && position > best_position))
			continue;
		best = c;
		best_position = position;
	}
	return best;
}

/*
 * The first node of those in the plan has to have block 0: where it has not,
 * the same nodes are filled once more, from that one on.
 */
static int fill_from_lowest(const struct placement_problem *problem,
			    const struct placement_fill *fill, uint32_t *plan)
{
	uint32_t *used = calloc((size_t)problem->class_count + 1,
				sizeof(*used));
	uint32_t lead;
	int status = 1;

	if (!used)
		return -1;
	for (uint32_t k = 0; k < problem->block_count; k++)
		used[plan[k]]++;
	lead = lowest_class(problem, used);
	if (plan[0] != lead)
		status = fill_once(problem, fill, lead, used, plan);
	free(used);
	return status;
}

/* The class of the request's first node; FABRIC_NONE where it has no say. */
static uint32_t given_lead(const struct placement_problem *problem)
{
	return problem->lead == PLACEMENT_LEAD_NODE ?
	       problem->class_of[problem->request->first_node] : FABRIC_NONE;
}

int placement_fill(const struct placement_problem *problem,
		   const struct placement_fill *fill, uint32_t *plan)
{
	uint32_t lead = given_lead(problem);
	int status = 0;

	/* A first node that cannot take the largest block is in no class. */
	if (problem->lead != PLACEMENT_LEAD_NODE || lead != FABRIC_NONE)
		status = fill_once(problem, fill, lead, NULL, plan);
	if (status > 0 && problem->lead == PLACEMENT_LEAD_LOWEST)
		status = fill_from_lowest(problem, fill, plan);
	return status;
}

static int sort_by_position(const struct placement_problem *problem,
			    uint32_t *plan, uint32_t *nodes)
{
	struct placement_positioned *sorted =
		calloc(problem->block_count, sizeof(*sorted));
	int fits = 1;

	if (!sorted)
		return -1;
	for (uint32_t k = 0; k < problem->block_count; k++)
		sorted[k] = (struct placement_positioned){
			problem->state->positions[nodes[k]], nodes[k]
		};
	qsort(sorted, problem->block_count, sizeof(*sorted),
	      placement_by_position);
	for (uint32_t k = 0; k < problem->block_count; k++) {
		nodes[k] = sorted[k].node;
		plan[k] = problem->class_of[nodes[k]];
		if (!placement_fits(problem, plan[k], k))
			fits = 0;
	}
	free(sorted);
	return fits;
}

int placement_settle(const struct placement_problem *problem, uint32_t *plan,
		     uint32_t *nodes)
{
	uint32_t *used = calloc((size_t)problem->class_count + 1,
				sizeof(*used));
	int fits = 1;

	if (!used)
		return -1;
	if (!problem->request->keep_order) {
		fits = placement_plan_nodes(problem, plan, nodes, used);
		free(used);
		return fits;
	}
	for (uint32_t k = 0; fits && k < problem->block_count; k++) {
		const struct placement_class *class =
			&problem->classes[plan[k]];

		fits = used[plan[k]] < class->node_count;
		if (fits)
			nodes[k] = problem->class_nodes[class->first_node +
							used[plan[k]]++];
	}
	for (uint32_t c = 0; c < problem->class_count; c++)
		if (problem->classes[c].wanted &&
		    used[c] < problem->classes[c].node_count)
			fits = 0;
	free(used);
	return fits ? sort_by_position(problem, plan, nodes) : 0;
}
