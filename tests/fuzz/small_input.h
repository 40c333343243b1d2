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

/* False where DATA has a number of more digits, or many brackets. */
static inline bool small_input(const uint8_t *data, size_t size)
{
	size_t digits = 0;
	size_t brackets = 0;

	for (size_t i = 0; i < size; i++) {
		brackets += data[i] == '[';
		digits = data[i] >= '0' && data[i] <= '9' ? digits + 1 : 0;
		if (digits > SMALL_INPUT_DIGITS || brackets > 40)
			return false;
	}
	return true;
}

#endif
