/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which topologies of a topology.yaml make the fabric.
 *
 * Slurm uses the first with "cluster_default: true", or else the first of the
 * file, wherever a partition names no other. So does leafspine, but for a kind
 * that says nothing of leaves: then it is the first tree, or else the first
 * block. Trees that share neither a node nor the name of a switch with what is
 * read are fabrics of their own beside it.
 */
#define _GNU_SOURCE 1
#include "fabric_yaml.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

#define SHOWN_MAX 64

/* The names that are taken, switches and nodes apart by their first byte. */
struct names {
	struct taken {
		const char *text;
		char kind;
	} *slots;
	size_t size;		/* a power of two, more than half of it free */
};

static int names_init(struct names *names, const struct yaml_file *file)
{
	size_t count = 0;

	for (size_t t = 0; t < file->count; t++) {
		const struct conf *conf = &file->topologies[t].conf;

		count += conf->count;
		for (size_t i = 0; i < conf->count; i++)
			count += conf->switches[i].nodes.count;
	}
	names->size = 8;
	while (names->size <= 2 * count)
		names->size *= 2;
	names->slots = array_new(names->size, sizeof(*names->slots));
	return names->slots ? 0 : -1;
}

static struct taken *find_slot(const struct names *names, char kind,
			       const char *text)
{
	size_t slot = array_hash(text, strlen(text), ARRAY_HASH_SEED ^
				 (unsigned char)kind);

	/* FNV's low bits are weak. */
	slot ^= slot >> 15;
	for (;; slot++) {
		struct taken *taken = &names->slots[slot & (names->size - 1)];

		if (!taken->text || (taken->kind == kind &&
				     !strcmp(taken->text, text)))
			return taken;
	}
}

static void take_name(struct names *names, char kind, const char *text)
{
	*find_slot(names, kind, text) = (struct taken) { text, kind };
}

/* The first name of TOPOLOGY that is taken, or NULL. */
static const char *shared_name(const struct names *names,
			       const struct yaml_topology *topology)
{
	const struct conf *conf = &topology->conf;

	for (size_t i = 0; i < conf->count; i++) {
		const struct conf_switch *sw = &conf->switches[i];

		if (find_slot(names, 's', sw->name)->text)
			return sw->name;
		for (size_t k = 0; k < sw->nodes.count; k++)
			if (find_slot(names, 'n', sw->nodes.names[k])->text)
				return sw->nodes.names[k];
	}
	return NULL;
}

/* Moves all of TOPOLOGY to CONF. NAMES still points into it. */
static int take(struct names *names, struct yaml_topology *topology,
		struct conf *conf)
{
	struct conf *from = &topology->conf;

	topology->taken = true;
	conf->lost_nodes |= from->lost_nodes;
	/* What was lost in one may be missed in all. */
	if (from->lost_switches.any || from->lost_switches.count)
		if (fabric_lost_add(&conf->lost_switches, NULL))
			return -1;
	for (size_t i = 0; i < from->count; i++) {
		struct conf_switch *sw = &from->switches[i];

		take_name(names, 's', sw->name);
		for (size_t k = 0; k < sw->nodes.count; k++)
			take_name(names, 'n', sw->nodes.names[k]);
		if (fabric_conf_keep(conf, sw)) {
			*sw = (struct conf_switch) { 0 };
			return -1;
		}
		*sw = (struct conf_switch) { 0 };
	}
	return 0;
}

static struct yaml_topology *first_of(struct yaml_file *file,
				      enum yaml_kind kind)
{
	for (size_t i = 0; i < file->count; i++)
		if (file->topologies[i].kind == kind)
			return &file->topologies[i];
	return NULL;
}

static struct yaml_topology *slurms_choice(struct yaml_file *file)
{
	for (size_t i = 0; i < file->count; i++)
		if (file->topologies[i].is_default)
			return &file->topologies[i];
	return &file->topologies[0];
}

static struct yaml_topology *choose_first(struct yaml_file *file)
{
	struct yaml_topology *choice = slurms_choice(file);

	if (choice->kind > YAML_BLOCK)
		choice = first_of(file, YAML_TREE);
	return choice ? choice : first_of(file, YAML_BLOCK);
}

static const char *shown_name(const struct yaml_topology *topology,
			      char *buffer)
{
	const char *name = topology->name ? topology->name : "";

	return diag_printable(name, strlen(name), buffer, SHOWN_MAX);
}

/* NAME: what it shares with the fabric; NULL: its kind is the reason. */
static void leave_out(struct yaml_file *file,
		      const struct yaml_topology *topology,
		      const struct yaml_topology *first, const char *name)
{
	char own[SHOWN_MAX];
	char other[SHOWN_MAX];
	char shown[SHOWN_MAX];

	if (topology->kind == YAML_KINDS)
		return;
	shown_name(topology, own);
	shown_name(first, other);
	if (name)
		diag_add(file->diag, DIAG_WARNING, topology->place.line,
			 topology->place.column, "$", "topology \"%s\" is left "
			 "out: \"%s\" stands in \"%s\" or another before it "
			 "too", own, diag_printable(name, strlen(name), shown,
						    sizeof(shown)), other);
	else
		diag_add(file->diag, DIAG_WARNING, topology->place.line,
			 topology->place.column, "$", "topology \"%s\" (%s) is "
			 "left out: the fabric is \"%s\"", own,
			 fabric_yaml_kind_name(topology->kind), other);
}

static int take_others(struct yaml_file *file, struct names *names,
		       const struct yaml_topology *first, struct conf *conf)
{
	for (size_t i = 0; i < file->count; i++) {
		struct yaml_topology *topology = &file->topologies[i];
		bool tree = topology->kind == YAML_TREE &&
			    first->kind == YAML_TREE;
		const char *name;

		if (topology->taken)
			continue;
		name = tree ? shared_name(names, topology) : NULL;
		if (!tree || name)
			leave_out(file, topology, first, name);
		else if (take(names, topology, conf))
			return -1;
	}
	return 0;
}

int fabric_yaml_choose(struct yaml_file *file, struct conf *conf)
{
	struct yaml_topology *first = choose_first(file);
	struct names names = { 0 };
	int status;

	if (!first) {
		if (diag_ok(file->diag))
			diag_add(file->diag, DIAG_ERROR,
				 file->topologies[0].place.line,
				 file->topologies[0].place.column, "$",
				 "no topology says which nodes share a leaf, "
				 "expected a tree or a block");
		return 0;
	}
	status = names_init(&names, file);
	if (status == 0)
		status = take(&names, first, conf) ||
			 take_others(file, &names, first, conf) ? -1 : 0;
	free(names.slots);
	if (status == 0 && conf->count == 0 && diag_ok(file->diag))
		diag_add(file->diag, DIAG_ERROR, first->place.line,
			 first->place.column, "$", "the topology is empty, "
			 "expected a switch or a block");
	return status;
}
