/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * piece: a stretch of text that is not NUL-terminated, and the numbers of
 * hints in it.
 */
#ifndef LEAFSPINE_PIECE_H
#define LEAFSPINE_PIECE_H

#include <stdbool.h>
#include <stddef.h>

struct piece {
	const char *text;	/* borrowed */
	size_t length;
};

/* True where the piece is just WORD. */
bool piece_is(struct piece piece, const char *word);

/*
 * Cuts the next piece off *REST at the first SEPARATOR; false at the end. An
 * empty piece between two separators is one.
 */
bool piece_cut(struct piece *rest, char separator, struct piece *ret);

/*
 * A decimal number with an optional exponent and suffix: K M G T P of 1000,
 * Ki Mi Gi Ti Pi of 1024, B for 10^9 where BILLIONS. Not strtod: that reads
 * "inf" and hexadecimal, and the decimal point of the caller's locale.
 */
bool piece_number(struct piece text, bool billions, double *ret);

static inline bool piece_digit(char c)
{
	return c >= '0' && c <= '9';
}

#endif
