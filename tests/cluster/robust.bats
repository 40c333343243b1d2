#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Whatever is broken, slurmctld runs and no job is lost.

load cluster

setup_file() {
	load cluster
	setup_path
	install_plugins
	export plugins
}

setup() {
	setup_path
}

teardown() {
	stop_clusters
}

# A directory with plugins that the test may spoil.
copy_plugins() {
	mkdir "$BATS_TEST_TMPDIR/plugins"
	cp "$plugins"/*.so "$BATS_TEST_TMPDIR/plugins/"
	copy=$BATS_TEST_TMPDIR/plugins
}

stock_file() {
	echo "$(stock_plugin_dir)/select_cons_tres.so"
}

# Jobs run as by stock Slurm: the first nodes in order.
runs_as_stock() {
	local job

	job=$(run_job -N3 --gpus-per-node=8 --comment leafspine:tp=8)
	[ "$(nodes_of "$job")" = 'n[01-03]' ] || fail "$(nodes_of "$job")"
	is_running "$job"
	[ -z "$(report "$job")" ]
}

# slurmctld writes its state some seconds after a change.
state_is_saved() {
	[ "$cluster/state/job_state" -nt "$BATS_TEST_TMPDIR/now" ]
}

@test "a plugin of another Slurm version is passed over" {
	copy_plugins
	printf '%s\n' '#include <stdint.h>' \
		'const char plugin_name[] = "x", plugin_type[] = "select/cons_tres";' \
		'const uint32_t plugin_version = 0x180b05, plugin_id = 109;' |
		"${CC:-cc}" -shared -fPIC -x c -o "$copy/select_cons_tres.so" -
	start_cluster version --nodes 8 --plugin "$copy"
	runs_as_stock
	[ "$(grep -c 'Incompatible Slurm plugin' "$log")" -eq 1 ]
}

@test "a plugin file that is broken is passed over" {
	copy_plugins
	echo 'no plugin at all' >"$copy/select_cons_tres.so"
	start_cluster broken --nodes 8 --plugin "$copy"
	runs_as_stock
	[ "$(grep -c 'dlopen.*select_cons_tres' "$log")" -eq 1 ]
}

@test "a SPANK plugin that is broken does not keep jobs from being submitted" {
	copy_plugins
	echo nonsense >"$copy/spank_leafspine.so"
	start_cluster spank --nodes 8 --plugin "$copy"
	run_job -N1 --gpus-per-node=8
}

@test "a broken fabric leaves stock Slurm, and one line in the log" {
	start_cluster fabric --nodes 8 --plugin "$plugins" \
		--leafspine-conf 'Fabric=no.json'
	echo '{"nodes": [{"names": 7}], "switches": 3}' >"$cluster/etc/no.json"
	sed -i '1d' "$cluster/etc/leafspine.conf"
	stop_controller
	: >"$log"
	start_controller
	runs_as_stock
	[ "$(logged 'no.json')" -eq 1 ]
	logged 'no.json:1:[0-9]*: .*stock Slurm'
}

@test "a fabric that breaks later leaves the last good one in force" {
	start_cluster later --nodes 8 --plugin "$plugins"
	echo '{' >"$fabric"
	scontrol reconfigure
	until_true 10 logged 'last good'
	scontrol reconfigure
	job=$(run_job -N2 --gpus-per-node=8 --parallelism=tp=8)
	[ "$(report "$job" | jq -r .placed_by)" = leafspine ]
	[ "$(logged 'fabric.json.*last good')" -eq 1 ]
}

@test "a leafspine.conf that others may write is not taken" {
	start_cluster write --nodes 8 --plugin "$plugins"
	chmod 0666 "$cluster/etc/leafspine.conf"
	stop_controller
	: >"$log"
	start_controller
	runs_as_stock
	[ "$(logged 'could write it')" -eq 1 ]
}

@test "a leafspine.conf without a good line leaves stock Slurm, and one line" {
	start_cluster none --nodes 8 --plugin "$plugins"
	stop_controller
	for content in '\177ELF\002\001\000\n\377\376 = \n' 'Mode=sideways\n' \
		'what is this\nColour=red\n'; do
		printf "$content" >"$cluster/etc/leafspine.conf"
		: >"$log"
		start_controller
		runs_as_stock
		[ "$(logged '')" -eq 1 ] || fail "$(grep leafspine: "$log")"
		[ "$(logged 'leafspine.conf: none of its .*stock Slurm')" -eq 1 ]
		cancel_all
		stop_controller
	done
}

@test "a leafspine.conf that cannot be read leaves stock Slurm, and one line" {
	start_cluster unread --nodes 8 --plugin "$plugins"
	stop_controller
	rm "$cluster/etc/leafspine.conf"
	mkdir "$cluster/etc/leafspine.conf"
	: >"$log"
	start_controller
	runs_as_stock
	[ "$(logged 'leafspine.conf: .*stock Slurm')" -eq 1 ]
}

@test "a bad value or an unknown key in leafspine.conf costs just that key" {
	start_cluster conf --nodes 8 --plugin "$plugins"
	stop_controller
	{ echo 'Mode=sideways'; echo 'Colour=red'; echo 'what is this'; } \
		>>"$cluster/etc/leafspine.conf"
	: >"$log"
	start_controller
	[ "$(logged 'leafspine.conf:[0-9]*:')" -eq 3 ]
	logged "leafspine.conf:2:6: Mode: cannot take 'sideways'"
	scontrol reconfigure
	run_job -N1 --gpus-per-node=8 --parallelism=tp=8
	[ "$(logged 'leafspine.conf:[0-9]*:')" -eq 3 ]
}

@test "no job is lost by kill -9, restart, reconfigure" {
	start_cluster kill --nodes 8 --plugin "$plugins"
	one=$(submit -N2 --gpus-per-node=8 --parallelism=tp=8)
	two=$(submit -N4 --gpus-per-node=4)
	until_true 20 is_running "$one"
	until_true 20 is_running "$two"
	waiting=$(submit -N8 --gpus-per-node=8 --parallelism=tp=8,pp=2)
	nodes="$(nodes_of "$one") $(nodes_of "$two")"
	touch "$BATS_TEST_TMPDIR/now"
	until_true 30 state_is_saved
	stop_controller KILL
	start_controller
	is_running "$one"
	is_running "$two"
	stop_controller
	start_controller
	scontrol reconfigure
	until_true 20 controller_answers
	[ "$(nodes_of "$one") $(nodes_of "$two")" = "$nodes" ]
	[ "$(state_of "$waiting")" = PENDING ]
	scancel "$one" "$two"
	until_true 30 is_running "$waiting"
	[ "$(report "$waiting" | jq -r .hint)" = tp=8,pp=2 ]
}

@test "the plugin may go away, and come back, while jobs run" {
	copy_plugins
	start_cluster away --nodes 8 --plugin "$copy"
	one=$(submit -N2 --gpus-per-node=8 --parallelism=tp=8)
	until_true 20 is_running "$one"
	mv "$copy/select_cons_tres.so" "$copy/kept"
	stop_controller
	start_controller
	is_running "$one"
	two=$(submit -N2 --gpus-per-node=8 --comment leafspine:tp=8)
	until_true 20 is_running "$two"
	[ -z "$(report "$two")" ]
	mv "$copy/kept" "$copy/select_cons_tres.so"
	stop_controller
	start_controller
	is_running "$one"
	is_running "$two"
	three=$(submit -N2 --gpus-per-node=8 --parallelism=tp=8)
	until_true 20 is_running "$three"
	[ "$(report "$three" | jq -r .placed_by)" = leafspine ]
}

@test "installing twice leaves the stock file as it was" {
	before=$(sha256sum "$(stock_file)")
	install_plugins
	install_plugins
	[ "$(sha256sum "$(stock_file)")" = "$before" ]
	grep -q "PluginDir=$plugins:$(dirname "$(stock_file)")" \
		"$BATS_FILE_TMPDIR/install.log"
	grep -q "optional $plugins/spank_leafspine.so" \
		"$BATS_FILE_TMPDIR/install.log"
}

# A slurmctld that runs has the old file mapped: writing into it would kill it.
@test "installing puts a new file in place of the old one" {
	before=$(stat -c %i "$plugins/select_cons_tres.so")
	exec 5<"$plugins/select_cons_tres.so"
	install_plugins
	[ "$(stat -c %i "$plugins/select_cons_tres.so")" != "$before" ]
	[ "$(stat -L -c %i /proc/self/fd/5)" = "$before" ]
	[ "$(stat -L -c %s /proc/self/fd/5)" -gt 0 ]
	exec 5<&-
	[ "$(ls -A "$plugins")" = "$(printf '%s\n' job_submit_leafspine.so \
		select_cons_tres.so spank_leafspine.so)" ]
}

@test "nodes may be created and deleted while jobs run" {
	start_cluster dynamic --nodes 8 --topology none --plugin "$plugins" \
		--conf MaxNodeCount=20
	one=$(run_job -N2 --gpus-per-node=8 --parallelism=tp=8)
	scontrol create NodeName=extra[1-3] CPUs=4 State=FUTURE
	two=$(run_job -N2 --gpus-per-node=8 --parallelism=tp=8)
	scontrol delete NodeName=extra2
	three=$(run_job -N4 --gpus-per-node=8 --parallelism=tp=8)
	for job in "$one" "$two" "$three"; do
		is_running "$job"
		[ "$(report "$job" | jq -r .placed_by)" = leafspine ]
	done
	scancel "$one" "$three"
	until_true 20 gone_from_queue "$three"
	scontrol reconfigure
	until_true 20 controller_answers
	four=$(run_job -N4 --gpus-per-node=8 --parallelism=tp=8)
	[ "$(report "$four" | jq -r .placed_by)" = leafspine ]
	is_running "$two"
}

gone_from_queue() { [ -z "$(squeue -h -j "$1" -o %A 2>/dev/null)" ]; }

@test "a directory that holds the stock file is refused" {
	mkdir "$BATS_TEST_TMPDIR/slurm"
	cp "$(stock_file)" "$BATS_TEST_TMPDIR/slurm/"
	run make -s -C "$builddir" install-exec-local DESTDIR= \
		pkglibdir="$BATS_TEST_TMPDIR/slurm"
	[ "$status" -ne 0 ]
	[[ "$output" == *"select_cons_tres.so"* ]]
	cmp "$(stock_file)" "$BATS_TEST_TMPDIR/slurm/select_cons_tres.so"
	[ "$(ls "$BATS_TEST_TMPDIR/slurm")" = select_cons_tres.so ]
}

@test "SlurmUser need not be root" {
	[ "$(id -u)" -eq 0 ] || skip 'only root can run slurmctld as another user'
	# The user slurm must be able to enter it.
	directory=$(mktemp -d)
	chmod 0755 "$directory"
	cp "$plugins"/*.so "$directory"
	"$srcdir/contrib/cluster" up --dir "$directory/cluster" --nodes 8 \
		--plugin "$directory" --slurm-user slurm \
		--leafspine-conf "StatusFile=$directory/cluster/run/status"
	export SLURM_CONF=$directory/cluster/etc/slurm.conf
	pid=$(cat "$directory/cluster/run/slurmctld.pid")
	owner=$(stat -c %U "/proc/$pid")
	job=$(run_job -N2 --gpus-per-node=8 --parallelism=tp=8)
	placed=$(report "$job" | jq -r .placed_by)
	"$srcdir/contrib/cluster" down --dir "$directory/cluster"
	rm -rf "$directory"
	[ "$owner" = slurm ]
	[ "$placed" = leafspine ]
}
