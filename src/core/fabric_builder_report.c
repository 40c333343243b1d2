/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of the builder's faults. Those of one kind at one origin become one
 * line that names all whom it concerns as a range.
 */
#define _GNU_SOURCE 1
#include "fabric_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "noderange.h"

#define NAMES_SHOWN_MAX 200
#define TEXT_MAX 640

struct wording {
	enum fabric_field field;
	enum diag_severity severity;
	/* %1: names, %2: the other's; the number as %3, %4: tier, %5: name */
	const char *one;
	const char *many;
};

static const struct wording wordings[FAULT_KINDS] = {
	[FAULT_NODE_TWICE] = {
		FABRIC_FIELD_NODE_NAMES, DIAG_ERROR,
		"node \"%1\" is declared twice, expected each name once",
		"nodes \"%1\" are declared twice, expected each name once" },
	[FAULT_SWITCH_TWICE] = {
		FABRIC_FIELD_SWITCH_NAME, DIAG_ERROR,
		"switch \"%1\" is declared twice, expected each name once",
		"switches \"%1\" are declared twice, expected each name once" },
	[FAULT_NODE_UNKNOWN] = {
		FABRIC_FIELD_SWITCH_NODES, DIAG_ERROR,
		"no node is called \"%1\", expected a declared node",
		"no nodes are called \"%1\", expected declared nodes" },
	[FAULT_NODES_ON_TIER] = {
		FABRIC_FIELD_SWITCH_NODES, DIAG_ERROR,
		"only a leaf has nodes, expected none on \"%2\"", NULL },
	[FAULT_CABLE_TWICE] = {
		FABRIC_FIELD_SWITCH_NODES, DIAG_ERROR,
		"node \"%1\" is listed twice, expected each once",
		"nodes \"%1\" are listed twice, expected each once" },
	[FAULT_TWO_LEAVES] = {
		FABRIC_FIELD_SWITCH_NODES, DIAG_ERROR,
		"node \"%1\" stands under leaf \"%2\" too, expected one leaf "
		"or a rail on each",
		"nodes \"%1\" stand under leaf \"%2\" too, expected one leaf "
		"or a rail on each" },
	[FAULT_NODE_SHARED] = {
		FABRIC_FIELD_SWITCH_NODES, DIAG_WARNING,
		"node \"%1\" stands under %2 and %5",
		"nodes \"%1\" stand under %2 and %5" },
	[FAULT_RAIL_TWICE] = {
		FABRIC_FIELD_SWITCH_RAIL, DIAG_ERROR,
		"rail %3 of node \"%1\" is cabled to leaf \"%2\" too, expected "
		"one leaf a rail",
		"rail %3 of nodes \"%1\" is cabled to leaf \"%2\" too, "
		"expected one leaf a rail" },
	[FAULT_RAIL_RANGE] = {
		FABRIC_FIELD_SWITCH_RAIL, DIAG_ERROR,
		"node \"%1\" has no such rail, expected 0 to %3",
		"nodes \"%1\" have no such rail, expected 0 to %3" },
	[FAULT_NODE_LOOSE] = {
		FABRIC_FIELD_NODE_NAMES, DIAG_ERROR,
		"node \"%1\" stands under no compute leaf, expected it in the "
		"nodes of a leaf",
		"nodes \"%1\" stand under no compute leaf, expected them in "
		"the nodes of a leaf" },
	[FAULT_PARENT_UNKNOWN] = {
		FABRIC_FIELD_UPLINK_TO, DIAG_ERROR,
		"no switch is called \"%1\", expected a declared switch",
		"no switches are called \"%1\", expected declared switches" },
	[FAULT_PARENT_SELF] = {
		FABRIC_FIELD_UPLINK_TO, DIAG_ERROR,
		"\"%1\" is the switch itself, expected one of a higher tier",
		"\"%1\" are the switches themselves, expected some of a higher "
		"tier" },
	[FAULT_PARENT_TWICE] = {
		FABRIC_FIELD_UPLINK_TO, DIAG_ERROR,
		"\"%1\" is a parent of \"%2\" already, expected one uplink "
		"with a count",
		"\"%1\" are parents of \"%2\" already, expected one uplink "
		"with a count" },
	[FAULT_PARENT_PLANE] = {
		FABRIC_FIELD_UPLINK_TO, DIAG_ERROR,
		"\"%1\" is of another plane, expected a switch of the same",
		"\"%1\" are of another plane, expected switches of the same" },
	[FAULT_PARENT_LOW] = {
		FABRIC_FIELD_UPLINK_TO, DIAG_ERROR,
		"\"%1\" does not stand above, expected a switch of a higher "
		"tier than %4",
		"\"%1\" do not stand above, expected switches of a higher "
		"tier than %4" },
	[FAULT_PARENT_CYCLE] = {
		FABRIC_FIELD_UPLINK_TO, DIAG_ERROR,
		"the uplink to \"%1\" closes a cycle, expected uplinks that "
		"climb",
		"the uplinks to \"%1\" close a cycle, expected uplinks that "
		"climb" },
	[FAULT_LEAF_EMPTY] = {
		FABRIC_FIELD_SWITCH_NODES, DIAG_WARNING,
		"leaf \"%1\" has no nodes", "leaves \"%1\" have no nodes" },
	[FAULT_CHILDLESS] = {
		FABRIC_FIELD_SWITCH_NAME, DIAG_WARNING,
		"switch \"%1\" has nothing below it",
		"switches \"%1\" have nothing below them" },
	[FAULT_NO_NODES] = {
		FABRIC_FIELD_WHOLE, DIAG_ERROR,
		"no node is declared, expected at least one", NULL },
	[FAULT_TOO_MUCH] = {
		FABRIC_FIELD_WHOLE, DIAG_ERROR,
		"the fabric has more than leafspine handles, expected fewer "
		"nodes, switches, cables, uplinks or sets of Spines", NULL },
};

int builder_fault(struct fabric_builder *builder, enum builder_fault_kind kind,
		  uint32_t origin, uint32_t symbol, uint32_t other,
		  uint32_t number)
{
	struct builder_fault *faults;

	if (builder->fault_count >= FABRIC_NONE)
		return -1;
	faults = array_reserve(builder->faults, &builder->fault_room,
			       builder->fault_count + 1, sizeof(*faults));
	if (!faults)
		return -1;
	builder->faults = faults;
	faults[builder->fault_count] = (struct builder_fault) {
		.kind = kind,
		.origin = origin,
		.symbol = symbol,
		.other = other,
		.number = number,
		.sequence = (uint32_t)builder->fault_count,
	};
	builder->fault_count++;
	return 0;
}

static bool same_line(const struct builder_fault *a,
		      const struct builder_fault *b)
{
	return a->origin == b->origin && a->kind == b->kind &&
	       a->number == b->number && a->other == b->other;
}

static int order(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_faults(const void *left, const void *right)
{
	const struct builder_fault *a = left;
	const struct builder_fault *b = right;

	if (a->origin != b->origin)
		return order(a->origin, b->origin);
	if (a->kind != b->kind)
		return order(a->kind, b->kind);
	if (a->number != b->number)
		return order(a->number, b->number);
	if (a->other != b->other)
		return order(a->other, b->other);
	return order(a->sequence, b->sequence);
}

/* What a wording's %1 to %5 stand for. */
struct meaning {
	char names[NAMES_SHOWN_MAX];
	char other[NODERANGE_NAME_MAX + 1];
	char second[NODERANGE_NAME_MAX + 1];
	uint32_t number;
};

static void append(char *text, const char *piece, size_t length)
{
	size_t used = strlen(text);

	if (length > TEXT_MAX - 1 - used)
		length = TEXT_MAX - 1 - used;
	memcpy(text + used, piece, length);
	text[used + length] = '\0';
}

static void append_meaning(char *text, char what, const struct meaning *meaning)
{
	char number[16];

	switch (what) {
	case '1':
		append(text, meaning->names, strlen(meaning->names));
		break;
	case '2':
		append(text, meaning->other, strlen(meaning->other));
		break;
	case '3':
		snprintf(number, sizeof(number), "%" PRIu32, meaning->number);
		append(text, number, strlen(number));
		break;
	case '4':
		append(text, fabric_tier_name(meaning->number),
		       strlen(fabric_tier_name(meaning->number)));
		break;
	case '5':
		append(text, meaning->second, strlen(meaning->second));
		break;
	}
}

static void fill_wording(char *text, const char *wording,
			 const struct meaning *meaning)
{
	text[0] = '\0';
	while (*wording) {
		size_t plain = strcspn(wording, "%");

		append(text, wording, plain);
		wording += plain;
		if (*wording == '%') {
			append_meaning(text, wording[1], meaning);
			wording += 2;
		}
	}
}

/* The different names of COUNT faults, in order, into NAMES. */
static size_t collect_names(struct fabric_builder *builder,
			    const struct builder_fault *faults, size_t count,
			    uint32_t mark, const char **names)
{
	size_t name_count = 0;

	for (size_t i = 0; i < count; i++) {
		struct builder_symbol *symbol;

		if (faults[i].symbol == FABRIC_NONE)
			continue;
		symbol = &builder->symbols[faults[i].symbol];
		if (symbol->mark == mark)
			continue;
		symbol->mark = mark;
		names[name_count++] = symbol->name;
	}
	return name_count;
}

/* ROOM: NODERANGE_NAME_MAX + 1 bytes */
static void show_symbol(const struct fabric_builder *builder, uint32_t symbol,
			char *room)
{
	const char *name = builder->symbols[symbol].name;

	diag_printable(name, strlen(name), room, NODERANGE_NAME_MAX + 1);
}

static int report_line(struct fabric_builder *builder,
		       const struct builder_fault *faults, size_t count,
		       uint32_t mark, const char **names)
{
	const struct wording *wording = &wordings[faults->kind];
	size_t name_count = collect_names(builder, faults, count, mark, names);
	struct meaning meaning = { .number = faults->number };
	char text[TEXT_MAX];
	char *folded = noderange_compress(names, name_count);

	if (!folded)
		return -1;
	diag_printable(folded, strlen(folded), meaning.names,
		       sizeof(meaning.names));
	free(folded);
	if (faults->other != FABRIC_NONE)
		show_symbol(builder, faults->other, meaning.other);
	if (faults->kind == FAULT_NODE_SHARED)
		show_symbol(builder, faults->number, meaning.second);
	fill_wording(text, name_count > 1 && wording->many ? wording->many
							   : wording->one,
		     &meaning);
	builder->options.fault(builder->options.context, faults->origin,
			       wording->field, wording->severity, text);
	return 0;
}

int builder_report(struct fabric_builder *builder, size_t *ret_errors)
{
	const char **names = array_new(builder->fault_count, sizeof(*names));
	uint32_t mark = 0;
	size_t errors = 0;
	int status = names ? 0 : -1;
	size_t count;

	if (builder->fault_count)
		qsort(builder->faults, builder->fault_count,
		      sizeof(*builder->faults), compare_faults);
	for (size_t i = 0; status == 0 && i < builder->fault_count;
	     i += count) {
		const struct builder_fault *faults = &builder->faults[i];

		for (count = 1; i + count < builder->fault_count &&
				same_line(faults, faults + count); count++)
			;
		if (wordings[faults->kind].severity == DIAG_ERROR)
			errors++;
		status = report_line(builder, faults, count, mark++, names);
	}
	free(names);
	if (status == 0)
		*ret_errors = errors;
	return status;
}
