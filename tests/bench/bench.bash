# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# bench.bash: what the benches share. A bench writes rows of JSON, one a line:
#
#   {"bench": NAME, "scene": WHERE, "measure": WHAT, "unit": UNIT,
#    "stock": [SAMPLE...], "leafspine": [SAMPLE...]}
#
# tests/bench/run puts medians and ratios to them.

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# until_true SECONDS COMMAND...: polls.
until_true() {
	local end=$((SECONDS + $1))

	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || die "in vain: $*"
		sleep 0.1
	done
}

# row SCENE MEASURE UNIT STOCK LEAFSPINE: each a list of numbers with blanks.
row() {
	jq -nc --arg bench "${0##*/}" --arg scene "$1" --arg measure "$2" \
		--arg unit "$3" --arg stock "$4" --arg leafspine "$5" '
		def numbers: split(" ") | map(select(. != "") | tonumber);
		{$bench, $scene, $measure, $unit, stock: ($stock | numbers),
		 leafspine: ($leafspine | numbers)}'
}
