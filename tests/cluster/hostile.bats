#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A thousand hints that mean harm (tests/unit/hostile.h): refused at most, and
# nothing that is written anywhere is out of shape.

load cluster

HINTS=1000

setup_file() {
	load cluster
	setup_path
	install_plugins
	start_cluster hostile --nodes 24 --leaf 4 --plugin "$plugins" \
		--leafspine-conf StatusFile=status.json
	# Past the option's own check, as a user's own client would go.
	echo "optional $builddir/.libs/unchecked.so" \
		>>"$cluster/etc/plugstack.conf"
	"$builddir/tests/cluster/hostile_hints" "$HINTS" \
		>"$BATS_FILE_TMPDIR/hints"
	controller_pid >"$BATS_FILE_TMPDIR/pid"
}

teardown_file() {
	load cluster
	stop_clusters
}

setup() {
	setup_path
	use_cluster hostile
	# Bytes are bytes.
	export LC_ALL=C
	wc -l <"$log" >"$BATS_TEST_TMPDIR/logged"
	accepted=0 refused=0 steered=0
}

teardown() { cancel_all; }

# What slurmctld logged in this test.
fresh_log() { tail -n +$(($(cat "$BATS_TEST_TMPDIR/logged") + 1)) "$log"; }

# Whole lines of printable ASCII, and no error among them.
check_log() {
	fresh_log >"$BATS_TEST_TMPDIR/log"
	[ -s "$BATS_TEST_TMPDIR/log" ]
	! grep -anP '[^\x20-\x7e]' "$BATS_TEST_TMPDIR/log" || return
	! grep -anvE '^\[20[0-9]{2}(-[0-9]{2}){2}T[0-9:.]+\] ' \
		"$BATS_TEST_TMPDIR/log" || return
	# Slurm's own words at the first job of a new cluster.
	sed -i -E '/error: (Could not open job state|NOTE: Trying backup)/d' \
		"$BATS_TEST_TMPDIR/log"
	! grep -anE '^[^ ]+ (error|fatal):' "$BATS_TEST_TMPDIR/log"
}

check_controller() {
	controller_answers
	[ "$(controller_pid)" = "$(cat "$BATS_FILE_TMPDIR/pid")" ]
}

# The jobs that run do so as stock Slurm has it, on two nodes with a GPU each,
# and what is told of each is one line with one object.
check_running() {
	local jobs told=$BATS_TEST_TMPDIR/told

	jobs=$(squeue -h -t R -o '%D %b')
	! grep -vx '2 gres:gpu:1' <<<"$jobs" || return
	squeue -h -t all -O admin_comment:4000 | sed 's/ *$//' >"$told"
	[ "$(wc -l <"$told")" -eq "$(squeue -h -t all -o x | wc -l)" ]
	! grep -anP '[^\x20-\x7e]' "$told" || return
	! grep -anvE '^(leafspine\{.*\}|\(null\))$' "$told" || return
	sed -n 's/^leafspine//p' "$told" >"$told.json"
	jq -es 'all(.[]; (.hint | type) == "string" and
		(.placed_by == "slurm" or .placed_by == "leafspine"))' \
		"$told.json" >/dev/null
	# jq would take two objects in a line as two.
	[ "$(jq -c . "$told.json" | wc -l)" -eq "$(wc -l <"$told.json")" ]
	steered=$((steered + $(jq -r .placed_by "$told.json" |
		grep -c '^leafspine$')))
}

# attempt NUMBER HINT ENVIRONMENT: one submission, by one of three ways, as one
# of four sorts. ENVIRONMENT names the variable of the third way.
attempt() {
	local number=$1 hint=$2 variable=$3 options=(-N2 --gpus-per-node=1)

	case $((number % 3)) in
	0) local -x HOSTILE_HINT=$hint ;;
	# Slurm itself refuses a longer comment.
	1) options+=(--comment "a leafspine:${hint:0:400}") ;;
	2) local -x "$variable=$hint" ;;
	esac
	case $((number / 8 % 4)) in
	0) sbatch -H -o /dev/null "${options[@]}" --wrap true ;;
	1) sbatch --test-only "${options[@]}" --wrap true ;;
	*)
		if [ $((number % 3)) -eq 2 ]; then
			sbatch -o /dev/null "${options[@]}" --wrap 'sleep 1000'
		else
			salloc --no-shell --immediate=20 "${options[@]}"
		fi
		;;
	esac >/dev/null 2>&1 </dev/null
}

# attempt_all VARIABLE COUNT: the first COUNT hints, once each. Jobs make room
# for others before the GPUs are out.
attempt_all() {
	local number=0 hint

	while [ "$number" -lt "$2" ] && IFS= read -r -d '' hint; do
		if attempt "$number" "$hint" "$1"; then
			accepted=$((accepted + 1))
		else
			refused=$((refused + 1))
			echo "$((number % 3))" >>"$BATS_TEST_TMPDIR/refused"
		fi
		number=$((number + 1))
		if [ $((number % 120)) -eq 0 ]; then
			check_running || fail "hint $number or before" || return
			scancel -u "$(id -u)"
			until_true 30 room
		fi
	done <"$BATS_FILE_TMPDIR/hints"
	[ "$number" -eq "$2" ]
}

room() { [ -z "$(squeue -h -o %A)" ]; }

@test "without job_submit: nothing but our option refuses, jobs run as stock's" {
	attempt_all SLURM_SPANK__SLURM_SPANK_OPTION_leafspine_parallelism 500
	[ "$(sort -u "$BATS_TEST_TMPDIR/refused")" = 2 ]
	[ "$accepted" -gt 333 ]
	[ "$steered" -gt 0 ]
	check_log
	check_controller
}

@test "with job_submit: refused or run as stock's" {
	sed -i '$aJobSubmitPlugins=leafspine' "$SLURM_CONF"
	scontrol reconfigure
	wc -l <"$log" >"$BATS_TEST_TMPDIR/logged"
	attempt_all LEAFSPINE_PARALLELISM "$HINTS"
	[ "$(sort -u "$BATS_TEST_TMPDIR/refused" | paste -sd' ')" = '0 1 2' ]
	[ "$refused" -gt $((HINTS / 2)) ]
	[ "$accepted" -gt $((HINTS / 20)) ]
	[ "$(fresh_log | grep -c 'leafspine: submission of user .* refused: ')" \
		-eq "$refused" ]
	[ "$steered" -gt 0 ]
	check_log
	check_controller
}

@test "by scontrol update: refused, the comment stays" {
	local number=0 hint job changes=0

	job=$(sbatch -H --parsable -N2 --gpus-per-node=1 -o /dev/null \
		--comment 'leafspine:tp=2' --wrap true)
	while IFS= read -r -d '' hint && [ "$number" -lt 100 ]; do
		number=$((number + 1))
		! scontrol update job="$job" \
			comment="leafspine:${hint:0:400}" >/dev/null 2>&1 ||
			changes=$((changes + 1))
	done <"$BATS_FILE_TMPDIR/hints"
	[ "$changes" -gt 0 ]
	[ "$changes" -lt 30 ]
	leafspine place --fabric "$fabric" --gpus 2 --parallelism \
		"$(field "$job" Comment | sed 's/^leafspine://')"
	scancel "$job"
	check_log
	check_controller
}

@test "a restart takes such jobs over; the status file is JSON" {
	sed -i '/^JobSubmitPlugins/d' "$SLURM_CONF"
	scontrol reconfigure
	number=0
	while IFS= read -r -d '' hint && [ "$number" -lt 150 ]; do
		number=$((number + 1))
		HOSTILE_HINT=$hint sbatch -H -o /dev/null -N2 \
			--gpus-per-node=1 --wrap 'sleep 1000' >/dev/null
	done <"$BATS_FILE_TMPDIR/hints"
	before=$(squeue -h -o '%A %T' | sort)
	[ "$(wc -l <<<"$before")" -eq 150 ]
	stop_controller
	jq -e '.offered > 0 and .mode == "steer"' "$cluster/etc/status.json"
	start_controller
	[ "$(squeue -h -o '%A %T' | sort)" = "$before" ]
	squeue -h -o %A | head -n 50 | xargs scontrol release
	until_true 60 fifty_run
	check_running
	cancel_all
}

fifty_run() { [ "$(squeue -h -t R -o %A | wc -l)" -eq 50 ]; }

# claim BYTES STEP: a job on half of leaf1 and of leaf2 claims this traffic;
# prints where a pipeline of four nodes then goes. Free are the other halves and
# a node under each other leaf.
claim() {
	run_job -w 'n[01-02,05-06]' -N4 --gpus-per-node=8 \
		--parallelism="tp=8,dp_bytes=$1,step=$2" >/dev/null
	run_job -w 'n[09-11,13-15,17-19,21-23]' -N12 --gpus-per-node=8 \
		>/dev/null
	nodes_of "$(run_job -N4 --gpus-per-node=8 \
		--parallelism=tp=8,pp=4,pp_bytes=1e9)"
	cancel_all
}

@test "absurd claims weigh no more than the job's own NICs at line rate" {
	# Those of two nodes fill half of a leaf's uplinks, which makes them
	# twice as dear: one crossing there is better than three elsewhere. Were
	# they taken to be full, it would not be.
	[ "$(claim 1e18 1e-6)" = 'n[03-04,07-08]' ]
	# Eight rings cross from leaf to leaf, 100 GB in a second each: as much.
	[ "$(claim 100e9 1)" = 'n[03-04,07-08]' ]
}
