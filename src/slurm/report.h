/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: what stands in a job's admin comment, `leafspine{...}`, one line of
 * JSON. Knows nothing of Slurm.
 */
#ifndef LEAFSPINE_REPORT_H
#define LEAFSPINE_REPORT_H

#include "cost.h"
#include "hint.h"

struct report {
	struct hint_text hint;
	bool steered;			/* false: stock Slurm's choice */
	const struct cost_score *score;	/* NULL: could not be had, see why */
	const char *nodes;		/* hostlist by rank, or NULL */
	bool ordered;			/* by us; false: as Slurm gives ranks */
	const char *why;		/* printable; NULL: nothing to say */
};

/* The text, for free(); NULL without memory. */
char *report_text(const struct report *report);

/*
 * COMMENT (NULL: none) with its part `leafspine{...}` replaced by TEXT, or with
 * TEXT put behind it; all else stays. For free(); NULL without memory.
 */
char *report_splice(const char *comment, const char *text);

#endif
