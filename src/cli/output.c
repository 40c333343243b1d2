/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output: messages, and quantities with their units. See output.h.
 */
#include "output.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/diag.h"

void output_complain(const char *format, ...)
{
	char text[1024];
	char line[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fprintf(stderr, "leafspine: %s\n",
		diag_printable(text, strlen(text), line, sizeof(line)));
}

void output_no_memory(void)
{
	fputs("leafspine: out of memory\n", stderr);
}

/* From here on "%.3g" would switch to an exponent. */
#define THREE_DIGITS_END 999.5

static char *print_quantity(double value, const char *unit, char *buffer)
{
	if (value < THREE_DIGITS_END || value >= 1e15)
		snprintf(buffer, OUTPUT_QUANTITY_MAX, "%.3g%s", value, unit);
	else
		snprintf(buffer, OUTPUT_QUANTITY_MAX, "%.0f%s", value, unit);
	return buffer;
}

/* UNITS go up in steps of 1000. */
static char *print_scaled(double value, const char *const *units, size_t count,
			  char *buffer)
{
	size_t i = 0;

	while (i + 1 < count && value >= THREE_DIGITS_END) {
		value /= 1000;
		i++;
	}
	return print_quantity(value, units[i], buffer);
}

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

char *output_bytes(double bytes, char *buffer)
{
	static const char *const units[] = {
		" B", " kB", " MB", " GB", " TB", " PB", " EB"
	};

	return print_scaled(bytes, units, COUNT_OF(units), buffer);
}

char *output_gbps(double gbps, char *buffer)
{
	static const char *const units[] = { " Gbit/s", " Tbit/s", " Pbit/s" };

	return print_scaled(gbps, units, COUNT_OF(units), buffer);
}

char *output_seconds(double seconds, char *buffer)
{
	static const char *const units[] = { " ns", " us", " ms", " s" };

	if (seconds == 0)
		return print_quantity(0, " s", buffer);
	return print_scaled(seconds * 1e9, units, COUNT_OF(units), buffer);
}

char *output_percent(double share, char *buffer)
{
	return print_quantity(share * 100, " %", buffer);
}

char *output_ratio(double oversubscription, char *buffer)
{
	return print_quantity(oversubscription, ":1", buffer);
}

char *output_times(double factor, char *buffer)
{
	return print_quantity(factor, "x", buffer);
}
