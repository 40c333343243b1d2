#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The benches run, on small numbers: what they measure is not looked at.

load cluster

setup() {
	setup_path
	unset LEAFSPINE_CLUSTER SLURM_CONF
}

@test "the bench of pending jobs writes rows and a table" {
	"$srcdir/tests/bench/run" "$BATS_TEST_TMPDIR/out" \
		pending --quick --scene switches >"$BATS_TEST_TMPDIR/table" \
		2>"$BATS_TEST_TMPDIR/errors" ||
		fail "$(cat "$BATS_TEST_TMPDIR/errors")"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/table")" -eq 3 ]
	jq -e '.machine.cpus > 0 and (.rows | length == 2) and
		all(.rows[]; .bench == "pending" and .unit == "us" and
			(.stock | length > 0) and
			(.leafspine | length > 0) and .ratio > 0)' \
		"$BATS_TEST_TMPDIR/out/bench.json"
}

@test "a bench that is unknown, or has a bad option, is refused" {
	run "$srcdir/tests/bench/run" "$BATS_TEST_TMPDIR/out" nothing
	[ "$status" -ne 0 ]
	[[ "$output" == *"no bench is called 'nothing'"* ]]
	run "$srcdir/tests/bench/pending" --nodes many
	[ "$status" -ne 0 ]
	[[ "$output" == *'--nodes: not a number: many'* ]]
}
