#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# slurmctld under valgrind's memcheck with a short stream of jobs: no error and
# no definite leak in which code of ours has a part. What valgrind says of
# Slurm's own code, and of the libraries below it, is not ours to judge.

bats_require_minimum_version 1.5.0
load cluster

setup_file() {
	load cluster
	setup_path
	install_plugins
	start_cluster valgrind --nodes 8 --plugin "$plugins" \
		--leafspine-conf 'StatusFile=status.json' \
		--conf 'PreemptType=preempt/partition_prio' \
		--conf 'PreemptMode=REQUEUE' \
		--conf 'PartitionName=high Nodes=ALL PriorityTier=10 PreemptMode=OFF'
}

teardown_file() {
	load cluster
	[ ! -s "$BATS_FILE_TMPDIR/pid" ] ||
		kill "$(cat "$BATS_FILE_TMPDIR/pid")" 2>/dev/null || true
	stop_clusters
}

setup() {
	setup_path
	use_cluster valgrind
	report=$BATS_FILE_TMPDIR/valgrind.xml
}

# In place of the cluster's own. Without --keep-debuginfo, what is unloaded at
# the end would leave no names behind.
start_under_valgrind() {
	stop_controller
	valgrind --tool=memcheck --leak-check=full --keep-debuginfo=yes \
		--num-callers=30 --child-silent-after-fork=yes --xml=yes \
		--xml-file="$report" \
		slurmctld -D -f "$SLURM_CONF" >"$BATS_FILE_TMPDIR/said" 2>&1 3>&- &
	echo $! >"$BATS_FILE_TMPDIR/pid"
	until_true 60 controller_answers
	until_true 60 nodes_answer
}

stop_under_valgrind() {
	local pid

	pid=$(cat "$BATS_FILE_TMPDIR/pid")
	kill "$pid"
	until_true 60 gone "$pid"
	: >"$BATS_FILE_TMPDIR/pid"
}

# Waits for the job that it prints.
run_to() {
	local job

	job=$(submit "$@")
	until_true 60 is_running "$job"
	echo "$job"
}

# Every error with a frame in our plugins, or in a source file of ours; the text
# names both. Of leaks only those that are definite.
errors_of_ours() {
	awk -v plugins="$plugins/" '
		/^<error>/ { text = kind = ""; ours = 0; here = 1 }
		here { text = text $0 "\n" }
		here && /<kind>/ { kind = $0 }
		here && index($0, "<obj>" plugins) { ours = 1 }
		here && /<dir>.*\/src\/(core|slurm)<\/dir>/ { ours = 1 }
		/^<\/error>/ {
			here = 0
			if (ours && kind !~ /Leak_(Still|Possibly|Indirectly)/) {
				printf "%s", text
				found++
			}
		}
		END { exit !found }' "$report"
}

@test "slurmctld under valgrind: no error and no definite leak of ours" {
	local one two array waiting

	start_under_valgrind
	one=$(run_to -N2 --gpus-per-node=8 --parallelism=tp=8)
	[ "$(report "$one" | jq -r .placed_by)" = leafspine ]
	two=$(run_to -N1 --gpus-per-node=4 --comment=leafspine:tp=4)
	run_to --gpus=12 --parallelism=tp=4,model=llama3-8b
	array=$(submit --array=0-1 -N1 --gpus-per-node=4 --parallelism=tp=4)
	run_to -N1 --gpus-per-node=1
	submit -N2 --gpus-per-node=8 --comment=leafspine:tp=x
	submit -N1 --gpus-per-node=8 --contiguous --parallelism=tp=8
	waiting=$(submit -N8 --gpus-per-node=8 --parallelism=tp=8,pp=2)
	submit -N1 --exclusive --parallelism=tp=8
	scontrol update job="$waiting" NumNodes=6
	scontrol reconfigure
	scancel "$two" "$array"
	submit -p high -N6 --gpus-per-node=8 --parallelism=tp=8,pp=2
	until_true 60 was_preempted
	echo '{' >>"$cluster/etc/fabric.json"
	sed -i 's/^StatusFile=.*/&2/' "$cluster/etc/leafspine.conf"
	scontrol reconfigure
	until_true 60 logged 'last good'
	squeue -h -o %A | sort -u | xargs -r scancel
	until_true 60 nodes_answer
	stop_under_valgrind
	# It ran to its end, and our plugin was in it.
	grep -q '<state>FINISHED</state>' "$report"
	[ "$(jq .narrowed "$cluster/etc/status.json2")" -ge 3 ]
	run ! errors_of_ours
}

was_preempted() { grep -q 'preempted JobId' "$log"; }
