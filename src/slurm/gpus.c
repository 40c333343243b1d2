/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gpus: counts the GPUs of a request, and reads them from TRES strings. */

#include "gpus.h"

#include <ctype.h>
#include <string.h>

#include "parallelism.h"

/* --- numbers ------------------------------------------------------------- */

static bool too_many(uint64_t count)
{
	return count > PARALLELISM_GPUS_MAX;
}

/* MIG slices bear names as 1g.5gb or a100_3g.20gb: not whole GPUs. */
static bool is_slice(const char *type, size_t length)
{
	for (size_t i = 0; type && i + 2 < length; i++)
		if (isdigit((unsigned char)type[i]) && type[i + 1] == 'g' &&
		    type[i + 2] == '.')
			return true;
	return false;
}

bool gpus_sums(const struct gpus_request *request, struct gpus_sums *ret)
{
	uint64_t all = request->per_job, each = request->per_node;

	if (request->unclear || request->per_socket ||
	    is_slice(request->type, request->type_length))
		return false;
	/* Before it is multiplied: from here on nothing overflows. */
	if (too_many(request->per_task))
		return false;
	if (!all)
		all = request->per_task * request->tasks;
	if (!each)
		each = request->per_task * request->tasks_per_node;
	if (too_many(all) || too_many(each))
		return false;
	ret->all = (uint32_t)all;
	ret->each = (uint32_t)each;
	return all || each;
}

enum gpus_count gpus_count(const struct gpus_request *request, uint64_t *ret)
{
	uint32_t least = request->min_nodes, most = request->max_nodes;
	struct gpus_sums sums;

	if (!gpus_sums(request, &sums))
		return GPUS_UNCLEAR;
	/* Slurm gives each node a task at least, whatever was asked for. */
	if (!request->per_job && sums.all && request->tasks < least)
		return GPUS_UNCLEAR;
	/* Without a node count Slurm takes the one that the rest needs. */
	if (!sums.all && (!least || !most || least > most))
		return GPUS_UNCLEAR;
	if (!sums.all && least < most)
		return GPUS_OPEN;
	*ret = sums.all ? sums.all : (uint64_t)sums.each * least;
	return too_many(*ret) ? GPUS_UNCLEAR : GPUS_FIXED;
}

/* --- TRES ---------------------------------------------------------------- */

/* Behind the WORD that TEXT starts with, or NULL. */
static const char *behind(const char *text, const char *word)
{
	size_t length = strlen(word);

	return strncmp(text, word, length) ? NULL : text + length;
}

/* The length of what stands before the next separator, or the end at END. */
static size_t span(const char *text, const char *end)
{
	size_t length = 0;

	while (text + length < end && text[length] != ':' &&
	       text[length] != '=')
		length++;
	return length;
}

/* Digits alone; with a suffix, or more of them, it is no count of ours. */
static bool read_number(const char *text, size_t length, uint64_t *ret)
{
	uint64_t number = 0;

	if (!length || length > 18)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (!isdigit((unsigned char)text[i]))
			return false;
		number = number * 10 + (uint64_t)(text[i] - '0');
	}
	*ret = number;
	return true;
}

/* Two kinds in one job are beyond us: see struct choice_question. */
static void note_type(struct gpus_request *request, const char *type,
		      size_t length)
{
	if (!length) {
		request->untyped = true;
	} else if (!request->type) {
		request->type = type;
		request->type_length = length;
	} else if (request->type_length != length ||
		   memcmp(request->type, type, length)) {
		request->unclear = true;
	}
	if (request->untyped && request->type)
		request->unclear = true;
}

/* A kind starts with a letter or a digit and has no list of sockets in it. */
static bool is_type(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) &&
		    !strchr("._-+", text[i]))
			return false;
	return length && isalnum((unsigned char)text[0]);
}

/* What follows "gpu": nothing, ":8", ":h100", ":h100:8", each ':' maybe '='. */
static uint64_t read_gpus(const char *text, const char *end,
			  struct gpus_request *request)
{
	const char *type = NULL;
	size_t length, type_length = 0;
	uint64_t count = 1;

	if (text < end) {
		length = span(++text, end);
		if (!read_number(text, length, &count)) {
			type = text;
			type_length = length;
			if (!is_type(text, length))
				request->unclear = true;
		}
		text += length;
	}
	if (type && text < end) {
		length = span(++text, end);
		if (!read_number(text, length, &count))
			request->unclear = true;
		text += length;
	}
	if (text < end)
		request->unclear = true;
	if (count)
		note_type(request, type, type_length);
	return count;
}

/* One TRES, from TEXT to END. */
static uint64_t read_entry(const char *text, const char *end,
			   struct gpus_request *request)
{
	const char *name = behind(text, "gres:");
	size_t length;

	if (!name)
		name = behind(text, "gres/");
	if (!name)
		name = text;
	length = span(name, end);
	if (length == 3 && !memcmp(name, "gpu", 3))
		return read_gpus(name + 3, end, request);
	/* Parts of GPUs. */
	if ((length == 3 && !memcmp(name, "mps", 3)) ||
	    (length == 5 && !memcmp(name, "shard", 5)))
		request->unclear = true;
	return 0;
}

uint64_t gpus_read(const char *text, struct gpus_request *request)
{
	uint64_t sum = 0;
	uint32_t entries = 0;

	while (text && *text) {
		size_t length = strcspn(text, ",;");
		uint64_t count = read_entry(text, text + length, request);

		/* The same kind twice: Slurm takes one of them. */
		if (count && entries++)
			request->unclear = true;
		sum = count > UINT64_MAX - sum ? UINT64_MAX : sum + count;
		text += length;
		text += strspn(text, ",;");
	}
	return sum;
}
