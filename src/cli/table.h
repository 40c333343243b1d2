/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table: text in aligned columns.
 */
#ifndef LEAFSPINE_TABLE_H
#define LEAFSPINE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum table_align { TABLE_LEFT, TABLE_RIGHT };

struct table_column {
	const char *title;	/* all NULL: no line of titles */
	enum table_align align;
};

struct table {
	const struct table_column *columns;
	size_t column_count;
	char **cells;		/* owned, row by row */
	size_t cell_count;
	size_t cell_room;
	bool no_memory;
};

/* COLUMNS must outlive the table. */
void table_init(struct table *table, const struct table_column *columns,
		size_t column_count);
void table_done(struct table *table);

/* The next cell, from left to right and row by row. */
void table_cell(struct table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Prints the table, whose last row must be whole. 0, or -1 (and nothing
 * printed) when an allocation failed, now or in a cell before.
 */
int table_print(const struct table *table, FILE *stream);

#endif
