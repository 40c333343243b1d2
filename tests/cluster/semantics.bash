# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# semantics.bash: the language of the rows of the semantics matrix, and how one
# row runs on one cluster. Sourced by semantics.test.
#
# A row is a list of these commands. What they say is the row's transcript, by
# which two clusters are compared: it has no node, job id or time that may
# differ between them.
#
#   job NAME [HINT] OPTION...     submits by sbatch: it starts at a scheduler's
#                                 next turn
#   alloc NAME [HINT] OPTION...   salloc --no-shell: it starts at once or fails
#   test [HINT] OPTION...         sbatch --test-only
#   runs NAME...                  waits until all of these run
#   ends NAME... | stops NAME...  until they are gone, are suspended
#   waits NAME...                 until the schedulers have passed them by
#   nodes STATE NODES             until the nodes are in this state
#   ctl WORD...                   scontrol; @NAME is the job's id
#   cancel NAME...                scancel
#   step NAME OPTION...           srun within the job: how many tasks on how
#                                 many nodes
#   close PARTITION | open PARTITION
#                                 jobs of a closed one wait; those that wait
#                                 when it opens are considered in one turn
#   order NAME...                 in which order these have started
#   kinds NAME                    how many kinds of GPU the job has
#   from NAME NODES               how many of its nodes are among these
#   planned NAME...               when those that wait are going to start
#   reserved NAME                 what a reservation holds
#   show [NAME...]                the jobs as they are now; each row ends with
#                                 this for all
#
# A HINT (its first key is tp, dp, pp or ep) goes into the comment, so that
# stock Slurm is given the very same words.

AWAIT_SECONDS=40

says() { printf '%s\n' "$*" >>"$transcript"; }

# say_result WHAT STATUS TEXT: without what differs by run.
say_result() {
	local text

	text=$(sed -E -e 's/^(sbatch|salloc|srun|scontrol|scancel): //' \
		-e '/^(Pending|Granted|Relinquish|job [0-9]+ (queued|has been)|Nodes? )/d' \
		-e '/^[0-9]+$/d' -e "s/$SLURM_JOB_PATTERN/\\1 N/g" <<<"$3" |
		paste -sd' ')
	says "$1: exit $2${text:+: $text}"
}

# Sets $options; a hint becomes a comment.
read_options() {
	local words

	with_ids "$@"
	case ${1:-} in
	tp=* | dp=* | pp=* | ep=*)
		options=(--comment "leafspine:$1" "${words[@]:1}")
		;;
	*) options=("${words[@]}") ;;
	esac
}

add_job() {
	[ "$2" ] || return 0
	ids[$1]=$2
	names+=("$1")
}

job() {
	local name=$1 said status=0 options

	shift
	read_options "$@"
	said=$(sbatch --parsable -J "$name" -o /dev/null "${options[@]}" \
		--wrap 'exec sleep 1000' 2>&1) || status=$?
	acted "$status"
	say_result "job $name" "$status" "$said"
	add_job "$name" "$(grep -xE '[0-9]+' <<<"$said")"
}

alloc() {
	local name=$1 said status=0 options

	shift
	read_options "$@"
	said=$(salloc --no-shell --immediate=10 -J "$name" "${options[@]}" \
		2>&1) || status=$?
	acted "$status"
	say_result "alloc $name" "$status" "$said"
	add_job "$name" "$(sed -nE \
		's/.*Granted job allocation ([0-9]+).*/\1/p' <<<"$said")"
}

# Minutes from now to a time as Slurm prints it, in tens beyond some.
in_minutes() {
	local minutes

	[[ $1 == [0-9]* ]] || { echo 'unknown'; return; }
	minutes=$(( ($(date -d "$1" +%s) - EPOCHSECONDS) / 60 ))
	[ "$minutes" -lt 5 ] || minutes=$(( (minutes + 5) / 10 * 10 ))
	echo "$minutes"
}

test_only() {
	local said status=0 options begin

	read_options "$@"
	said=$(sbatch --test-only "${options[@]}" --wrap true 2>&1) || status=$?
	begin=$(sed -nE 's/.*to start at ([^ ]+) .*/\1/p' <<<"$said")
	if [ -z "$begin" ]; then
		say_result 'test' "$status" "$said"
		return
	fi
	says "test: exit $status: in $(in_minutes "$begin") minutes," \
		"$(grep -oE '[0-9]+ processors' <<<"$said")," \
		"$(hosts "$(sed -nE 's/.* on nodes ([^ ]+) .*/\1/p' <<<"$said")" |
			wc -l) nodes"
}

hosts() { scontrol show hostnames "$1"; }

# The words with each @NAME replaced.
with_ids() {
	local word name

	words=()
	for word; do
		for name in "${!ids[@]}"; do
			[[ $word != *"@$name" ]] || word=${word%@*}${ids[$name]}
		done
		words+=("$word")
	done
}

ctl() {
	local said status=0 words

	with_ids "$@"
	said=$(scontrol "${words[@]}" 2>&1) || status=$?
	acted "$status"
	say_result "ctl $*" "$status" "$said"
}

cancel() {
	local name

	for name; do
		scancel "${ids[$name]}"
	done
	acted 0
}

close() { scontrol update partition="$1" state=down; }
open() { scontrol update partition="$1" state=up; acted 0; }

step() {
	local name=$1 said status=0

	shift
	said=$(timeout 30 srun --jobid="${ids[$name]}" "$@" \
		printenv SLURMD_NODENAME 2>&1) || status=$?
	says "step $name: exit $status: $(wc -l <<<"$said") tasks on" \
		"$(sort -u <<<"$said" | wc -l) nodes"
}

# --- waiting -------------------------------------------------------------

# acted STATUS: a command that is refused gives the schedulers no work.
acted() { [ "$1" -ne 0 ] || acted_at=$EPOCHSECONDS; }

# await WHAT COMMAND...: polls; the transcript tells of a wait in vain, and
# after one the row waits no more.
await() {
	local what=$1 end=$((SECONDS + AWAIT_SECONDS))

	shift
	until "$@"; do
		if [ -n "$in_vain" ] || [ "$SECONDS" -ge "$end" ]; then
			in_vain=yes
			says "IN VAIN: $what"
			squeue -r -o '%i %j %T %r %N' >>"$transcript.vain"
			return 0
		fi
		sleep 0.05
	done
}

# all_are STATES NAME...: every one, of all tasks and parts.
all_are() {
	local states=$1 name seen

	shift
	for name; do
		[ -n "${ids[$name]:-}" ] || return 1
		seen=$(squeue -h -r -j "${ids[$name]}" -t all -o %T 2>/dev/null)
		[ -n "$seen" ] && ! grep -qvxE "$states" <<<"$seen" || return 1
	done
}

runs() { await "runs $*" all_are RUNNING "$@"; }
stops() { await "stops $*" all_are SUSPENDED "$@"; }
ends() {
	await "ends $*" all_are \
		'COMPLETED|CANCELLED|FAILED|TIMEOUT|PREEMPTED' "$@"
	acted 0
}

# Node states as sinfo's short words.
nodes_are() {
	[ -z "$(sinfo -h -N -n "$2" -o %t | grep -vxE "$1")" ]
}

nodes() {
	await "nodes $*" nodes_are "$@"
}

# "MAIN-CYCLES BACKFILL-TIME"
turns() {
	sdiag | awk '
		/Total cycles:/ && !main { main = $3 }
		/Last cycle when:/ { gsub(/[()]/, ""); when = $NF }
		END { print main + 0, when + 0 }'
}

# No job waits but for what no scheduler gives it.
all_held() {
	[ -z "$(squeue -h -t pending -o %r | grep -vE \
		'^(JobHeld|Dependency|BeginTime|PartitionDown|JobArrayTaskLimit)')" ]
}

# Both schedulers have had a turn that began after the last command. Backfill
# has none where there is nothing new since its last: then the main scheduler's,
# one a second, say when it would have had.
passed_by() {
	local main when

	read -r main when < <(turns)
	main=$((main - first_turn))
	[ "$main" -ge 6 ] || { [ "$main" -ge 2 ] &&
		{ [ "$when" -gt "$acted_at" ] || all_held; }; }
}

settle() {
	local first_turn

	read -r first_turn _ < <(turns)
	await 'settle' passed_by
	await 'settle' no_job_moves
}

no_job_moves() { [ -z "$(squeue -h -t CF,CG -o %A)" ]; }

waits() {
	settle
	await "waits $*" all_are PENDING "$@"
}

# --- what is compared ----------------------------------------------------

order() {
	local name pattern=''

	for name; do
		pattern=$pattern${pattern:+|}${ids[$name]}
	done
	says "order: $(grep -oE "(Allocate|Started) JobId=($pattern)\b" \
		"$cluster/log/slurmctld.log" | while IFS== read -r _ id; do
		for name; do
			[ "${ids[$name]}" != "$id" ] || echo "$name"
		done
	done | paste -sd' ')"
}

kinds() {
	says "kinds $1: $(scontrol -d -o show job "${ids[$1]}" |
		grep -oE ' GRES=gpu:[a-z0-9]+' | sort -u | wc -l)"
}

from() {
	says "from $*: $(comm -12 <(hosts "$2" | sort) \
		<(hosts "$(squeue -h -j "${ids[$1]}" -o %N)" | sort) | wc -l)"
}

planned() {
	local name begin

	settle
	for name; do
		begin=$(squeue -h -j "${ids[$name]}" -O StartTime:40)
		says "planned $name: $(in_minutes "${begin%% *}") minutes"
	done
}

reserved() {
	says "reserved $1: $(scontrol -o show reservation "$1" |
		grep -oE ' (NodeCnt|CoreCnt|TRES|Flags|State)=[^ ]*' |
		paste -sd ' ')"
}

# Partitions, and reservations that there are, for semantics-show.awk.
write_sets() {
	{
		cat "$cluster/partitions"
		scontrol -o show reservation | sed -nE \
			's/^ReservationName=([^ ]+) .* Nodes=([^ ]+) .*/reservation \1 \2/p'
	} >"$cluster/sets"
}

show() {
	local name

	[ $# -gt 0 ] || set -- "${names[@]}"
	write_sets
	for name; do
		scontrol -d -o show job "${ids[$name]}" 2>&1 |
			awk -v name="$name" -v loaded="$loaded" \
				-f "$here/semantics-show.awk" "$cluster/sets" - \
			>>"$transcript"
	done
}

# How many of the row's jobs leafspine has placed, each part and task by itself.
steered() {
	local name

	for name in "${names[@]}"; do
		scontrol -o show job "${ids[$name]}"
	done 2>/dev/null | grep -cF '"placed_by":"leafspine"'
}

# --- one row on one cluster ----------------------------------------------

# load SEED: nodes that are full, half full, short of cores or of memory; the
# same on each cluster.
load() {
	local node options partition

	RANDOM=$1
	for node in $(seq -f 'n%02g' 1 20); do
		case $((RANDOM % 6)) in
		0) options='-c16 --gpus-per-node=8' ;;
		1) options='-c8 --gpus-per-node=4' ;;
		2) options='-c60' ;;
		3) options='-c1 --mem=505000' ;;
		*) continue ;;
		esac
		partition=main
		[[ $node != n1[3-6] ]] || partition=threads
		# shellcheck disable=SC2086
		salloc -Q --no-shell --immediate=10 -J load -w "$node" -N1 \
			-p $partition $options || says "IN VAIN: load $node"
	done
}

# Cancels all but the load, so that the next row finds what this one found.
clean() {
	local others

	others=$(squeue -h -o '%A %j' | awk '$2 != "load" { print $1 }' |
		sort -u)
	in_vain=''
	[ -z "$others" ] || xargs scancel <<<"$others"
	scontrol -o show reservation | sed -nE \
		's/^ReservationName=([^ ]+) .*/\1/p' |
		xargs -rI@ scontrol delete reservation=@
	await clean is_clean
	[ -n "$loaded" ] || await 'clean nodes' is_idle
}

is_clean() {
	[ -z "$(squeue -h -o %j | grep -vx load)" ] &&
		! sinfo -h -N -o %t | grep -qE 'comp|drain|drng|down|resv|unk|\*'
}

# No node has a thing in use.
is_idle() {
	! sinfo -h -N -o %t | grep -qvx idle &&
		! scontrol -o show node | grep -qvE \
			'CPUAlloc=0 .* AllocMem=0 ' &&
		! sinfo -h -N -O 'GresUsed:80' | grep -qE 'gpu:[a-z0-9]+:[1-9]'
}

# run_row BODY FILE LOADED: in the cluster that $cluster names; writes the
# transcript, and how many jobs leafspine placed.
run_row() {
	local body=$1 transcript=$2 loaded=$3 in_vain='' acted_at=0
	local SLURM_JOB_PATTERN='([Jj]ob|allocation|JobId=?) ?[0-9]+'
	local names=()
	declare -A ids

	: >"$transcript"
	# shellcheck disable=SC2317
	test() { test_only "$@"; }
	eval "$body"
	show
	unset -f test
	steered >"$transcript.steered"
	clean
}
