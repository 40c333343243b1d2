/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order: decides the order of a job's nodes and writes it into the job. */

#include "order.h"

#include "hint.h"
#include "noderange.h"
#include "placement_order.h"
#include "step_order.h"
#include "world.h"

#include <stdlib.h>

/* --- who gets it --------------------------------------------------------- */

/* The layout that srun will take by itself has the same tasks everywhere. */
static bool has_even_tasks(const compat_details *details, uint32_t count)
{
	uint32_t tasks = details->num_tasks;

	/* Below that it is Slurm's own guess, made before it knew the nodes. */
	if (!tasks || tasks == NO_VAL || tasks <= details->min_nodes)
		return true;
	return count && tasks % count == 0;
}

static bool is_announced(const job_record_t *job)
{
	const char *mark = hint_variable(job->spank_job_env,
					 job->spank_job_env_size, ORDER_MARK);

	return mark && !strcmp(mark, ORDER_ANNOUNCED);
}

bool order_is_delivered(const job_record_t *job, uint32_t count)
{
	const compat_details *details = job->details;

	return world.conf->orders && details && is_announced(job) &&
	       !job->het_job_id &&
	       (details->task_dist & SLURM_DIST_STATE_BASE) ==
			SLURM_DIST_UNKNOWN &&
	       has_even_tasks(details, count);
}

static bool has_equal_gpus(const struct placed *placed)
{
	for (uint32_t k = 1; k < placed->count; k++)
		if (placed->gpus[k] != placed->gpus[0])
			return false;
	return true;
}

/* One task a node may drive any number of GPUs; more of them want equals. */
static bool suits_tasks(const job_record_t *job, const struct placed *placed)
{
	uint32_t tasks = job->details->num_tasks;

	return tasks == NO_VAL || tasks <= placed->count ||
	       has_equal_gpus(placed);
}

/* --- the order ----------------------------------------------------------- */

/* Where nothing is won, nothing is moved. */
static void take_order(const struct placement *order, struct placed *placed)
{
	struct cost_score as_is;
	size_t size = placed->count * sizeof(*placed->nodes);

	if (placed_score(placed, &as_is) || order->score.cost >= as_is.cost)
		return;
	memcpy(placed->nodes, order->nodes, size);
	memcpy(placed->gpus, order->gpus, size);
}

bool order_choose(const job_record_t *job, struct placed *placed)
{
	struct placement_order_request request = {
		.state = world.state, .profile = &placed->profile,
		.nodes = placed->nodes, .gpus = placed->gpus,
		.count = placed->count, .keep_first = true,
	};
	struct placement order;

	if (!order_is_delivered(job, placed->count) ||
	    !suits_tasks(job, placed) ||
	    placement_order(&request, &order) != PLACEMENT_OK)
		return false;
	take_order(&order, placed);
	placement_done(&order);
	return true;
}

/* --- Slurm's own layout -------------------------------------------------- */

/* By node table index: the place in the order. For free(); NULL: no memory. */
static uint32_t *places_by_index(const struct placed *placed)
{
	uint32_t *places = calloc((size_t)world.table_size + 1,
				  sizeof(*places));

	for (uint32_t k = 0; places && k < placed->count; k++)
		places[world.table_of[placed->nodes[k]]] = k;
	return places;
}

void order_set_ranks(const job_record_t *job, const struct placed *placed,
		     uint32_t **ranks)
{
	bitstr_t *map = job->job_resrcs->node_bitmap;
	uint32_t *places, *fresh, k = 0;

	if (!ranks || (uint32_t)bit_set_count(map) != placed->count)
		return;
	places = places_by_index(placed);
	fresh = places ? try_xcalloc(placed->count, sizeof(*fresh)) : NULL;
	for (uint32_t i = 0; fresh && i < world.table_size; i++)
		if (compat_has_bit(map, i))
			fresh[k++] = places[i];
	free(places);
	if (!fresh)
		return;
	xfree(*ranks);
	*ranks = fresh;
}

/* --- the job's environment ----------------------------------------------- */

static bool is_variable(const char *entry, const char *name)
{
	size_t length = strlen(name);

	return entry && !strncmp(entry, name, length) && entry[length] == '=';
}

/*
 * Slurm frees what it finds there: its own allocation, not ours. False where
 * there is no room.
 */
static bool add_variable(compat_details *details, const char *name,
			 const char *value)
{
	size_t size = strlen(name) + strlen(value) + 2;
	char *entry;

	if (details->env_cnt == UINT16_MAX ||
	    !try_xrealloc(details->env_sup,
			  ((size_t)details->env_cnt + 1) * sizeof(char *)))
		return false;
	entry = try_xmalloc(size);
	if (!entry)
		return false;
	snprintf(entry, size, "%s=%s", name, value);
	details->env_sup[details->env_cnt++] = entry;
	return true;
}

static void drop_variable(compat_details *details, const char *name)
{
	uint16_t kept = 0;

	for (uint16_t i = 0; i < details->env_cnt; i++) {
		if (is_variable(details->env_sup[i], name))
			xfree(details->env_sup[i]);
		else
			details->env_sup[kept++] = details->env_sup[i];
	}
	details->env_cnt = kept;
}

void order_drop(job_record_t *job)
{
	if (!job->details || !job->details->env_sup)
		return;
	drop_variable(job->details, ORDER_NODES);
	drop_variable(job->details, ORDER_BYTES);
	drop_variable(job->details, ORDER_JOB);
	drop_variable(job->details, ORDER_GPUS);
}

/* "8,8,4", for free(). */
static char *gpus_text(const struct placed *placed)
{
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);

	if (!stream)
		return NULL;
	for (uint32_t k = 0; k < placed->count; k++)
		fprintf(stream, "%s%u", k ? "," : "", placed->gpus[k]);
	if (fclose(stream)) {
		free(text);
		return NULL;
	}
	return text;
}

bool order_put(job_record_t *job, const struct placed *placed,
	       const char *names, double spine_bytes)
{
	char id[16], bytes[32], *gpus = NULL;
	bool whole;

	order_drop(job);
	if (!job->details)
		return false;
	if (!has_equal_gpus(placed) && !(gpus = gpus_text(placed)))
		return false;
	snprintf(id, sizeof(id), "%u", job->job_id);
	snprintf(bytes, sizeof(bytes), "%.15g", spine_bytes);
	whole = (!gpus || add_variable(job->details, ORDER_GPUS, gpus)) &&
		add_variable(job->details, ORDER_BYTES, bytes) &&
		add_variable(job->details, ORDER_NODES, names) &&
		add_variable(job->details, ORDER_JOB, id);
	/* A part of them would say something else. */
	if (!whole)
		order_drop(job);
	free(gpus);
	return whole;
}

/* --- the order again, from there ----------------------------------------- */

/* Where NODE stands in PLACED from place K on; COUNT where it does not. */
static uint32_t place_of(const struct placed *placed, uint32_t node, uint32_t k)
{
	while (k < placed->count && placed->nodes[k] != node)
		k++;
	return k;
}

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t old = *a;

	*a = *b;
	*b = old;
}

static bool has_all(const struct noderange_list *order,
		    const struct placed *placed)
{
	bool all = order->count == placed->count;

	for (uint32_t k = 0; all && k < placed->count; k++)
		all = place_of(placed, fabric_find_node(world.fabric,
							order->names[k]), 0) <
		      placed->count;
	return all;
}

static void follow(const struct noderange_list *order, struct placed *placed)
{
	for (uint32_t k = 0; k < placed->count; k++) {
		uint32_t node = fabric_find_node(world.fabric, order->names[k]);
		uint32_t from = place_of(placed, node, k);

		/* A name that stands there twice. */
		if (from == placed->count)
			return;
		swap(&placed->nodes[from], &placed->nodes[k]);
		swap(&placed->gpus[from], &placed->gpus[k]);
	}
}

void order_recall(const job_record_t *job, struct placed *placed)
{
	const compat_details *details = job->details;
	const char *text = !details ? NULL :
		hint_variable(details->env_sup, details->env_cnt, ORDER_NODES);
	struct noderange_error ignored;
	struct noderange_list order;

	if (!text || noderange_expand(text, &order, &ignored))
		return;
	if (has_all(&order, placed))
		follow(&order, placed);
	noderange_list_done(&order);
}
