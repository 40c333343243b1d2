/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comment: writes reports into job records. */

#include "comment.h"

#include "world.h"

#include <stdlib.h>

void comment_set(job_record_t *job, const struct report *report)
{
	char *text = report_text(report);
	char *comment = text ? report_splice(job->admin_comment, text) : NULL;

	char *copy = comment && xstrcmp(comment, job->admin_comment) ?
		     compat_text_copy(comment) : NULL;

	if (copy) {
		xfree(job->admin_comment);
		job->admin_comment = copy;
		if (&last_job_update)
			last_job_update = time(NULL);
	}
	free(comment);
	free(text);
}

void comment_pending(job_record_t *job, const struct hint_text *hint,
		     const char *why)
{
	struct report report = { .hint = *hint, .why = why };

	if (!world.conf->report || !IS_JOB_PENDING(job) || !why[0])
		return;
	/* Backfill asks about what might be. */
	if (job->bit_flags & BACKFILL_TEST)
		return;
	comment_set(job, &report);
}
