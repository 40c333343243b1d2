# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# cluster-stop.sh: stops a private Slurm cluster, whatever state it is in.
# Source it from contrib/cluster.
#
# Processes are known by what they have to do with the cluster's directory,
# never by their names: daemons and slurmstepd hold a file in it open; what a
# job started descends from a slurmstepd.

# In the order in which they are stopped: who writes goes before what keeps it.
# (A pattern for slurmd that does not match slurmdbd.) A shell or an editor that
# has a log of ours open is none of them.
all_stages=(slurm slurmdbd rest)
stage_of() {
	case $(readlink "/proc/$1/exe" 2>/dev/null) in
	*/slurmctld* | */slurmd | */slurmd-* | */slurmstepd*) echo slurm ;;
	*/slurmdbd*) echo slurmdbd ;;
	*/munged | */mariadbd) echo rest ;;
	esac
}

# cluster_pids [STAGE]: daemons and steps of this cluster, one pid a line.
cluster_pids() {
	local pid stage

	find /proc/[0-9]*/fd -lname "$dir/*" 2>/dev/null | cut -d/ -f3 | uniq |
		while read -r pid; do
			stage=$(stage_of "$pid")
			[ "${stage:-none}" = "${1:-${stage:-any}}" ] &&
				echo "$pid"
		done
	return 0
}

descendants() {
	local child

	for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
		descendants "$child"
		echo "$child"
	done
}

steps() {
	local pid

	for pid in $(cluster_pids); do
		case $(readlink "/proc/$pid/exe") in
		*/slurmstepd*) echo "$pid" ;;
		esac
	done
}

no_steps() { [ -z "$(steps)" ]; }
no_processes() { [ -z "$(cluster_pids "$@")" ]; }

# wait_until TENTHS COMMAND...: polls; 1 when the time is over.
wait_until() {
	local tenths=$1

	shift
	until "$@"; do
		[ "$tenths" -gt 0 ] || return 1
		tenths=$((tenths - 1))
		sleep 0.1
	done
}

# Steps with what they run, by hand.
kill_steps() {
	local pid below=()

	for pid in $(steps); do
		mapfile -t -O ${#below[@]} below < <(descendants "$pid")
		kill -KILL "$pid" 2>/dev/null || true
	done
	[ ${#below[@]} -eq 0 ] || kill -KILL "${below[@]}" 2>/dev/null || true
}

# Ends what jobs run: by Slurm while it listens, else by hand.
stop_steps() {
	no_steps && return 0
	if timeout 5 scontrol ping 2>/dev/null | grep -q 'is UP'; then
		timeout 10 squeue -h -o %A 2>/dev/null | sort -u |
			timeout 20 xargs -r scancel -f 2>/dev/null || true
		wait_until 60 no_steps && return 0
	fi
	kill_steps
}

# stop_stage STAGE: that stage's processes; 1 when some are left.
stop_stage() {
	local pids=()

	mapfile -t pids < <(cluster_pids "$1")
	[ ${#pids[@]} -eq 0 ] && return 0
	kill -TERM "${pids[@]}" 2>/dev/null || true
	# One may be stopped, see start_silence.
	kill -CONT "${pids[@]}" 2>/dev/null || true
	wait_until 20 no_processes "$1" && return 0
	# A step that was just beginning is left; it does not heed TERM.
	kill_steps
	wait_until 80 no_processes "$1" && return 0
	mapfile -t pids < <(cluster_pids "$1")
	[ ${#pids[@]} -eq 0 ] || kill -KILL "${pids[@]}" 2>/dev/null || true
	wait_until 50 no_processes "$1"
}

stop_daemons() {
	local stage status=0

	for stage in "${all_stages[@]}"; do
		stop_stage "$stage" || status=1
	done
	return "$status"
}

stop_cluster() {
	export SLURM_CONF=$dir/etc/slurm.conf
	[ ! -f "$SLURM_CONF" ] || stop_steps
	stop_daemons || die "some processes are left: $(cluster_pids | xargs)"
	if [ -n "$keep" ]; then
		rm -f "$dir/cluster"
	else
		rm -rf "$dir"
	fi
}
