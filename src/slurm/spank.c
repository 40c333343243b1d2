/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spank: --parallelism=HINT for sbatch, salloc and srun.
 *
 * A hint that cannot be read is refused here, with the engine's own message,
 * before anything is submitted. A good one reaches slurmctld with the job:
 * Slurm itself keeps the options of SPANK plugins in the job's record.
 */

#include "hint.h"
#include "parallelism.h"

#include <slurm/slurm_version.h>
#include <slurm/spank.h>
#include <stdlib.h>
#include <string.h>

SPANK_PLUGIN(leafspine, 1)

int slurm_spank_init(spank_t spank, int argc, char *argv[]);

/* What Slurm puts in front of the option's variable in a job's environment. */
#define INHERITED "SLURM_SPANK_" HINT_ENV_NAME

static int take_hint(int value, const char *text, int remote)
{
	struct parallelism_error error;
	struct parallelism hint;

	(void)value;
	/* On the node the job runs already; its hint was read before. */
	if (remote || !text)
		return 0;
	if (!parallelism_parse(text, strlen(text), &hint, &error))
		return 0;
	slurm_error("--" HINT_OPTION ": %s", error.text);
	return -1;
}

static struct spank_option option = {
	.name = (char *)HINT_OPTION,
	.arginfo = (char *)"HINT",
	.usage = (char *)"how the job is split over its GPUs, as "
		"tp=8,pp=4,dp=16; see leafspine-parallelism(7)",
	.has_arg = 1,
	.val = 0,
	.cb = take_hint,
};

int slurm_spank_init(spank_t spank, int argc, char *argv[])
{
	spank_context_t context = spank_context();

	(void)argc;
	(void)argv;
	/*
	 * Inside a job sbatch would take the job's own hint for an option that
	 * was given to it (rule 3).
	 */
	if ((context == S_CTX_LOCAL || context == S_CTX_ALLOCATOR) &&
	    getenv("SLURM_JOB_ID"))
		unsetenv(INHERITED);
	return spank_option_register(spank, &option) == ESPANK_SUCCESS ? 0 : -1;
}
