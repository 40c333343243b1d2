#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# contrib/demo --dry-run, with the program under test.

load cli

demo() {
	run --separate-stderr env LEAFSPINE="$LEAFSPINE" \
		TMPDIR="$BATS_TEST_TMPDIR" \
		"$BATS_TEST_DIRNAME/../../contrib/demo" "$@"
}

need_jq() {
	command -v jq >/dev/null || skip 'needs jq'
}

# line NAME: the row of the table that starts so.
line() {
	grep "^$1 " <<<"$output"
}

# field NAME N: the N-th word of that row, from its end for N below 0.
field() {
	line "$1" | awk -v n="$2" '{ print $(n > 0 ? n : NF + 1 + n) }'
}

@test "the dry run places six jobs, says nothing on standard error" {
	need_jq
	demo --dry-run
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	for name in llama3-70b mixtral-moe dp-only pipeline qwen3-moe \
		long-chain all; do
		[ "$(line "$name" | wc -l)" -eq 1 ] || { show_run; false; }
	done
}

@test "a leaf that is free takes the job of its size" {
	need_jq
	demo --dry-run
	[[ "$(line llama3-70b)" == *'gpu[017,018,019,020]'* ]]
	[ "$(field llama3-70b 3)" -gt 1 ]
	[[ "$(line llama3-70b)" == *' 1      0.0    100 %' ]]
}

@test "the totals are the sums of the rows, and less by parallelism" {
	need_jq
	demo --dry-run
	awk '
		/^(llama|mixtral|dp-only|pipeline|qwen|long-chain)/ {
			a += $4
			b += $7
		}
		/^all / { rows = 1; c = $2; d = $3 }
		END {
			near = (a - c) ^ 2 < 0.25 && (b - d) ^ 2 < 0.25
			exit !(rows && near && d < c / 2 && c > 0)
		}' <<<"$output"
}

@test "what the rows say is what score says" {
	need_jq
	demo --dry-run
	nodes=$(field dp-only 2)
	runs 0 score --fabric "$TOPOLOGY/demo.json" \
		--parallelism dp=24,params=13e9 --placement "$nodes" --json
	bytes=$(value spine_bytes)
	demo --dry-run
	[ "$(field dp-only 4)" = \
		"$(awk -v b="$bytes" 'BEGIN { printf "%.1f", b / 1e9 }')" ]
}

@test "the dry run leaves no file behind" {
	need_jq
	mkdir empty
	run env LEAFSPINE="$LEAFSPINE" TMPDIR="$PWD/empty" \
		"$BATS_TEST_DIRNAME/../../contrib/demo" --dry-run
	[ "$status" -eq 0 ]
	[ -z "$(ls -A empty)" ]
}

@test "--help says what it does, another word is refused" {
	demo --help
	[ "$status" -eq 0 ]
	has --dry-run
	demo --frob
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ "$stderr" == usage:* ]]
}
