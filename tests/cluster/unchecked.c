/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unchecked: a SPANK plugin that sends what stands in HOSTILE_HINT as if it
 * were the value of our option, without looking at it. So does a user who
 * brings a client of his own.
 */

#include <slurm/slurm_version.h>
#include <slurm/spank.h>
#include <stdlib.h>

SPANK_PLUGIN(unchecked, 1)

#define OPTION "_SLURM_SPANK_OPTION_leafspine_parallelism"

int slurm_spank_init_post_opt(spank_t spank, int argc, char *argv[]);

int slurm_spank_init_post_opt(spank_t spank, int argc, char *argv[])
{
	spank_context_t context = spank_context();
	const char *hint = getenv("HOSTILE_HINT");

	(void)argc;
	(void)argv;
	if (hint && (context == S_CTX_LOCAL || context == S_CTX_ALLOCATOR))
		(void)spank_job_control_setenv(spank, OPTION, hint, 1);
	return 0;
}
