/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which switch of a topology.conf stands above which. */
#define _GNU_SOURCE 1
#include "fabric_conf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

#define CYCLE_SHOWN_MAX 400

#define NONE UINT32_MAX

/* qsort has no context; a reader is no place for qsort_r's variants. */
struct named {
	const char *name;
	uint32_t index;
};

static int compare_named(const void *left, const void *right)
{
	const struct named *a = left;
	const struct named *b = right;
	int order = strcmp(a->name, b->name);

	if (order)
		return order;
	return a->index < b->index ? -1 : a->index > b->index;
}

static int sort_names(struct conf_graph *graph)
{
	struct conf *conf = graph->conf;
	struct named *named = array_new(conf->count, sizeof(*named));

	if (!named)
		return -1;
	for (size_t i = 0; i < conf->count; i++) {
		named[i].name = conf->switches[i].name;
		named[i].index = (uint32_t)i;
	}
	qsort(named, conf->count, sizeof(*named), compare_named);
	for (size_t i = 0; i < conf->count; i++) {
		graph->by_name[i] = named[i].index;
		if (i == 0 || strcmp(named[i - 1].name, named[i].name))
			continue;
		conf->switches[named[i - 1].index].repeated = true;
		conf->switches[named[i].index].repeated = true;
	}
	free(named);
	return 0;
}

/* The first declaration of NAME, or NONE. */
static uint32_t find_switch(const struct conf_graph *graph, const char *name)
{
	size_t low = 0;
	size_t high = graph->conf->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(graph->conf->switches[graph->by_name[middle]].name,
			   name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == graph->conf->count ||
	    strcmp(graph->conf->switches[graph->by_name[low]].name, name))
		return NONE;
	return graph->by_name[low];
}

static void check_keys(struct conf *conf, const struct conf_switch *sw)
{
	if (sw->nodes.count == 0 || sw->children.count == 0)
		return;
	conf->lost_nodes = true;
	fabric_conf_fault(conf, DIAG_ERROR, sw->keys[CONF_NODES], sw,
			  CONF_NODES, "stands beside %s, expected only one of "
			  "them", conf->yaml ? "children" : "Switches");
}

/* Names that are repeated or unknown become one fault each kind and line. */
struct complaint {
	const char **names;
	size_t count;
};

static int complain(struct conf *conf, const struct conf_switch *sw,
		    const struct complaint *complaint, const char *before,
		    const char *behind)
{
	char shown[CYCLE_SHOWN_MAX];
	char *folded;

	if (complaint->count == 0)
		return 0;
	folded = noderange_compress(complaint->names, complaint->count);
	if (!folded)
		return -1;
	diag_printable(folded, strlen(folded), shown, sizeof(shown));
	free(folded);
	fabric_conf_fault(conf, DIAG_ERROR, sw->keys[CONF_SWITCHES], sw,
			  CONF_SWITCHES, "%s\"%s\"%s", before, shown, behind);
	return 0;
}

/* STAMPS: by switch, 1 + the switch that last named it as its child. */
static int add_children(struct conf_graph *graph, uint32_t index, size_t *used,
			uint32_t *stamps)
{
	const struct conf_switch *sw = &graph->conf->switches[index];
	size_t most = sw->children.count;
	struct complaint unknown = { array_new(most, sizeof(char *)), 0 };
	struct complaint twice = { array_new(most, sizeof(char *)), 0 };
	int status = unknown.names && twice.names ? 0 : -1;

	for (size_t i = 0; status == 0 && i < most; i++) {
		uint32_t child = find_switch(graph, sw->children.names[i]);

		if (child == NONE &&
		    fabric_lost_has(&graph->conf->lost_switches,
				    sw->children.names[i])) {
			continue;
		} else if (child == NONE) {
			unknown.names[unknown.count++] = sw->children.names[i];
		} else if (stamps[child] == index + 1) {
			twice.names[twice.count++] = sw->children.names[i];
		} else {
			stamps[child] = index + 1;
			graph->children[(*used)++] = child;
			graph->parent_count[child]++;
		}
	}
	if (status == 0)
		status = complain(graph->conf, sw, &unknown, "no switch is "
				  "called ", ", expected a declared switch") |
			 complain(graph->conf, sw, &twice, "", " is listed "
				  "twice, expected each child once");
	free(unknown.names);
	free(twice.names);
	return status;
}

static int link_children(struct conf_graph *graph)
{
	struct conf *conf = graph->conf;
	uint32_t *stamps = array_new(conf->count, sizeof(*stamps));
	size_t most = 0;
	size_t used = 0;
	int status = stamps ? 0 : -1;

	for (size_t i = 0; i < conf->count; i++)
		most += conf->switches[i].children.count;
	graph->children = array_new(most, sizeof(*graph->children));
	if (!graph->children || most >= NONE)
		status = -1;
	for (size_t i = 0; status == 0 && i < conf->count; i++) {
		check_keys(conf, &conf->switches[i]);
		graph->first_child[i] = (uint32_t)used;
		status = add_children(graph, (uint32_t)i, &used, stamps);
	}
	graph->first_child[conf->count] = (uint32_t)used;
	free(stamps);
	return status;
}

/* PARENTS of each child, as the reverse of graph->children. */
static void gather_parents(const struct conf_graph *graph, uint32_t *first,
			 uint32_t *parents)
{
	size_t count = graph->conf->count;

	for (size_t i = 0; i < count; i++)
		first[i + 1] = first[i] + graph->parent_count[i];
	/* Backwards: each child's next free place moves down from its end. */
	for (size_t i = count; i-- > 0;)
		for (uint32_t k = graph->first_child[i + 1];
		     k-- > graph->first_child[i];)
			parents[--first[graph->children[k] + 1]] = (uint32_t)i;
	for (size_t i = 0; i < count; i++)
		first[i + 1] = first[i] + graph->parent_count[i];
}

static void settle(struct conf_graph *graph, uint32_t sw)
{
	graph->order[graph->ordered++] = sw;
}

/* From the leaves up; what waits for itself has no level. */
static void walk_up(struct conf_graph *graph, const uint32_t *first,
		    const uint32_t *parents)
{
	size_t count = graph->conf->count;

	for (size_t i = 0; i < count; i++) {
		const struct conf_switch *sw = &graph->conf->switches[i];

		graph->waiting[i] = graph->first_child[i + 1] -
				    graph->first_child[i];
		/* A leaf is what has Nodes, or nothing at all. */
		graph->level[i] = fabric_conf_has(sw, CONF_SWITCHES) ? 1 : 0;
		if (graph->waiting[i] == 0)
			settle(graph, (uint32_t)i);
	}
	for (size_t i = 0; i < graph->ordered; i++) {
		uint32_t sw = graph->order[i];

		for (uint32_t k = first[sw]; k < first[sw + 1]; k++) {
			uint32_t parent = parents[k];

			if (graph->level[parent] <= graph->level[sw])
				graph->level[parent] = graph->level[sw] + 1;
			if (--graph->waiting[parent] == 0)
				settle(graph, parent);
		}
	}
}

static int find_levels(struct conf_graph *graph)
{
	size_t count = graph->conf->count;
	uint32_t *first = array_new(count + 1, sizeof(*first));
	uint32_t *parents = array_new(graph->first_child[count],
				      sizeof(*parents));
	int status = first && parents ? 0 : -1;

	if (status == 0) {
		gather_parents(graph, first, parents);
		walk_up(graph, first, parents);
	}
	free(first);
	free(parents);
	return status;
}

/* The first child that waits as well: every switch that waits has one. */
static uint32_t waiting_child(const struct conf_graph *graph, uint32_t sw)
{
	for (uint32_t k = graph->first_child[sw];
	     k < graph->first_child[sw + 1]; k++)
		if (graph->waiting[graph->children[k]])
			return graph->children[k];
	return NONE;
}

static void report_cycle(struct conf_graph *graph, uint32_t start)
{
	const struct conf_switch *sw = &graph->conf->switches[start];
	char text[CYCLE_SHOWN_MAX];
	size_t used = 0;
	uint32_t at = start;

	do {
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s -> ",
					 graph->conf->switches[at].name);
		at = waiting_child(graph, at);
	} while (at != start && used < sizeof(text));
	if (used < sizeof(text))
		snprintf(text + used, sizeof(text) - used, "%s", sw->name);
	fabric_conf_fault(graph->conf, DIAG_ERROR, sw->keys[CONF_SWITCHES],
			  sw, CONF_SWITCHES, "%s%s is a cycle, expected "
			  "each switch below its parents only", text,
			  used < sizeof(text) ? "" : "...");
}

/* SEEN: by switch, 1 + the start of the walk that came by. */
static void report_cycles(struct conf_graph *graph, uint32_t *seen)
{
	for (size_t i = 0; i < graph->conf->count; i++) {
		uint32_t at = (uint32_t)i;

		if (!graph->waiting[i])
			continue;
		while (!seen[at]) {
			seen[at] = (uint32_t)i + 1;
			at = waiting_child(graph, at);
		}
		if (seen[at] == i + 1)
			report_cycle(graph, at);
	}
}

static int check_cycles(struct conf_graph *graph)
{
	uint32_t *seen;

	if (graph->ordered == graph->conf->count)
		return 0;
	seen = array_new(graph->conf->count, sizeof(*seen));
	if (!seen)
		return -1;
	report_cycles(graph, seen);
	free(seen);
	return 0;
}

static int allocate_graph(struct conf_graph *graph)
{
	size_t count = graph->conf->count;

	graph->by_name = array_new(count, sizeof(uint32_t));
	graph->first_child = array_new(count + 1, sizeof(uint32_t));
	graph->parent_count = array_new(count, sizeof(uint32_t));
	graph->waiting = array_new(count, sizeof(uint32_t));
	graph->level = array_new(count, sizeof(uint32_t));
	graph->order = array_new(count, sizeof(uint32_t));
	return graph->by_name && graph->first_child && graph->parent_count &&
	       graph->waiting && graph->level && graph->order ? 0 : -1;
}

void fabric_conf_graph_done(struct conf_graph *graph)
{
	free(graph->by_name);
	free(graph->first_child);
	free(graph->children);
	free(graph->parent_count);
	free(graph->waiting);
	free(graph->level);
	free(graph->order);
}

int fabric_conf_graph(struct conf *conf, struct conf_graph *ret)
{
	struct conf_graph graph = { .conf = conf };

	if (allocate_graph(&graph) || sort_names(&graph) ||
	    link_children(&graph) || find_levels(&graph) ||
	    check_cycles(&graph)) {
		fabric_conf_graph_done(&graph);
		return -1;
	}
	*ret = graph;
	return 0;
}
