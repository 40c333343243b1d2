/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fabric_conf: what the parts of the topology.conf reader share, and that of
 * topology.yaml, which finds the same switches and blocks in other words.
 */
#ifndef LEAFSPINE_FABRIC_CONF_H
#define LEAFSPINE_FABRIC_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "fabric_lost.h"
#include "noderange.h"

enum conf_key {
	CONF_NAME, CONF_NODES, CONF_SWITCHES, CONF_SPEED,
	CONF_BLOCK, CONF_SIZES,
	CONF_KEYS
};

/* A place in the file, from 1; line 0: it stands nowhere. */
struct conf_place {
	int line;
	int column;
};

/* One SwitchName or BlockName line. */
struct conf_switch {
	char *name;			/* owned */
	char *where;			/* owned; its path in YAML, else NULL */
	bool block;			/* its nodes are an NVLink domain */
	struct conf_place keys[CONF_KEYS];
	bool lost[CONF_KEYS];		/* the value could not be read */
	bool repeated;			/* others of this name are declared */
	struct noderange_list nodes;
	struct noderange_list children;
};

static inline bool fabric_conf_has(const struct conf_switch *sw,
				   enum conf_key key)
{
	return sw->keys[key].line > 0;
}

struct conf {
	struct diag *diag;
	struct conf_switch *switches;
	size_t count, room;
	struct fabric_lost_names lost_switches;
	bool lost_nodes;	/* some could not be read, or are left out */
	bool yaml;		/* keys are those of topology.yaml */
};

/* The switches of a file as a graph: indices of conf->switches. */
struct conf_graph {
	struct conf *conf;
	uint32_t *by_name;	/* sorted */
	uint32_t *first_child;	/* children[first_child[s] ..] */
	uint32_t *children;
	uint32_t *parent_count;
	uint32_t *waiting;	/* children below that have no level yet */
	uint32_t *level;	/* 0 leaf, 1 Spine, above: core */
	uint32_t *order;	/* switches from the leaves up */
	size_t ordered;
};

/* 0 with the faults of the graph in conf->diag, or -1 without memory. */
int fabric_conf_graph(struct conf *conf, struct conf_graph *ret);
void fabric_conf_graph_done(struct conf_graph *graph);

/* Where a piece of the joined line comes from. */
struct conf_piece {
	size_t start;		/* in the joined line */
	struct conf_place place;
};

/* A line of the file with those that a backslash joins to it. */
struct conf_lines {
	struct conf *conf;
	const char *text;
	size_t length;
	size_t at;		/* the next byte of the file */
	int number;		/* its line */
	char *joined;		/* room for the whole text; ends with NUL */
	size_t joined_length;
	struct conf_piece *pieces;
	size_t piece_count, piece_room;
};

/* The next joined line: 1, or 0 at the end of the file, or -1. */
int fabric_conf_next_line(struct conf_lines *lines);
/* Where the byte at OFFSET of the joined line stands in the file. */
struct conf_place fabric_conf_place(const struct conf_lines *lines,
				    size_t offset);
bool fabric_conf_is_space(char c);

/*
 * Blocks stand beside each other: a Spine is put above them, with a warning.
 * 0, or -1 without memory.
 */
int fabric_conf_blocks(struct conf *conf);

/* Reads all lines. 0, or -1 without memory. */
int fabric_conf_parse(struct conf *conf, const char *text, size_t length);
void fabric_conf_done(struct conf *conf);

/* Keeps *SW, whose parts then belong to CONF. 0, or -1 without memory. */
int fabric_conf_keep(struct conf *conf, struct conf_switch *sw);
void fabric_conf_switch_done(struct conf_switch *sw);

/* The fabric of what was read, or NULL with the faults in conf->diag. */
struct fabric *fabric_conf_finish(struct conf *conf);

/* A fault about KEY of SW (NULL: of a line without a name). */
void fabric_conf_fault(struct conf *conf, enum diag_severity severity,
		       struct conf_place place, const struct conf_switch *sw,
		       enum conf_key key, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

#endif
