/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hostile_hints COUNT: as many hints that mean harm, each ended by a NUL. */

#include <stdio.h>
#include <stdlib.h>

#include "hostile.h"

int main(int argc, char *argv[])
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	char text[HOSTILE_MAX];

	for (unsigned i = 0; i < count; i++) {
		hostile_hint(i, text);
		if (printf("%s%c", text, '\0') < 0)
			return 1;
	}
	return 0;
}
