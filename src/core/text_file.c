/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The whole of a file in memory. */
#define _GNU_SOURCE 1
#include "text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"

#define CHUNK 65536

/* What has been read so far; one byte is always left for the NUL. */
struct filling {
	char *bytes;
	size_t length;
	size_t room;
};

static void report(struct diag *diag, const char *what, int number)
{
	char buffer[128];

	if (number == ENOMEM) {
		diag_no_memory(diag);
		return;
	}
	diag_add(diag, DIAG_ERROR, 0, 0, "", "cannot be %s: %s", what,
		 strerror_r(number, buffer, sizeof(buffer)));
}

/* One more chunk: bytes read, 0 at the end, -1 with a fault. */
static ssize_t read_chunk(int file, struct filling *filling, struct diag *diag)
{
	char *bytes = array_reserve(filling->bytes, &filling->room,
				    filling->length + CHUNK + 1, 1);
	ssize_t got;

	if (!bytes) {
		diag_no_memory(diag);
		return -1;
	}
	filling->bytes = bytes;
	do
		got = read(file, bytes + filling->length, CHUNK);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		report(diag, "read", errno);
	else
		filling->length += (size_t)got;
	return got;
}

static int read_all(int file, size_t limit, struct filling *filling,
		    struct diag *diag)
{
	ssize_t got;

	do {
		got = read_chunk(file, filling, diag);
		if (filling->length > limit) {
			diag_add(diag, DIAG_ERROR, 0, 0, "",
				 "the file is larger than %zu bytes, expected "
				 "less", limit);
			return -1;
		}
	} while (got > 0);
	return got < 0 ? -1 : 0;
}

char *text_file_read(const char *path, size_t limit, struct diag *diag,
		     size_t *ret_length)
{
	bool standard = !strcmp(path, "-");
	int file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct filling filling = { 0 };
	int status;

	if (file < 0) {
		report(diag, "opened", errno);
		return NULL;
	}
	status = read_all(file, limit, &filling, diag);
	if (!standard)
		close(file);
	if (status) {
		free(filling.bytes);
		return NULL;
	}
	filling.bytes[filling.length] = '\0';
	*ret_length = filling.length;
	return filling.bytes;
}

bool text_file_refuse_nul(const char *text, size_t length, const char *path,
			  struct diag *diag)
{
	const char *nul = memchr(text, '\0', length);
	const char *start = text;
	const char *newline;
	int line = 1;

	if (!nul)
		return false;
	while ((newline = memchr(start, '\n', (size_t)(nul - start)))) {
		start = newline + 1;
		line++;
	}
	diag_add(diag, DIAG_ERROR, line, (int)(nul - start) + 1, path,
		 "a NUL byte, expected text");
	return true;
}
