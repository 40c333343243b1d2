/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_22_05: the entry points of select/cons_tres as Slurm 22.05 calls
 * them. Each hands on to the stock plugin; a few look at what goes by.
 *
 * The file is installed as select_cons_tres.so in leafspine's own directory,
 * first in PluginDir, and bears the stock plugin's type and id, so that all
 * that Slurm ties to these stays as it is.
 */

#include "attempt.h"
#include "choice.h"
#include "running.h"
#include "status.h"
#include "steer.h"
#include "stock.h"
#include "tried.h"
#include "world.h"

extern const char plugin_name[], plugin_type[];
extern const uint32_t plugin_id, plugin_version;

const char plugin_name[] = "leafspine in front of the cons_tres plugin";
const char plugin_type[] = "select/cons_tres";
const uint32_t plugin_id = SELECT_PLUGIN_CONS_TRES;
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

int init(void);
int fini(void);

/* Nothing is printed here at level info: clients load the plugin, too. */
int init(void)
{
	return stock_load();
}

int fini(void)
{
	status_stop();
	running_done();
	tried_done();
	choice_forget();
	world_done();
	stock_unload();
	return SLURM_SUCCESS;
}

#define FORWARD(type, name, parameters, arguments)	\
	type select_p_##name parameters;		\
	type select_p_##name parameters			\
	{						\
		return stock.name arguments;		\
	}

STOCK_FORWARDED(FORWARD)

#define DECLARE(type, name, parameters, arguments) \
	type select_p_##name parameters;

STOCK_WATCHED(DECLARE)

/* Only in slurmctld is there anything to decide. */
static void refresh(void)
{
	if (!running_in_slurmctld())
		return;
	steer_refresh();
}

/* The node table is new; jobs are brought up to it by select_p_reconfigure. */
int select_p_node_init(void)
{
	int status = stock.node_init();

	running_done();
	refresh();
	return status;
}

/* Also called where nothing has changed (rule 9). */
int select_p_reconfigure(void)
{
	int status = stock.reconfigure();

	refresh();
	if (running_in_slurmctld()) {
		running_rebuild();
		status_start();
	}
	return status;
}

/*
 * Called now and then, and when slurmctld ends; Debian's never calls fini()
 * then, so the last minute is told here.
 */
int select_p_state_save(char *directory)
{
	status_flush();
	return stock.state_save(directory);
}

int select_p_job_test(job_record_t *job, bitstr_t *bitmap, uint32_t min_nodes,
		      uint32_t max_nodes, uint32_t req_nodes, uint16_t mode,
		      List candidates, List *preempted,
		      bitstr_t *excluded_cores)
{
	struct adapter_call call = {
		job, bitmap, min_nodes, max_nodes, req_nodes, mode,
		candidates, preempted, excluded_cores
	};

	return steer_job_test(&call);
}

int select_p_job_begin(job_record_t *job)
{
	int status = stock.job_begin(job);

	if (status == SLURM_SUCCESS)
		steer_job_begin(job);
	return status;
}

/* Called when a job has begun, with its resources allocated. */
int select_p_select_nodeinfo_set(job_record_t *job)
{
	int status = stock.select_nodeinfo_set(job);

	/* After a restart it is called for jobs in any state. */
	if (status == SLURM_SUCCESS &&
	    (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job)))
		running_put(job);
	return status;
}

int select_p_job_fini(job_record_t *job)
{
	int status = stock.job_fini(job);

	running_drop(job);
	return status;
}

int select_p_job_expand(job_record_t *from, job_record_t *to)
{
	int status = stock.job_expand(from, to);

	running_drop(from);
	if (status == SLURM_SUCCESS)
		running_put(to);
	return status;
}

int select_p_job_resized(job_record_t *job, node_record_t *node)
{
	int status = stock.job_resized(job, node);

	if (status == SLURM_SUCCESS)
		running_put(job);
	return status;
}

int select_p_job_suspend(job_record_t *job, bool indefinitely)
{
	int status = stock.job_suspend(job, indefinitely);

	running_suspend(job, true);
	return status;
}

int select_p_job_resume(job_record_t *job, bool indefinitely)
{
	int status = stock.job_resume(job, indefinitely);

	running_suspend(job, false);
	return status;
}
