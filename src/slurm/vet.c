/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vet: reads the hint of a submission and fits it to its GPUs. */

#include "vet.h"

#include <stdio.h>
#include <string.h>

#include "hint.h"
#include "parallelism.h"

/* The hint that counts, as the decorator finds it; *RET_WHERE names it. */
static struct hint_text find(const struct vet_job *job, const char **ret_where)
{
	struct hint_text found = hint_find(job->variables, job->variable_count,
					   NULL);

	*ret_where = "--" HINT_OPTION;
	if (!found.start && job->environment) {
		*ret_where = VET_VARIABLE;
		found.start = job->environment;
		found.length = strlen(found.start);
	}
	if (!found.start) {
		*ret_where = HINT_WORD "HINT in the comment";
		found = hint_find(NULL, 0, job->comment);
	}
	return found;
}

static void tell(struct vet_reason *reason, const char *where,
		 const char *what)
{
	snprintf(reason->text, sizeof(reason->text), "%s: %s", where, what);
}

/*
 * What the site assumes of hints without bytes is none of the user's faults, so
 * that the built-in default stands in for it: it fits every job.
 */
static bool fits(const struct parallelism *hint, uint64_t gpus,
		 struct parallelism_error *error)
{
	struct job_profile profile;

	return !parallelism_fit(hint, parallelism_site_default(), gpus,
				&profile, error);
}

static bool fits_open(const struct parallelism *hint,
		      const struct gpus_request *gpus,
		      struct parallelism_error *error)
{
	if (!hint->dp)
		return true;
	snprintf(error->text, sizeof(error->text), "dp: the job's number of "
		 "GPUs is not fixed (%u to %u nodes), expected dp to be left "
		 "out", gpus->min_nodes, gpus->max_nodes);
	return false;
}

static bool fits_job(const struct parallelism *hint,
		     const struct gpus_request *gpus,
		     struct parallelism_error *error)
{
	uint64_t count;

	switch (gpus_count(gpus, &count)) {
	case GPUS_FIXED:
		return fits(hint, count, error);
	case GPUS_OPEN:
		return fits_open(hint, gpus, error);
	default:
		return true;
	}
}

enum vet vet_job(const struct vet_job *job, struct vet_reason *reason)
{
	struct parallelism_error error;
	struct parallelism hint;
	const char *where;
	struct hint_text found = find(job, &where);

	if (!found.start)
		return VET_GOOD;
	if (parallelism_parse(found.start, found.length, &hint, &error)) {
		tell(reason, where, error.text);
		return VET_UNREADABLE;
	}
	if (hint.off || fits_job(&hint, &job->gpus, &error))
		return VET_GOOD;
	tell(reason, where, error.text);
	return VET_MISFIT;
}

bool vet_by_environment(const struct vet_job *job)
{
	const char *where;

	return find(job, &where).start == job->environment && job->environment;
}
