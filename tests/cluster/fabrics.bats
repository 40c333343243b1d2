#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Fabrics that are not connected, nodes that are in none, CPU nodes.

load cluster

setup_file() {
	load cluster
	setup_path
	install_plugins
	cat >"$BATS_FILE_TMPDIR/two.json" <<-'END'
	{"nodes": [{"names": "a[1-8]"}, {"names": "b[1-8]"},
		{"names": "cpu[1-4]", "gpus": 0}],
	 "switches": [
	  {"name": "aleaf1", "tier": "leaf", "nodes": "a[1-4],cpu[1-2]",
	   "uplinks": [{"to": "aspine"}]},
	  {"name": "aleaf2", "tier": "leaf", "nodes": "a[5-8]",
	   "uplinks": [{"to": "aspine"}]},
	  {"name": "aspine", "tier": "spine"},
	  {"name": "bleaf1", "tier": "leaf", "nodes": "b[1-4],cpu[3-4]",
	   "uplinks": [{"to": "bspine"}]},
	  {"name": "bleaf2", "tier": "leaf", "nodes": "b[5-8]",
	   "uplinks": [{"to": "bspine"}]},
	  {"name": "bspine", "tier": "spine"}]}
	END
	# Without topology/tree, stock Slurm knows nothing of fabrics.
	start_cluster two --fabric "$BATS_FILE_TMPDIR/two.json" \
		--plugin "$plugins" --topology none
	start_cluster stock --fabric "$BATS_FILE_TMPDIR/two.json" \
		--topology none
}

teardown_file() {
	load cluster
	stop_clusters
}

setup() {
	setup_path
	use_cluster two
}

teardown() {
	use_cluster stock
	cancel_all
	use_cluster two
	cancel_all
}

fabrics_of() {
	scontrol show hostnames "$1" | tr -d 0-9 | sort -u | grep -v cpu |
		tr '\n' ' '
}

@test "a job as large as one fabric lies in one, whatever else is free" {
	run_job -w a1 -N1 --gpus-per-node=8
	job=$(run_job -N8 --gpus-per-node=8 --parallelism=tp=8)
	[ "$(fabrics_of "$(nodes_of "$job")")" = 'b ' ]
}

@test "a job that no fabric can hold pends, and we say why" {
	job=$(submit -N12 --gpus-per-node=8 --parallelism=tp=8)
	until_true 30 says_why "$job"
	[ "$(state_of "$job")" = PENDING ]
	# Stock Slurm, and a job without a hint, take both.
	[ "$(fabrics_of "$(nodes_of "$(run_job -N12 --gpus-per-node=8)")")" = \
		'a b ' ]
	[ "$(state_of "$job")" = PENDING ]
}

says_why() { report "$1" | jq -e '.why | length > 0' >/dev/null; }

@test "a job that must wait is never spread over two fabrics" {
	run_job -w 'a[1-3]' -N3 --gpus-per-node=8
	first=$(submit -w 'b[1-2]' -N2 --gpus-per-node=8 -t 10)
	until_true 20 is_running "$first"
	# 11 nodes are free, 5 and 6 of them together.
	job=$(submit -N7 --gpus-per-node=8 --parallelism=tp=8 -t 10)
	run sbatch --test-only -N7 --gpus-per-node=8 --parallelism=tp=8 \
		--wrap true
	nodes=$(sed -n 's/.* on nodes \([^ ]*\) in partition.*/\1/p' <<<"$output")
	[ "$(fabrics_of "$nodes")" = 'b ' ]
	[ "$(state_of "$job")" = PENDING ]
	scancel "$first"
	until_true 40 is_running "$job"
	[ "$(fabrics_of "$(nodes_of "$job")")" = 'b ' ]
}

# What the engine does not choose for is held to one fabric all the same.
@test "jobs that are left to Slurm stay in one fabric" {
	run_job -w 'a[1-2]' -N2 --gpus-per-node=8
	run_job -w 'b[1-3]' -N3 --gpus-per-node=8
	for options in '--contiguous --parallelism=tp=8' '--parallelism=tp=7' \
		'--spread-job --parallelism=tp=8'; do
		# shellcheck disable=SC2086
		job=$(run_job -N6 --gpus-per-node=8 $options)
		[ "$(fabrics_of "$(nodes_of "$job")")" = 'a ' ] ||
			fail "$options: $(nodes_of "$job")"
		scancel "$job"
		until_true 20 gone_from_queue "$job"
	done
}

gone_from_queue() { [ -z "$(squeue -h -j "$1" -o %A 2>/dev/null)" ]; }

@test "many jobs at random, none of them in two fabrics" {
	RANDOM=31
	for ((i = 0; i < 40; i++)); do
		submit -N $((RANDOM % 7 + 1)) --gpus-per-node=$((RANDOM % 2 * 4 + 4)) \
			-t $((RANDOM % 9 + 1)) --parallelism=tp=$((RANDOM % 3 + 1))
	done
	until_true 60 few_left
	for ((i = 0; i < 25; i++)); do
		squeue -h -t running -o '%A %N' >"$BATS_TEST_TMPDIR/now"
		while read -r job nodes; do
			[ "$(fabrics_of "$nodes" | wc -w)" -eq 1 ] ||
				fail "job $job: $nodes"
		done <"$BATS_TEST_TMPDIR/now"
		read -r job _ <"$BATS_TEST_TMPDIR/now" || break
		scancel "$job"
		until_true 20 gone_from_queue "$job"
	done
}

few_left() { squeue -h -t running -o %A | grep -q .; }

@test "jobs without GPUs are placed as by stock Slurm" {
	RANDOM=8
	for ((i = 0; i < 12; i++)); do
		options=(-N $((RANDOM % 10 + 1)) -c $((RANDOM % 16 + 1)))
		for hint in '' leafspine:tp=8; do
			use_cluster stock
			stock=$(nodes_of "$(run_job "${options[@]}")")
			use_cluster two
			[ "$(nodes_of "$(run_job "${options[@]}" \
				--comment "$hint")")" = "$stock" ]
		done
		[ $((i % 3)) -ne 2 ] || teardown
	done
}

@test "nodes that the fabric does not know are used as by stock Slurm" {
	# Slurm has a node more than the fabric, and it comes first.
	jq 'del(.nodes[0], .switches[0:3])
		| .nodes[1].names = "cpu[3-4]"' "$BATS_FILE_TMPDIR/two.json" \
		>"$cluster/etc/part.json"
	cp "$cluster/etc/leafspine.conf" "$BATS_TEST_TMPDIR/kept"
	sed -i "s|^Fabric=.*|Fabric=part.json|" "$cluster/etc/leafspine.conf"
	scontrol reconfigure
	job=$(run_job -w a1 -N2 --gpus-per-node=8 --parallelism=tp=8)
	[ "$(nodes_of "$job")" = 'a[1-2]' ]
	# Known nodes are preferred, unknown ones fill up.
	job=$(run_job -N8 --gpus-per-node=8 --parallelism=tp=8)
	[ "$(fabrics_of "$(nodes_of "$job")")" = 'b ' ]
	job=$(run_job -N3 --gpus-per-node=8 --parallelism=tp=8)
	[ "$(nodes_of "$job")" = 'a[3-5]' ]
	cp "$BATS_TEST_TMPDIR/kept" "$cluster/etc/leafspine.conf"
	scontrol reconfigure
}
