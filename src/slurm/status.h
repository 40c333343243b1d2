/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status: each minute a line in the log when something has happened, and the
 * status file. A thread of its own, which touches nothing of Slurm's but the
 * log.
 */
#ifndef LEAFSPINE_STATUS_H
#define LEAFSPINE_STATUS_H

#include <stdbool.h>

/* Starts the thread, once. */
void status_start(void);
/*
 * What the file is to say, and where (NULL: no file). Texts are copied; false
 * without memory, then some are missing.
 */
bool status_set(const char *path, const char *mode, const char *fabric);
/* Tells now, and goes on. On return the file is written. */
void status_flush(void);
/* Writes a last time and ends the thread. */
void status_stop(void);

#endif
