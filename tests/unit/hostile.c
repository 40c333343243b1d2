/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hostile: writes hints that mean harm, the same for the same number. */

#include "hostile.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct writer {
	char *text;
	size_t length;
	uint64_t random;
};

static uint32_t draw(struct writer *writer, uint32_t below)
{
	writer->random ^= writer->random << 13;
	writer->random ^= writer->random >> 7;
	writer->random ^= writer->random << 17;
	return (uint32_t)(writer->random >> 20) % below;
}

static void put(struct writer *writer, const char *text)
{
	size_t length = strlen(text);

	if (writer->length + length >= HOSTILE_MAX)
		return;
	memcpy(writer->text + writer->length, text, length + 1);
	writer->length += length;
}

static void put_byte(struct writer *writer, uint32_t byte)
{
	char text[2] = { (char)(byte ? byte : 1), '\0' };

	put(writer, text);
}

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define PICK(writer, array) ((array)[draw(writer, COUNT(array))])

static const char *const keys[] = {
	"tp", "cp", "pp", "dp", "ep", "etp", "order", "tp_bytes", "cp_bytes",
	"dp_bytes", "pp_bytes", "ep_bytes", "edp_bytes", "model", "params",
	"layers", "hidden", "kv_hidden", "ffn", "vocab", "experts", "topk",
	"moe_layers", "expert_params", "seq", "mbs", "microbatches", "dtype",
	"grad_dtype", "zero", "sp", "interleave", "allreduce", "step",
	"overlap", "skew", "off", "", "TP", "tp ", "__proto__",
};

static const char *const numbers[] = {
	"0", "1", "2", "8", "-1", "+8", "08", "0x8", "1e1", "1e308", "1e309",
	"1e-400", "nan", "inf", "-inf", "4294967295", "4294967296", "1048576",
	"1048577", "9223372036854775808", "18446744073709551616",
	"99999999999999999999999999999999999999999", "1e18", "1e18P",
	"0.000000000000000000000000000001", ".", "", "1,1", "8 ", "1e",
	"9e99999999999999999999", "1Ki", "1ki", "8P",
};

static const char *const pieces[] = {
	"%n", "%s%s%s%s", "%1000000000d", "%p", "%*.*s", "%%n",
	"'", "\"", "`id`", "$(id)", "\\", "\\\"", "';--", "&&", "|",
	"\n", "\r\n", "\n[2026-01-01T00:00:00.000] error: forged", "\t", "\v",
	"\"},{\"nodes\":\"n01\"}", "\",\"placed_by\":\"root", "{\"a\":[",
	"]}", "null", "\\u0000", "\\ud800",
	"leafspine{", "leafspine{}", "leafspine{\"hint\":\"x\"}", "leafspine:",
	" leafspine{\"hint\":\"", "{{{{{{{{", "}}}}}}}}", "{", "}",
	"\x1b[31m", "\x1b]0;owned\x07", "\x1b[2J", "\x08\x08", "\x7f",
	"\xc3\xb6", "\xf0\x9f\x92\xa5", "\xe2\x80\xae", "\xc0\xaf",
	"\xff\xfe", "\xed\xa0\x80", "\xef\xbb\xbf", "\xc3",
	"../../../etc/passwd", "n[1-99999999]", "tp=8", ",", "=", " ",
};

static void put_pair(struct writer *writer)
{
	put(writer, PICK(writer, keys));
	put(writer, draw(writer, 12) ? "=" : PICK(writer, pieces));
	put(writer, draw(writer, 6) ? PICK(writer, numbers) :
				      PICK(writer, pieces));
}

static void put_pairs(struct writer *writer, uint32_t most)
{
	uint32_t count = draw(writer, most) + 1;

	for (uint32_t i = 0; i < count; i++) {
		if (i)
			put(writer, ",");
		put_pair(writer);
	}
}

/* Short enough for most readers, just over a limit, or far beyond. */
static void put_long(struct writer *writer)
{
	const uint32_t lengths[] = { 900, 1023, 1024, 1025, 4800 };
	uint32_t length = PICK(writer, lengths);

	put(writer, "tp=8");
	while (writer->length < length)
		put(writer, draw(writer, 2) ? "," : "8");
}

static void put_binary(struct writer *writer)
{
	uint32_t length = draw(writer, 200) + 1;

	for (uint32_t i = 0; i < length; i++)
		put_byte(writer, draw(writer, 256));
}

static void put_overflow(struct writer *writer)
{
	const char *const products[] = {
		"tp=1048576,pp=1048576,dp=1048576,cp=1048576",
		"tp=65536,pp=65536", "tp=65536,pp=65536,cp=65536,dp=65536",
		"tp=4096,cp=4096,pp=256", "ep=1048576,etp=1048576",
		"tp=8,dp=2,ep=65536,etp=65536", "tp=1,interleave=4294967295",
		"params=1e18,layers=1048576,hidden=1e18,seq=1e18,mbs=1e18",
		"tp=8,layers=1e308,hidden=1e308,microbatches=1e308",
	};

	put(writer, PICK(writer, products));
	if (draw(writer, 2)) {
		put(writer, ",");
		put_pair(writer);
	}
}

static void put_pieces(struct writer *writer)
{
	uint32_t count = draw(writer, 12) + 1;

	if (draw(writer, 2))
		put(writer, "tp=8,");
	for (uint32_t i = 0; i < count; i++)
		put(writer, PICK(writer, pieces));
}

static void put_good(struct writer *writer)
{
	const char *const good[] = {
		"tp=2", "pp=2", "dp=2", "tp=1,dp_bytes=1e18,step=1e-6",
		"tp=2,tp_bytes=1e18,step=1e9", "pp=2,pp_bytes=0",
		"tp=1,cp=2,cp_bytes=1000P,skew=1e9",
		"dp=2,allreduce=sharp,dp_bytes=1e18",
		"dp=2,allreduce=tree,dp_bytes=1e-300",
		"ep=2,ep_bytes=1e18,skew=1e300", "off",
		"tp=2,model=llama3-405b,microbatches=1e15",
	};

	put(writer, PICK(writer, good));
}

/* One byte of a good one is another. */
static void put_nearly(struct writer *writer)
{
	put_good(writer);
	writer->text[draw(writer, (uint32_t)writer->length)] =
		(char)(draw(writer, 255) + 1);
}

void hostile_hint(unsigned number, char *text)
{
	struct writer writer = {
		text, 0, 0x9e3779b97f4a7c15ULL * (number + 1ULL) | 1,
	};

	text[0] = '\0';
	for (int i = 0; i < 8; i++)
		draw(&writer, 2);
	switch (number % 8) {
	case 0:
		put_pairs(&writer, number % 3 ? 6 : 60);
		break;
	case 1:
		put_binary(&writer);
		break;
	case 2:
		put_overflow(&writer);
		break;
	case 3:
	case 4:
		put_pieces(&writer);
		break;
	case 5:
		put_nearly(&writer);
		break;
	case 6:
		put_good(&writer);
		break;
	default:
		put_long(&writer);
	}
}
