/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parallelism: reads the text of a hint. Fitting is in parallelism_fit.c. */

#include "parallelism.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "models.h"
#include "piece.h"

static const char *const axis_names[AXES] = { "tp", "cp", "ep", "dp", "pp" };
static const char *const dimension_names[DIMENSIONS] = {
	"tp", "cp", "dp", "pp", "ep", "edp"
};
static const char *const allreduce_names[] = {
	"ring", "tree", "hierarchical", "sharp"
};

const char *dimension_name(enum dimension dimension)
{
	return dimension_names[dimension];
}

const char *allreduce_name(enum allreduce allreduce)
{
	return allreduce_names[allreduce];
}

/* The state of one reading. */
struct reader {
	struct parallelism hint;
	struct parallelism_model profile;	/* of `model` */
	bool profile_given;
	struct parallelism_error *error;
	const char *key;	/* being read */
};

/* "KEY: 'VALUE' is WRONG, expected EXPECTED"; VALUE cut, it may be long. */
static int refuse(struct reader *reader, struct piece value, const char *wrong,
		  const char *expected)
{
	int shown = value.length > 40 ? 40 : (int)value.length;

	snprintf(reader->error->text, sizeof(reader->error->text),
		 "%s: '%.*s%s' %s, expected %s", reader->key, shown,
		 value.text, value.length > 40 ? "..." : "", wrong, expected);
	return -1;
}

static bool is_whole(double value)
{
	return value == floor(value);
}

/* One key of a hint: how its value is read, and where it goes. */
struct key_rule {
	const char *name;
	int (*read)(struct reader *reader, const struct key_rule *rule,
		    struct piece value);
	size_t offset;		/* of the field in struct parallelism */
	double min, max;
	const char *expected;
};

static void *field(struct reader *reader, const struct key_rule *rule)
{
	return (char *)&reader->hint + rule->offset;
}

static int read_degree(struct reader *reader, const struct key_rule *rule,
		       struct piece value)
{
	uint32_t degree = 0;
	size_t i;

	for (i = 0; i < value.length && piece_digit(value.text[i]); i++)
		if (degree <= PARALLELISM_DEGREE_MAX)
			degree = degree * 10 + (uint32_t)(value.text[i] - '0');
	if (i < value.length || !i)
		return refuse(reader, value, "is no whole number",
			      rule->expected);
	if (degree < 1 || degree > PARALLELISM_DEGREE_MAX)
		return refuse(reader, value, "is out of range",
			      rule->expected);
	*(uint32_t *)field(reader, rule) = degree;
	return 0;
}

static int read_real(struct reader *reader, const struct key_rule *rule,
		     struct piece value)
{
	double number;

	if (!piece_number(value, false, &number))
		return refuse(reader, value, "is no number", rule->expected);
	if (!(number >= rule->min && number <= rule->max))
		return refuse(reader, value, "is out of range",
			      rule->expected);
	*(double *)field(reader, rule) = number;
	return 0;
}

static int read_bytes(struct reader *reader, const struct key_rule *rule,
		      struct piece value)
{
	reader->hint.bytes_given = true;
	if (rule->offset == offsetof(struct parallelism, bytes[DIM_EDP]))
		reader->hint.edp_bytes_given = true;
	return read_real(reader, rule, value);
}

static int read_model_key(struct reader *reader, const struct key_rule *rule,
			  struct piece value)
{
	double number;

	reader->hint.model_given = true;
	if (!piece_number(value, true, &number))
		return refuse(reader, value, "is no number", rule->expected);
	if (!(number >= rule->min && number <= rule->max) ||
	    !is_whole(number))
		return refuse(reader, value, "is out of range",
			      rule->expected);
	*(double *)field(reader, rule) = number;
	return 0;
}

static int read_zero(struct reader *reader, const struct key_rule *rule,
		     struct piece value)
{
	if (value.length != 1 || value.text[0] < '0' || value.text[0] > '3')
		return refuse(reader, value, "is no ZeRO stage",
			      rule->expected);
	reader->hint.model_given = true;
	reader->hint.model.zero = value.text[0] - '0';
	return 0;
}

static int read_switch(struct reader *reader, const struct key_rule *rule,
		       struct piece value)
{
	bool on = piece_is(value, "on") || piece_is(value, "1");

	if (!on && !piece_is(value, "off") && !piece_is(value, "0"))
		return refuse(reader, value, "is neither", rule->expected);
	reader->hint.model_given = true;
	*(int *)field(reader, rule) = on;
	return 0;
}

static int read_dtype(struct reader *reader, const struct key_rule *rule,
		      struct piece value)
{
	static const struct { const char *name; int bytes; } types[] = {
		{ "bf16", 2 }, { "fp16", 2 }, { "fp32", 4 }, { "tf32", 4 },
		{ "fp8", 1 },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (!piece_is(value, types[i].name))
			continue;
		reader->hint.model_given = true;
		*(int *)field(reader, rule) = types[i].bytes;
		return 0;
	}
	return refuse(reader, value, "is no known type", rule->expected);
}

static int read_model(struct reader *reader, const struct key_rule *rule,
		      struct piece value)
{
	const struct parallelism_model *model =
		models_find(value.text, value.length);
	char names[160] = "";
	size_t used = 0;

	(void)rule;
	if (model) {
		reader->hint.model_given = true;
		reader->profile = *model;
		reader->profile_given = true;
		return 0;
	}
	for (size_t i = 0; models_name(i) && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used,
					 "%s%s", i ? ", " : "",
					 models_name(i));
	return refuse(reader, value, "is unknown", names);
}

static int read_order(struct reader *reader, const struct key_rule *rule,
		      struct piece value)
{
	struct piece rest = value, name;
	unsigned int seen = 0;
	int count = 0;

	while (piece_cut(&rest, '-', &name)) {
		int axis = 0;

		while (axis < AXES && !piece_is(name, axis_names[axis]))
			axis++;
		if (axis == AXES || (seen & 1U << axis))
			return refuse(reader, value, "is no order of axes",
				      rule->expected);
		seen |= 1U << axis;
		reader->hint.order[count++] = (uint8_t)axis;
	}
	if (count < AXES)
		return refuse(reader, value, "is no order of axes",
			      rule->expected);
	return 0;
}

static int read_allreduce(struct reader *reader, const struct key_rule *rule,
			  struct piece value)
{
	for (int i = ALLREDUCE_RING; i <= ALLREDUCE_SHARP; i++) {
		if (!piece_is(value, allreduce_names[i]))
			continue;
		reader->hint.allreduce = (enum allreduce)i;
		return 0;
	}
	return refuse(reader, value, "is unknown", rule->expected);
}

/* One "DIM:SHARE"; several are joined by '+', since ',' parts the keys. */
static int read_one_overlap(struct reader *reader, struct piece item,
			    unsigned int *seen)
{
	struct piece rest = item, name, share;
	double number;
	int dim = 0;

	if (!piece_cut(&rest, ':', &name) || !piece_cut(&rest, '\0', &share))
		return -1;
	while (dim < DIMENSIONS && !piece_is(name, dimension_names[dim]))
		dim++;
	if (dim == DIMENSIONS || (*seen & 1U << dim))
		return -1;
	if (!piece_number(share, false, &number) || number > 1)
		return -1;
	*seen |= 1U << dim;
	reader->hint.overlap[dim] = number;
	return 0;
}

static int read_overlap(struct reader *reader, const struct key_rule *rule,
			struct piece value)
{
	struct piece rest = value, item;
	unsigned int seen = 0;

	while (piece_cut(&rest, '+', &item))
		if (read_one_overlap(reader, item, &seen))
			return refuse(reader, value, "is no share",
				      rule->expected);
	return 0;
}

#define DEGREE(name) \
	{ #name, read_degree, offsetof(struct parallelism, name), 0, 0, \
	  "a whole number from 1 to 1048576" }
#define BYTES(name, dim) \
	{ name, read_bytes, offsetof(struct parallelism, bytes[dim]), 0, \
	  PARALLELISM_BYTES_MAX, \
	  "bytes from 0 to 1e18, such as 4e9, 27.8G or 512Mi" }
#define MODEL(name, least, most) \
	{ #name, read_model_key, offsetof(struct parallelism, model.name), \
	  least, most, "a whole number from " #least " to " #most }

static const struct key_rule key_rules[] = {
	DEGREE(tp), DEGREE(cp), DEGREE(pp), DEGREE(dp), DEGREE(ep),
	DEGREE(etp), DEGREE(interleave),
	BYTES("tp_bytes", DIM_TP), BYTES("cp_bytes", DIM_CP),
	BYTES("dp_bytes", DIM_DP), BYTES("pp_bytes", DIM_PP),
	BYTES("ep_bytes", DIM_EP), BYTES("edp_bytes", DIM_EDP),
	MODEL(params, 1, 1e15), MODEL(layers, 1, 1e6), MODEL(hidden, 1, 1e7),
	MODEL(kv_hidden, 1, 1e7), MODEL(ffn, 1, 1e8), MODEL(vocab, 1, 1e9),
	MODEL(experts, 1, 1e6), MODEL(topk, 1, 1e6), MODEL(moe_layers, 0, 1e6),
	MODEL(expert_params, 0, 1e15), MODEL(seq, 1, 1e9), MODEL(mbs, 1, 1e6),
	MODEL(microbatches, 1, 1e7),
	{ "model", read_model, 0, 0, 0, NULL },
	{ "dtype", read_dtype, offsetof(struct parallelism, model.dtype_bytes),
	  0, 0, "bf16, fp16, fp32, tf32 or fp8" },
	{ "grad_dtype", read_dtype,
	  offsetof(struct parallelism, model.grad_dtype_bytes), 0, 0,
	  "bf16, fp16, fp32, tf32 or fp8" },
	{ "zero", read_zero, 0, 0, 0, "0, 1, 2 or 3" },
	{ "sp", read_switch, offsetof(struct parallelism, model.sp), 0, 0,
	  "on or off" },
	{ "order", read_order, 0, 0, 0,
	  "tp, cp, ep, dp and pp once each, such as tp-cp-ep-dp-pp" },
	{ "allreduce", read_allreduce, 0, 0, 0,
	  "ring, tree, hierarchical or sharp" },
	{ "step", read_real, offsetof(struct parallelism, step), 1e-6, 1e9,
	  "seconds from 1e-6 to 1e9" },
	{ "overlap", read_overlap, 0, 0, 0,
	  "DIMENSION:SHARE with a share from 0 to 1, such as dp:0.8 or "
	  "dp:0.8+pp:0.5" },
	{ "skew", read_real, offsetof(struct parallelism, skew), 1, 1e6,
	  "a number from 1 to 1e6" },
};

enum { KEY_COUNT = sizeof(key_rules) / sizeof(key_rules[0]) };

static void set_defaults(struct parallelism *hint)
{
	static const uint8_t order[AXES] = {
		AXIS_TP, AXIS_CP, AXIS_EP, AXIS_DP, AXIS_PP
	};

	memset(hint, 0, sizeof(*hint));
	memcpy(hint->order, order, sizeof(order));
	hint->interleave = 1;
	hint->skew = 1;
	hint->model = (struct parallelism_model){
		NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN,
		NAN, 0, 0, 0, -1, -1
	};
}

static int unknown_key(struct reader *reader, struct piece key)
{
	int shown = key.length > 40 ? 40 : (int)key.length;

	snprintf(reader->error->text, sizeof(reader->error->text),
		 "%.*s%s: unknown key, expected tp, cp, pp, dp, ep, etp, "
		 "order, a *_bytes key, model, a model key, interleave, "
		 "allreduce, step, overlap or skew", shown, key.text,
		 key.length > 40 ? "..." : "");
	return -1;
}

static int read_pair(struct reader *reader, struct piece pair, uint64_t *seen)
{
	struct piece key = pair, value;
	const char *equals = memchr(pair.text, '=', pair.length);
	size_t i = 0;

	if (equals)
		key.length = (size_t)(equals - pair.text);
	while (i < KEY_COUNT && !piece_is(key, key_rules[i].name))
		i++;
	reader->key = i < KEY_COUNT ? key_rules[i].name : "hint";
	if (!key.length)
		return refuse(reader, pair, "has no key",
			      "KEY=VALUE pairs such as tp=8,pp=4,dp=16");
	if (i == KEY_COUNT)
		return unknown_key(reader, key);
	if (!equals || equals + 1 == pair.text + pair.length)
		return refuse(reader, pair, "has no value", "KEY=VALUE");
	if (*seen & 1ULL << i)
		return refuse(reader, pair, "is given twice",
			      "each key at most once");
	*seen |= 1ULL << i;
	value.text = equals + 1;
	value.length = pair.length - key.length - 1;
	return key_rules[i].read(reader, &key_rules[i], value);
}

/* Bytes outside printable ASCII must not get into messages, so look first. */
static int check_text(struct reader *reader, struct piece text)
{
	const char *expected = "KEY=VALUE pairs such as tp=8,pp=4,dp=16";

	if (!text.length)
		return refuse(reader, text, "is empty", expected);
	for (size_t i = 0; i < text.length; i++) {
		if (text.text[i] > ' ' && text.text[i] <= '~')
			continue;
		snprintf(reader->error->text, sizeof(reader->error->text),
			 "hint: byte %zu is a space or no printable ASCII, "
			 "expected %s", i + 1, expected);
		return -1;
	}
	if (text.length > PARALLELISM_TEXT_MAX)
		return refuse(reader, text, "is too long",
			      "at most 1024 characters");
	return 0;
}

static double known(double value, double otherwise)
{
	return isnan(value) ? otherwise : value;
}

/* Keys that stand beside `model` win over the profile's. */
static void merge_profile(struct parallelism_model *model,
			  const struct parallelism_model *profile)
{
	model->params = known(model->params, profile->params);
	model->layers = known(model->layers, profile->layers);
	model->hidden = known(model->hidden, profile->hidden);
	model->kv_hidden = known(model->kv_hidden, profile->kv_hidden);
	model->ffn = known(model->ffn, profile->ffn);
	model->vocab = known(model->vocab, profile->vocab);
	model->experts = known(model->experts, profile->experts);
	model->topk = known(model->topk, profile->topk);
	model->moe_layers = known(model->moe_layers, profile->moe_layers);
	model->expert_params = known(model->expert_params,
				     profile->expert_params);
	model->seq = known(model->seq, profile->seq);
	model->mbs = known(model->mbs, profile->mbs);
	model->microbatches = known(model->microbatches,
				    profile->microbatches);
	model->global_batch = profile->global_batch;
	if (!model->dtype_bytes)
		model->dtype_bytes = profile->dtype_bytes;
	if (!model->grad_dtype_bytes)
		model->grad_dtype_bytes = profile->grad_dtype_bytes;
	if (model->zero < 0)
		model->zero = profile->zero;
	if (model->sp < 0)
		model->sp = profile->sp;
}

uint64_t parallelism_gpus_unit(const struct parallelism *hint)
{
	return (uint64_t)(hint->tp ? hint->tp : 1) *
	       (hint->cp ? hint->cp : 1) * (hint->pp ? hint->pp : 1);
}

static int check_product(struct reader *reader)
{
	const struct parallelism *hint = &reader->hint;
	/* Three factors of at most 2^20 each stay below 2^60. */
	uint64_t product = parallelism_gpus_unit(hint);

	if (product <= PARALLELISM_GPUS_MAX && hint->dp)
		product *= hint->dp;
	if (product <= PARALLELISM_GPUS_MAX)
		return 0;
	snprintf(reader->error->text, sizeof(reader->error->text),
		 "%s: tp*cp*pp*dp is above 16777216 GPUs, expected at most "
		 "that",
		 hint->dp ? "dp" : "pp");
	return -1;
}

int parallelism_parse(const char *text, size_t length,
		      struct parallelism *ret, struct parallelism_error *error)
{
	struct reader reader = { .error = error, .key = "hint" };
	struct piece rest = { text, length }, pair;
	uint64_t seen = 0;

	set_defaults(&reader.hint);
	if (check_text(&reader, rest))
		return -1;
	if (piece_is(rest, "off")) {
		reader.hint.off = true;
		*ret = reader.hint;
		return 0;
	}
	while (piece_cut(&rest, ',', &pair))
		if (read_pair(&reader, pair, &seen))
			return -1;
	if (check_product(&reader))
		return -1;
	if (reader.profile_given)
		merge_profile(&reader.hint.model, &reader.profile);
	*ret = reader.hint;
	return 0;
}
