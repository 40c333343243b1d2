/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_reader: reading of JSON that finds every fault, not only the first.
 *
 * A reader of some format walks the values with the getters below. Each getter
 * looks at one key of an object, adds a fault with its path and position where
 * the value is not as asked, and lets the reader go on.
 *
 *	struct jsonpos_step nodes = { NULL, "nodes", 0 };
 *	struct jsonpos_step at = { &nodes, NULL, i };
 *	json_reader_check_keys(&reader, &at, entry, keys, KEY_COUNT);
 *	if (json_reader_integer(&reader, &at, entry, "gpus", 0, 1024, &gpus))
 *		...
 */
#ifndef LEAFSPINE_JSON_READER_H
#define LEAFSPINE_JSON_READER_H

#include <jansson.h>

#include "diag.h"
#include "jsonpos.h"
#include "noderange.h"

struct json_reader {
	const char *text;
	size_t length;
	struct diag *diag;
	struct jsonpos *positions;	/* made at the first fault */
};

/*
 * Parses TEXT, which must outlive the reader. Returns the object at the root,
 * to be released by json_reader_close; NULL with a fault in DIAG, and then
 * close must not be called.
 */
json_t *json_reader_open(struct json_reader *reader, const char *text,
			 size_t length, struct diag *diag);
void json_reader_close(struct json_reader *reader, json_t *root);

/* Adds a fault about the value at AT (NULL: the root). */
void json_reader_fault(struct json_reader *reader, enum diag_severity severity,
		       const struct jsonpos_step *at, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* A key that an object may have, for json_reader_check_keys. */
struct json_key {
	const char *name;
	const char *needed;	/* what is expected here; NULL: optional */
};

/*
 * Adds a fault for each unknown key, naming the one that was probably meant,
 * and for each needed one that is missing. Keys that start with '_' are notes
 * of the user.
 */
void json_reader_check_keys(struct json_reader *reader,
			    const struct jsonpos_step *at,
			    const json_t *object, const struct json_key *keys,
			    size_t key_count);

/*
 * Getters of one key of OBJECT, which stands at AT. JSON_READER_GIVEN: *RET is
 * set. JSON_READER_ABSENT: there is no such key, no fault (a missing needed key
 * is check_keys' business). JSON_READER_BAD: a fault was added. *RET is not
 * touched by the last two.
 */
enum json_reader_result {
	JSON_READER_BAD = -1,
	JSON_READER_ABSENT = 0,
	JSON_READER_GIVEN = 1
};

/* The string belongs to OBJECT. */
enum json_reader_result json_reader_string(struct json_reader *reader,
					   const struct jsonpos_step *at,
					   const json_t *object,
					   const char *key, const char **ret);
/* A whole number LOW .. HIGH; 8.0 is one. */
enum json_reader_result json_reader_integer(struct json_reader *reader,
					    const struct jsonpos_step *at,
					    const json_t *object,
					    const char *key, long low,
					    long high, long *ret);
/* A number LOW .. HIGH, without LOW itself where ABOVE_LOW. */
enum json_reader_result json_reader_number(struct json_reader *reader,
					   const struct jsonpos_step *at,
					   const json_t *object,
					   const char *key, double low,
					   bool above_low, double high,
					   double *ret);
/* The array or object belongs to OBJECT. */
enum json_reader_result json_reader_array(struct json_reader *reader,
					  const struct jsonpos_step *at,
					  const json_t *object,
					  const char *key, json_t **ret);
enum json_reader_result json_reader_object(struct json_reader *reader,
					   const struct jsonpos_step *at,
					   const json_t *object,
					   const char *key, json_t **ret);
/* A string that is a hostlist expression; *RET is owned by the caller. */
enum json_reader_result json_reader_names(struct json_reader *reader,
					  const struct jsonpos_step *at,
					  const json_t *object,
					  const char *key,
					  struct noderange_list *ret);

/* The same for a value that is no member of an object: it stands at AT. */
bool json_reader_is_object(struct json_reader *reader,
			   const struct jsonpos_step *at,
			   const json_t *value);
enum json_reader_result json_reader_integer_at(struct json_reader *reader,
					       const struct jsonpos_step *at,
					       const json_t *value, long low,
					       long high, long *ret);
enum json_reader_result json_reader_expand(struct json_reader *reader,
					   const struct jsonpos_step *at,
					   const char *text,
					   struct noderange_list *ret);

#endif
