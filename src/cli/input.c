/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input: what the commands read, with its messages. See input.h.
 */
#include "input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/diag.h"
#include "core/fabric_read.h"
#include "core/noderange.h"
#include "output.h"

const char *input_source_name(const char *path)
{
	return strncmp(path, "synth:", 6) == 0 ? "synthetic" : path;
}

static int read_fabric(const char *path, struct fabric **ret_fabric)
{
	struct fabric *fabric;
	struct diag diag;

	diag_init(&diag, input_source_name(path));
	fabric = fabric_read_file(path, &diag);
	diag_print(&diag, stderr);
	diag_done(&diag);
	if (!fabric)
		return -1;
	*ret_fabric = fabric;
	return 0;
}

static int read_state(const struct fabric *fabric, const char *path,
		      struct state **ret_state)
{
	struct state *state;
	struct diag diag;

	diag_init(&diag, path);
	state = state_read_file(fabric, path, parallelism_site_default(),
				&diag);
	diag_print(&diag, stderr);
	diag_done(&diag);
	if (!state)
		return -1;
	*ret_state = state;
	return 0;
}

int input_read(struct input *input, const char *fabric_path,
	       const char *state_path)
{
	*input = (struct input){ 0 };
	if (read_fabric(fabric_path, &input->fabric) < 0)
		return -1;
	if (state_path)
		return read_state(input->fabric, state_path, &input->state);
	input->state = state_new(input->fabric);
	if (!input->state) {
		output_no_memory();
		return -1;
	}
	return 0;
}

void input_done(struct input *input)
{
	state_free(input->state);
	fabric_free(input->fabric);
	*input = (struct input){ 0 };
}

int input_read_hint(const char *text, struct parallelism *ret_hint)
{
	struct parallelism_error error;
	struct parallelism hint;

	if (parallelism_parse(text, strlen(text), &hint, &error) < 0) {
		output_complain("--parallelism: %s", error.text);
		return -1;
	}
	if (hint.off) {
		output_complain("--parallelism: off leaves the job to stock "
				"Slurm, there is nothing to compute");
		return -1;
	}
	*ret_hint = hint;
	return 0;
}

static int expand(const char *option, const char *text,
		  struct noderange_list *ret_list)
{
	struct noderange_error error;

	switch (noderange_expand(text, ret_list, &error)) {
	case NODERANGE_OK:
		return 0;
	case NODERANGE_BAD:
		output_complain("--%s: character %zu: %s", option,
				error.offset + 1, error.text);
		return -1;
	default:
		output_no_memory();
		return -1;
	}
}

static int find_nodes(const struct fabric *fabric, const char *option,
		      const struct noderange_list *list, uint32_t *nodes)
{
	for (size_t i = 0; i < list->count; i++) {
		nodes[i] = fabric_find_node(fabric, list->names[i]);
		if (nodes[i] == FABRIC_NONE) {
			output_complain("--%s: unknown node '%s'", option,
					list->names[i]);
			return -1;
		}
	}
	return 0;
}

int input_read_nodes(const struct fabric *fabric, const char *option,
		     const char *text, struct input_nodes *ret_nodes)
{
	struct noderange_list list;
	uint32_t *nodes;

	if (expand(option, text, &list) < 0)
		return -1;
	nodes = calloc(list.count + 1, sizeof(*nodes));
	if (!nodes)
		output_no_memory();
	if (!nodes || find_nodes(fabric, option, &list, nodes) < 0) {
		free(nodes);
		noderange_list_done(&list);
		return -1;
	}
	*ret_nodes = (struct input_nodes){ nodes, (uint32_t)list.count };
	noderange_list_done(&list);
	return 0;
}

int input_read_nodeset(const struct fabric *fabric, const char *option,
		       const char *text, struct nodeset *ret_set)
{
	struct input_nodes nodes;
	struct nodeset set;

	if (input_read_nodes(fabric, option, text, &nodes) < 0)
		return -1;
	if (nodeset_init(&set, fabric->node_count) < 0) {
		output_no_memory();
		free(nodes.nodes);
		return -1;
	}
	for (uint32_t i = 0; i < nodes.count; i++)
		nodeset_add(&set, nodes.nodes[i]);
	free(nodes.nodes);
	*ret_set = set;
	return 0;
}
