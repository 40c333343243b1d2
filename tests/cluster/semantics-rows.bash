# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# semantics-rows.bash: the semantics matrix, one row a feature of Slurm. The
# language is told of in semantics.bash, `row` and `differs` in semantics.test.
#
# n[01-12] have 8 GPUs (h100) and 64 cores; the first 6 have feature a, the
# others b. n[17-20] have 8 a100, feature old, Weight 10, so they are taken last.
# n[13-16] have 32 cores of 2 threads and are in a partition of their own, since
# a core is given whole there. A leaf is 4 nodes.

# --- how many GPUs -----------------------------------------------------------

row both 3 '--gpus-per-node' <<'END'
alloc a tp=8 -N2 --gpus-per-node=8
alloc b tp=4 -N3 --gpus-per-node=4
alloc c tp=2 -N1 --gpus-per-node=2
alloc d -N1 --gpus-per-node=3
runs a b c d
END

row both 3 '--gpus' <<'END'
alloc a tp=8 -n16 --gpus=16
alloc b tp=4 -n12 --gpus=12
alloc c tp=1 --gpus=1
alloc d -n8 --gpus=8
runs a b c d
END

row both 2 '--gpus with a number of nodes' <<'END'
alloc a tp=8 -N2 -n16 --gpus=16
alloc b tp=4 -N4 -n8 --gpus=16
alloc c -N2 --gpus=6
runs a b
END

row both 3 '--gpus-per-task' <<'END'
alloc a tp=8 -n16 --ntasks-per-node=8 --gpus-per-task=1
alloc b tp=4 -n4 --gpus-per-task=2
alloc c tp=2 -N2 -n4 --ntasks-per-node=2 --gpus-per-task=2
alloc d -n3 --gpus-per-task=3
runs a b c d
END

row idle 3 'GPUs of a type' <<'END'
alloc a tp=8 -N2 --gpus-per-node=h100:8
alloc b tp=8 -N2 --gpus-per-node=a100:8
alloc c tp=4 -n8 --gpus=a100:8
alloc d tp=8 -N5 --gpus-per-node=a100:8
alloc e -N1 --gres=gpu:a100:2
runs a b c e
END

row idle 2 'GPUs of a type by --gres, and of no type' <<'END'
alloc a tp=8 -N3 --gres=gpu:h100:8
alloc b tp=8 -N4 --gres=gpu:8
alloc c tp=2 --gres=gpu:nosuch:2
alloc d tp=2 -N1 --gres=gpu:9
runs a b
END

row idle 2 'GPUs per socket, of no binding, CPUs per GPU' <<'END'
alloc a tp=8 -N1 --gpus-per-socket=4 --sockets-per-node=2 --gpus-per-node=8
alloc b tp=8 -N2 --gpus-per-node=8 --cpus-per-gpu=4
alloc c tp=4 -n4 --gpus=4 --cpus-per-gpu=16
alloc d tp=4 -N2 --gpus-per-node=2 --mem-per-gpu=10000
runs a b c d
END

# --- cores, threads, memory --------------------------------------------------

row both 3 'nodes that are partly used' <<'END'
alloc a tp=4 -w n02 -N1 --gpus-per-node=4
alloc b tp=2 -w n05 -N1 --gpus-per-node=2
alloc c tp=4 -N1 --gpus-per-node=4
alloc d tp=8 -N2 --gpus-per-node=8
alloc e -N1 -c8
runs c d e
END

row both 2 'memory' <<'END'
alloc a tp=8 -N2 --gpus-per-node=8 --mem=200000
alloc b tp=4 -N2 --gpus-per-node=4 --mem=400000
alloc c -N1 --mem=300000
alloc d tp=8 -N1 --gpus-per-node=8 --mem=600000
runs a b c
END

row idle 2 'memory by CPU, all memory' <<'END'
alloc a tp=8 -N2 --gpus-per-node=8 -c4 --mem-per-cpu=20000
alloc b tp=4 -N2 --gpus-per-node=4 --mem=0
alloc c tp=4 -N2 --gpus-per-node=4 --mem-per-cpu=1000
runs a b c
END

row both 2 'cores by task and node' <<'END'
alloc a tp=8 -N2 --ntasks-per-node=8 -c6 --gpus-per-node=8
alloc b tp=4 -n8 -c12 -N2 --gpus-per-node=4
alloc c -n40 -c2
runs a b c
END

row idle 3 'threads: --hint=nomultithread' <<'END'
alloc a tp=8 -p threads -N1 --gpus-per-node=8 -n8 -c8
alloc b tp=8 -p threads -N1 --gpus-per-node=8 -n8 -c4 --hint=nomultithread
alloc c tp=2 -p threads -N2 --gpus-per-node=1 -n2 -c7
runs a b c
END

row idle 3 'threads: --threads-per-core' <<'END'
alloc a tp=4 -p threads -N2 -n8 -c4 --gpus-per-node=4 --threads-per-core=1
alloc b tp=4 -p threads -N2 -n8 -c4 --gpus-per-node=4 --threads-per-core=2
alloc c tp=8 -p threads -N2 --ntasks-per-core=2 -n16 --gpus-per-node=4
runs a b
END

row both 2 '--ntasks-per-node' <<'END'
alloc a tp=8 -N3 --ntasks-per-node=8 --gpus-per-node=8
alloc b tp=4 -N2 --ntasks-per-node=4 --gpus-per-node=4
alloc c -n10 --ntasks-per-node=5
runs a b c
END

row both 1 'overcommit' <<'END'
alloc a tp=8 -N2 -n200 -O --gpus-per-node=8
alloc b tp=4 -N1 -n64 -O --gpus-per-node=4
alloc c tp=4 -N1 -n100 -O --gpus-per-node=4
runs a b
END

row idle 1 'steps of a job have its tasks and nodes' <<'END'
alloc a tp=8 -N3 --ntasks-per-node=2 --gpus-per-node=8
step a --gpus-per-node=8
step a -N2 -n2 --gpus-per-node=8
step a -N4 -n4
END

# --- which nodes -------------------------------------------------------------

row idle 3 '-w' <<'END'
alloc a tp=8 -w n06,n11 -N2 --gpus-per-node=8
alloc b tp=8 -w n02 -N4 --gpus-per-node=8
alloc c tp=8 -w n17 -n32 --gpus=32
job d tp=8 -w n06 -N1 --gpus-per-node=8
alloc e tp=8 -w nosuch -N1 --gpus-per-node=8
runs a b c
waits d
END

row idle 3 '-x' <<'END'
alloc a tp=8 -x n[01-03,09] -N4 --gpus-per-node=8
alloc b tp=8 -x n[04-20] -N2 --gpus-per-node=8
alloc c tp=4 -x n[01-12] -n16 --gpus=16
alloc d tp=8 -x n[01-19] -N2 --gpus-per-node=8
runs a b c
END

row both 2 '-x and -w with nodes partly in use' <<'END'
alloc a tp=2 -x n[01-05,17-20] -N2 --gpus-per-node=2
alloc b tp=2 -w n09 -x n[01-02] -N2 --gpus-per-node=1
runs a b
END

row both 3 '--exclusive' <<'END'
job d -w n09 -N1 --exclusive
settle
alloc a tp=8 --exclusive -N2 --gpus-per-node=8
alloc b tp=8 --exclusive -N2
alloc c tp=4 --exclusive -N1 --gpus-per-node=4
runs a b c
END

row idle 2 '-N 2-8' <<'END'
alloc a tp=8 -N2-8 --gpus-per-node=8
alloc b tp=8 -N3-4 --gpus-per-node=8
alloc c -N1-3 -c2
test tp=8 -N12-20 --gpus-per-node=8
runs a b c
END

row loaded 1 '-N 2-5' <<'END'
alloc a tp=2 -N2-5 --gpus-per-node=2
runs a
END

row loaded 1 '-N 1-3' <<'END'
alloc a tp=8 -N1-3 --gpus-per-node=8
runs a
END

row idle 2 '--switches' <<'END'
alloc x -w n[01,05,09] -N3 --gpus-per-node=8
alloc a tp=8 -N3 --switches=1 --gpus-per-node=8
alloc b tp=8 -N5 --switches=2@10:00 --gpus-per-node=8
job c tp=8 -N5 --switches=1@0:03 --gpus-per-node=8
runs a b c
END

row idle 0 '--contiguous' <<'END'
alloc x -w n[03,07] -N2 --gpus-per-node=8
alloc a tp=8 -N3 --contiguous --gpus-per-node=8
runs a
END

row idle 0 '--spread-job' <<'END'
alloc a tp=8 -N4 --spread-job --gpus-per-node=8
alloc b tp=2 -n8 --spread-job --gpus-per-node=2
runs a b
END

row both 0 '--use-min-nodes' <<'END'
alloc a tp=2 -N1-4 -n16 --use-min-nodes --gpus-per-node=2
runs a
END

row idle 0 'constraints with counts' <<'END'
alloc a tp=8 -N4 -C '[a*2&b*2]' --gpus-per-node=8
alloc b tp=8 -N3 -C '[old*1&b*2]' --gpus-per-node=8
runs a b
from a n[01-06]
from b n[17-20]
END

row idle 3 'constraints' <<'END'
alloc a tp=8 -N4 -C b --gpus-per-node=8
alloc b tp=8 -N2 -C fast --gpus-per-node=8
alloc c tp=8 -N2 -C 'a&fast' --gpus-per-node=8
alloc d tp=8 -N2 -C 'a|old' --gpus-per-node=8
alloc e tp=8 -N2 -C nosuch --gpus-per-node=8
runs a b c d
from a n[07-12]
from c n[01-06]
END

row idle 4 'Weight groups' <<'END'
alloc a tp=8 -N4 --gpus-per-node=8
alloc b tp=8 -N6 --gpus-per-node=8
alloc c tp=8 -N2 --gpus-per-node=8
alloc d tp=8 -N3 --gpus-per-node=8
runs a b c d
from a n[17-20]
from b n[17-20]
from c n[17-20]
END

row idle 2 'the last Weight group in part' <<'END'
ctl update nodename=n[05-08] weight=5
ctl update nodename=n[09-12] weight=7
alloc a tp=8 -C fast -N6 --gpus-per-node=8
alloc b tp=8 -C fast -N4 --gpus-per-node=8
from a n[01-04]
from a n[05-08]
from b n[05-08]
from b n[09-12]
ctl update nodename=n[05-12] weight=1
END

row idle 3 'Weight groups and a range of nodes' <<'END'
ctl update nodename=n[09-12] weight=5
alloc a tp=8 -C fast -N2-10 --gpus-per-node=8
cancel a
ends a
alloc b tp=8 -C fast -N2-8 --gpus-per-node=8
alloc c tp=8 -C fast -N1-3 --gpus-per-node=8
ctl update nodename=n[09-12] weight=1
runs b c
from b n[09-12]
END

differs 'a job that names no kind of GPU gets nodes of one kind, where there are enough of one; stock Slurm takes them as they come'
row idle 1 'kinds of GPUs' <<'END'
alloc x -w n[01-11] -N11 --gpus-per-node=8
alloc a tp=8 -N3 --gpus-per-node=8
kinds a
END

row idle 3 'Weight groups that are changed' <<'END'
ctl update nodename=n[17-20] weight=1
ctl update nodename=n[01-04,09] weight=20
alloc a tp=8 -C fast -N3 --gpus-per-node=8
alloc b tp=8 -C 'old|fast' -N4 --gpus-per-node=8
alloc c tp=8 -C fast -N4 --gpus-per-node=8
from a n[01-04,09]
ctl update nodename=n[17-20] weight=10
ctl update nodename=n[01-04,09] weight=1
runs a b c
END

# What leafspine does not foresee: stock Slurm refuses its choice, and then has
# to find the job as it was.
row idle 1 'a choice that is refused' <<'END'
alloc x -w n[01-04] -N4 -c40
alloc a tp=8 -N4 -n32 --gpus=32 --cpus-per-gpu=4
test tp=8 -N4 -n32 -c4 --gpus-per-node=8
alloc b tp=8 -N4 -n32 -c4 --gpus-per-node=8
alloc c tp=8 -N4 --gpus-per-node=8
runs a b c
END

# --- partitions and reservations ---------------------------------------------

row both 2 'several partitions' <<'END'
alloc a tp=8 -p side -N2 --gpus-per-node=8
job b tp=4 -p side,main -N2 --gpus-per-node=4
job c tp=8 -p side,main -N17 --gpus-per-node=8
alloc d tp=8 -p nosuch -N2 --gpus-per-node=8
runs a b
END

row idle 2 'a partition of whole nodes' <<'END'
alloc a tp=8 -p whole -N2
alloc b tp=4 -p whole -N1 --gpus-per-node=4
runs a b
END

row idle 0 'a partition with LLN' <<'END'
alloc x -w n01 -c4
alloc a tp=8 -p least -N2 --gpus-per-node=8
alloc b tp=2 -p least -N1 --gpus-per-node=2
runs a b
END

row idle 0 'OverSubscribe=FORCE' <<'END'
alloc a tp=4 -p force -N2 --gpus-per-node=4
alloc b tp=4 -p force -N2 --gpus-per-node=4
runs a b
END

row idle 0 'gang scheduling' <<'END'
job a -p force -N8 -c64
job b -p force -N8 -c64
job c tp=8 -p force -N8 -c64 --gpus-per-node=1
stops b
runs a
waits c
END

row idle 3 'a reservation of nodes' <<'END'
ctl create reservation reservationname=r starttime=now duration=60 user=root nodes=n[02-04,09-11]
alloc a tp=8 --reservation=r -N3 --gpus-per-node=8
alloc b tp=8 -N4 --gpus-per-node=8
alloc c tp=4 --reservation=r -n8 --gpus=8
alloc d tp=8 --reservation=nosuch -N1 --gpus-per-node=8
job e tp=8 --reservation=r -N4 --gpus-per-node=8
runs a b c
waits e
END

row both 1 'a reservation by NodeCnt' <<'END'
ctl create reservation reservationname=r starttime=now duration=60 user=root nodecnt=3 flags=ignore_jobs partitionname=main
reserved r
alloc b tp=2 -N2 --gpus-per-node=2
runs b
END

row idle 2 'reservations by CoreCnt' <<'END'
ctl create reservation reservationname=r starttime=now duration=60 user=root corecnt=96 partitionname=main
reserved r
alloc a tp=4 --reservation=r -n4 --gpus=4
alloc b tp=8 -N2 --gpus-per-node=8
runs b
END

row idle 1 'a reservation to come' <<'END'
ctl create reservation reservationname=r starttime=now+10minutes duration=60 user=root nodes=n[01-12]
alloc a tp=8 -N4 -t 5 --gpus-per-node=8
job b tp=8 -N6 -t 60 --gpus-per-node=8
runs a
waits b
END

row idle 1 'licences' <<'END'
alloc a tp=8 -N2 --gpus-per-node=8 -L matlab:3
job b tp=8 -N2 --gpus-per-node=8 -L matlab:2
waits b
cancel a
runs b
END

# --- jobs of several parts, and in their order -------------------------------

row idle 4 'arrays' <<'END'
job a tp=8 --array=0-3 -N3 --gpus-per-node=8
job b tp=8 --array=1-4%1 -N1 --gpus-per-node=8
runs a
settle
END

row loaded 2 'arrays' <<'END'
job a tp=2 --array=0-3 -N2 --gpus-per-node=2
runs a
END

row idle 2 'heterogeneous jobs' <<'END'
job a tp=8 -N3 --gpus-per-node=8 : --comment leafspine:tp=4 -N2 --gpus-per-node=4
runs a
END

row idle 2 'dependencies' <<'END'
job a tp=8 -N2 --gpus-per-node=8
runs a
job b tp=8 -N2 --gpus-per-node=8 --dependency=afterany:@a
job c tp=8 -N2 --gpus-per-node=8 --dependency=afterok:@a
job d tp=8 -N2 --gpus-per-node=8 --dependency=singleton
settle
show
cancel a
ends a
runs b d
settle
END

row idle 5 'the order of starts' <<'END'
close main
job a tp=8 -N4 --gpus-per-node=8
job b tp=8 -N2 --gpus-per-node=8
job c tp=4 -n12 --gpus=12
job d -N3 -c4
job e tp=8 -N3 --gpus-per-node=8
job f tp=8 -N1 --gpus-per-node=8
open main
runs a b c d e f
order a b c d e f
END

row idle 2 'the order of starts by --nice' <<'END'
close main
job a tp=8 --nice=300 -N4 --gpus-per-node=8
job b tp=8 --nice=200 -N12 --gpus-per-node=8
job c tp=4 --nice=100 -N2 --gpus-per-node=4
job d tp=8 -N8 --gpus-per-node=8
open main
runs c d
waits b
order d c a
END

row idle 2 'hold and release' <<'END'
job a tp=8 -H -N2 --gpus-per-node=8
job b tp=8 -N2 --gpus-per-node=8
runs b
ctl hold @b
waits a
show
ctl release @a
runs a
END

row idle 2 'backfill' <<'END'
alloc x -t 60 -w n[01-11,18,20] -N13 --gpus-per-node=8
job a tp=8 -t 60 -N16 --gpus-per-node=8
job b tp=8 -t 30 -N2 --gpus-per-node=8
job c tp=8 -t 90 -N1 --gpus-per-node=8
job d tp=4 -t 10 -N1 --gpus-per-node=4
runs b d
waits a c
order b d
END

row idle 1 'planned starts' <<'END'
job a tp=8 -t 20 -N4 --gpus-per-node=8
runs a
ctl requeue @a
alloc x -t 60 -N12 --gpus-per-node=8
alloc y -t 120 -N4 --gpus-per-node=8
ctl update jobid=@a starttime=now
job b tp=8 -t 30 -N14 --gpus-per-node=8
job c tp=4 -t 30 -n8 --gpus=8
planned a b c
END

row idle 0 '--test-only' <<'END'
test tp=8 -N4 --gpus-per-node=8
test tp=8 -N21 --gpus-per-node=8
alloc x -t 30 -N11 --gpus-per-node=8
test tp=8 -N4 --gpus-per-node=8
test tp=8 -N6 --gpus-per-node=8
test tp=4 -n96 --gpus=96
test -N16
END

# --- what happens to jobs ----------------------------------------------------

row idle 1 'preemption with requeue' <<'END'
job x -N12 --gpus-per-node=8
job y -w n[17-20] -N4 --gpus-per-node=8
runs x y
job a tp=8 -p high -N4 -C old --gpus-per-node=8
runs a
settle
END

row idle 2 'preemption of just those that must go' <<'END'
job w -w n[01-04] -N4 --gpus-per-node=8
job x -w n[05-08] -N4 --gpus-per-node=8
job y -w n[09-12] -N4 --gpus-per-node=8
job z -w n[17-20] -N4 --gpus-per-node=8
runs w x y z
job a tp=8 -p high -N3 -x n[01-08,17-20] --gpus-per-node=8
runs a
job b tp=8 -p high -w n02 -N2 -x n[05-20] --gpus-per-node=8
runs b
settle
END

row idle 1 'preemption by suspending' <<'END'
job x -p low -N16 -c32
runs x
job a tp=8 -N4 -c48 --gpus-per-node=4
runs a
settle
cancel a
runs x
END

row idle 2 'requeue' <<'END'
job a tp=8 --requeue -N2 --gpus-per-node=8
runs a
ctl requeue @a
settle
show
ctl update jobid=@a starttime=now
runs a
job b tp=8 --no-requeue -N2 --gpus-per-node=8
runs b
ctl requeue @b
END

row idle 2 'suspend and resume' <<'END'
job a tp=8 -N12 -c64 --gpus-per-node=8
runs a
ctl suspend @a
stops a
show
alloc b tp=4 -N1 --gpus-per-node=4
ctl resume @a
runs a b
END

row idle 3 'shrink' <<'END'
job a tp=8 -N4 --gpus-per-node=8
runs a
ctl update jobid=@a numnodes=2
show
alloc b tp=8 -w n[05-08] -N4 --gpus-per-node=8
ctl update jobid=@b nodelist=n[06-07]
show
alloc c tp=8 -N8 --gpus-per-node=8
runs a b c
END

row idle 3 'update of pending jobs' <<'END'
job a tp=8 -H -N2 --gpus-per-node=8
job b tp=8 -H -N2 --gpus-per-node=8
job c tp=8 -H -N2 --gpus-per-node=8
ctl update jobid=@a numnodes=3
ctl update jobid=@b nodelist=n[06-07] excnodelist=n01
ctl update jobid=@c features=b partition=side timelimit=5
ctl update jobid=@c comment=leafspine:tp=4
ctl update jobid=@a numnodes=99
show
ctl release @a
ctl release @b
ctl release @c
runs a b c
END

row idle 1 'an update of running jobs' <<'END'
job a tp=8 -N2 --gpus-per-node=8
runs a
ctl update jobid=@a comment=leafspine:tp=3
ctl update jobid=@a timelimit=7
ctl update jobid=@a partition=side
ctl update jobid=@a numnodes=3
END

row idle 2 'drained nodes' <<'END'
alloc x -w n03 -N1 --gpus-per-node=2
ctl update nodename=n[01-03] state=drain reason=test
alloc a tp=8 -N4 --gpus-per-node=8
job b tp=8 -w n02 -N1 --gpus-per-node=8
alloc c tp=2 -N1 --gpus-per-node=2
waits b
show
ctl update nodename=n[01-03] state=resume
runs a b c
END

row idle 1 'nodes that are down' <<'END'
job x tp=8 --requeue -w n[05-06] -N2 --gpus-per-node=8
job y tp=8 --no-kill -w n[07-08] -N2 --gpus-per-node=8
runs x y
ctl update nodename=n[06,08,09] state=down reason=test
alloc a tp=8 -N7 -C fast --gpus-per-node=8
job b tp=8 -N12 -C fast --gpus-per-node=8
waits b
show
ctl update nodename=n[06,08,09] state=resume
END

row idle 1 'completing nodes' <<'END'
alloc x tp=8 -N12 --gpus-per-node=8
alloc y -N4 --gpus-per-node=8
job a tp=8 -N12 --gpus-per-node=8
job b tp=8 -N4 --gpus-per-node=8
waits a b
cancel x y
runs a b
END

row idle 2 'jobs end, and others come' <<'END'
job a tp=8 -N8 --gpus-per-node=8
job b tp=8 -N7 --gpus-per-node=8
job c tp=8 -N8 --gpus-per-node=8
runs a b
waits c
cancel a
runs c
order a b c
END

# Of one kind of nodes and all whole, so that no choice of nodes can keep a later
# job from starting.
row idle 12 'a seeded stream of jobs of whole nodes' <<'END'
RANDOM=22058
hints=(tp=8 tp=4 tp=1 tp=2,dp_bytes=1G tp=8,pp_bytes=1G)
for ((number = 101; number <= 121; number++)); do
	[ $((number % 7)) -ne 3 ] || close main
	job "j$number" "${hints[RANDOM % ${#hints[@]}]}" -C fast \
		-N$((RANDOM % 4 + 1)) --gpus-per-node=8
	[ $((number % 7)) -eq 2 ] || continue
	open main
	settle
	show
	close main
	for name in "${names[@]}"; do
		! all_are RUNNING "$name" || [ $((RANDOM % 3)) -eq 0 ] ||
			{ cancel "$name"; ends "$name"; }
	done
	await 'no node completes' no_job_moves
	open main
	settle
done
order "${names[@]}"
END
