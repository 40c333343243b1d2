# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# packages.sh: installs what is missing from Debian's archive. Source it.

# True when the package is installed and configured.
package_installed() {
	[ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null)" = 'ii ' ]
}

# need_packages PACKAGE...: installs those that are missing, and says which. A
# machine that has them all needs neither root nor a network.
need_packages() {
	local missing sudo=()

	if ! command -v dpkg-query >/dev/null; then
		echo "not a Debian machine: have these installed: $*" >&2
		return 0
	fi
	find_missing "$@"
	[ ${#missing[@]} -eq 0 ] && return 0
	if [ "$(id -u)" -ne 0 ]; then
		if ! command -v sudo >/dev/null; then
			echo "install first, as root: ${missing[*]}" >&2
			return 1
		fi
		sudo=(sudo)
	fi
	# Two runs side by side: the second finds installed what the first did.
	(
		flock 9
		find_missing "$@"
		[ ${#missing[@]} -eq 0 ] || install_missing
	) 9>"/var/lock/leafspine-packages.$(id -u).lock"
}

# Sets need_packages' `missing`.
find_missing() {
	local package

	missing=()
	for package in "$@"; do
		package_installed "$package" || missing+=("$package")
	done
}

# Package lists may be absent (a fresh image) or too old: updated only then, and
# a mirror or another user of apt gets a second chance.
install_missing() {
	local try

	echo "installing ${missing[*]}" >&2
	install_packages "${missing[@]}" 2>/dev/null && return
	for try in 1 2 3; do
		[ "$try" -gt 1 ] && sleep 10
		"${sudo[@]}" apt-get -qq update >&2 9>&- || continue
		install_packages "${missing[@]}" && return
	done
	return 1
}

install_packages() {
	"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
		-o DPkg::Lock::Timeout=300 --no-install-recommends \
		install "$@" >&2 9>&-
}
