/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fabric_json: what the two halves of the JSON reader share.
 */
#ifndef LEAFSPINE_FABRIC_JSON_H
#define LEAFSPINE_FABRIC_JSON_H

#include "fabric_builder.h"
#include "json_reader.h"

enum origin_kind { ORIGIN_NODE, ORIGIN_SWITCH, ORIGIN_UPLINK };

/* nodes[entry], switches[entry] or switches[entry].uplinks[uplink] */
struct origin {
	enum origin_kind kind;
	size_t entry;
	size_t uplink;
};

struct fabric_json {
	struct json_reader reader;
	struct fabric_builder *builder;
	struct origin *origins;
	size_t origin_count, origin_room;
};

/* 0, or -1 without memory. */
int fabric_json_origin(struct fabric_json *json, enum origin_kind kind,
		       size_t entry, size_t uplink, uint32_t *ret_origin);

/* The builder's lost: KEY of OBJECT has no names that could be read. */
int fabric_json_lost(struct fabric_json *json, enum fabric_lost what,
		     const json_t *object, const char *key);

/* Where EMPTY, adds a fault about KEY of the object at AT and returns -1. */
int fabric_json_refuse_empty(struct fabric_json *json,
			     const struct jsonpos_step *at, const char *key,
			     bool empty);

/* Nothing is known of a switch. 0, or -1 without memory. */
int fabric_json_lose_switch(struct fabric_json *json);
/* Reads one entry of `switches`. 0, or -1 without memory. */
int fabric_json_switch(struct fabric_json *json, const struct jsonpos_step *at,
		       const json_t *entry);

#endif
