/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay_main: runs a fuzz target over its checked-in corpus, without a fuzzer:
 *
 *	replay_NAME [FILE-OR-DIRECTORY...]
 *
 * By default the files of $srcdir/tests/fuzz/corpus/NAME. Prints TAP, a case a
 * file; a crash ends the program, and the case of the file at hand is missed.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned int cases;
static unsigned int failures;

static void say(const char *verdict, const char *path)
{
	printf("%s %u - %s\n", verdict, ++cases, path);
	/* Said before the next file may end the program. */
	fflush(stdout);
}

static void say_failed(const char *path, const char *why)
{
	printf("# %s: %s\n", path, why);
	say("not ok", path);
	failures++;
}

/*
 * The bytes of STREAM in a block of just their size, so that a sanitizer sees a
 * read behind the last one. NULL on failure, with errno.
 */
static uint8_t *read_all(FILE *stream, size_t *ret_size)
{
	uint8_t *data = NULL;
	long size;

	if (fseek(stream, 0, SEEK_END) != 0)
		return NULL;
	size = ftell(stream);
	if (size < 0)
		return NULL;
	rewind(stream);
	data = malloc(size > 0 ? (size_t)size : 1);
	if (!data)
		return NULL;
	if (fread(data, 1, (size_t)size, stream) != (size_t)size) {
		free(data);
		return NULL;
	}
	*ret_size = (size_t)size;
	return data;
}

static void replay_file(const char *path)
{
	FILE *stream = fopen(path, "rb");
	uint8_t *data;
	size_t size;

	if (!stream) {
		say_failed(path, strerror(errno));
		return;
	}
	data = read_all(stream, &size);
	fclose(stream);
	if (!data) {
		say_failed(path, "cannot be read");
		return;
	}
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	say("ok", path);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void replay_directory(const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, is_visible, alphasort);
	char name[4096];

	if (count < 0) {
		say_failed(path, strerror(errno));
		return;
	}
	if (count == 0)
		say_failed(path, "is empty");
	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%s/%s", path,
			 entries[i]->d_name);
		replay_file(name);
		free(entries[i]);
	}
	free(entries);
}

static void replay(const char *path)
{
	DIR *directory = opendir(path);

	if (directory) {
		closedir(directory);
		replay_directory(path);
		return;
	}
	replay_file(path);
}

/* "tests/fuzz/replay_fabric" replays the corpus "fabric". */
static void replay_own_corpus(const char *program)
{
	const char *name = strrchr(program, '/');
	const char *srcdir = getenv("srcdir");
	char path[4096];

	name = name ? name + 1 : program;
	if (strncmp(name, "replay_", 7) == 0)
		name += 7;
	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/%s",
		 srcdir ? srcdir : ".", name);
	replay_directory(path);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		replay(argv[i]);
	if (argc == 1)
		replay_own_corpus(argv[0]);
	printf("1..%u\n", cases);
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
