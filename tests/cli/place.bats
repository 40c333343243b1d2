#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# leafspine place: which nodes a job would get, in rank order.
load cli

HINT=tp=2,pp=2,dp_bytes=2e9,pp_bytes=1e9

# place STATUS OPTION...
place() {
	runs "$1" place --fabric fabric.json --parallelism "$HINT" "${@:2}"
}

# Half of leaf1 is in use.
write_state() {
	echo '{"jobs": [{"nodes": "n[1-2]"}]}' >state.json
}

@test "place: text, and what first-fit would do" {
	write_fabric
	write_state
	place 0 --state state.json --nodes 4
	printed "8 GPUs on 4 nodes under 1 leaf: tp=2 cp=1 pp=2 dp=2

Ranks  Leaf   Nodes  GPUs  In rank order
0-7    leaf2      4     8  n[5-8]

Sent per step  Group  Spine  of it core   Leaf  Local
tp                 2    0 B         0 B    0 B    0 B
dp                 2    0 B         0 B  16 GB    0 B
pp                 2    0 B         0 B   8 GB    0 B
all                     0 B         0 B  24 GB    0 B

Cost        0 B
Bottleneck  none: nothing crosses the Spine
Estimate    $(sed -n 's/^Estimate *//p' <<<"$output")
First-fit would put 8 GB on the Spine instead of none"
}

@test "place: the same as first-fit, and better by a factor" {
	write_fabric
	place 0 --nodes 8
	has "First-fit would put 16 GB on the Spine: the same"
	HINT=tp=2,pp=2,dp_bytes=1e9,pp_bytes=2e10
	place 0 --nodes 8
	# The pipeline's edges outweigh the rings': those are cut.
	[[ $output =~ First-fit\ would\ put\ 320\ GB\ on\ the\ Spine:\ 40x$ ]]
}

@test "place: as many bytes as first-fit, on cheaper links" {
	# What is left of leaf2's bundle is a quarter: four times the price.
	echo '{"links": [{"from": "leaf2", "to": "spine1", "gbps": 400}]}' \
		>state.json
	runs 0 place --fabric 'synth:spine:1 leaf:3 node:2 gpus=2 links=4' \
		--state state.json --parallelism tp=2,pp=2,dp=2,dp_bytes=3e9,pp_bytes=1e9
	has "n[0001-0002]"
	has "n[0005-0006]"
	[[ $output =~ First-fit\ would\ put\ 8\ GB\ on\ the\ Spine:\ the\ same,\ at\ 4x\ the\ cost$ ]]
}

@test "place --json: the keys of the contract, in its order" {
	write_fabric
	write_state
	place 0 --state state.json --nodes 4 --json
	[ -z "$stderr" ]
	[ "$(wc -l <<<"$output")" -eq 1 ]
	[ "$(sed -E 's/"(comm_seconds|strategy)": [^,]*, //g' <<<"$output")" = '{"nodes": ["n5", "n6", "n7", "n8"], "gpus": 8, "cost": 0, "spine_bytes": 0, "core_bytes": 0, "leaf_bytes": 24000000000, "local_bytes": 0, "by_dimension": {"tp": {"spine_bytes": 0, "core_bytes": 0, "leaf_bytes": 0, "local_bytes": 0}, "dp": {"spine_bytes": 0, "core_bytes": 0, "leaf_bytes": 16000000000, "local_bytes": 0}, "pp": {"spine_bytes": 0, "core_bytes": 0, "leaf_bytes": 8000000000, "local_bytes": 0}}, "leaves": 1, "bottleneck": {"link": null, "seconds": 0, "utilisation": 0}, "parallelism": {"tp": 2, "cp": 1, "pp": 2, "dp": 2, "ep": 1}, "first_fit": {"nodes": ["n3", "n4", "n5", "n6"], "cost": 8000000000, "spine_bytes": 8000000000, "core_bytes": 0, "leaves": 2}}' ]
}

@test "place and score agree" {
	write_fabric
	place 0 --nodes 6 --json
	nodes=$(grep -oE '"nodes": \[[^]]*\]' <<<"$output" | head -n 1 |
		grep -oE 'n[0-9]+' | paste -sd,)
	placed=$(sed -E 's/, "(strategy|first_fit)": .*/}/' <<<"$output")
	runs 0 score --fabric fabric.json --parallelism "$HINT" \
		--placement "$nodes" --json
	printed "$placed"
}

@test "--gpus, with and without --gpus-per-node" {
	write_fabric
	HINT=tp=2,dp_bytes=2e9
	place 0 --gpus 6 --json
	values_are gpus 6
	list_is nodes '["n1", "n2", "n3"]'
	has_not gpus_by_node
	HINT=dp_bytes=2e9
	place 0 --gpus 3 --gpus-per-node 1 --json
	list_is nodes '["n1", "n2", "n3"]'
	list_is gpus_by_node '[1, 1, 1]'
	place 0 --gpus=3 --json
	list_is gpus_by_node '[2, 1]'
}

@test "--nodes with --gpus-per-node" {
	write_fabric
	HINT=dp_bytes=2e9
	place 0 --nodes 2 --gpus-per-node 1 --json
	values_are gpus 2
	list_is gpus_by_node '[1, 1]'
}

@test "degrees alone say how many GPUs the job has" {
	write_fabric
	HINT=tp=2,pp=2,dp=2
	place 0 --json
	values_are gpus 8
	list_is nodes '["n1", "n2", "n3", "n4"]'
}

@test "--min-nodes and --max-nodes" {
	write_fabric
	HINT=tp=2,dp_bytes=1e9
	place 0 --min-nodes 2 --max-nodes 3 --json
	list_is nodes '["n1", "n2", "n3"]'
	place 0 --max-nodes 1 --json
	list_is nodes '["n1"]'
	place 0 --min-nodes 3 --gpus 6 --json
	values_are gpus 6
	place 1 --max-nodes 2 --gpus 6
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == leafspine:\ * ]]
}

@test "--require, --exclude, --allowed" {
	write_fabric
	place 0 --nodes 2 --require n7 --json
	list_is nodes '["n5", "n7"]'
	place 0 --nodes 2 --exclude 'n[1-2],n4' --json
	list_is nodes '["n5", "n6"]'
	place 0 --nodes 2 --allowed 'n[4,8]' --json
	list_is nodes '["n4", "n8"]'
	place 0 --nodes 2 --allowed 'n[2-8]' --exclude 'n[2-5]' --require n8 \
		--json
	list_is nodes '["n6", "n8"]'
	place 0 --nodes 2 --require '' --exclude '' --json
	list_is nodes '["n1", "n2"]'
}

@test "--keep-order: nodes in the order of Slurm's node table" {
	write_fabric
	echo '{"node_order": "n[8,1,7,2,6,3,5,4]"}' >state.json
	place 0 --state state.json --nodes 8 --keep-order --json
	list_is nodes '["n8", "n1", "n7", "n2", "n6", "n3", "n5", "n4"]'
	place 0 --state state.json --nodes 4 --keep-order --json
	values_are leaves 1 spine_bytes 0
	list_is nodes '["n1", "n2", "n3", "n4"]'
	echo '{"node_order": "n[4,3,2,1]"}' >state.json
	place 0 --state state.json --nodes 4 --keep-order --json
	list_is nodes '["n4", "n3", "n2", "n1"]'
}

@test "--first-node: rank 0 on that node, the rest chosen for it" {
	write_fabric
	HINT=tp=2,dp_bytes=2e9
	place 0 --nodes 3 --first-node n6 --json
	list_is nodes '["n6", "n5", "n7"]'
	values_are leaves 1 spine_bytes 0
	place 0 --nodes 3 --first-node n6 --keep-order --json
	list_is nodes '["n6", "n7", "n8"]'
	# Behind n4 in Slurm's order stand the four of leaf2.
	place 0 --nodes 3 --first-node n4 --first-in-order --json
	list_is nodes '["n4", "n5", "n6"]'
	runs 2 place --fabric fabric.json --parallelism tp=2 --nodes 2 \
		--first-node n9
	said "leafspine: --first-node: unknown node 'n9'"
	runs 2 place --fabric fabric.json --parallelism tp=2 --nodes 2 \
		--first-node 'n[1-2]'
	said "leafspine: --first-node: names 2 nodes, expected one"
	place 1 --nodes 2 --first-node n1 --exclude n1
	said "leafspine: first node n1 is excluded as well"
}

@test "--first-in-order: rank 0 on the first of the nodes in Slurm's order" {
	write_fabric
	# Rings of four; in Slurm's order each lies under two leaves.
	echo '{"node_order": "n[8,1,7,2,6,3,5,4]"}' >state.json
	HINT=pp=2,dp=8,dp_bytes=1e11,pp_bytes=1e9
	place 0 --state state.json --nodes 8 --keep-order --json
	kept=$(jq .spine_bytes <<<"$output")
	place 0 --state state.json --nodes 8 --first-in-order --json
	list_is nodes '["n8", "n5", "n6", "n7", "n1", "n2", "n3", "n4"]'
	first=$(jq .spine_bytes <<<"$output")
	jq -en "$first * 10 < $kept"
}

@test "weights: lighter nodes first" {
	write_fabric
	echo '{"weights": {"n[1-4]": 10}}' >state.json
	place 0 --state state.json --nodes 2 --json
	list_is nodes '["n5", "n6"]'
}

@test "unconnected fabrics are never mixed" {
	runs 0 place --fabric 'synth:fabric:2 leaf:1 node:4' --nodes 4 \
		--parallelism tp=8 --json
	values_are leaves 1
	runs 1 place --fabric 'synth:fabric:2 leaf:1 node:4' --nodes 5 \
		--parallelism tp=8
	said "leafspine: 5 nodes with 8 free GPUs each are needed in one fabric; there are 8, but no more than 4 are connected to each other"
}

@test "jobs that cannot be placed: the reason, exit 1" {
	write_fabric
	write_state
	place 1 --nodes 10
	said "leafspine: 10 nodes with 2 free GPUs each are needed, there are 8"
	place 1 --nodes 10 --json
	said "leafspine: 10 nodes with 2 free GPUs each are needed, there are 8"
	place 1 --state state.json --nodes 8
	said "leafspine: 8 nodes with 2 free GPUs each are needed, there are 6"
	place 1 --state state.json --nodes 2 --require n1
	said "leafspine: required node n1 is without a free GPU"
	place 1 --nodes 2 --require n1 --exclude n1
	said "leafspine: required node n1 is excluded as well"
	place 1 --nodes 2 --require n1 --allowed 'n[2-8]'
	said "leafspine: required node n1 is not among the allowed nodes"
	echo '{"down": "n[1-8]"}' >state.json
	place 1 --state state.json --nodes 2
	[[ $stderr == leafspine:\ * ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
}

@test "options that exclude each other" {
	place 2 --nodes 2 --gpus 4
	said "leafspine: place: --nodes and --gpus exclude each other; see 'leafspine place --help'"
	place 2 --nodes 2 --min-nodes 2
	said "leafspine: place: --nodes and --min-nodes exclude each other; see 'leafspine place --help'"
	place 2 --max-nodes 2 --nodes 2
	said "leafspine: place: --nodes and --max-nodes exclude each other; see 'leafspine place --help'"
	place 2 --min-nodes 3 --max-nodes 2
	said "leafspine: place: --min-nodes 3 is more than --max-nodes 2"
}

@test "node lists with faults" {
	write_fabric
	for option in require exclude allowed; do
		place 2 --nodes 2 "--$option" 'n[8-9]'
		said "leafspine: --$option: unknown node 'n9'"
		place 2 --nodes 2 "--$option" 'n[8'
		[[ $stderr == "leafspine: --$option: character "*", expected "* ]]
		[ "${#stderr_lines[@]}" -eq 1 ]
	done
	place 2 --nodes 2 --allowed ''
	said "leafspine: --allowed: names no node, expected at least one"
}

@test "hints that cannot be read or do not fit, exit 2" {
	write_fabric
	HINT=off
	place 2 --nodes 2
	said "leafspine: --parallelism: off leaves the job to stock Slurm, there is nothing to compute"
	HINT=tp=2,tp=2
	place 2 --nodes 2
	[[ $stderr == "leafspine: --parallelism: tp: "*"expected"* ]]
	HINT=tp=2,zp=2
	place 2 --nodes 2
	[[ $stderr == "leafspine: --parallelism: zp: unknown key, expected "* ]]
	HINT=tp=3
	place 2 --nodes 2
	[[ $stderr == "leafspine: dp: "*" multiple of 3" ]]
	HINT=tp=2,dp=8
	place 2 --nodes 2
	[[ $stderr == "leafspine: dp: tp*cp*pp*dp is 16, expected the job's "* ]]
	HINT=tp=2
	place 2
	[[ $stderr == "leafspine: the number of GPUs is not known, expected "* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
}

@test "files that cannot be read, exit 2" {
	write_fabric
	runs 2 place --fabric none.json --parallelism tp=2 --nodes 2
	said "none.json: cannot be opened: No such file or directory"
	place 2 --state none.json --nodes 2
	said "none.json: cannot be opened: No such file or directory"
	echo '{' >bad.json
	runs 2 place --fabric bad.json --parallelism tp=2 --nodes 2
	[[ $stderr == bad.json:* ]]
	[ -z "$output" ]
}

@test "an answer is the same each time" {
	write_fabric
	place 0 --nodes 6 --json
	first=$output
	place 0 --nodes 6 --json
	printed "$first"
}

@test "a job of 128 GPUs on each fabric that comes with the program" {
	count=0
	for file in "$TOPOLOGY"/*.json; do
		[ -e "$file" ] || continue
		runs 0 check --json "$file"
		gpus=$(value gpus)
		[ "$gpus" -ge 256 ] || continue
		runs 0 place --fabric "$file" --parallelism tp=4,pp=4,dp=8 \
			--json
		values_are gpus 128
		ours=$(value cost)
		first=$(sed 's/.*"first_fit"//' <<<"$output" |
			grep -oE '"cost": [0-9.e+]+' | sed 's/.*: //')
		if [ -n "$first" ]; then
			awk "BEGIN { exit !($ours <= $first) }"
		fi
		count=$((count + 1))
	done
	[ "$count" -gt 0 ] || skip "no fabrics"
}
