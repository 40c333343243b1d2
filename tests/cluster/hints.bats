#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# How a hint reaches slurmctld, and what is told of the job.

load cluster

setup_file() {
	load cluster
	setup_path
	install_plugins
	start_cluster hints --nodes 16 --leaf 4 --plugin "$plugins"
}

teardown_file() {
	load cluster
	stop_clusters
}

setup() {
	setup_path
	use_cluster hints
}

teardown() {
	cancel_all
}

@test "the option takes a hint: sbatch, salloc, srun, #SBATCH" {
	job=$(submit -N2 --gpus-per-node=8 --parallelism=tp=8,dp=2)
	until_true 20 is_running "$job"
	[ "$(report "$job" | jq -r .hint)" = tp=8,dp=2 ]
	job=$(run_job -N2 --gpus-per-node=8 --parallelism=tp=8)
	[ "$(report "$job" | jq -r .hint)" = tp=8 ]
	job=$(timeout 60 srun -N2 --gpus-per-node=8 --parallelism=pp=2 \
		printenv SLURM_JOB_ID | head -n 1)
	[ "$(report "$job" | jq -r .hint)" = pp=2 ]
	job=$(sbatch --parsable -o /dev/null <<-'END'
	#!/bin/sh
	#SBATCH -N2 --gpus-per-node=8 --parallelism=tp=4
	sleep 100
	END
	)
	until_true 20 is_running "$job"
	[ "$(report "$job" | jq -r .hint)" = tp=4 ]
}

@test "a word in the comment does without the option, the option wins" {
	job=$(run_job -N2 --gpus-per-node=8 \
		--comment 'run 7 leafspine:tp=8,pp=2 of ours')
	[ "$(report "$job" | jq -r .hint)" = tp=8,pp=2 ]
	[ "$(field "$job" Comment)" = run ]
	job=$(run_job -N2 --gpus-per-node=8 --comment leafspine:tp=8,pp=2 \
		--parallelism=tp=2)
	[ "$(report "$job" | jq -r .hint)" = tp=2 ]
}

@test "a hint that cannot be read is refused with the engine's message" {
	printf '#!/bin/sh\n' >"$BATS_TEST_TMPDIR/script"
	chmod +x "$BATS_TEST_TMPDIR/script"
	for command in sbatch salloc srun; do
		run "$command" -N1 --gpus-per-node=8 --parallelism=tp=eight \
			"$BATS_TEST_TMPDIR/script"
		[ "$status" -ne 0 ]
		engine=$(leafspine place --fabric "$fabric" \
			--parallelism tp=eight --nodes 1 2>&1 | grep -o 'tp: .*')
		[[ "$output" == *"$engine"* ]] || fail "$output, not $engine"
	done
	[ -z "$(squeue -h -o %A)" ]
}

@test "one that is in the comment only is told of, and placed as by Slurm" {
	job=$(run_job -N2 --gpus-per-node=8 --comment 'leafspine:tp=8,tp=4')
	is_running "$job"
	[ "$(nodes_of "$job")" = 'n[01-02]' ]
	[ "$(report "$job" | jq -r .placed_by)" = slurm ]
	[[ "$(report "$job" | jq -r .why)" == tp:* ]]
}

@test "a hint that does not fit is told of, and placed as by Slurm" {
	job=$(run_job -N2 --gpus-per-node=8 --parallelism=tp=7)
	is_running "$job"
	[ "$(report "$job" | jq -r .placed_by)" = slurm ]
	[ -n "$(report "$job" | jq -r .why)" ]
}

@test "a job without a hint, or with off, is no business of ours" {
	job=$(run_job -N2 --gpus-per-node=8)
	[ "$(nodes_of "$job")" = 'n[01-02]' ]
	[ -z "$(report "$job")" ]
	job=$(run_job -N2 --gpus-per-node=8 --parallelism=off)
	[ -z "$(report "$job")" ]
}

@test "a job that is submitted from within a job does not inherit the hint" {
	cat >"$BATS_TEST_TMPDIR/outer" <<-'END'
	#!/bin/sh
	#SBATCH -N2 --gpus-per-node=8 --parallelism=tp=8,dp=2
	env | grep SPANK
	sbatch --parsable -N3 --gpus-per-node=8 -o /dev/null --wrap 'sleep 100'
	sbatch --parsable -N3 --gpus-per-node=8 -o /dev/null --parallelism=tp=4 --wrap 'sleep 100'
	END
	timeout 60 sbatch -W -o "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/outer"
	grep -q parallelism "$BATS_TEST_TMPDIR/out"
	mapfile -t inner < <(grep -x '[0-9]*' "$BATS_TEST_TMPDIR/out")
	[ "${#inner[@]}" -eq 2 ]
	until_true 20 is_running "${inner[0]}"
	until_true 20 is_running "${inner[1]}"
	[ -z "$(report "${inner[0]}")" ]
	[ "$(report "${inner[1]}" | jq -r .hint)" = tp=4 ]
}

@test "others' words in the admin comment stay, ours are replaced" {
	job=$(sbatch --parsable -H --requeue -N2 --gpus-per-node=8 \
		-o /dev/null --parallelism=tp=8 --wrap 'sleep 1000')
	scontrol update job="$job" admincomment='ticket {4711} leafspine is nice'
	scontrol release "$job"
	until_true 20 is_running "$job"
	[[ "$(admin_comment "$job")" == 'ticket {4711} leafspine is nice leafspine{'*'}'* ]]
	[ "$(report "$job" | jq -r .hint)" = tp=8 ]
	scontrol update job="$job" admincomment="$(admin_comment "$job") and more"
	scontrol requeue "$job"
	until_true 30 is_requeued "$job"
	# Slurm would wait two minutes.
	scontrol update jobid="$job" starttime=now
	until_true 30 is_running_again "$job"
	[[ "$(admin_comment "$job")" == 'ticket {4711} leafspine is nice leafspine{'*'} and more'* ]]
	[ "$(admin_comment "$job" | grep -o 'leafspine{' | wc -l)" -eq 1 ]
}

is_running_again() {
	is_running "$1" && [ "$(field "$1" Restarts)" = 1 ]
}

@test "each task of an array is placed and told of by itself" {
	job=$(submit --array=0-2 -N4 --gpus-per-node=8 --parallelism=tp=8)
	for task in 0 1 2; do
		until_true 20 is_running "${job}_$task"
		[ "$(leaves_of "$(nodes_of "${job}_$task")")" -eq 1 ]
		[ "$(report "${job}_$task" | jq .spine_bytes)" = 0 ]
		[ "$(report "${job}_$task" | jq -r .placed_by)" = leafspine ]
	done
}

@test "both parts of a heterogeneous job are placed" {
	job=$(sbatch --parsable -N3 --gpus-per-node=8 --parallelism=tp=8 : \
		-N3 --gpus-per-node=8 --parallelism=tp=4 -o /dev/null \
		--wrap 'sleep 100')
	until_true 60 both_run "$job"
	squeue -h -j "$job" -o %N | while read -r nodes; do
		[ "$(leaves_of "$nodes")" -eq 1 ]
	done
}

both_run() { [ "$(squeue -h -j "$1" -o %T | grep -c RUNNING)" -eq 2 ]; }

@test "the report's numbers are those of what the job got" {
	run_job -w 'n[01-02,05-07,09-11,13-15]' -N11 --gpus-per-node=8
	job=$(run_job -N4 --gpus-per-node=8 --parallelism=tp=8,pp=2)
	nodes=$(report "$job" | jq -r .nodes)
	[ "$(scontrol show hostnames "$nodes")" = \
		"$(scontrol show hostnames "$(nodes_of "$job")")" ]
	score=$(leafspine score --fabric "$fabric" --parallelism tp=8,pp=2 \
		--placement "$nodes" --json)
	for key in spine_bytes core_bytes leaves; do
		[ "$(jq ".$key" <<<"$score")" = \
			"$(report "$job" | jq ".$key")" ]
	done
}
