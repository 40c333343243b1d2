/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jsonout: the making and printing of JSON. See jsonout.h.
 */
#include "jsonout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/diag.h"
#include "output.h"

void jsonout_init(struct jsonout *out)
{
	out->object = json_object();
	out->failed = !out->object;
}

void jsonout_set(struct jsonout *out, const char *key, json_t *value)
{
	if (json_object_set_new(out->object, key, value) < 0)
		out->failed = true;
}

json_t *jsonout_finish(struct jsonout *out)
{
	json_t *object = out->object;

	out->object = NULL;
	if (!out->failed)
		return object;
	json_decref(object);
	return NULL;
}

#define WHOLE_NUMBERS_END 9007199254740992.0	/* 2^53 */

json_t *jsonout_number(double number)
{
	if (number > -WHOLE_NUMBERS_END && number < WHOLE_NUMBERS_END &&
	    number == (double)(json_int_t)number)
		return json_integer((json_int_t)number);
	return json_real(number);
}

static bool is_ascii(const char *text)
{
	while (*text && (unsigned char)*text < 0x80)
		text++;
	return !*text;
}

json_t *jsonout_text(const char *text)
{
	json_t *value = json_string(text);
	size_t length = strlen(text);
	char *printable;

	/* jansson does not say whether the text or the memory was at fault. */
	if (value || is_ascii(text))
		return value;
	printable = malloc(length + 1);
	if (!printable)
		return NULL;
	diag_printable(text, length, printable, length + 1);
	value = json_string(printable);
	free(printable);
	return value;
}

struct sink {
	char *text;		/* owned */
	size_t length;
	size_t room;
	bool failed;
};

/*
 * Remembers a failure itself, since jansson forgets some of them: json_dumps
 * may give text with a key missing where memory runs out.
 */
static int append_to_sink(const char *bytes, size_t length, void *data)
{
	struct sink *sink = data;
	char *text = NULL;

	if (!sink->failed)
		text = array_reserve(sink->text, &sink->room,
				     sink->length + length + 1, 1);
	if (!text) {
		sink->failed = true;
		return -1;
	}
	memcpy(text + sink->length, bytes, length);
	sink->text = text;
	sink->length += length;
	text[sink->length] = '\0';
	return 0;
}

/* Seventeen digits give every double back as it was. */
#define JSON_FLAGS JSON_REAL_PRECISION(17)

int jsonout_print(json_t *value)
{
	struct sink sink = { .failed = !value };

	if (value && json_dump_callback(value, append_to_sink, &sink,
					JSON_FLAGS) < 0)
		sink.failed = true;
	json_decref(value);
	if (sink.failed)
		output_no_memory();
	else	/* a write that fails is found when the output is closed */
		puts(sink.text);
	free(sink.text);
	return sink.failed ? -1 : 0;
}
