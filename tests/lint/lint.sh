# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# lint.sh: what the lint tests share. Source it first.
#
# Each lint test reads the tree under $srcdir (default: the one that it lies
# in), prints one line a fault, `FILE:LINE: what`, and exits 1 when there was
# one; 77 when a tool that it needs is missing.
set -u
LC_ALL=C
export LC_ALL

srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd) || exit 99
cd "$srcdir" || exit 99

# Folders with files of ours; a build may lie beside them.
lint_folders() {
	for folder in .ci src topology tests contrib doc m4; do
		[ -d "$folder" ] && echo "$folder"
	done
}

# lint_files FIND-EXPRESSION...: files of ours that match, one a line. A build
# in the source tree leaves .deps, .libs and logs behind: not ours.
lint_files() {
	# Folders have no spaces: split on purpose.
	# shellcheck disable=SC2046
	find $(lint_folders) -name '.?*' ! -name .ci -prune -o \
		-type f \( "$@" \) -print | sort
}

lint_c_files() {
	lint_files -name '*.[ch]'
}

# Shell scripts, known by their first line or their name, those in the top
# folder included.
lint_shell_scripts() {
	{
		[ -f autogen.sh ] && echo autogen.sh
		lint_files ! -name '*.o' ! -name '*.json' ! -name '*.log'
	} | while read -r file; do
		case $file in
		*.sh | *.bats) echo "$file" ;;
		*.[ch] | *.md | *.trs) ;;
		*)
			head -c 64 "$file" | head -n 1 | tr -d '\0' |
				grep -Eq '^#! ?/(usr/)?bin/(env )?(ba|da)?sh' &&
				echo "$file"
			;;
		esac
	done
}

lint_need() {
	command -v "$1" >/dev/null && return
	echo "$1 is not installed (Debian: ${2:-$1})"
	exit 77
}

# lint_finish FAULTS: prints them, exits.
lint_finish() {
	[ -z "$1" ] && exit 0
	printf '%s\n' "$1"
	exit 1
}
