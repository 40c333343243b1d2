/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_file: the whole of a file in memory.
 */
#ifndef LEAFSPINE_TEXT_FILE_H
#define LEAFSPINE_TEXT_FILE_H

#include "diag.h"

/*
 * Reads the file at PATH ("-": standard input), at most LIMIT bytes. Returns
 * its bytes with a NUL behind them, to be freed by the caller, and sets
 * *RET_LENGTH; NULL with a fault in DIAG.
 */
char *text_file_read(const char *path, size_t limit, struct diag *diag,
		     size_t *ret_length);

/* True, with a fault about PATH in DIAG, where a NUL stands in TEXT. */
bool text_file_refuse_nul(const char *text, size_t length, const char *path,
			  struct diag *diag);

#endif
