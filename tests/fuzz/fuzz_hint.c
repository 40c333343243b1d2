/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes hints: the input is one. What is read is fitted to several numbers of
 * GPUs, and what fits a small one becomes traffic.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "parallelism.h"
#include "traffic.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SMALL_GPUS = 1024 };

static void must(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz_hint: %s\n", what);
	abort();
}

static void check_message(const struct parallelism_error *why)
{
	must(why->text[0] != '\0', "no reason");
	for (size_t i = 0; why->text[i]; i++) {
		must(i + 1 < sizeof(why->text), "a reason without end");
		must(why->text[i] >= ' ' && why->text[i] <= '~',
		     "a reason that is not printable");
	}
}

static void check_profile(const struct job_profile *job, uint64_t gpus)
{
	must(!gpus || job->gpus == gpus, "another number of GPUs");
	must((uint64_t)job->tp * job->cp * job->dp * job->pp == job->gpus,
	     "degrees that do not multiply to the GPUs");
	must(!job->edp || (uint64_t)job->etp * job->ep * job->edp * job->pp ==
			  job->gpus, "an expert grid of another size");
	must(job->step > 0 && isfinite(job->step), "no step");
	must(job->skew >= 1, "a skew below 1");
	must(job->interleave >= 1, "no interleave");
	for (int dim = 0; dim < DIMENSIONS; dim++) {
		must(job->bytes[dim] >= 0 &&
		     job->bytes[dim] <= PARALLELISM_BYTES_MAX,
		     "bytes out of range");
		must(job->overlap[dim] >= 0 && job->overlap[dim] <= 1,
		     "an overlap that is no share");
	}
}

static void build(const struct job_profile *job, uint32_t each, bool by_slot)
{
	uint32_t gpus[SMALL_GPUS], count = 0, left = job->gpus;
	struct traffic *traffic;

	while (left) {
		gpus[count] = left < each ? left : each;
		left -= gpus[count++];
	}
	traffic = traffic_build(job, gpus, count, by_slot);
	must(traffic != NULL, "no traffic");
	must(traffic_check(traffic) == NULL, "a traffic that is not sound");
	traffic_free(traffic);
}

static void fit(const struct parallelism *hint, uint64_t gpus)
{
	struct parallelism_error why = { "" };
	struct job_profile job;

	if (parallelism_fit(hint, parallelism_site_default(), gpus, &job,
			    &why)) {
		check_message(&why);
		return;
	}
	check_profile(&job, gpus);
	if (job.gpus > SMALL_GPUS)
		return;
	build(&job, 1, false);
	build(&job, 8, false);
	build(&job, 8, true);
	build(&job, 3, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t counts[] = {
		0, 1, 6, 8, 64, 96, 128, 1000, 16384, 16777216, 16777217
	};
	struct parallelism_error why = { "" };
	struct parallelism hint;

	if (parallelism_parse((const char *)data, size, &hint, &why)) {
		check_message(&why);
		return 0;
	}
	must(size <= PARALLELISM_TEXT_MAX, "a hint that is too long");
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		fit(&hint, counts[i]);
	return 0;
}
