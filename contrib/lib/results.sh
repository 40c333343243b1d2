# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# results.sh: headings, and the count of test cases over all steps of
# contrib/check. Source it.

passed=0
failed=0
skipped=0
SECONDS=0

# heading TEXT: a line that says what comes, with the minutes since the start.
heading() {
	printf '== %d:%02d %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*"
}

# A failure that is no test case's: a build, a step that could not run.
add_failure() {
	failed=$((failed + 1))
	echo "   FAILED: $*"
}

# show_end FILE [LINES]: what a log ends with, indented.
show_end() {
	tail -n "${2:-40}" "$1" | sed 's/^/   | /'
}

# results_of DIRECTORY: "PASSED FAILED SKIPPED" of automake's .trs files there.
results_of() {
	find "$1" -name '*.trs' -exec cat {} + | awk '
		/^:test-result: (PASS|XFAIL)/ { passed++ }
		/^:test-result: (FAIL|XPASS|ERROR)/ { failed++ }
		/^:test-result: SKIP/ { skipped++ }
		END { print passed + 0, failed + 0, skipped + 0 }'
}

# show_failures DIRECTORY: the cases that failed, with what their tests said.
show_failures() {
	local results log

	while read -r results; do
		log=${results%.trs}.log
		echo "   FAILED: $log"
		[ -f "$log" ] && grep -vE '^(ok|PASS|FAIL|SKIP|1\.\.)' "$log" |
			tail -n 60 | sed 's/^/   | /'
	done < <(grep -lrE '^:test-result: (FAIL|XPASS|ERROR)' \
		--include='*.trs' "$1" | sort)
}

# add_results LABEL DIRECTORY STATUS LOG: counts the results of one run of
# tests, whose make ended with STATUS and wrote LOG.
add_results() {
	local label=$1 directory=$2 status=$3 log=$4
	local run_passed run_failed run_skipped

	read -r run_passed run_failed run_skipped < <(results_of "$directory")
	printf '   %-10s %5d passed, %d failed, %d skipped\n' "$label" \
		"$run_passed" "$run_failed" "$run_skipped"
	passed=$((passed + run_passed))
	failed=$((failed + run_failed))
	skipped=$((skipped + run_skipped))
	if [ "$run_failed" -gt 0 ]; then
		show_failures "$directory"
	elif [ "$status" -ne 0 ]; then
		add_failure "$label: make ended with status $status, see $log"
		show_end "$log"
	elif [ $((run_passed + run_skipped)) -eq 0 ]; then
		add_failure "$label: no test ran"
	fi
}

# The closing line, alone: what reads this output looks for it. The exit status
# is 0 only where tests ran and none failed.
close_results() {
	heading "done, $skipped skipped"
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
