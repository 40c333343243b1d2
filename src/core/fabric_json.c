/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A fabric from JSON (formats.md section 1): the file and its nodes. */
#define _GNU_SOURCE 1
#include "fabric_json.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "fabric_read.h"

#define EXPECTED_NAMES "a name range such as \"gpu[001-064]\""

static const struct json_key root_keys[] = {
	{ "fabric", NULL },
	{ "nodes", "an array of nodes" },
	{ "switches", "an array of switches" },
};

static const struct json_key node_keys[] = {
	{ "names", EXPECTED_NAMES },
	{ "gpus", NULL },
	{ "nics", NULL },
	{ "nic_gbps", NULL },
	{ "nvlink_domain", NULL },
};

#define KEY_COUNT(keys) (sizeof(keys) / sizeof((keys)[0]))

/* The number under which the builder knows what stands there. */
int fabric_json_origin(struct fabric_json *json, enum origin_kind kind,
		       size_t entry, size_t uplink, uint32_t *ret_origin)
{
	struct origin *origins = array_reserve(json->origins,
					       &json->origin_room,
					       json->origin_count + 1,
					       sizeof(*origins));

	if (!origins || json->origin_count >= FABRIC_NONE)
		return -1;
	json->origins = origins;
	origins[json->origin_count] = (struct origin) {
		.kind = kind, .entry = entry, .uplink = uplink,
	};
	*ret_origin = (uint32_t)json->origin_count++;
	return 0;
}

static const char *field_key(enum fabric_field field)
{
	switch (field) {
	case FABRIC_FIELD_NODE_NAMES:
		return "names";
	case FABRIC_FIELD_SWITCH_NAME:
		return "name";
	case FABRIC_FIELD_SWITCH_NODES:
		return "nodes";
	case FABRIC_FIELD_SWITCH_RAIL:
		return "rail";
	case FABRIC_FIELD_UPLINK_TO:
		return "to";
	case FABRIC_FIELD_WHOLE:
		break;
	}
	return NULL;
}

/* The builder's faults, from origin to path. */
static void report_fault(void *context, uint32_t number,
			 enum fabric_field field, enum diag_severity severity,
			 const char *text)
{
	struct fabric_json *json = context;
	struct jsonpos_step list = { .key = "nodes" };
	struct jsonpos_step entry = { .parent = &list };
	struct jsonpos_step uplinks = { .parent = &entry, .key = "uplinks" };
	struct jsonpos_step uplink = { .parent = &uplinks };
	struct jsonpos_step value = { .parent = &entry };
	const struct origin *origin;

	if (number == FABRIC_NONE) {
		json_reader_fault(&json->reader, severity, NULL, "%s", text);
		return;
	}
	origin = &json->origins[number];
	if (origin->kind != ORIGIN_NODE)
		list.key = "switches";
	entry.index = origin->entry;
	uplink.index = origin->uplink;
	if (origin->kind == ORIGIN_UPLINK)
		value.parent = &uplink;
	value.key = field_key(field);
	json_reader_fault(&json->reader, severity,
			  value.key ? &value : value.parent, "%s", text);
}

/* NAME must not be empty: 0, or -1 with a fault. */
int fabric_json_refuse_empty(struct fabric_json *json,
			     const struct jsonpos_step *at, const char *key,
			     bool empty)
{
	struct jsonpos_step here = { .parent = at, .key = key };

	if (!empty)
		return 0;
	json_reader_fault(&json->reader, DIAG_ERROR, &here,
			  "is empty, expected at least one name");
	return -1;
}

int fabric_json_lost(struct fabric_json *json, enum fabric_lost what,
		     const json_t *object, const char *key)
{
	return fabric_builder_lost(json->builder, what, json_string_value(
					   json_object_get(object, key)));
}

static void read_attributes(struct fabric_json *json,
			    const struct jsonpos_step *at,
			    const json_t *entry,
			    struct fabric_node_attributes *ret)
{
	long gpus = FABRIC_DEFAULT_GPUS;
	long nics;

	json_reader_integer(&json->reader, at, entry, "gpus", 0,
			    FABRIC_GPUS_MAX, &gpus);
	nics = gpus > 0 ? gpus : 1;
	json_reader_integer(&json->reader, at, entry, "nics", 1,
			    FABRIC_NICS_MAX, &nics);
	ret->gpus = (uint32_t)gpus;
	ret->nics = (uint32_t)nics;
	ret->nic_gbps = FABRIC_DEFAULT_GBPS;
	json_reader_number(&json->reader, at, entry, "nic_gbps", 0, true,
			   FABRIC_GBPS_MAX, &ret->nic_gbps);
	ret->domain = NULL;
	json_reader_string(&json->reader, at, entry, "nvlink_domain",
			   &ret->domain);
	if (ret->domain && fabric_json_refuse_empty(json, at, "nvlink_domain",
						    !ret->domain[0]))
		ret->domain = NULL;
	if (ret->domain && !strcmp(ret->domain, "node"))
		ret->domain = NULL;
}

static int add_nodes(struct fabric_json *json,
		     const struct noderange_list *names,
		     const struct fabric_node_attributes *attributes,
		     size_t entry)
{
	uint32_t origin;
	int status = fabric_json_origin(json, ORIGIN_NODE, entry, 0, &origin);

	for (size_t i = 0; status == 0 && i < names->count; i++)
		status = fabric_builder_node(json->builder, names->names[i],
					     attributes, origin);
	return status;
}

static int read_node(struct fabric_json *json, const struct jsonpos_step *at,
		     const json_t *entry)
{
	struct noderange_list names = { 0 };
	struct fabric_node_attributes attributes;
	int status = 0;

	if (!json_reader_is_object(&json->reader, at, entry))
		return fabric_builder_lost(json->builder, FABRIC_LOST_NODES,
					   NULL);
	json_reader_check_keys(&json->reader, at, entry, node_keys,
			       KEY_COUNT(node_keys));
	read_attributes(json, at, entry, &attributes);
	if (json_reader_names(&json->reader, at, entry, "names", &names) !=
	    JSON_READER_GIVEN ||
	    fabric_json_refuse_empty(json, at, "names", names.count == 0))
		status = fabric_json_lost(json, FABRIC_LOST_NODES, entry,
					  "names");
	else
		status = add_nodes(json, &names, &attributes, at->index);
	noderange_list_done(&names);
	return status;
}

typedef int read_entry_fn(struct fabric_json *json,
			  const struct jsonpos_step *at, const json_t *entry);

/* All entries of the array at KEY of the root. */
static int read_entries(struct fabric_json *json, const json_t *root,
			const char *key, read_entry_fn *read_entry,
			bool *ret_lost)
{
	struct jsonpos_step list = { .key = key };
	json_t *entries;
	json_t *entry;
	size_t i;

	if (json_reader_array(&json->reader, NULL, root, key, &entries) !=
	    JSON_READER_GIVEN) {
		*ret_lost = true;
		return 0;
	}
	json_array_foreach(entries, i, entry) {
		struct jsonpos_step at = { .parent = &list, .index = i };

		if (read_entry(json, &at, entry))
			return -1;
	}
	return 0;
}

static int read_root(struct fabric_json *json, const json_t *root)
{
	const char *name = "";
	bool lost_nodes = false;
	bool lost_switches = false;

	json_reader_check_keys(&json->reader, NULL, root, root_keys,
			       KEY_COUNT(root_keys));
	json_reader_string(&json->reader, NULL, root, "fabric", &name);
	if (fabric_builder_name(json->builder, name) ||
	    read_entries(json, root, "nodes", read_node, &lost_nodes) ||
	    read_entries(json, root, "switches", fabric_json_switch,
			 &lost_switches))
		return -1;
	if (lost_switches && fabric_json_lose_switch(json))
		return -1;
	return lost_nodes ? fabric_builder_lost(json->builder,
						FABRIC_LOST_NODES, NULL) : 0;
}

static struct fabric *build(struct fabric_json *json, const json_t *root)
{
	struct fabric_builder_options options = {
		.fault = report_fault, .context = json,
	};
	struct diag *diag = json->reader.diag;
	struct fabric *fabric = NULL;
	bool no_memory = false;

	json->builder = fabric_builder_new(&options);
	if (!json->builder || read_root(json, root))
		no_memory = true;
	else
		fabric = fabric_builder_finish(json->builder, &no_memory);
	if (no_memory)
		diag_no_memory(diag);
	fabric_builder_free(json->builder);
	if (diag_ok(diag))
		return fabric;
	fabric_free(fabric);
	return NULL;
}

struct fabric *fabric_read_json(const char *text, size_t length,
				struct diag *diag)
{
	struct fabric_json json = { 0 };
	struct fabric *fabric = NULL;
	json_t *root = json_reader_open(&json.reader, text, length, diag);

	if (root) {
		fabric = build(&json, root);
		json_reader_close(&json.reader, root);
	}
	free(json.origins);
	diag_sort(diag);
	return fabric;
}
