#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes configure from configure.ac. Needs autoconf, automake, libtool and
# pkg-config (Debian's packages of these names).
set -eu
cd "$(dirname "$0")"
exec autoreconf --install --force
