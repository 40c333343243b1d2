/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Getters of JSON values that are what they should be, or a fault. */
#define _GNU_SOURCE 1
#include "json_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NUMBER_MAX_SHOWN 40
#define EXPRESSION_MAX_SHOWN 80

static const char *type_name(const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
	case JSON_REAL:
		return "a number";
	case JSON_TRUE:
	case JSON_FALSE:
		return "true or false";
	case JSON_NULL:
		return "null";
	}
	return "?";
}

static enum json_reader_result refuse_type(struct json_reader *reader,
					   const struct jsonpos_step *at,
					   const json_t *value,
					   const char *expected)
{
	json_reader_fault(reader, DIAG_ERROR, at, "found %s, expected %s",
			  type_name(value), expected);
	return JSON_READER_BAD;
}

bool json_reader_is_object(struct json_reader *reader,
			   const struct jsonpos_step *at, const json_t *value)
{
	if (json_is_object(value))
		return true;
	refuse_type(reader, at, value, "an object");
	return false;
}

enum json_reader_result json_reader_string(struct json_reader *reader,
					   const struct jsonpos_step *at,
					   const json_t *object,
					   const char *key, const char **ret)
{
	struct jsonpos_step here = { .parent = at, .key = key };
	const json_t *value = json_object_get(object, key);

	if (!value)
		return JSON_READER_ABSENT;
	if (!json_is_string(value))
		return refuse_type(reader, &here, value, "a string");
	*ret = json_string_value(value);
	return JSON_READER_GIVEN;
}

static void print_number(const json_t *value, char *buffer, size_t room)
{
	if (json_is_integer(value))
		snprintf(buffer, room, "%" JSON_INTEGER_FORMAT,
			 json_integer_value(value));
	else
		snprintf(buffer, room, "%.15g", json_real_value(value));
}

enum json_reader_result json_reader_integer_at(struct json_reader *reader,
					       const struct jsonpos_step *at,
					       const json_t *value, long low,
					       long high, long *ret)
{
	double number = json_number_value(value);
	char shown[NUMBER_MAX_SHOWN];
	char expected[2 * NUMBER_MAX_SHOWN];

	if (!json_is_number(value)) {
		snprintf(expected, sizeof(expected),
			 "a whole number %ld to %ld", low, high);
		return refuse_type(reader, at, value, expected);
	}
	print_number(value, shown, sizeof(shown));
	if (floor(number) != number) {
		json_reader_fault(reader, DIAG_ERROR, at, "%s is no whole "
				  "number, expected %ld to %ld", shown, low,
				  high);
		return JSON_READER_BAD;
	}
	if (number < (double)low || number > (double)high) {
		json_reader_fault(reader, DIAG_ERROR, at, "%s is out of range, "
				  "expected %ld to %ld", shown, low, high);
		return JSON_READER_BAD;
	}
	*ret = json_is_integer(value) ? (long)json_integer_value(value)
				      : (long)number;
	return JSON_READER_GIVEN;
}

enum json_reader_result json_reader_integer(struct json_reader *reader,
					    const struct jsonpos_step *at,
					    const json_t *object,
					    const char *key, long low,
					    long high, long *ret)
{
	struct jsonpos_step here = { .parent = at, .key = key };
	const json_t *value = json_object_get(object, key);

	if (!value)
		return JSON_READER_ABSENT;
	return json_reader_integer_at(reader, &here, value, low, high, ret);
}

enum json_reader_result json_reader_number(struct json_reader *reader,
					   const struct jsonpos_step *at,
					   const json_t *object,
					   const char *key, double low,
					   bool above_low, double high,
					   double *ret)
{
	struct jsonpos_step here = { .parent = at, .key = key };
	const json_t *value = json_object_get(object, key);
	double number = json_number_value(value);
	char shown[NUMBER_MAX_SHOWN];

	if (!value)
		return JSON_READER_ABSENT;
	if (!json_is_number(value))
		return refuse_type(reader, &here, value, "a number");
	if (number < low || number > high || (above_low && number <= low)) {
		print_number(value, shown, sizeof(shown));
		json_reader_fault(reader, DIAG_ERROR, &here,
				  "%s is out of range, expected %s%.15g to "
				  "%.15g", shown, above_low ? "above " : "",
				  low, high);
		return JSON_READER_BAD;
	}
	*ret = number;
	return JSON_READER_GIVEN;
}

enum json_reader_result json_reader_array(struct json_reader *reader,
					  const struct jsonpos_step *at,
					  const json_t *object,
					  const char *key, json_t **ret)
{
	struct jsonpos_step here = { .parent = at, .key = key };
	json_t *value = json_object_get(object, key);

	if (!value)
		return JSON_READER_ABSENT;
	if (!json_is_array(value))
		return refuse_type(reader, &here, value, "an array");
	*ret = value;
	return JSON_READER_GIVEN;
}

enum json_reader_result json_reader_object(struct json_reader *reader,
					   const struct jsonpos_step *at,
					   const json_t *object,
					   const char *key, json_t **ret)
{
	struct jsonpos_step here = { .parent = at, .key = key };
	json_t *value = json_object_get(object, key);

	if (!value)
		return JSON_READER_ABSENT;
	if (!json_is_object(value))
		return refuse_type(reader, &here, value, "an object");
	*ret = value;
	return JSON_READER_GIVEN;
}

/* What of TEXT to show in a fault at OFFSET: all, or its surroundings. */
static void show_expression(const char *text, size_t offset, char *buffer)
{
	size_t length = strlen(text);
	size_t half = EXPRESSION_MAX_SHOWN / 2;

	if (length >= EXPRESSION_MAX_SHOWN && offset > half) {
		text += offset - half;
		length = strlen(text);
	}
	diag_printable(text, length, buffer, EXPRESSION_MAX_SHOWN);
}

enum json_reader_result json_reader_expand(struct json_reader *reader,
					   const struct jsonpos_step *at,
					   const char *text,
					   struct noderange_list *ret)
{
	char shown[EXPRESSION_MAX_SHOWN];
	struct noderange_error wrong;

	switch (noderange_expand(text, ret, &wrong)) {
	case NODERANGE_OK:
		return JSON_READER_GIVEN;
	case NODERANGE_NO_MEMORY:
		diag_no_memory(reader->diag);
		return JSON_READER_BAD;
	}
	show_expression(text, wrong.offset, shown);
	json_reader_fault(reader, DIAG_ERROR, at, "\"%s\": %s", shown,
			  wrong.text);
	return JSON_READER_BAD;
}

enum json_reader_result json_reader_names(struct json_reader *reader,
					  const struct jsonpos_step *at,
					  const json_t *object,
					  const char *key,
					  struct noderange_list *ret)
{
	struct jsonpos_step here = { .parent = at, .key = key };
	const json_t *value = json_object_get(object, key);

	if (!value)
		return JSON_READER_ABSENT;
	if (!json_is_string(value))
		return refuse_type(reader, &here, value,
				   "a string with node or switch names");
	return json_reader_expand(reader, &here, json_string_value(value),
				  ret);
}
