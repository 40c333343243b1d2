/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status_file: what stands in the status file of the plugin in slurmctld
 * (StatusFile in leafspine.conf). Kinds and causes are taken as they come, so
 * that a file of a later version can be read.
 */
#ifndef LEAFSPINE_STATUS_FILE_H
#define LEAFSPINE_STATUS_FILE_H

#include <jansson.h>
#include <stddef.h>

#include "core/diag.h"

/* Starts of one kind: "free", "forced", ... */
struct status_starts {
	const char *how;
	double jobs;
	double gpu_hours;
	double unlimited;	/* of the jobs; they have no hours */
};

/* All texts belong to the root. */
struct status_file {
	json_t *root;			/* owned */
	const char *version;
	const char *mode;
	const char *fabric;
	double since;			/* seconds since 1970 */
	double time;
	double offered;
	double narrowed;
	double microseconds;
	const json_t *fell_back;	/* objects: a number for each cause */
	const json_t *skipped;
	struct status_starts *starts;	/* owned */
	size_t start_count;
};

/*
 * Reads the file at PATH ("-": standard input). 0, or -1 with faults in DIAG,
 * and then there is nothing to be given back.
 */
int status_file_read(const char *path, struct status_file *ret,
		     struct diag *diag);
void status_file_done(struct status_file *file);

/* The sum over the causes of one of the objects above. */
double status_file_sum(const json_t *causes);

#endif
