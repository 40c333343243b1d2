# SPDX-License-Identifier: GPL-2.0-or-later
# fabric-slurm.jq: a fabric (JSON) as lines for slurm.conf and topology.conf.
#   --arg what nodes      NAMES COUNT GPUS, one line an entry of "nodes"
#   --arg what topology   topology.conf; a tree, so that all Spines that share
#                         leaves become one switch, and so does the core

# Slurm's hostlist expressions.
def padded($width): tostring | until(length >= $width; "0" + .);
def numbers:
	capture("^(?<a>[0-9]+)(-(?<b>[0-9]+))?$") | .a as $a | (.b // $a)
	| [range($a | tonumber; tonumber + 1) | padded($a | length)];
def expand_one:
	if test("\\[") then
		capture("^(?<head>[^\\[]*)\\[(?<list>[^\\]]*)\\](?<tail>.*)$")
		| .head as $head | (.tail | expand_one) as $tails
		| [.list | split(",")[] | numbers[] | $head + . + $tails[]]
	else [.] end;
def expand: [scan("(?:[^,\\[]|\\[[^\\]]*\\])+") | expand_one[]];

# Names to runs [head, width, from, to]; to an expression.
def parts: capture("^(?<head>.*?)(?<n>[0-9]*)$");
def folds($part):
	length > 0 and $part.n != "" and .[-1].head == $part.head
	and .[-1].width == ($part.n | length)
	and .[-1].to + 1 == ($part.n | tonumber);
def compress:
	reduce (.[] | parts) as $p ([];
		if folds($p) then .[-1].to += 1
		elif $p.n == "" then . + [{head: $p.head, width: 0}]
		else ($p.n | tonumber) as $n
			| . + [{head: $p.head, width: ($p.n | length),
				from: $n, to: $n}]
		end)
	| map(. as $run
		| if .width == 0 then .head
		elif .from == .to then .head + (.from | padded($run.width))
		else "\(.head)[\(.from | padded($run.width))-\(
			.to | padded($run.width))]" end)
	| join(",");

# [{members, keys}]: those with a key in common become one.
def merged:
	reduce .[] as $new ([];
		(map(any(.keys[]; IN($new.keys[])))) as $meets
		| [range(length) as $i | select($meets[$i]) | .[$i]] as $hit
		| [range(length) as $i | select($meets[$i] | not) | .[$i]]
		+ [{members: ([$hit[].members[]] + $new.members),
			keys: ([$hit[].keys[]] + $new.keys | unique)}]);

def switches:
	[.switches[] | select((.plane // "compute") == "compute")
		| . as $entry | .name | expand[] as $name
		| $entry + {name: $name}];

# Nodes under the same leaves (one leaf, or a rail unit) are one group.
def leaf_groups($switches):
	[$switches[] | select(.tier == "leaf") | .name as $leaf
		| .nodes // "" | expand[] | {node: ., leaf: $leaf}]
	| group_by(.node) | map({node: .[0].node, leaves: map(.leaf)})
	| group_by(.leaves) | map({name: .[0].leaves[0],
		leaves: .[0].leaves, nodes: map(.node)});

def parents($switches; $names; $tier):
	[$switches[] | select(.name | IN($names[])) | .uplinks // [] | .[].to
		| expand[]] | unique
	| map(select(IN($switches[] | select(.tier == $tier) | .name)));

def switch_line($kind):
	"SwitchName=\(.name) \($kind)=\(.members | compress)";

def topology:
	switches as $switches
	| leaf_groups($switches) as $leaves
	| ($leaves[] | {name, members: .nodes} | switch_line("Nodes")),
	([$leaves[] | parents($switches; .leaves; "spine") as $spines
		| {members: [.], keys: $spines}] | merged
	| map({name: (.keys[0] // .members[0].name), spines: .keys,
		leaves: .members})) as $pods
	| ($pods[] | select(.spines != [])
		| {name, members: (.leaves | map(.name))}
		| switch_line("Switches")),
	([$pods[] | (.spines + (.leaves | map(.leaves[]))) as $below
		| {members: [.name],
			keys: parents($switches; $below; "core")}]
	| merged | .[] | select(.keys != [])
		| {name: .keys[0], members} | switch_line("Switches"));

if $what == "nodes" then
	.nodes[] | "\(.names) \(.names | expand | length) \(.gpus // 8)"
else topology end
