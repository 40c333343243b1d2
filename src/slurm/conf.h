/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf: leafspine.conf (formats.md section 7). Knows nothing of Slurm.
 *
 * A fault costs just the key that it stands in: that key keeps its default.
 */
#ifndef LEAFSPINE_CONF_H
#define LEAFSPINE_CONF_H

#include "diag.h"
#include "parallelism.h"

#include <sys/types.h>

enum conf_mode { CONF_OFF, CONF_OBSERVE, CONF_STEER };

struct conf {
	char *fabric;			/* owned, absolute */
	enum conf_mode mode;
	bool default_for_all;		/* NoHint=default */
	char *default_text;		/* owned: DefaultHint as it stands */
	struct parallelism default_hint;
	char **partitions;		/* owned; none: all of them */
	size_t partition_count;
	bool orders;			/* ranks, where a job can have it */
	bool report;			/* into the admin comment */
	char *status_file;		/* owned, absolute; NULL: none */
};

#define CONF_FILE_MAX (1UL << 20)

/*
 * All defaults; relative paths start at DIRECTORY. NULL without memory.
 */
struct conf *conf_new(const char *directory);
void conf_free(struct conf *conf);

/* Reads TEXT; faults go to DIAG. NULL only without memory. */
struct conf *conf_read_text(const char *text, size_t length,
			    const char *directory, struct diag *diag);

/*
 * Reads the file at PATH. A file that is not there is an empty one. NULL, with
 * the reason in DIAG, when it cannot be read, when another user than root and
 * TRUSTED could write it, or when it has lines and a fault in each.
 */
struct conf *conf_read_file(const char *path, uid_t trusted,
			    struct diag *diag);

/* Whether jobs of the partition are steered. */
bool conf_has_partition(const struct conf *conf, const char *partition);

const char *conf_mode_name(enum conf_mode mode);

#endif
