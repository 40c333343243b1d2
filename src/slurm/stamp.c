/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stamp: tells a changed file by its time, size and inode. */

#include "stamp.h"

struct stamp stamp_of(const char *path)
{
	struct stat status;

	if (!path || stat(path, &status))
		return (struct stamp){ .exists = false };
	return (struct stamp){
		.exists = true, .changed = status.st_mtim,
		.size = status.st_size, .inode = status.st_ino,
		.device = status.st_dev,
	};
}

bool stamp_same(const struct stamp *a, const struct stamp *b)
{
	if (!a->exists || !b->exists)
		return a->exists == b->exists;
	return a->changed.tv_sec == b->changed.tv_sec &&
	       a->changed.tv_nsec == b->changed.tv_nsec &&
	       a->size == b->size && a->inode == b->inode &&
	       a->device == b->device;
}
