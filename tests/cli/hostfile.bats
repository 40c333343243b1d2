#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# leafspine hostfile: the nodes of a job, in rank order.
load cli

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	# A job of our own, whatever the tests run in.
	while read -r name; do
		unset "$name"
	done < <(compgen -e | grep -E '^(SLURM|LEAFSPINE)_')
	export SLURM_JOB_ID=12 SLURM_JOB_NODELIST='n[00-03]'
	export LEAFSPINE_JOB_ID=12 LEAFSPINE_NODES_BY_RANK='n[03,00-02]'
}

@test "hostfile: names in rank order" {
	runs 0 hostfile
	printed $'n03\nn00\nn01\nn02'
	runs 0 hostfile --format plain
	printed $'n03\nn00\nn01\nn02'
}

@test "hostfile: node ranks for torchrun" {
	runs 0 hostfile --format torchrun
	printed $'0 n03\n1 n00\n2 n01\n3 n02'
}

@test "hostfile: tasks follow their nodes" {
	export SLURM_NTASKS=28 SLURM_TASKS_PER_NODE='8(x3),4'
	runs 0 hostfile --format openmpi
	printed $'n03 slots=4\nn00 slots=8\nn01 slots=8\nn02 slots=8'
	runs 0 hostfile --format mpich
	printed $'n03:4\nn00:8\nn01:8\nn02:8'
}

@test "hostfile: slots by what is known" {
	export SLURM_TASKS_PER_NODE='1(x4)' SLURM_GPUS_ON_NODE=8
	runs 0 hostfile --format mpich
	printed $'n03:8\nn00:8\nn01:8\nn02:8'
	export LEAFSPINE_GPUS_BY_RANK=8,8,8,4
	runs 0 hostfile --format mpich
	printed $'n03:8\nn00:8\nn01:8\nn02:4'
	export SLURM_NTASKS_PER_NODE=2 SLURM_TASKS_PER_NODE='2(x4)'
	runs 0 hostfile --format mpich
	printed $'n03:2\nn00:2\nn01:2\nn02:2'
	unset SLURM_TASKS_PER_NODE
	runs 0 hostfile --format mpich
	printed $'n03:2\nn00:2\nn01:2\nn02:2'
	runs 0 hostfile --format mpich --slots 3
	printed $'n03:3\nn00:3\nn01:3\nn02:3'
	unset SLURM_NTASKS_PER_NODE SLURM_GPUS_ON_NODE LEAFSPINE_GPUS_BY_RANK
	export SLURM_TASKS_PER_NODE='5(x4)'
	runs 0 hostfile --format mpich
	printed $'n03:5\nn00:5\nn01:5\nn02:5'
}

# in_slurms_order REASON: the nodes as Slurm has them, and why.
in_slurms_order() {
	runs 0 hostfile
	[ "$output" = $'n00\nn01\nn02\nn03' ]
	[ "$stderr" = "leafspine: $1: the nodes stand in Slurm's order" ]
}

@test "hostfile: where the order is not this job's" {
	LEAFSPINE_ORDER=off in_slurms_order "LEAFSPINE_ORDER=off"
	LEAFSPINE_JOB_ID=11 in_slurms_order \
		"LEAFSPINE_NODES_BY_RANK is of job 11"
	LEAFSPINE_JOB_ID='' in_slurms_order \
		"LEAFSPINE_NODES_BY_RANK is of no known job"
	LEAFSPINE_NODES_BY_RANK='n[03,00-01]' in_slurms_order \
		"LEAFSPINE_NODES_BY_RANK has other nodes than SLURM_JOB_NODELIST"
	LEAFSPINE_NODES_BY_RANK='n[00-02]' in_slurms_order \
		"LEAFSPINE_NODES_BY_RANK has other nodes than SLURM_JOB_NODELIST"
	LEAFSPINE_NODES_BY_RANK='n[03,00-01,01]' in_slurms_order \
		"LEAFSPINE_NODES_BY_RANK has other nodes than SLURM_JOB_NODELIST"
	unset LEAFSPINE_NODES_BY_RANK
	in_slurms_order "LEAFSPINE_NODES_BY_RANK is not set"
}

@test "hostfile: outside a job" {
	unset SLURM_JOB_NODELIST
	runs 2 hostfile
	said "leafspine: SLURM_JOB_NODELIST is not set, expected to run in a job"
}

# refused MESSAGE [OPTION...]
refused() {
	runs 2 hostfile "${@:2}"
	said "leafspine: $1"
}

@test "hostfile: what cannot be read" {
	refused "--format: expected plain, openmpi, mpich or torchrun, got 'lam'" \
		--format lam
	refused "hostfile: --slots is for the formats openmpi and mpich; see 'leafspine hostfile --help'" \
		--slots 8
	refused "neither SLURM_TASKS_PER_NODE nor SLURM_GPUS_ON_NODE is set, expected one of them or --slots N" \
		--format mpich
	SLURM_GPUS_ON_NODE=x refused \
		"SLURM_GPUS_ON_NODE: expected a whole number from 1 to 1000000, got 'x'" \
		--format mpich
	LEAFSPINE_GPUS_BY_RANK=8,8 refused \
		"LEAFSPINE_GPUS_BY_RANK: expected the GPUs of the job's 4 nodes, such as 8,8,4, got '8,8'" \
		--format mpich
	for tasks in '8(x3)' '8(x5)' '8(x3),' '8(x,1' 8,8,8,0 8,8,8,99999999999; do
		SLURM_NTASKS=4 SLURM_TASKS_PER_NODE=$tasks refused \
			"SLURM_TASKS_PER_NODE: expected the tasks of the job's 4 nodes, such as 8(x3),4, got '$tasks'" \
			--format mpich
	done
	SLURM_JOB_NODELIST='n[0' runs 2 hostfile
	[[ $stderr == "leafspine: SLURM_JOB_NODELIST: character "* ]]
	LEAFSPINE_NODES_BY_RANK='n[3' runs 2 hostfile
	[[ $stderr == "leafspine: LEAFSPINE_NODES_BY_RANK: character "* ]]
}
