#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# leafspine show: leaves with what is free, uplinks with their load.
load cli

# One node down; a job on four nodes whose gradients cross the Spine: 800 GB a
# step of 4 s out of each leaf are 1600 Gbit/s, of which leaf2 can have only
# what its one node's NICs carry; half a node taken; half of one of leaf2's
# bundles gone.
write_state() {
	cat >state.json <<-END
	{"down": "n1",
	 "jobs": [
	   {"id": 7, "nodes": "n[2-5]",
	    "parallelism": "tp=2,dp=4,dp_bytes=4e11,step=4"},
	   {"id": 8, "nodes": "n6", "gpus": [1]}],
	 "links": [{"from": "leaf2", "to": "spine1", "gbps": 400}]}
	END
}

@test "show: everything is free" {
	write_fabric
	runs 0 show fabric.json
	printed "Leaf   Nodes  free  down  GPUs  free     Uplinks  healthy  Oversub.  Load up  Load down  Free nodes  All nodes
leaf1      4     4     0     8     8  3.2 Tbit/s    100 %       1:1      0 %        0 %  n[1-4]      n[1-4]
leaf2      4     4     0     8     8  3.2 Tbit/s    100 %       1:1      0 %        0 %  n[5-8]      n[5-8]"
}

@test "show --state" {
	write_fabric
	write_state
	runs 0 show fabric.json --state state.json
	printed "Leaf   Nodes  free  down  GPUs  free     Uplinks  healthy  Oversub.  Load up  Load down  Free nodes  All nodes
leaf1      4     0     1     8     0  3.2 Tbit/s    100 %       1:1     50 %       50 %  none        n[1-4]
leaf2      4     2     0     8     5  3.2 Tbit/s   62.5 %       1:1     40 %       40 %  n[7-8]      n[5-8]"
}

@test "show --json" {
	write_fabric
	write_state
	runs 0 show --state=state.json --json fabric.json
	printed '{"fabric": "small", "leaves": [{"leaf": "leaf1", "component": 0, "nodes": "n[1-4]", "node_count": 4, "free_nodes": "", "free_node_count": 0, "down_nodes": "n1", "down_node_count": 1, "gpus": 8, "free_gpus": 0, "uplink_gbps": 3200, "healthy_gbps": 3200, "oversubscription": 1, "load_up_gbps": 1600, "load_down_gbps": 1600, "load_up_percent": 50, "load_down_percent": 50}, {"leaf": "leaf2", "component": 0, "nodes": "n[5-8]", "node_count": 4, "free_nodes": "n[7-8]", "free_node_count": 2, "down_nodes": "", "down_node_count": 0, "gpus": 8, "free_gpus": 5, "uplink_gbps": 3200, "healthy_gbps": 2000, "oversubscription": 1, "load_up_gbps": 800, "load_down_gbps": 800, "load_up_percent": 40, "load_down_percent": 40}], "spines": []}'
}

@test "three tiers: a second table of the Spines, in JSON too" {
	fabric='synth:core:2 pod:2 spine:1 leaf:1 node:2 links=4 core_links=3'
	runs 0 show "$fabric"
	printed "Leaf   Nodes  free  down  GPUs  free     Uplinks  healthy  Oversub.  Load up  Load down  Free nodes    All nodes
leaf1      2     2     0    16    16  1.6 Tbit/s    100 %       4:1      0 %        0 %  n[0001-0002]  n[0001-0002]
leaf2      2     2     0    16    16  1.6 Tbit/s    100 %       4:1      0 %        0 %  n[0003-0004]  n[0003-0004]

Spine      Uplinks  healthy  Oversub.  Load up  Load down
spine1  2.4 Tbit/s    100 %   0.667:1      0 %        0 %
spine2  2.4 Tbit/s    100 %   0.667:1      0 %        0 %"
	runs 0 show --json "$fabric"
	has '"spines": [{"spine": "spine1", "uplink_gbps": 2400, "healthy_gbps": 2400, '
	has '{"spine": "spine2", '
}

@test "rail leaves of the same nodes are one row, no uplinks are none" {
	runs 0 show 'synth:leaf:1 node:2 rails=4'
	printed "Leaf         Nodes  free  down  GPUs  free  Uplinks  healthy  Oversub.  Load up  Load down  Free nodes    All nodes
leaf1r[0-3]      2     2     0    16    16     none        -         -        -          -  n[0001-0002]  n[0001-0002]"
	runs 0 show --json 'synth:leaf:1 node:2 rails=4'
	values_are uplink_gbps 0 oversubscription null
}

@test "fabrics that are not connected are numbered" {
	runs 0 show 'synth:fabric:2 leaf:1 node:1'
	printed "Fabric  Leaf   Nodes  free  down  GPUs  free  Uplinks  healthy  Oversub.  Load up  Load down  Free nodes  All nodes
     1  leaf1      1     1     0     8     8     none        -         -        -          -  n0001       n0001
     2  leaf2      1     1     0     8     8     none        -         -        -          -  n0002       n0002"
	runs 0 show --json 'synth:fabric:2 leaf:1 node:1'
	has '"leaf": "leaf1", "component": 0'
	has '"leaf": "leaf2", "component": 1'
}

@test "a bundle with nothing left is full" {
	write_fabric
	echo '{"links": [{"from": "leaf1", "to": "spine1", "gbps": 0},
		{"from": "spine2", "to": "leaf1", "gbps": 0}]}' >state.json
	runs 0 show fabric.json --state state.json
	grep -qE '^leaf1 .* 3\.2 Tbit/s +0 % +1:1 +100 % +100 % ' <<<"$output"
	runs 0 show fabric.json --state state.json --json
	values_are healthy_gbps 0 load_up_percent 100 load_down_percent 100
}

@test "faults of a state file" {
	write_fabric
	printf '{"down": "n9",\n "jobs": [{"id": 1}]}' >bad.json
	runs 2 show fabric.json --state bad.json
	[ -z "$output" ]
	[ "${stderr_lines[0]}" = 'bad.json:1:10: down: no node is called "n9", expected a node of the fabric' ]
	[[ ${stderr_lines[1]} == bad.json:2:11:\ jobs* ]]
	[ "${#stderr_lines[@]}" -eq 2 ]
	runs 2 show fabric.json --state none.json
	said "none.json: cannot be opened: No such file or directory"
}

@test "a warning of a state file stops nothing" {
	write_fabric
	echo '{"jobs": [{"nodes": "n1", "parallelism": "tp=3"}]}' >state.json
	runs 0 show fabric.json --state state.json
	has "leaf1      4     3 "
	[[ $stderr == "state.json:1:"*" warning: "* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
}

@test "faults of a fabric file" {
	runs 2 show none.json
	said "none.json: cannot be opened: No such file or directory"
}
