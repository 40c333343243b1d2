/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jsonout: the making and printing of JSON.
 *
 * An allocation that fails is remembered in the object, so that it need be
 * looked at only once, at the end.
 */
#ifndef LEAFSPINE_JSONOUT_H
#define LEAFSPINE_JSONOUT_H

#include <jansson.h>
#include <stdbool.h>

struct jsonout {
	json_t *object;		/* owned */
	bool failed;
};

void jsonout_init(struct jsonout *out);
/* Takes VALUE, or NULL from an allocation that failed. */
void jsonout_set(struct jsonout *out, const char *key, json_t *value);
/* The object, now the caller's; NULL when something failed. */
json_t *jsonout_finish(struct jsonout *out);

/* A whole number below 2^53 as an integer, all else as a real. */
json_t *jsonout_number(double number);
/* A string of any bytes: where they are not UTF-8, as printable ASCII. */
json_t *jsonout_text(const char *text);

/*
 * Takes VALUE (NULL: it could not be made) and prints it with a newline on
 * standard output. 0, or -1 after a message on standard error.
 */
int jsonout_print(json_t *value);

#endif
