/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes state files: the input is one, read for two fabrics. Where it is good,
 * what it says must be in bounds, and a job placed on what is left sound.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"
#include "fabric_read.h"
#include "placement.h"
#include "state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz_state: %s\n", what);
	abort();
}

static struct fabric *make_fabric(const char *text)
{
	struct fabric *fabric;
	struct diag diag;

	diag_init(&diag, "synthetic");
	fabric = fabric_read_synth(text, &diag);
	must(fabric != NULL, "no fabric");
	diag_done(&diag);
	return fabric;
}

static void check_prices(const struct state *state)
{
	const struct fabric *fabric = state->fabric;
	struct cost_prices prices;

	must(!cost_prices_init(&prices, state), "no memory");
	for (uint32_t i = 0; i < fabric->switch_count; i++)
		if (fabric->switches[i].tier == FABRIC_LEAF)
			must(prices.up[i] >= 1 && isfinite(prices.up[i]) &&
			     prices.down[i] >= 1 && isfinite(prices.down[i]) &&
			     prices.core_up[i] >= 1 &&
			     isfinite(prices.core_up[i]) &&
			     prices.core_down[i] >= 1 &&
			     isfinite(prices.core_down[i]),
			     "a price out of bounds");
	cost_prices_done(&prices);
}

static void check_state(const struct state *state)
{
	const struct fabric *fabric = state->fabric;

	for (uint32_t i = 0; i < fabric->node_count; i++)
		must(state_free_gpus(state, i) <= fabric->nodes[i].gpus &&
		     state->positions[i] < fabric->node_count,
		     "a node out of bounds");
	for (uint32_t i = 0; i < fabric->switch_count; i++) {
		double built = fabric->switches[i].up_gbps;
		double up = state_up_left_gbps(state, i);
		double down = state_down_left_gbps(state, i);

		must(up >= built * 0.0099 && up <= built * 1.0001 &&
		     down >= built * 0.0099 && down <= built * 1.0001,
		     "a link out of bounds");
	}
	check_prices(state);
}

static void place(const struct state *state, const char *text, uint32_t gpus,
		  bool keep_order)
{
	struct parallelism hint;
	struct parallelism_error wrong;
	struct placement_error why = { "" };
	struct placement answer;
	struct placement_request request = {
		.state = state, .hint = &hint,
		.site = parallelism_site_default(), .gpus = gpus,
		.keep_order = keep_order,
	};
	enum placement_status status;

	must(!parallelism_parse(text, strlen(text), &hint, &wrong), "no hint");
	status = placement_choose(&request, &answer, &why);
	if (status == PLACEMENT_OK) {
		const char *fault = placement_check(&request, &answer);

		must(fault == NULL, fault);
		placement_done(&answer);
		return;
	}
	must(status == PLACEMENT_IMPOSSIBLE && why.text[0],
	     "an answer that is none");
}

static void read_for(const struct fabric *fabric, const char *text,
		     size_t length)
{
	struct state *state;
	struct diag diag;

	diag_init(&diag, "state");
	state = state_read_json(fabric, text, length,
				parallelism_site_default(), &diag);
	must((state != NULL) == diag_ok(&diag), "a fault that is none");
	if (state) {
		check_state(state);
		place(state, "tp=2,dp_bytes=1G", 6, false);
		place(state, "pp=2,ep=2,ep_bytes=1G,pp_bytes=1G", 8, true);
	}
	state_free(state);
	diag_done(&diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fabric *flat, *pods;	/* made once, never freed */

	if (!flat) {
		flat = make_fabric("spine:2 leaf:3 node:2 gpus=4 domain=2");
		pods = make_fabric("core:1 pod:2 spine:2 leaf:2 node:2 rails=2 "
				   "gpus=4");
	}
	read_for(flat, (const char *)data, size);
	read_for(pods, (const char *)data, size);
	return 0;
}
