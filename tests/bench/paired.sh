# paired - variants of a run, taken in turn, and the ratio of each to the first: for a machine that
# other programs use too.
#
# What others take changes from second to second, so a variant is compared with the run of the first
# one in the same round; a ratio is the median of all rounds. CPU time is user and system time of
# all processes of the run. It says more than wall time where cores are shared, although busy caches
# make it grow too.
# Sourced by scripts that set `samples` (a folder), and define
# run_VARIANT(), which sets `wall` and `cpu` in ms.
# shellcheck shell=bash disable=SC2154,SC2034

# runs COMMAND, and sets `wall` and `cpu` of it and its children in ms
timed() { # COMMAND...
	local TIMEFORMAT='%R %U %S' times
	{ times=$({ time "$@" >"$samples/out" 2>"$samples/err" </dev/null; } 2>&1); } || return 1
	read -r wall cpu <<<"$(awk '{ printf "%d %d", $1 * 1000, ($2 + $3) * 1000 }' <<<"$times")"
}

# all VARIANTs, RUNS times; every round begins with another one of them
rounds() { # RUNS VARIANT...
	local runs=$1 round i variant
	shift
	for ((round = 0; round < runs; round++)); do
		for ((i = 0; i < $#; i++)); do
			variant=${*:(i + round) % $# + 1:1}
			"run_$variant" || { echo "$variant does not run:" >&2; cat "$samples/err" >&2; return 1; }
			echo "$wall" >>"$samples/$variant.wall"
			echo "$cpu" >>"$samples/$variant.cpu"
		done
	done
}

# median (least to most) of numbers, one a line
spread() { # FORMAT
	sort -g | awk -v format="$1" '{ v[NR] = $1 }
		END { printf format " (" format " to " format ")", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2, v[1], v[NR] }'
}

# the ratios of VARIANT to FIRST in the same round, in percent more
ratios() { # FIRST VARIANT wall|cpu
	paste "$samples/$1.$3" "$samples/$2.$3" | awk '$1 > 0 { print ($2 / $1 - 1) * 100 }'
}

# a line for each VARIANT: wall and CPU time, and what it has more than FIRST
paired_report() { # FIRST VARIANT...
	local first=$1 variant
	for variant in "$@"; do
		printf '%-10s wall %s ms, CPU %s ms' "$variant" "$(spread %.0f <"$samples/$variant.wall")" \
			"$(spread %.0f <"$samples/$variant.cpu")"
		[ "$variant" = "$first" ] || printf '; against %s: wall %s %%, CPU %s %%' "$first" \
			"$(ratios "$first" "$variant" wall | spread %+.1f)" "$(ratios "$first" "$variant" cpu | spread %+.1f)"
		echo
	done
}
