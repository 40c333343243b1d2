/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_submit: refuses a hint at submission that could not be used, and takes a
 * hint from the submitted environment into the job. Optional: a hint that comes
 * past it is told of in the admin comment, and placed as by stock Slurm.
 *
 * slurmctld calls with a mutex of its own, one submission after the other:
 * nothing here is locked.
 */

#include "conf.h"
#include "hint.h"
#include "stamp.h"
#include "vet.h"

#include "compat.h"

#include <string.h>

const char plugin_name[] = "leafspine, checks hints at submission";
const char plugin_type[] = "job_submit/leafspine";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

int init(void);
int fini(void);
int job_submit(job_desc_msg_t *desc, uint32_t uid, char **err_msg);
int job_modify(job_desc_msg_t *desc, job_record_t *job, uint32_t uid);

#define CONF_FILE "leafspine.conf"
#define PARTITION_NAME_MAX 256

/* --- configuration ------------------------------------------------------- */

static struct conf *site_conf;	/* NULL: none that could be read */
static struct stamp conf_stamp;
static time_t conf_update;	/* of slurm.conf, when we looked last */
static bool conf_settled;

/* Faults are told by the decorator, which reads the same file. */
static void read_conf(const char *path)
{
	struct stamp now = stamp_of(path);
	struct conf *fresh;
	struct diag diag;

	if (site_conf && stamp_same(&now, &conf_stamp))
		return;
	conf_stamp = now;
	diag_init(&diag, path);
	fresh = conf_read_file(path, slurm_conf.slurm_user_id, &diag);
	diag_done(&diag);
	if (!fresh)
		return;
	conf_free(site_conf);
	site_conf = fresh;
}

/*
 * As the decorator does, when Slurm reads its own configuration, which is known
 * here by its time. Two in one second have the same: until that second is over
 * the file is looked at each time.
 */
static void refresh_conf(void)
{
	char *path;

	if (conf_settled && conf_update == slurm_conf.last_update)
		return;
	conf_update = slurm_conf.last_update;
	conf_settled = time(NULL) > conf_update + 1;
	path = get_extra_conf_path(CONF_FILE);
	if (path)
		read_conf(path);
	xfree(path);
}

/* --- what the job asks for ----------------------------------------------- */

/*
 * The names in LIST, or the default partition: is one of them such? A name that
 * has to be cut is none of Slurm's.
 */
static bool any_partition(const char *list, bool (*is_such)(const char *name))
{
	char name[PARTITION_NAME_MAX];

	if ((!list || !*list) && &default_part_loc && default_part_loc)
		list = default_part_loc->name;
	while (list && *list) {
		size_t length = strcspn(list, ",");

		snprintf(name, sizeof(name), "%.*s", (int)length, list);
		if (is_such(name))
			return true;
		list += length;
		list += strspn(list, ",");
	}
	return false;
}

static bool is_steered(const char *name)
{
	return conf_has_partition(site_conf, name);
}

static bool is_exclusive(const char *name)
{
	const part_record_t *partition = find_part_record((char *)name);

	return partition && !partition->max_share;
}

static const char *text_now(const char *given, const char *had)
{
	return given ? given : had;
}

/* Slurm's numbers for "not given" as 0, or as what stands in the record. */
static uint32_t number_now(uint32_t given, uint32_t had)
{
	if (given == NO_VAL || given == INFINITE)
		given = had;
	return given == NO_VAL || given == INFINITE ? 0 : given;
}

static uint32_t number_now_16(uint16_t given, uint16_t had)
{
	if (given == NO_VAL16 || given == INFINITE16)
		given = had;
	return given == NO_VAL16 || given == INFINITE16 ? 0 : given;
}

/* As many as there can be where that is more than a number holds. */
static uint32_t times(uint32_t a, uint32_t b)
{
	uint64_t product = (uint64_t)a * b;

	return product > UINT32_MAX ? UINT32_MAX : (uint32_t)product;
}

/* DETAILS is NULL for a job that is new. */
static void read_counts(const job_desc_msg_t *desc,
			const struct job_details *details,
			struct gpus_request *ret)
{
	ret->tasks = number_now(desc->num_tasks,
				details ? details->num_tasks : NO_VAL);
	ret->tasks_per_node = number_now_16(desc->ntasks_per_node, details ?
					    details->ntasks_per_node :
					    NO_VAL16);
	ret->min_nodes = number_now(desc->min_nodes,
				    details ? details->min_nodes : NO_VAL);
	ret->max_nodes = number_now(desc->max_nodes,
				    details ? details->max_nodes : NO_VAL);
	/* Slurm works the tasks out in the same way, but later. */
	if (!ret->tasks && ret->min_nodes == ret->max_nodes)
		ret->tasks = times(ret->min_nodes, ret->tasks_per_node);
}

/* A whole node comes with its GPUs, as many as it has. */
static bool takes_whole_nodes(const job_desc_msg_t *desc,
			      const job_record_t *job)
{
	const char *partition = text_now(desc->partition,
					 job ? job->partition : NULL);

	if (desc->shared != NO_VAL16)
		return !desc->shared;
	if (job && job->details->whole_node == WHOLE_NODE_REQUIRED)
		return true;
	return any_partition(partition, is_exclusive);
}

static struct gpus_request gpus_now(const job_desc_msg_t *desc,
				    const job_record_t *job)
{
	struct gpus_request gpus = { 0 };

	gpus.per_job = gpus_read(text_now(desc->tres_per_job,
		job ? job->tres_per_job : NULL), &gpus);
	gpus.per_node = gpus_read(text_now(desc->tres_per_node,
		job ? job->tres_per_node : NULL), &gpus);
	gpus.per_socket = gpus_read(text_now(desc->tres_per_socket,
		job ? job->tres_per_socket : NULL), &gpus);
	gpus.per_task = gpus_read(text_now(desc->tres_per_task,
		job ? job->tres_per_task : NULL), &gpus);
	read_counts(desc, job ? job->details : NULL, &gpus);
	if (takes_whole_nodes(desc, job))
		gpus.unclear = true;
	return gpus;
}

/* JOB with the changes in DESC; NULL where it is new. */
static struct vet_job vetted(const job_desc_msg_t *desc,
			     const job_record_t *job)
{
	struct vet_job vetted = {
		.variables = desc->spank_job_env,
		.variable_count = desc->spank_job_env_size,
		.comment = text_now(desc->comment, job ? job->comment : NULL),
		.gpus = gpus_now(desc, job),
	};

	if (job) {
		vetted.variables = job->spank_job_env;
		vetted.variable_count = job->spank_job_env_size;
	}
	return vetted;
}

/* Whose it is: false where stock Slurm has it to itself. */
static bool is_ours(const job_desc_msg_t *desc, const job_record_t *job)
{
	refresh_conf();
	return site_conf && site_conf->mode != CONF_OFF &&
	       any_partition(text_now(desc->partition,
				      job ? job->partition : NULL), is_steered);
}

/* --- the submitted environment ------------------------------------------- */

static const char *value_of(const char *variable)
{
	const size_t length = sizeof(VET_VARIABLE) - 1;

	if (!variable || strncmp(variable, VET_VARIABLE "=", length + 1))
		return NULL;
	return variable + length + 1;
}

static const char *find_variable(const job_desc_msg_t *desc)
{
	for (uint32_t i = 0; desc->environment && i < desc->env_size; i++) {
		const char *value = value_of(desc->environment[i]);

		if (value)
			return value;
	}
	return NULL;
}

/* So that a submission from within the job does not inherit it (rule 3). */
static void drop_variable(job_desc_msg_t *desc)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < desc->env_size; i++) {
		if (value_of(desc->environment[i]))
			xfree(desc->environment[i]);
		else
			desc->environment[kept++] = desc->environment[i];
	}
	for (uint32_t i = kept; i < desc->env_size; i++)
		desc->environment[i] = NULL;
	desc->env_size = kept;
}

/* Puts HINT where the option would have put it. False without memory. */
static bool carry(job_desc_msg_t *desc, const char *hint)
{
	size_t size = sizeof(HINT_ENV_NAME "=") + strlen(hint);
	uint32_t count = desc->spank_job_env ? desc->spank_job_env_size : 0;
	char **grown = try_xcalloc((size_t)count + 2, sizeof(*grown));
	char *variable = try_xmalloc(size);

	if (!grown || !variable) {
		xfree(grown);
		xfree(variable);
		return false;
	}
	snprintf(variable, size, HINT_ENV_NAME "=%s", hint);
	for (uint32_t i = 0; i < count; i++)
		grown[i] = desc->spank_job_env[i];
	grown[count] = variable;
	xfree(desc->spank_job_env);
	desc->spank_job_env = grown;
	desc->spank_job_env_size = count + 1;
	return true;
}

/* --- entry points -------------------------------------------------------- */

/* What sbatch prints behind our own line. */
static int code_of(enum vet answer)
{
	return answer == VET_UNREADABLE ? EINVAL : ESLURM_INVALID_GRES;
}

/* Without memory the user gets Slurm's own text alone. */
static void set_message(char **err_msg, const struct vet_reason *reason)
{
	size_t size = strlen(reason->text) + 1;

	if (!err_msg || *err_msg)
		return;
	*err_msg = try_xmalloc(size);
	if (*err_msg)
		memcpy(*err_msg, reason->text, size);
}

int init(void)
{
	return SLURM_SUCCESS;
}

int fini(void)
{
	conf_free(site_conf);
	site_conf = NULL;
	conf_settled = false;
	return SLURM_SUCCESS;
}

int job_submit(job_desc_msg_t *desc, uint32_t uid, char **err_msg)
{
	struct vet_reason reason;
	struct vet_job job;
	enum vet answer;

	if (!is_ours(desc, NULL))
		return SLURM_SUCCESS;
	job = vetted(desc, NULL);
	job.environment = find_variable(desc);
	answer = vet_job(&job, &reason);
	if (answer != VET_GOOD)
		verbose("leafspine: submission of user %u %s: %s", uid,
			site_conf->mode == CONF_STEER ? "refused" :
			"would be refused", reason.text);
	if (answer != VET_GOOD && site_conf->mode == CONF_STEER) {
		set_message(err_msg, &reason);
		return code_of(answer);
	}
	if (vet_by_environment(&job) && !carry(desc, job.environment))
		error("leafspine: no memory for the hint of a submission");
	if (job.environment)
		drop_variable(desc);
	return SLURM_SUCCESS;
}

/* Whether the update touches what a hint has to fit, or the hint. */
static bool is_relevant(const job_desc_msg_t *desc)
{
	return desc->comment || desc->tres_per_job || desc->tres_per_node ||
	       desc->tres_per_socket || desc->tres_per_task ||
	       desc->min_nodes != NO_VAL || desc->max_nodes != NO_VAL ||
	       desc->num_tasks != NO_VAL ||
	       desc->ntasks_per_node != NO_VAL16 || desc->shared != NO_VAL16;
}

/* Slurm 22.05 has no message for the user here, so that the log must do. */
int job_modify(job_desc_msg_t *desc, job_record_t *job, uint32_t uid)
{
	struct vet_reason reason;
	struct vet_job changed;
	enum vet answer;

	(void)uid;
	/* What runs was placed already. */
	if (!job || !job->details || !IS_JOB_PENDING(job) ||
	    !is_relevant(desc) || !is_ours(desc, job))
		return SLURM_SUCCESS;
	changed = vetted(desc, job);
	answer = vet_job(&changed, &reason);
	if (answer == VET_GOOD)
		return SLURM_SUCCESS;
	info("leafspine: %pJ: update %s: %s", job,
	     site_conf->mode == CONF_STEER ? "refused" : "would be refused",
	     reason.text);
	return site_conf->mode == CONF_STEER ? code_of(answer) : SLURM_SUCCESS;
}
