/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as a range of names: refused, or it survives folding. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "noderange.h"
#include "small_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The folded LIST must expand to the same names. */
static void fold_and_expand(const struct noderange_list *list)
{
	const char *const *names = (const char *const *)list->names;
	char *folded = noderange_compress(names, list->count);
	struct noderange_error error;
	struct noderange_list again;

	if (!folded)
		return;
	if (noderange_expand(folded, &again, &error) != NODERANGE_OK ||
	    again.count != list->count)
		__builtin_trap();
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->names[i], again.names[i]))
			__builtin_trap();
		if (i > 0 && (noderange_compare(names[i - 1], names[i]) == 0) !=
			     !strcmp(names[i - 1], names[i]))
			__builtin_trap();
	}
	noderange_list_done(&again);
	free(folded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct noderange_error error = { .offset = SIZE_MAX };
	struct noderange_list list;
	char *text;

	if (!small_input(data, size))
		return 0;
	text = malloc(size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (noderange_expand(text, &list, &error) == NODERANGE_OK) {
		fold_and_expand(&list);
		noderange_list_done(&list);
	} else if (error.offset > strlen(text) || !error.text[0]) {
		__builtin_trap();
	}
	free(text);
	return 0;
}
