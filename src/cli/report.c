/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: a placement and its score, as JSON. The text is in report_text.c.
 */
#include "report.h"

#include "jsonout.h"

json_t *report_json_nodes(const struct fabric *fabric, const uint32_t *nodes,
			  uint32_t count)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < count; i++) {
		if (json_array_append_new(array, jsonout_text(
				fabric->nodes[nodes[i]].name)) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static bool gives_part_of_a_node(const struct fabric *fabric,
				 const struct placement *placement)
{
	for (uint32_t i = 0; i < placement->count; i++) {
		if (placement->gpus[i] <
		    fabric->nodes[placement->nodes[i]].gpus)
			return true;
	}
	return false;
}

static json_t *gpus_json(const struct placement *placement)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < placement->count; i++) {
		if (json_array_append_new(array, json_integer(
				placement->gpus[i])) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static void set_bytes(struct jsonout *out, const struct cost_bytes *bytes)
{
	jsonout_set(out, "spine_bytes", jsonout_number(bytes->spine));
	jsonout_set(out, "core_bytes", jsonout_number(bytes->core));
	jsonout_set(out, "leaf_bytes", jsonout_number(bytes->leaf));
	jsonout_set(out, "local_bytes", jsonout_number(bytes->local));
}

static json_t *dimensions_json(const struct placement *placement)
{
	struct jsonout out;

	jsonout_init(&out);
	for (int d = 0; d < DIMENSIONS; d++) {
		struct jsonout part;

		if (job_profile_group_size(&placement->profile, d) <= 1)
			continue;
		jsonout_init(&part);
		set_bytes(&part, &placement->score.by_dimension[d]);
		jsonout_set(&out, dimension_name(d), jsonout_finish(&part));
	}
	return jsonout_finish(&out);
}

static json_t *bottleneck_json(const struct cost_score *score)
{
	bool crosses = score->bottleneck_link[0] != '\0';
	struct jsonout out;

	jsonout_init(&out);
	jsonout_set(&out, "link", crosses ?
		    jsonout_text(score->bottleneck_link) : json_null());
	jsonout_set(&out, "seconds", jsonout_number(score->bottleneck_seconds));
	jsonout_set(&out, "utilisation",
		    jsonout_number(score->bottleneck_utilisation));
	return jsonout_finish(&out);
}

/* The degrees as they were used: with dp filled in. */
static json_t *parallelism_json(const struct job_profile *profile)
{
	struct jsonout out;

	jsonout_init(&out);
	jsonout_set(&out, "tp", json_integer(profile->tp));
	jsonout_set(&out, "cp", json_integer(profile->cp));
	jsonout_set(&out, "pp", json_integer(profile->pp));
	jsonout_set(&out, "dp", json_integer(profile->dp));
	jsonout_set(&out, "ep", json_integer(profile->ep));
	if (profile->edp != 0) {
		jsonout_set(&out, "etp", json_integer(profile->etp));
		jsonout_set(&out, "edp", json_integer(profile->edp));
	}
	return jsonout_finish(&out);
}

json_t *report_json(const struct fabric *fabric,
		    const struct placement *placement)
{
	const struct cost_score *score = &placement->score;
	struct jsonout out;

	jsonout_init(&out);
	jsonout_set(&out, "nodes", report_json_nodes(fabric, placement->nodes,
						     placement->count));
	jsonout_set(&out, "gpus", json_integer(placement->profile.gpus));
	if (gives_part_of_a_node(fabric, placement))
		jsonout_set(&out, "gpus_by_node", gpus_json(placement));
	jsonout_set(&out, "cost", jsonout_number(score->cost));
	set_bytes(&out, &score->total);
	jsonout_set(&out, "by_dimension", dimensions_json(placement));
	jsonout_set(&out, "leaves", json_integer(score->leaves));
	jsonout_set(&out, "bottleneck", bottleneck_json(score));
	jsonout_set(&out, "comm_seconds", jsonout_number(score->comm_seconds));
	jsonout_set(&out, "parallelism", parallelism_json(&placement->profile));
	if (placement->strategy)
		jsonout_set(&out, "strategy",
			    json_string(placement->strategy));
	return jsonout_finish(&out);
}
