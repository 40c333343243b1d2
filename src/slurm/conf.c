/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf: reads leafspine.conf, line by line, one function a key. */

#include "conf.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define SHOWN_MAX 64	/* of a value in a message */

/* A value, with where it stands. */
struct value {
	const char *text;
	size_t length;
	int line;
	int column;
	const char *key;
};

struct reader {
	struct conf *conf;
	const char *directory;
	struct diag *diag;
	bool no_memory;
};

static void bad_value(struct reader *reader, const struct value *value,
		      const char *expected)
{
	char shown[SHOWN_MAX];

	diag_add(reader->diag, DIAG_ERROR, value->line, value->column,
		 value->key, "cannot take '%s', expected %s; the default stays",
		 diag_printable(value->text, value->length, shown,
				sizeof(shown)), expected);
}

static bool value_is(const struct value *value, const char *word)
{
	return strlen(word) == value->length &&
	       !strncasecmp(value->text, word, value->length);
}

/* Replaces *RET by a copy, a relative path put below the directory. */
static void take_path(struct reader *reader, const struct value *value,
		      char **ret)
{
	const char *directory = reader->directory;
	bool relative = value->text[0] != '/';
	size_t head = relative ? strlen(directory) + 1 : 0;
	char *path = malloc(head + value->length + 1);

	if (!path) {
		reader->no_memory = true;
		return;
	}
	if (relative) {
		memcpy(path, directory, head - 1);
		path[head - 1] = '/';
	}
	memcpy(path + head, value->text, value->length);
	path[head + value->length] = '\0';
	free(*ret);
	*ret = path;
}

static void take_fabric(struct reader *reader, const struct value *value)
{
	take_path(reader, value, &reader->conf->fabric);
}

static void take_status_file(struct reader *reader, const struct value *value)
{
	if (!value_is(value, "none"))
		take_path(reader, value, &reader->conf->status_file);
}

static void take_mode(struct reader *reader, const struct value *value)
{
	for (int mode = CONF_OFF; mode <= CONF_STEER; mode++) {
		if (!value_is(value, conf_mode_name(mode)))
			continue;
		reader->conf->mode = mode;
		return;
	}
	bad_value(reader, value, "off, observe or steer");
}

static void take_no_hint(struct reader *reader, const struct value *value)
{
	if (value_is(value, "default"))
		reader->conf->default_for_all = true;
	else if (!value_is(value, "stock"))
		bad_value(reader, value, "stock or default");
}

static void take_report(struct reader *reader, const struct value *value)
{
	if (value_is(value, "none"))
		reader->conf->report = false;
	else if (!value_is(value, "admin_comment"))
		bad_value(reader, value, "admin_comment or none");
}

static void take_order(struct reader *reader, const struct value *value)
{
	if (value_is(value, "slurm"))
		reader->conf->orders = false;
	else if (!value_is(value, "leafspine"))
		bad_value(reader, value, "leafspine or slurm");
}

static void take_default_hint(struct reader *reader, const struct value *value)
{
	struct conf *conf = reader->conf;
	struct parallelism hint;
	struct parallelism_error error;
	char *text;

	if (parallelism_parse(value->text, value->length, &hint, &error)) {
		diag_add(reader->diag, DIAG_ERROR, value->line, value->column,
			 value->key, "%s; the default stays", error.text);
		return;
	}
	if (hint.dp || hint.off) {
		bad_value(reader, value, "a hint without dp");
		return;
	}
	text = strndup(value->text, value->length);
	if (!text) {
		reader->no_memory = true;
		return;
	}
	free(conf->default_text);
	conf->default_text = text;
	conf->default_hint = hint;
}

static void drop_partitions(struct conf *conf)
{
	for (size_t i = 0; i < conf->partition_count; i++)
		free(conf->partitions[i]);
	free(conf->partitions);
	conf->partitions = NULL;
	conf->partition_count = 0;
}

static bool add_partition(struct conf *conf, const char *name, size_t length)
{
	char *copy = strndup(name, length);
	char **grown = realloc(conf->partitions,
			       (conf->partition_count + 1) * sizeof(*grown));

	if (grown)
		conf->partitions = grown;
	if (!copy || !grown) {
		free(copy);
		return false;
	}
	grown[conf->partition_count++] = copy;
	return true;
}

static void take_partitions(struct reader *reader, const struct value *value)
{
	const char *at = value->text, *end = at + value->length;

	if (value_is(value, "all"))
		return;
	while (at < end) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const char *stop = comma ? comma : end;

		if (stop == at || memchr(at, ' ', (size_t)(stop - at))) {
			bad_value(reader, value, "names with commas between");
			drop_partitions(reader->conf);
			return;
		}
		if (!add_partition(reader->conf, at, (size_t)(stop - at))) {
			reader->no_memory = true;
			return;
		}
		at = stop + 1;
	}
}

static const struct key {
	const char *name;
	void (*take)(struct reader *reader, const struct value *value);
} keys[] = {
	{ "Fabric", take_fabric },
	{ "Mode", take_mode },
	{ "NoHint", take_no_hint },
	{ "DefaultHint", take_default_hint },
	{ "Partitions", take_partitions },
	{ "Order", take_order },
	{ "Report", take_report },
	{ "StatusFile", take_status_file },
};
enum { KEYS = sizeof(keys) / sizeof(*keys) };

static int find_key(const char *text, size_t length)
{
	for (int i = 0; i < KEYS; i++)
		if (strlen(keys[i].name) == length &&
		    !strncasecmp(keys[i].name, text, length))
			return i;
	return -1;
}

static void take_pair(struct reader *reader, const char *name, size_t length,
		      struct value value, int name_column, int *seen)
{
	int key = find_key(name, length);
	char shown[SHOWN_MAX];

	if (key < 0) {
		diag_add(reader->diag, DIAG_ERROR, value.line, name_column, "",
			 "unknown key '%s', expected Fabric, Mode, NoHint, "
			 "DefaultHint, Partitions, Order, Report or StatusFile",
			 diag_printable(name, length, shown, sizeof(shown)));
		return;
	}
	value.key = keys[key].name;
	if (seen[key]) {
		diag_add(reader->diag, DIAG_ERROR, value.line, name_column,
			 value.key, "given before, in line %d, which counts",
			 seen[key]);
		return;
	}
	seen[key] = value.line;
	if (value.length)
		keys[key].take(reader, &value);
	else
		bad_value(reader, &value, "a value");
}

/* One line without its end. */
static void read_line(struct reader *reader, const char *line, size_t length,
		      int number, int *seen)
{
	const char *comment = memchr(line, '#', length);
	const char *end = comment ? comment : line + length;
	const char *start = line, *equals, *name_end, *value;

	while (start < end && isspace((unsigned char)*start))
		start++;
	while (end > start && isspace((unsigned char)end[-1]))
		end--;
	if (start == end)
		return;
	equals = memchr(start, '=', (size_t)(end - start));
	if (!equals) {
		diag_add(reader->diag, DIAG_ERROR, number,
			 (int)(start - line) + 1, "",
			 "no '=' in this line, expected Key=Value");
		return;
	}
	name_end = equals;
	while (name_end > start && isspace((unsigned char)name_end[-1]))
		name_end--;
	value = equals + 1;
	while (value < end && isspace((unsigned char)*value))
		value++;
	take_pair(reader, start, (size_t)(name_end - start),
		  (struct value){ .text = value,
				  .length = (size_t)(end - value),
				  .line = number,
				  .column = (int)(value - line) + 1 },
		  (int)(start - line) + 1, seen);
}

struct conf *conf_new(const char *directory)
{
	struct conf *conf = calloc(1, sizeof(*conf));
	struct reader reader = { .conf = conf, .directory = directory };

	if (!conf)
		return NULL;
	conf->mode = CONF_STEER;
	conf->orders = true;
	conf->report = true;
	conf->default_hint = *parallelism_site_default();
	conf->default_text = strdup(PARALLELISM_SITE_DEFAULT);
	take_path(&reader, &(struct value){ .text = "topology.conf",
					    .length = 13 }, &conf->fabric);
	if (reader.no_memory || !conf->default_text) {
		conf_free(conf);
		return NULL;
	}
	return conf;
}

void conf_free(struct conf *conf)
{
	if (!conf)
		return;
	drop_partitions(conf);
	free(conf->fabric);
	free(conf->default_text);
	free(conf->status_file);
	free(conf);
}

struct conf *conf_read_text(const char *text, size_t length,
			    const char *directory, struct diag *diag)
{
	struct reader reader = {
		.conf = conf_new(directory), .directory = directory,
		.diag = diag,
	};
	int seen[KEYS] = { 0 };
	const char *at = text, *end = text + length;

	reader.no_memory = !reader.conf;
	for (int line = 1; at < end && !reader.no_memory; line++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		if (!stop)
			stop = end;
		read_line(&reader, at, (size_t)(stop - at), line, seen);
		at = stop + 1;
	}
	if (!reader.no_memory)
		return reader.conf;
	diag_no_memory(diag);
	conf_free(reader.conf);
	return NULL;
}

static bool trusted_file(FILE *file, uid_t trusted, struct diag *diag)
{
	struct stat status;

	if (fstat(fileno(file), &status)) {
		diag_add(diag, DIAG_ERROR, 0, 0, "", "%s", strerror(errno));
		return false;
	}
	if (!S_ISREG(status.st_mode)) {
		diag_add(diag, DIAG_ERROR, 0, 0, "", "is no regular file");
		return false;
	}
	if ((status.st_uid && status.st_uid != trusted) ||
	    (status.st_mode & (S_IWGRP | S_IWOTH))) {
		diag_add(diag, DIAG_ERROR, 0, 0, "",
			 "others than root and SlurmUser could write it, "
			 "expected mode 0644 or less and one of them as owner");
		return false;
	}
	return true;
}

/* The whole file; NULL with the reason in DIAG. */
static char *read_all(FILE *file, size_t *ret_length, struct diag *diag)
{
	char *text = malloc(CONF_FILE_MAX + 1);

	if (!text) {
		diag_no_memory(diag);
		return NULL;
	}
	*ret_length = fread(text, 1, CONF_FILE_MAX + 1, file);
	if (!ferror(file) && *ret_length <= CONF_FILE_MAX)
		return text;
	diag_add(diag, DIAG_ERROR, 0, 0, "", "%s",
		 ferror(file) ? strerror(errno) : "is larger than 1 MiB");
	free(text);
	return NULL;
}

/* Lines that say something. */
static size_t count_lines(const char *text, size_t length)
{
	const char *at = text, *end = text + length;
	size_t count = 0;

	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		if (!stop)
			stop = end;
		while (at < stop && isspace((unsigned char)*at))
			at++;
		count += at < stop && *at != '#';
		at = stop + 1;
	}
	return count;
}

/*
 * TEXT of a file. Where no line of it can be taken it is not the file that was
 * meant, and its defaults would steer jobs: that is said in place of each
 * line's own fault, of which a line has one at most.
 */
static struct conf *read_whole(const char *text, size_t length,
			       const char *directory, struct diag *diag)
{
	struct conf *conf = conf_read_text(text, length, directory, diag);
	size_t lines = count_lines(text, length);
	char *source;

	if (!conf || !lines || diag->error_count < lines)
		return conf;
	conf_free(conf);
	source = strdup(diag->source);
	if (!source) {
		diag_no_memory(diag);
		return NULL;
	}
	diag_done(diag);
	diag_init(diag, source);
	free(source);
	diag_add(diag, DIAG_ERROR, 0, 0, "", "none of its %zu lines can be "
		 "taken, expected Key=Value as in leafspine.conf(5)", lines);
	return NULL;
}

static struct conf *read_open(FILE *file, const char *directory, uid_t trusted,
			      struct diag *diag)
{
	struct conf *conf = NULL;
	size_t length;
	char *text;

	if (!trusted_file(file, trusted, diag))
		return NULL;
	text = read_all(file, &length, diag);
	if (text)
		conf = read_whole(text, length, directory, diag);
	free(text);
	return conf;
}

struct conf *conf_read_file(const char *path, uid_t trusted,
			    struct diag *diag)
{
	const char *slash = strrchr(path, '/');
	char *directory = slash ? strndup(path, (size_t)(slash - path)) :
				  strdup(".");
	struct conf *conf = NULL;
	FILE *file;

	if (!directory) {
		diag_no_memory(diag);
		return NULL;
	}
	file = fopen(path, "re");
	if (file)
		conf = read_open(file, directory, trusted, diag);
	else if (errno == ENOENT)
		conf = conf_read_text("", 0, directory, diag);
	else if (errno == ENOMEM)
		diag_no_memory(diag);
	else
		diag_add(diag, DIAG_ERROR, 0, 0, "", "cannot be read: %s",
			 strerror(errno));
	if (file)
		fclose(file);
	free(directory);
	return conf;
}

bool conf_has_partition(const struct conf *conf, const char *partition)
{
	for (size_t i = 0; i < conf->partition_count; i++)
		if (partition && !strcmp(conf->partitions[i], partition))
			return true;
	return !conf->partition_count;
}

const char *conf_mode_name(enum conf_mode mode)
{
	switch (mode) {
	case CONF_OFF:
		return "off";
	case CONF_OBSERVE:
		return "observe";
	case CONF_STEER:
		return "steer";
	}
	return "?";
}
