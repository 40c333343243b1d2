# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# slurm-prefix.sh: which Slurm is used: that of Debian's packages, or the one
# installed in the directory $LEAFSPINE_SLURM_PREFIX. Source it.

# slurm_path PATH: the same with Slurm's commands and daemons in it.
slurm_path() {
	local prefix=${LEAFSPINE_SLURM_PREFIX:-}

	echo "${prefix:+$prefix/bin:$prefix/sbin:}$1:/usr/sbin:/sbin"
}

# Where Slurm's own plugins are.
stock_plugin_dir() {
	local file

	if [ -z "${LEAFSPINE_SLURM_PREFIX:-}" ]; then
		dirname "$(dpkg -L slurm-wlm-basic-plugins |
			grep '/select_cons_tres\.so$')"
		return
	fi
	for file in "$LEAFSPINE_SLURM_PREFIX"/lib*/slurm/select_cons_tres.so; do
		[ -e "$file" ] && dirname "$file" && return
	done
	echo "no plugins of Slurm in $LEAFSPINE_SLURM_PREFIX" >&2
	return 1
}

# Its version as a number for comparisons: 2205, 2411.
slurm_release() {
	slurmctld -V | sed -nE 's/.* ([0-9]+)\.([0-9]+).*/\1\2/p'
}

# Where headers and builds of Slurm are kept: for daemons of other users, too, who
# could not enter root's own.
default_cache() {
	if [ "$(id -u)" -eq 0 ]; then
		echo /var/cache/leafspine
	else
		echo "${XDG_CACHE_HOME:-$HOME/.cache}/leafspine"
	fi
}

# The packages that the Slurm in use needs: a prefix brings all but munge.
slurm_packages() {
	[ -n "${LEAFSPINE_SLURM_PREFIX:-}" ] ||
		echo slurmctld slurmd slurm-client slurm-wlm-basic-plugins
	echo munge
}
