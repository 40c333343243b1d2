/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * comment: our part of a job's admin comment.
 */
#ifndef LEAFSPINE_COMMENT_H
#define LEAFSPINE_COMMENT_H

#include "hint.h"
#include "report.h"

#include "compat.h"

/* Puts REPORT there, or replaces what we put there before; all else stays. */
void comment_set(job_record_t *job, const struct report *report);

/* Says why a pending job cannot be placed. */
void comment_pending(job_record_t *job, const struct hint_text *hint,
		     const char *why);

#endif
