# SPDX-License-Identifier: GPL-2.0-or-later
# semantics-show.awk: lines of `scontrol -d -o show job` as what two clusters
# may be compared by: not which nodes, but how many, of what, and whether they
# lie where they must.
#   -v name=NAME      what the row calls the job
#   -v loaded=yes     how many GPUs a node gives may differ, their sum may not
#   ARGV[1]           sets: "partition|reservation NAME HOSTLIST" lines

# "n[01-03,07],m1" as keys of set.
function expand(list, set,	part, head, body, ranges, i, count, k, from, to)
{
	delete set
	while (match(list, /[^,\[]+(\[[^\]]*\])?/)) {
		part = substr(list, RSTART, RLENGTH)
		list = substr(list, RSTART + RLENGTH)
		if (!match(part, /\[/)) {
			if (part != "(null)")
				set[part]
			continue
		}
		head = substr(part, 1, RSTART - 1)
		body = substr(part, RSTART + 1, length(part) - RSTART - 1)
		count = split(body, ranges, ",")
		for (i = 1; i <= count; i++) {
			from = to = ranges[i]
			sub(/-.*/, "", from)
			sub(/.*-/, "", to)
			for (k = from + 0; k <= to + 0; k++)
				set[head sprintf("%0*d", length(from), k)]
		}
	}
}

function size(set,	key, count)
{
	for (key in set)
		count++
	return count + 0
}

function common(a, b,	key, count)
{
	for (key in a)
		if (key in b)
			count++
	return count + 0
}

# The value of the first KEY=VALUE.
function value(key,	text)
{
	if (!match($0, "(^| )" key "=[^ ]*"))
		return ""
	text = substr($0, RSTART, RLENGTH)
	sub(/^[^=]*=/, "", text)
	return text
}

# "h100" where the job asks for GPUs of a kind; else the kind may differ.
function kind(text)
{
	if ($0 !~ /TresPer[A-Za-z]*=gres:gpu:[a-z]/)
		return "gpu"
	sub(/:.*/, "", text)
	return text
}

# GPUs by node, "gpu:8x2 gpu:4x1"; with `loaded` their sum, "gpu=20".
function gpus(	rest, text, set, count, each, by, sum, line, keys, i)
{
	rest = $0
	while (match(rest, / Nodes=[^ ]* CPU_IDs=[^ ]* Mem=[^ ]* GRES=[^ ]*/)) {
		text = substr(rest, RSTART + 1, RLENGTH - 1)
		rest = substr(rest, RSTART + RLENGTH)
		split(text, keys, " ")
		expand(substr(keys[1], 7), set)
		count = size(set)
		if (keys[4] !~ /=gpu:/)
			continue
		text = substr(keys[4], 6)
		sub(/^gpu:/, "", text)
		sub(/\(.*/, "", text)
		each = text
		sub(/.*:/, "", each)
		text = kind(text)
		sum[text] += count * each
		by[text ":" each] += count
	}
	if (loaded) {
		for (text in sum)
			line = line " " text "=" sum[text]
		return line
	}
	count = 0
	for (text in by)
		keys[++count] = text "x" by[text]
	for (i = 2; i <= count; i++)
		for (each = i; each > 1 && keys[each] < keys[each - 1]; each--) {
			text = keys[each]
			keys[each] = keys[each - 1]
			keys[each - 1] = text
		}
	for (i = 1; i <= count; i++)
		line = line " " keys[i]
	return line
}

function member(label, list,	set)
{
	if (list == "" || list == "(null)")
		return
	expand(list, set)
	out = out sprintf(" %s=%d/%d", label, common(nodes, set), size(set))
}

# All of the job's nodes, and none but those.
function inside(label, list,	set)
{
	if (list == "" || list == "(null)")
		return
	expand(list, set)
	out = out sprintf(" in-%s=%s", label,
			  common(nodes, set) == size(nodes) ? "all" : "NOT ALL")
}

FNR == NR {
	sets[$1 " " $2] = $3
	next
}

/JobId=/ {
	out = name
	if (value("ArrayTaskId") != "")
		out = out "_" value("ArrayTaskId")
	if (value("HetJobOffset") != "")
		out = out "+" value("HetJobOffset")
	out = out ": " value("JobState")
	reason = value("Reason")
	sub(/^(Resources|Priority)$/, "waits", reason)
	if (value("JobState") == "PENDING")
		out = out " (" reason ")"
	out = out " nodes=" value("NumNodes") " cpus=" value("NumCPUs") \
		" tasks=" value("NumTasks") " tres=" value("TRES") \
		" restarts=" value("Restarts") " exit=" value("ExitCode")
	expand(value("NodeList"), nodes)
	if (size(nodes) && value("JobState") ~ /RUNNING|SUSPENDED/) {
		out = out " gpus:" gpus()
		member("required", value("ReqNodeList"))
		member("excluded", value("ExcNodeList"))
		inside("partition", sets["partition " value("Partition")])
		if (value("Reservation") != "")
			inside("reservation",
			       sets["reservation " value("Reservation")])
	}
	print out
}
