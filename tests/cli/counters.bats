#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# leafspine counters: the status file of the plugin, and what is no such file.
load cli

write_status() {
	cat >status.json <<-'END'
	{
	 "version": "0.1.0",
	 "since": 1764748800,
	 "time": 1764752405,
	 "mode": "steer",
	 "fabric": "/etc/slurm/fabric.json",
	 "offered": 400,
	 "narrowed": 150,
	 "fell_back": {"infeasible": 240, "switches": 0, "no_placement": 10},
	 "skipped": {"mode_off": 0, "test_only": 100, "no_hint": 300},
	 "starts": {"free": 120, "forced": 30, "preempted": 10, "unsteered": 40},
	 "gpu_hours": {"free": 1200.5, "forced": 99.5, "preempted": 200, "unsteered": 500},
	 "unlimited": {"free": 3, "forced": 0, "preempted": 0, "unsteered": 1},
	 "microseconds": 50000}
	END
}

@test "counters: starts by how, calls by cause" {
	write_status
	runs 0 counters status.json
	printed "Mode steer, fabric /etc/slurm/fabric.json, from 2025-12-03T08:00:00Z to 2025-12-03T09:00:05Z

Started    Jobs  share  GPU-hours   share  No limit
free        120   60 %     1200.5    60 %         3
forced       30   15 %       99.5  4.98 %         0
preempted    10    5 %      200.0    10 %         0
unsteered    40   20 %      500.0    25 %         1
all         200  100 %     2000.0   100 %         4

Calls           Number   share
offered            400    50 %
narrowed           150  18.8 %
fell back          250  31.2 %
  infeasible       240    30 %
  no_placement      10  1.25 %
skipped            400    50 %
  test_only        100  12.5 %
  no_hint          300  37.5 %

Mean time of a call that was offered: 125 us"
	# From standard input as well.
	text=$output
	run --separate-stderr bash -c "'$LEAFSPINE' counters - <status.json"
	printed "$text"
}

@test "counters --json: the same, with the shares" {
	write_status
	runs 0 counters --json status.json
	printed '{"version": "0.1.0", "mode": "steer", "fabric": "/etc/slurm/fabric.json", "since": 1764748800, "time": 1764752405, "starts": {"free": {"jobs": 120, "job_share": 0.59999999999999998, "gpu_hours": 1200.5, "gpu_hour_share": 0.60024999999999995, "unlimited": 3}, "forced": {"jobs": 30, "job_share": 0.14999999999999999, "gpu_hours": 99.5, "gpu_hour_share": 0.049750000000000003, "unlimited": 0}, "preempted": {"jobs": 10, "job_share": 0.050000000000000003, "gpu_hours": 200, "gpu_hour_share": 0.10000000000000001, "unlimited": 0}, "unsteered": {"jobs": 40, "job_share": 0.20000000000000001, "gpu_hours": 500, "gpu_hour_share": 0.25, "unlimited": 1}}, "offered": 400, "narrowed": 150, "fell_back": {"infeasible": 240, "switches": 0, "no_placement": 10}, "skipped": {"mode_off": 0, "test_only": 100, "no_hint": 300}, "microseconds": 50000, "microseconds_per_call": 125}'
}

@test "counters: nothing has happened yet" {
	write_status
	sed -i '/offered/,$s/[0-9.]\{1,\}\([,}]\)/0\1/g' status.json
	runs 0 counters status.json
	printed "Mode steer, fabric /etc/slurm/fabric.json, from 2025-12-03T08:00:00Z to 2025-12-03T09:00:05Z

Started    Jobs  share  GPU-hours  share  No limit
free          0      -        0.0      -         0
forced        0      -        0.0      -         0
preempted     0      -        0.0      -         0
unsteered     0      -        0.0      -         0
all           0      -        0.0      -         0

Calls      Number  share
offered         0      -
narrowed        0      -
fell back       0      -
skipped         0      -"
	runs 0 counters --json status.json
	has '"job_share": null'
	has '"microseconds_per_call": null'
}

@test "kinds, causes and keys of another version are taken as they come" {
	write_status
	sed -i 's/"switches": 0/"moon\\u0007phase": 7/; s/"offered"/"new": [1], &/' \
		status.json
	sed -i 's/"unsteered"/"by hand"/' status.json
	runs 0 counters status.json
	has "  moon?phase"
	has "by hand      40"
}

@test "a file that is missing, empty, cut short, or of another kind" {
	runs 2 counters none.json
	said "none.json: cannot be opened: No such file or directory"
	: >empty.json
	runs 2 counters empty.json
	said 'empty.json:1:1: $: the file is empty, expected a JSON object'
	write_status
	head -c 300 status.json >cut.json
	runs 2 counters cut.json
	[[ $stderr =~ ^cut\.json:[0-9]+:[0-9]+:\ \$:\ this\ is\ no\ JSON:\  ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
	write_fabric
	runs 2 counters fabric.json
	said 'fabric.json:1:1: $: no status file of leafspine, expected the file that StatusFile in leafspine.conf names'
	echo '[]' >list.json
	runs 2 counters list.json
	[[ $stderr == 'list.json:1:1: $: '* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
	runs 2 counters .
	[[ $stderr == '.: cannot be read: '* ]]
}

@test "every fault of a status file is told with its place" {
	write_status
	sed -i 's/400/-1/; s/"no_hint": 300/"no_hint": "many"/; /narrowed/d' \
		status.json
	sed -i 's/"preempted": 200, //' status.json
	runs 2 counters status.json
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 4 ]
	[[ ${stderr_lines[0]} == 'status.json:1:1: narrowed: is missing, expected a number' ]]
	[[ ${stderr_lines[1]} == 'status.json:7:'*': offered: '* ]]
	[[ ${stderr_lines[2]} == 'status.json:9:'*': skipped.no_hint: '* ]]
	[[ ${stderr_lines[3]} == 'status.json:11:'*': gpu_hours.preempted: is missing, expected a number' ]]
}
