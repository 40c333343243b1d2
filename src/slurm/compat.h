/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compat: Slurm's headers, and the only place where Slurm's version is tested.
 * Each API generation has its own select_<YY_MM>.c, chosen by configure.
 *
 * Include it behind the engine's headers: Slurm's macros take short names.
 */
#ifndef LEAFSPINE_COMPAT_H
#define LEAFSPINE_COMPAT_H

#include "config.h"	/* Slurm's */

#include "src/common/slurm_xlator.h"

#include "slurm/slurm_errno.h"
#include "slurm/slurm_version.h"

#include "src/common/gres.h"
#include "src/common/list.h"
#include "src/common/log.h"
#include "src/common/node_conf.h"
#include "src/common/read_config.h"
#include "src/common/select.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/slurmctld/slurmctld.h"

/* Micro versions may move fields, so the loader wants the very one. */
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(22, 5, 0) || \
	SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
#error "no select_<YY_MM>.c for this Slurm version"
#endif

/* `struct job_details` has been a typedef alone since 23.11. */
typedef __typeof__(*((job_record_t *)NULL)->details) compat_details;

/*
 * Data of slurmctld. srun, squeue and slurmd load the plugin too and lack it:
 * a strong reference would keep it from loading there.
 */
extern List job_list __attribute__((weak));
extern part_record_t *default_part_loc __attribute__((weak));
extern bitstr_t *cg_node_bitmap __attribute__((weak));
extern bitstr_t *rs_node_bitmap __attribute__((weak));
extern time_t last_job_update __attribute__((weak));

/*
 * Where Slurm keeps the rank of each of a job's nodes, in the order of its node
 * map: from 26.05 on (rule 19). NULL: it gives ranks in that order.
 */
static inline uint32_t **compat_node_ranks(job_resources_t *resources)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
	return &resources->node_ranks;
#else
	(void)resources;
	return NULL;
#endif
}

/*
 * Slurm's own functions end slurmctld where there is no memory, so nothing that
 * belongs to a decision is allocated by them: not by bit_alloc(), bit_copy(),
 * list_iterator_create() or xstrdup(), but by malloc() and the functions below.
 * What is left to Slurm are its log lines, and the path of leafspine.conf when
 * files are read: a few bytes where Slurm itself allocates as well.
 */

/* An empty map for FREE_NULL_BITMAP; NULL without memory. */
static inline bitstr_t *compat_map_new(bitoff_t size)
{
	size_t words = ((size_t)size + BITSTR_MAXPOS) >> BITSTR_SHIFT;
	bitstr_t *map = try_xcalloc(BITSTR_OVERHEAD + words, sizeof(*map));

	if (!map)
		return NULL;
	map[0] = BITSTR_MAGIC;
	map[1] = size;
	return map;
}

static inline bitstr_t *compat_map_copy(bitstr_t *map)
{
	bitstr_t *copy = compat_map_new(bit_size(map));

	if (copy)
		bit_copybits(copy, map);
	return copy;
}

/* A copy for xfree(); NULL without memory. */
static inline char *compat_text_copy(const char *text)
{
	char *copy = try_xmalloc(strlen(text) + 1);

	if (copy)
		memcpy(copy, text, strlen(text));
	return copy;
}

/* No bit where there is no map, or one that is older than the node table. */
static inline bool compat_has_bit(bitstr_t *map, uint32_t index)
{
	return map && index < (uint32_t)bit_size(map) && bit_test(map, index);
}

#endif
