/* SPDX-License-Identifier: GPL-2.0-or-later */
/* megatron: reads Megatron-LM's arguments. */
#include "megatron.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { FLAG, NUMBER, WORD };

struct argument {
	const char *name;	/* with dashes only */
	enum kind kind;
	size_t offset;
	size_t room;		/* of a WORD */
};

#define FIELD(name) offsetof(struct megatron, name)
#define WORD_FIELD(name) WORD, FIELD(name), sizeof(((struct megatron *)0)->name)

static const struct argument arguments[] = {
	{ "tensor-model-parallel-size", NUMBER, FIELD(tp), 0 },
	{ "pipeline-model-parallel-size", NUMBER, FIELD(pp), 0 },
	{ "context-parallel-size", NUMBER, FIELD(cp), 0 },
	{ "expert-model-parallel-size", NUMBER, FIELD(ep), 0 },
	{ "expert-tensor-parallel-size", NUMBER, FIELD(etp), 0 },
	{ "num-virtual-stages-per-pipeline-rank", NUMBER, FIELD(chunks), 0 },
	{ "num-layers-per-virtual-pipeline-stage", NUMBER,
	  FIELD(chunk_layers), 0 },
	{ "use-tp-pp-dp-mapping", FLAG, FIELD(tp_pp_dp), 0 },
	{ "sequence-parallel", FLAG, FIELD(sp), 0 },
	{ "num-layers", NUMBER, FIELD(layers), 0 },
	{ "hidden-size", NUMBER, FIELD(hidden), 0 },
	{ "num-attention-heads", NUMBER, FIELD(heads), 0 },
	{ "kv-channels", NUMBER, FIELD(kv_channels), 0 },
	{ "group-query-attention", FLAG, FIELD(grouped_query), 0 },
	{ "num-query-groups", NUMBER, FIELD(query_groups), 0 },
	{ "ffn-hidden-size", NUMBER, FIELD(ffn), 0 },
	{ "swiglu", FLAG, FIELD(swiglu), 0 },
	{ "normalization", WORD_FIELD(normalization) },
	{ "disable-bias-linear", FLAG, FIELD(no_bias), 0 },
	{ "vocab-size", NUMBER, FIELD(vocab), 0 },
	{ "make-vocab-size-divisible-by", NUMBER, FIELD(vocab_multiple), 0 },
	{ "untie-embeddings-and-output-weights", FLAG, FIELD(untied), 0 },
	{ "multi-latent-attention", FLAG, FIELD(latent_attention), 0 },
	{ "q-lora-rank", NUMBER, FIELD(q_rank), 0 },
	{ "kv-lora-rank", NUMBER, FIELD(kv_rank), 0 },
	{ "qk-head-dim", NUMBER, FIELD(qk_dim), 0 },
	{ "qk-pos-emb-head-dim", NUMBER, FIELD(qk_pos_dim), 0 },
	{ "v-head-dim", NUMBER, FIELD(v_dim), 0 },
	{ "num-experts", NUMBER, FIELD(experts), 0 },
	{ "moe-router-topk", NUMBER, FIELD(topk), 0 },
	{ "moe-ffn-hidden-size", NUMBER, FIELD(expert_ffn), 0 },
	{ "moe-shared-expert-intermediate-size", NUMBER, FIELD(shared_ffn),
	  0 },
	{ "moe-layer-freq", WORD_FIELD(moe_pattern) },
	{ "seq-length", NUMBER, FIELD(seq), 0 },
	{ "micro-batch-size", NUMBER, FIELD(mbs), 0 },
	{ "global-batch-size", NUMBER, FIELD(gbs), 0 },
	{ "bf16", FLAG, FIELD(bf16), 0 },
	{ "fp16", FLAG, FIELD(fp16), 0 },
	{ "grad-reduce-in-bf16", FLAG, FIELD(grads_bf16), 0 },
	{ "accumulate-allreduce-grads-in-fp32", FLAG, FIELD(grads_fp32), 0 },
	{ "use-distributed-optimizer", FLAG, FIELD(distributed_optimizer), 0 },
	{ "use-megatron-fsdp", FLAG, FIELD(fsdp), 0 },
	{ "use-custom-fsdp", FLAG, FIELD(fsdp), 0 },
	{ "use-torch-fsdp2", FLAG, FIELD(fsdp2), 0 },
	{ "data-parallel-sharding-strategy", WORD_FIELD(sharding) },
	{ "nnodes", NUMBER, FIELD(nodes), 0 },
	{ "nproc-per-node", NUMBER, FIELD(node_gpus), 0 },
};

enum { ARGUMENTS = sizeof(arguments) / sizeof(arguments[0]) };

/* Words in the name of an argument that is about parallelism. */
static const char *const topics[] = {
	"parallel", "pipeline", "fsdp", "shard", "distributed-optimizer",
	"mtp-num", "hybrid", "latent", "encoder-num", "decoder-num",
};

struct reader {
	const char *text;
	char *word;		/* with room for all of the text */
	struct megatron *ret;
	struct megatron_error *error;
};

/* The next word as a shell would cut it; 1, 0 at the end, -1 in quotes. */
static int next_word(struct reader *reader)
{
	const char *at = reader->text;
	char *to = reader->word, quote = '\0';

	while (isspace((unsigned char)*at) || (*at == '\\' && at[1] == '\n'))
		at++;
	reader->text = at;
	if (!*at)
		return 0;
	for (; *at && (quote || !isspace((unsigned char)*at)); at++) {
		if (quote ? *at == quote : *at == '"' || *at == '\'') {
			quote = quote ? '\0' : *at;
			continue;
		}
		if (*at == '\\' && quote != '\'' && at[1])
			at++;
		if (*at != '\n' || quote)
			*to++ = *at;
	}
	*to = '\0';
	reader->text = at;
	return quote ? -1 : 1;
}

static int refuse(struct reader *reader, const char *name, const char *expected,
		  const char *got)
{
	snprintf(reader->error->text, sizeof(reader->error->text),
		 "--%.60s: expected %s, got '%.60s'", name, expected, got);
	return -1;
}

static const struct argument *find(const char *name)
{
	for (size_t i = 0; i < ARGUMENTS; i++)
		if (!strcmp(arguments[i].name, name))
			return &arguments[i];
	return NULL;
}

static int store(struct reader *reader, const struct argument *argument,
		 const char *value)
{
	void *field = (char *)reader->ret + argument->offset;
	unsigned long number;
	char *end;

	if (argument->kind == WORD) {
		if (strlen(value) >= argument->room)
			return refuse(reader, argument->name,
				      "a shorter value", value);
		memcpy(field, value, strlen(value) + 1);
		return 0;
	}
	errno = 0;
	number = strtoul(value, &end, 10);
	if (!isdigit((unsigned char)*value) || *end || errno || !number ||
	    number > 100000000)
		return refuse(reader, argument->name,
			      "a whole number from 1 to 100000000", value);
	*(uint32_t *)field = (uint32_t)number;
	return 0;
}

/* Notes an argument that is about parallelism, once. */
static void pass_over(struct megatron *megatron, const char *name)
{
	char *list = megatron->passed_over;
	size_t used = strlen(list), i = 0;

	while (i < sizeof(topics) / sizeof(topics[0]) &&
	       !strstr(name, topics[i]))
		i++;
	if (i < sizeof(topics) / sizeof(topics[0]) && !strstr(list, name))
		snprintf(list + used, sizeof(megatron->passed_over) - used,
			 "%s--%.80s", used ? ", " : "", name);
}

/* Cuts "--name=value" apart; dashes and underscores are one to Megatron. */
static char *cut_name(char *word)
{
	char *value = strchr(word, '=');

	if (value)
		*value++ = '\0';
	for (char *c = word; *c; c++)
		if (*c == '_')
			*c = '-';
	return value;
}

/* The argument whose first word has just been read. */
static int read_argument(struct reader *reader)
{
	char *value = cut_name(reader->word), name[64];
	const struct argument *argument = find(reader->word + 2);

	if (!argument) {
		pass_over(reader->ret, reader->word + 2);
		return 0;
	}
	snprintf(name, sizeof(name), "%s", argument->name);
	if (argument->kind == FLAG) {
		*((bool *)reader->ret + argument->offset) = true;
		return 0;
	}
	if (!value) {
		int status = next_word(reader);

		if (status < 0)
			return -1;
		if (!status || !strncmp(reader->word, "--", 2))
			return refuse(reader, name, "a value",
				      status ? reader->word : "nothing");
		value = reader->word;
	}
	return store(reader, argument, value);
}

static int read_words(struct reader *reader)
{
	int status;

	while ((status = next_word(reader)) > 0)
		if (!strncmp(reader->word, "--", 2) && read_argument(reader))
			return -1;
	if (status < 0)
		snprintf(reader->error->text, sizeof(reader->error->text),
			 "a quote is not closed");
	return status;
}

int megatron_read(const char *text, struct megatron *ret,
		  struct megatron_error *error)
{
	struct reader reader = { text, malloc(strlen(text) + 1), ret, error };
	int status = -1;

	memset(ret, 0, sizeof(*ret));
	if (reader.word)
		status = read_words(&reader);
	else
		snprintf(error->text, sizeof(error->text), "out of memory");
	free(reader.word);
	return status;
}
