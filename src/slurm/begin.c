/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * begin: what is told of a job that is about to run. job_begin is called in
 * every release, after an array has been split, before launch, and never for
 * a test (rule 17).
 */

#include "steer.h"

#include "comment.h"
#include "order.h"
#include "placed.h"
#include "tried.h"
#include "world.h"

#include <stdlib.h>

/* The order goes to the job, and what it carries into the admin comment. */
static void deliver(job_record_t *job, struct report *report,
		    struct placed *placed)
{
	struct cost_score score;
	bool put = false;
	char *names;

	report->ordered = order_choose(job, placed);
	if (report->ordered)
		order_set_ranks(job, placed,
				compat_node_ranks(job->job_resrcs));
	names = placed_names(placed);
	report->nodes = names;
	if (!placed_score(placed, &score))
		report->score = &score;
	if (names && report->score)
		put = order_put(job, placed, names, score.total.spine);
	/* What the job does not get is not told. */
	if (world.conf->report && (put || !report->ordered))
		comment_set(job, report);
	free(names);
}

/* Every start on GPUs counts, also of jobs that are none of ours. */
static void count_start(const job_record_t *job, enum counters_start how)
{
	bool bounded = job->time_limit != NO_VAL && job->time_limit != INFINITE;
	uint64_t gpus = placed_gpus(job);

	if (gpus)
		counters_started(how, gpus, bounded ? job->time_limit :
						      COUNTERS_UNLIMITED);
}

/* Mode=observe: both, side by side. */
static void log_observed(const job_record_t *job, const struct placed *placed)
{
	char *choice = tried_take_choice(job);
	char *names = placed_names(placed);

	if (choice && names)
		info("leafspine: observe: %pJ gets %s, "
		     "would have been given %s", job, names, choice);
	free(choice);
	free(names);
}

static void tell(job_record_t *job, struct report *report,
		 const struct parallelism *hint)
{
	struct parallelism_error error_text = { "" };
	struct placed placed;
	enum placed_status status = placed_of_job(job, hint, &placed,
						  &error_text);

	if (status != PLACED_OK && status != PLACED_MISFIT)
		return;
	if (world.conf->mode == CONF_OBSERVE) {
		log_observed(job, &placed);
	} else if (status == PLACED_OK) {
		deliver(job, report, &placed);
	} else if (world.conf->report) {
		report->why = error_text.text;
		comment_set(job, report);
	}
	placed_done(&placed);
}

/* The engine's own words; the hint itself is not repeated (rule 21). */
static void tell_unreadable(job_record_t *job, const struct hint_text *text)
{
	struct parallelism_error error_text;
	struct parallelism hint;
	struct report report = { .why = error_text.text };

	if (!world.conf->report || world.conf->mode == CONF_OBSERVE)
		return;
	if (parallelism_parse(text->start, text->length, &hint, &error_text))
		comment_set(job, &report);
}

void steer_job_begin(job_record_t *job)
{
	struct tried_answer answer = tried_take_answer(job);
	struct report report = { .steered = answer.steered };
	struct parallelism hint;

	count_start(job, answer.how);
	/* From an earlier run of a job that was requeued. */
	order_drop(job);
	if (!world.conf || world.conf->mode == CONF_OFF || !world.fabric ||
	    !world.table_of || !job->part_ptr ||
	    !conf_has_partition(world.conf, job->part_ptr->name))
		return;
	if (adapter_hint_of(job, &hint, &report.hint))
		tell(job, &report, &hint);
	else if (report.hint.start)
		tell_unreadable(job, &report.hint);
}
