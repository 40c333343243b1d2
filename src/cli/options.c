/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options: reads long options by a constant table. See options.h.
 */
#include "options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

struct option_reader {
	const struct option_spec *specs;
	const char *command;
	int argc;
	char *const *argv;
	int next;		/* index of the next argument */
	unsigned char *values;
	bool *given;		/* by index of the table */
};

__attribute__((format(printf, 2, 3)))
static enum options_result usage_fault(const struct option_reader *reader,
				       const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	output_complain("%s: %s; see 'leafspine %s --help'", reader->command,
			text, reader->command);
	return OPTIONS_BAD;
}

static size_t spec_count(const struct option_spec *specs)
{
	size_t count = 0;

	while (specs[count].name)
		count++;
	return count;
}

/* Finds an option by the LENGTH bytes of its name. */
static const struct option_spec *find_option(const struct option_spec *specs,
					     const char *name, size_t length)
{
	for (; specs->name; specs++) {
		if (specs->kind != OPTION_OPERAND &&
		    strlen(specs->name) == length &&
		    memcmp(specs->name, name, length) == 0)
			return specs;
	}
	return NULL;
}

static const struct option_spec *find_operand(const struct option_spec *specs)
{
	for (; specs->name; specs++) {
		if (specs->kind == OPTION_OPERAND)
			return specs;
	}
	return NULL;
}

/* Digits only: no sign, no blanks, no octal surprises. */
static bool read_number(const char *text, uint32_t max, uint32_t *ret_number)
{
	unsigned long long number;
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno != 0 || *end != '\0' || number < 1 || number > max)
		return false;
	*ret_number = (uint32_t)number;
	return true;
}

static enum options_result store_number(struct option_reader *reader,
					const struct option_spec *spec,
					const char *value)
{
	uint32_t *field = (void *)(reader->values + spec->offset);

	if (read_number(value, spec->max, field))
		return OPTIONS_OK;
	return usage_fault(reader, "--%s: expected a whole number from 1 to "
			   "%u, got '%s'", spec->name, (unsigned)spec->max,
			   value);
}

static enum options_result store_text(struct option_reader *reader,
				      const struct option_spec *spec,
				      const char *value)
{
	struct option_texts *texts = (void *)(reader->values + spec->offset);
	const char **field = (void *)(reader->values + spec->offset);

	if (spec->kind != OPTION_TEXTS) {
		*field = value;
		return OPTIONS_OK;
	}
	if (!texts->items)	/* more than ARGC there cannot be */
		texts->items = calloc((size_t)reader->argc,
				      sizeof(*texts->items));
	if (!texts->items) {
		output_no_memory();
		return OPTIONS_BAD;
	}
	texts->items[texts->count++] = value;
	return OPTIONS_OK;
}

/* The value of the option just read; NULL where there is none. */
static const char *take_value(struct option_reader *reader,
			      const struct option_spec *spec,
			      const char *equals)
{
	const char *value;

	if (equals)
		return equals + 1;
	if (reader->next >= reader->argc)
		return NULL;
	value = reader->argv[reader->next];
	if (spec->kind != OPTION_LINE && strncmp(value, "--", 2) == 0)
		return NULL;
	reader->next++;
	return value;
}

static enum options_result read_option(struct option_reader *reader,
				       const char *text)
{
	const char *name = text + 2;
	const char *equals = strchr(name, '=');
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	const struct option_spec *spec;
	const char *value;
	bool *given;

	spec = find_option(reader->specs, name, length);
	if (!spec)
		return usage_fault(reader, "unknown option '--%.*s'",
				   length > 100 ? 100 : (int)length, name);
	given = &reader->given[spec - reader->specs];
	if (*given && spec->kind != OPTION_TEXTS)
		return usage_fault(reader, "--%s is given twice", spec->name);
	*given = true;
	if (spec->kind == OPTION_FLAG) {
		if (equals)
			return usage_fault(reader, "--%s takes no value",
					   spec->name);
		*(bool *)(void *)(reader->values + spec->offset) = true;
		return OPTIONS_OK;
	}
	value = take_value(reader, spec, equals);
	if (!value)
		return usage_fault(reader, "--%s needs a value (%s)",
				   spec->name, spec->value);
	if (spec->kind == OPTION_NUMBER)
		return store_number(reader, spec, value);
	return store_text(reader, spec, value);
}

static enum options_result read_operand(struct option_reader *reader,
					const char *text)
{
	const struct option_spec *spec = find_operand(reader->specs);
	bool *given;

	if (!spec)
		return usage_fault(reader, "unexpected argument '%s'", text);
	given = &reader->given[spec - reader->specs];
	if (*given)
		return usage_fault(reader, "unexpected argument '%s' after "
				   "the %s", text, spec->name);
	*given = true;
	return store_text(reader, spec, text);
}

static bool is_help(const char *text)
{
	return strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0;
}

static enum options_result read_arguments(struct option_reader *reader)
{
	enum options_result result = OPTIONS_OK;
	bool options_ended = false;

	while (result == OPTIONS_OK && reader->next < reader->argc) {
		const char *text = reader->argv[reader->next++];

		if (!options_ended && strcmp(text, "--") == 0)
			options_ended = true;
		else if (!options_ended && is_help(text))
			result = OPTIONS_HELP;
		else if (!options_ended && strncmp(text, "--", 2) == 0)
			result = read_option(reader, text);
		else if (!options_ended && text[0] == '-' && text[1] != '\0')
			result = usage_fault(reader, "unknown option '%s'",
					     text);
		else
			result = read_operand(reader, text);
	}
	return result;
}

static enum options_result check_required(const struct option_reader *reader)
{
	const struct option_spec *spec = reader->specs;

	for (; spec->name; spec++) {
		if (!spec->required || reader->given[spec - reader->specs])
			continue;
		if (spec->kind == OPTION_OPERAND)
			return usage_fault(reader, "missing %s", spec->name);
		return usage_fault(reader, "missing --%s %s", spec->name,
				   spec->value);
	}
	return OPTIONS_OK;
}

enum options_result options_parse(const struct option_spec *specs,
				  const char *command, int argc,
				  char *const *argv, void *values)
{
	struct option_reader reader = {
		.specs = specs,
		.command = command,
		.argc = argc,
		.argv = argv,
		.values = values,
	};
	enum options_result result;

	reader.given = calloc(spec_count(specs) + 1, sizeof(*reader.given));
	if (!reader.given) {
		output_no_memory();
		return OPTIONS_BAD;
	}
	result = read_arguments(&reader);
	if (result == OPTIONS_OK)
		result = check_required(&reader);
	free(reader.given);
	return result;
}

void options_done(const struct option_spec *specs, void *values)
{
	for (; specs->name; specs++) {
		struct option_texts *texts;

		if (specs->kind != OPTION_TEXTS)
			continue;
		texts = (void *)((unsigned char *)values + specs->offset);
		free(texts->items);
		texts->items = NULL;
		texts->count = 0;
	}
}

/* One option: its form, then its help lines, all in one column. */
static void print_option(const char *form, const char *help)
{
	enum { HELP_COLUMN = 26 };
	int width = (int)strlen(form);

	printf("  %s", form);
	if (width + 4 > HELP_COLUMN) {
		putchar('\n');
		width = -2;
	}
	while (*help) {
		int length = (int)strcspn(help, "\n");

		printf("%*s%.*s\n", HELP_COLUMN - width - 2, "", length, help);
		help += length + (help[length] == '\n');
		width = -2;
	}
}

void options_print_help(const struct option_spec *specs)
{
	for (; specs->name; specs++) {
		char form[80];

		if (specs->kind == OPTION_OPERAND)
			snprintf(form, sizeof(form), "%s", specs->name);
		else if (specs->kind == OPTION_FLAG)
			snprintf(form, sizeof(form), "--%s", specs->name);
		else
			snprintf(form, sizeof(form), "--%s %s", specs->name,
				 specs->value);
		print_option(form, specs->help);
	}
	print_option("--help", "print this text");
}
