# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# cluster.bash: what the tests in a real slurmctld share. Loaded by bats.
#
# $srcdir and $builddir come from make. Here a cluster that does not start is a
# failure, never a skip.

# shellcheck source=../../contrib/lib/slurm-prefix.sh
. "$srcdir/contrib/lib/slurm-prefix.sh"

fail() {
	printf '%s\n' "$*" >&2
	return 1
}

# The plugins as `make install` leaves them, in $plugins.
install_plugins() {
	plugins=$BATS_FILE_TMPDIR/plugins
	make -s -C "$builddir" install-exec-local DESTDIR= \
		pkglibdir="$plugins" >"$BATS_FILE_TMPDIR/install.log" 2>&1 ||
		{ cat "$BATS_FILE_TMPDIR/install.log" >&2; return 1; }
}

# start_cluster NAME OPTION...: a cluster of its own, removed by stop_clusters.
start_cluster() {
	local name=$1

	shift
	"$srcdir/contrib/cluster" up --dir "$BATS_FILE_TMPDIR/$name" "$@" \
		>/dev/null 2>"$BATS_FILE_TMPDIR/$name.log" ||
		{ cat "$BATS_FILE_TMPDIR/$name.log" >&2; return 1; }
	use_cluster "$name"
}

use_cluster() {
	cluster=$BATS_FILE_TMPDIR/$1
	export SLURM_CONF=$cluster/etc/slurm.conf
	fabric=$cluster/etc/fabric.json
	log=$cluster/log/slurmctld.log
}

stop_clusters() {
	local marker

	for marker in "$BATS_FILE_TMPDIR"/*/cluster; do
		[ -e "$marker" ] || continue
		"$srcdir/contrib/cluster" down --dir "$(dirname "$marker")"
	done
}

# until_true SECONDS COMMAND...: polls.
until_true() {
	local end=$((SECONDS + $1))

	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || fail "in vain: $*" || return 1
		sleep 0.1
	done
}

# run_job OPTION...: allocates at once, prints the job's id.
run_job() {
	local said

	said=$(salloc --no-shell --immediate=20 "$@" 2>&1) ||
		{ echo "$said" >&2; return 1; }
	sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p' <<<"$said"
}

# submit OPTION...: a job that just holds its nodes; prints its id.
submit() {
	sbatch --parsable -o /dev/null "$@" --wrap 'sleep 1000'
}

# field JOB NAME: the value of NAME= of scontrol show job.
field() {
	scontrol -o show job "$1" | grep -o " $2=[^ ]*" | head -n 1 |
		cut -d= -f2-
}

nodes_of() { squeue -h -j "$1" -o %N; }
state_of() { squeue -h -j "$1" -t all -o %T; }
is_running() { [ "$(state_of "$1")" = RUNNING ]; }

# Back in the queue, all its nodes given up.
is_requeued() {
	scontrol -o show job "$1" | grep -q ' JobState=PENDING .* Restarts=1 '
}

admin_comment() {
	scontrol -o show job "$1" | sed -n 's/.* AdminComment=\(.*\)  StdErr=.*/\1/p'
}

# report JOB: our part of the admin comment as JSON, checked to be such.
report() {
	scontrol -o show job "$1" | sed -n 's/.*leafspine\({.*}\).*/\1/p' | jq -c .
}

# leaves_of NODES: how many leaves of $fabric the nodes lie under.
leaves_of() {
	jq -r --arg what topology -f "$srcdir/contrib/lib/fabric-slurm.jq" \
		"$fabric" | sed -n 's/.* Nodes=//p' | while read -r leaf; do
		comm -12 <(scontrol show hostnames "$leaf" | sort) \
			<(scontrol show hostnames "$1" | sort) | grep -q . && echo
	done | wc -l
}

cancel_all() {
	squeue -h -o %A | sort -u | xargs -r scancel
	until_true 20 all_idle
}

all_idle() {
	[ -z "$(squeue -h -o %A)" ] && ! sinfo -h -N -o %T | grep -qv '^idle$'
}

# The controller of $cluster: only what lies in its directory is touched.
controller_pid() { cat "$cluster/run/slurmctld.pid"; }

controller_answers() { scontrol ping 2>/dev/null | grep -q 'is UP'; }

start_controller() {
	slurmctld -f "$SLURM_CONF"
	until_true 20 controller_answers
	until_true 20 nodes_answer
}

nodes_answer() { ! sinfo -h -N -o %t | grep -qE 'unk|\*|down'; }

gone() { ! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status"; }

# stop_controller [SIGNAL]
stop_controller() {
	local pid

	pid=$(controller_pid)
	kill "-${1:-TERM}" "$pid"
	until_true 20 gone "$pid"
}

# Lines of ours in slurmctld's log that match.
logged() { grep -c "leafspine: .*$1" "$log"; }

setup_path() {
	PATH=$(slurm_path "$PATH")
	export SLURM_TIME_FORMAT=%s
}
