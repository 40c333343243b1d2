#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# leafspine hint: Megatron-LM arguments as a hint, with its bytes.
load cli

# bytes_are DIMENSION BYTES...: what one GPU sends, to four digits.
bytes_are() {
	while [ $# -gt 0 ]; do
		jq -e --arg d "$1" --argjson wanted "$2" \
			'(.by_dimension[$d].bytes / $wanted - 1) |
			 fabs < 0.0005' <<<"$output" >/dev/null || {
			show_run
			echo "expected: $1 = $2"
			return 1
		}
		shift 2
	done
}

# Llama 3 70B on 16 nodes, the shape in Megatron-LM's terms.
LLAMA70="--num-layers 80 --hidden-size 8192 --ffn-hidden-size 28672 \
--num-attention-heads 64 --group-query-attention --num-query-groups 8 \
--swiglu --normalization RMSNorm --disable-bias-linear \
--untie-embeddings-and-output-weights --vocab-size 128256 --seq-length 8192 \
--micro-batch-size 1 --global-batch-size 128 --bf16 --sequence-parallel \
--use-distributed-optimizer"

@test "hint: text, and what a GPU sends" {
	runs 0 hint --gpus 128 --megatron "--tensor-model-parallel-size 8 \
		--pipeline-model-parallel-size 4 $LLAMA70"
	# 70,566,289,408: Llama 3 70B has 70.55e9 in its own count.
	printed "tp=8,pp=4,params=70566289408,layers=80,hidden=8192,seq=8192,mbs=1,microbatches=32,dtype=bf16,grad_dtype=fp32,zero=1,sp=on

128 GPUs: tp=8 cp=1 pp=4 dp=4

A GPU sends per step    Group    Bytes
tp                          8   601 GB
dp                          4  9.92 GB
pp, a boundary and way      4   537 MB"
}

@test "hint: a dense model with interleaved pipeline" {
	runs 0 hint --gpus 512 --json --megatron "--num-layers 96
		--tensor-model-parallel-size=4 --pipeline-model-parallel-size 8
		--num-virtual-stages-per-pipeline-rank 4 --hidden-size 12288
		--num-attention-heads 96 --seq-length 2048
		--micro-batch-size 2 --global-batch-size 2048 --bf16
		--sequence-parallel --use-distributed-optimizer
		--vocab-size 51200"
	[ -z "$stderr" ]
	# L/p m 8A(t-1)/t; 2 v m A/t over two ways; (n-1)/n (4+2) P/(tp)
	bytes_are tp 463.86e9 pp 6.442e9 dp 30.69e9
	[[ $(jq -r .parallelism <<<"$output") == tp=4,pp=8,interleave=4,* ]]
}

@test "hint: stages by their layers are the same interleaving" {
	a='--pipeline-model-parallel-size 8 --num-layers 96'
	runs 0 hint --megatron "$a --num-layers-per-virtual-pipeline-stage 3 \
		--hidden-size 64 --num-attention-heads 4 --seq-length 64 \
		--vocab-size 128"
	[[ $output == tp=1,pp=8,interleave=4,* ]]
	runs 2 hint --megatron "$a --num-layers-per-virtual-pipeline-stage 5"
	said "leafspine: --megatron: --num-layers-per-virtual-pipeline-stage: expected a divisor of the 12 layers of a stage, got 5"
}

@test "hint: experts with latent attention, some layers dense" {
	runs 0 hint --gpus 2048 --json --megatron "--num-layers 61
		--pipeline-model-parallel-size 16 --expert-model-parallel-size 64
		--expert-tensor-parallel-size 1 --hidden-size 7168
		--ffn-hidden-size 18432 --num-attention-heads 128 --swiglu
		--normalization RMSNorm --disable-bias-linear
		--untie-embeddings-and-output-weights
		--multi-latent-attention --q-lora-rank 1536 --kv-lora-rank 512
		--qk-head-dim 128 --qk-pos-emb-head-dim 64 --v-head-dim 128
		--num-experts 256 --moe-layer-freq '([0] * 3 + [1] * 58)'
		--moe-ffn-hidden-size 2048 --moe-router-topk 8
		--moe-shared-expert-intermediate-size 2048 --seq-length 4096
		--micro-batch-size 1 --global-batch-size 15360 --bf16
		--use-distributed-optimizer --vocab-size 129280
		--mtp-num-layers 1"
	[ "$stderr" = "leafspine: not taken into account: --mtp-num-layers" ]
	bytes_are pp 7.046e9 dp 6.369e9 edp 1.9157e9 ep 804.61e9
	[[ $output == *params=671026404352,* ]]
}

@test "hint: experts beside tensor parallelism" {
	runs 0 hint --gpus 64 --json --megatron "--num-layers 32
		--tensor-model-parallel-size 2 --expert-model-parallel-size 8
		--expert-tensor-parallel-size 1 --hidden-size 4096
		--ffn-hidden-size 14336 --num-attention-heads 32
		--group-query-attention --num-query-groups 8 --swiglu
		--normalization RMSNorm --disable-bias-linear
		--untie-embeddings-and-output-weights --num-experts 8
		--moe-router-topk 2 --vocab-size 32000 --seq-length 4096
		--micro-batch-size 1 --global-batch-size 256 --bf16
		--sequence-parallel --use-distributed-optimizer"
	bytes_are tp 34.36e9 dp 4.667e9 ep 30.06e9 edp 29.59e9
}

@test "hint: long context, fp16, gradients as they are, FSDP" {
	shape='--num-layers 2 --hidden-size 64 --num-attention-heads 4
		--seq-length 64 --vocab-size 128'
	runs 0 hint --megatron "$shape --context-parallel-size 2 --fp16"
	# Two heads' worth of K, all of them without grouped queries.
	[[ $output == *,kv_hidden=64,*dtype=fp16,grad_dtype=fp16,zero=0 ]]
	runs 0 hint --megatron "$shape --bf16 --grad-reduce-in-bf16
		--use-megatron-fsdp --data-parallel-sharding-strategy optim"
	[[ $output == *dtype=bf16,grad_dtype=bf16,zero=1 ]]
	runs 0 hint --megatron "$shape --bf16 --use_megatron_fsdp"
	[[ $output == *,zero=3 ]]
	runs 0 hint --megatron "$shape --fp16 --tensor-model-parallel-size 2 \
		--accumulate-allreduce-grads-in-fp32 --use-tp-pp-dp-mapping"
	[[ $output == tp=2,order=tp-cp-ep-pp-dp,*grad_dtype=fp32,zero=0,sp=off ]]
}

@test "hint: GPUs from torchrun's own arguments" {
	runs 0 hint --json --megatron "torchrun --nproc_per_node 8 --nnodes 4 \
		pretrain_gpt.py --tensor-model-parallel-size 8 $LLAMA70"
	values_are gpus 32 dp 4
}

@test "hint: what is missing is said" {
	shape='--num-layers 2 --hidden-size 64 --num-attention-heads 4
		--seq-length 64'
	runs 0 hint --megatron "$shape --global-batch-size 8"
	[ "${stderr_lines[0]}" = "leafspine: no --vocab-size is given: params has no embedding in it" ]
	[ "${stderr_lines[1]}" = "leafspine: no --gpus is given: the hint has no microbatches, which follow from it" ]
	runs 0 hint --gpus 8 --megatron "--tensor-model-parallel-size 2"
	[ "$stderr" = "leafspine: no sizes of a model are given: the bytes are the site's defaults" ]
	has "tp=2"
	runs 0 hint --megatron "--tensor-model-parallel-size 2 \
		--pipeline-model-parallel-layout 'Et|t|tL' --lr 1e-4 \
		--moe-grouped-gemm --encoder-num-layers 4"
	[ "${stderr_lines[0]}" = "leafspine: not taken into account: --pipeline-model-parallel-layout, --encoder-num-layers" ]
}

# refused MESSAGE ARGUMENTS [OPTION...]
refused() {
	runs 2 hint --megatron "$2" "${@:3}"
	said "leafspine: --megatron: $1"
}

@test "hint: arguments that are wrong" {
	refused "--num-layers: expected a whole number from 1 to 100000000, got '\$L'" \
		"--num-layers \$L"
	refused "--num-layers: expected a value, got '--bf16'" \
		"--num-layers --bf16"
	refused "--num-layers: expected a value, got 'nothing'" "--num-layers"
	refused "a quote is not closed" "--data-path 'x"
	refused "--hidden-size: missing, expected beside the other sizes of the model" \
		"--num-layers 2"
	shape='--num-layers 4 --hidden-size 64 --num-attention-heads 4
		--seq-length 64 --vocab-size 128 --num-experts 4'
	refused "--moe-layer-freq: expected a number or a pattern of 4 layers such as [0]*1+[1]*3, got '[1]*5'" \
		"$shape --moe-layer-freq [1]*5"
	refused "--global-batch-size: expected a multiple of 8 (8 replicas of micro-batches of 1), got 12" \
		"$shape --global-batch-size 12" --gpus 8
	refused "7 GPUs are no multiple of the 2 of one replica (tensor, pipeline and context parallel sizes multiplied)" \
		"$shape --tensor-model-parallel-size 2" --gpus 7
	refused "ep: etp*ep is 16, expected a divisor of tp*cp*dp, which is 8" \
		"$shape --expert-model-parallel-size 16" --gpus 8
}

@test "hint: layers with experts" {
	shape='--num-layers 7 --hidden-size 64 --num-attention-heads 4
		--seq-length 64 --vocab-size 128 --num-experts 4'
	while read -r pattern layers; do
		runs 0 hint --megatron "$shape --moe-layer-freq $pattern"
		has ",moe_layers=$layers,"
	done <<-'END'
		1 7
		2 4
		7 1
		[1]*7 7
		([1]+[0]*2)*2+[1] 3
		([0,1]*3)+[1] 4
	END
}

@test "hint: the hint is one that place takes" {
	runs 0 hint --gpus 128 --megatron "--tensor-model-parallel-size 8 \
		--pipeline-model-parallel-size 4 $LLAMA70" --json
	runs 0 place --fabric 'synth:spine:4 leaf:8 node:8' --nodes 16 --json \
		--parallelism "$(jq -r .parallelism <<<"$output")"
	jq -e '.spine_bytes / 34.36e9 - 1 | fabs < 0.001' <<<"$output"
}
