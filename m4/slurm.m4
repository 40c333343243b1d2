# SPDX-License-Identifier: GPL-2.0-or-later

# LS_SLURM
# --with-slurm-source=DIR: Slurm's private headers, with the two that its build
# generates (contrib/slurm-source fetches them). Without it no plugin is built.
# Sets SLURM_CPPFLAGS, SLURM_VERSION, SLURM_API (the YY_MM of the sources to
# choose) and the condition SLURM_PLUGINS. SLURM_TESTS with SLURM_LIBRARY: Slurm's
# own library, which tests of the plugins need, is there in just that version.
# --with-slurm-prefix=DIR: not Debian's, but the Slurm installed there. Sets
# SLURM_PLUGIN_DIR to where its plugins are, with that option alone.
AC_DEFUN([LS_SLURM], [
	AC_ARG_WITH([slurm-source],
		[AS_HELP_STRING([--with-slurm-source=DIR],
			[build the Slurm plugins with the headers in DIR, as
			 contrib/slurm-source fetches them])],
		[], [with_slurm_source=no])
	AC_ARG_WITH([slurm-prefix],
		[AS_HELP_STRING([--with-slurm-prefix=DIR],
			[the Slurm that is installed in DIR, as
			 contrib/slurm-build prints it, for the tests])],
		[], [with_slurm_prefix=no])
	SLURM_PLUGIN_DIR=
	AS_CASE([$with_slurm_prefix],
		[no], [],
		[/*], [LS_SLURM_PREFIX],
		[AC_MSG_ERROR([--with-slurm-prefix: expected an absolute directory])])
	AC_SUBST([SLURM_PLUGIN_DIR])
	SLURM_CPPFLAGS= SLURM_VERSION= SLURM_API= SLURM_LIBRARY=
	AS_CASE([$with_slurm_source],
		[no], [],
		[yes | ''], [AC_MSG_ERROR([--with-slurm-source: expected a directory, such as
contrib/slurm-source prints])],
		[LS_SLURM_LOOK])
	AC_SUBST([SLURM_CPPFLAGS])
	AC_SUBST([SLURM_VERSION])
	AC_SUBST([SLURM_API])
	AC_SUBST([SLURM_LIBRARY])
	AM_CONDITIONAL([SLURM_PLUGINS], [test -n "$SLURM_API"])
	AM_CONDITIONAL([SLURM_TESTS], [test -n "$SLURM_LIBRARY"])
])

AC_DEFUN([LS_SLURM_PREFIX], [
	for ls_file in "$with_slurm_prefix"/lib*/slurm/select_cons_tres.so; do
		AS_IF([test -r "$ls_file"],
			[SLURM_PLUGIN_DIR=`dirname "$ls_file"`])
	done
	AS_IF([test -z "$SLURM_PLUGIN_DIR"],
		[AC_MSG_ERROR([--with-slurm-prefix: no Slurm in $with_slurm_prefix,
expected lib/slurm/select_cons_tres.so])])
])

AC_DEFUN([LS_SLURM_LOOK], [
	AC_MSG_CHECKING([for Slurm's headers])
	for ls_file in config.h slurm/slurm_version.h slurm/spank.h \
		src/slurmctld/slurmctld.h; do
		AS_IF([test ! -r "$with_slurm_source/$ls_file"],
			[AC_MSG_RESULT([no])
			 AC_MSG_ERROR([--with-slurm-source: no $ls_file in
$with_slurm_source. contrib/slurm-source fetches them])])
	done
	ls_slurm=`cd "$with_slurm_source" && pwd`
	[ls_number=`sed -n 's/^#define SLURM_VERSION_NUMBER 0x0*\([0-9a-f]*\).*/\1/p' \
		"$ls_slurm/slurm/slurm_version.h"`]
	AS_CASE([$ls_number],
		[1605??], [SLURM_API=22_05],
		[AC_MSG_RESULT([version 0x$ls_number])
		 AC_MSG_ERROR([no plugin for this Slurm version; known: 22.05])])
	[SLURM_VERSION=`echo "$ls_number" |
		sed 's/^\(..\)\(..\)\(..\)$/0x\1 0x\2 0x\3/'`]
	SLURM_VERSION=`printf '%d.%02d.%d' $SLURM_VERSION`
	# As a system directory: its headers are not ours to warn about.
	SLURM_CPPFLAGS="-isystem $ls_slurm"
	AC_MSG_RESULT([$SLURM_VERSION, $ls_slurm])
	AC_MSG_CHECKING([for libslurmfull of that version])
	AS_IF([test -n "$SLURM_PLUGIN_DIR"],
		[set "$SLURM_PLUGIN_DIR/libslurmfull.so"],
		[set /usr/lib/*/slurm-wlm/libslurmfull.so \
			/usr/lib*/slurm/libslurmfull.so])
	for ls_file; do
		AS_IF([test -r "$ls_file" &&
			grep -qF "$SLURM_VERSION" "$ls_file"],
			[ls_dir=`dirname "$ls_file"`
			 SLURM_LIBRARY="-L$ls_dir -lslurmfull -Wl,-rpath,$ls_dir"])
	done
	AC_MSG_RESULT([${SLURM_LIBRARY:-no, the tests that need it are left out}])
])
