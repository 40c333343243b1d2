#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The examples of the manual pages work as they stand there.
load cli

MANUALS=$BATS_TEST_DIRNAME/../../doc

# json_block N: the N-th literal block of leafspine-fabric(5) that is JSON.
json_block() {
	awk -v wanted="$1" '
		/^\.Ed/ { if (here) exit; in_block = 0 }
		in_block && !seen_line && /^\{/ { here = ++count == wanted }
		in_block { seen_line = 1 }
		here
		/^\.Bd -literal/ { in_block = 1; seen_line = 0 }
	' "$MANUALS/leafspine-fabric.5" | sed 's/\\e/\\/g'
}

@test "leafspine-fabric(5): fabric and state of the text" {
	json_block 1 >fabric.json
	runs 0 check fabric.json
	has "64 (64 with GPUs, 0 without)"
	has "leaf, Spine, core"
	[ -z "$stderr" ]
	json_block 2 >state.json
	grep -q '"down"' state.json
	runs 0 show fabric.json --state state.json
	[ -z "$stderr" ]
}

@test "leafspine-fabric(5): rails and NVLink domains" {
	json_block 3 >rails.json
	runs 0 check rails.json
	has "Rails           2"
	[ -z "$stderr" ]
	json_block 4 >racks.json
	runs 0 check racks.json
	has "2 of 18 nodes"
	has "oversubscription 1:1"
	[ -z "$stderr" ]
}

@test "leafspine-fabric(5): fabrics in one line" {
	count=0
	while read -r fabric; do
		runs 0 check "$fabric"
		[ -z "$stderr" ]
		count=$((count + 1))
	done < <(sed -n 's/^\.It Sy \(synth:.*\)/\1/p' \
		"$MANUALS/leafspine-fabric.5")
	[ "$count" -ge 4 ]
}

@test "leafspine-parallelism(7): the hints of the examples" {
	count=0
	while read -r hint; do
		# As many nodes of 8 GPUs as all of them divide.
		runs 0 place --fabric 'synth:spine:4 leaf:16 node:8' \
			--nodes 128 --parallelism "${hint//dp=4/dp=32}"
		count=$((count + 1))
	done < <(sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^\.Dl \([a-z_]*=.*\)/\1/p' \
		"$MANUALS/leafspine-parallelism.7")
	[ "$count" -ge 4 ]
}

@test "leafspine-parallelism(7): every model that is named there is known" {
	models=$(sed -n '/^\.It Sy model$/,/^\.It /s/^\.Ql \([a-z0-9-]*\) .*/\1/p' \
		"$MANUALS/leafspine-parallelism.7")
	[ "$(wc -w <<<"$models")" -ge 10 ]
	for model in $models; do
		runs 0 score --fabric synth:'leaf:1 node:2' \
			--parallelism "tp=8,model=$model" \
			--placement 'n[0001-0002]'
	done
	# The program names all that it knows when asked for another.
	runs 2 score --fabric synth:'leaf:1 node:2' \
		--parallelism "tp=8,model=none" --placement n0001
	for model in $models; do
		[[ $stderr == *"$model"* ]]
	done
	[ "$(grep -oE '[a-z0-9]+-[a-z0-9-]*[0-9][a-z0-9-]*' <<<"$stderr" |
		wc -l)" -eq "$(wc -w <<<"$models")" ]
}

@test "leafspine-parallelism(7): the message that is shown" {
	wanted=$(sed -n "s/^\.Dl \(tp: 'eight'.*\)/\1/p" \
		"$MANUALS/leafspine-parallelism.7")
	[ -n "$wanted" ]
	runs 2 score --fabric synth:'leaf:1 node:1' --parallelism tp=eight \
		--placement n0001
	said "leafspine: --parallelism: $wanted"
}

@test "leafspine(1): the placements that are compared" {
	# The command of the manual, with its lines joined.
	command=$(awk '/^\$ leafspine score/ { here = 1 } /^\.Ed/ { here = 0 } here' \
		"$MANUALS/leafspine.1" | sed 's/^\$ leafspine//; s/\\e$//' |
		tr '\n' ' ')
	[ -n "$command" ]
	run --separate-stderr bash -c "'$LEAFSPINE' $command"
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 3 ]
	[ -z "$stderr" ]
}
