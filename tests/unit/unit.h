/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit: what every libcheck program of this tree shares: its main() is one
 * `return unit_run(make_suite());`.
 *
 * The environment decides how it runs (libcheck's own variables): CK_FORK=no
 * under valgrind, CK_RUN_CASE=name for one case, CK_VERBOSITY=verbose.
 */
#ifndef LEAFSPINE_UNIT_H
#define LEAFSPINE_UNIT_H

#include <check.h>
#include <stdlib.h>

/* Runs SUITE and frees it; the exit status of main(). */
static inline int unit_run(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	/* A suite that ran nothing has proved nothing. */
	if (srunner_ntests_run(runner) == 0)
		failed = 1;
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
