/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report: writes and finds our part of an admin comment. */

#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK "leafspine{"

/* A string of JSON; what is not printable ASCII becomes '?'. */
static void print_string(FILE *stream, const char *text, size_t length)
{
	fputc('"', stream);
	for (size_t i = 0; i < length; i++) {
		char c = text[i];

		if (c == '"' || c == '\\')
			fputc('\\', stream);
		fputc(c >= ' ' && c <= '~' ? c : '?', stream);
	}
	fputc('"', stream);
}

static void print_key(FILE *stream, const char *key, const char *text)
{
	if (!text)
		return;
	fprintf(stream, ",\"%s\":", key);
	print_string(stream, text, strlen(text));
}

static void print_report(FILE *stream, const struct report *report)
{
	fputs(MARK "\"hint\":", stream);
	print_string(stream, report->hint.start ? report->hint.start : "",
		     report->hint.length);
	fprintf(stream, ",\"placed_by\":\"%s\"",
		report->steered ? "leafspine" : "slurm");
	if (report->score) {
		fprintf(stream, ",\"leaves\":%u,\"spine_bytes\":%.15g"
			",\"core_bytes\":%.15g", report->score->leaves,
			report->score->total.spine, report->score->total.core);
		print_key(stream, "link", report->score->bottleneck_link);
	}
	if (report->nodes)
		print_key(stream, "order",
			  report->ordered ? "leafspine" : "slurm");
	print_key(stream, "nodes", report->nodes);
	print_key(stream, "why", report->why);
	fputc('}', stream);
}

char *report_text(const struct report *report)
{
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);
	bool failed;

	if (!stream)
		return NULL;
	print_report(stream, report);
	failed = ferror(stream);
	if (fclose(stream) || failed) {
		free(text);
		return NULL;
	}
	return text;
}

/* Behind the brace that closes the one at TEXT, or NULL. */
static const char *object_end(const char *text)
{
	bool in_string = false;
	size_t depth = 0;

	for (; *text; text++) {
		if (in_string) {
			if (*text == '\\' && text[1])
				text++;
			else if (*text == '"')
				in_string = false;
		} else if (*text == '"') {
			in_string = true;
		} else if (*text == '{') {
			depth++;
		} else if (*text == '}' && !--depth) {
			return text + 1;
		}
	}
	return NULL;
}

/* Our part of COMMENT: starts a word and is whole. */
static bool find_part(const char *comment, const char **ret_start,
		      const char **ret_end)
{
	const char *at = comment;

	while ((at = strstr(at, MARK))) {
		const char *end = object_end(at + strlen(MARK) - 1);

		if (end && (at == comment || at[-1] == ' ' || at[-1] == '\n')) {
			*ret_start = at;
			*ret_end = end;
			return true;
		}
		at += strlen(MARK);
	}
	return false;
}

char *report_splice(const char *comment, const char *text)
{
	const char *start, *end;
	char *spliced;
	int length;

	if (!comment || !*comment)
		return strdup(text);
	if (find_part(comment, &start, &end))
		length = asprintf(&spliced, "%.*s%s%s", (int)(start - comment),
				  comment, text, end);
	else
		length = asprintf(&spliced, "%s %s", comment, text);
	return length < 0 ? NULL : spliced;
}
