#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# 2,000 random submissions, cancels and updates over two partitions with
# preemption, 20 reconfigures, three kill -9: nothing is allocated twice, lost,
# leaked or complained of.
#
# STRESS_STOCK=yes runs the same stream without leafspine, to see what stock
# Slurm itself says and takes: bats tests/cluster/stress.bats, with $srcdir and
# $builddir set as make does. STRESS_SEED=N draws another stream.

load cluster

OPERATIONS=2000
# Behind them slurmctld is killed; all lie in front of the halves below.
KILLS=(250 450 700)
# From MIDDLE on, the stream of [FIRST, MIDDLE) is drawn again.
FIRST=800 MIDDLE=1400
# How much more memory slurmctld may hold after the second half than after the
# first, in kB. Records of jobs that have ended are gone by then (MinJobAge), so
# what the same work adds once more is lost. Stock Slurm: see below.
GROWTH_MAX=1500

setup_file() {
	load cluster
	setup_path
	install_plugins
	ours=(--plugin "$plugins" --leafspine-conf 'StatusFile=status.json')
	[ -z "${STRESS_STOCK:-}" ] || ours=()
	# One arena: else what threads leave behind blurs the memory in use.
	export MALLOC_ARENA_MAX=1
	start_cluster stress --nodes 64 --leaf 8 "${ours[@]}" \
		--conf 'PreemptType=preempt/partition_prio' \
		--conf 'PreemptMode=REQUEUE' \
		--conf 'PartitionName=high Nodes=ALL MaxTime=INFINITE PriorityTier=10 PreemptMode=OFF' \
		--conf 'JobCompType=jobcomp/filetxt' \
		--conf "JobCompLoc=$BATS_FILE_TMPDIR/ended" \
		--conf 'MinJobAge=5'
}

teardown_file() {
	load cluster
	stop_clusters
}

# --- the stream --------------------------------------------------------------

one_of() { local words=("$@"); REPLY=${words[RANDOM % $#]}; }

# An option that gives the hint or, as often, none. A few say off.
add_hint() {
	[ -z "${STRESS_STOCK:-}" ] || return 0
	case $((RANDOM % 8)) in
	0 | 1 | 2) ;;
	3) options+=("--comment=leafspine:$1") ;;
	4) options+=(--parallelism=off) ;;
	*) options+=("--parallelism=$1") ;;
	esac
}

# Sets $options: size, hint and run time of one job.
draw_job() {
	local count seconds

	options=()
	one_of 1 1 2 2 3 4 4 8 12 16
	count=$REPLY
	case $((RANDOM % 20)) in
	0 | 1 | 2 | 3 | 4 | 5)
		one_of 1 1 2 2 4 5
		options+=(-N1 "--gpus-per-node=$REPLY")
		add_hint "tp=$REPLY"
		;;
	6)
		options+=(-N2 --gpus-per-node=4 --array=0-$((RANDOM % 5)))
		add_hint tp=4
		;;
	7)
		options+=(--gpus=$((4 * (RANDOM % 6 + 1))))
		add_hint tp=4
		;;
	8)
		options+=(-N2-4 --gpus-per-node=8)
		add_hint tp=8
		;;
	9) options+=(-n$((RANDOM % 100 + 1))) ;;
	10)
		options+=("-N$count" --exclusive)
		add_hint tp=8
		;;
	11)
		options+=("-N$count" --gpus-per-node=8 --contiguous)
		add_hint tp=8
		;;
	12)
		options+=(-N4 --gpus-per-node=8 -x 'n[03,05,41]')
		add_hint tp=8,pp=2
		;;
	*)
		options+=("-N$count" --gpus-per-node=8)
		add_hint "tp=8,pp=$count"
		;;
	esac
	one_of 0.1 0.3 1 2 2 5 60
	seconds=$REPLY
	one_of 1 5 60
	[ $((RANDOM % 4)) -eq 0 ] || options+=("--time=$REPLY")
	one_of main main main high
	options+=("--partition=$REPLY" -J "s$operation" -o /dev/null
		--wrap "sleep $seconds")
}

do_submit() {
	local id

	draw_job
	id=$(sbatch --parsable "${options[@]}") ||
		fail "operation $operation: ${options[*]}"
	submitted+=("$id")
}

# A job of the last 100, which may have ended.
draw_job_id() {
	local from=$((${#submitted[@]} > 100 ? ${#submitted[@]} - 100 : 0))

	REPLY=${submitted[from + RANDOM % (${#submitted[@]} - from)]}
}

# Slurm may refuse what is asked, such as a change of a job that has ended: that
# is no matter. Nobody waits for the answer.
ask() { "$@" >/dev/null 2>&1 3>&- & }

do_cancel() {
	draw_job_id
	ask scancel "$REPLY"
}

do_update() {
	local job

	draw_job_id
	job=$REPLY
	case $((RANDOM % 9)) in
	0) set -- "TimeLimit=$((RANDOM % 100 + 2))" ;;
	1) set -- "Nice=$((RANDOM % 100))" ;;
	2) set -- "NumNodes=$((RANDOM % 6 + 1))" ;;
	3) set -- Partition=high ;;
	4) set -- Partition=main ;;
	5) set -- "Comment=leafspine:tp=$((RANDOM % 8 + 1))" ;;
	6) set -- StartTime=now ;;
	7)
		scontrol hold "$job" >/dev/null 2>&1 || true
		ask scontrol release "$job"
		return 0
		;;
	8)
		ask scontrol requeue "$job"
		return 0
		;;
	esac
	ask scontrol update job="$job" "$@"
}

do_operation() {
	case $((RANDOM % 10)) in
	[0-4]) do_submit ;;
	[5-7]) do_cancel ;;
	*) do_update ;;
	esac
}

# --- what must hold ----------------------------------------------------------

# Looks once; the faults stand in $work/sample.
look() {
	scontrol -d -o show job >"$work/jobs"
	scontrol -d -o show node >"$work/nodes"
	scontrol -d -o show job >"$work/jobs2"
	awk -f "$srcdir/tests/cluster/allocations.awk" nodes=64 \
		restarted="$restarted" "$work/jobs" \
		"$work/nodes" "$work/jobs2" >"$work/sample"
}

# Slurm renews what it tells of nodes once a second at most, so sums may lag
# behind the jobs; whoever holds too much is a fault at once.
sums_lag() { [ "$(grep '^fault' "$work/sample" | grep -cv 'its jobs have')" -eq 0 ]; }

sample() {
	look || { sums_lag && until_true 5 look; } ||
		fail "at operation $operation: $(head -n 20 "$work/sample")"
	samples=$((samples + 1))
	! grep -qx compared "$work/sample" || compared=$((compared + 1))
}

# For some seconds after a restart with jobs that hold GPUs, stock Slurm 22.05
# counts these GPUs twice in GresUsed.
is_settled() { look && grep -qx compared "$work/sample"; }

# What was submitted until now stands on disk. $keeper is held, and changed here
# so that there is something to write.
state_is_on_disk() {
	sleep 0.3
	touch "$BATS_TEST_TMPDIR/now"
	scontrol update job="$keeper" Comment="$operation"
	until_true 30 is_newer
}

is_newer() { [ "$cluster/state/job_state" -nt "$BATS_TEST_TMPDIR/now" ]; }

kill_controller() {
	wait
	state_is_on_disk
	stop_controller KILL
	start_controller
	restarted=1
	until_true 30 is_settled || fail "$(cat "$work/sample")"
}

# All jobs but the keeper are gone, and their records too: nothing is in use, and
# what a restart has left unclear is clear again.
drain() {
	wait
	until_true 90 all_ended ||
		fail "$(squeue; sinfo -N -o '%N %T %E' | grep -v idle)"
	until_true 60 only_keeper
	# GPUs that stock Slurm still takes for used after a restart.
	[ "$restarted" -eq 0 ] || scontrol reconfigure
	until_true 20 nothing_in_use || fail "$(scontrol -d -o show node |
		grep -vE "$unused" | grep -oE 'NodeName=[^ ]*|CPUAlloc=[^ ]*|GresUsed=[^ ]*')"
	restarted=0
}

unused=' CPUAlloc=0 .* GresUsed=gpu:h100:0\(.* AllocMem=0 '
nothing_in_use() {
	[ "$(scontrol -d -o show node | grep -cE "$unused")" -eq 64 ]
}

# One that is being requeued outlives a cancel, so more than once.
all_ended() {
	squeue -h -r -o %i | sort -u | grep -vx "$keeper" | xargs -r scancel
	sleep 0.5
	[ "$(squeue -h -r -o %i | sort -u)" = "$keeper" ] && nodes_idle
}

nodes_idle() { ! sinfo -h -N -o %T | grep -qv '^idle$'; }
only_keeper() { [ "$(scontrol -o show job | grep -c .)" -le 1 ]; }

resident_kb() { awk '/^VmRSS/ { print $2 }' "/proc/$(controller_pid)/status"; }

# The last record of each job that was submitted says that it has ended. PENDING
# and PREEMPTED are runs that a requeue has ended: a cancel before the next may
# leave no other record, and when this is asked the queue is empty.
none_is_lost() {
	awk '
		FNR == NR {
			sub("JobId=", "", $1)
			state = array = ""
			for (i = 2; i <= NF; i++) {
				if ($i ~ /^JobState=/)
					state = substr($i, 10)
				if ($i ~ /^ArrayJobId=/)
					array = substr($i, 12)
			}
			last[$1] = state
			if (array)
				last[array] = state
			next
		}
		last[$1] !~ /^(COMPLETED|CANCELLED|TIMEOUT|FAILED|NODE_FAIL|PENDING|PREEMPTED)/ {
			print "job " $1 ": " ($1 in last ? last[$1] : "lost")
			lost = 1
		}
		{ count[last[$1]]++ }
		END {
			for (state in count)
				printf "# ended %s: %d\n", state, count[state]
			exit lost
		}' "$BATS_FILE_TMPDIR/ended" <(printf '%s\n' "${submitted[@]}")
}

# Errors that stock Slurm prints for the same stream (STRESS_STOCK=yes): by the
# lack of libpmix at each start, of state files at the first; by requests that
# it refuses, by jobs that end while nothing of them is left, and by its count of
# GPUs after a kill with jobs that hold some.
errors() {
	grep 'error:' "$log" | sed 's/^[^]]*\] //' | grep -vE \
		-e 'mpi/pmix|pmi/pmix|MPI: Cannot create context' \
		-e 'Could not open .* state file .*No such file' \
		-e 'NOTE: Trying backup state save file' \
		-e '_slurm_rpc_requeue: Requeue of .* Job is pending execution' \
		-e 'Vestigial state files for JobId=' \
		-e '_set_job_bits[0-9]*: job [0-9]* failed to find any available GRES' \
		-e 'build_cg_bitmap: node_bitmap is NULL' \
		-e 'dealloc node .* gres count underflow'
}

# What has to do with choosing nodes, or with their resources; the rest is told.
errors_of_choice() {
	errors | grep -iE 'leafspine|select|cons_|gres|core|cpu|memory|alloc'
}

kinds() { sed 's/[0-9][0-9]*/N/g' | sort | uniq -c; }

@test "2,000 random operations, 20 reconfigures, three kill -9" {
	local submitted=() options=() samples=0 compared=0 operation=0
	local restarted=0
	local keeper work=$BATS_TEST_TMPDIR

	use_cluster stress
	RANDOM=${STRESS_SEED:-20226}
	keeper=$(sbatch --parsable -H -o /dev/null --wrap true)
	do_submit
	while [ "$operation" -lt "$OPERATIONS" ]; do
		case $operation in
		"$FIRST")
			drain
			RANDOM=${STRESS_SEED:-20227}
			;;
		"$MIDDLE")
			drain
			first=$(resident_kb)
			RANDOM=${STRESS_SEED:-20227}
			;;
		esac
		operation=$((operation + 1))
		do_operation
		[ $((operation % 100)) -ne 50 ] || scontrol reconfigure
		[ $((operation % 25)) -ne 0 ] || sample
		[[ " ${KILLS[*]} " != *" $operation "* ]] || kill_controller
	done
	drain
	second=$(resident_kb)
	sample
	echo "# ${#submitted[@]} jobs submitted, $samples samples, in" \
		"$compared of them jobs and nodes compared" >&3
	echo "# slurmctld: $first kB after the first half, $second after the" \
		"second" >&3
	scancel "$keeper"
	none_is_lost >&3
	[ $((second - first)) -le "$GROWTH_MAX" ]
	errors | kinds | sed 's/^/# also logged:/' >&3
	[ "$(errors_of_choice | wc -l)" -eq 0 ] ||
		fail "$(errors_of_choice | kinds)"
	[ -n "${STRESS_STOCK:-}" ] || tell_starts >&3
}

# How jobs with GPUs came to start, by the plugin's own counters.
tell_starts() {
	stop_controller
	"$builddir/leafspine" counters "$cluster/etc/status.json" |
		awk '!NF { part++ } part < 2 { print "# " $0 }'
}
