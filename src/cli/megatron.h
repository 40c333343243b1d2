/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * megatron: the arguments of a Megatron-LM command line that say how a job is
 * parallelised and what shape its model has, as a hint.
 *
 * Names, defaults and how parameters are counted follow Megatron-LM's own
 * megatron/training (arguments.py, theoretical_memory_usage.py).
 */
#ifndef LEAFSPINE_MEGATRON_H
#define LEAFSPINE_MEGATRON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEGATRON_PATTERN_MAX 1024
#define MEGATRON_PASSED_OVER_MAX 512

/* Numbers are 0 where they are not given. */
struct megatron {
	uint32_t tp, pp, cp, ep, etp;
	uint32_t chunks;		/* virtual stages of a pipeline rank */
	uint32_t chunk_layers;		/* layers of a virtual stage */
	uint32_t layers, hidden, heads, kv_channels, query_groups, ffn;
	uint32_t vocab, vocab_multiple, seq, mbs, gbs;
	uint32_t experts, topk, expert_ffn, shared_ffn;
	uint32_t q_rank, kv_rank, qk_dim, qk_pos_dim, v_dim;
	uint32_t nodes, node_gpus;	/* of torchrun, before the script */
	bool grouped_query, latent_attention, swiglu, untied, no_bias;
	bool bf16, fp16, grads_bf16, grads_fp32;
	bool sp, tp_pp_dp, distributed_optimizer, fsdp, fsdp2;
	char sharding[24], normalization[16];
	char moe_pattern[MEGATRON_PATTERN_MAX];
	/* Arguments about parallelism that no key of a hint stands for. */
	char passed_over[MEGATRON_PASSED_OVER_MAX];
};

struct megatron_error {
	char text[256];		/* one line */
};

/*
 * Reads TEXT, which is split as a shell does: blanks, quotes, backslashes, but
 * no variables. 0, or -1 with *ERROR set.
 */
int megatron_read(const char *text, struct megatron *ret,
		  struct megatron_error *error);

/*
 * How many of LAYERS layers are experts by the text of --moe-layer-freq (empty:
 * all), a number or a pattern such as ([0]*3+[1]*58). -1 where it is neither or
 * of another length.
 */
int64_t megatron_moe_layers(const char *pattern, uint32_t layers);

/*
 * Writes the hint into BUFFER of SIZE bytes. GPUS (0: not known) decides how
 * many micro-batches a replica runs. 0, or -1 with *ERROR set.
 */
int megatron_hint(const struct megatron *megatron, uint32_t gpus, char *buffer,
		  size_t size, struct megatron_error *error);

#endif
