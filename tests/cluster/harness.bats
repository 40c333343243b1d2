#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# contrib/cluster itself.

load cluster

setup() {
	setup_path
	cluster_tool=$srcdir/contrib/cluster
	# Where it puts clusters, and looks for them.
	TMPDIR=$(mktemp -d)
	chmod 0755 "$TMPDIR"
	export TMPDIR
	unset LEAFSPINE_CLUSTER SLURM_CONF
}

teardown() {
	for marker in "$TMPDIR"/*/cluster; do
		[ ! -e "$marker" ] ||
			"$cluster_tool" down --dir "$(dirname "$marker")"
	done
	rm -rf "$TMPDIR"
}

# Processes that have a file below the directory open.
processes_in() {
	find /proc/[0-9]*/fd -lname "$1/*" 2>/dev/null | cut -d/ -f3 | sort -u
}

@test "run starts a cluster, runs a command, stops it, leaves nothing" {
	run "$cluster_tool" run --nodes 4 -- timeout 60 srun -N3 printenv SLURMD_NODENAME
	[ "$status" -eq 0 ]
	[ "$(printf '%s\n' "${lines[@]}" | sort | paste -sd' ')" = 'n01 n02 n03' ]
	[ -z "$(ls -A "$TMPDIR")" ]
	[ -z "$(processes_in "$TMPDIR")" ]
}

@test "run gives the command's exit status" {
	run "$cluster_tool" run --nodes 2 sh -c 'exit 7'
	[ "$status" -eq 7 ]
	[ -z "$(ls -A "$TMPDIR")" ]
}

@test "down stops jobs that would rather stay" {
	"$cluster_tool" up --nodes 4
	"$cluster_tool" run sbatch -N2 -o /dev/null \
		--wrap 'trap "" TERM; sleep 1000'
	until_true 20 one_runs
	directory=$(dirname "$TMPDIR"/*/cluster)
	"$cluster_tool" down
	[ -z "$(ls -A "$TMPDIR")" ]
	[ -z "$(processes_in "$directory")" ]
}

one_runs() { "$cluster_tool" run squeue -h -t running | grep -q .; }

@test "two stand side by side" {
	"$cluster_tool" up --dir "$TMPDIR/leafspine-cluster.a" --nodes 3 &
	first=$!
	"$cluster_tool" up --dir "$TMPDIR/leafspine-cluster.b" --nodes 5 --gpus 4
	wait "$first"
	run "$cluster_tool" run sinfo
	[ "$status" -ne 0 ]
	[[ "$output" == *'several are up'* ]]
	[ "$("$cluster_tool" run --dir "$TMPDIR/leafspine-cluster.a" -- sinfo -h -o %D)" = 3 ]
	[ "$("$cluster_tool" run --dir "$TMPDIR/leafspine-cluster.b" -- sinfo -h -o '%D %G')" = \
		'5 gpu:h100:4' ]
	"$cluster_tool" down --dir "$TMPDIR/leafspine-cluster.a"
	[ "$("$cluster_tool" run -- timeout 60 srun -N5 hostname | wc -l)" -eq 5 ]
}

# use DIRECTORY: from here on its variables, as a user would set them.
use() { eval "$("$cluster_tool" env --dir "$1")"; }

gpus_by_node() {
	sbatch -W -N2 --gpus-per-node=8 -o "$TMPDIR/job" --wrap \
		'srun -N2 printenv SLURMD_NODENAME SLURM_GPUS_ON_NODE' &&
		sort "$TMPDIR/job" | paste -sd' '
}

@test "another Slurm: two clusters of 16 nodes side by side run jobs with GPUs" {
	[ -n "${LEAFSPINE_SLURM_PREFIX:-}" ] || skip 'no LEAFSPINE_SLURM_PREFIX'
	prefix=$LEAFSPINE_SLURM_PREFIX
	plain=$PATH
	"$cluster_tool" up --dir "$TMPDIR/a" --nodes 16 &
	first=$!
	# By its option, too; and later by what the cluster has noted.
	(
		unset LEAFSPINE_SLURM_PREFIX
		"$cluster_tool" up --dir "$TMPDIR/b" --slurm-prefix "$prefix" \
			--nodes 16
	)
	wait "$first"
	unset LEAFSPINE_SLURM_PREFIX
	for name in a b; do
		PATH=/usr/bin:/bin
		use "$TMPDIR/$name"
		[ "$(command -v sbatch)" = "$prefix/bin/sbatch" ]
		pid=$(cat "$TMPDIR/$name/run/slurmctld.pid")
		[[ "$(readlink "/proc/$pid/exe")" = "$prefix"/sbin/* ]]
		run gpus_by_node
		[ "$status" -eq 0 ]
		[ "${lines[-1]}" = '8 8 n01 n02' ]
		PATH=$plain
		unset LEAFSPINE_SLURM_PREFIX LEAFSPINE_CLUSTER SLURM_CONF
		"$cluster_tool" down --dir "$TMPDIR/$name"
		[ ! -e "$TMPDIR/$name" ]
		[ -z "$(processes_in "$TMPDIR/$name")" ]
	done
}

@test "every fabric of topology/ can be one, allocation only where large" {
	for file in "$srcdir"/topology/*.json "$srcdir/topology/topology.conf"; do
		"$cluster_tool" run --fabric "$file" -- sh -c \
			'timeout 60 salloc --no-shell -N2 && scontrol show topology' \
			>"$TMPDIR/../$(basename "$TMPDIR").out" 2>&1 ||
			fail "$file: $(cat "$TMPDIR/../$(basename "$TMPDIR").out")"
		grep -q SwitchName "$TMPDIR/../$(basename "$TMPDIR").out" ||
			fail "$file: no switch"
	done
	rm -f "$TMPDIR/../$(basename "$TMPDIR").out"
}

@test "10,000 nodes without slurmd" {
	run "$cluster_tool" run --nodes 10000 --leaf 32 -- \
		timeout 60 salloc --no-shell -N 1000 --gpus-per-node=8
	[ "$status" -eq 0 ]
	[ -z "$(ls -A "$TMPDIR")" ]
}

@test "a directory with something in it is refused, and left alone" {
	mkdir "$TMPDIR/mine"
	echo keep >"$TMPDIR/mine/file"
	run "$cluster_tool" up --dir "$TMPDIR/mine"
	[ "$status" -ne 0 ]
	[ "$(cat "$TMPDIR/mine/file")" = keep ]
	run "$cluster_tool" down --dir "$TMPDIR/mine"
	[ "$status" -ne 0 ]
	[ "$(cat "$TMPDIR/mine/file")" = keep ]
}
