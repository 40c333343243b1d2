#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# leafspine check: what a fabric is, and all that is wrong with a file.
load cli

# Three tiers, NVLink domains, CPU nodes, rails, another plane, two fabrics.
write_rich_fabric() {
	cat >rich.json <<-END
	{
	  "fabric": "rich",
	  "nodes": [
	    {"names": "a[1-4]", "nvlink_domain": "rack1"},
	    {"names": "a[5-7]", "nvlink_domain": "rack2"},
	    {"names": "c[1-2]", "gpus": 0},
	    {"names": "b[1-2]", "gpus": 4}
	  ],
	  "switches": [
	    {"name": "la1", "tier": "leaf", "nodes": "a[1-4],c1",
	     "uplinks": [{"to": "sa1", "count": 8}]},
	    {"name": "la2", "tier": "leaf", "nodes": "a[5-7],c2",
	     "uplinks": [{"to": "sa1", "count": 25}]},
	    {"name": "sa1", "tier": "spine",
	     "uplinks": [{"to": "core1", "count": 11}]},
	    {"name": "core1", "tier": "core"},
	    {"name": "lb0", "tier": "leaf", "rail": 0, "nodes": "b[1-2]"},
	    {"name": "lb1", "tier": "leaf", "rail": 1, "nodes": "b[1-2]"},
	    {"name": "spare", "tier": "spine"},
	    {"name": "st1", "tier": "leaf", "plane": "storage",
	     "nodes": "a[1-7]", "uplinks": [{"to": "st2"}]},
	    {"name": "st2", "tier": "spine", "plane": "storage"}
	  ]
	}
	END
}

# Three faults: two counts out of range, an unknown node.
write_bad_fabric() {
	write_fabric
	sed 's/n\[5-8\]/n[5-9]/; s/"count": 4/"count": 0/' fabric.json >bad.json
}

BAD_FAULTS='bad.json:6:48: switches[0].uplinks[0].count: 0 is out of range, expected 1 to 4096
bad.json:7:48: switches[1].nodes: no node is called "n9", expected a declared node
bad.json:8:48: switches[1].uplinks[0].count: 0 is out of range, expected 1 to 4096
3 errors, 0 warnings'

@test "check says what a fabric is" {
	write_fabric
	runs 0 check fabric.json
	printed "Fabric          small
Nodes           8 (8 with GPUs, 0 without)
GPUs            16
NVLink domains  each node its own
Tiers           leaf, Spine
Leaves          2
Spines          2
Core switches   0
Leaf uplinks    6.4 Tbit/s in all, oversubscription 1:1
Rails           none
Fabrics         1
Warnings        0"
}

@test "check of a fabric that has everything" {
	write_rich_fabric
	runs 0 check rich.json
	[ "$output" = "Fabric                            rich
Nodes                             11 (9 with GPUs, 2 without)
GPUs                              64
NVLink domains                    2 of 3 to 4 nodes
Tiers                             leaf, Spine, core
Leaves                            4
Spines                            2
Core switches                     1
Leaf uplinks                      13.2 Tbit/s in all, oversubscription 1:1 to 4.12:1
Spine uplinks                     4.4 Tbit/s in all, oversubscription 3:1
Rails                             2
Fabrics                           2, not connected to each other
Switches left out (other planes)  2
Warnings                          1" ]
	[ "$stderr" = 'rich.json:19:14: switches[6].name: warning: switch "spare" has nothing below it
0 errors, 1 warning' ]
}

@test "check --json" {
	write_fabric
	runs 0 check --json fabric.json
	printed '{"valid": true, "fabric": "small", "nodes": 8, "gpu_nodes": 8, "cpu_nodes": 0, "gpus": 16, "tiers": 2, "leaves": 2, "spines": 2, "core": 0, "rails": 0, "nvlink_domains": {"count": 0, "min_nodes": 0, "max_nodes": 0}, "fabrics": 1, "oversubscription": {"leaf": {"min": 1, "max": 1, "uplink_gbps": 6400}}, "left_out_switches": 0, "errors": 0, "warnings": 0, "faults": []}'
}

@test "check --json of a fabric that has everything" {
	write_rich_fabric
	runs 0 check rich.json --json
	[ "$output" = '{"valid": true, "fabric": "rich", "nodes": 11, "gpu_nodes": 9, "cpu_nodes": 2, "gpus": 64, "tiers": 3, "leaves": 4, "spines": 2, "core": 1, "rails": 2, "nvlink_domains": {"count": 2, "min_nodes": 3, "max_nodes": 4}, "fabrics": 2, "oversubscription": {"leaf": {"min": 1, "max": 4.125, "uplink_gbps": 13200}, "spine": {"min": 3, "max": 3, "uplink_gbps": 4400}}, "left_out_switches": 2, "errors": 0, "warnings": 1, "faults": [{"severity": "warning", "line": 19, "column": 14, "path": "switches[6].name", "text": "switch \"spare\" has nothing below it"}]}' ]
}

@test "all faults of a file, one a line, then their number; exit 2" {
	write_bad_fabric
	runs 2 check bad.json
	said "$BAD_FAULTS"
}

@test "check --json of a bad file: the faults as JSON too; exit 2" {
	write_bad_fabric
	runs 2 check bad.json --json
	[ "$stderr" = "$BAD_FAULTS" ]
	[ "$output" = '{"valid": false, "errors": 3, "warnings": 0, "faults": [{"severity": "error", "line": 6, "column": 48, "path": "switches[0].uplinks[0].count", "text": "0 is out of range, expected 1 to 4096"}, {"severity": "error", "line": 7, "column": 48, "path": "switches[1].nodes", "text": "no node is called \"n9\", expected a declared node"}, {"severity": "error", "line": 8, "column": 48, "path": "switches[1].uplinks[0].count", "text": "0 is out of range, expected 1 to 4096"}]}' ]
}

@test "files that cannot be read" {
	runs 2 check none.json
	said "none.json: cannot be opened: No such file or directory
1 error, 0 warnings"
	runs 2 check .
	said ".: cannot be read: Is a directory
1 error, 0 warnings"
	: >empty.json
	runs 2 check empty.json
	[ "${stderr_lines[-1]}" = "1 error, 0 warnings" ]
	[[ ${stderr_lines[0]} == empty.json:* ]]
}

@test "a fault does not hide another elsewhere" {
	cat >two.json <<-END
	{"nodes": [{"names": "n[1-2]"}],
	 "switches": [
	  {"name": "l1", "tier": "leaf", "nodes": "n1", "uplinks": [{"to": "nowhere"}]},
	  {"name": "l2", "tier": "leaf", "nodes": "n2,m", "uplinks": [{"to": "s"}]},
	  {"name": "s", "tier": "spin"}]}
	END
	runs 2 check two.json
	said 'two.json:3:68: switches[0].uplinks[0].to: no switch is called "nowhere", expected a declared switch
two.json:4:43: switches[1].nodes: no node is called "m", expected a declared node
two.json:5:25: switches[2].tier: unknown tier "spin", expected leaf, spine or core
3 errors, 0 warnings'
}

@test "standard input" {
	write_fabric
	runs 0 check - <fabric.json
	has "8 with GPUs"
	write_bad_fabric
	runs 2 check - <bad.json
	said "${BAD_FAULTS//bad.json/-}"
}

@test "a fabric in one line" {
	runs 0 check 'synth:core:2 pod:2 spine:2 leaf:3 node:4 gpus=4'
	has "24 (24 with GPUs, 0 without)"
	has "GPUs            96"
	has "leaf, Spine, core"
	[ -z "$stderr" ]
	runs 2 check synth:leaf:2
	said 'synthetic:1:1: no leaf or no node is given, expected at least "leaf:N node:N"
1 error, 0 warnings'
}

@test "Slurm's topology.conf" {
	cat >topology.conf <<-END
	SwitchName=l1 Nodes=n[1-2]
	SwitchName=l2 Nodes=n[3-4]
	SwitchName=s1 Switches=l[1-2]
	END
	runs 0 check topology.conf
	has "Fabric          without a name"
	has "Nodes           4 "
	has "leaf, Spine"
	# 2 nodes of 8 NICs over one link, each of 400 Gbit/s
	has "Leaf uplinks    800 Gbit/s in all, oversubscription 16:1"
	[ -z "$stderr" ]
	sed -i 's/l\[1-2\]/l[1-2,9]/' topology.conf
	runs 2 check topology.conf
	said 'topology.conf:3:15: SwitchName=s1 Switches: no switch is called "l9", expected a declared switch
1 error, 0 warnings'
}

@test "topology.conf: a node under two leaves is a warning" {
	printf 'SwitchName=l1 Nodes=n[1-3]\nSwitchName=l2 Nodes=n[2-4]\n' \
		>topology.conf
	runs 0 check topology.conf
	[ "$stderr" = 'topology.conf:2:15: SwitchName=l2 Nodes: warning: nodes "n[2-3]" stand under l1 and l2
0 errors, 1 warning' ]
}

@test "topology.conf: each fault has a line, a column and a path" {
	printf 'Nodes=n1\nSwitchName= Nodes=n2 Rail=1\nwhat\n' >topology.conf
	runs 2 check topology.conf
	said 'topology.conf:1:1: Nodes: the line has no SwitchName, expected SwitchName=NAME
topology.conf:2:12: SwitchName: is empty, expected a name
topology.conf:2:22: Rail: unknown key "Rail", expected SwitchName, Nodes, Switches or LinkSpeed
topology.conf:3:1: what: "what" is no Key=Value, expected SwitchName=, Nodes=, Switches= or LinkSpeed=
4 errors, 0 warnings'
	echo 'SwitchName=a Nodes=' >topology.conf
	runs 2 check topology.conf
	[ "${stderr_lines[0]}" = 'topology.conf:1:1: $: no node is declared, expected at least one' ]
	: >topology.yaml
	runs 2 check topology.yaml
	said 'topology.yaml:1:1: $: no topology is declared, expected a list of topologies
1 error, 0 warnings'
}

@test "the fabrics that come with the program are sound" {
	count=0
	for file in "$TOPOLOGY"/*.json "$TOPOLOGY"/*.conf \
		"$TOPOLOGY"/*.yaml; do
		[ -e "$file" ] || continue
		runs 0 check "$file"
		[ -z "$stderr" ]
		runs 0 check --json "$file"
		values_are valid true errors 0 warnings 0
		count=$((count + 1))
	done
	[ "$count" -gt 0 ] || skip "no fabrics"
}

@test "three tiers of 4,096 GPUs" {
	[ -e "$TOPOLOGY/three-tier-4096.json" ] || skip "no such fabric"
	runs 0 check --json "$TOPOLOGY/three-tier-4096.json"
	values_are nodes 512 gpus 4096 tiers 3
}

@test "the broken files are refused, each with its faults" {
	count=0
	for file in "$TOPOLOGY"/broken/*.json "$TOPOLOGY"/broken/*.conf; do
		[ -e "$file" ] || continue
		"$LEAFSPINE" check "$file" >out 2>err && status=0 || status=$?
		case $status in
		0) grep -q ' warning: ' err ;;	# a fault that is no error
		*) [ "$status" -eq 2 ] && [ ! -s out ] ;;
		esac
		[[ $(tail -n 1 err) =~ ^[0-9]+\ errors?,\ [0-9]+\ warnings?$ ]]
		[ "$(grep -cF "$file:" err)" -eq $(($(wc -l <err) - 1)) ]
		count=$((count + 1))
	done
	[ "$count" -gt 0 ] || skip "no broken files"
}
