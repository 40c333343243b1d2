/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state: what is taken of a fabric, and what running jobs put on its links. */

#include "state.h"

#include <stdlib.h>

#include "load.h"

/* A link is never priced as if nothing at all were left of it. */
#define LEAST_SHARE_LEFT 0.01

static bool allocate(struct state *state)
{
	size_t nodes = (size_t)state->fabric->node_count + 1;
	size_t switches = (size_t)state->fabric->switch_count + 1;

	state->gpus_used = calloc(nodes, sizeof(uint32_t));
	state->weights = calloc(nodes, sizeof(uint32_t));
	state->positions = calloc(nodes, sizeof(uint32_t));
	state->healthy_gbps = calloc(switches, sizeof(double));
	state->links_set = calloc((size_t)state->fabric->uplink_count + 1,
				  sizeof(bool));
	state->load_up_gbps = calloc(switches, sizeof(double));
	state->load_down_gbps = calloc(switches, sizeof(double));
	return state->gpus_used && state->weights && state->positions &&
	       state->healthy_gbps && state->links_set &&
	       state->load_up_gbps && state->load_down_gbps &&
	       !nodeset_init(&state->down, state->fabric->node_count) &&
	       !kinds_init(&state->kinds, state->fabric);
}

struct state *state_new(const struct fabric *fabric)
{
	struct state *state = calloc(1, sizeof(*state));

	if (!state)
		return NULL;
	state->fabric = fabric;
	if (!allocate(state)) {
		state_free(state);
		return NULL;
	}
	for (uint32_t i = 0; i < fabric->node_count; i++) {
		state->weights[i] = 1;
		state->positions[i] = i;
	}
	for (uint32_t i = 0; i < fabric->switch_count; i++)
		state->healthy_gbps[i] = fabric->switches[i].up_gbps;
	return state;
}

void state_free(struct state *state)
{
	if (!state)
		return;
	nodeset_done(&state->down);
	kinds_done(&state->kinds);
	free(state->gpus_used);
	free(state->weights);
	free(state->positions);
	free(state->healthy_gbps);
	free(state->links_set);
	free(state->load_up_gbps);
	free(state->load_down_gbps);
	free(state);
}

uint32_t state_free_gpus(const struct state *state, uint32_t node)
{
	uint32_t gpus = state->fabric->nodes[node].gpus;

	if (nodeset_has(&state->down, node) || state->gpus_used[node] > gpus)
		return 0;
	return gpus - state->gpus_used[node];
}

static double left(double built, double healthy, double load)
{
	double least = built * LEAST_SHARE_LEFT;

	return healthy - load > least ? healthy - load : least;
}

double state_up_left_gbps(const struct state *state, uint32_t sw)
{
	return left(state->fabric->switches[sw].up_gbps,
		    state->healthy_gbps[sw], state->load_up_gbps[sw]);
}

double state_down_left_gbps(const struct state *state, uint32_t sw)
{
	return left(state->fabric->switches[sw].up_gbps,
		    state->healthy_gbps[sw], state->load_down_gbps[sw]);
}

static uint32_t find_uplink(const struct fabric *fabric, uint32_t child,
			    uint32_t parent)
{
	const struct fabric_switch *sw = &fabric->switches[child];

	for (uint32_t i = 0; i < sw->uplink_count; i++)
		if (fabric->uplinks[sw->first_uplink + i].to == parent)
			return sw->first_uplink + i;
	return FABRIC_NONE;
}

int state_set_link(struct state *state, uint32_t a, uint32_t b, double gbps)
{
	const struct fabric *fabric = state->fabric;
	uint32_t child = a, link = find_uplink(fabric, a, b);
	double built;

	if (link == FABRIC_NONE) {
		child = b;
		link = find_uplink(fabric, b, a);
	}
	if (link == FABRIC_NONE)
		return -1;
	if (state->links_set[link])
		return 1;
	state->links_set[link] = true;
	built = fabric->uplinks[link].count * fabric->uplinks[link].gbps;
	if (gbps < built)
		state->healthy_gbps[child] -= built - gbps;
	return 0;
}

/*
 * One job's bytes on the links. A hint is a user's claim: on no leaf may it
 * weigh more than the job's NICs below could send, whatever its numbers say.
 */
struct job_load {
	struct load load;
	double *nic_gbps;	/* by leaf: line rate of the job's NICs */
	double bytes_of_gbps;	/* bytes that 1 Gbit/s carries in a step */
};

static void add_flow(void *context, const struct flow *flow)
{
	struct flow plain = *flow;

	plain.hot_bytes = 0;
	plain.dimension = DIM_TP;	/* only the sum counts here */
	load_add(context, &plain);
}

static void cap_leaf(struct job_load *job, uint32_t leaf, enum load_part part,
		     enum load_part core_part)
{
	double *bytes = &load_cells(&job->load, DIM_TP, part)[leaf];
	double *core = &load_cells(&job->load, DIM_TP, core_part)[leaf];
	double most = job->nic_gbps[leaf] * job->bytes_of_gbps;

	if (*bytes <= most)
		return;
	*core *= most / *bytes;
	*bytes = most;
}

static void put_on_links(struct state *state, struct job_load *job)
{
	const double *up = load_cells(&job->load, DIM_TP, LOAD_UP);
	const double *down = load_cells(&job->load, DIM_TP, LOAD_DOWN);

	for (uint32_t sw = 0; sw < state->fabric->switch_count; sw++) {
		if (state->fabric->switches[sw].tier != FABRIC_LEAF)
			continue;
		cap_leaf(job, sw, LOAD_UP, LOAD_CORE_UP);
		cap_leaf(job, sw, LOAD_DOWN, LOAD_CORE_DOWN);
	}
	load_spread(&job->load);
	for (uint32_t sw = 0; sw < state->fabric->switch_count; sw++) {
		state->load_up_gbps[sw] += up[sw] / job->bytes_of_gbps;
		state->load_down_gbps[sw] += down[sw] / job->bytes_of_gbps;
	}
}

static void add_nics(const struct state *state, struct job_load *job,
		     const uint32_t *nodes, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++) {
		const struct fabric_node *node =
			&state->fabric->nodes[nodes[k]];
		const struct fabric_cable *cables =
			state->fabric->cables + node->first_cable;

		for (uint32_t i = 0; i < node->cable_count; i++)
			job->nic_gbps[cables[i].leaf] += cables[i].gbps;
	}
}

static int walk_job(struct state *state, struct job_load *job,
		    const struct traffic *traffic, const uint32_t *nodes,
		    const uint32_t *first_gpu)
{
	struct flow_source source = {
		state->fabric, &state->kinds, traffic, nodes, first_gpu, 1
	};
	struct flow_sink sink = { &job->load, add_flow, NULL };

	return flows_walk(&source, &sink);
}

static int add_load(struct state *state, const uint32_t *nodes,
		    const uint32_t *gpus, const uint32_t *first_gpu,
		    uint32_t count, const struct job_profile *profile)
{
	struct traffic *traffic = traffic_build(profile, gpus, count,
						state->fabric->has_rails);
	struct job_load job = {
		.bytes_of_gbps = profile->step * 1e9 / 8,
		.nic_gbps = calloc((size_t)state->fabric->switch_count + 1,
				   sizeof(double)),
	};
	int status = -1;

	if (traffic && job.nic_gbps &&
	    !load_init(&job.load, state->fabric, &state->kinds) &&
	    !walk_job(state, &job, traffic, nodes, first_gpu)) {
		add_nics(state, &job, nodes, count);
		put_on_links(state, &job);
		status = 0;
	}
	load_done(&job.load);
	free(job.nic_gbps);
	traffic_free(traffic);
	return status;
}

int state_add_job(struct state *state, const uint32_t *nodes,
		  const uint32_t *gpus, uint32_t count,
		  const struct job_profile *profile)
{
	uint32_t *first_gpu = calloc((size_t)count + 1, sizeof(uint32_t));
	uint32_t *given = calloc((size_t)count + 1, sizeof(uint32_t));
	int status = 0;

	if (!first_gpu || !given) {
		status = -1;
		count = 0;
	}
	for (uint32_t k = 0; k < count; k++) {
		first_gpu[k] = state->gpus_used[nodes[k]];
		given[k] = gpus ? gpus[k] : state->fabric->nodes[nodes[k]].gpus;
	}
	if (profile && count)
		status = add_load(state, nodes, given, first_gpu, count,
				  profile);
	for (uint32_t k = 0; k < count && !status; k++)
		state->gpus_used[nodes[k]] += given[k];
	free(first_gpu);
	free(given);
	return status;
}
