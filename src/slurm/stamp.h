/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stamp: whether a file is another one than it was when it was last read.
 * slurmctld asks its plugins to reconfigure far more often than files change.
 */
#ifndef LEAFSPINE_STAMP_H
#define LEAFSPINE_STAMP_H

#include <stdbool.h>
#include <sys/stat.h>

struct stamp {
	bool exists;
	struct timespec changed;
	off_t size;
	ino_t inode;
	dev_t device;
};

/* The stamp of PATH now; NULL is a file that does not exist. */
struct stamp stamp_of(const char *path);
bool stamp_same(const struct stamp *a, const struct stamp *b);

#endif
