/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: a placement and its score, as JSON and as text.
 */
#ifndef LEAFSPINE_REPORT_H
#define LEAFSPINE_REPORT_H

#include <jansson.h>

#include "core/fabric.h"
#include "core/placement.h"

/* The object of formats.md section 5. NULL without memory. */
json_t *report_json(const struct fabric *fabric,
		    const struct placement *placement);

/* The names of the nodes in rank order. NULL without memory. */
json_t *report_json_nodes(const struct fabric *fabric, const uint32_t *nodes,
			  uint32_t count);

/* On standard output. 0, or -1 without memory. */
int report_text(const struct fabric *fabric,
		const struct placement *placement);

#endif
