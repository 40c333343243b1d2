/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a topology.conf, as Slurm reads them: Key=Value words, case of
 * keys does not matter, '#' starts a comment, a backslash at the end of a line
 * joins the next one to it. Unlike in Slurm an empty value stays empty where
 * the next word is a key of its own.
 */
#define _GNU_SOURCE 1
#include "fabric_conf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "array.h"

#define SHOWN_MAX 64
#define PATH_ROOM (NODERANGE_NAME_MAX + 32)
#define FAULT_ROOM 800

static const char *const key_names[CONF_KEYS] = {
	[CONF_NAME] = "SwitchName",
	[CONF_NODES] = "Nodes",
	[CONF_SWITCHES] = "Switches",
	[CONF_SPEED] = "LinkSpeed",
	[CONF_BLOCK] = "BlockName",
	[CONF_SIZES] = "BlockSizes",
};

static const char *const yaml_names[CONF_KEYS] = {
	[CONF_NAME] = "switch",
	[CONF_NODES] = "nodes",
	[CONF_SWITCHES] = "children",
	[CONF_BLOCK] = "block",
};

/* A Key=Value word of the joined line. */
struct word {
	size_t key;
	size_t key_length;
	size_t value;
	size_t value_length;
	bool has_value;		/* there is an "=" */
};

/* PATH has PATH_ROOM bytes. */
static void write_path(const struct conf_switch *sw, enum conf_key key,
		       char *path)
{
	const char *name_key;

	if (sw && sw->where) {
		if (key == CONF_NAME && sw->block)
			key = CONF_BLOCK;
		snprintf(path, PATH_ROOM, "%s.%s", sw->where, yaml_names[key]);
		return;
	}
	if (!sw || !sw->name) {
		snprintf(path, PATH_ROOM, "%s", key_names[key]);
		return;
	}
	name_key = key_names[sw->block ? CONF_BLOCK : CONF_NAME];
	if (key == CONF_NAME || key == CONF_BLOCK)
		snprintf(path, PATH_ROOM, "%s=%s", name_key, sw->name);
	else
		snprintf(path, PATH_ROOM, "%s=%s %s", name_key, sw->name,
			 key_names[key]);
}

void fabric_conf_fault(struct conf *conf, enum diag_severity severity,
		       struct conf_place place, const struct conf_switch *sw,
		       enum conf_key key, const char *format, ...)
{
	char path[PATH_ROOM];
	char text[FAULT_ROOM];
	va_list arguments;

	if (!diag_keeps(conf->diag, severity)) {
		diag_add(conf->diag, severity, 0, 0, "", "not kept");
		return;
	}
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	write_path(sw, key, path);
	diag_add(conf->diag, severity, place.line, place.column, path, "%s",
		 text);
}

static size_t skip_space(const char *text, size_t at)
{
	while (fabric_conf_is_space(text[at]))
		at++;
	return at;
}

static size_t key_length_at(const char *text, size_t at)
{
	size_t length = 0;

	while (text[at + length] && !fabric_conf_is_space(text[at + length]) &&
	       text[at + length] != '=')
		length++;
	return length;
}

/* True where "Key=" or "Key =" stands at AT. */
static bool key_stands_at(const char *text, size_t at)
{
	size_t length = key_length_at(text, at);

	return length > 0 && text[skip_space(text, at + length)] == '=';
}

/* Takes the value behind the "=" that stands before AT. */
static size_t take_value(const char *text, size_t at, struct word *word)
{
	size_t start = skip_space(text, at);

	word->has_value = true;
	word->value = at;
	word->value_length = 0;
	if (start > at && key_stands_at(text, start))
		return start;
	word->value = start;
	if (text[start] == '"') {
		word->value = start + 1;
		word->value_length = strcspn(text + start + 1, "\"");
		start += word->value_length + 1;
		return start + (text[start] == '"');
	}
	while (text[start] && !fabric_conf_is_space(text[start]))
		start++;
	word->value_length = start - word->value;
	return start;
}

/* The word at *AT, if there is one more. */
static bool next_word(const char *text, size_t *at, struct word *word)
{
	size_t end;

	*word = (struct word) { .key = skip_space(text, *at) };
	if (text[word->key] == '\0')
		return false;
	word->key_length = key_length_at(text, word->key);
	end = word->key + word->key_length;
	*at = skip_space(text, end);
	if (text[*at] == '=')
		*at = take_value(text, *at + 1, word);
	return true;
}

static bool key_is(const char *text, const struct word *word, const char *key)
{
	return strlen(key) == word->key_length &&
	       !strncasecmp(text + word->key, key, word->key_length);
}

static int find_key(const char *text, const struct word *word)
{
	for (int key = 0; key < CONF_KEYS; key++)
		if (key_is(text, word, key_names[key]))
			return key;
	return -1;
}

/* A word that is none of Slurm's stands for itself in the fault's path. */
static void report_unknown(struct conf_lines *lines, const struct word *word)
{
	struct diag *diag = lines->conf->diag;
	struct conf_place place = fabric_conf_place(lines, word->key);
	const char *key = lines->joined + word->key;
	char shown[SHOWN_MAX];
	const char *path = word->key_length ? shown : "=";

	diag_printable(key, word->key_length, shown, sizeof(shown));
	if (!word->has_value)
		diag_add(diag, DIAG_ERROR, place.line, place.column, path,
			 "\"%s\" is no Key=Value, expected SwitchName=, "
			 "Nodes=, Switches= or LinkSpeed=", shown);
	else
		diag_add(diag, DIAG_ERROR, place.line, place.column, path,
			 "unknown key \"%s\", expected SwitchName, Nodes, "
			 "Switches or LinkSpeed", shown);
}

/* The value of WORD as names. 1, 0 with a fault, -1 without memory. */
static int expand_value(struct conf_lines *lines, const struct conf_switch *sw,
			const struct word *word, enum conf_key key,
			struct noderange_list *ret)
{
	struct noderange_error wrong;
	char *end = lines->joined + word->value + word->value_length;
	char shown[SHOWN_MAX];
	char kept = *end;
	int status;

	*end = '\0';
	status = noderange_expand(lines->joined + word->value, ret, &wrong);
	*end = kept;
	if (status == NODERANGE_NO_MEMORY)
		return -1;
	if (status == NODERANGE_OK)
		return 1;
	diag_printable(lines->joined + word->value, word->value_length, shown,
		       sizeof(shown));
	fabric_conf_fault(lines->conf, DIAG_ERROR,
			  fabric_conf_place(lines, word->value + wrong.offset),
			  sw, key, "\"%s\": %s", shown, wrong.text);
	return 0;
}

/* The name of SWITCH from NAMES. 0, or -1 without memory. */
static int set_name(struct conf_lines *lines, struct conf_switch *sw,
		    const struct word *word, enum conf_key key,
		    const struct noderange_list *names)
{
	struct conf_place place = fabric_conf_place(lines, word->value);

	if (names->count == 1) {
		sw->name = strdup(names->names[0]);
		return sw->name ? 0 : -1;
	}
	if (names->count == 0)
		fabric_conf_fault(lines->conf, DIAG_ERROR, place, NULL,
				  key, "is empty, expected a name");
	else
		fabric_conf_fault(lines->conf, DIAG_ERROR, place, NULL,
				  key, "has %zu names, expected one",
				  names->count);
	return 0;
}

/* The children of others may be what this name should have been. */
static int lose_name(struct conf_lines *lines, const struct word *word)
{
	char *end = lines->joined + word->value + word->value_length;
	char kept = *end;
	int status;

	*end = '\0';
	status = fabric_lost_add(&lines->conf->lost_switches,
				 lines->joined + word->value);
	*end = kept;
	return status;
}

static int take_name(struct conf_lines *lines, struct conf_switch *sw,
		     const struct word *word, enum conf_key key)
{
	struct noderange_list names = { 0 };
	int status = expand_value(lines, sw, word, key, &names);

	if (status > 0)
		status = set_name(lines, sw, word, key, &names);
	noderange_list_done(&names);
	if (status == 0 && !sw->name)
		status = lose_name(lines, word);
	return status;
}

/* Nodes or Switches. */
static int take_list(struct conf_lines *lines, struct conf_switch *sw,
		     const struct word *word, enum conf_key key)
{
	int status = expand_value(lines, sw, word, key, key == CONF_NODES
				  ? &sw->nodes : &sw->children);

	sw->lost[key] = status == 0;
	if (status == 0 && key == CONF_NODES)
		lines->conf->lost_nodes = true;
	return status < 0 ? -1 : 0;
}

/* Nothing of them is used: they say how Slurm's planner groups blocks. */
static int take_sizes(struct conf_lines *lines, const struct conf_switch *sw,
		      const struct word *word)
{
	const char *text = lines->joined + word->value;

	if (word->value_length == 0 ||
	    strspn(text, "0123456789,") < word->value_length)
		fabric_conf_fault(lines->conf, DIAG_ERROR,
				  fabric_conf_place(lines, word->value), sw,
				  CONF_SIZES, "is no list of sizes, expected "
				  "numbers of nodes with commas between");
	return 0;
}

/* SwitchName beside BlockName. */
static bool is_second_name(const struct conf_switch *sw, enum conf_key key)
{
	if (key == CONF_NAME)
		return fabric_conf_has(sw, CONF_BLOCK);
	return key == CONF_BLOCK && fabric_conf_has(sw, CONF_NAME) &&
	       !fabric_conf_has(sw, CONF_BLOCK);
}

/* Takes one known word over into SWITCH. 0, or -1 without memory. */
static int take_word(struct conf_lines *lines, struct conf_switch *sw,
		     const struct word *word, enum conf_key key)
{
	struct conf_place place = fabric_conf_place(lines, word->key);

	if (is_second_name(sw, key)) {
		fabric_conf_fault(lines->conf, DIAG_ERROR, place, sw,
				  CONF_NAME, "has %s beside it, expected one "
				  "name in a line", key_names[key]);
		return 0;
	}
	if (fabric_conf_has(sw, key)) {
		fabric_conf_fault(lines->conf, DIAG_ERROR, place, sw,
				  key, "stands twice in one line, expected it "
				  "once");
		return 0;
	}
	sw->keys[key] = place;
	if (key == CONF_SPEED)
		return 0;
	if (key == CONF_SIZES)
		return take_sizes(lines, sw, word);
	if (key == CONF_BLOCK) {
		sw->block = true;
		sw->keys[CONF_NAME] = place;
	}
	if (key == CONF_NAME || key == CONF_BLOCK)
		return take_name(lines, sw, word, key);
	return take_list(lines, sw, word, key);
}

void fabric_conf_switch_done(struct conf_switch *sw)
{
	free(sw->name);
	free(sw->where);
	noderange_list_done(&sw->nodes);
	noderange_list_done(&sw->children);
}

/* The name first, so that faults of the other words can tell it. */
static int take_words(struct conf_lines *lines, struct conf_switch *sw,
		      bool want_name)
{
	struct word word;
	size_t at = 0;

	while (next_word(lines->joined, &at, &word)) {
		int key = word.has_value ? find_key(lines->joined, &word) : -1;

		if (want_name != (key == CONF_NAME || key == CONF_BLOCK))
			continue;
		if (key >= 0) {
			if (take_word(lines, sw, &word, (enum conf_key)key))
				return -1;
			continue;
		}
		report_unknown(lines, &word);
	}
	return 0;
}

int fabric_conf_keep(struct conf *conf, struct conf_switch *sw)
{
	struct conf_switch *switches = array_reserve(
		conf->switches, &conf->room, conf->count + 1,
		sizeof(*switches));

	if (!switches) {
		fabric_conf_switch_done(sw);
		return -1;
	}
	conf->switches = switches;
	switches[conf->count++] = *sw;
	return 0;
}

/* What stands first in the line; CONF_KEYS where it has no key of Slurm's. */
static enum conf_key first_key(const struct conf_switch *sw)
{
	enum conf_key first = CONF_KEYS;

	for (int key = 0; key < CONF_KEYS; key++) {
		const struct conf_place *a = &sw->keys[key];
		const struct conf_place *b = &sw->keys[first % CONF_KEYS];

		if (a->line && (first == CONF_KEYS || a->line < b->line ||
				(a->line == b->line && a->column < b->column)))
			first = (enum conf_key)key;
	}
	return first;
}

/* A line whose switch has no name. 0, or -1 without memory. */
static int refuse_nameless(struct conf *conf, const struct conf_switch *sw)
{
	enum conf_key key = first_key(sw);

	if (key == CONF_KEYS || key == CONF_SIZES)
		return 0;
	conf->lost_nodes = true;
	if (fabric_conf_has(sw, CONF_NAME))
		return 0;
	fabric_conf_fault(conf, DIAG_ERROR, sw->keys[key], NULL, key,
			  "the line has no SwitchName, expected "
			  "SwitchName=NAME");
	return fabric_lost_add(&conf->lost_switches, NULL);
}

static int read_line(struct conf_lines *lines)
{
	struct conf_switch sw = { 0 };
	int status;

	if (take_words(lines, &sw, true) || take_words(lines, &sw, false)) {
		fabric_conf_switch_done(&sw);
		return -1;
	}
	if (sw.name)
		return fabric_conf_keep(lines->conf, &sw);
	status = refuse_nameless(lines->conf, &sw);
	fabric_conf_switch_done(&sw);
	return status;
}

int fabric_conf_parse(struct conf *conf, const char *text, size_t length)
{
	struct conf_lines lines = {
		.conf = conf, .text = text, .length = length, .number = 1,
		.joined = malloc(length + 1),
	};
	int status = lines.joined ? 1 : -1;

	while (status > 0) {
		status = fabric_conf_next_line(&lines);
		if (status > 0 && read_line(&lines))
			status = -1;
	}
	free(lines.joined);
	free(lines.pieces);
	return status;
}

void fabric_conf_done(struct conf *conf)
{
	for (size_t i = 0; i < conf->count; i++)
		fabric_conf_switch_done(&conf->switches[i]);
	free(conf->switches);
	fabric_lost_done(&conf->lost_switches);
}
