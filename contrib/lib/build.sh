# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# build.sh: builds leafspine in directories of its own. Source it.

# Read by the scripts that source this.
# shellcheck disable=SC2034
build_packages=(gcc libc6-dev binutils make autoconf automake libtool
	pkg-config libjansson-dev libyaml-dev)

# make_configure ROOT: only when what configure is made of has changed.
make_configure() {
	local root=$1 input

	for input in configure.ac Makefile.am VERSION m4/leafspine.m4 \
		m4/slurm.m4; do
		if [ "$root/$input" -nt "$root/configure" ] ||
			[ "$root/$input" -nt "$root/Makefile.in" ]; then
			"$root/autogen.sh"
			return
		fi
	done
}

# configured_here ROOT DIRECTORY [CONFIGURE-OPTION...]: true when DIRECTORY was
# configured there, with these options, by ROOT's configure as it is now.
configured_here() {
	local root=$1 directory=$2
	shift 2

	[ -f "$directory/Makefile" ] &&
		[ "$(cat "$directory/configured-with" 2>&1)" = "$*" ] &&
		[ ! "$root/configure" -nt "$directory/config.status" ] &&
		grep -qF "ac_pwd='$directory'" "$directory/config.status"
}

# configure_tree ROOT DIRECTORY [CONFIGURE-OPTION...]: what lies there from
# another place, another configure or other options is thrown away.
configure_tree() {
	local root=$1 directory=$2

	make_configure "$root" || return
	configured_here "$@" && return
	shift 2
	rm -rf "$directory"
	mkdir -p "$directory"
	(cd "$directory" && "$root/configure" "$@") || return
	echo "$*" >"$directory/configured-with"
}

# build_program ROOT DIRECTORY [CONFIGURE-OPTION...]: quick when nothing has
# changed. What it says goes to DIRECTORY.log, and to stderr when it fails.
build_program() {
	local directory=$2

	mkdir -p "$directory"
	if ! {
		configure_tree "$@" && make -C "$directory" -j "$(nproc)"
	} >"$directory.log" 2>&1 </dev/null; then
		tail -n 30 "$directory.log" >&2
		echo "the build failed, see $directory.log" >&2
		return 1
	fi
}
