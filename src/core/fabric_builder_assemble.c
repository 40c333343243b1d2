/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a builder without faults to the arrays of a fabric. */
#define _GNU_SOURCE 1
#include "fabric_private.h"

#include <stdlib.h>

#include "noderange.h"

int builder_group(const uint32_t *keys, size_t count, size_t key_count,
		  uint32_t **ret_first, uint32_t **ret_order)
{
	uint32_t *first = array_new(key_count + 2, sizeof(*first));
	uint32_t *order = array_new(count, sizeof(*order));

	if (!first || !order) {
		free(first);
		free(order);
		return -1;
	}
	/* first[k + 2] counts, then first[k + 1] is where k's next one goes. */
	for (size_t i = 0; i < count; i++)
		if (keys[i] != FABRIC_NONE)
			first[keys[i] + 2]++;
	for (size_t k = 2; k < key_count + 2; k++)
		first[k] += first[k - 1];
	for (size_t i = 0; i < count; i++)
		if (keys[i] != FABRIC_NONE)
			order[first[keys[i] + 1]++] = (uint32_t)i;
	*ret_first = first;
	*ret_order = order;
	return 0;
}

/* Where the builder's nodes and switches stand in the fabric. */
struct places {
	uint32_t *node;		/* by index in the builder */
	uint32_t *sw;		/* FABRIC_NONE: left out */
};

struct sorted_node {
	const char *name;
	uint32_t index;
};

static int compare_names(const void *left, const void *right)
{
	const struct sorted_node *a = left;
	const struct sorted_node *b = right;

	return noderange_compare(a->name, b->name);
}

/* Files list nodes in order most often: sort only what is not. */
static void sort_nodes(struct sorted_node *sorted, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (compare_names(&sorted[i - 1], &sorted[i]) > 0) {
			qsort(sorted, count, sizeof(*sorted), compare_names);
			return;
		}
	}
}

static int place_nodes(struct fabric_builder *builder, struct fabric *fabric,
		       uint32_t *places)
{
	size_t count = builder->node_count;
	struct sorted_node *sorted = array_new(count, sizeof(*sorted));

	fabric->nodes = array_new(count, sizeof(*fabric->nodes));
	if (!sorted || !fabric->nodes) {
		free(sorted);
		return -1;
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t symbol = builder->nodes[i].symbol;

		sorted[i].name = builder->symbols[symbol].name;
		sorted[i].index = (uint32_t)i;
	}
	sort_nodes(sorted, count);
	for (size_t i = 0; i < count; i++) {
		const struct builder_node *node =
			&builder->nodes[sorted[i].index];

		places[sorted[i].index] = (uint32_t)i;
		fabric->nodes[i] = (struct fabric_node) {
			.gpus = node->gpus,
			.nics = node->nics,
			.nic_gbps = node->nic_gbps,
		};
	}
	fabric->node_count = (uint32_t)count;
	free(sorted);
	return 0;
}

static int place_switches(struct fabric_builder *builder,
			  struct fabric *fabric, uint32_t *places)
{
	fabric->switches = array_new(builder->switch_count,
				     sizeof(*fabric->switches));
	if (!fabric->switches)
		return -1;
	for (size_t i = 0; i < builder->switch_count; i++) {
		const struct builder_switch *sw = &builder->switches[i];

		places[i] = FABRIC_NONE;
		if (!sw->compute) {
			fabric->left_out_count++;
			continue;
		}
		places[i] = fabric->switch_count++;
		fabric->switches[places[i]].tier = sw->tier;
	}
	return 0;
}

/* A name may be that of a node and of a switch, so that each has its own. */
static int copy_names(struct fabric_builder *builder, struct fabric *fabric,
		      const struct places *places)
{
	for (size_t i = 0; i < builder->node_count; i++) {
		struct fabric_node *node = &fabric->nodes[places->node[i]];

		node->name = strdup(
			builder->symbols[builder->nodes[i].symbol].name);
		if (!node->name)
			return -1;
	}
	for (size_t i = 0; i < builder->switch_count; i++) {
		struct fabric_switch *sw;

		if (places->sw[i] == FABRIC_NONE)
			continue;
		sw = &fabric->switches[places->sw[i]];
		sw->name = strdup(
			builder->symbols[builder->switches[i].symbol].name);
		if (!sw->name)
			return -1;
	}
	fabric->name = strdup(builder->name ? builder->name : "");
	return fabric->name ? 0 : -1;
}

/* Domains get numbers in the order of their first nodes. */
static void number_domains(struct fabric_builder *builder,
			   struct fabric *fabric, const uint32_t *node_places,
			   uint32_t *domain_symbols)
{
	for (size_t i = 0; i < builder->node_count; i++)
		domain_symbols[node_places[i]] = builder->nodes[i].domain;
	for (uint32_t i = 0; i < fabric->node_count; i++) {
		uint32_t *number;

		if (domain_symbols[i] == FABRIC_NONE) {
			fabric->nodes[i].domain = fabric->domain_count++;
			continue;
		}
		number = &builder->symbols[domain_symbols[i]].domain;
		if (*number == FABRIC_NONE)
			*number = fabric->domain_count++;
		fabric->nodes[i].domain = *number;
	}
}

static int compare_cables(const void *left, const void *right)
{
	const struct fabric_cable *a = left;
	const struct fabric_cable *b = right;

	if (a->rail != b->rail)
		return a->rail < b->rail ? -1 : 1;
	return a->leaf < b->leaf ? -1 : a->leaf > b->leaf;
}

static void fill_cable(struct fabric *fabric, const struct fabric_node *node,
		       const struct builder_cable *from, uint32_t leaf)
{
	fabric->cables[fabric->cable_count++] = (struct fabric_cable) {
		.leaf = leaf,
		.rail = from->rail,
		.gbps = from->rail == FABRIC_ALL_RAILS
			? node->nics * node->nic_gbps : node->nic_gbps,
	};
	fabric->switches[leaf].node_count++;
	if (from->rail != FABRIC_ALL_RAILS)
		fabric->has_rails = true;
}

/* KEYS: scratch, one for each cable of the builder. */
static int place_cables(struct fabric_builder *builder, struct fabric *fabric,
			const struct places *places, uint32_t *keys)
{
	uint32_t *first;
	uint32_t *order;

	fabric->cables = array_new(builder->cable_count,
				   sizeof(*fabric->cables));
	for (size_t i = 0; i < builder->cable_count; i++)
		keys[i] = builder->cables[i].node == FABRIC_NONE ? FABRIC_NONE
			: places->node[builder->cables[i].node];
	if (!fabric->cables ||
	    builder_group(keys, builder->cable_count, fabric->node_count,
			  &first, &order))
		return -1;
	for (uint32_t i = 0; i < fabric->node_count; i++) {
		struct fabric_node *node = &fabric->nodes[i];

		node->first_cable = fabric->cable_count;
		node->cable_count = first[i + 1] - first[i];
		for (uint32_t k = first[i]; k < first[i + 1]; k++) {
			const struct builder_cable *from =
				&builder->cables[order[k]];

			fill_cable(fabric, node, from,
				   places->sw[from->leaf]);
		}
		qsort(fabric->cables + node->first_cable, node->cable_count,
		      sizeof(*fabric->cables), compare_cables);
	}
	free(first);
	free(order);
	return 0;
}

/* KEYS: scratch, one for each uplink of the builder. */
static int place_uplinks(struct fabric_builder *builder, struct fabric *fabric,
			 const struct places *places, uint32_t *keys)
{
	uint32_t *first;
	uint32_t *order;

	fabric->uplinks = array_new(builder->uplink_count,
				    sizeof(*fabric->uplinks));
	for (size_t i = 0; i < builder->uplink_count; i++)
		keys[i] = builder->uplinks[i].to == FABRIC_NONE ? FABRIC_NONE
			: places->sw[builder->uplinks[i].from];
	if (!fabric->uplinks ||
	    builder_group(keys, builder->uplink_count, fabric->switch_count,
			  &first, &order))
		return -1;
	for (uint32_t i = 0; i < fabric->switch_count; i++) {
		fabric->switches[i].first_uplink = first[i];
		fabric->switches[i].uplink_count = first[i + 1] - first[i];
	}
	fabric->uplink_count = first[fabric->switch_count];
	for (uint32_t i = 0; i < fabric->uplink_count; i++) {
		const struct builder_uplink *from = &builder->uplinks[order[i]];

		fabric->uplinks[i] = (struct fabric_uplink) {
			.to = places->sw[from->to],
			.count = from->count,
			.gbps = from->gbps,
		};
	}
	free(first);
	free(order);
	return 0;
}

static int fill_fabric(struct fabric_builder *builder, struct fabric *fabric,
		       const struct places *places, uint32_t *scratch)
{
	if (place_nodes(builder, fabric, places->node) ||
	    place_switches(builder, fabric, places->sw) ||
	    copy_names(builder, fabric, places))
		return -1;
	number_domains(builder, fabric, places->node, scratch);
	if (place_cables(builder, fabric, places, scratch))
		return -1;
	return place_uplinks(builder, fabric, places, scratch);
}

struct fabric *builder_assemble(struct fabric_builder *builder)
{
	struct fabric *fabric = calloc(1, sizeof(*fabric));
	struct places places = {
		.node = array_new(builder->node_count, sizeof(uint32_t)),
		.sw = array_new(builder->switch_count, sizeof(uint32_t)),
	};
	size_t most = builder->node_count;
	uint32_t *scratch;

	if (builder->cable_count > most)
		most = builder->cable_count;
	if (builder->uplink_count > most)
		most = builder->uplink_count;
	scratch = array_new(most, sizeof(*scratch));
	if (!fabric || !places.node || !places.sw || !scratch ||
	    fill_fabric(builder, fabric, &places, scratch)) {
		fabric_free(fabric);
		fabric = NULL;
	}
	free(places.node);
	free(places.sw);
	free(scratch);
	return fabric;
}
