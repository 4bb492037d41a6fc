# ns3 - the same permutation in the distribution's ns-3 (tests/bench/ns3/permutation.cc).
#
# Sourced by tests/bench/run.sh and size.sh after common.sh.
# shellcheck shell=bash disable=SC2154,SC2034

# sets $ns3 to the program, or to nothing
ns3_prepare() {
	ns3=
	[ "${NS3:-yes}" = no ] && ns3_why='was not asked for (NS3=no)' && return
	if [ ! -e /usr/include/ns3/core-module.h ] || ! command -v g++ >/dev/null; then
		ns3_why='is not installed (Debian: libns3-dev and g++), which only root can do'
		[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return
		ns3_why='could not be installed (Debian: libns3-dev and g++)'
		echo "installing ns-3"
		{ ns3_install || { apt-get update -q && ns3_install; }; } >"$out/log" 2>&1 || return
	fi
	ns3_why='does not compile here'
	echo "compiling tests/bench/ns3/permutation.cc"
	g++ -std=c++17 -O2 -Wall -Wextra -o "$out/ns3-permutation" tests/bench/ns3/permutation.cc \
		-lns3-core -lns3-network -lns3-internet -lns3-point-to-point >"$out/log" 2>&1 &&
		ns3=$out/ns3-permutation
}

ns3_install() {
	DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends libns3-dev g++
}

# simulated time so that a run takes a few seconds
measure_ns3() { # HOSTS
	[ -n "$ns3" ] || return
	case $1 in
	16) ns3_run "$1" udp 4 4 4 2000 && ns3_run "$1" device 4 4 4 4000 ;;
	128) ns3_run "$1" udp 16 8 8 200 && ns3_run "$1" device 16 8 8 400 ;;
	1024) ns3_run "$1" udp 32 32 32 20 && ns3_run "$1" device 32 32 32 40 ;;
	esac
}

ns3_run() { # HOSTS KIND LEAVES HOSTS_PER_LEAF SPINES MICROSECONDS
	local line

	group_make
	line=$(in_group "$ns3" "${@:2}") || fail "ns-3 with $1 hosts, $2: $line"
	group_end "memory_ns3_$2_$1"
	sample "ns3_$2_$1" "$(calculate "$(sed 's/.*hops=\([0-9]*\) cpu_s=\([0-9.]*\) .*/\1 \/ \2/' <<<"$line")" %.0f)"
}

# the texts of its assertions are in a library that was built with them
ns3_kind() {
	local library

	library=$(ldd "$ns3" | awk '/libns3.*network/ { print $3 }')
	printf '%s, built ' "$(dpkg-query -W -f 'version ${Version}' libns3-dev 2>/dev/null || echo 'version unknown')"
	grep -q 'assert failed' "$library" 2>/dev/null && printf 'with assertions' || printf 'without assertions'
}
