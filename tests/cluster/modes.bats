#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Mode=off and Mode=observe change nothing; counters are told.

load cluster

setup_file() {
	load cluster
	setup_path
	install_plugins
	start_cluster stock --nodes 16 --leaf 4
	start_cluster ours --nodes 16 --leaf 4 --plugin "$plugins" \
		--leafspine-conf 'Mode=observe' \
		--leafspine-conf 'StatusFile=status.json'
}

teardown_file() {
	load cluster
	stop_clusters
}

setup() {
	setup_path
	use_cluster ours
}

# The same seeded stream on both clusters: the same nodes for each job.
same_stream() {
	local i options stock job

	RANDOM=$1
	for ((i = 0; i < 24; i++)); do
		options=(-N $((RANDOM % 4 + 1)) --gpus-per-node=$((RANDOM % 8 + 1)))
		use_cluster stock
		stock=$(nodes_of "$(run_job "${options[@]}")")
		use_cluster ours
		job=$(run_job "${options[@]}" --parallelism=tp=1)
		[ "$(nodes_of "$job")" = "$stock" ] ||
			fail "${options[*]}: $(nodes_of "$job"), stock $stock"
		[ -z "$(report "$job")" ]
		[ $((i % 4)) -ne 3 ] || both_empty
	done
}

both_empty() {
	use_cluster stock
	cancel_all
	use_cluster ours
	cancel_all
}

@test "Mode=observe changes no placement, and logs what it would have chosen" {
	same_stream 5
	run_job -w 'n[01,05,09]' -N3 --gpus-per-node=8
	run_job -N4 --gpus-per-node=8 --parallelism=tp=8
	until_true 5 logged 'observe: .*would have been given n\[13-16\]'
	both_empty
}

@test "Mode=off changes no placement" {
	sed -i 's/^Mode=.*/Mode=off/' "$cluster/etc/leafspine.conf"
	scontrol reconfigure
	same_stream 6
	both_empty
}

@test "counters are logged, and written to the status file, each minute" {
	sed -i 's/^Mode=.*/Mode=steer/' "$cluster/etc/leafspine.conf"
	scontrol reconfigure
	run_job -N4 --gpus-per-node=8 --parallelism=tp=8
	until_true 130 counted
	[ "$(jq -r .mode "$cluster/etc/status.json")" = steer ]
	logged 'offered [0-9]*, narrowed [0-9]*, fell back'
	cancel_all
}

counted() {
	[ "$(jq .narrowed "$cluster/etc/status.json" 2>/dev/null || echo 0)" -ge 1 ]
}
