/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gpus: how many GPUs a job asks for, and whether that number is fixed before
 * it has nodes (formats.md section 2). Knows nothing of Slurm, allocates
 * nothing.
 */
#ifndef LEAFSPINE_GPUS_H
#define LEAFSPINE_GPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A request in numbers; 0: not asked for, or not given. */
struct gpus_request {
	uint64_t per_job, per_node, per_socket, per_task;
	uint32_t tasks, tasks_per_node;
	uint32_t min_nodes, max_nodes;
	const char *type;	/* somebody else's text; NULL: any kind */
	size_t type_length;
	bool untyped;		/* some GPUs were asked for without a kind */
	bool unclear;		/* asked for in a way that is not understood */
};

/* What follows for the engine; 0: as it comes. */
struct gpus_sums {
	uint32_t all;		/* of the job */
	uint32_t each;		/* of a node */
};

/*
 * False where there is no request, or one that the engine does not know: by
 * sockets, in slices, or for more than there can be.
 */
bool gpus_sums(const struct gpus_request *request, struct gpus_sums *ret);

enum gpus_count {
	GPUS_UNCLEAR,	/* none asked for, or nothing that could be said */
	GPUS_OPEN,	/* a choice of node counts, each with GPUs of its own */
	GPUS_FIXED
};

/* With GPUS_FIXED the number is in *RET. */
enum gpus_count gpus_count(const struct gpus_request *request, uint64_t *ret);

/*
 * The GPUs in TEXT, the TRES of a submission as any Slurm from 22.05 to 26.05
 * writes it: "gres:gpu:8", "gres/gpu:h100:8", "gpu=8", several of them joined
 * by commas. Other TRES are passed over. NULL and "" ask for none. The kind, or
 * what cannot be understood, is noted in REQUEST, which keeps pointers into
 * TEXT.
 */
uint64_t gpus_read(const char *text, struct gpus_request *request);

#endif
