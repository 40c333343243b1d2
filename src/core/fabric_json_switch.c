/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The switches of a fabric in JSON. */
#define _GNU_SOURCE 1
#include "fabric_json.h"

#include <string.h>

#define KEY_COUNT(keys) (sizeof(keys) / sizeof((keys)[0]))
#define TIER_SHOWN_MAX 48

static const struct json_key switch_keys[] = {
	{ "name", "a name or a range such as \"spine[1-4]\"" },
	{ "tier", "\"leaf\", \"spine\" or \"core\"" },
	{ "nodes", NULL },
	{ "rail", NULL },
	{ "plane", NULL },
	{ "uplinks", NULL },
};

static const struct json_key uplink_keys[] = {
	{ "to", "a name or a range such as \"spine[1-4]\"" },
	{ "gbps", NULL },
	{ "count", NULL },
};

/* One entry of `switches` as far as it is read. */
struct entry {
	struct fabric_json *json;
	const struct jsonpos_step *at;
	const json_t *object;
	struct noderange_list names;	/* none: they could not be read */
	enum fabric_tier tier;
	bool compute;
	int rail;
	uint32_t origin;
};

int fabric_json_lose_switch(struct fabric_json *json)
{
	return fabric_builder_lost(json->builder, FABRIC_LOST_SWITCHES, NULL) |
	       fabric_builder_lost(json->builder, FABRIC_LOST_CABLES, NULL) |
	       fabric_builder_lost(json->builder, FABRIC_LOST_UPLINKS, NULL);
}

/*
 * Name INDEX of the switches, NULL for what stands in place of all of them when
 * they could not be read.
 */
static const char *name_at(const struct entry *entry, size_t index)
{
	return entry->names.count ? entry->names.names[index] : NULL;
}

static size_t name_count(const struct entry *entry)
{
	return entry->names.count ? entry->names.count : 1;
}

static void read_tier(struct entry *entry)
{
	static const enum fabric_tier tiers[] = {
		FABRIC_LEAF, FABRIC_SPINE, FABRIC_CORE,
	};
	struct jsonpos_step here = { .parent = entry->at, .key = "tier" };
	char shown[TIER_SHOWN_MAX];
	const char *text;

	if (json_reader_string(&entry->json->reader, entry->at, entry->object,
			       "tier", &text) != JSON_READER_GIVEN)
		return;
	for (size_t i = 0; i < KEY_COUNT(tiers); i++) {
		if (!strcmp(text, fabric_tier_name(tiers[i]))) {
			entry->tier = tiers[i];
			return;
		}
	}
	diag_printable(text, strlen(text), shown, sizeof(shown));
	json_reader_fault(&entry->json->reader, DIAG_ERROR, &here,
			  "unknown tier \"%s\", expected leaf, spine or core",
			  shown);
}

static void read_plane(struct entry *entry)
{
	const char *plane = "compute";

	json_reader_string(&entry->json->reader, entry->at, entry->object,
			   "plane", &plane);
	if (fabric_json_refuse_empty(entry->json, entry->at, "plane",
				     !plane[0]))
		return;
	entry->compute = !strcmp(plane, "compute");
}

/* KEY is for leaves: what else has it is at fault. */
static bool only_of_leaves(struct entry *entry, const char *key)
{
	struct jsonpos_step here = { .parent = entry->at, .key = key };

	if (entry->tier == FABRIC_TIER_UNKNOWN || entry->tier == FABRIC_LEAF ||
	    !json_object_get(entry->object, key))
		return true;
	json_reader_fault(&entry->json->reader, DIAG_ERROR, &here,
			  "only a leaf has \"%s\", expected none on a %s%s",
			  key, fabric_tier_name(entry->tier),
			  entry->tier == FABRIC_CORE ? " switch" : "");
	return false;
}

static void read_rail(struct entry *entry)
{
	long rail = FABRIC_ALL_RAILS;

	if (!only_of_leaves(entry, "rail"))
		return;
	if (json_reader_integer(&entry->json->reader, entry->at, entry->object,
				"rail", 0, FABRIC_NICS_MAX - 1, &rail) ==
	    JSON_READER_BAD)
		rail = FABRIC_RAIL_UNKNOWN;
	entry->rail = (int)rail;
}

/* The product of two name ranges, before it is made. */
static bool fits(struct entry *entry, const struct jsonpos_step *at,
		 const char *key, size_t count, size_t most)
{
	struct jsonpos_step here = { .parent = at, .key = key };

	if (count == 0 || entry->names.count <= most / count)
		return true;
	json_reader_fault(&entry->json->reader, DIAG_ERROR, &here,
			  "%zu switches times %zu names is too much, expected "
			  "at most %zu", entry->names.count, count, most);
	return false;
}

static int add_cables(struct entry *entry, const struct noderange_list *nodes)
{
	/* Storage may list what is no node; its plane goes by its name. */
	if (!entry->names.count && !entry->compute)
		return 0;
	for (size_t i = 0; i < name_count(entry); i++)
		for (size_t k = 0; k < nodes->count; k++)
			if (fabric_builder_cable(entry->json->builder,
						 name_at(entry, i),
						 nodes->names[k], entry->rail,
						 entry->origin))
				return -1;
	return 0;
}

/* Nodes of a leaf that could not be read, so that it is not called empty. */
static int lose_nodes(struct entry *entry)
{
	for (size_t i = 0; i < entry->names.count; i++)
		if (fabric_builder_not_empty(entry->json->builder,
					     entry->names.names[i]))
			return -1;
	if (!entry->compute)
		return 0;
	return fabric_json_lost(entry->json, FABRIC_LOST_CABLES, entry->object,
				"nodes");
}

static int read_leaf_nodes(struct entry *entry)
{
	struct jsonpos_step here = { .parent = entry->at, .key = "nodes" };
	struct noderange_list nodes = { 0 };
	enum json_reader_result result;
	bool leaf = entry->tier == FABRIC_LEAF;
	int status = 0;

	if (!only_of_leaves(entry, "nodes") ||
	    (!leaf && entry->tier != FABRIC_TIER_UNKNOWN))
		return 0;
	result = json_reader_names(&entry->json->reader, entry->at,
				   entry->object, "nodes", &nodes);
	if (result == JSON_READER_ABSENT && !leaf)
		return 0;
	if (result == JSON_READER_ABSENT && entry->compute)
		json_reader_fault(&entry->json->reader, DIAG_ERROR, &here,
				  "is missing, expected the nodes of the leaf");
	if (result == JSON_READER_GIVEN &&
	    fits(entry, entry->at, "nodes", nodes.count, FABRIC_CABLES_MAX))
		status = add_cables(entry, &nodes);
	else
		status = lose_nodes(entry);
	noderange_list_done(&nodes);
	return status;
}

static int add_uplinks(struct entry *entry, const struct jsonpos_step *at,
		       const struct noderange_list *parents, double gbps,
		       uint32_t count)
{
	uint32_t origin;
	int status = fabric_json_origin(entry->json, ORIGIN_UPLINK,
					entry->at->index, at->index, &origin);

	for (size_t i = 0; status == 0 && i < name_count(entry); i++)
		for (size_t k = 0; status == 0 && k < parents->count; k++)
			status = fabric_builder_uplink(entry->json->builder,
						       name_at(entry, i),
						       parents->names[k], gbps,
						       count, origin);
	return status;
}

static int read_uplink(struct entry *entry, const struct jsonpos_step *at,
		       const json_t *uplink)
{
	struct json_reader *reader = &entry->json->reader;
	struct noderange_list parents = { 0 };
	double gbps = FABRIC_DEFAULT_GBPS;
	long count = 1;
	int status = 0;

	if (!json_reader_is_object(reader, at, uplink))
		return fabric_builder_lost(entry->json->builder,
					   FABRIC_LOST_UPLINKS, NULL);
	json_reader_check_keys(reader, at, uplink, uplink_keys,
			       KEY_COUNT(uplink_keys));
	json_reader_number(reader, at, uplink, "gbps", 0, true,
			   FABRIC_GBPS_MAX, &gbps);
	json_reader_integer(reader, at, uplink, "count", 1, FABRIC_LINKS_MAX,
			    &count);
	if (json_reader_names(reader, at, uplink, "to", &parents) ==
	    JSON_READER_GIVEN &&
	    !fabric_json_refuse_empty(entry->json, at, "to",
				      parents.count == 0) &&
	    fits(entry, at, "to", parents.count, FABRIC_UPLINKS_MAX))
		status = add_uplinks(entry, at, &parents, gbps,
				     (uint32_t)count);
	else
		status = fabric_json_lost(entry->json, FABRIC_LOST_UPLINKS,
					  uplink, "to");
	noderange_list_done(&parents);
	return status;
}

static int read_uplinks(struct entry *entry)
{
	struct jsonpos_step list = { .parent = entry->at, .key = "uplinks" };
	json_t *uplinks;
	json_t *uplink;
	size_t i;

	switch (json_reader_array(&entry->json->reader, entry->at,
				  entry->object, "uplinks", &uplinks)) {
	case JSON_READER_BAD:
		return fabric_builder_lost(entry->json->builder,
					   FABRIC_LOST_UPLINKS, NULL);
	case JSON_READER_ABSENT:
		return 0;
	case JSON_READER_GIVEN:
		break;
	}
	json_array_foreach(uplinks, i, uplink) {
		struct jsonpos_step at = { .parent = &list, .index = i };

		if (read_uplink(entry, &at, uplink))
			return -1;
	}
	return 0;
}

static int add_switches(struct entry *entry)
{
	int status = fabric_json_origin(entry->json, ORIGIN_SWITCH,
					entry->at->index, 0, &entry->origin);

	for (size_t i = 0; status == 0 && i < entry->names.count; i++)
		status = fabric_builder_switch(entry->json->builder,
					       entry->names.names[i],
					       entry->tier, entry->compute,
					       entry->origin);
	return status;
}

static bool read_names(struct entry *entry)
{
	return json_reader_names(&entry->json->reader, entry->at,
				 entry->object, "name", &entry->names) ==
		JSON_READER_GIVEN &&
	       !fabric_json_refuse_empty(entry->json, entry->at, "name",
					 entry->names.count == 0);
}

/* All values are looked at, also of a switch whose name or tier is no good. */
static int read_switch(struct entry *entry)
{
	if (!read_names(entry) &&
	    fabric_json_lost(entry->json, FABRIC_LOST_SWITCHES, entry->object,
			     "name"))
		return -1;
	read_tier(entry);
	read_plane(entry);
	if (add_switches(entry))
		return -1;
	read_rail(entry);
	if (read_leaf_nodes(entry))
		return -1;
	return read_uplinks(entry);
}

int fabric_json_switch(struct fabric_json *json, const struct jsonpos_step *at,
		       const json_t *object)
{
	struct entry entry = {
		.json = json,
		.at = at,
		.object = object,
		.tier = FABRIC_TIER_UNKNOWN,
		.compute = true,
		.rail = FABRIC_ALL_RAILS,
	};
	int status;

	if (!json_reader_is_object(&json->reader, at, object))
		return fabric_json_lose_switch(json);
	json_reader_check_keys(&json->reader, at, object, switch_keys,
			       KEY_COUNT(switch_keys));
	status = read_switch(&entry);
	noderange_list_done(&entry.names);
	return status;
}
