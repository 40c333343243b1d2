/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault: makes the n-th allocation of a test fail.
 *
 * A test loops n = 1, 2, ... until the call under test runs through without
 * meeting the fault:
 *
 *	for (long n = 1; ; n++) {
 *		fault_after(n);
 *		result = reader(...);
 *		hit = fault_hit();
 *		fault_off();
 *		if (!hit)
 *			break;		(result must be good)
 *		...			(result must be an error)
 *	}
 *
 * Counted are malloc, calloc, realloc, strdup, strndup, vasprintf, asprintf,
 * fopen and pthread_create called from the objects of the test program (the
 * linker's --wrap), and all that jansson allocates. open_memstream counts
 * twice: it may fail, or its stream may at the first byte. What the C library
 * allocates inside (qsort) is not counted. libcheck is linked statically and so
 * counted too: no ck_...() call between fault_after() and fault_off().
 */
#ifndef LEAFSPINE_FAULT_H
#define LEAFSPINE_FAULT_H

#include <stdbool.h>

/* The N-th allocation from now fails, N counted from 1, once. */
void fault_after(long n);

/* True when the allocation of the last fault_after() has failed. */
bool fault_hit(void);

/* No allocation fails any more; forgets what fault_hit() would say. */
void fault_off(void);

/* For other wrappers: counts one allocation, true when it is to fail. */
bool fault_due(void);

#endif
