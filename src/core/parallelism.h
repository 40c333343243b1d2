/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parallelism: the hint of a job, `tp=8,pp=4,dp=16` (formats.md section 2).
 *
 * Parsing and fitting are two steps, since a hint is read before the number of
 * GPUs is known: parallelism_parse takes the text as it stands,
 * parallelism_fit makes it a job profile for a number of GPUs, with dp filled
 * in and the bytes of each dimension known.
 */
#ifndef LEAFSPINE_PARALLELISM_H
#define LEAFSPINE_PARALLELISM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PARALLELISM_TEXT_MAX 1024
#define PARALLELISM_DEGREE_MAX 1048576
#define PARALLELISM_GPUS_MAX (1U << 24)
#define PARALLELISM_BYTES_MAX 1e18

/* What a site assumes of a job that says nothing (formats.md section 7). */
#define PARALLELISM_SITE_DEFAULT                                         \
	"tp_bytes=100G,cp_bytes=4G,dp_bytes=27.8G,pp_bytes=1G,"          \
	"ep_bytes=40G,edp_bytes=4G,step=4"

/* Dimensions that carry bytes; also the indices of every array by dimension. */
enum dimension {
	DIM_TP, DIM_CP, DIM_DP, DIM_PP, DIM_EP, DIM_EDP,
	DIMENSIONS
};

/* The five names of `order`. */
enum axis { AXIS_TP, AXIS_CP, AXIS_EP, AXIS_DP, AXIS_PP, AXES };

enum allreduce {
	ALLREDUCE_RING, ALLREDUCE_TREE, ALLREDUCE_HIERARCHICAL, ALLREDUCE_SHARP
};

/* Model keys (research/traffic-model.md section 2); NAN where not given. */
struct parallelism_model {
	double params, layers, hidden, kv_hidden, ffn, vocab, experts, topk,
	       moe_layers, expert_params, seq, mbs, microbatches;
	double global_batch;	/* of a named profile: sequences a step */
	int dtype_bytes, grad_dtype_bytes;	/* 0: not given */
	int zero;				/* -1: not given */
	int sp;					/* -1: not given */
};

struct parallelism {
	bool off;			/* the hint "off" */
	/* Degrees; 0 where the hint leaves them out. */
	uint32_t tp, cp, pp, dp, ep, etp;
	uint8_t order[AXES];		/* enum axis, fastest first */
	bool bytes_given;		/* some *_bytes key is there */
	bool edp_bytes_given;
	double bytes[DIMENSIONS];	/* 0 where left out */
	bool model_given;		/* some model key stands in the hint */
	struct parallelism_model model;
	uint32_t interleave;
	enum allreduce allreduce;
	double step;			/* seconds; 0: not given */
	double overlap[DIMENSIONS];	/* 0 .. 1 */
	double skew;			/* >= 1 */
};

struct parallelism_error {
	char text[256];	/* one printable line: "KEY: what, what expected" */
};

/*
 * Reads the LENGTH bytes of TEXT. 0, or -1 with *ERROR set and *RET untouched.
 * Allocates nothing.
 */
int parallelism_parse(const char *text, size_t length,
		      struct parallelism *ret, struct parallelism_error *error);

/* A hint that fits its number of GPUs, with every number known. */
struct job_profile {
	uint32_t gpus;			/* tp*cp*dp*pp */
	uint32_t tp, cp, dp, pp;
	uint32_t ep, etp, edp;		/* edp 0: no expert grid (ep = 1) */
	uint8_t order[AXES];
	double bytes[DIMENSIONS];	/* sent by one GPU in a step; pp: a
					   boundary and direction */
	uint32_t interleave;
	enum allreduce allreduce;
	double step;			/* seconds, > 0 */
	double overlap[DIMENSIONS];
	double skew;
};

/*
 * Fits HINT to GPUS (0: the product of its degrees, dp 1 if left out), with
 * bytes and step from SITE (a parsed default hint, see
 * PARALLELISM_SITE_DEFAULT) where the hint has none. 0, or -1 with *ERROR set.
 * Allocates nothing.
 */
int parallelism_fit(const struct parallelism *hint,
		    const struct parallelism *site, uint64_t gpus,
		    struct job_profile *ret, struct parallelism_error *error);

/* The product of the degrees but dp: a job's GPUs are a multiple of it. */
uint64_t parallelism_gpus_unit(const struct parallelism *hint);

/* The parsed PARALLELISM_SITE_DEFAULT. */
const struct parallelism *parallelism_site_default(void);

const char *dimension_name(enum dimension dimension);	/* "tp", ... */
const char *allreduce_name(enum allreduce allreduce);

/* Members of the group of DIMENSION: dp counts dp*cp; 1 where there is none. */
uint64_t job_profile_group_size(const struct job_profile *profile,
				enum dimension dimension);

#endif
