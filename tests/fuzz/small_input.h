/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * small_input: keeps a fuzzer off inputs that are slow by intent: "[1-999999]"
 * is a million names in ten bytes, and is taken at its word.
 */
#ifndef LEAFSPINE_SMALL_INPUT_H
#define LEAFSPINE_SMALL_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SMALL_INPUT_DIGITS 3
#define SMALL_INPUT_NAMES 100000

/*
 * False where a number of DATA is long, or where the brackets of one word could
 * give very many names: ten times as many for each digit of their numbers.
 */
static inline bool small_input(const uint8_t *data, size_t size)
{
	size_t digits = 0;
	size_t most = 0;	/* digits of a number in this bracket */
	size_t names = 1;	/* of this word */
	bool bracket = false;

	for (size_t i = 0; i < size; i++) {
		bool digit = data[i] >= '0' && data[i] <= '9';

		digits = digit ? digits + 1 : 0;
		if (digits > most)
			most = digits;
		if (digits > SMALL_INPUT_DIGITS)
			return false;
		if (data[i] == '[') {
			bracket = true;
			most = 0;
		} else if (data[i] == ']' && bracket) {
			bracket = false;
			for (; most > 0; most--)
				names *= 10;
		} else if (data[i] == ' ' || data[i] == '"' ||
			   (data[i] == ',' && !bracket)) {
			names = 1;
		}
		if (names > SMALL_INPUT_NAMES)
			return false;
	}
	return true;
}

#endif
