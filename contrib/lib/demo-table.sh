# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# demo-table.sh: scores what the jobs of contrib/demo got, and prints it. Source
# it from there.

gigabytes() {
	awk -v bytes="$1" 'BEGIN { printf "%.1f", bytes / 1e9 }'
}

# saving BYTES BYTES: by how much the second is less.
saving() {
	awk -v a="$1" -v b="$2" 'BEGIN {
		if (a > b) printf "%.0f %%", 100 * (a - b) / a
		else if (a < b) printf "+%.1f GB", (b - a) / 1e9
		else printf "-"
	}'
}

sum() {
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.17g", a + b }'
}

row() {
	printf '  %-22s %6s %9s   %-22s %6s %9s %8s\n' "$@" | sed 's/ *$//'
}

# print_fabric STATE: what is free under each leaf.
print_fabric() {
	"$leafspine" show "$fabric" --state "$1" --json | jq -r '
		.leaves[] | "\(.leaf)  \(.free_node_count) of \(
			.node_count) nodes and \(.free_gpus) of \(
			.gpus) GPUs free: \(.free_nodes)"'
}

nodes_of() { cat "$work/$1.$2.nodes" 2>/dev/null || echo refused; }

# A key of what leafspine wrote into the admin comment.
told() {
	sed -n 's/.*leafspine\({.*}\).*/\1/p' "$work/leafspine.$1.comment" |
		jq -r ".$2"
}

# The nodes of a job in rank order, as its admin comment tells: those that it
# has, each once.
nodes_by_rank() {
	local nodes

	nodes=$(told "$1" nodes)
	cmp -s <(scontrol show hostnames "$nodes" | sort) \
		<(scontrol show hostnames "$(nodes_of leafspine "$1")" | sort) ||
		die "$1: has $(nodes_of leafspine "$1"), is told to have $nodes"
	echo "$nodes"
}

# score HINT NODES NODES: leaves and Spine bytes of both, in rank order, which
# in stock Slurm is the order of its node table.
score() {
	"$leafspine" score --fabric "$fabric" --parallelism "$1" \
		--placement "$2" --placement "$3" --json |
		jq -r '[.[] | .leaves, .spine_bytes] | @tsv'
}

# The number that leafspine wrote into the job's admin comment must be this one.
check_comment() {
	local told

	told=$(told "$1" spine_bytes)
	jq -en --argjson a "${told:-null}" --argjson b "$2" \
		'$a != null and (($a - $b) | fabs) <= 1e-12 * $b' >/dev/null ||
		die "$1: $2 Spine bytes, but its admin comment says ${told:-nothing}"
}

show_job() {
	local name=$1 hint=$2 stock ours score
	local stock_leaves stock_bytes our_leaves our_bytes

	stock=$(nodes_of stock "$name")
	ours=$(nodes_of leafspine "$name")
	if [ "$hint" = - ] || [ "$ours" = refused ]; then
		row "$stock" - - "$ours" - - -
		return
	fi
	ours=$(nodes_by_rank "$name")
	score=$(score "$hint" "$stock" "$ours")
	read -r stock_leaves stock_bytes our_leaves our_bytes <<<"$score"
	check_comment "$name" "$our_bytes"
	row "$stock" "$stock_leaves" "$(gigabytes "$stock_bytes")" \
		"$ours" "$our_leaves" "$(gigabytes "$our_bytes")" \
		"$(saving "$stock_bytes" "$our_bytes")"
	stock_sum=$(sum "$stock_sum" "$stock_bytes")
	our_sum=$(sum "$our_sum" "$our_bytes")
}

print_table() {
	local job name count gpus hint stock_sum=0 our_sum=0

	row 'stock Slurm' leaves 'Spine GB' leafspine leaves 'Spine GB' saving
	for job in "${stream[@]}"; do
		read -r name count gpus hint <<<"$job"
		printf '%-14s %s x %s GPU  %s\n' "$name" "$count" \
			"$gpus" "${hint/#-/no hint}"
		show_job "$name" "$hint"
	done
	row 'all with a hint' '' "$(gigabytes "$stock_sum")" '' '' \
		"$(gigabytes "$our_sum")" "$(saving "$stock_sum" "$our_sum")"
	awk -v a="$stock_sum" -v b="$our_sum" 'BEGIN {
		printf "leafspine / stock Slurm: %.2f\n", b / a }'
	echo "Each job's admin comment tells the same number as leafspine score."
}

print_comment() {
	fold -w 94 "$work/leafspine.moe.comment"
}

print_counters() {
	[ -s "$work/counters" ] || {
		echo "none yet: slurmctld ran for less than a minute"
		return
	}
	jq -r '
	def causes: [to_entries[] | select(.value > 0)
		| "\(.key) \(.value)"] | join(", ") | if . == "" then "0" else . end;
	"offered    \(.offered)",
	"narrowed   \(.narrowed)",
	"fell back  \(.fell_back | causes)",
	"skipped    \(.skipped | causes)",
	"started    \(.starts | causes)",
	"time       \(.microseconds / 1000) ms in all"' "$work/counters"
}
