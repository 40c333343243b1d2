/* SPDX-License-Identifier: GPL-2.0-or-later */
/* megatron_hint: from Megatron-LM's arguments to the keys of a hint. */
#include "megatron.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The shape with Megatron-LM's defaults filled in. */
struct shape {
	double layers, hidden, heads, head_size, groups, ffn, expert_ffn;
	double moe_layers, norm_size;
	double gates;		/* matrices of a feed-forward layer */
};

struct writer {
	char *buffer;
	size_t size, used;
};

static int refuse(struct megatron_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(struct megatron_error *error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return -1;
}

static void put(struct writer *writer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A key with its value, behind a comma. */
static void put(struct writer *writer, const char *format, ...)
{
	va_list arguments;
	int length;

	if (writer->used && writer->used + 1 < writer->size)
		writer->buffer[writer->used++] = ',';
	va_start(arguments, format);
	length = vsnprintf(writer->buffer + writer->used,
			   writer->size - writer->used, format, arguments);
	va_end(arguments);
	if (length > 0)
		writer->used += (size_t)length;
	if (writer->used >= writer->size)
		writer->used = writer->size - 1;
}

static double or_else(uint32_t given, double otherwise)
{
	return given ? given : otherwise;
}

static uint32_t degree(uint32_t given)
{
	return given ? given : 1;
}

/* Whether there is a model to work bytes out of. */
static bool has_shape(const struct megatron *m)
{
	return m->layers || m->hidden || m->seq;
}

static int find_shape(const struct megatron *m, struct shape *ret,
		      struct megatron_error *error)
{
	int64_t moe = 0;

	if (!m->layers || !m->hidden || !m->seq || !m->heads)
		return refuse(error, "--%s: missing, expected beside the other "
			      "sizes of the model",
			      !m->layers ? "num-layers" : !m->hidden ?
			      "hidden-size" : !m->seq ? "seq-length" :
			      "num-attention-heads");
	if (m->experts)
		moe = megatron_moe_layers(m->moe_pattern, m->layers);
	if (moe < 0)
		return refuse(error, "--moe-layer-freq: expected a number or a "
			      "pattern of %" PRIu32 " layers such as "
			      "[0]*1+[1]*%" PRIu32 ", got '%.60s'", m->layers,
			      m->layers - 1, m->moe_pattern);
	*ret = (struct shape){
		.layers = m->layers, .hidden = m->hidden, .heads = m->heads,
		.head_size = or_else(m->kv_channels,
				     (double)m->hidden / m->heads),
		.groups = m->grouped_query ? or_else(m->query_groups, 1) :
					     m->heads,
		.moe_layers = (double)moe, .gates = m->swiglu ? 3 : 2,
		.norm_size = strcmp(m->normalization, "RMSNorm") ? 2 : 1,
	};
	/* With gates 2/3 of the usual four times, in multiples of 64. */
	ret->ffn = or_else(m->ffn, m->swiglu ?
			   m->hidden * 8ULL / 3 / 64 * 64 : 4.0 * m->hidden);
	ret->expert_ffn = or_else(m->expert_ffn, ret->ffn);
	return 0;
}

static double latent_attention(const struct megatron *m, const struct shape *s)
{
	double q_rank = or_else(m->q_rank, 512);
	double kv_rank = or_else(m->kv_rank, 512);
	double qk = or_else(m->qk_dim, 128), pos = or_else(m->qk_pos_dim, 64);
	double v = or_else(m->v_dim, 128);

	return q_rank * (s->hidden + s->heads * (qk + pos) + s->norm_size) +
	       kv_rank * (s->hidden + s->heads * (qk + v) + s->norm_size) +
	       s->hidden * pos + s->heads * v * s->hidden;
}

static double attention(const struct megatron *m, const struct shape *s)
{
	if (m->latent_attention)
		return latent_attention(m, s);
	return 2 * s->hidden * s->head_size * (s->heads + s->groups);
}

/* Elements of K and V of a token, each; K and V may differ in size. */
static double kv_hidden(const struct megatron *m, const struct shape *s)
{
	if (m->latent_attention)
		return s->heads * (or_else(m->qk_dim, 128) +
				   or_else(m->qk_pos_dim, 64) +
				   or_else(m->v_dim, 128)) / 2;
	return s->groups * s->head_size;
}

/* The embedding is padded to a multiple for each tensor-parallel rank. */
static double padded_vocab(const struct megatron *m)
{
	uint64_t multiple = (uint64_t)(m->vocab_multiple ? m->vocab_multiple :
							   128) *
			    degree(m->tp);

	return (double)((m->vocab + multiple - 1) / multiple * multiple);
}

static double expert_params(const struct megatron *m, const struct shape *s)
{
	return s->moe_layers * m->experts * s->gates * s->hidden *
	       s->expert_ffn;
}

static double all_params(const struct megatron *m, const struct shape *s)
{
	double each = attention(m, s) + 2 * s->hidden * s->norm_size;
	double dense = s->gates * s->hidden * s->ffn;
	double moe = s->gates * s->hidden * m->shared_ffn +
		     s->hidden * m->experts + (m->no_bias ? 0 : m->experts);

	return s->layers * each + (s->layers - s->moe_layers) * dense +
	       s->moe_layers * moe + expert_params(m, s) +
	       padded_vocab(m) * s->hidden * (m->untied ? 2 : 1) +
	       s->norm_size * s->hidden;
}

static int zero_stage(const struct megatron *m)
{
	if (m->fsdp2)
		return 3;
	if (!m->fsdp)
		return m->distributed_optimizer;
	return !strcmp(m->sharding, "no_shard") ? 0 :
	       !strcmp(m->sharding, "optim") ? 1 :
	       !strcmp(m->sharding, "optim_grads") ? 2 : 3;
}

static const char *type(const struct megatron *m)
{
	return m->bf16 ? "bf16" : m->fp16 ? "fp16" : "fp32";
}

/* bf16 reduces in fp32 unless told not to; fp16 only when told to. */
static const char *grad_type(const struct megatron *m)
{
	if (m->grads_bf16)
		return "bf16";
	return m->bf16 || m->grads_fp32 ? "fp32" : type(m);
}

static int put_degrees(const struct megatron *m, struct writer *writer,
		       struct megatron_error *error)
{
	uint32_t chunks = m->chunks;

	put(writer, "tp=%" PRIu32, degree(m->tp));
	if (degree(m->cp) > 1)
		put(writer, "cp=%" PRIu32, m->cp);
	if (degree(m->pp) > 1)
		put(writer, "pp=%" PRIu32, m->pp);
	if (degree(m->ep) > 1) {
		put(writer, "ep=%" PRIu32, m->ep);
		if (m->etp && m->etp != degree(m->tp))
			put(writer, "etp=%" PRIu32, m->etp);
	}
	if (m->tp_pp_dp)
		put(writer, "order=tp-cp-ep-pp-dp");
	if (!chunks && m->chunk_layers) {
		if (m->layers % degree(m->pp) ||
		    m->layers / degree(m->pp) % m->chunk_layers)
			return refuse(error, "--num-layers-per-virtual-"
				      "pipeline-stage: expected a divisor of "
				      "the %" PRIu32 " layers of a stage, got "
				      "%" PRIu32, m->layers / degree(m->pp),
				      m->chunk_layers);
		chunks = m->layers / degree(m->pp) / m->chunk_layers;
	}
	if (chunks > 1)
		put(writer, "interleave=%" PRIu32, chunks);
	return 0;
}

static int put_batches(const struct megatron *m, uint32_t gpus,
		       struct writer *writer, struct megatron_error *error)
{
	uint64_t unit = (uint64_t)degree(m->tp) * degree(m->pp) * degree(m->cp);
	uint64_t batch;

	put(writer, "mbs=%" PRIu32, degree(m->mbs));
	if (!gpus)
		return 0;
	if (gpus % unit)
		return refuse(error, "%" PRIu32 " GPUs are no multiple of the "
			      "%" PRIu64 " of one replica (tensor, pipeline "
			      "and context parallel sizes multiplied)", gpus,
			      unit);
	batch = gpus / unit * degree(m->mbs);
	if (m->gbs % batch)
		return refuse(error, "--global-batch-size: expected a multiple "
			      "of %" PRIu64 " (%" PRIu64 " replicas of micro-"
			      "batches of %" PRIu32 "), got %" PRIu32, batch,
			      gpus / unit, degree(m->mbs), m->gbs);
	/* Without a global batch each replica runs one. */
	put(writer, "microbatches=%" PRIu64, m->gbs ? m->gbs / batch : 1);
	return 0;
}

static int put_model(const struct megatron *m, uint32_t gpus,
		     struct writer *writer, struct megatron_error *error)
{
	struct shape s = { 0 };

	if (find_shape(m, &s, error))
		return -1;
	put(writer, "params=%.0f", all_params(m, &s));
	put(writer, "layers=%" PRIu32 ",hidden=%" PRIu32, m->layers, m->hidden);
	if (degree(m->cp) > 1)
		put(writer, "kv_hidden=%.0f", kv_hidden(m, &s));
	if (m->experts)
		put(writer, "topk=%.0f,moe_layers=%.0f,expert_params=%.0f",
		    or_else(m->topk, 2), s.moe_layers, expert_params(m, &s));
	put(writer, "seq=%" PRIu32, m->seq);
	if (put_batches(m, gpus, writer, error))
		return -1;
	put(writer, "dtype=%s,grad_dtype=%s,zero=%d", type(m), grad_type(m),
	    zero_stage(m));
	if (degree(m->tp) > 1)
		put(writer, "sp=%s", m->sp ? "on" : "off");
	return 0;
}

int megatron_hint(const struct megatron *megatron, uint32_t gpus, char *buffer,
		  size_t size, struct megatron_error *error)
{
	struct writer writer = { buffer, size, 0 };

	if (put_degrees(megatron, &writer, error))
		return -1;
	return has_shape(megatron) ?
	       put_model(megatron, gpus, &writer, error) : 0;
}
