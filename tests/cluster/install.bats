#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What doc/install.md says of hosts that lack a file or have another version of
# it. (robust.bats has what concerns the host of slurmctld alone.)

load cluster

setup_file() {
	load cluster
	setup_path
	install_plugins
	export plugins
	start_cluster main --nodes 4 --plugin "$plugins"
}

teardown_file() {
	load cluster
	stop_clusters
}

setup() {
	setup_path
	use_cluster main
	host=$BATS_TEST_TMPDIR/host
}

teardown() {
	use_cluster main
	scancel -u "$(id -un)"
}

# another_host DIRECTORY: from here on the files of another host, whose PluginDir
# starts with that directory; the cluster's daemons keep theirs.
another_host() {
	cp -r "$cluster/etc" "$host"
	sed -i -e "s|^PluginDir=.*|PluginDir=$1:$(stock_plugin_dir)|" \
		-e "s|^PlugStackConfig=.*|PlugStackConfig=$host/plugstack.conf|" \
		"$host/slurm.conf"
	export SLURM_CONF=$host/slurm.conf
}

# set_version FILE NUMBER: makes a plugin say that it is of that Slurm version.
set_version() {
	local at

	# Words on purpose: make sets "nm -B".
	# shellcheck disable=SC2086
	at=$((0x$(${NM:-nm} -D "$1" | sed -n 's/ R plugin_version$//p')))
	[ "$(od -An -tx4 -N4 -j "$at" "$1")" = ' 00160508' ]
	printf '%b' "$(printf '\\x%02x\\x%02x\\x%02x' $(($2 & 255)) \
		$(($2 >> 8 & 255)) $(($2 >> 16)))" |
		dd of="$1" bs=1 seek="$at" conv=notrunc status=none
}

another_version=0x160509	# 22.05.9
another_release=0x170200	# 23.02.0

@test "a directory of PluginDir that is missing stops every command and slurmd" {
	another_host "$BATS_TEST_TMPDIR/none"
	for command in sinfo squeue 'sbatch --wrap true' 'srun true' \
		'salloc true' 'scancel 9' 'scontrol ping' sdiag sacct \
		'slurmd -D -N n01' 'slurmctld -D'; do
		# Words on purpose.
		# shellcheck disable=SC2086
		run timeout 20 $command
		[ "$status" -eq 1 ] || fail "$command: $status"
		[[ "$output" == *"PluginDir: $BATS_TEST_TMPDIR/none: No such"* ]]
		[[ "$output" == *'fatal: Unable to process configuration'* ]]
	done
}

@test "the directory may be empty where jobs are submitted and run" {
	mkdir "$BATS_TEST_TMPDIR/empty"
	another_host "$BATS_TEST_TMPDIR/empty"
	: >"$host/plugstack.conf"
	run squeue
	[ "$status" -eq 0 ]
	[[ "$output" != *error* ]]
	job=$(run_job -N2 --gpus-per-node=8 --comment leafspine:tp=8)
	[ "$(report "$job" | jq -r .placed_by)" = leafspine ]
	run srun -N2 --immediate=20 hostname
	[ "$status" -eq 0 ] || fail "$output"
	run sbatch --parallelism=tp=8 --wrap true
	[ "$status" -ne 0 ]
	[[ "$output" == *"unrecognized option '--parallelism=tp=8'"* ]]
}

@test "slurmd runs with the directory empty" {
	mkdir "$BATS_TEST_TMPDIR/empty"
	another_host "$BATS_TEST_TMPDIR/empty"
	pid=$(cat "$cluster/run/slurmd.n04.pid")
	kill "$pid"
	until_true 10 gone "$pid"
	slurmd -N n04 3>&-
	SLURM_CONF=$cluster/etc/slurm.conf
	job=$(sbatch --parsable -o "$BATS_TEST_TMPDIR/out" -w n04 -N1 \
		--gpus-per-node=8 --parallelism=tp=8 --wrap 'hostname; sleep 99')
	until_true 20 is_running "$job"
	until_true 20 test -s "$BATS_TEST_TMPDIR/out"
	[ "$(report "$job" | jq -r .nodes)" = n04 ]
}

@test "optional lets jobs through without the SPANK plugin, required does not" {
	mkdir "$BATS_TEST_TMPDIR/empty"
	another_host "$BATS_TEST_TMPDIR/empty"
	for name in none.so old.so; do
		cp "$plugins/spank_leafspine.so" "$host/old.so"
		set_version "$host/old.so" "$another_release"
		echo "optional $host/$name" >"$host/plugstack.conf"
		run sbatch -o /dev/null --wrap true
		[ "$status" -eq 0 ] || fail "$output"
		echo "required $host/$name" >"$host/plugstack.conf"
		for command in 'sbatch --wrap true' 'srun true' \
			'salloc true'; do
			# shellcheck disable=SC2086
			run timeout 20 $command
			[ "$status" -eq 1 ] || fail "$command: $status"
			[[ "$output" == *"Failed to load plugin $host/$name."* ]]
		done
	done
}

@test "a SPANK plugin of another micro version serves" {
	cp "$plugins/spank_leafspine.so" "$BATS_TEST_TMPDIR/"
	set_version "$BATS_TEST_TMPDIR/spank_leafspine.so" "$another_version"
	another_host "$plugins"
	echo "required $BATS_TEST_TMPDIR/spank_leafspine.so" \
		>"$host/plugstack.conf"
	job=$(run_job -N2 --gpus-per-node=8 --parallelism=tp=8,pp=2)
	[ "$(report "$job" | jq -r .hint)" = tp=8,pp=2 ]
}

@test "a select plugin of another micro version leaves stock Slurm" {
	mkdir "$BATS_TEST_TMPDIR/old"
	cp "$plugins"/*.so "$BATS_TEST_TMPDIR/old/"
	set_version "$BATS_TEST_TMPDIR/old/select_cons_tres.so" \
		"$another_version"
	kept=$(run_job -N1 --gpus-per-node=8 --parallelism=tp=8)
	sed -i "s|^PluginDir=$plugins:|PluginDir=$BATS_TEST_TMPDIR/old:|" \
		"$SLURM_CONF"
	stop_controller
	: >"$log"
	start_controller
	job=$(run_job -N1 --gpus-per-node=8 --parallelism=tp=8)
	found=$(report "$job")
	sed -i "s|^PluginDir=$BATS_TEST_TMPDIR/old:|PluginDir=$plugins:|" \
		"$SLURM_CONF"
	stop_controller
	start_controller
	[ -z "$found" ]
	is_running "$kept"
	grep -q 'Incompatible Slurm plugin .*/select_cons_tres.so version (22.05.9)' \
		"$log"
	next=$(run_job -N1 --gpus-per-node=8 --parallelism=tp=8)
	[ "$(report "$next" | jq -r .placed_by)" = leafspine ]
}

@test "a job_submit plugin of another version stops slurmctld at its start" {
	mkdir "$BATS_TEST_TMPDIR/old"
	printf '%s\n' '#include <stdint.h>' \
		'const char plugin_name[] = "x", plugin_type[] = "job_submit/old";' \
		'const uint32_t plugin_version = 0x160509;' |
		${CC:-cc} -shared -fPIC -x c \
			-o "$BATS_TEST_TMPDIR/old/job_submit_old.so" -
	another_host "$BATS_TEST_TMPDIR/old"
	# A slurmctld that starts stops the one that its pid file names.
	mkdir "$host/state"
	sed -i -e "s|$cluster/log/slurmctld.log|$host/log|" \
		-e "s|^SlurmctldPidFile=.*|SlurmctldPidFile=$host/pid|" \
		-e "s|^StateSaveLocation=.*|StateSaveLocation=$host/state|" \
		"$host/slurm.conf"
	echo JobSubmitPlugins=old >>"$host/slurm.conf"
	run timeout 20 slurmctld -D
	[ "$status" -eq 1 ]
	grep 'Incompatible Slurm plugin .*job_submit_old.so version (22.05.9)' \
		"$host/log"
	grep 'fatal: failed to initialize job_submit plugin' "$host/log"
}

@test "Mode=off and a reconfigure switch it off and on while jobs run" {
	one=$(run_job -N1 --gpus-per-node=8 --parallelism=tp=8)
	echo Mode=off >>"$cluster/etc/leafspine.conf"
	scontrol reconfigure
	until_true 20 controller_answers
	two=$(run_job -N1 --gpus-per-node=8 --parallelism=tp=8)
	off=$(report "$two")
	sed -i '/^Mode=off/d' "$cluster/etc/leafspine.conf"
	scontrol reconfigure
	until_true 20 controller_answers
	three=$(run_job -N1 --gpus-per-node=8 --parallelism=tp=8)
	[ -z "$off" ]
	[ "$(report "$three" | jq -r .placed_by)" = leafspine ]
	is_running "$one"
	is_running "$two"
}

need_namespaces() {
	unshare --mount --uts true 2>/dev/null ||
		skip 'needs a mount namespace of its own (root)'
}

# Files that slurmd fetches: plugstack.conf, but no plugin and no leafspine.conf.
@test "configless hosts get plugstack.conf and the option, not the plugins" {
	need_namespaces
	sed -i '/^PlugStackConfig/d' "$SLURM_CONF"
	echo SlurmctldParameters=enable_configless >>"$SLURM_CONF"
	stop_controller
	start_controller
	pid=$(cat "$cluster/run/slurmd.n01.pid")
	kill "$pid"
	until_true 10 gone "$pid"
	job=$(SLURM_CONF='' unshare --mount bash -c '
		unset SLURM_CONF
		mount -t tmpfs none /run
		mkdir /run/munge
		ln -s "$1/munge/socket" /run/munge/munge.socket.2
		slurmd --conf-server "$2" -N n01 3>&- || exit
		until [ -e /run/slurm/conf/slurm.conf ]; do sleep 0.1; done
		ls /run/slurm/conf/ >"$3"
		sbatch --parsable -o /dev/null -w n01 -N1 --gpus-per-node=8 \
			--parallelism=tp=8 --wrap "sleep 99"' - "$cluster" \
		"$(sed -n 's/^SlurmctldHost=.*(\(.*\))/\1/p' "$SLURM_CONF"):$(
			sed -n 's/^SlurmctldPort=//p' "$SLURM_CONF")" \
		"$BATS_TEST_TMPDIR/files")
	until_true 20 is_running "$job"
	[ "$(report "$job" | jq -r .placed_by)" = leafspine ]
	grep -qx plugstack.conf "$BATS_TEST_TMPDIR/files"
	grep -qx topology.conf "$BATS_TEST_TMPDIR/files"
	run grep -E 'leafspine|\.so' "$BATS_TEST_TMPDIR/files"
	[ -z "$output" ]
}

# Two controllers on one machine: each with a name and an address of its own.
controller_as() {	# NAME CONF
	unshare --mount --uts bash -c '
		mount --bind "$1" /etc/hosts && hostname "$2" &&
			slurmctld -f "$3" 3>&-' - "$host/hosts" "$1" "$2"
}

backup_rules() { scontrol ping | grep -q 'backup.* UP'; }
primary_rules() { scontrol ping | grep -q 'primary.* UP'; }

@test "a backup controller with the plugin goes on placing jobs by their hints" {
	need_namespaces
	mkdir "$host"
	printf '127.0.0.1 localhost first\n127.0.0.2 second\n' >"$host/hosts"
	one=$(run_job -N1 --gpus-per-node=8 --parallelism=tp=8)
	stop_controller
	sed -i -e 's/^SlurmctldHost=.*/SlurmctldHost=first(127.0.0.1)\
SlurmctldHost=second(127.0.0.2)/' -e '/^CommunicationParameters/d' "$SLURM_CONF"
	echo CommunicationParameters=NoCtldInAddrAny >>"$SLURM_CONF"
	sed -e 's/slurmctld\.pid/second.pid/' -e 's/slurmctld\.log/second.log/' \
		"$SLURM_CONF" >"$cluster/etc/second.conf"
	controller_as first "$SLURM_CONF"
	until_true 20 primary_rules
	controller_as second "$cluster/etc/second.conf"
	until_true 20 backup_rules
	stop_controller KILL
	scontrol takeover
	until_true 30 scontrol show job "$one"
	is_running "$one"
	until_true 30 nodes_answer
	two=$(run_job -N1 --gpus-per-node=8 --parallelism=tp=8)
	[ "$(report "$two" | jq -r .placed_by)" = leafspine ]
	grep 'leafspine: fabric ' "$cluster/log/second.log"
}
