# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# demo-stream.sh: the jobs of contrib/demo, and how they get their nodes. Source
# it from there; SLURM_CONF says which cluster is meant.

# What runs already, as jobs that came and went leave it: nodes, and GPUs taken
# on each.
fillers=(
	'gpu003 8'
	'gpu007 8'
	'gpu011 8'
	'gpu[013,016] 8'
	'gpu014 4'
	'gpu020 8'
	'gpu[021,024] 8'
	'gpu028 6'
	'gpu031 8'
)

# Name, nodes, GPUs of each node, hint. The one with a fault comes last: stock
# Slurm, which knows no hints, runs it, but nobody comes after it.
stream=(
	'dense-70b     4 8 tp=8,pp=2,dp=2,model=llama3-70b'
	'debug         1 1 tp=1'
	'moe           4 8 dp=32,ep=16,model=qwen3-30b-a3b'
	'no-hint       1 8 -'
	'dense-8b      2 8 dp=16,model=llama3-8b'
	'long-context  2 8 tp=4,cp=4,model=llama3-8b,seq=131072,microbatches=8'
	'inference     1 4 tp=4'
	'long-pipeline 4 8 tp=4,pp=8,model=llama3-70b'
	'eval          1 2 tp=2'
	'faulty        1 8 tp=8,microbatch=4'
)

# submit NAME OPTION...: a job that just holds its nodes; prints its id.
submit() {
	local name=$1

	shift
	sbatch --parsable --job-name="$name" --output=/dev/null --time=60 \
		"$@" --wrap 'sleep 1800'
}

submit_fillers() {
	local nodes gpus

	for filler in "${fillers[@]}"; do
		read -r nodes gpus <<<"$filler"
		submit filler --nodelist="$nodes" --gpus-per-node="$gpus" \
			--nodes="$(scontrol show hostnames "$nodes" | wc -l)" \
			>/dev/null
	done
	wait_until_running
}

# Polls until no job waits.
wait_until_running() {
	local end=$((SECONDS + 90)) states

	while :; do
		states=$(squeue -h -o %T | sort -u)
		[ "$states" != RUNNING ] || return 0
		if [ "$SECONDS" -ge "$end" ]; then
			squeue >&2
			die "not all jobs have started after 90 s"
		fi
		sleep 0.2
	done
}

# note_fillers CLUSTER: what they hold by squeue, as a state for leafspine.
note_fillers() {
	squeue -h -S i -n filler -O 'NodeList:200,NumNodes:8,tres-per-node:40' |
		jq -R -n '{jobs: [inputs | [splits(" +")]
			| (.[2] | capture("(?<n>[0-9]+)$").n | tonumber) as $gpus
			| {nodes: .[0],
				gpus: [range(.[1] | tonumber) | $gpus]}]}' \
		>"$work/$1.state"
}

# submit_stream CLUSTER: the jobs in their order. What each got goes to
# $work/CLUSTER.NAME, its nodes, and $work/CLUSTER.NAME.comment.
submit_stream() {
	local name count gpus hint options

	for job in "${stream[@]}"; do
		read -r name count gpus hint <<<"$job"
		options=(--nodes="$count" --gpus-per-node="$gpus")
		if [ "$1" = leafspine ] && [ "$hint" != - ]; then
			options+=(--parallelism="$hint")
		fi
		if [ "$1" = leafspine ] && [ "$name" = faulty ]; then
			refused "$name" "${options[@]}"
		else
			submit "$name" "${options[@]}" >"$work/$1.$name.id"
		fi
	done
	wait_until_running
	note_stream "$1"
}

# refused NAME OPTION...: sbatch must say no; what it says is kept.
refused() {
	{
		echo "\$ sbatch ${*:2} ..."
		! submit "$@" 2>&1
	} >"$work/refused" || die "a hint with a fault was taken"
}

note_stream() {
	local file

	for file in "$work/$1".*.id; do
		squeue -h -j "$(cat "$file")" -o %N >"${file%.id}.nodes"
		scontrol show job "$(cat "$file")" |
			sed -n 's/^ *\(AdminComment=.*[^ ]\) *$/\1/p' \
			>"${file%.id}.comment"
	done
}
