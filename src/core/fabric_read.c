/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which reader a file is for. */
#define _GNU_SOURCE 1
#include "fabric_read.h"

#include <stdlib.h>
#include <string.h>

#include "text_file.h"

#define SYNTH_PREFIX "synth:"

static bool ends_with(const char *text, const char *end)
{
	size_t text_length = strlen(text);
	size_t end_length = strlen(end);

	return text_length >= end_length &&
	       !strcmp(text + text_length - end_length, end);
}

struct fabric *fabric_read_file(const char *path, struct diag *diag)
{
	struct fabric *fabric;
	size_t length;
	char *text;

	if (!strncmp(path, SYNTH_PREFIX, strlen(SYNTH_PREFIX)))
		return fabric_read_synth(path + strlen(SYNTH_PREFIX), diag);
	text = text_file_read(path, FABRIC_FILE_MAX, diag, &length);
	if (!text)
		return NULL;
	if (ends_with(path, ".yaml")) {
		fabric = fabric_read_yaml(text, length, diag);
	} else if (ends_with(path, ".conf")) {
		fabric = fabric_read_conf(text, length, diag);
	} else {
		fabric = fabric_read_json(text, length, diag);
	}
	free(text);
	return fabric;
}
