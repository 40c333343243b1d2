#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# leafspine score: what given nodes in a given order would cost.
load cli

# One pipeline of two stages, two replicas, on four of the small fabric's nodes.
HINT=tp=2,pp=2,dp=2,tp_bytes=1e9,dp_bytes=2e9,pp_bytes=3e9

# Lists one after the other under both leaves.
score() {
	runs 0 score --fabric fabric.json --parallelism "$HINT" \
		--placement "$1" "${@:2}"
}

@test "score: text" {
	write_fabric
	score 'n[1-2,5-6]'
	printed "8 GPUs on 4 nodes under 2 leaves: tp=2 cp=1 pp=2 dp=2

Ranks  Leaf   Nodes  GPUs  In rank order
0-3    leaf1      2     4  n[1-2]
4-7    leaf2      2     4  n[5-6]

Sent per step  Group  Spine  of it core   Leaf  Local
tp                 2    0 B         0 B    0 B   8 GB
dp                 2    0 B         0 B  16 GB    0 B
pp                 2  24 GB         0 B    0 B    0 B
all                   24 GB         0 B  16 GB   8 GB

Cost        24 GB
Bottleneck  leaf1->spine*: 30 ms per step, 0.75 % of the step
Estimate    $(sed -n 's/^Estimate *//p' <<<"$output")"
}

@test "score --json: the keys of the contract, in its order" {
	write_fabric
	score n1,n5,n2,n6 --json
	[ -z "$stderr" ]
	[ "$(wc -l <<<"$output")" -eq 1 ]
	[ "$(sed -E 's/"comm_seconds": [^,]*, //' <<<"$output")" = '{"nodes": ["n1", "n5", "n2", "n6"], "gpus": 8, "cost": 16000000000, "spine_bytes": 16000000000, "core_bytes": 0, "leaf_bytes": 24000000000, "local_bytes": 8000000000, "by_dimension": {"tp": {"spine_bytes": 0, "core_bytes": 0, "leaf_bytes": 0, "local_bytes": 8000000000}, "dp": {"spine_bytes": 16000000000, "core_bytes": 0, "leaf_bytes": 0, "local_bytes": 0}, "pp": {"spine_bytes": 0, "core_bytes": 0, "leaf_bytes": 24000000000, "local_bytes": 0}}, "leaves": 2, "bottleneck": {"link": "leaf1->spine*", "seconds": 0.02, "utilisation": 0.0050000000000000001}, "parallelism": {"tp": 2, "cp": 1, "pp": 2, "dp": 2, "ep": 1}}' ]
}

@test "nothing crosses: no bottleneck" {
	write_fabric
	score 'n[1-4]'
	has "Bottleneck  none: nothing crosses the Spine"
	has "Cost        0 B"
	score 'n[1-4]' --json
	values_are cost 0 spine_bytes 0 leaves 1
	has '"bottleneck": {"link": null, "seconds": 0, "utilisation": 0}'
}

@test "the order of the list is the order of ranks" {
	write_fabric
	score n2,n1,n5,n6 --json
	list_is nodes '["n2", "n1", "n5", "n6"]'
	values_are spine_bytes 24000000000
	score n5,n1,n6,n2 --json
	values_are spine_bytes 16000000000
}

@test "dp is filled from the GPUs of the nodes" {
	write_fabric
	HINT=tp=2,pp=2,dp_bytes=2e9
	score 'n[1-8]' --json
	values_are gpus 16
	has '"parallelism": {"tp": 2, "cp": 1, "pp": 2, "dp": 4, "ep": 1}'
	runs 2 score --fabric fabric.json --parallelism tp=3 \
		--placement 'n[1-2]'
	said "leafspine: --parallelism: dp: the job's 4 GPUs are no multiple of tp*cp*pp, expected a multiple of 3"
}

@test "the last node gives what remains" {
	write_fabric
	HINT=dp=5,dp_bytes=1e9
	score 'n[1-3]' --json
	values_are gpus 5
	list_is gpus_by_node '[2, 2, 1]'
	HINT=dp=6,dp_bytes=1e9
	score 'n[1-3]' --json
	has_not gpus_by_node
}

@test "experts: their dimensions, degrees and grid" {
	write_fabric
	HINT=tp=2,dp=4,ep=4,etp=1,ep_bytes=3e9,edp_bytes=1e9
	score 'n[1-2,5-6]' --json
	# Each expert group is one of the leaves: nothing of it crosses; each
	# pair of replicas does.
	has '"ep": {"spine_bytes": 0, "core_bytes": 0, "leaf_bytes": 16000000000, "local_bytes": 8000000000}'
	has '"edp": {"spine_bytes": 8000000000, "core_bytes": 0, '
	has '"parallelism": {"tp": 2, "cp": 1, "pp": 1, "dp": 4, "ep": 4, "etp": 1, "edp": 2}'
	score 'n[1-2,5-6]'
	has "tp=2 cp=1 pp=1 dp=4 ep=4 etp=1 edp=2"
}

@test "the core: counted in both, and paid on top" {
	HINT=dp=2,dp_bytes=1e9
	runs 0 score --fabric 'synth:core:1 pod:2 spine:1 leaf:1 node:1 gpus=1' \
		--parallelism "$HINT" --placement 'n[0001-0002]' --json
	values_are spine_bytes 2000000000 core_bytes 2000000000 \
		cost 4000000000 leaves 2
}

@test "several placements: ranked, with the ratio to the best" {
	write_fabric
	score n1,n5,n2,n6 --placement 'n[1-4]' --placement=n1,n2,n5,n6
	[ "${lines[0]% *}" = "Rank   Cost  to best  Spine  of it core  Leaves  Bottleneck     per step  Estimate " ]
	[[ ${lines[1]} =~ ^\ \ \ 1\ +0\ B\ +1x\ +0\ B\ +0\ B\ +1\ \ none\ .*\ \ n\[1-4\]$ ]]
	[[ ${lines[2]} =~ ^\ \ \ 2\ +16\ GB\ +-\ +16\ GB\ .*\ \ n1,n5,n2,n6$ ]]
	[[ ${lines[3]} =~ ^\ \ \ 3\ +24\ GB\ +-\ +24\ GB\ .*\ \ n1,n2,n5,n6$ ]]
	[ "${#lines[@]}" -eq 4 ]
	score n1,n2,n5,n6 --placement=n1,n5,n2,n6
	[[ ${lines[1]} =~ ^\ +1\ +16\ GB\ +1x\  ]]
	[[ ${lines[2]} =~ ^\ +2\ +24\ GB\ +1\.5x\  ]]
}

@test "several placements with --json: an array in the order given" {
	write_fabric
	score n1,n5,n2,n6 --placement 'n[1-4]' --placement n1,n2,n5,n6 --json
	[ "$(wc -l <<<"$output")" -eq 1 ]
	[[ $output == '[{"nodes": ["n1", "n5", "n2", "n6"], '*'}]' ]]
	[ "$(grep -oE '"cost": [0-9]+' <<<"$output" | tr '\n' ' ')" = \
		'"cost": 16000000000 "cost": 0 "cost": 24000000000 ' ]
}

@test "equal placements keep the order given" {
	write_fabric
	score 'n[5-8]' --placement 'n[1-4]'
	[[ ${lines[1]} == *"n[5-8]" && ${lines[2]} == *"n[1-4]" ]]
}

@test "a state prices the links, but its nodes may be used" {
	write_fabric
	echo '{"down": "n1", "jobs": [{"nodes": "n[2-5]"}],
		"links": [{"from": "leaf2", "to": "spine1", "gbps": 0}]}' \
		>state.json
	score n1,n5,n2,n6 --state state.json --json
	values_are spine_bytes 16000000000 cost 32000000000 gpus 8
	has_not gpus_by_node
	score 'n[1-4]' --state state.json --json
	values_are cost 0
}

@test "with rails a job in a used node still has its GPUs from the first on" {
	fabric='synth:spine:1 leaf:2 node:1 rails=2 gpus=2'
	# The last rank is on one GPU of n0002: on the slow rail, or not.
	links='"links": [{"from": "leaf2r0", "to": "spine1", "gbps": 100}]'
	echo "{$links}" >idle.json
	echo "{$links, \"jobs\": [{\"nodes\": \"n0002\", \"gpus\": [1]}]}" \
		>used.json
	runs 0 score --fabric "$fabric" --state idle.json --json \
		--parallelism dp=3,dp_bytes=1e9 --placement 'n[0001-0002]'
	values_are cost 8000000000
	idle=$output
	runs 0 score --fabric "$fabric" --state used.json --json \
		--parallelism dp=3,dp_bytes=1e9 --placement 'n[0001-0002]'
	printed "$idle"
}

# refused MESSAGE PLACEMENT...
refused() {
	local message=$1 placements=()

	shift
	for placement; do
		placements+=(--placement "$placement")
	done
	runs 2 score --fabric "$FABRIC" --parallelism "$HINT" \
		"${placements[@]}"
	said "leafspine: --placement: $message"
}

@test "placements that are none" {
	write_fabric
	FABRIC=fabric.json
	refused "node 'n1' is given twice" n1,n2,n1
	refused "node 'n2' is given twice" 'n[1-4]' 'n[1-2],n2'
	refused "unknown node 'n9'" 'n[8-9]'
	refused "names no node, expected at least one" ""
	refused "the nodes have 6 GPUs, the hint asks for 8" 'n[1-3]'
	refused "node 'n5' is left with no rank, the 8 GPUs of the hint end before it" 'n[1-6]'
	runs 2 score --fabric fabric.json --parallelism "$HINT" \
		--placement 'n[1-'
	[[ $stderr == "leafspine: --placement: character "*": "*"expected"* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
}

@test "nodes without GPUs, nodes of two fabrics" {
	HINT=dp_bytes=1
	cat >mixed.json <<-END
	{"nodes": [{"names": "g1"}, {"names": "c1", "gpus": 0},
		{"names": "g2"}],
	 "switches": [{"name": "l1", "tier": "leaf", "nodes": "g1,c1"},
		{"name": "l2", "tier": "leaf", "nodes": "g2"}]}
	END
	FABRIC=mixed.json
	refused "node 'c1' has no GPUs" g1,c1
	refused "nodes 'g1' and 'g2' lie in fabrics that are not connected" \
		g1,g2
}

@test "one bad placement of several: nothing is printed" {
	write_fabric
	runs 2 score --fabric fabric.json --parallelism "$HINT" --json \
		--placement 'n[1-4]' --placement n9
	said "leafspine: --placement: unknown node 'n9'"
}

@test "hints that cannot be read or do not fit" {
	write_fabric
	runs 2 score --fabric fabric.json --placement n1 --parallelism off
	said "leafspine: --parallelism: off leaves the job to stock Slurm, there is nothing to compute"
	runs 2 score --fabric fabric.json --placement n1 --parallelism tp=eight
	said "leafspine: --parallelism: tp: 'eight' is no whole number, expected a whole number from 1 to 1048576"
	runs 2 score --fabric fabric.json --placement n1 --parallelism ''
	[[ $stderr == "leafspine: --parallelism: "*"expected"* ]]
	runs 2 score --fabric fabric.json --placement n1 \
		--parallelism tp=2,ep=3,ep_bytes=1
	[[ $stderr == "leafspine: --parallelism: ep: "*"expected"* ]]
}

@test "files that cannot be read" {
	runs 2 score --fabric none.json --parallelism tp=1 --placement n1
	said "none.json: cannot be opened: No such file or directory"
	write_fabric
	runs 2 score --fabric fabric.json --state none.json --parallelism tp=1 \
		--placement n1
	said "none.json: cannot be opened: No such file or directory"
}
