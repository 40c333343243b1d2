#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Where jobs lie, for each way of asking that Slurm knows.

load cluster

setup_file() {
	load cluster
	setup_path
	install_plugins
	start_cluster placing --nodes 16 --leaf 4 --plugin "$plugins" \
		--conf 'PreemptType=preempt/partition_prio' \
		--conf 'PreemptMode=REQUEUE' \
		--conf 'PartitionName=other Nodes=ALL MaxTime=INFINITE State=UP' \
		--conf 'PartitionName=high Nodes=ALL PriorityTier=10 State=UP PreemptMode=OFF'
}

teardown_file() {
	load cluster
	stop_clusters
}

setup() {
	setup_path
	use_cluster placing
}

teardown() {
	scontrol update nodename="n[01-16]" weight=1
	cancel_all
}

# Leaves 1 to 3 have 3, 2 and 3 nodes free, leaf 4 all: stock Slurm's order of
# nodes is no help to a job of 4.
half_busy() {
	run_job -w 'n[01,05,08,09]' -N4 --gpus-per-node=8
}

lies_in_one_leaf() {
	[ "$(leaves_of "$(nodes_of "$1")")" -eq 1 ] ||
		fail "job $1 has $(nodes_of "$1")"
}

is_ours() { [ "$(report "$1" | jq -r .placed_by)" = leafspine ]; }

@test "whole nodes: one leaf where one will do, the tightest" {
	half_busy
	job=$(run_job -N2 --gpus-per-node=8 --parallelism=tp=8)
	is_ours "$job"
	[ "$(nodes_of "$job")" = 'n[06-07]' ]
	job=$(run_job -N4 --gpus-per-node=8 --parallelism=tp=8)
	[ "$(nodes_of "$job")" = 'n[13-16]' ]
}

@test "--gpus=N without nodes" {
	half_busy
	job=$(run_job --gpus=32 -n32 --parallelism=tp=8)
	is_ours "$job"
	[ "$(nodes_of "$job")" = 'n[13-16]' ]
	job=$(run_job --gpus=12 -n12 --parallelism=tp=4)
	is_ours "$job"
	lies_in_one_leaf "$job"
	[ "$(report "$job" | jq .leaves)" = 1 ]
}

@test "--gpus=N over nodes that are partly used" {
	run_job -w 'n[01-16]' -N16 --gpus-per-node=4
	job=$(run_job --gpus=16 -n16 --parallelism=tp=4)
	is_ours "$job"
	lies_in_one_leaf "$job"
}

@test "GPUs per task, tasks per node" {
	half_busy
	job=$(run_job -n16 --ntasks-per-node=4 --gpus-per-task=2 \
		--parallelism=tp=8)
	is_ours "$job"
	[ "$(nodes_of "$job")" = 'n[13-16]' ]
}

@test "a part of a node takes the fullest that fits" {
	run_job -w n07 -N1 --gpus-per-node=4
	job=$(run_job -N1 --gpus-per-node=4 --parallelism=tp=4)
	is_ours "$job"
	[ "$(nodes_of "$job")" = n07 ]
}

@test "a range of nodes gets as many as Slurm would like" {
	job=$(run_job -N2-6 --gpus-per-node=8 --parallelism=tp=8)
	is_ours "$job"
	[ "$(field "$job" NumNodes)" = 6 ]
}

@test "a kind of GPU by name" {
	half_busy
	job=$(run_job -N4 --gpus-per-node=h100:8 --parallelism=tp=8)
	is_ours "$job"
	[ "$(nodes_of "$job")" = 'n[13-16]' ]
}

@test "required and excluded nodes" {
	job=$(run_job -N3 -w n06 --gpus-per-node=8 --parallelism=tp=8)
	is_ours "$job"
	[[ ,$(scontrol show hostnames "$(nodes_of "$job")" |
		paste -sd,), == *,n06,* ]]
	lies_in_one_leaf "$job"
	job=$(run_job -N3 -x 'n[13-14]' --gpus-per-node=8 --parallelism=tp=8)
	is_ours "$job"
	lies_in_one_leaf "$job"
	[ "$(nodes_of "$job" | grep -c 'n1[34]')" -eq 0 ]
}

@test "--exclusive, with and without a word of GPUs" {
	run_job -w 'n[01,05,09]' -N3 -c1
	for options in '--gpus-per-node=8' ''; do
		# shellcheck disable=SC2086
		job=$(run_job -N4 --exclusive $options --parallelism=tp=8)
		is_ours "$job"
		[ "$(nodes_of "$job")" = 'n[13-16]' ]
		scancel "$job"
		until_true 20 all_but_three
	done
}

all_but_three() { [ "$(sinfo -h -N -p main -t idle -o %N | wc -l)" -eq 13 ]; }

@test "node weights: whole groups, the lowest first" {
	scontrol update nodename='n[13-16]' weight=100
	run_job -w 'n[01,05,09]' -N3 --gpus-per-node=8
	job=$(run_job -N4 --gpus-per-node=8 --parallelism=tp=8)
	is_ours "$job"
	[ "$(nodes_of "$job" | grep -c 'n1[3-6]')" -eq 0 ]
	job=$(run_job -N6 --gpus-per-node=8 --parallelism=tp=8)
	is_ours "$job"
}

@test "--switches" {
	half_busy
	job=$(run_job -N4 --switches=1 --gpus-per-node=8 --parallelism=tp=8)
	is_ours "$job"
	lies_in_one_leaf "$job"
	job=$(run_job -N5 --switches=1@0:01 --gpus-per-node=8 \
		--parallelism=tp=8)
	is_running "$job"
}

@test "reservations" {
	half_busy
	scontrol create reservation reservationname=r starttime=now \
		duration=10 user=root nodes='n[02-04,10-12,13]' >/dev/null
	job=$(run_job -N3 --reservation=r --gpus-per-node=8 --parallelism=tp=8)
	is_ours "$job"
	lies_in_one_leaf "$job"
	out=$(run_job -N2 --gpus-per-node=8 --parallelism=tp=8)
	lies_in_one_leaf "$out"
	scancel "$job" "$out"
	until_true 20 is_gone "$job"
	scontrol delete reservation=r
}

is_gone() { ! squeue -h -j "$1" -o %A 2>/dev/null | grep -q .; }

@test "preemption: what must go lies where the job would like to be" {
	for nodes in 'n[01-04]' 'n[05-08]' 'n[09-12]' 'n[13-16]'; do
		submit -w "$nodes" -N4 --gpus-per-node=8
	done
	until_true 20 all_allocated
	job=$(submit -p high -N4 --gpus-per-node=8 --parallelism=tp=8)
	until_true 60 is_running "$job"
	lies_in_one_leaf "$job"
	[ "$(squeue -h -p main -t running -o %A | wc -l)" -eq 3 ]
}

all_allocated() { [ "$(squeue -h -t running -o %A | wc -l)" -eq 4 ]; }

@test "backfill and --test-only plan where the job will lie" {
	half_busy
	submit -N16 --gpus-per-node=8 -t 100
	run sbatch --test-only -N4 --gpus-per-node=8 -t 1 --parallelism=tp=8 \
		--wrap true
	[[ "$output" == *'n[13-16]'* ]]
	job=$(submit -N4 --gpus-per-node=8 -t 1 --parallelism=tp=8)
	until_true 40 is_running "$job"
	[ "$(nodes_of "$job")" = 'n[13-16]' ]
}

@test "suspended, resumed, requeued and shrunk jobs" {
	job=$(submit -N4 --gpus-per-node=8 --parallelism=tp=8)
	until_true 20 is_running "$job"
	scontrol suspend "$job"
	other=$(run_job -N4 --gpus-per-node=8 --parallelism=tp=8)
	lies_in_one_leaf "$other"
	scontrol resume "$job"
	until_true 20 is_running "$job"
	scontrol update job="$job" numnodes=2
	[ "$(field "$job" NumNodes)" = 2 ]
	third=$(run_job -N2 --gpus-per-node=8 --parallelism=tp=8)
	lies_in_one_leaf "$third"
}

@test "only jobs of the named partitions are steered" {
	echo 'Partitions=main' >>"$cluster/etc/leafspine.conf"
	scontrol reconfigure
	job=$(run_job -p other -N1 --gpus-per-node=8 --parallelism=tp=8)
	[ -z "$(report "$job")" ]
	job=$(run_job -p main -N1 --gpus-per-node=8 --parallelism=tp=8)
	is_ours "$job"
	sed -i '/^Partitions/d' "$cluster/etc/leafspine.conf"
	scontrol reconfigure
}

@test "NoHint=default steers jobs that say nothing" {
	echo 'NoHint=default' >>"$cluster/etc/leafspine.conf"
	scontrol reconfigure
	half_busy
	job=$(run_job -N4 --gpus-per-node=8)
	is_ours "$job"
	[ "$(nodes_of "$job")" = 'n[13-16]' ]
	sed -i '/^NoHint/d' "$cluster/etc/leafspine.conf"
	scontrol reconfigure
}
