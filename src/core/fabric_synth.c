/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A whole fabric from one line: "spine:4 leaf:8 node:16 gpus=4". */
#define _GNU_SOURCE 1
#include "fabric_read.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric_builder.h"

#define SYNTH_NAME_MAX 48
#define WORD_MAX 64

enum {
	/* tiers, in the order in which they may stand */
	SYNTH_FABRIC, SYNTH_CORE, SYNTH_POD, SYNTH_SPINE, SYNTH_LEAF,
	SYNTH_NODE,
	SYNTH_TIERS,
	/* options */
	SYNTH_GPUS = SYNTH_TIERS, SYNTH_NICS, SYNTH_NIC_GBPS, SYNTH_GBPS,
	SYNTH_LINKS, SYNTH_CORE_GBPS, SYNTH_CORE_LINKS, SYNTH_RAILS,
	SYNTH_DOMAIN,
	SYNTH_WORDS
};

struct synth_word {
	const char *name;
	double smallest;
	double largest;
	bool whole;		/* takes whole numbers only */
};

static const struct synth_word synth_words[SYNTH_WORDS] = {
	[SYNTH_FABRIC] = { "fabric", 1, 1024, true },
	[SYNTH_CORE] = { "core", 1, 65536, true },
	[SYNTH_POD] = { "pod", 1, 65536, true },
	[SYNTH_SPINE] = { "spine", 1, 65536, true },
	[SYNTH_LEAF] = { "leaf", 1, 65536, true },
	[SYNTH_NODE] = { "node", 1, FABRIC_NODES_MAX, true },
	[SYNTH_GPUS] = { "gpus", 0, FABRIC_GPUS_MAX, true },
	[SYNTH_NICS] = { "nics", 1, FABRIC_NICS_MAX, true },
	[SYNTH_NIC_GBPS] = { "nic_gbps", 0.001, FABRIC_GBPS_MAX, false },
	[SYNTH_GBPS] = { "gbps", 0.001, FABRIC_GBPS_MAX, false },
	[SYNTH_LINKS] = { "links", 1, FABRIC_LINKS_MAX, true },
	[SYNTH_CORE_GBPS] = { "core_gbps", 0.001, FABRIC_GBPS_MAX, false },
	[SYNTH_CORE_LINKS] = { "core_links", 1, FABRIC_LINKS_MAX, true },
	[SYNTH_RAILS] = { "rails", 1, FABRIC_NICS_MAX, true },
	[SYNTH_DOMAIN] = { "domain", 1, FABRIC_NODES_MAX, true },
};

struct synth {
	struct diag *diag;
	double values[SYNTH_WORDS];	/* 0: not given (gpus: below 0) */
	int last_tier;			/* the lowest so far, or -1 */
	struct fabric_builder *builder;
	uint32_t leaf_count, spine_count, node_count, core_count;
	uint32_t domain_count;
};

static int find_word(const char *name, size_t length)
{
	for (int i = 0; i < SYNTH_WORDS; i++)
		if (strlen(synth_words[i].name) == length &&
		    !memcmp(synth_words[i].name, name, length))
			return i;
	return -1;
}

/* A plain decimal number and nothing behind it. */
static bool parse_value(const char *text, bool whole, double *ret_value)
{
	char *end;

	if (text[strspn(text, whole ? "0123456789" : "0123456789.")] ||
	    !text[0] || strlen(text) > 12)
		return false;
	*ret_value = strtod(text, &end);
	return *end == '\0' && end != text;
}

static void set_word(struct synth *synth, const char *text, int column)
{
	size_t length = strcspn(text, ":=");
	int word = find_word(text, length);
	double value;

	if (word < 0 || text[length] != (word < SYNTH_TIERS ? ':' : '=')) {
		diag_add(synth->diag, DIAG_ERROR, 1, column, "",
			 "\"%s\" is unknown, expected fabric:N core:N pod:N "
			 "spine:N leaf:N node:N or one of gpus= nics= nic_gbps="
			 " gbps= links= core_gbps= core_links= rails= domain=",
			 text);
		return;
	}
	if (word < SYNTH_TIERS && word <= synth->last_tier) {
		diag_add(synth->diag, DIAG_ERROR, 1, column, "",
			 "\"%s\" stands too late, expected each tier once, "
			 "from the top down", text);
		return;
	}
	if (!parse_value(text + length + 1, synth_words[word].whole, &value) ||
	    value < synth_words[word].smallest ||
	    value > synth_words[word].largest) {
		diag_add(synth->diag, DIAG_ERROR, 1, column, "",
			 "\"%s\" is out of range, expected %g to %.0f", text,
			 synth_words[word].smallest, synth_words[word].largest);
		return;
	}
	synth->values[word] = value;
	if (word < SYNTH_TIERS)
		synth->last_tier = word;
}

static void parse_words(struct synth *synth, const char *text)
{
	size_t at = 0;

	for (;;) {
		char word[WORD_MAX];
		size_t length;

		at += strspn(text + at, " \t\r\n");
		length = strcspn(text + at, " \t\r\n");
		if (length == 0)
			return;
		diag_printable(text + at, length, word, sizeof(word));
		set_word(synth, word, at < 1000000 ? (int)at + 1 : 0);
		at += length;
	}
}

static uint32_t get(const struct synth *synth, int word)
{
	return (uint32_t)synth->values[word];
}

static void set_default(struct synth *synth, int word, double value)
{
	if (synth->values[word] <= 0)
		synth->values[word] = value;
}

static void fill_defaults(struct synth *synth)
{
	double rails = synth->values[SYNTH_RAILS];

	if (synth->values[SYNTH_GPUS] < 0)
		synth->values[SYNTH_GPUS] = FABRIC_DEFAULT_GPUS;
	set_default(synth, SYNTH_NICS, rails > 0 ? rails
		    : synth->values[SYNTH_GPUS]);
	set_default(synth, SYNTH_NICS, 1);
	set_default(synth, SYNTH_NIC_GBPS, FABRIC_DEFAULT_GBPS);
	set_default(synth, SYNTH_GBPS, FABRIC_DEFAULT_GBPS);
	set_default(synth, SYNTH_CORE_GBPS, FABRIC_DEFAULT_GBPS);
	set_default(synth, SYNTH_LINKS, 1);
	set_default(synth, SYNTH_CORE_LINKS, 1);
	set_default(synth, SYNTH_FABRIC, 1);
	set_default(synth, SYNTH_POD, 1);
}

/* Said of the whole line. */
static void check_whole(struct synth *synth)
{
	double pods = synth->values[SYNTH_FABRIC] * synth->values[SYNTH_POD];
	double rails = fmax(synth->values[SYNTH_RAILS], 1);
	double leaves = pods * synth->values[SYNTH_LEAF] * rails;
	double nodes = pods * synth->values[SYNTH_LEAF] *
		       synth->values[SYNTH_NODE];

	if (synth->values[SYNTH_LEAF] <= 0 || synth->values[SYNTH_NODE] <= 0)
		diag_add(synth->diag, DIAG_ERROR, 1, 1, "",
			 "no leaf or no node is given, expected at least "
			 "\"leaf:N node:N\"");
	if (rails > synth->values[SYNTH_NICS])
		diag_add(synth->diag, DIAG_ERROR, 1, 1, "",
			 "more rails than NICs, expected at most %g",
			 synth->values[SYNTH_NICS]);
	if (nodes > FABRIC_NODES_MAX || nodes * rails > FABRIC_CABLES_MAX ||
	    leaves + pods * synth->values[SYNTH_SPINE] > FABRIC_SWITCHES_MAX ||
	    leaves * (synth->values[SYNTH_SPINE] +
		      synth->values[SYNTH_CORE]) > FABRIC_UPLINKS_MAX ||
	    pods * synth->values[SYNTH_SPINE] * synth->values[SYNTH_CORE] >
	    FABRIC_UPLINKS_MAX)
		diag_add(synth->diag, DIAG_ERROR, 1, 1, "",
			 "the fabric is too large, expected at most %u nodes",
			 FABRIC_NODES_MAX);
}

/* Uplinks to the COUNT switches PREFIX<FIRST>, ... */
static int cable_to(struct synth *synth, const char *from, const char *prefix,
		    uint32_t first, uint32_t count, int gbps, int links)
{
	char name[SYNTH_NAME_MAX];

	for (uint32_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%s%" PRIu32, prefix, first + i);
		if (fabric_builder_uplink(synth->builder, from, name,
					  synth->values[gbps],
					  get(synth, links), 0))
			return -1;
	}
	return 0;
}

/* The NODES nodes of one unit under LEAF, which is of RAIL. */
static int cable_nodes(struct synth *synth, const char *leaf,
		       uint32_t first_node, int rail)
{
	char name[SYNTH_NAME_MAX];

	for (uint32_t i = 0; i < get(synth, SYNTH_NODE); i++) {
		snprintf(name, sizeof(name), "n%04" PRIu32, first_node + i);
		if (fabric_builder_cable(synth->builder, leaf, name, rail, 0))
			return -1;
	}
	return 0;
}

static int add_leaf(struct synth *synth, const char *name, int rail,
		    uint32_t first_spine)
{
	uint32_t spines = get(synth, SYNTH_SPINE);

	if (fabric_builder_switch(synth->builder, name, FABRIC_LEAF, true, 0) ||
	    cable_nodes(synth, name, synth->node_count + 1, rail))
		return -1;
	if (spines)
		return cable_to(synth, name, "spine", first_spine, spines,
				SYNTH_GBPS, SYNTH_LINKS);
	return cable_to(synth, name, "core", synth->core_count + 1,
			get(synth, SYNTH_CORE), SYNTH_GBPS, SYNTH_LINKS);
}

static int add_nodes(struct synth *synth)
{
	struct fabric_node_attributes attributes = {
		.gpus = get(synth, SYNTH_GPUS),
		.nics = get(synth, SYNTH_NICS),
		.nic_gbps = synth->values[SYNTH_NIC_GBPS],
	};
	uint32_t domain = get(synth, SYNTH_DOMAIN);
	char domain_name[SYNTH_NAME_MAX];
	char name[SYNTH_NAME_MAX];

	for (uint32_t i = 0; i < get(synth, SYNTH_NODE); i++) {
		if (domain && i % domain == 0)
			synth->domain_count++;
		snprintf(domain_name, sizeof(domain_name), "domain%" PRIu32,
			 synth->domain_count);
		attributes.domain = domain ? domain_name : NULL;
		snprintf(name, sizeof(name), "n%04" PRIu32,
			 ++synth->node_count);
		if (fabric_builder_node(synth->builder, name, &attributes, 0))
			return -1;
	}
	return 0;
}

/* One leaf, or with rails the leaves of one scalable unit. */
static int add_unit(struct synth *synth, uint32_t first_spine)
{
	uint32_t rails = get(synth, SYNTH_RAILS);
	char name[SYNTH_NAME_MAX];

	synth->leaf_count++;
	if (rails == 0) {
		snprintf(name, sizeof(name), "leaf%" PRIu32,
			 synth->leaf_count);
		if (add_leaf(synth, name, FABRIC_ALL_RAILS, first_spine))
			return -1;
	}
	for (uint32_t rail = 0; rail < rails; rail++) {
		snprintf(name, sizeof(name), "leaf%" PRIu32 "r%" PRIu32,
			 synth->leaf_count, rail);
		if (add_leaf(synth, name, (int)rail, first_spine))
			return -1;
	}
	return add_nodes(synth);
}

static int add_pod(struct synth *synth)
{
	uint32_t first_spine = synth->spine_count + 1;
	char name[SYNTH_NAME_MAX];

	for (uint32_t i = 0; i < get(synth, SYNTH_LEAF); i++)
		if (add_unit(synth, first_spine))
			return -1;
	for (uint32_t i = 0; i < get(synth, SYNTH_SPINE); i++) {
		snprintf(name, sizeof(name), "spine%" PRIu32,
			 ++synth->spine_count);
		if (fabric_builder_switch(synth->builder, name, FABRIC_SPINE,
					  true, 0) ||
		    cable_to(synth, name, "core", synth->core_count + 1,
			     get(synth, SYNTH_CORE), SYNTH_CORE_GBPS,
			     SYNTH_CORE_LINKS))
			return -1;
	}
	return 0;
}

static int add_fabric(struct synth *synth)
{
	char name[SYNTH_NAME_MAX];

	for (uint32_t i = 0; i < get(synth, SYNTH_POD); i++)
		if (add_pod(synth))
			return -1;
	for (uint32_t i = 0; i < get(synth, SYNTH_CORE); i++) {
		snprintf(name, sizeof(name), "core%" PRIu32,
			 ++synth->core_count);
		if (fabric_builder_switch(synth->builder, name, FABRIC_CORE,
					  true, 0))
			return -1;
	}
	return 0;
}

static void report_fault(void *context, uint32_t origin,
			 enum fabric_field field, enum diag_severity severity,
			 const char *text)
{
	struct synth *synth = context;

	(void)origin;
	(void)field;
	diag_add(synth->diag, severity, 1, 1, "", "%s", text);
}

static struct fabric *build(struct synth *synth)
{
	struct fabric_builder_options options = {
		.fault = report_fault, .context = synth,
	};
	struct fabric *fabric = NULL;
	bool no_memory = false;
	int status = -1;

	synth->builder = fabric_builder_new(&options);
	if (synth->builder)
		status = fabric_builder_name(synth->builder, "synthetic");
	for (uint32_t i = 0; status == 0 && i < get(synth, SYNTH_FABRIC); i++)
		status = add_fabric(synth);
	if (status == 0)
		fabric = fabric_builder_finish(synth->builder, &no_memory);
	if (status || no_memory)
		diag_no_memory(synth->diag);
	fabric_builder_free(synth->builder);
	return fabric;
}

struct fabric *fabric_read_synth(const char *text, struct diag *diag)
{
	struct synth synth = { .diag = diag, .last_tier = -1 };

	synth.values[SYNTH_GPUS] = -1;
	parse_words(&synth, text);
	fill_defaults(&synth);
	if (diag_ok(diag))
		check_whole(&synth);
	diag_sort(diag);
	if (!diag_ok(diag))
		return NULL;
	return build(&synth);
}
