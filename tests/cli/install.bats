#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# `make install`: what is installed is complete, works, and can be removed.

setup() {
	[ -f "${builddir:-.}/config.status" ] || skip 'needs a build tree'
	# Not those of the make that runs this test.
	unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES
	DESTDIR=$BATS_TEST_TMPDIR/root
	export DESTDIR
	make -s -C "${builddir:-.}" install >/dev/null
}

installed() {
	find "$DESTDIR" -type f -path "*$1" | grep -q .
}

@test "the program, its manuals and the fabrics are installed" {
	installed /bin/leafspine
	installed /man/man1/leafspine.1
	installed /man/man5/leafspine-fabric.5
	installed /man/man7/leafspine-parallelism.7
	installed /leafspine/topology/demo.json
	installed /leafspine/topology/schema/fabric.schema.json
}

@test "the installed program reads every installed fabric" {
	program=$(find "$DESTDIR" -path '*/bin/leafspine')
	fabrics=$(find "$DESTDIR" -path '*/topology/*.json' \
		! -path '*/schema/*' -o -path '*/topology/*.conf')
	[ -n "$fabrics" ]
	for fabric in $fabrics; do
		"$program" check "$fabric"
	done
}

@test "make uninstall leaves no file" {
	make -s -C "${builddir:-.}" uninstall >/dev/null
	run find "$DESTDIR" -type f
	[ -z "$output" ]
}
