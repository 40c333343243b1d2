#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Numbers that were worked out by hand and by brute force over all pairs of
# ranks, to the byte.
load cli

# Llama 3 70B on 128 GPUs of 16 nodes: tensor parallel 8, 4 stages, 4 replicas,
# 32 micro-batches of one sequence of 8192 tokens, sequence parallel, ZeRO-1.
# A stage boundary carries 536,870,912 bytes a rank and direction, an edge of a
# gradient ring 9,921,093,750 bytes.
SHAPE=tp=8,pp=4,dp=4
MODEL=$SHAPE,model=llama3-70b,microbatches=32
KEYS=$SHAPE,params=70.55e9,layers=80,hidden=8192,seq=8192,mbs=1,microbatches=32
BYTES=$SHAPE,dp_bytes=9921093750,pp_bytes=536870912
PIPELINE_FIRST=order=tp-cp-ep-pp-dp

# list LEAVES contiguous|robin: 16 nodes, evenly under the first LEAVES leaves
# of the fabric of FABRIC, leaf after leaf or each on the next leaf.
list() {
	local leaf node each=$((16 / $1)) names=()

	for ((i = 0; i < 16; i++)); do
		if [ "$2" = contiguous ]; then
			leaf=$((i / each)) node=$((i % each))
		else
			leaf=$((i % $1)) node=$((i / $1))
		fi
		names+=("$(printf n%04d $((leaf * 16 + node + 1)))")
	done
	(IFS=, && echo "${names[*]}")
}

# row LEAVES contiguous|robin BYTES BYTES: on the Spine in the default order of
# ranks and with the pipeline before the replicas; 1:1, so that is the cost.
row() {
	local hint nodes

	nodes=$(list "$1" "$2")
	for hint in "$MODEL" "$KEYS" "$BYTES"; do
		runs 0 score --fabric 'synth:spine:8 leaf:8 node:16 links=16' \
			--parallelism "$hint" --placement "$nodes" --json
		values_are cost "$3" spine_bytes "$3" core_bytes 0 leaves "$1" \
			gpus 128
		runs 0 score --fabric 'synth:spine:8 leaf:8 node:16 links=16' \
			--parallelism "$hint,$PIPELINE_FIRST" \
			--placement "$nodes" --json
		values_are cost "$4" spine_bytes "$4" core_bytes 0 leaves "$1"
	done
}

@test "70B on one leaf" {
	row 1 contiguous 0 0
}

@test "70B on two leaves, contiguous" {
	row 2 contiguous 34359738368 634950000000
}

@test "70B on two leaves, round-robin" {
	row 2 robin 1269900000000 103079215104
}

@test "70B on four leaves, contiguous" {
	row 4 contiguous 103079215104 1269900000000
}

@test "70B on four leaves, round-robin" {
	row 4 robin 1269900000000 103079215104
}

@test "70B on eight leaves, contiguous" {
	row 8 contiguous 738029215104 1304259738368
}

@test "70B: which dimension crosses" {
	runs 0 score --fabric 'synth:spine:8 leaf:8 node:16 links=16' \
		--parallelism "$MODEL" --placement "$(list 8 contiguous)" \
		--json
	has '"tp": {"spine_bytes": 0, "core_bytes": 0, "leaf_bytes": 0, '
	has '"dp": {"spine_bytes": 634950000000, "core_bytes": 0, "leaf_bytes": 634950000000, "local_bytes": 0}'
	has '"pp": {"spine_bytes": 103079215104, "core_bytes": 0, "leaf_bytes": 0, "local_bytes": 0}'
}

@test "70B: place finds the order of ranks that the layout needs" {
	# Eight nodes free under each of two leaves.
	for hint in "$MODEL" "$MODEL,$PIPELINE_FIRST"; do
		runs 0 place --fabric 'synth:spine:8 leaf:2 node:8 links=8' \
			--parallelism "$hint" --json
		values_are spine_bytes 34359738368 leaves 2
	done
}

# One buffer of 14 GB, all-reduced by a ring of 128 GPUs in as many nodes: each
# sends 27.78 GB, in 0.56 s at 50 GB/s and 0.69 s at 40 GB/s.
@test "a ring of 128 GPUs sends 27.78 GB each" {
	for hint in params=7e9,zero=0 dp_bytes=27781250000; do
		runs 0 score --fabric 'synth:spine:1 leaf:128 node:1 gpus=1' \
			--parallelism "dp=128,$hint" \
			--placement 'n[0001-0128]' --json
		values_are spine_bytes 3556000000000 cost 3556000000000
		runs 0 score --fabric 'synth:spine:1 leaf:2 node:64 gpus=1' \
			--parallelism "dp=128,$hint" \
			--placement 'n[0001-0128]' --json
		values_are spine_bytes 55562500000 leaf_bytes 3500437500000
	done
}

@test "a ring of 128 GPUs takes 0.56 s at 50 GB/s, 0.69 s at 40 GB/s" {
	runs 0 score --fabric 'synth:spine:1 leaf:128 node:1 gpus=1' \
		--parallelism dp=128,params=7e9,zero=0 \
		--placement 'n[0001-0128]'
	has ": 556 ms per step"
	runs 0 score --fabric \
		'synth:spine:1 leaf:128 node:1 gpus=1 gbps=320 nic_gbps=320' \
		--parallelism dp=128,params=7e9,zero=0 \
		--placement 'n[0001-0128]'
	has ": 695 ms per step"
}

# all_reduce ALGORITHM BYTES: 16 ranks of one GPU, 4 under each of 4 leaves;
# with D = 16e9 the ring sends 30e9 bytes a rank.
all_reduce() {
	runs 0 score --fabric 'synth:spine:1 leaf:4 node:4 gpus=1' \
		--parallelism "dp=16,dp_bytes=30e9,allreduce=$1" \
		--placement 'n[0001-0016]' --json
	values_are spine_bytes "$2"
}

@test "all-reduce of 16 ranks on 4 leaves: ring, tree, hierarchical, sharp" {
	all_reduce ring 120000000000		# 7.5 D
	all_reduce tree 160000000000		# 10 D
	all_reduce hierarchical 96000000000	# 6 D
	all_reduce sharp 64000000000		# 4 D
}

@test "all-to-all of 16 ranks on 4 leaves" {
	# 12 of the 15 others are under other leaves.
	runs 0 score --fabric 'synth:spine:1 leaf:4 node:4 gpus=1' \
		--parallelism dp=16,ep=16,ep_bytes=15e9 \
		--placement 'n[0001-0016]' --json
	values_are spine_bytes 192000000000
}
