#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The order that was decided reaches the steps of srun, and only those that it
# is for.

load cluster

LEAF_A=n01,n03,n05,n07,n09,n11,n13,n15
LEAF_B=n02,n04,n06,n08,n10,n12,n14,n16
# Llama-3 70B as tp8 pp4 dp4: gradients and activations of one step.
J1=tp=8,pp=4,dp=4,dp_bytes=9921093750,pp_bytes=536870912
# What each task prints: its rank, node and GPU, and the place of its node.
# shellcheck disable=SC2016 # for the shell of the task
WHERE='echo $SLURM_PROCID $SLURMD_NODENAME $SLURM_LOCALID $LEAFSPINE_NODE_RANK'

# Two leaves under names that alternate.
write_scattered() {
	cat >"$BATS_FILE_TMPDIR/scattered.json" <<-END
	{"nodes": [{"names": "n[01-16]", "gpus": 8}], "switches": [
	 {"name": "leafa", "tier": "leaf", "nodes": "$LEAF_A",
	  "uplinks": [{"to": "spine[1-4]", "count": 16}]},
	 {"name": "leafb", "tier": "leaf", "nodes": "$LEAF_B",
	  "uplinks": [{"to": "spine[1-4]", "count": 16}]},
	 {"name": "spine[1-4]", "tier": "spine"}]}
	END
}

setup_file() {
	load cluster
	setup_path
	write_scattered
	install_plugins
	start_cluster order --fabric "$BATS_FILE_TMPDIR/scattered.json" \
		--plugin "$plugins" --conf DebugFlags=NO_CONF_HASH
}

teardown_file() {
	load cluster
	stop_clusters
}

setup() {
	setup_path
	use_cluster order
	out=$BATS_TEST_TMPDIR/out
	# Nothing of the machine's own.
	unset LEAFSPINE_ORDER SLURM_JOB_ID
}

teardown() {
	cancel_all
}

# batch OPTION...: a job with the script on standard input; sets $job, and
# leaves its output in $out once it has ended.
batch() {
	job=$(sbatch --parsable -o "$out" "$@")
	until_true 60 has_ended "$job" || { cat "$out" >&2; return 1; }
}

has_ended() {
	case $(scontrol -o show job "$1" | grep -o ' JobState=[A-Z]*') in
	*=COMPLETED | *=FAILED | *=CANCELLED | *=TIMEOUT) return 0 ;;
	*) return 1 ;;
	esac
}

# The nodes in the order of the ranks, of "rank node ..." lines in FILE.
nodes_by_rank() {
	sort -n "$1" | awk '{ print $2 }' | uniq
}

told_nodes() { report "$1" | jq -r .nodes; }

# The lines of FILE are those of the order that the admin comment of $job tells,
# EACH tasks a node.
check_order() {
	local file=$1 each=$2 expected

	expected=$(scontrol show hostnames "$(told_nodes "$job")" |
		awk -v each="$each" '{ for (i = 0; i < each; i++)
			print (NR - 1) * each + i, $1, i, NR - 1 }')
	diff <(echo "$expected") <(sort -n "$file")
}

# A job of the eight nodes that alternate between the leaves, as $1 tasks each.
eight_nodes() {
	echo -w 'n[01-08]' -N8 --gpus-per-node=8 --ntasks-per-node="$1" \
		--mem=0 --parallelism=tp=8,pp=2,dp=4
}

@test "sbatch and srun: ranks as the engine says, bytes as the recount says" {
	batch -N16 --gpus-per-node=8 --ntasks-per-node=8 --parallelism="$J1" \
		<<-END
	#!/bin/bash
	srun bash -c '$WHERE' >$out.ordered
	LEAFSPINE_ORDER=off srun bash -c '$WHERE' >$out.stock
	END
	check_order "$out.ordered" 8
	[ "$(report "$job" | jq -r .order)" = leafspine ]
	ours=$(recount <"$out.ordered")
	stock=$(recount <"$out.stock")
	[ "$(report "$job" | jq .spine_bytes)" = "$ours" ]
	[ "$(nodes_by_rank "$out.stock")" = "$(scontrol show hostnames 'n[01-16]')" ]
	# The golden values of the best and of Slurm's order.
	[ "$ours" = 34359738368 ]
	[ "$stock" = 1269900000000 ]
	echo "# J1 over two leaves: Spine bytes a step $stock by default," \
		"$ours as delivered" >&3
}

recount() {
	"$srcdir/tests/cluster/recount.py" 8 4 4 9921093750 536870912 \
		"$LEAF_A $LEAF_B"
}

@test "salloc and srun: the same, with one task a node" {
	salloc -N16 --gpus-per-node=8 --exclusive --parallelism="$J1" bash -c "
		echo \$SLURM_JOB_ID >$out.job
		srun bash -c '$WHERE' >$out
		srun -N16 -n16 bash -c '$WHERE' >$out.n
		srun --ntasks-per-node=1 bash -c '$WHERE' >$out.each
		srun --ntasks-per-node=8 bash -c '$WHERE' >$out.eight
		printenv LEAFSPINE_NODES_BY_RANK >$out.nodes
		printenv LEAFSPINE_SPINE_BYTES >$out.bytes"
	job=$(cat "$out.job")
	check_order "$out" 1
	check_order "$out.n" 1
	check_order "$out.each" 1
	check_order "$out.eight" 8
	[ "$(cat "$out.nodes")" = "$(told_nodes "$job")" ]
	[ "$(cat "$out.bytes")" = "$(report "$job" | jq .spine_bytes)" ]
	[ "$(recount <"$out.eight")" = 34359738368 ]
}

@test "rank 0 stays on the first node: MASTER_ADDR scripts go on working" {
	# shellcheck disable=SC2046 # options
	batch $(eight_nodes 1) <<-END
	#!/bin/bash
	export MASTER_ADDR=\$(scontrol show hostnames "\$SLURM_JOB_NODELIST" | head -n 1)
	srun bash -c '[ \$SLURM_PROCID != 0 ] || echo \$MASTER_ADDR \$SLURMD_NODENAME'
	END
	read -r master first <"$out"
	[ "$master" = n01 ]
	[ "$first" = n01 ]
	[ "$(report "$job" | jq -r .order)" = leafspine ]
	[ "$(told_nodes "$job")" != 'n[01-08]' ]
}

# Each step runs twice in a job whose order is not Slurm's: with us, and with
# LEAFSPINE_ORDER=off. Both print the same where the order is not for it.
@test "steps that are laid out otherwise are left alone" {
	cat >"$out.steps" <<-'END'
	-n1
	-N2 --ntasks-per-node=8 -n16
	-N4
	-n6
	-w n02
	-w n02 -N1 -n8
	-m cyclic
	-m plane=2
	--distribution=block
	-r 2 -N2 -n2
	-x n03 -N2 -n2
	-O -n80
	--ntasks-per-gpu=1
	-N8 -n12
	END
	# shellcheck disable=SC2046 # options
	batch $(eight_nodes 8) <<-END
	#!/bin/bash
	# A step that is still ending would push the next to other nodes.
	quiet() { ! squeue -s -h -j \$SLURM_JOB_ID -o %i | grep -q '\.[0-9]'; }
	run() { until quiet; do sleep 0.05; done; srun "\$@" bash -c 'echo \$SLURM_PROCID \$SLURMD_NODENAME \$SLURM_LOCALID' 2>&1 | sort; }
	while read -r options; do
		echo "\$options"
		run \$options </dev/null
	done <$out.steps >$out.with
	export LEAFSPINE_ORDER=off
	while read -r options; do
		echo "\$options"
		run \$options </dev/null
	done <$out.steps >$out.without
	END
	# Whether a step had to wait for the one before it.
	sed -i '/step creation temporarily disabled/d; /Step created for/d' \
		"$out.with" "$out.without"
	diff "$out.without" "$out.with"
	[ "$(told_nodes "$job")" != 'n[01-08]' ]
	# The list has been worked through.
	grep -q '^-N8 -n12' "$out.with"
	[ "$(grep -c '^11 n' "$out.with")" -ge 3 ]
}

@test "a host file or distribution of the user's own is left alone" {
	# shellcheck disable=SC2046 # options
	batch $(eight_nodes 1) <<-END
	#!/bin/bash
	printf 'n0%d\n' 8 7 6 5 4 3 2 1 >$out.hosts
	SLURM_HOSTFILE=$out.hosts srun bash -c '$WHERE' >$out.own
	SLURM_DISTRIBUTION=cyclic srun bash -c '$WHERE' >$out.cyclic
	END
	[ "$(nodes_by_rank "$out.own")" = "$(printf 'n0%d\n' 8 7 6 5 4 3 2 1)" ]
	[ "$(nodes_by_rank "$out.cyclic")" = "$(scontrol show hostnames 'n[01-08]')" ]
	# A distribution in the submission: known before nodes are chosen.
	# shellcheck disable=SC2046 # options
	batch $(eight_nodes 1) -m block <<-END
	#!/bin/bash
	srun bash -c '$WHERE' >$out.block
	END
	[ "$(report "$job" | jq -r .order)" = slurm ]
	[ "$(told_nodes "$job")" = 'n[01-08]' ]
	[ "$(nodes_by_rank "$out.block")" = "$(scontrol show hostnames 'n[01-08]')" ]
}

@test "--overlap, --exact and several steps at once keep the order" {
	# shellcheck disable=SC2046 # options
	batch $(eight_nodes 1) <<-END
	#!/bin/bash
	srun --overlap bash -c '$WHERE; sleep 1' >$out.a &
	srun --overlap --exact -l --output=$out.b bash -c '$WHERE; sleep 1' &
	wait
	END
	check_order "$out.a" 1
	check_order <(sed 's/^ *[0-9]*: //' "$out.b") 1
}

@test "GPUs by the task keep the order" {
	batch -N8 -w 'n[01-08]' --ntasks-per-node=8 --gpus-per-task=1 --mem=0 \
		--parallelism=tp=8,pp=2,dp=4 <<-END
	#!/bin/bash
	srun bash -c '$WHERE' >$out.a
	END
	check_order "$out.a" 8
	[ "$(told_nodes "$job")" != 'n[01-08]' ]
}

@test "nothing of the host file is seen by tasks, nor left behind" {
	# shellcheck disable=SC2046 # options
	batch $(eight_nodes 1) <<-END
	#!/bin/bash
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir \$TMPDIR
	env >$out.job
	srun env | sort -u >$out.task
	LEAFSPINE_ORDER=off srun env | sort -u >$out.plain
	ls -A \$TMPDIR >$out.left
	END
	[ "$(grep -cE '^SLURM_(HOSTFILE|DISTRIBUTION)' "$out.job")" -eq 0 ]
	[ "$(grep -c '^SLURM_HOSTFILE' "$out.task")" -eq 0 ]
	[ "$(grep -c '^SLURM_DISTRIBUTION=cyclic$' "$out.task")" -eq 1 ]
	[ ! -s "$out.left" ]
	# All other variables are those of a step without us.
	diff <(cut -d= -f1 "$out.plain" | sort -u) \
		<({ cut -d= -f1 "$out.task"; echo LEAFSPINE_ORDER; } | sort -u)
}

@test "a step inside a step, and a job inside a job, are their own" {
	# shellcheck disable=SC2046 # options
	batch $(eight_nodes 1) <<-END
	#!/bin/bash
	srun bash -c '[ \$SLURM_PROCID != 1 ] || srun --overlap -n1 -N1 -w n02 bash -c "$WHERE"' >$out.inner
	sbatch --parsable -W -N8 -w n[09-16] --gpus-per-node=8 -o $out.nested \
		--wrap 'env | grep ^LEAFSPINE_; srun bash -c "echo \\\$SLURM_PROCID \\\$SLURMD_NODENAME"' >$out.id
	sbatch --parsable -W -N8 -w n[09-16] --gpus-per-node=8 -o $out.hinted \
		--parallelism=tp=8,pp=2,dp=4 \
		--wrap 'srun bash -c "echo \\\$SLURM_PROCID \\\$SLURMD_NODENAME 0 \\\$LEAFSPINE_NODE_RANK"' >$out.id2
	END
	[ "$(grep -c '^LEAFSPINE_' "$out.nested")" -eq 0 ] ||
		fail "$(cat "$out" "$out.nested" "$out.id")"
	[ "$(nodes_by_rank "$out.nested")" = "$(scontrol show hostnames 'n[09-16]')" ]
	job=$(cat "$out.id2")
	check_order "$out.hinted" 1
	[ "$(told_nodes "$job")" != 'n[09-16]' ]
}

@test "LEAFSPINE_ORDER=off at submission: Slurm's order, and numbers for it" {
	export LEAFSPINE_ORDER=off
	batch -N16 --gpus-per-node=8 --ntasks-per-node=8 --parallelism="$J1" \
		<<-END
	#!/bin/bash
	srun bash -c '$WHERE' >$out.a
	END
	check_order "$out.a" 8
	[ "$(report "$job" | jq -r .order)" = slurm ]
	[ "$(told_nodes "$job")" = 'n[01-16]' ]
	[ "$(report "$job" | jq .spine_bytes)" = "$(recount <"$out.a")" ]
}

@test "srun without an allocation: Slurm's order, and numbers for it" {
	srun -N16 --gpus-per-node=8 --ntasks-per-node=8 --mem=0 \
		--parallelism="$J1" bash -c "$WHERE \$SLURM_JOB_ID" >"$out"
	job=$(awk 'NR == 1 { print $5 }' "$out")
	check_order <(cut -d' ' -f1-4 "$out") 8
	[ "$(report "$job" | jq -r .order)" = slurm ]
	[ "$(report "$job" | jq .spine_bytes)" = "$(recount <"$out")" ]
}

@test "a hint in the comment, without the plugin at submission: Slurm's order" {
	: >"$BATS_TEST_TMPDIR/plugstack.conf"
	sed "s|^PlugStackConfig=.*|PlugStackConfig=$BATS_TEST_TMPDIR/plugstack.conf|" \
		"$SLURM_CONF" >"$cluster/etc/plain.conf"
	job=$(SLURM_CONF=$cluster/etc/plain.conf sbatch --parsable -o "$out" \
		-N8 -w 'n[01-08]' --gpus-per-node=8 -c8 \
		--comment=leafspine:tp=8,pp=2,dp=4 --wrap "srun bash -c '$WHERE'")
	until_true 30 has_ended "$job"
	[ "$(report "$job" | jq -r .order)" = slurm ]
	[ "$(told_nodes "$job")" = 'n[01-08]' ]
	check_order "$out" 1
}

# What torchrun and mpirun would start, by the arguments and files they get.
write_launchers() {
	cat >"$BATS_TEST_TMPDIR/torchrun" <<-'END'
	#!/bin/bash
	while [ $# -gt 0 ]; do
		case $1 in
		--nproc-per-node) each=$2 ;;
		--node-rank) node=$2 ;;
		esac
		shift
	done
	for ((i = 0; i < each; i++)); do
		echo $((node * each + i)) "$SLURMD_NODENAME" "$i" "$node"
	done
	END
	cat >"$BATS_TEST_TMPDIR/mpirun" <<-'END'
	#!/bin/bash
	[ "$1" = --hostfile ] && [ "$3 $4" = "--map-by seq" ] || exit
	awk -v each=8 '{ print NR - 1, $1, (NR - 1) % each,
		int((NR - 1) / each) }' "$2"
	END
	# Stands for python3: a rank that says who it is.
	printf '#!/bin/sh\necho $RANK $SLURMD_NODENAME $LOCAL_RANK %s\n' \
		"\$LEAFSPINE_NODE_RANK" >"$BATS_TEST_TMPDIR/python3"
	chmod +x "$BATS_TEST_TMPDIR"/{torchrun,mpirun,python3}
	export TORCHRUN=$BATS_TEST_TMPDIR/torchrun
	export MPIRUN=$BATS_TEST_TMPDIR/mpirun PYTHON=$BATS_TEST_TMPDIR/python3
	export LEAFSPINE=$builddir/leafspine
}

@test "the job scripts for torchrun, Megatron-LM and mpirun: ranks as told" {
	write_launchers
	for script in torchrun megatron mpirun; do
		# shellcheck disable=SC2046 # options
		job=$(sbatch --parsable -o "$out.$script" $(eight_nodes 8) \
			$([ $script != torchrun ] || echo --ntasks-per-node=1) \
			"$srcdir/contrib/jobs/$script.sbatch" train.py)
		until_true 60 has_ended "$job"
		[ "$(told_nodes "$job")" != 'n[01-08]' ]
		check_order "$out.$script" 8
	done
}

@test "het jobs are as without us" {
	batch -N2 -w 'n[01-02]' --gpus-per-node=8 --parallelism=tp=8,dp=2 \
		: -N2 -w 'n[03-04]' --gpus-per-node=8 --parallelism=tp=8,dp=2 \
		<<-END
	#!/bin/bash
	srun --het-group=0,1 bash -c '$WHERE' >$out.both
	srun bash -c '$WHERE' >$out.one
	END
	[ "$(nodes_by_rank "$out.both")" = "$(scontrol show hostnames 'n[01-04]')" ]
	[ "$(nodes_by_rank "$out.one")" = "$(scontrol show hostnames 'n[01-02]')" ]
}

@test "each task of an array has an order of its own" {
	array=$(sbatch --parsable --array=1-2 -N8 -w 'n[01-08]' \
		--gpus-per-node=8 -c8 --parallelism=tp=8,pp=2,dp=4 -o "$out.%a" \
		--wrap "srun bash -c '$WHERE'")
	until_true 30 array_ended
	for task in 1 2; do
		job=${array}_$task
		[ "$(report "$job" | jq -r .order)" = leafspine ]
		[ "$(told_nodes "$job")" != 'n[01-08]' ]
		check_order "$out.$task" 1
	done
}

array_ended() { [ -s "$out.1" ] && [ -s "$out.2" ] && [ -z "$(squeue -h)" ]; }

@test "after a requeue on other nodes the order is the new one" {
	job=$(sbatch --parsable -N8 --gpus-per-node=8 -c8 --requeue \
		--open-mode=append --parallelism=tp=8,pp=2,dp=4 -o "$out" \
		--wrap "srun bash -c '$WHERE' >$out.\$SLURM_RESTART_COUNT; [ \"\$SLURM_RESTART_COUNT\" ] || sleep 1000")
	until_true 20 is_running "$job"
	until_true 20 has_lines "$out." 8
	check_order "$out." 1
	before=$(told_nodes "$job")
	# One of its nodes is no longer there.
	one=$(scontrol show hostnames "$before" | tail -n 1)
	scontrol update nodename="$one" state=drain reason=test
	scontrol requeue "$job"
	until_true 30 is_requeued "$job"
	# Slurm would wait two minutes.
	scontrol update jobid="$job" starttime=now
	until_true 60 has_ended "$job"
	scontrol update nodename="$one" state=resume
	check_order "$out.1" 1
	[ "$(told_nodes "$job")" != "$before" ]
	[ "$(scontrol show hostnames "$(told_nodes "$job")" | grep -cx "$one")" -eq 0 ]
}

has_lines() { [ "$(wc -l <"$1" 2>/dev/null)" = "$2" ]; }

# restart_slurmd NODE CONF
restart_slurmd() {
	local pid

	pid=$(cat "$cluster/run/slurmd.$1.pid")
	kill "$pid"
	until_true 20 gone "$pid"
	slurmd -N "$1" -f "$2"
}

@test "a node without the SPANK plugin: as without us, or ordered" {
	: >"$BATS_TEST_TMPDIR/plugstack.conf"
	sed "s|^PlugStackConfig=.*|PlugStackConfig=$BATS_TEST_TMPDIR/plugstack.conf|" \
		"$SLURM_CONF" >"$cluster/etc/plain.conf"
	# Not where the script runs: ordered, though that node's tasks do not
	# know their place.
	restart_slurmd n04 "$cluster/etc/plain.conf"
	# shellcheck disable=SC2046 # options
	batch $(eight_nodes 1) <<-END
	#!/bin/bash
	srun bash -c '$WHERE; env | grep -E "^SLURM_(HOSTFILE|DISTRIBUTION)"' >$out.a
	END
	restart_slurmd n04 "$SLURM_CONF"
	[ "$(grep -c '^SLURM_DISTRIBUTION=cyclic$' "$out.a")" -eq 8 ]
	[ "$(grep -c SLURM_HOSTFILE "$out.a")" -eq 0 ]
	[ "$(grep -v ^SLURM_ "$out.a" | nodes_by_rank -)" = \
		"$(scontrol show hostnames "$(told_nodes "$job")")" ]
	grep -qE '^[0-9]+ n04 0 *$' "$out.a"
	# Where the script runs and its srun has no plugin: Slurm's order.
	# shellcheck disable=SC2046 # options
	batch $(eight_nodes 1) <<-END
	#!/bin/bash
	export SLURM_CONF=$cluster/etc/plain.conf
	srun bash -c '$WHERE' >$out.b
	END
	[ "$(nodes_by_rank "$out.b")" = "$(scontrol show hostnames 'n[01-08]')" ]
}

@test "the order outlives a restart of slurmctld" {
	job=$(sbatch --parsable -N8 -w 'n[01-08]' --gpus-per-node=8 -c8 \
		--parallelism=tp=8,pp=2,dp=4 -o "$out" \
		--wrap "until [ -e $out.go ]; do sleep 0.1; done; srun bash -c '$WHERE' >$out.a")
	until_true 20 is_running "$job"
	stop_controller
	start_controller
	touch "$out.go"
	until_true 60 has_ended "$job"
	check_order "$out.a" 1
	[ "$(told_nodes "$job")" != 'n[01-08]' ]
}
