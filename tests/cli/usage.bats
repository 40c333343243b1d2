#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What all commands have in common: help, version, usage errors, output that
# cannot be written.
load cli

@test "no argument: the commands on standard error, exit 2" {
	runs 2
	[ -z "$output" ]
	[ "${stderr_lines[0]}" = "leafspine: Usage: leafspine COMMAND [OPTION ...]" ]
	for name in check show place score counters hint hostfile help; do
		grep -q "^leafspine:   $name " <<<"$stderr"
	done
	[ -z "$(grep -v '^leafspine: ' <<<"$stderr")" ]
}

@test "--help: names every command, exit 0" {
	for option in --help -h help; do
		runs 0 "$option"
		[ -z "$stderr" ]
		for name in check show place score counters hint hostfile help; do
			grep -q "^  $name " <<<"$output"
		done
	done
}

@test "--version: the version that was built" {
	runs 0 --version
	[[ $output =~ ^leafspine\ [0-9]+\.[0-9]+ ]]
	[ -z "$stderr" ]
	if [ -f "$BATS_TEST_DIRNAME/../../VERSION" ]; then
		printed "leafspine $(cat "$BATS_TEST_DIRNAME/../../VERSION")"
	fi
}

@test "COMMAND --help and help COMMAND print the same" {
	for name in check show place score counters hint hostfile; do
		runs 0 "$name" --help
		[ -z "$stderr" ]
		[[ $output == "Usage: leafspine $name "* ]]
		text=$output
		runs 0 help "$name"
		printed "$text"
		runs 0 "$name" -h
		printed "$text"
		[ "$name" = hostfile ] || {
			runs 0 "$name" --json --help
			printed "$text"
		}
	done
}

@test "--help lists every option of the manual's synopsis" {
	manual=$BATS_TEST_DIRNAME/../../doc/leafspine.1
	[ -f "$manual" ] || skip "no manual page"
	for name in check show place score counters hint hostfile; do
		runs 0 "$name" --help
		options=$(awk -v name="$name" '
			/^\.Sh DESCRIPTION/ { exit }
			/^\.Cm / { here = $2 == name }
			here' "$manual" | grep -oE 'Fl -[a-z-]+' |
			sed 's/Fl -/--/' | sort -u)
		[ -n "$options" ]
		for option in $options; do
			grep -q -- "^  $option" <<<"$output"
		done
	done
}

@test "help lines fit into 80 columns" {
	for name in check show place score counters hint hostfile; do
		runs 0 "$name" --help
		[ -z "$(awk 'length > 80' <<<"$output")" ]
	done
}

@test "unknown commands and options of the program" {
	runs 2 plaice
	said "leafspine: unknown command 'plaice'; see 'leafspine --help'"
	runs 2 --jason
	said "leafspine: unknown option '--jason'; see 'leafspine --help'"
	runs 2 help plaice
	said "leafspine: unknown command 'plaice'; see 'leafspine --help'"
	runs 2 help check show
	said "leafspine: help: unexpected argument 'show'; see 'leafspine --help'"
}

@test "text of users is made printable in messages" {
	runs 2 $'pl\x1b[31mace\n\xc3\xa9'
	said "leafspine: unknown command 'pl?[31mace???'; see 'leafspine --help'"
}

@test "unknown options of a command; no abbreviations" {
	runs 2 place --fabrics x
	said "leafspine: place: unknown option '--fabrics'; see 'leafspine place --help'"
	runs 2 place --fab x
	said "leafspine: place: unknown option '--fab'; see 'leafspine place --help'"
	runs 2 check -j x
	said "leafspine: check: unknown option '-j'; see 'leafspine check --help'"
	runs 2 score --keep-order
	said "leafspine: score: unknown option '--keep-order'; see 'leafspine score --help'"
}

@test "values that are missing, or given where none belongs" {
	runs 2 place --fabric
	said "leafspine: place: --fabric needs a value (FABRIC); see 'leafspine place --help'"
	runs 2 place --nodes --json
	said "leafspine: place: --nodes needs a value (N); see 'leafspine place --help'"
	runs 2 show x --json=yes
	said "leafspine: show: --json takes no value; see 'leafspine show --help'"
}

@test "options that are given twice" {
	runs 2 place --nodes 2 --nodes=2
	said "leafspine: place: --nodes is given twice; see 'leafspine place --help'"
	runs 2 check x --json --json
	said "leafspine: check: --json is given twice; see 'leafspine check --help'"
}

@test "arguments that are missing or too many" {
	runs 2 check
	said "leafspine: check: missing FABRIC; see 'leafspine check --help'"
	runs 2 show --json
	said "leafspine: show: missing FABRIC; see 'leafspine show --help'"
	runs 2 check a b
	said "leafspine: check: unexpected argument 'b' after the FABRIC; see 'leafspine check --help'"
	runs 2 place x
	said "leafspine: place: unexpected argument 'x'; see 'leafspine place --help'"
	runs 2 place --parallelism tp=8
	said "leafspine: place: missing --fabric FABRIC; see 'leafspine place --help'"
	runs 2 place --fabric x
	said "leafspine: place: missing --parallelism HINT; see 'leafspine place --help'"
	runs 2 score --fabric x --parallelism tp=8
	said "leafspine: score: missing --placement NODES; see 'leafspine score --help'"
}

@test "-- ends the options" {
	write_fabric
	cp fabric.json ./--json
	runs 0 check -- --json
	has "small"
}

@test "numbers are whole, plain and in range" {
	for bad in 0 -1 +2 2.0 1e3 0x10 two '' ' 2' '2 ' 16777217 \
		18446744073709551617; do
		runs 2 place "--nodes=$bad"
		said "leafspine: place: --nodes: expected a whole number from 1 to 16777216, got '$bad'; see 'leafspine place --help'"
	done
	for name in gpus min-nodes max-nodes; do
		runs 2 place "--$name" 0
		said "leafspine: place: --$name: expected a whole number from 1 to 16777216, got '0'; see 'leafspine place --help'"
	done
	runs 2 place --gpus-per-node 1025
	said "leafspine: place: --gpus-per-node: expected a whole number from 1 to 1024, got '1025'; see 'leafspine place --help'"
}

@test "a full disk is an error, exit 2" {
	[ -c /dev/full ] || skip "no /dev/full"
	write_fabric
	for arguments in --help "check fabric.json" "check fabric.json --json" \
		"show fabric.json" "show fabric.json --json"; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr bash -c '"$0" "$@" >/dev/full' \
			"$LEAFSPINE" $arguments
		[ "$stderr" = "leafspine: cannot write to standard output: No space left on device" ]
	done
}

@test "a closed pipe and a closed standard output are errors, exit 2" {
	write_fabric
	# The reader is gone for certain before the program starts.
	run -2 --separate-stderr bash -c '
		exec 3> >(exec true)
		wait $!
		"$0" check fabric.json >&3
	' "$LEAFSPINE"
	[ "$stderr" = "leafspine: cannot write to standard output: Broken pipe" ]
	run -2 --separate-stderr bash -c '"$0" check fabric.json >&-' \
		"$LEAFSPINE"
	[ "$stderr" = "leafspine: cannot write to standard output: Bad file descriptor" ]
}
