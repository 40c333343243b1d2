/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of faults found in one input. */
#define _GNU_SOURCE 1
#include "diag.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

#define DIAG_LINE_MAX 4096

static bool is_printable(char c)
{
	return c >= 0x20 && c <= 0x7e;
}

static void make_printable(char *text)
{
	for (; *text; text++)
		if (!is_printable(*text))
			*text = '?';
}

void diag_init(struct diag *diag, const char *source)
{
	*diag = (struct diag) { .source = strdup(source) };
	if (!diag->source)
		diag->no_memory = true;
	else
		make_printable(diag->source);
}

void diag_done(struct diag *diag)
{
	for (size_t i = 0; i < diag->entry_count; i++) {
		free(diag->entries[i].path);
		free(diag->entries[i].text);
	}
	free(diag->entries);
	free(diag->source);
	*diag = (struct diag) { 0 };
}

/* Counts a fault; true when there is still room to keep it. */
static bool count_fault(struct diag *diag, enum diag_severity severity)
{
	size_t *count = severity == DIAG_ERROR ? &diag->error_count
					       : &diag->warning_count;

	return (*count)++ < DIAG_KEPT_MAX;
}

bool diag_keeps(const struct diag *diag, enum diag_severity severity)
{
	return (severity == DIAG_ERROR ? diag->error_count
				       : diag->warning_count) < DIAG_KEPT_MAX;
}

/* Takes over the texts of ENTRY, also when it fails. */
static void keep_entry(struct diag *diag, struct diag_entry *entry)
{
	struct diag_entry *entries = NULL;

	if (entry->path && entry->text)
		entries = array_reserve(diag->entries, &diag->entry_room,
					diag->entry_count + 1,
					sizeof(*entries));
	if (!entries) {
		free(entry->path);
		free(entry->text);
		diag->no_memory = true;
		return;
	}
	make_printable(entry->path);
	make_printable(entry->text);
	diag->entries = entries;
	entries[diag->entry_count++] = *entry;
}

void diag_add(struct diag *diag, enum diag_severity severity, int line,
	      int column, const char *path, const char *format, ...)
{
	struct diag_entry entry = {
		.severity = severity, .line = line, .column = column,
	};
	va_list arguments;

	if (!count_fault(diag, severity))
		return;
	va_start(arguments, format);
	if (vasprintf(&entry.text, format, arguments) < 0)
		entry.text = NULL;
	va_end(arguments);
	entry.path = strdup(path ? path : "");
	keep_entry(diag, &entry);
}

void diag_no_memory(struct diag *diag)
{
	diag->no_memory = true;
}

bool diag_ok(const struct diag *diag)
{
	return diag->error_count == 0 && !diag->no_memory;
}

/* snprintf at the end of what stands in BUFFER; cuts silently. */
static void append(char *buffer, size_t room, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void append(char *buffer, size_t room, const char *format, ...)
{
	size_t used = strlen(buffer);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(buffer + used, room - used, format, arguments);
	va_end(arguments);
}

char *diag_line(const struct diag *diag, size_t index, char *buffer,
		size_t room)
{
	const struct diag_entry *entry = &diag->entries[index];

	if (room == 0)
		return buffer;
	buffer[0] = '\0';
	append(buffer, room, "%s:", diag->source ? diag->source : "?");
	if (entry->line > 0)
		append(buffer, room, "%d:", entry->line);
	if (entry->line > 0 && entry->column > 0)
		append(buffer, room, "%d:", entry->column);
	if (entry->path[0])
		append(buffer, room, " %s:", entry->path);
	append(buffer, room, " %s%s",
	       entry->severity == DIAG_WARNING ? "warning: " : "",
	       entry->text);
	return buffer;
}

static bool stands_before(const struct diag_entry *a,
			  const struct diag_entry *b)
{
	if (a->line != b->line)
		return a->line < b->line;
	return a->column < b->column;
}

/*
 * By insertion: it is stable, so that faults of one place keep their order, it
 * allocates nothing, and readers add nearly in order.
 */
void diag_sort(struct diag *diag)
{
	for (size_t i = 1; i < diag->entry_count; i++) {
		struct diag_entry entry = diag->entries[i];
		size_t k = i;

		for (; k > 0 && stands_before(&entry, &diag->entries[k - 1]);
		     k--)
			diag->entries[k] = diag->entries[k - 1];
		diag->entries[k] = entry;
	}
}

void diag_print(struct diag *diag, FILE *stream)
{
	size_t faults = diag->error_count + diag->warning_count;
	char line[DIAG_LINE_MAX];

	diag_sort(diag);
	for (size_t i = 0; i < diag->entry_count; i++)
		fprintf(stream, "%s\n",
			diag_line(diag, i, line, sizeof(line)));
	if (diag->no_memory)
		fprintf(stream, "%s: out of memory\n",
			diag->source ? diag->source : "?");
	if (faults > diag->entry_count)
		fprintf(stream, "%s: %zu more faults are not shown\n",
			diag->source ? diag->source : "?",
			faults - diag->entry_count);
}

char *diag_printable(const char *text, size_t length, char *buffer,
		     size_t room)
{
	bool cut = room > 0 && length > room - 1;
	size_t kept = cut ? room - 1 : length;

	if (room == 0)
		return buffer;
	for (size_t i = 0; i < kept; i++)
		buffer[i] = is_printable(text[i]) ? text[i] : '?';
	if (cut)
		for (size_t i = kept > 3 ? kept - 3 : 0; i < kept; i++)
			buffer[i] = '.';
	buffer[kept] = '\0';
	return buffer;
}
