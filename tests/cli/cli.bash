# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# cli.bash: what the tests of the program share. `load cli` first.
#
# The program is $LEAFSPINE, else ./leafspine. Each case runs in a directory of
# its own.
bats_require_minimum_version 1.5.0
LEAFSPINE=$(realpath "${LEAFSPINE:-./leafspine}")
TOPOLOGY=$(realpath "$BATS_TEST_DIRNAME/../../topology")
export TOPOLOGY

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# runs STATUS ARGUMENT...: runs the program, which must end with STATUS.
# $output is what it printed, $stderr what it complained of.
runs() {
	local status_wanted=$1

	shift
	run --separate-stderr "$LEAFSPINE" "$@"
	if [ "$status" -ne "$status_wanted" ]; then
		show_run
		echo "expected exit status: $status_wanted"
		return 1
	fi
}

show_run() {
	printf '%s\n' "exit status: $status" "standard output:" "$output" \
		"standard error:" "$stderr"
}

# said LINE: all of standard error is this line, and nothing was printed.
said() {
	[ "$stderr" = "$1" ] && [ -z "$output" ] && return
	show_run
	echo "expected on standard error: $1"
	return 1
}

# printed TEXT: all of standard output is this text, and nothing was said.
printed() {
	[ "$output" = "$1" ] && [ -z "$stderr" ] && return
	show_run
	echo "expected on standard output:"
	printf '%s\n' "$1"
	return 1
}

# has TEXT: standard output holds the text.
has() {
	[[ $output == *"$1"* ]] && return
	show_run
	echo "expected in standard output: $1"
	return 1
}

# has_not TEXT: standard output does not hold the text.
has_not() {
	[[ $output != *"$1"* ]] && return
	show_run
	echo "not expected in standard output: $1"
	return 1
}

# value KEY: the first value of KEY in the JSON on standard output. The totals
# of a score stand before its parts.
value() {
	grep -oE "\"$1\": (\"[^\"]*\"|[^],}[]+)" <<<"$output" |
		head -n 1 | sed 's/^[^:]*: //'
}

# values_are KEY VALUE [KEY VALUE...]
values_are() {
	while [ $# -gt 0 ]; do
		if [ "$(value "$1")" != "$2" ]; then
			show_run
			echo "expected: $1 = $2, got $(value "$1")"
			return 1
		fi
		shift 2
	done
}

# list_is KEY LIST: the first array at KEY, as JSON.
list_is() {
	local list

	list=$(grep -oE "\"$1\": \[[^]]*\]" <<<"$output" | head -n 1)
	[ "${list#*: }" = "$2" ] && return
	show_run
	echo "expected: $1 = $2"
	return 1
}

# Two leaves of four nodes of two GPUs, joined 1:1 by two Spines.
write_fabric() {
	cat >fabric.json <<-END
	{
	  "fabric": "small",
	  "nodes": [{"names": "n[1-8]", "gpus": 2}],
	  "switches": [
	    {"name": "leaf1", "tier": "leaf", "nodes": "n[1-4]",
	     "uplinks": [{"to": "spine[1-2]", "count": 4}]},
	    {"name": "leaf2", "tier": "leaf", "nodes": "n[5-8]",
	     "uplinks": [{"to": "spine[1-2]", "count": 4}]},
	    {"name": "spine[1-2]", "tier": "spine"}
	  ]
	}
	END
}
