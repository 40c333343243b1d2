/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parallelism_fit: a hint and a number of GPUs become a job profile. */

#include "parallelism.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "models.h"

static int refuse(struct parallelism_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(struct parallelism_error *error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return -1;
}

static uint32_t degree(uint32_t given)
{
	return given ? given : 1;
}

static int fit_dp(const struct parallelism *hint, uint64_t gpus,
		  struct job_profile *ret, struct parallelism_error *error)
{
	uint64_t unit = parallelism_gpus_unit(hint);

	if (!gpus)
		gpus = unit * degree(hint->dp);
	if (gpus > PARALLELISM_GPUS_MAX)
		return refuse(error, "dp: the job has %" PRIu64 " GPUs, "
			      "expected at most %u", gpus,
			      PARALLELISM_GPUS_MAX);
	if (hint->dp && unit * hint->dp != gpus)
		return refuse(error, "dp: tp*cp*pp*dp is %" PRIu64 ", expected "
			      "the job's %" PRIu64 " GPUs", unit * hint->dp,
			      gpus);
	if (gpus % unit)
		return refuse(error, "dp: the job's %" PRIu64 " GPUs are no "
			      "multiple of tp*cp*pp, expected a multiple of %"
			      PRIu64, gpus, unit);
	ret->gpus = (uint32_t)gpus;
	ret->dp = (uint32_t)(gpus / unit);
	return 0;
}

/* Sizes in front of pp in the order, multiplied: what one stage step is. */
static uint64_t stage_stride(const struct job_profile *profile, bool experts)
{
	uint64_t stride = 1;

	for (int i = 0; profile->order[i] != AXIS_PP; i++) {
		switch (profile->order[i]) {
		case AXIS_TP:
			stride *= experts ? profile->etp : profile->tp;
			break;
		case AXIS_CP:
			stride *= experts ? 1 : profile->cp;
			break;
		case AXIS_EP:
			stride *= experts ? profile->ep : 1;
			break;
		default:
			stride *= experts ? profile->edp : profile->dp;
		}
	}
	return stride;
}

static int fit_experts(const struct parallelism *hint,
		       struct job_profile *ret,
		       struct parallelism_error *error)
{
	uint64_t dense = (uint64_t)ret->tp * ret->cp * ret->dp;
	uint64_t unit;

	ret->ep = degree(hint->ep);
	ret->etp = hint->etp ? hint->etp : ret->tp;
	unit = (uint64_t)ret->etp * ret->ep;
	if (dense % unit)
		return refuse(error, "ep: etp*ep is %" PRIu64 ", expected a "
			      "divisor of tp*cp*dp, which is %" PRIu64, unit,
			      dense);
	if (ret->ep == 1) {
		if (hint->edp_bytes_given)
			return refuse(error, "edp_bytes: given without expert "
				      "parallelism, expected ep above 1 beside "
				      "it");
		return 0;
	}
	ret->edp = (uint32_t)(dense / unit);
	if (ret->pp > 1 &&
	    stage_stride(ret, false) != stage_stride(ret, true))
		return refuse(error, "order: the grid of the experts puts "
			      "ranks into other pipeline stages than tp, cp "
			      "and dp do, expected pp last or sizes in front "
			      "of it with one product");
	return 0;
}

static int fit_bytes(const struct parallelism *hint,
		     const struct parallelism *site, struct job_profile *ret,
		     struct parallelism_error *error)
{
	bool own = hint->bytes_given || hint->model_given;
	const struct parallelism *source = own ? hint : site;

	if (source->bytes_given)
		memcpy(ret->bytes, source->bytes, sizeof(ret->bytes));
	else if (source->model_given &&
		 models_bytes(&source->model, ret, error))
		return -1;
	if (ret->ep == 1) {
		ret->bytes[DIM_EP] = 0;
		ret->bytes[DIM_EDP] = 0;
	}
	return 0;
}

int parallelism_fit(const struct parallelism *hint,
		    const struct parallelism *site, uint64_t gpus,
		    struct job_profile *ret, struct parallelism_error *error)
{
	struct job_profile profile = { 0 };

	if (hint->off)
		return refuse(error, "off: leaves the job to stock Slurm, "
			      "expected degrees such as tp=8,pp=4,dp=16");
	profile.tp = degree(hint->tp);
	profile.cp = degree(hint->cp);
	profile.pp = degree(hint->pp);
	profile.interleave = hint->interleave;
	profile.allreduce = hint->allreduce;
	profile.skew = hint->skew;
	memcpy(profile.order, hint->order, sizeof(profile.order));
	memcpy(profile.overlap, hint->overlap, sizeof(profile.overlap));
	profile.step = hint->step > 0 ? hint->step :
		       site->step > 0 ? site->step :
					parallelism_site_default()->step;
	if (fit_dp(hint, gpus, &profile, error) ||
	    fit_experts(hint, &profile, error) ||
	    fit_bytes(hint, site, &profile, error))
		return -1;
	*ret = profile;
	return 0;
}

/* PARALLELISM_SITE_DEFAULT as it parses; a test holds the two together. */
const struct parallelism *parallelism_site_default(void)
{
	static const struct parallelism site = {
		.order = { AXIS_TP, AXIS_CP, AXIS_EP, AXIS_DP, AXIS_PP },
		.bytes_given = true,
		.edp_bytes_given = true,
		.bytes = { [DIM_TP] = 100e9, [DIM_CP] = 4e9,
			   [DIM_DP] = 27.8e9, [DIM_PP] = 1e9,
			   [DIM_EP] = 40e9, [DIM_EDP] = 4e9 },
		.interleave = 1,
		.step = 4,
		.skew = 1,
	};

	return &site;
}

uint64_t job_profile_group_size(const struct job_profile *profile,
				enum dimension dimension)
{
	switch (dimension) {
	case DIM_TP:
		return profile->tp;
	case DIM_CP:
		return profile->cp;
	case DIM_DP:
		return (uint64_t)profile->dp * profile->cp;
	case DIM_PP:
		return profile->pp;
	case DIM_EP:
		return profile->ep;
	case DIM_EDP:
		return profile->edp ? profile->edp : 1;
	default:
		return 1;
	}
}
