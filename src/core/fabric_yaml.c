/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fabric from Slurm's topology.yaml (25.05 on): the text to a document, and
 * what was found in it to a fabric, by the graph of the topology.conf reader.
 */
#define _GNU_SOURCE 1
#include "fabric_yaml.h"

#include <stdlib.h>

#include "fabric_read.h"
#include "text_file.h"

static void report_syntax(struct yaml_file *file, const yaml_parser_t *parser)
{
	const yaml_mark_t *mark = &parser->problem_mark;

	if (parser->error == YAML_MEMORY_ERROR) {
		diag_no_memory(file->diag);
		return;
	}
	/* A byte that is no UTF-8 has an offset only. */
	if (parser->error == YAML_READER_ERROR)
		diag_add(file->diag, DIAG_ERROR, 1, 1, "$", "%s at byte %zu, "
			 "expected YAML in UTF-8", parser->problem,
			 parser->problem_offset + 1);
	else
		diag_add(file->diag, DIAG_ERROR, (int)mark->line + 1,
			 (int)mark->column + 1, "$", "%s, expected YAML",
			 parser->problem ? parser->problem : "no YAML");
}

static void read_document(struct yaml_file *file, const char *text,
			  size_t length)
{
	yaml_parser_t parser;

	if (!yaml_parser_initialize(&parser)) {
		diag_no_memory(file->diag);
		return;
	}
	yaml_parser_set_input_string(&parser, (const unsigned char *)text,
				     length);
	if (yaml_parser_load(&parser, &file->document)) {
		fabric_yaml_walk(file);
		yaml_document_delete(&file->document);
	} else {
		report_syntax(file, &parser);
	}
	yaml_parser_delete(&parser);
}

static void file_done(struct yaml_file *file)
{
	for (size_t i = 0; i < file->count; i++) {
		free(file->topologies[i].name);
		fabric_conf_done(&file->topologies[i].conf);
	}
	free(file->topologies);
}

struct fabric *fabric_read_yaml(const char *text, size_t length,
				struct diag *diag)
{
	struct yaml_file file = { .diag = diag };
	struct conf conf = { .diag = diag, .yaml = true };
	struct fabric *fabric = NULL;

	if (!text_file_refuse_nul(text, length, "$", diag))
		read_document(&file, text, length);
	if (file.no_memory || (file.count && fabric_yaml_choose(&file, &conf)))
		diag_no_memory(diag);
	else if (conf.count)
		fabric = fabric_conf_finish(&conf);
	fabric_conf_done(&conf);
	file_done(&file);
	diag_sort(diag);
	return fabric;
}
