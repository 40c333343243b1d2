/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hint: finds the hint of a job in what its submission left behind. */

#include "hint.h"

#include <string.h>

/* What follows NAME= in VARIABLE, or NULL. */
static const char *value_of(const char *variable, const char *name)
{
	size_t length = strlen(name);

	/* Slurm hands some of them on with this in front. */
	if (!strncmp(variable, "SPANK_", 6))
		variable += 6;
	if (strncmp(variable, name, length) || variable[length] != '=')
		return NULL;
	return variable + length + 1;
}

const char *hint_variable(char *const *variables, uint32_t count,
			  const char *name)
{
	for (uint32_t i = 0; variables && i < count; i++) {
		const char *value = variables[i] ?
			value_of(variables[i], name) : NULL;

		if (value)
			return value;
	}
	return NULL;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct hint_text find_word(const char *comment)
{
	const size_t mark = strlen(HINT_WORD);
	const char *at = comment;

	while (*at) {
		size_t length = strcspn(at, " \t\r\n");

		if (length >= mark && !strncmp(at, HINT_WORD, mark))
			return (struct hint_text){ at + mark, length - mark };
		at += length;
		while (is_blank(*at))
			at++;
	}
	return (struct hint_text){ NULL, 0 };
}

struct hint_text hint_find(char *const *variables, uint32_t count,
			   const char *comment)
{
	const char *option = hint_variable(variables, count, HINT_ENV_NAME);

	if (option)
		return (struct hint_text){ option, strlen(option) };
	if (comment)
		return find_word(comment);
	return (struct hint_text){ NULL, 0 };
}
