/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world: reads leafspine.conf and the fabric, and maps nodes. */

#include "world.h"

#include "fabric_read.h"
#include "stamp.h"

#include "compat.h"

#include <stdlib.h>

#define CONF_FILE "leafspine.conf"
#define FAULTS_LOGGED 20
#define LINE_MAX_BYTES 1024

struct world world;

static struct stamp conf_stamp, fabric_stamp;
static bool conf_read, fabric_read;
static bool is_short;		/* the last refresh went without memory */

void world_changed(void)
{
	world.generation++;
}

static void log_faults(const struct diag *diag, const char *path, size_t most)
{
	char line[LINE_MAX_BYTES];

	for (size_t i = 0; i < diag->entry_count && i < most; i++)
		error("leafspine: %s", diag_line(diag, i, line, sizeof(line)));
	if (diag->no_memory)
		error("leafspine: %s: no memory", path);
}

/* One line: what is wrong with the file as a whole, and what comes of it. */
static void log_not_taken(const struct diag *diag, const char *path)
{
	char line[LINE_MAX_BYTES];

	if (diag->entry_count)
		diag_line(diag, 0, line, sizeof(line));
	else
		snprintf(line, sizeof(line), "%s: no memory", path);
	error("leafspine: %s (%s)", line, world.conf ?
	      "not taken, what was read before stays" :
	      "not taken, jobs are placed as by stock Slurm");
}

/* A conf that cannot be read leaves the last good one, or stock Slurm. */
static void read_conf(const char *path)
{
	struct stamp now = stamp_of(path);
	struct diag diag;
	struct conf *fresh;

	if (conf_read && stamp_same(&now, &conf_stamp))
		return;
	conf_read = true;
	conf_stamp = now;
	diag_init(&diag, path);
	fresh = conf_read_file(path, slurm_conf.slurm_user_id, &diag);
	if (fresh)
		log_faults(&diag, path, FAULTS_LOGGED);
	else
		log_not_taken(&diag, path);
	if (!fresh && diag.no_memory) {
		conf_read = false;
		is_short = true;
	}
	diag_done(&diag);
	if (!fresh)
		return;
	/* Another path is another file: its stamp says nothing of it. */
	if (!world.conf || strcmp(fresh->fabric, world.conf->fabric))
		fabric_read = false;
	conf_free(world.conf);
	world.conf = fresh;
}

/* The first fault and how many there are: one clear line (formats.md 1). */
static void log_fabric(const struct diag *diag, const char *path)
{
	char line[LINE_MAX_BYTES] = "no memory";
	const char *then = world.fabric ? "the last good fabric stays" :
		"jobs are placed as by stock Slurm";
	size_t first = 0;

	while (first < diag->entry_count &&
	       diag->entries[first].severity != DIAG_ERROR)
		first++;
	if (first < diag->entry_count)
		diag_line(diag, first, line, sizeof(line));
	else
		snprintf(line, sizeof(line), "%s: cannot be read", path);
	error("leafspine: %s (%zu faults; %s)", line, diag->error_count, then);
}

/* What was not read for lack of memory is no word on the file. */
static void fabric_is_short(void)
{
	fabric_read = false;
	is_short = true;
}

static void take_fabric(struct fabric *fabric)
{
	struct state *state = state_new(fabric);

	if (!state) {
		error("leafspine: no memory for the fabric");
		fabric_free(fabric);
		fabric_is_short();
		return;
	}
	state_free(world.state);
	fabric_free(world.fabric);
	world.fabric = fabric;
	world.state = state;
}

static void read_fabric(void)
{
	const char *path = world.conf->fabric;
	struct stamp now = stamp_of(path);
	struct fabric *fabric;
	struct diag diag;

	if (fabric_read && stamp_same(&now, &fabric_stamp))
		return;
	fabric_read = true;
	fabric_stamp = now;
	diag_init(&diag, path);
	fabric = fabric_read_file(path, &diag);
	if (fabric) {
		take_fabric(fabric);
		verbose("leafspine: fabric %s: %u nodes, %u switches", path,
			fabric->node_count, fabric->switch_count);
	} else {
		log_fabric(&diag, path);
		if (diag.no_memory)
			fabric_is_short();
	}
	diag_done(&diag);
}

static void drop_maps(void)
{
	free(world.table_of);
	free(world.node_of);
	world.table_of = world.node_of = NULL;
	world.table_size = 0;
}

/* Names that the fabric has and Slurm does not: one line, no more. */
static void log_strangers(uint32_t count, const char *first)
{
	static uint32_t last;

	if (count && count != last)
		error("leafspine: %u nodes of the fabric are unknown to Slurm, "
		      "%s first", count, first);
	last = count;
}

static void map_node(uint32_t index)
{
	const node_record_t *record = node_record_table_ptr[index];
	uint32_t node;

	if (!record || !record->name)
		return;
	node = fabric_find_node(world.fabric, record->name);
	world.node_of[index] = node;
	if (node == FABRIC_NONE)
		return;
	world.table_of[node] = index;
	world.state->positions[node] = index;
}

static void map_nodes(void)
{
	uint32_t nodes = world.fabric->node_count, strangers = 0;
	const char *first = NULL;

	drop_maps();
	world.table_of = calloc((size_t)nodes + 1, sizeof(uint32_t));
	world.node_of = calloc((size_t)node_record_count + 1,
			       sizeof(uint32_t));
	if (!world.table_of || !world.node_of) {
		drop_maps();
		is_short = true;
		return;
	}
	world.table_size = (uint32_t)node_record_count;
	for (uint32_t i = 0; i < nodes; i++) {
		world.table_of[i] = FABRIC_NONE;
		world.state->positions[i] = world.table_size + i;
	}
	for (uint32_t i = 0; i < world.table_size; i++) {
		world.node_of[i] = FABRIC_NONE;
		map_node(i);
	}
	for (uint32_t i = 0; i < nodes; i++) {
		if (world.table_of[i] != FABRIC_NONE)
			continue;
		first = first ? first : world.fabric->nodes[i].name;
		strangers++;
	}
	log_strangers(strangers, first);
}

bool world_refresh(void)
{
	char *path = get_extra_conf_path(CONF_FILE);

	is_short = false;
	world_changed();
	if (path)
		read_conf(path);
	xfree(path);
	if (world.conf && world.conf->mode != CONF_OFF)
		read_fabric();
	if (world.fabric)
		map_nodes();
	return world.fabric && world.table_of;
}

bool world_is_short(void)
{
	return is_short;
}

void world_done(void)
{
	drop_maps();
	state_free(world.state);
	fabric_free(world.fabric);
	conf_free(world.conf);
	world = (struct world){ 0 };
	conf_read = fabric_read = is_short = false;
}
