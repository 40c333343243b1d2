# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# demo-dry.sh: contrib/demo --dry-run, six jobs placed on a half-busy fabric
# without a cluster. Source it from there.

# Half of the nodes, as jobs that came and went leave them.
dry_busy='gpu[002-003,005-007,010,013,016,021,024,026-027,029-032]'
dry_jobs=(
	'llama3-70b  4 tp=8,pp=2,dp=2,model=llama3-70b,microbatches=32'
	'mixtral-moe 2 tp=2,dp=8,ep=8,etp=1,model=mixtral-8x7b,microbatches=16'
	'dp-only     3 dp=24,params=13e9'
	'pipeline    2 tp=4,pp=4,model=llama3-70b,microbatches=64'
	'qwen3-moe   2 dp=16,ep=16,model=qwen3-30b-a3b,microbatches=8'
	'long-chain  3 tp=8,pp=3,model=llama3-70b,microbatches=96'
)

# dry_place STATE NODES HINT: the answer, first-fit's beside it.
dry_place() {
	"$leafspine" place --fabric "$fabric" --state "$1" --nodes "$2" \
		--gpus-per-node 8 --parallelism "$3" --json
}

# dry_add STATE HINT NODES: the job runs now.
dry_add() {
	jq --arg hint "$2" --arg nodes "$3" \
		'.jobs += [{nodes: $nodes, parallelism: $hint}]' "$1" >"$1.new"
	mv "$1.new" "$1"
}

# gpu001,gpu004 as gpu[001,004]
dry_short() {
	echo "gpu[${1//gpu/}]"
}

dry_row() {
	printf '%-12s %-22s %2s %8s   %-22s %2s %8s %8s\n' "$@" | sed 's/ *$//'
}

# One job through both: its nodes by first-fit, and by its parallelism.
dry_job() {
	local name=$1 count=$2 hint=$3 plain ours scores
	local plain_bytes ours_bytes plain_leaves ours_leaves

	plain=$(dry_place "$work/plain" "$count" "$hint" |
		jq -r '.first_fit.nodes | join(",")')
	ours=$(dry_place "$work/ours" "$count" "$hint" |
		jq -r '.nodes | join(",")')
	scores=$(score "$hint" "$plain" "$ours")
	read -r plain_leaves plain_bytes ours_leaves ours_bytes <<<"$scores"
	dry_add "$work/plain" "$hint" "$plain"
	dry_add "$work/ours" "$hint" "$ours"
	dry_row "$name" "$(dry_short "$plain")" "$plain_leaves" \
		"$(gigabytes "$plain_bytes")" "$(dry_short "$ours")" \
		"$ours_leaves" "$(gigabytes "$ours_bytes")" \
		"$(saving "$plain_bytes" "$ours_bytes")"
	plain_sum=$(sum "$plain_sum" "$plain_bytes")
	ours_sum=$(sum "$ours_sum" "$ours_bytes")
}

# Sets $leafspine to the program given, else to one that it builds.
dry_program() {
	if [ -n "${LEAFSPINE:-}" ]; then
		leafspine=$LEAFSPINE
		need_packages jq
		return
	fi
	heading "Building (build/demo-dry)"
	need_packages "${build_packages[@]}" jq
	build_program "$root" "$root/build/demo-dry" --disable-tests
	leafspine=$root/build/demo-dry/leafspine
}

dry_run() {
	local name count hint plain_sum=0 ours_sum=0

	dry_program
	make_work
	heading "The fabric, half of it busy"
	jq -n --arg busy "$dry_busy" '{jobs: [{nodes: $busy}]}' >"$work/ours"
	cp "$work/ours" "$work/plain"
	"$leafspine" show "$fabric" --state "$work/ours"
	heading "Six jobs: nodes, leaves, and GB on the Spine in one step"
	dry_row '' first-fit '' '' 'by parallelism' '' '' ''
	dry_row job nodes lv Spine nodes lv Spine saved
	for job in "${dry_jobs[@]}"; do
		read -r name count hint <<<"$job"
		dry_job "$name" "$count" "$hint"
	done
	dry_row all '' '' "$(gigabytes "$plain_sum")" '' '' \
		"$(gigabytes "$ours_sum")" "$(saving "$plain_sum" "$ours_sum")"
}
