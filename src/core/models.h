/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * models: the bytes that a model's training step moves, from its shape.
 *
 * Formulas: research/traffic-model.md section 2, whose sources are
 * arXiv 2104.04473 (tensor and pipeline parallelism), 2205.05198 (sequence
 * parallelism), 1910.02054 (ZeRO), 2407.21783 (context parallelism) and
 * 2412.19437 (expert parallelism). Bytes are those that one GPU sends.
 */
#ifndef LEAFSPINE_MODELS_H
#define LEAFSPINE_MODELS_H

#include "parallelism.h"

/*
 * The named profile, or NULL. The names are those of public models; their
 * shapes come from the models' own reports.
 */
const struct parallelism_model *models_find(const char *name, size_t length);

/* The name of profile INDEX, or NULL behind the last. */
const char *models_name(size_t index);

/*
 * Fills PROFILE->bytes for its degrees (all set, edp too). 0, or -1 with
 * *ERROR naming a key that is missing for a dimension in use.
 */
int models_bytes(const struct parallelism_model *model,
		 struct job_profile *profile, struct parallelism_error *error);

#endif
