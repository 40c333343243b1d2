#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands and hints of doc/users.md work as they stand there.
load cli

USERS=$BATS_TEST_DIRNAME/../../doc/users.md

@test "users.md: every hint fits the job that it is given for" {
	count=0
	while read -r nodes hint; do
		runs 0 place --fabric 'synth:spine:4 leaf:8 node:8' \
			--nodes "$nodes" --gpus-per-node 8 \
			--parallelism "$hint"
		count=$((count + 1))
	done < <(sed -nE 's/^    sbatch -N([0-9]+) .*--parallelism=([^ ]+) .*/\1 \2/p' "$USERS")
	[ "$count" -eq "$(grep -c -- '--parallelism=' "$USERS")" ]
	[ "$count" -ge 7 ]
}

# example N: the lines of the N-th block that begins with a command of ours.
example() {
	awk -v wanted="$1" '
		/^    \$ leafspine / { here = ++count == wanted }
		/^[^ ]/ { here = 0 }
		here { sub(/^    /, ""); print }
	' "$USERS" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
}

@test "users.md: every command prints what stands under it" {
	total=$(grep -c '^    \$ leafspine ' "$USERS")
	[ "$total" -ge 2 ]
	for n in $(seq "$total"); do
		example "$n" >example
		line=$(sed -n '1s/^\$ leafspine //p' example)
		eval "arguments=($line)"
		runs 0 "${arguments[@]}"
		printed "$(tail -n +2 example)"
	done
}

@test "users.md: every argument in its table is one that hint reads" {
	count=0
	while read -r name; do
		grep -qF "\"${name#--}\"" \
			"$BATS_TEST_DIRNAME/../../src/cli/megatron.c" || {
			echo "$name is not read"
			return 1
		}
		count=$((count + 1))
	done < <(sed -n '/^### Megatron/,/^### torchtitan/p' "$USERS" |
		grep '^| `--' | cut -d'|' -f2 | grep -oE -- '--[a-z0-9-]+')
	[ "$count" -ge 20 ]
}
