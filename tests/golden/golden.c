/* SPDX-License-Identifier: GPL-2.0-or-later */
/* golden: jobs on synthetic fabrics, and where shared data lies. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fabric_read.h"
#include "golden.h"

void golden_profile(const char *hint, uint32_t gpus, struct job_profile *ret)
{
	struct parallelism_error error = { "" };
	struct parallelism parsed;
	int status;

	status = parallelism_parse(hint, strlen(hint), &parsed, &error);
	ck_assert_msg(status == 0, "%s: %s", hint, error.text);
	status = parallelism_fit(&parsed, parallelism_site_default(), gpus,
				 ret, &error);
	ck_assert_msg(status == 0, "%s on %u GPUs: %s", hint, gpus,
		      error.text);
}

struct fabric *golden_fabric(const char *synthetic)
{
	struct diag diag;
	struct fabric *fabric;
	char line[512] = "no reason given";

	diag_init(&diag, "synthetic");
	fabric = fabric_read_synth(synthetic, &diag);
	if (!fabric && diag.entry_count)
		diag_line(&diag, 0, line, sizeof(line));
	diag_done(&diag);
	ck_assert_msg(fabric != NULL, "%s: %s", synthetic, line);
	ck_assert_ptr_null(fabric_check(fabric));
	return fabric;
}

static uint32_t all_gpus(const struct fabric *fabric, const uint32_t *nodes,
			 uint32_t count, uint32_t *ret_gpus)
{
	uint32_t k, sum = 0;

	for (k = 0; k < count; k++)
		sum += ret_gpus[k] = fabric->nodes[nodes[k]].gpus;
	return sum;
}

void golden_score(const struct fabric *fabric, const char *hint,
		  const uint32_t *nodes, uint32_t count,
		  struct cost_score *ret)
{
	uint32_t *gpus = calloc(count, sizeof(*gpus));
	struct state *state = state_new(fabric);
	struct job_profile profile;
	struct cost_prices prices;
	struct traffic *traffic;

	ck_assert(gpus && state);
	golden_profile(hint, all_gpus(fabric, nodes, count, gpus), &profile);
	traffic = traffic_build(&profile, gpus, count, fabric->has_rails);
	ck_assert_ptr_nonnull(traffic);
	ck_assert_ptr_null(traffic_check(traffic));
	ck_assert_int_eq(cost_prices_init(&prices, state), 0);
	ck_assert_int_eq(cost_score(state, &prices, &profile, traffic, nodes,
				    ret), 0);
	cost_prices_done(&prices);
	traffic_free(traffic);
	state_free(state);
	free(gpus);
}

uint32_t golden_spread(const uint32_t *members, uint32_t leaves,
		       uint32_t width, bool in_turn, uint32_t *ret_nodes)
{
	uint32_t count = 0, leaf, i;

	for (leaf = 0; !in_turn && leaf < leaves; leaf++)
		for (i = 0; i < members[leaf]; i++)
			ret_nodes[count++] = leaf * width + i;
	for (i = 0; in_turn && i < width; i++)
		for (leaf = 0; leaf < leaves; leaf++)
			if (i < members[leaf])
				ret_nodes[count++] = leaf * width + i;
	return count;
}

json_t *golden_shared(const char *name)
{
	const char *shared = getenv("LEAFSPINE_SHARED");
	const char *source = getenv("srcdir");
	char path[4096];
	json_error_t why;
	json_t *root;

	if (shared && *shared)
		snprintf(path, sizeof(path), "%s/data/%s", shared, name);
	else
		snprintf(path, sizeof(path), "%s/../shared/data/%s",
			 source && *source ? source : ".", name);
	if (access(path, R_OK))
		return NULL;
	root = json_load_file(path, 0, &why);
	ck_assert_msg(root != NULL, "%s: %s", path, why.text);
	return root;
}
