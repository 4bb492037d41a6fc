# ratios - ratios of one run beside those that the repository keeps (SC-9).
#
# Sourced by tests/bench/size.sh and hosts.sh after common.sh. Each has measure_all(), which adds
# samples of `runs` more rounds, and all_ratios(), which prints a line NAME VALUE for each ratio;
# more is better.
#
# Absolute figures differ from machine to machine and from hour to hour. Ratios of one run hardly
# differ on machines of one kind, but much from one processor to another, whose caches differ. So
# tests/bench/ratios/ has files for each kind of machine. `make bench-check` (CHECK=yes) compares
# with those of this machine, and fails if a ratio is worse by more than 15 %, also by the medians
# of twice as many runs, or if there is no such file. `make bench-keep` (KEEP=yes) writes them.
# shellcheck shell=bash disable=SC2154,SC2034

# the first of the two medians as a multiple of the second; - without either
ratio() { # FIGURE FIGURE
	calculate "$(median "$1") / $(median "$2")" %.3f
}

# ends the script if there is nothing to compare with
ratios_begin() { # PART
	local machine

	machine=$(awk -F '[ \t]*: ' '/^(vendor_id|cpu family|model)[ \t]*:/ && !seen[$1]++ { printf "%s-", $2 }' /proc/cpuinfo)$(nproc)c
	kept=tests/bench/ratios/$machine-$1.json
	ratios=build/bench/ratios-$1.json
	[ "${CHECK:-}" = yes ] && [ ! -e "$kept" ] || return 0
	echo "no ratios are kept for this kind of machine ($kept); kept: $(cd tests/bench/ratios && echo *.json)"
	echo "'make bench-keep' keeps those of this commit"
	exit 2
}

# what was measured: written, and kept or compared as CHECK and KEEP say. Sets $broken
ratios_end() {
	ratios_write
	# Other programs may disturb a few runs by more than 15 %: what is worse is judged
	# by the medians of twice as many.
	if [ "${CHECK:-}" = yes ] && ! ratios_compare; then
		echo 'a ratio is worse: as many runs again, all are judged together'
		measure_all
		ratios_write
		ratios_compare || broken=1
	fi
	[ "${KEEP:-}" != yes ] || cp "$ratios" "$kept"
}

ratios_write() {
	all_ratios | awk '
		BEGIN { print "{" }
		$2 != "-" { printf "%s  \"%s\": %s", n++ ? ",\n" : "", $1, $2 }
		END { print "\n}" }' >"$ratios"
}

# is no ratio that the repository keeps worse by more than 15 %? One that was not measured here is
# named and not judged.
ratios_compare() {
	awk '
		{ gsub(/[",:{}]/, " ") }
		NF < 2 { next }
		FILENAME == ARGV[1] { now[$1] = $2; next }
		!($1 in now) { printf "%-30s kept %7.3f  not measured here\n", $1, $2; next }
		{
			worse = now[$1] < 0.85 * $2
			printf "%-30s kept %7.3f  now %7.3f  %s\n", $1, $2, now[$1], worse ? "WORSE by more than 15 %" : "ok"
			failed += worse
		}
		END { exit failed > 0 }' "$ratios" "$kept"
}
