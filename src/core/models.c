/* SPDX-License-Identifier: GPL-2.0-or-later */
/* models: named model shapes, and the bytes of one training step. */

#include "models.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct named_model {
	const char *name;
	struct parallelism_model shape;
};

#define UNSET .dtype_bytes = 0, .grad_dtype_bytes = 0, .sp = -1
#define DENSE .experts = NAN, .topk = NAN, .moe_layers = NAN, \
	      .expert_params = NAN

/*
 * Published shapes. `ffn` of a mixture of experts is one expert's; its
 * expert_params are moe_layers * experts * 3 * hidden * ffn, worked out below.
 */
static const struct named_model models[] = {
	{ "megatron-1t", {
		.params = 1008e9, .layers = 128, .hidden = 25600,
		.kv_hidden = 25600, .ffn = 102400, .vocab = 51200, DENSE,
		.seq = 2048, .mbs = 1, .microbatches = NAN,
		.global_batch = 3072, .zero = 0, UNSET } },
	{ "gpt3-175b", {
		.params = 174.6e9, .layers = 96, .hidden = 12288,
		.kv_hidden = 12288, .ffn = 49152, .vocab = 51200, DENSE,
		.seq = 2048, .mbs = 2, .microbatches = NAN,
		.global_batch = 2048, .zero = 1, UNSET } },
	{ "llama3-405b", {
		.params = 405.85e9, .layers = 126, .hidden = 16384,
		.kv_hidden = 1024, .ffn = 53248, .vocab = 128256, DENSE,
		.seq = 8192, .mbs = 1, .microbatches = NAN,
		.global_batch = 2048, .zero = 1, UNSET } },
	{ "llama3-70b", {
		.params = 70.55e9, .layers = 80, .hidden = 8192,
		.kv_hidden = 1024, .ffn = 28672, .vocab = 128256, DENSE,
		.seq = 8192, .mbs = 1, .microbatches = NAN,
		.global_batch = 256, .zero = 1, UNSET } },
	{ "llama3-8b", {
		.params = 8.03e9, .layers = 32, .hidden = 4096,
		.kv_hidden = 1024, .ffn = 14336, .vocab = 128256, DENSE,
		.seq = 8192, .mbs = 1, .microbatches = NAN,
		.global_batch = 128, .zero = 3, UNSET } },
	{ "deepseek-v3", {
		.params = 671e9, .layers = 61, .hidden = 7168,
		.kv_hidden = NAN, .ffn = 2048, .vocab = 129280,
		.experts = 256, .topk = 8, .moe_layers = 58,
		.expert_params = NAN, .seq = 4096, .mbs = 1,
		.microbatches = NAN, .global_batch = 15360, .zero = 1,
		UNSET } },
	{ "qwen3-235b-a22b", {
		.params = 235.1e9, .layers = 94, .hidden = 4096,
		.kv_hidden = 512, .ffn = 1536, .vocab = 151936,
		.experts = 128, .topk = 8, .moe_layers = 94,
		.expert_params = NAN, .seq = 4096, .mbs = 1,
		.microbatches = NAN, .global_batch = 8192, .zero = 1,
		UNSET } },
	{ "qwen3-30b-a3b", {
		.params = 30.5e9, .layers = 48, .hidden = 2048,
		.kv_hidden = 512, .ffn = 768, .vocab = 151936,
		.experts = 128, .topk = 8, .moe_layers = 48,
		.expert_params = NAN, .seq = 4096, .mbs = 1,
		.microbatches = NAN, .global_batch = 1024, .zero = 1,
		UNSET } },
	{ "mixtral-8x7b", {
		.params = 46.7e9, .layers = 32, .hidden = 4096,
		.kv_hidden = 1024, .ffn = 14336, .vocab = 32000,
		.experts = 8, .topk = 2, .moe_layers = 32,
		.expert_params = NAN, .seq = 4096, .mbs = 1,
		.microbatches = NAN, .global_batch = 256, .zero = 1,
		UNSET } },
	{ "mixtral-8x22b", {
		.params = 140.6e9, .layers = 56, .hidden = 6144,
		.kv_hidden = 1024, .ffn = 16384, .vocab = 32768,
		.experts = 8, .topk = 2, .moe_layers = 56,
		.expert_params = NAN, .seq = 4096, .mbs = 1,
		.microbatches = NAN, .global_batch = 256, .zero = 1,
		UNSET } },
};

enum { MODEL_COUNT = sizeof(models) / sizeof(models[0]) };

const struct parallelism_model *models_find(const char *name, size_t length)
{
	for (size_t i = 0; i < MODEL_COUNT; i++)
		if (strlen(models[i].name) == length &&
		    !memcmp(models[i].name, name, length))
			return &models[i].shape;
	return NULL;
}

const char *models_name(size_t index)
{
	return index < MODEL_COUNT ? models[index].name : NULL;
}

static double given_or(double value, double otherwise)
{
	return isnan(value) ? otherwise : value;
}

static int missing(struct parallelism_error *error, const char *key,
		   const char *dimension)
{
	snprintf(error->text, sizeof(error->text),
		 "%s: missing, expected beside the other model keys to work "
		 "out the bytes of %s", key, dimension);
	return -1;
}

/* Keys that every activation-carrying dimension needs. */
static int need_activation_keys(const struct parallelism_model *model,
				const char *dimension,
				struct parallelism_error *error)
{
	if (isnan(model->hidden))
		return missing(error, "hidden", dimension);
	if (isnan(model->seq))
		return missing(error, "seq", dimension);
	return 0;
}

/* What the formulas share, with the defaults filled in. */
struct step_shape {
	double activation;	/* bytes of one micro-batch on one CP shard */
	double mbs, microbatches, act_bytes, grad_bytes;
	bool sp;
	int zero;
};

static struct step_shape step_shape(const struct parallelism_model *model,
				    const struct job_profile *profile)
{
	struct step_shape shape;
	double m;

	shape.mbs = given_or(model->mbs, 1);
	shape.act_bytes = model->dtype_bytes ? model->dtype_bytes : 2;
	shape.zero = model->zero < 0 ? 1 : model->zero;
	shape.grad_bytes = model->grad_dtype_bytes ? model->grad_dtype_bytes :
			   shape.zero >= 1 ? 4 : shape.act_bytes;
	shape.sp = model->sp < 0 ? profile->tp > 1 : model->sp;
	/* Without a word on it, as many as fill the pipeline. */
	m = profile->pp;
	if (model->global_batch > 0)
		m = floor(model->global_batch / (profile->dp * shape.mbs));
	shape.microbatches = given_or(model->microbatches, m < 1 ? 1 : m);
	shape.activation = shape.mbs * model->seq * model->hidden *
			   shape.act_bytes / profile->cp;
	return shape;
}

/* Four all-reduces a layer and micro-batch: 8 A (t-1)/t (2104.04473, 3.2). */
static int tensor_bytes(const struct parallelism_model *model,
			struct job_profile *profile, struct step_shape shape,
			struct parallelism_error *error)
{
	if (profile->tp == 1)
		return 0;
	if (isnan(model->layers))
		return missing(error, "layers", "tp");
	if (need_activation_keys(model, "tp", error))
		return -1;
	profile->bytes[DIM_TP] = model->layers * shape.microbatches * 8 *
				 shape.activation * (profile->tp - 1) /
				 ((double)profile->pp * profile->tp);
	return 0;
}

/* Ring exchange of K and V, forward once, backward twice (2407.21783, 3.3). */
static int context_bytes(const struct parallelism_model *model,
			 struct job_profile *profile, struct step_shape shape,
			 struct parallelism_error *error)
{
	double kv_shard;

	if (profile->cp == 1)
		return 0;
	if (isnan(model->layers))
		return missing(error, "layers", "cp");
	if (need_activation_keys(model, "cp", error))
		return -1;
	kv_shard = 2 * (model->seq / profile->cp) * shape.mbs *
		   given_or(model->kv_hidden, model->hidden) *
		   shape.act_bytes / profile->tp;
	profile->bytes[DIM_CP] = model->layers / profile->pp *
				 shape.microbatches * 3 * (profile->cp - 1) *
				 kv_shard;
	return 0;
}

/* One activation a micro-batch and chunk; each TP rank its part under SP. */
static int pipeline_bytes(const struct parallelism_model *model,
			  struct job_profile *profile, struct step_shape shape,
			  struct parallelism_error *error)
{
	if (profile->pp == 1)
		return 0;
	if (need_activation_keys(model, "pp", error))
		return -1;
	profile->bytes[DIM_PP] = profile->interleave * shape.microbatches *
				 shape.activation /
				 (shape.sp ? profile->tp : 1);
	return 0;
}

/* Dispatch and combine, forward and backward, each an all-to-all. */
static int expert_bytes(const struct parallelism_model *model,
			struct job_profile *profile, struct step_shape shape,
			struct parallelism_error *error)
{
	double moe_layers = given_or(model->moe_layers, model->layers);
	double tokens;

	if (profile->ep == 1)
		return 0;
	if (isnan(moe_layers))
		return missing(error, "moe_layers", "ep");
	if (isnan(model->topk))
		return missing(error, "topk", "ep");
	if (need_activation_keys(model, "ep", error))
		return -1;
	tokens = shape.mbs * model->seq /
		 ((double)profile->cp * (shape.sp ? profile->tp : 1));
	profile->bytes[DIM_EP] = 4 * moe_layers / profile->pp *
				 shape.microbatches * tokens * model->topk *
				 model->hidden * shape.act_bytes *
				 (profile->ep - 1) / profile->ep;
	return 0;
}

/* All experts of all layers: three matrices each (gated feed-forward). */
static double all_expert_params(const struct parallelism_model *model)
{
	double layers = given_or(model->moe_layers, model->layers);

	if (!isnan(model->expert_params))
		return model->expert_params;
	if (isnan(model->experts))
		return 0;
	return layers * model->experts * 3 * model->hidden * model->ffn;
}

/*
 * Parameters of a transformer of this shape: attention, feed-forward (gated,
 * three matrices, where `ffn` is given, else GPT's two of 4 hidden) and the
 * embedding. NAN where the shape is not known.
 */
static double all_params(const struct parallelism_model *model)
{
	double h = model->hidden, kv = given_or(model->kv_hidden, h);
	double moe = isnan(model->experts) ? 0 :
		     given_or(model->moe_layers, model->layers);
	double ffn = isnan(model->ffn) ? 8 * h * h : 3 * h * model->ffn;

	if (!isnan(model->params))
		return model->params;
	return model->layers * (2 * h * h + 2 * h * kv) +
	       (model->layers - moe) * ffn + all_expert_params(model) +
	       given_or(model->vocab, 0) * h;
}

/* What one rank sends to reduce PARAMS gradients over N (1910.02054). */
static double reduce_bytes(double params, double n, struct step_shape shape)
{
	double gradients = params * shape.grad_bytes;
	double weights = params * shape.act_bytes;
	double buffer = shape.zero == 0 ? 2 * gradients :
			shape.zero == 3 ? gradients + 2 * weights :
					  gradients + weights;

	return buffer * (n - 1) / n;
}

static int gradient_bytes(const struct parallelism_model *model,
			  struct job_profile *profile, struct step_shape shape,
			  struct parallelism_error *error)
{
	double experts = all_expert_params(model);
	double dense, n = (double)profile->dp * profile->cp;

	if (n > 1) {
		dense = all_params(model) - (isnan(experts) ? 0 : experts);
		if (isnan(dense))
			return missing(error, "params", "dp");
		dense /= (double)profile->tp * profile->pp;
		profile->bytes[DIM_DP] =
			reduce_bytes(dense < 0 ? 0 : dense, n, shape);
	}
	if (profile->edp > 1) {
		if (isnan(experts))
			return missing(error, "expert_params", "edp");
		experts /= (double)profile->etp * profile->ep * profile->pp;
		profile->bytes[DIM_EDP] =
			reduce_bytes(experts, profile->edp, shape);
	}
	return 0;
}

int models_bytes(const struct parallelism_model *model,
		 struct job_profile *profile, struct parallelism_error *error)
{
	struct step_shape shape = step_shape(model, profile);

	memset(profile->bytes, 0, sizeof(profile->bytes));
	if (tensor_bytes(model, profile, shape, error) ||
	    context_bytes(model, profile, shape, error) ||
	    pipeline_bytes(model, profile, shape, error) ||
	    expert_bytes(model, profile, shape, error) ||
	    gradient_bytes(model, profile, shape, error))
		return -1;
	for (int dim = 0; dim < DIMENSIONS; dim++) {
		if (profile->bytes[dim] <= PARALLELISM_BYTES_MAX)
			continue;
		snprintf(error->text, sizeof(error->text),
			 "%s: the model keys give more than 1e18 bytes a step, "
			 "expected at most that",
			 dimension_name((enum dimension)dim));
		return -1;
	}
	return 0;
}
