/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reading: what the tests of the fabric readers share.
 */
#ifndef LEAFSPINE_READING_H
#define LEAFSPINE_READING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric_read.h"
#include "fault.h"
#include "unit.h"

typedef struct fabric *reading_fn(const char *text, size_t length,
				  struct diag *diag);

/* The lines of DIAG, to be freed. */
static inline char *reading_lines(struct diag *diag)
{
	char *text = NULL;
	size_t length = 0;
	FILE *stream = open_memstream(&text, &length);

	ck_assert_ptr_nonnull(stream);
	diag_print(diag, stream);
	fclose(stream);
	return text;
}

/*
 * Reads LENGTH bytes of TEXT as file "f" and compares what is said with LINES.
 * There must be a fabric, a sound one, just when no line is an error.
 */
static inline void reading_says_of(reading_fn *read, const char *text,
				   size_t length, const char *lines)
{
	struct fabric *fabric;
	struct diag diag;
	char *said;

	diag_init(&diag, "f");
	fabric = read(text, length, &diag);
	said = reading_lines(&diag);
	ck_assert_msg(!strcmp(said, lines), "of %s\nsaid\n%swanted\n%s", text,
		      said, lines);
	ck_assert(diag_ok(&diag) == (fabric != NULL));
	if (fabric)
		ck_assert_pstr_eq(fabric_check(fabric), NULL);
	fabric_free(fabric);
	free(said);
	diag_done(&diag);
}

static inline void reading_says(reading_fn *read, const char *text,
				const char *lines)
{
	reading_says_of(read, text, strlen(text), lines);
}

/* Reads TEXT, of which LINES must be said; the caller frees the fabric. */
static inline struct fabric *reading_warned(reading_fn *read, const char *text,
					    const char *lines)
{
	struct fabric *fabric;
	struct diag diag;
	char *said;

	diag_init(&diag, "f");
	fabric = read(text, strlen(text), &diag);
	said = reading_lines(&diag);
	ck_assert_msg(fabric != NULL, "of %s\nsaid\n%s", text, said);
	ck_assert_str_eq(said, lines);
	ck_assert_pstr_eq(fabric_check(fabric), NULL);
	free(said);
	diag_done(&diag);
	return fabric;
}

static inline struct fabric *reading_good(reading_fn *read, const char *text)
{
	return reading_warned(read, text, "");
}

/*
 * Each allocation of reading TEXT fails in turn: an error each time. At the end
 * it is read, or refused where TEXT is at fault (GOOD false).
 */
static inline void reading_survives(reading_fn *read, const char *text,
				    bool good)
{
	long n = 0;
	bool hit;

	do {
		struct fabric *fabric;
		struct diag diag;

		fault_after(++n);
		diag_init(&diag, "f");
		fabric = read(text, strlen(text), &diag);
		hit = fault_hit();
		fault_off();
		ck_assert_msg(!hit || !diag_ok(&diag),
			      "allocation %ld fails, and nobody says so", n);
		ck_assert_msg(!hit || diag.no_memory,
			      "allocation %ld fails, and it is said to be "
			      "something else", n);
		ck_assert((fabric != NULL) == (!hit && good));
		fabric_free(fabric);
		diag_done(&diag);
	} while (hit);
	ck_assert_int_gt(n, 10);
}

#endif
