/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The topologies of a topology.yaml, as Slurm's data parser knows them: a list
 * of objects, each with a name and one kind. A kind that says nothing of leaves
 * is not looked into.
 */
#define _GNU_SOURCE 1
#include "fabric_yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "array.h"

#define PATH_ROOM 96
#define SHOWN_MAX 64

static const char *const kind_names[YAML_KINDS] = {
	[YAML_TREE] = "tree", [YAML_BLOCK] = "block", [YAML_FLAT] = "flat",
	[YAML_RING] = "ring", [YAML_TORUS] = "torus3d",
};

const char *fabric_yaml_kind_name(enum yaml_kind kind)
{
	return kind_names[kind];
}

/* RET has PATH_ROOM bytes. Ours are far shorter. */
static void join_path(char *ret, const char *path, const char *key)
{
	snprintf(ret, PATH_ROOM, "%.70s.%.20s", path, key);
}

static struct conf_place place_of(const yaml_node_t *node)
{
	return (struct conf_place) { (int)node->start_mark.line + 1,
				     (int)node->start_mark.column + 1 };
}

static void fault(struct yaml_file *file, const yaml_node_t *node,
		  const char *path, const char *text)
{
	struct conf_place place = place_of(node);

	diag_add(file->diag, DIAG_ERROR, place.line, place.column, path, "%s",
		 text);
}

/* The text of a scalar, or NULL with a fault. Slurm takes null as empty. */
static const char *text_of(struct yaml_file *file, const yaml_node_t *node,
			   const char *path)
{
	const char *text = (const char *)node->data.scalar.value;

	if (node->type != YAML_SCALAR_NODE) {
		fault(file, node, path, "is no text, expected text");
		return NULL;
	}
	if (node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	    (!strcmp(text, "~") || !strcasecmp(text, "null")))
		return "";
	return text;
}

/* Which of the COUNT keys NODE is; -1 with a fault. */
static int key_of(struct yaml_file *file, const yaml_node_t *node,
		  const char *path, const char *const *keys, int count)
{
	char shown[SHOWN_MAX];
	char text[2 * SHOWN_MAX + 160];
	size_t used;

	if (node->type == YAML_SCALAR_NODE)
		for (int i = 0; i < count; i++)
			if (!strcmp(keys[i],
				    (const char *)node->data.scalar.value))
				return i;
	if (node->type == YAML_SCALAR_NODE)
		diag_printable((const char *)node->data.scalar.value,
			       node->data.scalar.length, shown, sizeof(shown));
	else
		snprintf(shown, sizeof(shown), "?");
	used = (size_t)snprintf(text, sizeof(text), "unknown key \"%s\", "
				"expected ", shown);
	for (int i = 0; i < count && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%s", keys[i], i == count - 1 ? "" :
					 i == count - 2 ? " or " : ", ");
	fault(file, node, path, text);
	return -1;
}

/*
 * The values of the COUNT keys of NODE, by key; NULL where it has none of it.
 * AT is where each key stands. 0, or -1 with a fault where NODE is no object.
 */
static int members(struct yaml_file *file, const yaml_node_t *node,
		   const char *path, const char *const *keys, int count,
		   yaml_node_t **values, struct conf_place *at)
{
	if (node->type != YAML_MAPPING_NODE) {
		fault(file, node, path, "is no object, expected keys with "
		      "values");
		return -1;
	}
	for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++) {
		yaml_node_t *key = yaml_document_get_node(&file->document,
							  pair->key);
		int index = key_of(file, key, path, keys, count);

		if (index < 0)
			continue;
		if (values[index]) {
			char text[SHOWN_MAX];

			snprintf(text, sizeof(text), "key \"%s\" stands twice, "
				 "expected it once", keys[index]);
			fault(file, key, path, text);
			continue;
		}
		values[index] = yaml_document_get_node(&file->document,
						       pair->value);
		at[index] = place_of(key);
	}
	return 0;
}

/* NODE as names. 1, 0 with a fault, or -1 without memory. */
static int names_of(struct yaml_file *file, const yaml_node_t *node,
		    const char *path, struct noderange_list *ret)
{
	const char *text = text_of(file, node, path);
	struct noderange_error wrong;
	struct conf_place place = place_of(node);
	char shown[SHOWN_MAX];
	int status;

	if (!text)
		return 0;
	status = noderange_expand(text, ret, &wrong);
	if (status == NODERANGE_NO_MEMORY)
		return -1;
	if (status == NODERANGE_OK)
		return 1;
	diag_printable(text, strlen(text), shown, sizeof(shown));
	diag_add(file->diag, DIAG_ERROR, place.line, place.column, path,
		 "\"%s\": %s", shown, wrong.text);
	return 0;
}

static int take_names(struct yaml_file *file, struct yaml_topology *topology,
		      struct conf_switch *sw, enum conf_key key,
		      const yaml_node_t *node)
{
	char path[PATH_ROOM];
	int status;

	join_path(path, sw->where, key == CONF_NODES ? "nodes" : "children");
	status = names_of(file, node, path, key == CONF_NODES ? &sw->nodes
			  : &sw->children);
	sw->lost[key] = status == 0;
	if (status == 0 && key == CONF_NODES)
		topology->conf.lost_nodes = true;
	return status < 0 ? -1 : 0;
}

/* The name of SW; NULL with a fault. 0, or -1 without memory. */
static int take_name(struct yaml_file *file, struct conf_switch *sw,
		     const char *key, const yaml_node_t *object,
		     const yaml_node_t *node)
{
	struct noderange_list names = { 0 };
	char path[PATH_ROOM];
	int status;

	join_path(path, sw->where, key);
	if (!node) {
		fault(file, object, path, "is missing, expected a name");
		return 0;
	}
	status = names_of(file, node, path, &names);
	if (status > 0 && names.count != 1)
		fault(file, node, path, "is not one name, expected one");
	if (status > 0 && names.count == 1) {
		sw->name = names.names[0];
		names.names[0] = NULL;
	}
	noderange_list_done(&names);
	return status < 0 ? -1 : 0;
}

static const char *const switch_keys[] = { "switch", "nodes", "children" };
static const char *const block_keys[] = { "block", "nodes" };

/* A switch or block. 0, or -1 without memory. */
static int take_switch(struct yaml_file *file, struct yaml_topology *topology,
		       struct conf_switch *sw, const yaml_node_t *node)
{
	const char *const *keys = sw->block ? block_keys : switch_keys;
	yaml_node_t *values[3] = { NULL };

	/* Keys stand in the order of enum conf_key. */
	if (members(file, node, sw->where, keys, sw->block ? 2 : 3, values,
		    sw->keys)) {
		topology->conf.lost_nodes = true;
		return fabric_lost_add(&topology->conf.lost_switches, NULL);
	}
	if (take_name(file, sw, keys[0], node, values[CONF_NAME]) ||
	    (values[CONF_NODES] &&
	     take_names(file, topology, sw, CONF_NODES, values[CONF_NODES])) ||
	    (values[CONF_SWITCHES] &&
	     take_names(file, topology, sw, CONF_SWITCHES,
			values[CONF_SWITCHES])))
		return -1;
	if (sw->name)
		return 0;
	topology->conf.lost_nodes = true;
	return fabric_lost_add(&topology->conf.lost_switches, NULL);
}

static int take_item(struct yaml_file *file, struct yaml_topology *topology,
		     const char *path, size_t index, const yaml_node_t *node)
{
	struct conf_switch sw = { .block = topology->kind == YAML_BLOCK };

	if (asprintf(&sw.where, "%s[%zu]", path, index) < 0) {
		sw.where = NULL;
		return -1;
	}
	if (take_switch(file, topology, &sw, node)) {
		fabric_conf_switch_done(&sw);
		return -1;
	}
	if (sw.name)
		return fabric_conf_keep(&topology->conf, &sw);
	fabric_conf_switch_done(&sw);
	return 0;
}

static void check_sizes(struct yaml_file *file, const yaml_node_t *node,
			const char *path)
{
	if (node->type != YAML_SEQUENCE_NODE) {
		fault(file, node, path, "is no list, expected a list of "
		      "numbers of nodes");
		return;
	}
	for (yaml_node_item_t *item = node->data.sequence.items.start;
	     item < node->data.sequence.items.top; item++) {
		yaml_node_t *size = yaml_document_get_node(&file->document,
							   *item);
		const char *text = (const char *)size->data.scalar.value;

		if (size->type != YAML_SCALAR_NODE || !*text ||
		    text[strspn(text, "0123456789")])
			fault(file, size, path, "is no size, expected a "
			      "number of nodes");
	}
}

static const char *const tree_keys[] = { "switches" };
static const char *const blocks_keys[] = { "blocks", "block_sizes" };

/* The switches of a tree, the blocks of a block. */
static int take_items(struct yaml_file *file, struct yaml_topology *topology,
		      const char *path, const yaml_node_t *node)
{
	bool block = topology->kind == YAML_BLOCK;
	const char *const *keys = block ? blocks_keys : tree_keys;
	yaml_node_t *values[2] = { NULL };
	struct conf_place at[2];
	char inner[PATH_ROOM];
	size_t index = 0;

	if (members(file, node, path, keys, block ? 2 : 1, values, at))
		return 0;
	join_path(inner, path, "block_sizes");
	if (values[1])
		check_sizes(file, values[1], inner);
	join_path(inner, path, keys[0]);
	if (!values[0] || values[0]->type != YAML_SEQUENCE_NODE) {
		fault(file, values[0] ? values[0] : node, inner,
		      block ? "is no list, expected a list of blocks"
			    : "is no list, expected a list of switches");
		return 0;
	}
	for (yaml_node_item_t *item = values[0]->data.sequence.items.start;
	     item < values[0]->data.sequence.items.top; item++)
		if (take_item(file, topology, inner, index++,
			      yaml_document_get_node(&file->document, *item)))
			return -1;
	return 0;
}

static bool truth_of(struct yaml_file *file, const yaml_node_t *node,
		     const char *path)
{
	static const char *const yes[] = { "true", "yes", "on", "y", "1" };
	static const char *const no[] = { "false", "no", "off", "n", "0", "" };
	const char *text = text_of(file, node, path);

	if (!text)
		return false;
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		if (!strcasecmp(text, yes[i]))
			return true;
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		if (!strcasecmp(text, no[i]))
			return false;
	fault(file, node, path, "is no truth value, expected true or false");
	return false;
}

enum { TOPOLOGY_NAME, TOPOLOGY_DEFAULT, TOPOLOGY_KINDS };

static const char *const topology_keys[] = {
	"topology", "cluster_default", "tree", "block", "flat", "ring",
	"torus3d",
};

#define TOPOLOGY_KEYS (TOPOLOGY_KINDS + YAML_KINDS)

/* Sets the kind of TOPOLOGY, and returns its value. */
static const yaml_node_t *take_kind(struct yaml_file *file,
				    struct yaml_topology *topology,
				    const char *path, const yaml_node_t *node,
				    yaml_node_t **values)
{
	topology->kind = YAML_KINDS;
	for (int kind = 0; kind < YAML_KINDS; kind++) {
		if (!values[TOPOLOGY_KINDS + kind])
			continue;
		if (topology->kind == YAML_KINDS)
			topology->kind = (enum yaml_kind)kind;
		else
			fault(file, values[TOPOLOGY_KINDS + kind], path,
			      "has two kinds, expected one of tree, block, "
			      "flat, ring and torus3d");
	}
	if (topology->kind < YAML_KINDS)
		return values[TOPOLOGY_KINDS + topology->kind];
	fault(file, node, path, "has no kind, expected tree, block, flat, "
	      "ring or torus3d");
	return NULL;
}

static int take_topology(struct yaml_file *file,
			 struct yaml_topology *topology, const char *path,
			 const yaml_node_t *node)
{
	yaml_node_t *values[TOPOLOGY_KEYS] = { NULL };
	struct conf_place at[TOPOLOGY_KEYS];
	const yaml_node_t *kind;
	const char *text = NULL;
	char inner[PATH_ROOM];

	topology->kind = YAML_KINDS;
	if (members(file, node, path, topology_keys, TOPOLOGY_KEYS, values,
		    at))
		return 0;
	join_path(inner, path, "topology");
	if (values[TOPOLOGY_NAME])
		text = text_of(file, values[TOPOLOGY_NAME], inner);
	else
		fault(file, node, inner, "is missing, expected a name");
	if (text && !(topology->name = strdup(text)))
		return -1;
	join_path(inner, path, "cluster_default");
	topology->is_default = values[TOPOLOGY_DEFAULT] &&
		truth_of(file, values[TOPOLOGY_DEFAULT], inner);
	kind = take_kind(file, topology, path, node, values);
	if (!kind || topology->kind > YAML_BLOCK)
		return 0;
	join_path(inner, path, kind_names[topology->kind]);
	return take_items(file, topology, inner, kind);
}

static int add_topology(struct yaml_file *file, const yaml_node_t *node)
{
	struct yaml_topology *topologies = array_reserve(
		file->topologies, &file->room, file->count + 1,
		sizeof(*topologies));
	struct yaml_topology *topology;
	char path[PATH_ROOM];

	if (!topologies)
		return -1;
	file->topologies = topologies;
	topology = &topologies[file->count];
	*topology = (struct yaml_topology) {
		.place = place_of(node),
		.conf = { .diag = file->diag, .yaml = true },
	};
	snprintf(path, sizeof(path), "$[%zu]", file->count++);
	return take_topology(file, topology, path, node);
}

void fabric_yaml_walk(struct yaml_file *file)
{
	yaml_node_t *root = yaml_document_get_root_node(&file->document);

	if (!root || root->type != YAML_SEQUENCE_NODE ||
	    root->data.sequence.items.start == root->data.sequence.items.top) {
		diag_add(file->diag, DIAG_ERROR, 1, 1, "$", "no topology is "
			 "declared, expected a list of topologies");
		return;
	}
	for (yaml_node_item_t *item = root->data.sequence.items.start;
	     !file->no_memory && item < root->data.sequence.items.top; item++)
		if (add_topology(file, yaml_document_get_node(&file->document,
							      *item)))
			file->no_memory = true;
}
