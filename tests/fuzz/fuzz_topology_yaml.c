/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a topology.yaml: faults, or a fabric that is sound. */
#include <stdint.h>

#include "fabric_read.h"
#include "small_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fabric *fabric;
	struct diag diag;

	if (!small_input(data, size))
		return 0;
	diag_init(&diag, "fuzz");
	fabric = fabric_read_yaml((const char *)data, size, &diag);
	if (diag_ok(&diag) != (fabric != NULL))
		__builtin_trap();
	if (fabric && fabric_check(fabric))
		__builtin_trap();
	fabric_free(fabric);
	diag_done(&diag);
	return 0;
}
