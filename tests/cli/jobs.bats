#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The job scripts of contrib/jobs, with stand-ins for Slurm and the launchers.
load cli

JOBS=$BATS_TEST_DIRNAME/../../contrib/jobs

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	while read -r name; do
		unset "$name"
	done < <(compgen -e | grep -E '^(SLURM|LEAFSPINE_|MASTER|GPUS_PER)')
	mkdir -p bin
	stand_in scontrol 'printf "n00\nn01\n"'
	# One task a node, as the second of two nodes sees it.
	stand_in srun 'export SLURM_NODEID=1 SLURM_PROCID=5 SLURM_LOCALID=1
		export SLURM_NTASKS=16
		exec "$@"'
	stand_in launcher 'printf "%s|" "$@"; echo
		echo "$RANK $WORLD_SIZE $LOCAL_RANK $MASTER_ADDR"'
	export PATH=$PWD/bin:$PATH
	export SLURM_JOB_ID=12 SLURM_JOB_NODELIST='n[00-01]'
	export SLURM_JOB_NUM_NODES=2 SLURM_GPUS_ON_NODE=8
}

# stand_in NAME TEXT: a program of that name.
stand_in() {
	printf '#!/bin/bash\n%s\n' "$2" >"bin/$1"
	chmod +x "bin/$1"
}

@test "torchrun.sbatch: the node's place in the order, the first node as master" {
	export TORCHRUN=launcher LEAFSPINE_NODE_RANK=0 MASTER_PORT=29500
	run -0 bash "$JOBS/torchrun.sbatch" train.py --a 'b c'
	[ "${lines[0]}" = "--nnodes|2|--nproc-per-node|8|--node-rank|0|--master-addr|n00|--master-port|29500|train.py|--a|b c|" ]
	unset LEAFSPINE_NODE_RANK MASTER_PORT
	GPUS_PER_NODE=4 run -0 bash "$JOBS/torchrun.sbatch" train.py
	[ "${lines[0]}" = "--nnodes|2|--nproc-per-node|4|--node-rank|1|--master-addr|n00|--master-port|20012|train.py|" ]
}

@test "megatron.sbatch: ranks as srun numbers them" {
	export PYTHON=launcher
	run -0 bash "$JOBS/megatron.sbatch" pretrain.py --a 'b c'
	[ "${lines[0]}" = "pretrain.py|--a|b c|" ]
	[ "${lines[1]}" = "5 16 1 n00" ]
}

@test "mpirun.sbatch: a line a process, in rank order, and no file left" {
	stand_in launcher '[ "$1" = --hostfile ] && paste -sd, "$2"
		shift 2
		printf "%s|" "$@"'
	export MPIRUN=launcher LEAFSPINE TMPDIR=$PWD/tmp
	mkdir tmp
	export SLURM_NTASKS=5 SLURM_TASKS_PER_NODE=3,2 LEAFSPINE_JOB_ID=12
	export LEAFSPINE_NODES_BY_RANK='n[01,00]'
	run -0 --separate-stderr bash "$JOBS/mpirun.sbatch" program --a 'b c'
	[ "${lines[0]}" = n01,n01,n00,n00,n00 ]
	[ "${lines[1]}" = "--map-by|seq|-np|5|program|--a|b c|" ]
	[ -z "$(ls tmp)" ]
	# No host file, no run.
	unset SLURM_JOB_NODELIST
	run -2 --separate-stderr bash "$JOBS/mpirun.sbatch" program
	[ -z "$output" ]
	[ -z "$(ls tmp)" ]
}
