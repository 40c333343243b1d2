/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * world: what the plugin knows between two calls: its configuration, the
 * fabric, which node of Slurm is which node of the fabric.
 *
 * Shapes: node table index is Slurm's, node index the fabric's. All calls come
 * from slurmctld with its node lock held for writing: nothing here is locked.
 */
#ifndef LEAFSPINE_WORLD_H
#define LEAFSPINE_WORLD_H

#include "conf.h"
#include "state.h"

struct world {
	struct conf *conf;		/* NULL: none that could be read */
	struct fabric *fabric;		/* NULL: none that could be read */
	struct state *state;		/* with the load of running jobs */
	uint32_t *table_of;		/* by node; FABRIC_NONE: not in Slurm */
	uint32_t *node_of;		/* by table index; FABRIC_NONE */
	uint32_t table_size;
	uint64_t generation;		/* another one: something has changed */
};

extern struct world world;

/*
 * Reads what has changed on disk, keeping the last good version of each file,
 * and looks up all nodes anew. Every fault is logged, once a change. Returns
 * false where nothing can be steered.
 */
bool world_refresh(void);

/* A lack of memory has kept the last world_refresh() from something. */
bool world_is_short(void);
void world_done(void);

/* Something that an answer depends on is another now. */
void world_changed(void);

#endif
