#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Accounting by slurmdbd: what it keeps of leafspine, and limits that hold.

load cluster

setup_file() {
	load cluster
	setup_path
	install_plugins
	local options=(--nodes 8 --leaf 4 --accounting
		--conf PreemptType=preempt/qos --conf PreemptMode=REQUEUE)

	start_cluster stock "${options[@]}"
	make_limits
	start_cluster ours "${options[@]}" --plugin "$plugins"
	make_limits
}

teardown_file() {
	load cluster
	stop_clusters
}

setup() {
	setup_path
	use_cluster ours
}

teardown() {
	each_cluster cancel_all
}

each_cluster() {
	use_cluster stock
	"$@"
	use_cluster ours
	"$@"
}

# A QOS a limit, each with the name of what it limits.
make_limits() {
	sacctmgr -i add qos all_gpus set GrpTRES=gres/gpu=16
	sacctmgr -i add qos job_gpus set MaxTRESPerJob=gres/gpu=8
	sacctmgr -i add qos user_gpus set MaxTRESPerUser=gres/gpu=8
	sacctmgr -i add qos all_jobs set GrpJobs=1
	sacctmgr -i add qos user_jobs set MaxJobsPerUser=1
	sacctmgr -i add qos denied set MaxTRESPerJob=gres/gpu=8 \
		Flags=DenyOnLimit
	sacctmgr -i add qos low
	sacctmgr -i add qos high set Preempt=low Priority=10
	sacctmgr -i modify user "$(id -un)" set \
		qos+=all_gpus,job_gpus,user_gpus,all_jobs,user_jobs,denied,low,high
	until_true 10 sees_limits
} >/dev/null

# slurmdbd tells slurmctld of what has changed.
sees_limits() { scontrol show assoc_mgr flags=qos | grep -q 'QOS=high('; }

# hinted OPTION...: both clusters get the same options but for the hint, which
# stock Slurm does not know.
hinted() {
	if [ "$cluster" = "$BATS_FILE_TMPDIR/ours" ]; then
		submit --parallelism=tp=1 "$@"
	else
		submit "$@"
	fi
}

# told JOB STATE: slurmdbd has heard of it.
told() { [ "$(sacct -nXPD -j "$1" -o State | tail -n 1)" = "$2" ]; }

# Each job's nodes, GPUs of a node, QOS, state, and why it waits.
queue() {
	squeue -h -S i -O 'NumNodes:4,tres-per-node:14,QOS:12,State:10,Reason:30' |
		tr -s ' ' | sed 's/ $//'
}

queue_is() { [ "$(queue)" = "$1" ]; }

# Both queues are as told, and still are after further rounds of the scheduler.
queues_are() {
	local round

	for round in first again; do
		for name in stock ours; do
			use_cluster "$name"
			until_true 15 queue_is "$1" ||
				fail "$name: $(diff <(echo "$1") <(queue))"
		done
		[ "$round" = again ] || sleep 3
	done
}

@test "sacct shows the admin comment and the GPUs of a job that has ended" {
	job=$(submit -H -N2 --gpus-per-node=8 --parallelism=tp=8,pp=2)
	scontrol update jobid="$job" AdminComment="it's noted"
	scontrol release "$job"
	until_true 20 is_running "$job"
	running=$(admin_comment "$job")
	nodes=$(nodes_of "$job")
	scancel "$job"
	until_true 20 told "$job" "CANCELLED by $(id -u)"
	[ "$(admin_comment "$job")" = "$running" ]
	kept=$(sacct -nXP -j "$job" -o AdminComment)
	[ "$kept" = "$running" ] || fail "$kept"
	[[ "$kept" == "it's noted leafspine{"*'}' ]] || fail "$kept"
	jq -e --arg nodes "$nodes" '.hint == "tp=8,pp=2" and .leaves == 1 and
		.placed_by == "leafspine" and .nodes == $nodes' \
		<<<"${kept#*leafspine}"
	[[ "$(sacct -nXP -j "$job" -o AllocTRES)" == *gres/gpu=16,* ]]
}

@test "limits of a QOS hold jobs back as with stock Slurm, and let them go" {
	while read -r nodes gpus qos _; do
		each_cluster hinted -N "$nodes" --gpus-per-node="${gpus##*:}" \
			--qos="$qos"
	done <<<"$limited" >/dev/null
	queues_are "$limited"
	# What held it back goes, and the job may run.
	each_cluster cancel_first all_gpus
	each_cluster cancel_first all_gpus
	each_cluster cancel_first all_jobs
	each_cluster cancel_first user_jobs
	each_cluster cancel_first user_gpus
	queues_are "$released"
}

limited='1 gres:gpu:8 all_gpus RUNNING None
2 gres:gpu:8 all_gpus PENDING QOSGrpGRES
1 gres:gpu:8 all_gpus RUNNING None
2 gres:gpu:8 job_gpus PENDING QOSMaxGRESPerJob
1 gres:gpu:8 job_gpus RUNNING None
1 gres:gpu:4 user_gpus RUNNING None
1 gres:gpu:8 user_gpus PENDING QOSMaxGRESPerUser
1 gres:gpu:4 all_jobs RUNNING None
1 gres:gpu:4 all_jobs PENDING QOSGrpJobsLimit
1 gres:gpu:4 user_jobs RUNNING None
1 gres:gpu:2 user_jobs PENDING QOSMaxJobsPerUserLimit'
released='2 gres:gpu:8 all_gpus RUNNING None
2 gres:gpu:8 job_gpus PENDING QOSMaxGRESPerJob
1 gres:gpu:8 job_gpus RUNNING None
1 gres:gpu:8 user_gpus RUNNING None
1 gres:gpu:4 all_jobs RUNNING None
1 gres:gpu:2 user_jobs RUNNING None'

cancel_first() {
	squeue -h -S i -q "$1" -t running -o %A | head -n 1 | xargs scancel
}

@test "a limit that refuses a job refuses it in the same words" {
	said=$(each_cluster refused_by_limit | sort | uniq -c)
	[[ "$said" == *' 2 sbatch: error: QOSMaxGRESPerJob'* ]] || fail "$said"
	[ "$(grep -c ' 2 sbatch: error: ' <<<"$said")" -eq "$(wc -l <<<"$said")" ]
}

refused_by_limit() { ! hinted -N2 --gpus-per-node=8 --qos=denied 2>&1; }

# The nodes that it asks for are free: Slurm takes them, and only then finds that
# the limit forbids it. That must not look like a try in vain: after three of
# those a job is left to stock Slurm.
@test "a job that waits for a QOS limit is not taken for one without nodes" {
	scontrol setdebug debug2
	first=$(submit -N2 --gpus-per-node=8 --qos=all_gpus --parallelism=tp=8)
	until_true 20 is_running "$first"
	second=$(submit -N1 --gpus-per-node=8 --qos=all_gpus --parallelism=tp=8)
	until_true 30 held_often "$second"
	scancel "$first"
	until_true 20 is_running "$second"
	scontrol setdebug verbose
	[ "$(squeue -h -j "$second" -o %q)" = all_gpus ]
	[ "$(report "$second" | jq -r .placed_by)" = leafspine ]
	# Each try in vain would be one line.
	[ "$(logged "JobId=$second")" -eq 0 ] || fail "$(grep leafspine: "$log")"
}

# Each update makes the scheduler look at the job once more.
held_often() {
	scontrol update jobid="$1" Nice=$((RANDOM % 100))
	[ "$(grep -c "JobId=$1 being held" "$log")" -gt 4 ]
}

@test "a QOS preempts another as with stock Slurm" {
	for name in stock ours; do
		use_cluster "$name"
		for _ in 1 2 3 4 5 6 7 8; do
			hinted -N1 --gpus-per-node=8 --qos=low >/dev/null
		done
		until_true 20 count_is 8 low RUNNING
		high=$(hinted -N3 --gpus-per-node=8 --qos=high)
		until_true 30 is_running "$high"
		until_true 20 count_is 3 low PENDING
		count_is 5 low RUNNING
		# The first run of those that had to go is kept as well.
		until_true 20 three_preempted
	done
	[ "$(report "$high" | jq -r .hint)" = tp=1 ]
	preempted -o AdminComment | while read -r kept; do
		jq -e '.hint == "tp=1"' <<<"${kept#leafspine}"
	done
}

count_is() { [ "$(squeue -h -q "$2" -t "$3" | wc -l)" -eq "$1" ]; }
preempted() { sacct -nXPD -q low -s PREEMPTED -S now-1hours -E now "$@"; }
three_preempted() { [ "$(preempted | wc -l)" -eq 3 ]; }

# MariaDB has no port, slurmdbd one; all is in the cluster's directory.
@test "the database listens on a socket alone, as who runs the test" {
	pid=$(cat "$cluster/run/mariadb.pid")
	[ "$(stat -c %U "/proc/$pid")" = "$(id -un)" ]
	[ -S "$cluster/db/socket" ]
	[ "$(stat -c %a "$cluster/db")" = 700 ]
	sockets=$(find "/proc/$pid/fd" -lname 'socket:*' -printf '%l\n' |
		tr -dc '0-9\n' | sort)
	[ -n "$sockets" ]
	[ -z "$(awk '{ print $10 }' /proc/net/tcp /proc/net/tcp6 | sort |
		comm -12 - <(echo "$sockets"))" ]
}
