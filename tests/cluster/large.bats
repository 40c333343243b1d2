#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# 10,000 nodes, which are allocated but run nothing.

load cluster

setup_file() {
	load cluster
	setup_path
	install_plugins
	export plugins
	start_cluster large --nodes 10000 --leaf 32 --plugin "$plugins"
	export cluster SLURM_CONF fabric log
}

teardown_file() {
	load cluster
	stop_clusters
}

setup() {
	setup_path
}

# start NODES LEAVES: a job with a hint gets that many nodes under so few leaves.
start() {
	local job

	job=$(run_job -N"$1" --gpus-per-node=8 --parallelism=tp=8,pp=4)
	[ "$(squeue -h -j "$job" -o %D)" -eq "$1" ]
	[ "$(report "$job" | jq -r .placed_by)" = leafspine ]
	[ "$(report "$job" | jq -r .leaves)" -eq "$2" ]
}

@test "jobs of any size get their nodes, under as few leaves as can be" {
	start 32 1
	start 256 8
	start 1024 32
	start 4 1
	start 4096 128
}

@test "a job without a hint is placed as by stock Slurm" {
	job=$(run_job -N8 --gpus-per-node=8)
	[ -z "$(report "$job")" ]
}

@test "all nodes are still there when slurmctld has asked them to register" {
	sleep 5
	[ "$(grep -c 'not responding' "$log")" -eq 0 ]
	[ "$(sinfo -h -o %t | tr -d '\n')" = mixidle ] ||
		fail "$(sinfo -h -o '%t %D')"
	start 256 8
}
