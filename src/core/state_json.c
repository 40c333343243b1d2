/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state_json: reads a state file (formats.md section 4). */

#include "state.h"

#include <stdlib.h>
#include <string.h>

#include "json_reader.h"
#include "text_file.h"

#define STATE_FILE_MAX (256UL << 20)
#define JOB_ID_MAX 4294967295L

struct state_reader {
	struct json_reader json;
	struct state *state;
	const struct parallelism *site;
	bool no_memory;
};

static void fault(struct state_reader *reader, enum diag_severity severity,
		  const struct jsonpos_step *at, const char *what,
		  const char *name, const char *expected)
{
	char shown[80];

	json_reader_fault(&reader->json, severity, at, "%s \"%s\"%s%s", what,
			  diag_printable(name, strlen(name), shown,
					 sizeof(shown)),
			  *expected ? ", expected " : "", expected);
}

/*
 * The nodes of a hostlist at AT, in its order; *RET is owned by the caller.
 * False where a name is unknown or stands twice, which was said then.
 */
static bool find_nodes(struct state_reader *reader,
		       const struct jsonpos_step *at,
		       const struct noderange_list *names, uint32_t **ret)
{
	const struct fabric *fabric = reader->state->fabric;
	uint32_t *nodes = calloc(names->count + 1, sizeof(*nodes));
	struct nodeset seen;
	bool good = true;

	if (!nodes || nodeset_init(&seen, fabric->node_count)) {
		free(nodes);
		reader->no_memory = true;
		return false;
	}
	for (size_t i = 0; i < names->count; i++) {
		nodes[i] = fabric_find_node(fabric, names->names[i]);
		if (nodes[i] == FABRIC_NONE) {
			fault(reader, DIAG_ERROR, at, "no node is called",
			      names->names[i], "a node of the fabric");
			good = false;
		} else if (nodeset_has(&seen, nodes[i])) {
			fault(reader, DIAG_ERROR, at, "node twice:",
			      names->names[i], "each node once");
			good = false;
		} else {
			nodeset_add(&seen, nodes[i]);
		}
	}
	nodeset_done(&seen);
	if (good)
		*ret = nodes;
	else
		free(nodes);
	return good;
}

/* The nodes under KEY of OBJECT; false where there are none to be had. */
static bool read_nodes(struct state_reader *reader,
		       const struct jsonpos_step *at, const json_t *object,
		       const char *key, uint32_t **ret_nodes, size_t *ret_count)
{
	struct jsonpos_step here = { at, key, 0 };
	struct noderange_list names;
	bool good;

	if (json_reader_names(&reader->json, at, object, key, &names) !=
	    JSON_READER_GIVEN)
		return false;
	good = find_nodes(reader, &here, &names, ret_nodes);
	*ret_count = names.count;
	noderange_list_done(&names);
	return good;
}

static void read_down(struct state_reader *reader, const json_t *root)
{
	uint32_t *nodes;
	size_t count;

	if (!read_nodes(reader, NULL, root, "down", &nodes, &count))
		return;
	for (size_t i = 0; i < count; i++)
		nodeset_add(&reader->state->down, nodes[i]);
	free(nodes);
}

/* Nodes that the list leaves out follow behind it, in their natural order. */
static void read_node_order(struct state_reader *reader, const json_t *root)
{
	struct state *state = reader->state;
	uint32_t count = state->fabric->node_count, *nodes, next;
	size_t listed;

	if (!read_nodes(reader, NULL, root, "node_order", &nodes, &listed))
		return;
	for (uint32_t i = 0; i < count; i++)
		state->positions[i] = UINT32_MAX;
	for (next = 0; next < listed; next++)
		state->positions[nodes[next]] = next;
	for (uint32_t i = 0; i < count; i++)
		if (state->positions[i] == UINT32_MAX)
			state->positions[i] = next++;
	free(nodes);
}

static void read_weights(struct state_reader *reader, const json_t *root)
{
	struct jsonpos_step weights_at = { NULL, "weights", 0 };
	json_t *weights, *value;
	const char *key;

	if (json_reader_object(&reader->json, NULL, root, "weights",
			       &weights) != JSON_READER_GIVEN)
		return;
	json_object_foreach(weights, key, value) {
		struct jsonpos_step at = { &weights_at, key, 0 };
		struct noderange_list names;
		uint32_t *nodes;
		long weight;

		if (json_reader_integer_at(&reader->json, &at, value, 0,
					   UINT32_MAX, &weight) !=
			JSON_READER_GIVEN ||
		    json_reader_expand(&reader->json, &at, key, &names) !=
			JSON_READER_GIVEN)
			continue;
		if (find_nodes(reader, &at, &names, &nodes)) {
			for (size_t i = 0; i < names.count; i++)
				reader->state->weights[nodes[i]] =
					(uint32_t)weight;
			free(nodes);
		}
		noderange_list_done(&names);
	}
}

/* The switch under KEY of a link; FABRIC_NONE where that is said already. */
static uint32_t read_end(struct state_reader *reader,
			 const struct jsonpos_step *at, const json_t *link,
			 const char *key)
{
	struct jsonpos_step here = { at, key, 0 };
	const char *name;
	uint32_t sw;

	if (json_reader_string(&reader->json, at, link, key, &name) !=
	    JSON_READER_GIVEN)
		return FABRIC_NONE;
	sw = fabric_find_switch(reader->state->fabric, name);
	if (sw == FABRIC_NONE)
		fault(reader, DIAG_ERROR, &here, "no switch is called", name,
		      "a compute switch of the fabric");
	return sw;
}

static void read_link(struct state_reader *reader,
		      const struct jsonpos_step *at, const json_t *link)
{
	static const struct json_key keys[] = {
		{ "from", "the name of a switch" },
		{ "to", "the name of a switch" },
		{ "gbps", "what is left in Gbit/s" },
	};
	struct jsonpos_step to_at = { at, "to", 0 };
	uint32_t from, to;
	double gbps;
	int status;

	if (!json_reader_is_object(&reader->json, at, link))
		return;
	json_reader_check_keys(&reader->json, at, link, keys, 3);
	from = read_end(reader, at, link, "from");
	to = read_end(reader, at, link, "to");
	if (json_reader_number(&reader->json, at, link, "gbps", 0, false, 1e9,
			       &gbps) != JSON_READER_GIVEN ||
	    from == FABRIC_NONE || to == FABRIC_NONE)
		return;
	status = state_set_link(reader->state, from, to, gbps);
	if (status)
		fault(reader, DIAG_ERROR, &to_at, status < 0 ?
		      "no link leads to" : "this link stands twice, to",
		      reader->state->fabric->switches[to].name, status < 0 ?
		      "two switches that are cabled to each other" :
		      "each pair of switches once");
}

static void read_links(struct state_reader *reader, const json_t *root)
{
	struct jsonpos_step links_at = { NULL, "links", 0 };
	json_t *links;

	if (json_reader_array(&reader->json, NULL, root, "links", &links) !=
	    JSON_READER_GIVEN)
		return;
	for (size_t i = 0; i < json_array_size(links); i++) {
		struct jsonpos_step at = { &links_at, NULL, i };

		read_link(reader, &at, json_array_get(links, i));
	}
}

/* A running job while it is read. */
struct running {
	uint32_t *nodes;
	uint32_t *gpus;
	size_t count;
};

/* The GPUs of each node: as listed, else all of them. */
static bool read_gpus(struct state_reader *reader,
		      const struct jsonpos_step *at, const json_t *job,
		      struct running *running)
{
	const struct fabric *fabric = reader->state->fabric;
	struct jsonpos_step list_at = { at, "gpus", 0 };
	enum json_reader_result given;
	json_t *list;
	bool good = true;

	given = json_reader_array(&reader->json, at, job, "gpus", &list);
	if (given == JSON_READER_GIVEN &&
	    json_array_size(list) != running->count) {
		json_reader_fault(&reader->json, DIAG_ERROR, &list_at,
				  "%zu numbers for %zu nodes, expected one a "
				  "node", json_array_size(list),
				  running->count);
		return false;
	}
	for (size_t i = 0; i < running->count; i++) {
		struct jsonpos_step here = { &list_at, NULL, i };
		uint32_t most = fabric->nodes[running->nodes[i]].gpus;
		long gpus = most;

		if (given == JSON_READER_GIVEN &&
		    json_reader_integer_at(&reader->json, &here,
					   json_array_get(list, i), 0, most,
					   &gpus) != JSON_READER_GIVEN)
			good = false;
		running->gpus[i] = (uint32_t)gpus;
	}
	return good && given != JSON_READER_BAD;
}

static bool check_free(struct state_reader *reader,
		       const struct jsonpos_step *at,
		       const struct running *running)
{
	const struct state *state = reader->state;
	struct jsonpos_step nodes_at = { at, "nodes", 0 };
	bool good = true;

	for (size_t i = 0; i < running->count; i++) {
		uint32_t node = running->nodes[i];
		uint32_t gpus = state->fabric->nodes[node].gpus;

		if (running->gpus[i] <= gpus - state->gpus_used[node])
			continue;
		json_reader_fault(&reader->json, DIAG_ERROR, &nodes_at,
				  "node \"%s\" has %u GPUs and %u are taken by "
				  "jobs before, expected %u to be free",
				  state->fabric->nodes[node].name, gpus,
				  state->gpus_used[node], running->gpus[i]);
		good = false;
	}
	return good;
}

/*
 * The profile of a job that loads the network; false where it loads nothing:
 * no hint, one that cannot be read or does not fit, or nodes of two fabrics.
 */
static bool read_profile(struct state_reader *reader,
			 const struct jsonpos_step *at, const json_t *job,
			 const struct running *running,
			 struct job_profile *ret)
{
	const struct fabric *fabric = reader->state->fabric;
	struct jsonpos_step here = { at, "parallelism", 0 };
	struct parallelism hint;
	struct parallelism_error why;
	uint64_t gpus = 0;
	const char *text;

	if (json_reader_string(&reader->json, at, job, "parallelism", &text) !=
	    JSON_READER_GIVEN)
		return false;
	if (parallelism_parse(text, strlen(text), &hint, &why)) {
		fault(reader, DIAG_WARNING, &here, "job loads nothing: hint",
		      why.text, "");
		return false;
	}
	for (size_t i = 0; i < running->count; i++) {
		gpus += running->gpus[i];
		if (fabric->nodes[running->nodes[i]].component !=
		    fabric->nodes[running->nodes[0]].component)
			return false;
	}
	if (hint.off || !gpus)
		return false;
	if (parallelism_fit(&hint, reader->site, gpus, ret, &why)) {
		fault(reader, DIAG_WARNING, &here, "job loads nothing: hint",
		      why.text, "");
		return false;
	}
	return true;
}

/* Nodes that give no GPU carry no rank. */
static void drop_idle_nodes(struct running *running)
{
	size_t kept = 0;

	for (size_t i = 0; i < running->count; i++) {
		if (!running->gpus[i])
			continue;
		running->nodes[kept] = running->nodes[i];
		running->gpus[kept++] = running->gpus[i];
	}
	running->count = kept;
}

static void add_job(struct state_reader *reader, const struct jsonpos_step *at,
		    const json_t *job, struct running *running)
{
	struct job_profile profile;
	bool loads;

	if (!read_gpus(reader, at, job, running) ||
	    !check_free(reader, at, running))
		return;
	loads = read_profile(reader, at, job, running, &profile);
	drop_idle_nodes(running);
	if (state_add_job(reader->state, running->nodes, running->gpus,
			  (uint32_t)running->count, loads ? &profile : NULL))
		reader->no_memory = true;
}

static void read_job(struct state_reader *reader, const struct jsonpos_step *at,
		     const json_t *job)
{
	static const struct json_key keys[] = {
		{ "id", NULL }, { "nodes", "the nodes of the job" },
		{ "parallelism", NULL }, { "gpus", NULL },
	};
	struct running running = { 0 };
	long id;

	if (!json_reader_is_object(&reader->json, at, job))
		return;
	json_reader_check_keys(&reader->json, at, job, keys, 4);
	json_reader_integer(&reader->json, at, job, "id", 0, JOB_ID_MAX, &id);
	if (!read_nodes(reader, at, job, "nodes", &running.nodes,
			&running.count))
		return;
	running.gpus = calloc(running.count + 1, sizeof(uint32_t));
	if (running.gpus)
		add_job(reader, at, job, &running);
	else
		reader->no_memory = true;
	free(running.nodes);
	free(running.gpus);
}

static void read_jobs(struct state_reader *reader, const json_t *root)
{
	struct jsonpos_step jobs_at = { NULL, "jobs", 0 };
	json_t *jobs;

	if (json_reader_array(&reader->json, NULL, root, "jobs", &jobs) !=
	    JSON_READER_GIVEN)
		return;
	for (size_t i = 0; i < json_array_size(jobs); i++) {
		struct jsonpos_step at = { &jobs_at, NULL, i };

		read_job(reader, &at, json_array_get(jobs, i));
	}
}

static void read_root(struct state_reader *reader, const json_t *root)
{
	static const struct json_key keys[] = {
		{ "down", NULL }, { "jobs", NULL }, { "links", NULL },
		{ "weights", NULL }, { "node_order", NULL },
	};

	json_reader_check_keys(&reader->json, NULL, root, keys, 5);
	read_down(reader, root);
	read_node_order(reader, root);
	read_weights(reader, root);
	read_links(reader, root);
	read_jobs(reader, root);
}

struct state *state_read_json(const struct fabric *fabric, const char *text,
			      size_t length, const struct parallelism *site,
			      struct diag *diag)
{
	struct state_reader reader = { .site = site };
	json_t *root;

	reader.state = state_new(fabric);
	if (!reader.state) {
		diag_no_memory(diag);
		return NULL;
	}
	root = json_reader_open(&reader.json, text, length, diag);
	if (root) {
		read_root(&reader, root);
		json_reader_close(&reader.json, root);
	}
	if (reader.no_memory)
		diag_no_memory(diag);
	if (root && diag_ok(diag))
		return reader.state;
	state_free(reader.state);
	return NULL;
}

struct state *state_read_file(const struct fabric *fabric, const char *path,
			      const struct parallelism *site,
			      struct diag *diag)
{
	size_t length;
	char *text = text_file_read(path, STATE_FILE_MAX, diag, &length);
	struct state *state;

	if (!text)
		return NULL;
	state = state_read_json(fabric, text, length, site, diag);
	free(text);
	return state;
}
