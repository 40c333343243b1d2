/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diag: the list of faults found in one input.
 *
 * A reader does not stop at the first fault: it adds each to the list, so that
 * `leafspine check` shows them all and slurmctld logs the first and the count.
 * Each fault is one line:
 *
 *     SOURCE:LINE:COLUMN: PATH: what is wrong, what was expected
 *
 * LINE and COLUMN count from 1; 0 means that the fault has no position there
 * and the part is left out. Text of users is made printable before it is kept.
 */
#ifndef LEAFSPINE_DIAG_H
#define LEAFSPINE_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum diag_severity { DIAG_ERROR, DIAG_WARNING };

struct diag_entry {
	enum diag_severity severity;
	int line;
	int column;
	char *path;		/* owned; "" where there is none */
	char *text;		/* owned */
};

/* More errors than this, or more warnings, are counted, not kept. */
#define DIAG_KEPT_MAX 1000

struct diag {
	char *source;			/* owned: the name in messages */
	struct diag_entry *entries;	/* owned */
	size_t entry_count;
	size_t entry_room;
	size_t error_count;		/* all errors, kept or not */
	size_t warning_count;		/* all warnings, kept or not */
	bool no_memory;			/* counts as an error */
};

/* SOURCE is copied. */
void diag_init(struct diag *diag, const char *source);
void diag_done(struct diag *diag);

/* An allocation that fails here sets no_memory; the count is kept right. */
void diag_add(struct diag *diag, enum diag_severity severity, int line,
	      int column, const char *path, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

/* What a reader says when an allocation of its own fails. Allocates nothing. */
void diag_no_memory(struct diag *diag);

/*
 * True while one more fault would be kept: past that a reader need not work out
 * its position and path.
 */
bool diag_keeps(const struct diag *diag, enum diag_severity severity);

/* Entries in order of line and column. Every reader ends with it. */
void diag_sort(struct diag *diag);

/* True when nothing worse than warnings was found. */
bool diag_ok(const struct diag *diag);

/*
 * Entry INDEX as its line, without a newline, cut to fit ROOM bytes.
 * Returns BUFFER.
 */
char *diag_line(const struct diag *diag, size_t index, char *buffer,
		size_t room);

/* All kept entries in order of line and column, one a line. */
void diag_print(struct diag *diag, FILE *stream);

/*
 * Copies TEXT into BUFFER with every byte outside printable ASCII as '?', cut
 * with "..." where ROOM is too small: for text of users in messages.
 */
char *diag_printable(const char *text, size_t length, char *buffer,
		     size_t room);

#endif
