#!/usr/bin/env bash
# test_make - several goals of one `make` do not build the same files at once; programs need no
# package of tests.
#
# In the place of the makes that goals start stands a program that fails, after it has looked
# whether another one runs. Nothing is built.
set -u
. "$(dirname "$0")/common.sh"

cat >"$scratch/make" <<END
#!/bin/sh
echo "\$*" >>"$scratch/calls"
mkdir "$scratch/busy" || touch "$scratch/overlap"
sleep 0.5
rmdir "$scratch/busy"
exit 1
END
chmod +x "$scratch/make"

one_after_the_other() {
	(cd "$top" && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -k -j8 MAKE="$scratch/make" PACKAGES= TEST_PACKAGES= \
		CLANG_PACKAGES= BENCH_PACKAGES= check tsan fuzz all) >"$scratch/out" 2>&1
	[ "$(wc -l <"$scratch/calls")" = 4 ] || { cat "$scratch/out" "$scratch/calls"; return 1; }
	[ ! -e "$scratch/overlap" ]
}

# a package of Heddle is built where Check is not installed (debian/control)
without_check() {
	(cd "$top" && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -nB PROFILE="$scratch/profile" programs) >"$scratch/out" 2>&1 || return
	grep -q "$scratch/profile/sim_frames" "$scratch/out" && grep -q ' -o build/release/workerd ' "$scratch/out" &&
		! grep -E 'tests/testing|check\.h|-lcheck' "$scratch/out"
}

check "four goals, four makes, one after the other" one_after_the_other
check "no program needs Check, the profile neither" without_check
finish
