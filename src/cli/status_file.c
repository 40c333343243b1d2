/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status_file: reads the counters that the plugin writes. See status_file.h.
 */
#include "status_file.h"

#include <stdlib.h>

#include "core/json_reader.h"
#include "core/text_file.h"

#define STATUS_FILE_MAX (1UL << 20)
#define NUMBER_MAX 1e300

static void missing(struct json_reader *reader, const struct jsonpos_step *at,
		    const char *expected)
{
	json_reader_fault(reader, DIAG_ERROR, at, "is missing, expected %s",
			  expected);
}

static void read_text(struct json_reader *reader, const json_t *root,
		      const char *key, const char **ret)
{
	struct jsonpos_step at = { NULL, key, 0 };

	if (json_reader_string(reader, NULL, root, key, ret) ==
	    JSON_READER_ABSENT)
		missing(reader, &at, "a string");
}

static void read_number(struct json_reader *reader,
			const struct jsonpos_step *parent,
			const json_t *object, const char *key, double *ret)
{
	struct jsonpos_step at = { parent, key, 0 };

	if (json_reader_number(reader, parent, object, key, 0, false,
			       NUMBER_MAX, ret) == JSON_READER_ABSENT)
		missing(reader, &at, "a number");
}

/* An object of numbers. */
static json_t *read_numbers(struct json_reader *reader, const json_t *root,
			    const char *key)
{
	struct jsonpos_step at = { NULL, key, 0 };
	json_t *object = NULL, *value;
	const char *name;
	double ignored;

	if (json_reader_object(reader, NULL, root, key, &object) ==
	    JSON_READER_ABSENT)
		missing(reader, &at, "an object of numbers");
	json_object_foreach(object, name, value) {
		read_number(reader, &at, object, name, &ignored);
	}
	return object;
}

/* False without memory. */
static bool read_starts(struct json_reader *reader, struct status_file *file)
{
	struct jsonpos_step hours_at = { NULL, "gpu_hours", 0 };
	struct jsonpos_step unlimited_at = { NULL, "unlimited", 0 };
	json_t *starts = read_numbers(reader, file->root, "starts"), *value;
	json_t *hours = read_numbers(reader, file->root, "gpu_hours");
	json_t *unlimited = read_numbers(reader, file->root, "unlimited");
	const char *how;

	file->starts = calloc(json_object_size(starts) + 1,
			      sizeof(*file->starts));
	if (!file->starts)
		return false;
	json_object_foreach(starts, how, value) {
		struct status_starts *entry;

		entry = &file->starts[file->start_count++];
		entry->how = how;
		entry->jobs = json_number_value(value);
		if (hours)
			read_number(reader, &hours_at, hours, how,
				    &entry->gpu_hours);
		if (unlimited)
			read_number(reader, &unlimited_at, unlimited, how,
				    &entry->unlimited);
	}
	return true;
}

static void read_root(struct json_reader *reader, struct status_file *file)
{
	const json_t *root = file->root;

	/* Eleven keys that are missing are one fault: another file. */
	if (!json_object_get(root, "offered") &&
	    !json_object_get(root, "starts")) {
		json_reader_fault(reader, DIAG_ERROR, NULL,
				  "no status file of leafspine, expected the "
				  "file that StatusFile in leafspine.conf "
				  "names");
		return;
	}
	read_text(reader, root, "version", &file->version);
	read_text(reader, root, "mode", &file->mode);
	read_text(reader, root, "fabric", &file->fabric);
	read_number(reader, NULL, root, "since", &file->since);
	read_number(reader, NULL, root, "time", &file->time);
	read_number(reader, NULL, root, "offered", &file->offered);
	read_number(reader, NULL, root, "narrowed", &file->narrowed);
	read_number(reader, NULL, root, "microseconds", &file->microseconds);
	file->fell_back = read_numbers(reader, root, "fell_back");
	file->skipped = read_numbers(reader, root, "skipped");
	if (!read_starts(reader, file))
		diag_no_memory(reader->diag);
}

int status_file_read(const char *path, struct status_file *ret,
		     struct diag *diag)
{
	struct status_file file = { 0 };
	struct json_reader reader;
	size_t length;
	char *text = text_file_read(path, STATUS_FILE_MAX, diag, &length);

	if (!text)
		return -1;
	file.root = json_reader_open(&reader, text, length, diag);
	if (file.root) {
		read_root(&reader, &file);
		/* The root stays with us. */
		json_reader_close(&reader, json_incref(file.root));
	}
	free(text);
	diag_sort(diag);
	if (!diag_ok(diag)) {
		status_file_done(&file);
		return -1;
	}
	*ret = file;
	return 0;
}

void status_file_done(struct status_file *file)
{
	json_decref(file->root);
	free(file->starts);
	*file = (struct status_file){ 0 };
}

double status_file_sum(const json_t *causes)
{
	const char *cause;
	json_t *value;
	double sum = 0;

	/* The macro takes no const, and changes nothing. */
	json_object_foreach((json_t *)causes, cause, value) {
		sum += json_number_value(value);
	}
	return sum;
}
