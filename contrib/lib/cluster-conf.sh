# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# cluster-conf.sh: writes the files of a private Slurm cluster. Source it from
# contrib/cluster, which sets the variables used here.

# The name or path, which need not exist, seen from the root directory.
absolute() {
	case $1 in
	/*) echo "$1" ;;
	*) echo "$PWD/$1" ;;
	esac
}

# Ports that somebody listens on or uses now, one a line.
used_ports() {
	local local_address rest

	while read -r _ local_address rest; do
		[[ $local_address == *:* ]] && echo "$((16#${local_address##*:}))"
	done < <(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null)
}

# free_ports COUNT: the first of COUNT free ports in a row, drawn at random
# below the ports that the kernel hands out by itself.
free_ports() {
	local count=$1 highest base port used try
	declare -A used

	for port in $(used_ports); do used[$port]=1; done
	read -r highest _ </proc/sys/net/ipv4/ip_local_port_range
	[ "$highest" -gt $((10000 + count)) ] || highest=32768
	for ((try = 0; try < 1000; try++)); do
		base=$((10000 + (RANDOM * 32768 + RANDOM) %
			(highest - 10000 - count)))
		for ((port = base; port < base + count; port++)); do
			[ -z "${used[$port]:-}" ] || continue 2
		done
		echo "$base"
		return 0
	done
	die "no $count free ports in a row"
}

# What the host's own name stands for, if that is a loopback address: then the
# daemons can be told to listen there and nowhere else.
loopback_address() {
	getent ahostsv4 "$(hostname)" | awk '$1 ~ /^127\./ { print $1; exit }'
}

# A fabric of two tiers with --nodes, --leaf, --spines and --gpus.
write_fabric() {
	local width=${#nodes} first last number=0 separator=''

	[ "$width" -ge 2 ] || width=2
	printf '{"fabric": "private", "nodes": [\n\t{"names": "n[%0*d-%0*d]", ' \
		"$width" 1 "$width" "$nodes"
	printf '"gpus": %d}\n], "switches": [' "$gpus"
	for ((first = 1; first <= nodes; first += leaf)); do
		last=$((first + leaf - 1))
		[ "$last" -le "$nodes" ] || last=$nodes
		number=$((number + 1))
		printf '%s\n\t{"name": "leaf%d", "tier": "leaf", ' \
			"$separator" "$number"
		printf '"nodes": "n[%0*d-%0*d]", "uplinks": [{"to": ' \
			"$width" "$first" "$width" "$last"
		printf '"spine[1-%d]", "gbps": 400, "count": %d}]}' \
			"$spines" $(((leaf * gpus + spines - 1) / spines))
		separator=,
	done
	printf ',\n\t{"name": "spine[1-%d]", "tier": "spine"}\n]}\n' "$spines"
}

fabric_lines() {	# nodes | topology
	case $fabric in
	*.conf) fabric_conf_lines "$1" ;;
	*) jq -r --arg what "$1" -f "$here/lib/fabric-slurm.jq" "$fabric" ;;
	esac
}

# A fabric that is a topology.conf is taken as it stands.
fabric_conf_lines() {
	local names

	[ "$1" = nodes ] || { cat "$fabric"; return; }
	names=$(sed -n 's/#.*//; s/.*[[:space:]][Nn]odes=\([^[:space:]]*\).*/\1/p' \
		"$fabric" | paste -sd,)
	jq -n --arg names "$names" --argjson gpus "$gpus" \
		'{nodes: [{names: $names, gpus: $gpus}]}' |
		jq -r --arg what nodes -f "$here/lib/fabric-slurm.jq"
}

# NodeName lines with one port a node, or one for all where no slurmd runs.
write_nodes() {
	local names count node_gpus port=$((ports + 1)) range gres

	while read -r names count node_gpus; do
		gres=''
		[ "$node_gpus" -eq 0 ] || gres="Gres=gpu:$gpu_type:$node_gpus"
		range=$port
		if [ -n "$real" ]; then
			range="[$port-$((port + count - 1))]"
			port=$((port + count))
		fi
		echo "NodeName=$names NodeHostname=$(hostname -s)" \
			"NodeAddr=$address Port=$range $gres"
	done <"$dir/etc/nodes"
}

write_gres() {
	local names node_gpus

	while read -r names _ node_gpus; do
		[ "$node_gpus" -gt 0 ] || continue
		printf 'NodeName=%s Name=gpu Type=%s File=%s/dev/gpu[0-%d]\n' \
			"$names" "$gpu_type" "$dir" $((node_gpus - 1))
	done <"$dir/etc/nodes"
}

# What differs between Slurm's versions. Up to 23.02 what is not wanted is
# "none"; from 23.11 on it is left out. From 24.05 on slurmd wants cgroups where
# it is not told to do without.
write_version_conf() {
	local release

	release=$(slurm_release)
	if [ "$release" -lt 2311 ]; then
		echo TaskPlugin=task/none
		echo JobAcctGatherType=jobacct_gather/none
	fi
	[ "$release" -lt 2405 ] ||
		echo CgroupPlugin=disabled >"$dir/etc/cgroup.conf"
	# No topology has had three names; all versions take its absence.
	[ "$topology" = none ] || echo "TopologyPlugin=topology/$topology"
}

write_daemons_conf() {
	cat <<-END
	ClusterName=private
	SlurmctldHost=$(hostname -s)($address)
	SlurmctldPort=$ports
	AuthType=auth/munge
	AuthInfo=socket=$dir/munge/socket
	CredType=cred/munge
	SlurmUser=$slurm_user
	SlurmdUser=$(id -un)
	StateSaveLocation=$dir/state
	SlurmdSpoolDir=$dir/spool/%n
	SlurmctldPidFile=$dir/run/slurmctld.pid
	SlurmdPidFile=$dir/run/slurmd.%n.pid
	SlurmctldLogFile=$dir/log/slurmctld.log
	SlurmdLogFile=$dir/log/slurmd.%n.log
	SlurmctldDebug=$log_level
	SlurmdDebug=info
	PluginDir=${plugin:+$plugin:}$(stock_plugin_dir)
	PlugStackConfig=$dir/etc/plugstack.conf
	ProctrackType=proctrack/linuxproc
	MpiDefault=none
	MailProg=/bin/true
	END
	[ -z "$loopback" ] ||
		echo "CommunicationParameters=NoInAddrAny,NoCtldInAddrAny"
}

write_scheduling_conf() {
	cat <<-END
	ReturnToService=2
	SlurmdTimeout=0
	InactiveLimit=0
	KillWait=2
	TreeWidth=$([ -n "$real" ] && echo 50 || echo 1)
	SchedulerType=sched/backfill
	SchedulerParameters=bf_interval=2,bf_continue
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core_Memory
	GresTypes=gpu
	SlurmdParameters=config_overrides
	DefMemPerCPU=1000
	NodeName=DEFAULT CPUs=64 Boards=1 SocketsPerBoard=2 CoresPerSocket=32 \\
	ThreadsPerCore=1 RealMemory=512000 State=UNKNOWN
	END
	write_nodes
	echo 'PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP'
}

write_plugin_conf() {
	printf 'optional %s/spank_leafspine.so\n' "$plugin" \
		>"$dir/etc/plugstack.conf"
	{
		printf 'Fabric=%s\n' "$fabric"
		[ ${#leafspine_conf[@]} -eq 0 ] ||
			printf '%s\n' "${leafspine_conf[@]}"
	} >"$dir/etc/leafspine.conf"
}

# All files of $dir/etc and the empty files that stand for GPUs.
write_conf() {
	local node_gpus most=0 index

	mkdir -p "$dir"/{etc,dev,state,spool,run,log,munge}
	if [ -z "$fabric" ]; then
		fabric=$dir/etc/fabric.json
		write_fabric >"$fabric"
	fi
	fabric_lines nodes >"$dir/etc/nodes" || die "cannot read $fabric"
	[ "$topology" = none ] || fabric_lines topology >"$dir/etc/topology.conf"
	while read -r _ _ node_gpus; do
		[ "$node_gpus" -le "$most" ] || most=$node_gpus
	done <"$dir/etc/nodes"
	for ((index = 0; index < most; index++)); do
		: >"$dir/dev/gpu$index"
	done
	write_gres >"$dir/etc/gres.conf"
	: >"$dir/etc/plugstack.conf"
	[ -z "$plugin" ] || write_plugin_conf
	{
		write_daemons_conf
		write_version_conf
		write_scheduling_conf
		[ -z "$accounting" ] || write_accounting_conf
		[ ${#conf[@]} -eq 0 ] || printf '%s\n' "${conf[@]}"
	} >"$dir/etc/slurm.conf"
	chmod 0755 "$dir" "$dir"/{etc,dev,spool,run,log,munge}
	chown "$slurm_user" "$dir"/{state,run,log}
}
