/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table: text in aligned columns. See table.h.
 */
#define _GNU_SOURCE 1
#include "table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"

void table_init(struct table *table, const struct table_column *columns,
		size_t column_count)
{
	*table = (struct table){
		.columns = columns,
		.column_count = column_count,
	};
}

void table_done(struct table *table)
{
	for (size_t i = 0; i < table->cell_count; i++)
		free(table->cells[i]);
	free(table->cells);
	*table = (struct table){ 0 };
}

void table_cell(struct table *table, const char *format, ...)
{
	va_list arguments;
	char **cells;
	char *text;

	if (table->no_memory)
		return;
	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	cells = array_reserve(table->cells, &table->cell_room,
			      table->cell_count + 1, sizeof(*cells));
	if (cells)
		table->cells = cells;
	if (!text || !cells) {
		free(text);
		table->no_memory = true;
		return;
	}
	cells[table->cell_count++] = text;
}

static bool has_titles(const struct table *table)
{
	return table->columns[0].title != NULL;
}

static void measure(const struct table *table, size_t *widths)
{
	for (size_t c = 0; c < table->column_count; c++)
		widths[c] = has_titles(table) ?
			    strlen(table->columns[c].title) : 0;
	for (size_t i = 0; i < table->cell_count; i++) {
		size_t length = strlen(table->cells[i]);
		size_t column = i % table->column_count;

		if (widths[column] < length)
			widths[column] = length;
	}
}

/* No blanks at the end of a line: what pads a cell waits for the next text. */
static void print_row(const struct table *table, const size_t *widths,
		      char *const *cells, FILE *stream)
{
	size_t blanks = 0;

	for (size_t c = 0; c < table->column_count; c++) {
		const char *text = cells ? cells[c] : table->columns[c].title;
		size_t padding = widths[c] - strlen(text);

		if (table->columns[c].align == TABLE_RIGHT)
			blanks += padding;
		if (*text) {
			fprintf(stream, "%*s%s", (int)blanks, "", text);
			blanks = 0;
		}
		if (table->columns[c].align == TABLE_LEFT)
			blanks += padding;
		blanks += 2;
	}
	putc('\n', stream);
}

int table_print(const struct table *table, FILE *stream)
{
	size_t *widths;

	if (table->no_memory)
		return -1;
	widths = calloc(table->column_count, sizeof(*widths));
	if (!widths)
		return -1;
	measure(table, widths);
	if (has_titles(table))
		print_row(table, widths, NULL, stream);
	for (size_t i = 0; i < table->cell_count; i += table->column_count)
		print_row(table, widths, table->cells + i, stream);
	free(widths);
	return 0;
}
