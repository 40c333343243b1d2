/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cost: scores a placement. */

#include "cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"

#define BYTES_PER_GBIT 1.25e8

struct scoring {
	const struct state *state;
	const struct cost_prices *prices;
	const struct job_profile *profile;
	const struct traffic *traffic;
	const uint32_t *nodes;
	struct cost_score *score;
	struct load load;
	double *sent;		/* [DIMENSIONS][block_count], level 1 to 3 */
	double *received;
	uint32_t *first_gpu;
};

static void score_flow(void *context, const struct flow *flow)
{
	struct scoring *scoring = context;
	const struct fabric *fabric = scoring->state->fabric;
	const struct kinds *kinds = &scoring->state->kinds;
	struct cost_bytes *bytes =
		&scoring->score->by_dimension[flow->dimension];

	if (flow->level == 0) {
		bytes->local += flow->bytes;
		return;
	}
	if (flow->level == 1) {
		bytes->leaf += flow->bytes;
		return;
	}
	bytes->spine += flow->bytes;
	if (flow->level == 3)
		bytes->core += flow->bytes;
	scoring->score->cost += flow->bytes *
		cost_pair_price(scoring->prices,
				kinds_leaf(kinds, fabric, flow->from,
					   flow->rail),
				kinds_leaf(kinds, fabric, flow->to,
					   flow->rail), flow->level);
	load_add(&scoring->load, flow);
}

static void score_ends(void *context, uint32_t block, enum dimension dimension,
		       double sent, double received)
{
	struct scoring *scoring = context;
	size_t cell = (size_t)dimension * scoring->traffic->block_count + block;

	scoring->sent[cell] += sent;
	scoring->received[cell] += received;
}

static void add_totals(struct scoring *scoring)
{
	struct cost_score *score = scoring->score;

	for (int dim = 0; dim < DIMENSIONS; dim++) {
		struct cost_bytes *bytes = &score->by_dimension[dim];

		bytes->local += scoring->traffic->inner[dim];
		score->total.spine += bytes->spine;
		score->total.core += bytes->core;
		score->total.leaf += bytes->leaf;
		score->total.local += bytes->local;
	}
}

/* Connected classes of the nodes under "share a leaf". */
static uint32_t count_leaves(struct scoring *scoring, uint32_t *sets)
{
	const struct fabric *fabric = scoring->state->fabric;
	uint32_t blocks = scoring->traffic->block_count, classes = 0;
	uint32_t *class_of = sets + blocks, count = 0;

	for (uint32_t k = 0; k < blocks; k++) {
		uint32_t set = fabric->nodes[scoring->nodes[k]].leafset, i = 0;

		/* Ranks run along leaves, so the newest sets come again. */
		while (i < count && sets[count - 1 - i] != set)
			i++;
		if (i < count)
			continue;
		sets[count] = set;
		class_of[count] = count;
		for (i = 0; fabric->leafsets[set].overlaps && i < count; i++) {
			uint32_t from = class_of[i], to = class_of[count];

			if (from == to ||
			    !fabric_leafsets_touch(fabric, sets[i], set))
				continue;
			for (uint32_t j = 0; j <= count; j++)
				if (class_of[j] == from)
					class_of[j] = to;
		}
		count++;
	}
	for (uint32_t i = 0; i < count; i++)
		classes += class_of[i] == i;
	return classes;
}

/* The busiest bundle so far. */
struct busiest {
	uint32_t sw;
	bool upwards;
	double seconds;
};

static double bundle_bytes(const struct scoring *scoring, uint32_t sw,
			   enum load_part part)
{
	double bytes = 0;

	for (int dim = 0; dim < DIMENSIONS; dim++)
		bytes += load_cells(&scoring->load, (enum dimension)dim,
				    part)[sw];
	return bytes;
}

static void consider(struct busiest *busiest, uint32_t sw, bool upwards,
		     double seconds)
{
	if (seconds > busiest->seconds)
		*busiest = (struct busiest){ sw, upwards, seconds };
}

/* What the names of a switch's parents have in common, with a star. */
static void name_parents(const struct fabric *fabric, uint32_t sw, char *buffer,
			 size_t room)
{
	const struct fabric_switch *child = &fabric->switches[sw];
	const struct fabric_uplink *links =
		fabric->uplinks + child->first_uplink;
	const char *first = fabric->switches[links[0].to].name;
	size_t common = strlen(first);

	if (child->uplink_count == 1) {
		snprintf(buffer, room, "%s", first);
		return;
	}
	for (uint32_t i = 1; i < child->uplink_count; i++) {
		const char *name = fabric->switches[links[i].to].name;
		size_t same = 0;

		while (same < common && name[same] == first[same])
			same++;
		common = same;
	}
	while (common > 0 && first[common - 1] >= '0' &&
	       first[common - 1] <= '9')
		common--;
	if (!common) {
		first = fabric_tier_name(fabric->switches[links[0].to].tier);
		common = strlen(first);
	}
	snprintf(buffer, room, "%.*s*", (int)common, first);
}

static void find_bottleneck(struct scoring *scoring)
{
	const struct fabric *fabric = scoring->state->fabric;
	struct cost_score *score = scoring->score;
	struct busiest busiest = { 0, true, 0 };
	char parents[COST_LINK_NAME_MAX / 2 - 2];

	for (uint32_t sw = 0; sw < fabric->switch_count; sw++) {
		double up = bundle_bytes(scoring, sw, LOAD_UP);
		double down = bundle_bytes(scoring, sw, LOAD_DOWN);

		if (up > 0)
			consider(&busiest, sw, true, up / BYTES_PER_GBIT /
				 state_up_left_gbps(scoring->state, sw));
		if (down > 0)
			consider(&busiest, sw, false, down / BYTES_PER_GBIT /
				 state_down_left_gbps(scoring->state, sw));
	}
	score->bottleneck_link[0] = '\0';
	if (busiest.seconds == 0)
		return;
	name_parents(fabric, busiest.sw, parents, sizeof(parents));
	snprintf(score->bottleneck_link, sizeof(score->bottleneck_link),
		 busiest.upwards ? "%.140s->%s" : "%2$s->%1$.140s",
		 fabric->switches[busiest.sw].name, parents);
	score->bottleneck_seconds = busiest.seconds;
	score->bottleneck_utilisation =
		busiest.seconds / scoring->profile->step;
}

static double busiest_nic(const struct scoring *scoring, int dim)
{
	uint32_t blocks = scoring->traffic->block_count;
	double seconds = 0;

	for (uint32_t k = 0; k < blocks; k++) {
		const struct fabric_node *node =
			&scoring->state->fabric->nodes[scoring->nodes[k]];
		size_t cell = (size_t)dim * blocks + k;
		double bytes = scoring->sent[cell] > scoring->received[cell] ?
			       scoring->sent[cell] : scoring->received[cell];
		/* A block of fewer GPUs than NICs can use as many NICs. */
		uint32_t gpus = scoring->traffic->block_gpus[k];
		uint32_t nics = gpus < node->nics ? gpus : node->nics;
		double here = bytes / (nics * node->nic_gbps * BYTES_PER_GBIT);

		if (here > seconds)
			seconds = here;
	}
	return seconds;
}

/* The dimensions one after the other, each as long as its busiest link. */
static void estimate_seconds(struct scoring *scoring)
{
	const struct state *state = scoring->state;

	for (int dim = 0; dim < DIMENSIONS; dim++) {
		const double *up = load_cells(&scoring->load,
					      (enum dimension)dim, LOAD_UP);
		const double *down = load_cells(&scoring->load,
						(enum dimension)dim,
						LOAD_DOWN);
		struct busiest busiest = { 0, true,
					   busiest_nic(scoring, dim) };

		for (uint32_t sw = 0; sw < state->fabric->switch_count; sw++) {
			if (up[sw] > 0)
				consider(&busiest, sw, true,
					 up[sw] / BYTES_PER_GBIT /
					 state_up_left_gbps(state, sw));
			if (down[sw] > 0)
				consider(&busiest, sw, false,
					 down[sw] / BYTES_PER_GBIT /
					 state_down_left_gbps(state, sw));
		}
		scoring->score->comm_seconds += busiest.seconds *
			(1 - scoring->profile->overlap[dim]);
	}
}

static bool allocate(struct scoring *scoring)
{
	size_t cells = (size_t)DIMENSIONS * scoring->traffic->block_count;

	scoring->sent = calloc(cells, sizeof(double));
	scoring->received = calloc(cells, sizeof(double));
	/* Serves count_leaves as well, which needs two words a block. */
	scoring->first_gpu = calloc(scoring->traffic->block_count,
				    2 * sizeof(uint32_t));
	return !load_init(&scoring->load, scoring->state->fabric,
			  &scoring->state->kinds) &&
	       scoring->sent && scoring->received && scoring->first_gpu;
}

/* The first free GPU, or 0 for a block that needs GPUs now in use. */
static uint32_t first_gpu_of(const struct scoring *scoring, uint32_t block)
{
	uint32_t node = scoring->nodes[block];
	uint32_t used = scoring->state->gpus_used[node];
	uint32_t gpus = scoring->state->fabric->nodes[node].gpus;

	return used + scoring->traffic->block_gpus[block] <= gpus ? used : 0;
}

static int walk(struct scoring *scoring)
{
	struct flow_source source = {
		scoring->state->fabric, &scoring->state->kinds,
		scoring->traffic, scoring->nodes, scoring->first_gpu,
		scoring->profile->skew
	};
	struct flow_sink sink = { scoring, score_flow, score_ends };

	for (uint32_t k = 0; k < scoring->traffic->block_count; k++)
		scoring->first_gpu[k] = first_gpu_of(scoring, k);
	return flows_walk(&source, &sink);
}

int cost_score(const struct state *state, const struct cost_prices *prices,
	       const struct job_profile *profile,
	       const struct traffic *traffic, const uint32_t *nodes,
	       struct cost_score *ret)
{
	struct cost_score score = { 0 };
	struct scoring scoring = {
		.state = state, .prices = prices, .profile = profile,
		.traffic = traffic, .nodes = nodes, .score = &score,
	};
	int status = -1;

	if (allocate(&scoring) && !walk(&scoring)) {
		load_spread(&scoring.load);
		add_totals(&scoring);
		score.leaves = count_leaves(&scoring, scoring.first_gpu);
		find_bottleneck(&scoring);
		estimate_seconds(&scoring);
		*ret = score;
		status = 0;
	}
	load_done(&scoring.load);
	free(scoring.sent);
	free(scoring.received);
	free(scoring.first_gpu);
	return status;
}
