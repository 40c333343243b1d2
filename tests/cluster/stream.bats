#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A stream of jobs, seeded: each is placed by leafspine, and stock Slurm says
# for the same state of the cluster where it would have put it.

load cluster

JOBS=120

setup_file() {
	load cluster
	setup_path
	install_plugins
	start_cluster stream --nodes 32 --leaf 4 --plugin "$plugins"
}

teardown_file() {
	load cluster
	stop_clusters
}

setup() {
	setup_path
	use_cluster stream
}

# Nodes that stock Slurm would take now for COUNT whole nodes: without a hint
# all is forwarded.
stock_choice() {
	sbatch --test-only -N"$1" --gpus-per-node=8 --wrap true 2>&1 |
		sed -n 's/.* on nodes \([^ ]*\) in partition.*/\1/p'
}

# A hint for a job of COUNT nodes with 8 GPUs.
hint_for() {
	local hints=("tp=8" "tp=8,pp=$1" "tp=4,pp=2" "tp=1" "ep=8" "tp=8,pp=$1,cp=1")

	[ $(($1 % 2)) -ne 0 ] || hints+=("tp=8,pp=2" "tp=8,pp=$(($1 / 2))" "tp=2,ep=4,pp=2")
	echo "${hints[RANDOM % ${#hints[@]}]}"
}

spine_bytes() {
	leafspine score --fabric "$fabric" --parallelism "$1" --json \
		--placement "$2" | jq .spine_bytes
}

idle_nodes() { sinfo -h -N -t idle -o %N | sort -u | wc -l; }

# Whether some leaf has COUNT idle nodes.
fits_leaf() {
	jq -r --arg what topology -f "$srcdir/contrib/lib/fabric-slurm.jq" \
		"$fabric" | sed -n 's/.* Nodes=//p' | while read -r leaf; do
		[ "$(sinfo -h -N -t idle -n "$leaf" -o %N | sort -u | wc -l)" \
			-lt "$1" ] || { echo yes; break; }
	done
}

@test "no job of a stream carries more over the Spine than by stock Slurm" {
	local running=() count hint one stock job nodes ranks ours theirs
	local sum_ours=0 sum_theirs=0 done=0 one_leaf=0

	RANDOM=20221
	while [ "$done" -lt "$JOBS" ]; do
		count=$((RANDOM % 3 ? RANDOM % 4 + 1 : RANDOM % 12 + 1))
		while [ "$(idle_nodes)" -lt "$count" ]; do
			one=$((RANDOM % ${#running[@]}))
			scancel "${running[one]}"
			running=("${running[@]:0:one}" "${running[@]:one+1}")
			until_true 20 none_completing
		done
		hint=$(hint_for "$count")
		one=$(fits_leaf "$count")
		stock=$(stock_choice "$count")
		[ -n "$stock" ] || fail "stock Slurm chose nothing for $count"
		job=$(run_job -N"$count" --gpus-per-node=8 \
			--parallelism="$hint")
		running+=("$job")
		nodes=$(nodes_of "$job")
		if [ "$one" ]; then
			[ "$(leaves_of "$nodes")" -eq 1 ] ||
				fail "$hint: $nodes, though one leaf would do"
			one_leaf=$((one_leaf + 1))
		fi
		# In the order that was decided for just these nodes.
		ranks=$(report "$job" | jq -r .nodes)
		diff <(scontrol show hostnames "$ranks" | sort) \
			<(scontrol show hostnames "$nodes" | sort)
		ours=$(spine_bytes "$hint" "$ranks")
		theirs=$(spine_bytes "$hint" "$stock")
		[ "$(report "$job" | jq .spine_bytes)" = "$ours" ] ||
			fail "job $job reports another number: $(report "$job")"
		jq -ne "$ours <= $theirs" >/dev/null ||
			fail "$count $hint: $nodes $ours, $stock $theirs"
		sum_ours=$(jq -n "$sum_ours + $ours")
		sum_theirs=$(jq -n "$sum_theirs + $theirs")
		done=$((done + 1))
	done
	echo "# $done jobs, $one_leaf of them in one leaf: Spine bytes a step" \
		"$sum_ours, by stock $sum_theirs, ratio" \
		"$(jq -n "$sum_ours / $sum_theirs * 1000 | round / 1000")" >&3
	jq -ne "$sum_ours < $sum_theirs" >/dev/null
}

none_completing() { [ -z "$(squeue -h -t completing -o %A)" ]; }
