/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The blocks of topology/block as a fabric.
 *
 * A block says which nodes share the fastest network, on GPU racks an NVLink
 * domain, and nothing of the switches between blocks. Jobs run on several
 * blocks, so there are some: one Spine is put above all of them.
 */
#define _GNU_SOURCE 1
#include "fabric_conf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

#define SPINE_NAME_ROOM 32
#define NAMES_TRIED 64

/* The first block or, with BLOCK false, the first switch; NULL: none. */
static const struct conf_switch *first_of(const struct conf *conf, bool block)
{
	for (size_t i = 0; i < conf->count; i++)
		if (conf->switches[i].block == block)
			return &conf->switches[i];
	return NULL;
}

static bool name_taken(const struct conf *conf, const char *name)
{
	for (size_t i = 0; i < conf->count; i++)
		if (!strcmp(conf->switches[i].name, name))
			return true;
	return false;
}

/* Where all of these are taken, the builder says that one stands twice. */
static void name_spine(const struct conf *conf, char *name)
{
	snprintf(name, SPINE_NAME_ROOM, "spine");
	for (size_t i = 1; name_taken(conf, name) && i <= NAMES_TRIED; i++)
		snprintf(name, SPINE_NAME_ROOM, "spine%zu", i);
}

static int copy_names(const struct conf *conf, struct noderange_list *ret)
{
	ret->names = array_new(conf->count, sizeof(char *));
	if (!ret->names)
		return -1;
	for (size_t i = 0; i < conf->count; i++) {
		const struct conf_switch *sw = &conf->switches[i];

		/* One that stands twice is said elsewhere. */
		if (sw->repeated || !sw->block)
			continue;
		ret->names[ret->count] = strdup(sw->name);
		if (!ret->names[ret->count])
			return -1;
		ret->count++;
	}
	return 0;
}

static int add_spine(struct conf *conf, const char *name,
		     struct conf_place place)
{
	struct conf_switch spine = { .name = strdup(name) };

	spine.keys[CONF_NAME] = place;
	spine.keys[CONF_SWITCHES] = place;
	if (!spine.name || copy_names(conf, &spine.children)) {
		fabric_conf_switch_done(&spine);
		return -1;
	}
	return fabric_conf_keep(conf, &spine);
}

static void refuse_children(struct conf *conf)
{
	for (size_t i = 0; i < conf->count; i++) {
		struct conf_switch *sw = &conf->switches[i];

		if (!sw->block || !fabric_conf_has(sw, CONF_SWITCHES))
			continue;
		noderange_list_done(&sw->children);
		fabric_conf_fault(conf, DIAG_ERROR,
				  sw->keys[CONF_SWITCHES], sw, CONF_SWITCHES,
				  "stands in a block, expected nodes only");
		/* It stays a leaf. */
		sw->keys[CONF_SWITCHES] = (struct conf_place) { 0 };
	}
}

int fabric_conf_blocks(struct conf *conf)
{
	const struct conf_switch *block = first_of(conf, true);
	const struct conf_switch *sw = first_of(conf, false);
	struct conf_place place;
	char name[SPINE_NAME_ROOM];

	if (!block)
		return 0;
	place = block->keys[CONF_NAME];
	if (sw) {
		fabric_conf_fault(conf, DIAG_ERROR, place, block, CONF_NAME,
				  "a block beside switch \"%s\", expected only "
				  "blocks or only switches", sw->name);
		return 0;
	}
	refuse_children(conf);
	name_spine(conf, name);
	fabric_conf_fault(conf, DIAG_WARNING, place, block, CONF_NAME,
			  "blocks name no switches: each is read as an NVLink "
			  "domain under a leaf of its own, all below Spine "
			  "\"%s\"", name);
	return add_spine(conf, name, place);
}
