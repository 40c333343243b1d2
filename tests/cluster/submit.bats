#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# job_submit/leafspine: which submissions and updates it refuses, what it says,
# and what it leaves alone.

load cluster

setup_file() {
	load cluster
	setup_path
	install_plugins
	start_cluster submit --nodes 16 --leaf 4 --plugin "$plugins" \
		--conf JobSubmitPlugins=leafspine \
		--conf 'PartitionName=other Nodes=ALL MaxTime=INFINITE' \
		--conf 'PartitionName=whole Nodes=ALL OverSubscribe=EXCLUSIVE' \
		--leafspine-conf Partitions=main,whole
}

teardown_file() {
	load cluster
	stop_clusters
}

setup() {
	setup_path
	use_cluster submit
	eight=(-N4 --gpus-per-node=8)
}

teardown() {
	cancel_all
	[ ! -e "$BATS_TEST_TMPDIR/restd.pid" ] ||
		kill "$(cat "$BATS_TEST_TMPDIR/restd.pid")"
}

# held OPTION...: a job that does not start; prints its id.
held() { submit -H "$@"; }

# refused LINE COMMAND...: fails, with LINE, and leaves no job behind.
refused() {
	local line=$1

	shift
	run "$@"
	[ "$status" -ne 0 ] || fail "not refused: $*"
	[[ "$output" == *"error: $line"* ]] || fail "$output, not $line"
	[ -z "$(squeue -h -o %A)" ] || fail 'a job is there all the same'
}

misfit='dp: tp*cp*pp*dp is 16, expected the job'\''s 32 GPUs'

@test "a hint that does not fit is refused: sbatch, salloc, srun" {
	refused "--parallelism: $misfit" \
		held "${eight[@]}" --parallelism=tp=8,dp=2
	refused "--parallelism: $misfit" \
		salloc --no-shell "${eight[@]}" --parallelism=tp=8,dp=2
	refused "--parallelism: $misfit" \
		srun "${eight[@]}" --parallelism=tp=8,dp=2 true
	refused "--parallelism: $misfit" \
		sbatch --test-only "${eight[@]}" --parallelism=tp=8,dp=2 \
		--wrap true
	[ "$(logged "submission of user $(id -u) refused: --parallelism: dp: ")" \
		-eq 4 ]
	sbatch --test-only "${eight[@]}" --parallelism=tp=8,dp=4 --wrap true
}

@test "each way of asking for a fixed number of GPUs is counted" {
	for options in '--gpus=32' '--gpus=h100:32' '--gpus=32 -N2-8' \
		'-n16 --gpus-per-task=2' '-N4 --gres=gpu:8' \
		'-N4 --gres=gpu:h100:8' '-N4 --gpus-per-node=h100:8' \
		'-N4 --ntasks-per-node=4 --gpus-per-task=2'; do
		# shellcheck disable=SC2086
		refused "--parallelism: $misfit" \
			held $options --parallelism=tp=8,dp=2
		# shellcheck disable=SC2086
		held $options --parallelism=tp=8,dp=4
		scancel -u "$(id -u)"
	done
}

@test "where the number is open, dp has to be left out" {
	refused "--parallelism: dp: the job's number of GPUs is not fixed (2 to \
8 nodes), expected dp to be left out" \
		held -N2-8 --gpus-per-node=8 --parallelism=tp=8,dp=2
	held -N2-8 --gpus-per-node=8 --parallelism=tp=8
}

@test "what cannot be counted is left to the decorator" {
	held --gpus-per-node=8 --parallelism=tp=8,dp=3
	held -N2 --gpus=16 --gpus-per-socket=4 --sockets-per-node=2 \
		--parallelism=tp=8,dp=3
	# A whole node comes with all its GPUs.
	held -N2 --exclusive --gpus-per-node=4 --parallelism=tp=8,dp=2
	held -p whole -N2 --gpus-per-node=4 --parallelism=tp=8,dp=2
	held -N2 --parallelism=tp=8,dp=2
}

@test "a comment's hint is held to the same, in words of its own" {
	refused "leafspine:HINT in the comment: $misfit" \
		held "${eight[@]}" --comment 'run 7 leafspine:tp=8,dp=2 of ours'
	refused "leafspine:HINT in the comment: tp: 'eight' is no whole number" \
		held --comment leafspine:tp=eight
	job=$(held "${eight[@]}" --comment leafspine:tp=8,tp=8 \
		--parallelism=tp=8)
	[ "$(field "$job" Comment)" = leafspine:tp=8,tp=8 ]
	job=$(submit "${eight[@]}" --comment leafspine:tp=8,dp=4)
	until_true 20 is_running "$job"
	[ "$(report "$job" | jq -r .hint)" = tp=8,dp=4 ]
	[ "$(report "$job" | jq -r .placed_by)" = leafspine ]
}

@test "no hint, off, or a partition of others: no business of ours" {
	held "${eight[@]}"
	held "${eight[@]}" --parallelism=off
	held "${eight[@]}" --comment 'no leafspine here'
	held "${eight[@]}" -p other --parallelism=tp=8,dp=2
	held "${eight[@]}" -p other --comment leafspine:tp=eight
	cancel_all
	refused "--parallelism: $misfit" \
		held "${eight[@]}" -p other,main --parallelism=tp=8,dp=2
}

@test "an array and each part of a heterogeneous job are held to it" {
	refused "--parallelism: $misfit" \
		held --array=0-3 "${eight[@]}" --parallelism=tp=8,dp=2
	# Slurm puts the part's number in front.
	refused "1: --parallelism: $misfit" \
		sbatch -H "${eight[@]}" --parallelism=tp=8 : "${eight[@]}" \
		--parallelism=tp=8,dp=2 --wrap true
	held --array=0-3 "${eight[@]}" --parallelism=tp=8,dp=4
	sbatch -H -o /dev/null "${eight[@]}" --parallelism=tp=8,dp=4 : \
		-N2 --gpus-per-node=8 --parallelism=tp=8,dp=2 --wrap true
}

# What decides of a hint, of the pending JOB.
request_of() {
	scontrol -o show job "$1" |
		grep -oE ' (NumNodes|NumTasks|Comment|TresPer[A-Za-z]*)=[^ ]*'
}

# update_refused JOB CHANGE...
update_refused() {
	local job=$1 before

	shift
	before=$(request_of "$job")
	run scontrol update job="$job" "$@"
	[ "$status" -ne 0 ] || fail "not refused: $*"
	[ "$(request_of "$job")" = "$before" ] || fail "changed by $*"
}

@test "an update that ends the fit is refused, and changes nothing" {
	job=$(held "${eight[@]}" --parallelism=tp=8,dp=4)
	update_refused "$job" numnodes=2-2
	[[ "$output" == *'Invalid generic resource (gres) specification'* ]]
	[ "$(logged "JobId=$job: update refused: --parallelism: dp: ")" -eq 1 ]
	update_refused "$job" numnodes=2
	update_refused "$job" tresperjob=gres:gpu:8
	update_refused "$job" tresperjob=gres:gpu:h100:16
	job=$(held -n4 --gpus-per-task=8 --parallelism=tp=8,dp=4)
	update_refused "$job" numtasks=5
	update_refused "$job" trespertask=gres:gpu:4
	job=$(held "${eight[@]}" --comment leafspine:tp=8,dp=4)
	update_refused "$job" comment=leafspine:tp=8,dp=5
	update_refused "$job" comment=leafspine:tp=eight
	[[ "$output" == *'Invalid argument'* ]]
}

@test "an update that keeps the fit, or that is about something else, is not" {
	job=$(held "${eight[@]}" --parallelism=tp=8)
	scontrol update job="$job" numnodes=2-2
	[ "$(field "$job" NumNodes)" = 2-2 ]
	scontrol update job="$job" comment=leafspine:tp=eight
	scontrol update job="$job" trespernode=gres:gpu:4
	job=$(held "${eight[@]}" --comment leafspine:tp=8,dp=4)
	scontrol update job="$job" comment=leafspine:tp=4,dp=8
	scontrol update job="$job" comment='nothing of the kind'
	scontrol update job="$job" numnodes=3-3
	# One that came in elsewhere and does not fit can still be held, ...
	job=$(held "${eight[@]}" -p other --parallelism=tp=8,dp=2)
	scontrol update job="$job" partition=main
	scontrol update job="$job" name=other nice=5
	scontrol hold "$job"
	scontrol update job="$job" numnodes=2-2
	scontrol release "$job"
	until_true 20 is_running "$job"
	[ "$(report "$job" | jq -r .placed_by)" = leafspine ]
	# ... and a running one shrunk.
	scontrol update job="$job" numnodes=1
}

@test "sbatch's environment can bear the hint; a job inside does not inherit" {
	refused "LEAFSPINE_PARALLELISM: $misfit" \
		env LEAFSPINE_PARALLELISM=tp=8,dp=2 sbatch -H "${eight[@]}" \
		--wrap true
	export LEAFSPINE_PARALLELISM=tp=8,dp=4 LEAFSPINE_OTHER=stays
	timeout 60 sbatch -W -o "$BATS_TEST_TMPDIR/out" "${eight[@]}" \
		--wrap 'env; sbatch --parsable -N2 --gpus-per-node=8 \
		-o /dev/null --wrap "sleep 100"'
	unset LEAFSPINE_PARALLELISM
	grep -qx LEAFSPINE_OTHER=stays "$BATS_TEST_TMPDIR/out"
	! grep parallelism -i "$BATS_TEST_TMPDIR/out" || false
	outer=$(sed -n 's/^SLURM_JOB_ID=//p' "$BATS_TEST_TMPDIR/out")
	[ "$(report "$outer" | jq -r .hint)" = tp=8,dp=4 ]
	inner=$(grep -x '[0-9]*' "$BATS_TEST_TMPDIR/out")
	until_true 20 is_running "$inner"
	[ -z "$(report "$inner")" ]
	# The option wins, and the variable goes no further.
	export LEAFSPINE_PARALLELISM=tp=3
	job=$(submit "${eight[@]}" --parallelism=tp=8,pp=2)
	until_true 20 is_running "$job"
	[ "$(report "$job" | jq -r .hint)" = tp=8,pp=2 ]
}

# As nobody: slurmrestd will not run as root.
as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

start_restd() {
	local run=$BATS_TEST_TMPDIR/rest

	mkdir -m 0777 "$run"
	chmod a+x "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/* \
		"$BATS_RUN_TMPDIR"/*/* 2>/dev/null || true
	as_nobody slurmrestd -f "$SLURM_CONF" -a rest_auth/local \
		-s openapi/v0.0.38 "unix:$run/socket" \
		>"$BATS_TEST_TMPDIR/restd.log" 2>&1 3>&- &
	echo "$!" >"$BATS_TEST_TMPDIR/restd.pid"
	until_true 20 test -S "$run/socket"
}

# post JOB: a job of two nodes with eight GPUs each, changed by the jq filter
# JOB, by REST. Prints its id, or nothing where it is refused.
post() {
	jq -n '{script: "#!/bin/sh\nsleep 1000\n", job: {environment:
		{PATH: "/bin:/usr/bin"}, nodes: "2", gpus_per_node: "8",
		current_working_directory: "/tmp", standard_output: "/dev/null"}}
		| '"$1" | as_nobody curl -sS --max-time 20 -d @- \
		--unix-socket "$BATS_TEST_TMPDIR/rest/socket" \
		-H 'Content-Type: application/json' \
		http://localhost/slurm/v0.0.38/job/submit |
		jq '.job_id // empty'
}

@test "REST: by the environment and by the comment, held to the same" {
	start_restd
	job=$(post '.job.environment.LEAFSPINE_PARALLELISM = "tp=8,pp=2"')
	until_true 20 is_running "$job"
	[ "$(report "$job" | jq -r .hint)" = tp=8,pp=2 ]
	[ "$(report "$job" | jq -r .placed_by)" = leafspine ]
	job=$(post '.job.comment = "leafspine:tp=8,dp=2"')
	until_true 20 is_running "$job"
	[ "$(report "$job" | jq -r .hint)" = tp=8,dp=2 ]
	[ -z "$(post '.job.environment.LEAFSPINE_PARALLELISM = "tp=7"')" ]
	[ -z "$(post '.job.comment = "leafspine:tp=8,dp=4"')" ]
	[ "$(logged 'submission of user 65534 refused: ')" -eq 2 ]
	[ -n "$(post .)" ]
}

# configure LINE: all of leafspine.conf, read as an administrator has it read.
configure() {
	printf 'Fabric=%s\n%s\n' "$fabric" "$1" >"$cluster/etc/leafspine.conf"
	[ "${2:-}" ] || scontrol reconfigure
}

@test "Mode and DefaultHint: off and observe refuse nothing, nor does a site" {
	cp "$cluster/etc/leafspine.conf" "$BATS_TEST_TMPDIR/conf"
	# Read when Slurm reads its own, not before: two seconds after that it
	# is known to be over.
	configure Mode=off unread
	sleep 2.1
	refused "--parallelism: $misfit" \
		held "${eight[@]}" --parallelism=tp=8,dp=2
	configure Mode=off
	held "${eight[@]}" --parallelism=tp=8,dp=2
	env LEAFSPINE_PARALLELISM=tp=x sbatch -H "${eight[@]}" -o /dev/null \
		--wrap true
	configure Mode=observe
	held "${eight[@]}" --parallelism=tp=8,dp=2
	[ "$(logged 'would be refused: --parallelism: dp: ')" -eq 1 ]
	configure $'NoHint=default\nDefaultHint=tp=7,pp=5,model=llama3-70b'
	held "${eight[@]}"
	held "${eight[@]}" --parallelism=tp=8,dp=4
	cp "$BATS_TEST_TMPDIR/conf" "$cluster/etc/leafspine.conf"
	scontrol reconfigure
}

@test "taken out of slurm.conf, all is as before" {
	sed -i.with 's/^JobSubmitPlugins/#&/' "$SLURM_CONF"
	scontrol reconfigure
	job=$(submit "${eight[@]}" --parallelism=tp=8,dp=2)
	until_true 20 is_running "$job"
	[ "$(report "$job" | jq -r .placed_by)" = slurm ]
	mv "$SLURM_CONF.with" "$SLURM_CONF"
	scontrol reconfigure
	cancel_all
	refused "--parallelism: $misfit" \
		held "${eight[@]}" --parallelism=tp=8,dp=2
	! grep -E 'error: .*leafspine|fatal' "$log" || false
}
