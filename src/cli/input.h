/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input: what the commands read: fabric, state, hint, node names.
 *
 * Each function says on standard error what is wrong and then returns -1;
 * running out of memory counts as that.
 */
#ifndef LEAFSPINE_INPUT_H
#define LEAFSPINE_INPUT_H

#include "core/fabric.h"
#include "core/nodeset.h"
#include "core/parallelism.h"
#include "core/state.h"

struct input {
	struct fabric *fabric;		/* owned */
	struct state *state;		/* owned */
};

/* Faults of a file bear this name. */
const char *input_source_name(const char *path);

/* STATE_PATH NULL: nothing is taken. Call input_done whatever is returned. */
int input_read(struct input *input, const char *fabric_path,
	       const char *state_path);
void input_done(struct input *input);

/* The hint of --parallelism; "off" is refused. */
int input_read_hint(const char *text, struct parallelism *ret_hint);

struct input_nodes {
	uint32_t *nodes;	/* owned, in the order of the expression */
	uint32_t count;
};

/* The nodes that the value TEXT of --OPTION names. */
int input_read_nodes(const struct fabric *fabric, const char *option,
		     const char *text, struct input_nodes *ret_nodes);

/* The same as a set, which may be empty. */
int input_read_nodeset(const struct fabric *fabric, const char *option,
		       const char *text, struct nodeset *ret_set);

#endif
