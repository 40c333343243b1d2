/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stock: finds the stock plugin along PluginDir and links its entry points.
 *
 * It has our own name, so Slurm's loader would find us again: each directory
 * is looked into by hand, and what is our own file, or another copy of it, is
 * passed over (rule 1).
 */

#include "stock.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_NAME "select_cons_tres.so"
#define TYPE_NAME "select/cons_tres"

/* Exported, so that one copy of the plugin knows another by it. */
extern const char leafspine_plugin[];
const char leafspine_plugin[] = "leafspine";

struct stock stock;

#define STOCK_SLOT(type, name, parameters, arguments) \
	{ "select_p_" #name, offsetof(struct stock, name) },

static const struct slot {
	const char *symbol;
	size_t offset;
} slots[] = {
	STOCK_FORWARDED(STOCK_SLOT)
	STOCK_WATCHED(STOCK_SLOT)
};

static bool is_our_own(const struct stat *file)
{
	Dl_info info;
	struct stat own;

	return dladdr(leafspine_plugin, &info) && info.dli_fname &&
	       !stat(info.dli_fname, &own) && own.st_ino == file->st_ino &&
	       own.st_dev == file->st_dev;
}

/* The stock plugin of just this Slurm version, with its own id. */
static bool is_stock(void *handle)
{
	const char *type = dlsym(handle, "plugin_type");
	const uint32_t *version = dlsym(handle, "plugin_version");
	const uint32_t *id = dlsym(handle, "plugin_id");

	return type && !strcmp(type, TYPE_NAME) && version &&
	       *version == SLURM_VERSION_NUMBER && id &&
	       *id == SELECT_PLUGIN_CONS_TRES &&
	       !dlsym(handle, "leafspine_plugin");
}

/* A symbol that is missing would be fatal later on, so it is a failure here. */
static bool link_all(void *handle)
{
	for (size_t i = 0; i < sizeof(slots) / sizeof(*slots); i++) {
		void *symbol = dlsym(handle, slots[i].symbol);

		if (!symbol) {
			debug("leafspine: the stock plugin lacks %s",
			      slots[i].symbol);
			return false;
		}
		memcpy((char *)&stock + slots[i].offset, &symbol,
		       sizeof(symbol));
	}
	return true;
}

static bool initialise(void *handle)
{
	int (*stock_init)(void);

	*(void **)&stock_init = dlsym(handle, "init");
	return !stock_init || stock_init() == SLURM_SUCCESS;
}

static bool load_file(const char *path)
{
	struct stat file;
	void *handle;

	if (stat(path, &file) || !S_ISREG(file.st_mode) || is_our_own(&file))
		return false;
	handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (!handle) {
		debug("leafspine: %s: %s", path, dlerror());
		return false;
	}
	if (!is_stock(handle) || !link_all(handle) || !initialise(handle)) {
		dlclose(handle);
		return false;
	}
	stock.handle = handle;
	debug("leafspine: stock plugin is %s", path);
	return true;
}

int stock_load(void)
{
	const char *at = slurm_conf.plugindir;

	while (at && *at) {
		size_t length = strcspn(at, ":");
		char *path;

		if (asprintf(&path, "%.*s/" FILE_NAME, (int)length, at) < 0)
			return SLURM_ERROR;
		if (load_file(path)) {
			free(path);
			return SLURM_SUCCESS;
		}
		free(path);
		at += length;
		at += *at == ':';
	}
	/* Not at level info: clients print that on their standard error. */
	verbose("leafspine: no stock " FILE_NAME " in PluginDir");
	return SLURM_ERROR;
}

void stock_unload(void)
{
	void (*stock_fini)(void);

	if (!stock.handle)
		return;
	*(void **)&stock_fini = dlsym(stock.handle, "fini");
	if (stock_fini)
		stock_fini();
	dlclose(stock.handle);
	stock = (struct stock){ 0 };
}
