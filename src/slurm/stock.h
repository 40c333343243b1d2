/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stock: Slurm's own select_cons_tres.so, loaded behind ours.
 *
 * STOCK_FORWARDED are the entry points that are handed on as they are,
 * STOCK_WATCHED those that we look at; each is X(type, name, parameters,
 * arguments). Together with plugin_id they are all of the 22.05 interface.
 */
#ifndef LEAFSPINE_STOCK_H
#define LEAFSPINE_STOCK_H

#include "compat.h"

#define STOCK_FORWARDED(X)						      \
	X(int, state_restore, (char *directory), (directory))		      \
	X(int, job_init, (List jobs), (jobs))				      \
	X(int, job_ready, (job_record_t *job), (job))			      \
	X(int, job_signal, (job_record_t *job, int signal), (job, signal))    \
	X(bitstr_t *, step_pick_nodes,					      \
	  (job_record_t *job, select_jobinfo_t *jobinfo, uint32_t nodes,      \
	   bitstr_t **available), (job, jobinfo, nodes, available))	      \
	X(int, step_start, (step_record_t *step), (step))		      \
	X(int, step_finish, (step_record_t *step, bool killing),	      \
	  (step, killing))						      \
	X(int, select_nodeinfo_pack,					      \
	  (select_nodeinfo_t *nodeinfo, buf_t *buffer, uint16_t version),     \
	  (nodeinfo, buffer, version))					      \
	X(int, select_nodeinfo_unpack,					      \
	  (select_nodeinfo_t **nodeinfo, buf_t *buffer, uint16_t version),    \
	  (nodeinfo, buffer, version))					      \
	X(select_nodeinfo_t *, select_nodeinfo_alloc, (void), ())	      \
	X(int, select_nodeinfo_free, (select_nodeinfo_t *nodeinfo),	      \
	  (nodeinfo))							      \
	X(int, select_nodeinfo_set_all, (void), ())			      \
	X(int, select_nodeinfo_get,					      \
	  (select_nodeinfo_t *nodeinfo, enum select_nodedata_type what,	      \
	   enum node_states state, void *data),				      \
	  (nodeinfo, what, state, data))				      \
	X(select_jobinfo_t *, select_jobinfo_alloc, (void), ())		      \
	X(int, select_jobinfo_free, (select_jobinfo_t *jobinfo), (jobinfo))   \
	X(int, select_jobinfo_set,					      \
	  (select_jobinfo_t *jobinfo, enum select_jobdata_type what,	      \
	   void *data), (jobinfo, what, data))				      \
	X(int, select_jobinfo_get,					      \
	  (select_jobinfo_t *jobinfo, enum select_jobdata_type what,	      \
	   void *data), (jobinfo, what, data))				      \
	X(select_jobinfo_t *, select_jobinfo_copy,			      \
	  (select_jobinfo_t *jobinfo), (jobinfo))			      \
	X(int, select_jobinfo_pack,					      \
	  (select_jobinfo_t *jobinfo, buf_t *buffer, uint16_t version),	      \
	  (jobinfo, buffer, version))					      \
	X(int, select_jobinfo_unpack,					      \
	  (select_jobinfo_t **jobinfo, buf_t *buffer, uint16_t version),      \
	  (jobinfo, buffer, version))					      \
	X(char *, select_jobinfo_sprint,				      \
	  (select_jobinfo_t *jobinfo, char *text, size_t size, int mode),     \
	  (jobinfo, text, size, mode))					      \
	X(char *, select_jobinfo_xstrdup,				      \
	  (select_jobinfo_t *jobinfo, int mode), (jobinfo, mode))	      \
	X(int, get_info_from_plugin,					      \
	  (enum select_plugindata_info what, job_record_t *job, void *data),  \
	  (what, job, data))						      \
	X(int, update_node_config, (int index), (index))		      \
	X(bitstr_t *, resv_test,					      \
	  (resv_desc_msg_t *request, uint32_t nodes, bitstr_t *available,     \
	   bitstr_t **cores), (request, nodes, available, cores))

#define STOCK_WATCHED(X)						      \
	X(int, state_save, (char *directory), (directory))		      \
	X(int, node_init, (void), ())					      \
	X(int, job_test,						      \
	  (job_record_t *job, bitstr_t *bitmap, uint32_t min_nodes,	      \
	   uint32_t max_nodes, uint32_t req_nodes, uint16_t mode,	      \
	   List candidates, List *preempted, bitstr_t *excluded_cores),	      \
	  (job, bitmap, min_nodes, max_nodes, req_nodes, mode, candidates,    \
	   preempted, excluded_cores))					      \
	X(int, job_begin, (job_record_t *job), (job))			      \
	X(int, job_expand, (job_record_t *from, job_record_t *to),	      \
	  (from, to))							      \
	X(int, job_resized, (job_record_t *job, node_record_t *node),	      \
	  (job, node))							      \
	X(int, job_fini, (job_record_t *job), (job))			      \
	X(int, job_suspend, (job_record_t *job, bool indefinitely),	      \
	  (job, indefinitely))						      \
	X(int, job_resume, (job_record_t *job, bool indefinitely),	      \
	  (job, indefinitely))						      \
	X(int, select_nodeinfo_set, (job_record_t *job), (job))		      \
	X(int, reconfigure, (void), ())

#define STOCK_MEMBER(type, name, parameters, arguments) type (*name) parameters;

struct stock {
	void *handle;
	STOCK_FORWARDED(STOCK_MEMBER)
	STOCK_WATCHED(STOCK_MEMBER)
};

extern struct stock stock;

/*
 * Finds, checks, opens and initialises the stock plugin. SLURM_SUCCESS, or
 * SLURM_ERROR when there is none: then our init() fails and Slurm goes on to
 * the next directory by itself (rule 1).
 */
int stock_load(void);
void stock_unload(void);

#endif
