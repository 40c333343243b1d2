# SPDX-License-Identifier: GPL-2.0-or-later

# LS_ADD_CFLAGS(VARIABLE, FLAGS)
# Appends to VARIABLE those FLAGS that the compiler takes without a complaint.
AC_DEFUN([LS_ADD_CFLAGS], [
	ls_saved_cflags=$CFLAGS
	for ls_flag in m4_normalize([$2]); do
		AC_MSG_CHECKING([whether $CC takes $ls_flag])
		# clang only warns of flags that it does not know.
		CFLAGS="$ls_saved_cflags -Werror $ls_flag"
		AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
			[AC_MSG_RESULT([yes])
			 $1="$[]$1 $ls_flag"],
			[AC_MSG_RESULT([no])])
	done
	CFLAGS=$ls_saved_cflags
])

# LS_SANITIZERS
# --enable-sanitizers: address and undefined behaviour, the first find is fatal.
AC_DEFUN([LS_SANITIZERS], [
	AC_ARG_ENABLE([sanitizers],
		[AS_HELP_STRING([--enable-sanitizers],
			[build with the address and undefined-behaviour
			 sanitizers])],
		[], [enable_sanitizers=no])
	SANITIZER_CFLAGS=
	AS_IF([test "x$enable_sanitizers" != xno], [
		SANITIZER_CFLAGS="-fsanitize=address,undefined"
		SANITIZER_CFLAGS="$SANITIZER_CFLAGS -fno-sanitize-recover=all"
		SANITIZER_CFLAGS="$SANITIZER_CFLAGS -fno-omit-frame-pointer"
		AC_MSG_CHECKING([whether the sanitizers work])
		ls_saved_cflags=$CFLAGS
		CFLAGS="$CFLAGS $SANITIZER_CFLAGS"
		AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
			[AC_MSG_RESULT([yes])],
			[AC_MSG_RESULT([no])
			 AC_MSG_ERROR([--enable-sanitizers: $CC cannot link
with $SANITIZER_CFLAGS (Debian: libgcc-12-dev, or libclang-rt-14-dev for clang)])])
		CFLAGS=$ls_saved_cflags
	])
	AC_SUBST([SANITIZER_CFLAGS])
])

# LS_NEED_MODULE(VARIABLE, MODULE, VERSION, DEBIAN-PACKAGE, WHAT-FOR)
# A library that pkg-config must know.
AC_DEFUN([LS_NEED_MODULE], [
	PKG_CHECK_MODULES([$1], [$2 >= $3], [],
		[AC_MSG_ERROR([$2 >= $3 not found, $5.
On Debian: apt-get install $4
Elsewhere: install its development files, or name their directory with
PKG_CONFIG_PATH. What pkg-config says: $$1_PKG_ERRORS])])
])
