# SPDX-License-Identifier: GPL-2.0-or-later
# allocations: looks for what must never be: a GPU or a core that two running
# jobs hold, a node that holds more than it has, a node that is lost, and, where
# no job started or ended meanwhile, a node whose sums are not those of its jobs.
#
#   awk -f allocations.awk nodes=64 restarted=0 JOBS NODES JOBS
#
# A job that starts in the first seconds after a restart, while stock Slurm
# 22.05 takes GPUs that are in use for used twice, may get fewer indices than
# GPUs: scontrol then shows GRES=gpu:TYPE:0(IDX:). With RESTARTED=1 a node may
# therefore have more GPUs in use than its running jobs have indices.
#
# JOBS and NODES as by `scontrol -d -o show job|node`. One line for each fault,
# then "compared" where the sums could be compared, and "seen N jobs".

function fault(text) {
	print "fault: " text
	faults++
}

# Adds 1 for each number in a list as 0-2,5; KEY names the owner of the numbers.
function take(list, what, node, job,   parts, ends, n, i, k, key) {
	n = split(list, parts, ",")
	for (i = 1; i <= n; i++) {
		if (split(parts[i], ends, "-") == 1)
			ends[2] = ends[1]
		for (k = ends[1] + 0; k <= ends[2] + 0; k++) {
			key = what " " k " of " node
			if (key in owner)
				fault(key ": jobs " owner[key] " and " job)
			owner[key] = job
			sum[what, node]++
		}
	}
}

# Fills name[] with those of a hostlist of one prefix, n[01-03,07] or n05.
function expand(hosts,   prefix, inner, parts, ends, n, i, k, count, width) {
	if (hosts !~ /\[/) {
		name[1] = hosts
		return 1
	}
	prefix = inner = hosts
	sub(/\[.*/, "", prefix)
	sub(/.*\[/, "", inner)
	sub(/\].*/, "", inner)
	n = split(inner, parts, ",")
	for (i = 1; i <= n; i++) {
		if (split(parts[i], ends, "-") == 1)
			ends[2] = ends[1]
		width = length(ends[1])
		for (k = ends[1] + 0; k <= ends[2] + 0; k++)
			name[++count] = sprintf("%s%0" width "d", prefix, k)
	}
	return count
}

function value_of(field) {
	sub(/^[^=]*=/, "", field)
	return field
}

# All pieces of one running job: Nodes=... CPU_IDs=... Mem=... GRES=...
function take_job(job,   i, k, count, gpus) {
	for (i = 1; i <= NF; i++) {
		if ($i ~ /^Nodes=/)
			count = expand(value_of($i))
		else if ($i ~ /^CPU_IDs=/)
			for (k = 1; k <= count; k++)
				take(value_of($i), "cpu", name[k], job)
		else if ($i ~ /^GRES=gpu:.*IDX:/) {
			gpus = $i
			sub(/.*IDX:/, "", gpus)
			sub(/\).*/, "", gpus)
			for (k = 1; k <= count; k++)
				take(gpus, "gpu", name[k], job)
		}
	}
	seen++
}

FNR == 1 { file++ }

file != 2 && / JobState=RUNNING / {
	job = value_of($1)
	if (file == 1)
		take_job(job)
	match($0, / StartTime=[^ ]*/)
	running[file] = running[file] job substr($0, RSTART, RLENGTH) ";"
}

file == 2 {
	node = value_of($1)
	table[++node_count] = node
	for (i = 2; i <= NF; i++) {
		key = $i
		sub(/=.*/, "", key)
		value[node, key] = value_of($i)
	}
}

END {
	if (node_count != nodes)
		fault(node_count " nodes, not " nodes)
	for (i = 1; i <= node_count; i++) {
		node = table[i]
		gpus = value[node, "GresUsed"]
		sub(/\(.*/, "", gpus)
		sub(/.*:/, "", gpus)
		used[node] = gpus + 0
		if (used[node] > 8)
			fault(node ": " used[node] " GPUs of 8 in use")
		if (value[node, "CPUAlloc"] + 0 > value[node, "CPUTot"] + 0)
			fault(node ": CPUAlloc=" value[node, "CPUAlloc"])
		if (value[node, "AllocMem"] + 0 > value[node, "RealMemory"] + 0)
			fault(node ": AllocMem=" value[node, "AllocMem"])
		if (value[node, "State"] !~ /^(IDLE|MIXED|ALLOCATED)(\+COMPLETING|\+PLANNED)*$/)
			fault(node ": State=" value[node, "State"])
		if (running[1] != running[3])
			continue
		more = used[node] - sum["gpu", node]
		if (more < 0 || (more > 0 && !restarted))
			fault(node ": GresUsed=" value[node, "GresUsed"] \
				", its jobs have " sum["gpu", node] + 0)
		if (value[node, "CPUAlloc"] != sum["cpu", node] + 0)
			fault(node ": CPUAlloc=" value[node, "CPUAlloc"] \
				", its jobs have " sum["cpu", node] + 0)
	}
	if (running[1] == running[3])
		print "compared"
	print "seen " seen + 0 " jobs"
	exit (faults > 0)
}
