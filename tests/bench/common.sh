# common - what the benchmarks share: samples and medians, tables, processor time, the machine.
#
# Sourced by tests/bench/run.sh, size.sh and hosts.sh, which set runs, out (a folder), samples (a
# folder in it) and, for heddle_run(), scenarios.
# shellcheck shell=bash disable=SC2154,SC2034

broken=0
mib=9.5367431640625e-7 # in bytes
load=$(cut -d ' ' -f 1 /proc/loadavg)

# ---- samples: a file of numbers for each figure ----

sample() { # FIGURE VALUE; what is no number was not measured
	[[ $2 =~ ^[0-9] ]] && echo "$2" >>"$samples/$1"
}

# median of FIGURE times FACTOR, and its range, as FORMAT; - if it was not measured
figure() { # FIGURE FACTOR FORMAT
	[ -s "$samples/$1" ] || { printf '%s' '-' && return; }
	sort -g "$samples/$1" | awk -v factor="$2" -v format="$3" '
		{ value[NR] = $1 * factor }
		END {
			median = (value[int((NR + 1) / 2)] + value[int(NR / 2) + 1]) / 2
			printf format " (" format ".." format ")", median, value[1], value[NR]
		}'
}

median() { # FIGURE
	sort -g "$samples/$1" 2>/dev/null |
		awk '{ value[NR] = $1 } END { if (NR) print (value[int((NR + 1) / 2)] + value[int(NR / 2) + 1]) / 2 }'
}

calculate() { # EXPRESSION FORMAT; "-" if a value in it is missing or zero
	awk "BEGIN { printf \"$2\", $1 }" 2>/dev/null || printf '%s' '-'
}

# rows of cells between '|', the first one the heading, as a Markdown table that is also easy on the
# eye
table() {
	awk -F'|' '
		{
			columns = NF
			for (i = 1; i <= NF; i++) {
				cell[NR, i] = $i
				if (length($i) > width[i])
					width[i] = length($i)
			}
		}
		function line(row, i) {
			for (i = 1; i <= columns; i++)
				printf i == 1 ? "| %-*s |" : " %*s |", width[i], cell[row, i]
			print ""
		}
		END {
			line(1)
			for (i = 1; i <= columns; i++) {
				rule = sprintf("%*s", width[i] + (i == 1 ? 2 : 1), "")
				gsub(/ /, "-", rule)
				printf "%s%s%s|", i == 1 ? "|" : "", rule, i == 1 ? "" : ":"
			}
			print ""
			for (row = 2; row <= NR; row++)
				line(row)
			print ""
		}'
}

fail() {
	echo "bench: $*" >&2
	broken=1
}

# ---- runs ----

# a run to its end; its JSON result is in $json. `within` is a function that begins the command.
heddle_run() { # SCENARIO ARGUMENT...
	json=$out/run.json
	${within:-} ./heddle run "$scenarios/$1.yaml" --quiet --timing --json "$json" "${@:2}" </dev/null >"$out/log" 2>&1 ||
		{ fail "$1 ${*:2}: $(tail -n 1 "$out/log")" && rm -f "$json" && return 1; }
}

# the last value of KEY in the result: `host`, where all of these stand, comes last
value() { # KEY
	awk -F': *' -v key="\"$1\"" '{ gsub(/[ ,]/, "") } $1 == key { found = $2 } END { print found }' "$json"
}

# ---- processes ----

# processor time of a process with all its threads so far, in ns: exact where the kernel tells it,
# else from its clock ticks
cpu_ns() { # PID
	local all=0 ns stat task

	for task in "/proc/$1/task"/*; do
		if [ -r "$task/schedstat" ]; then
			read -r ns _ 2>/dev/null <"$task/schedstat" && all=$((all + ns))
		elif [ -r "$task/stat" ]; then
			read -r -a stat 2>/dev/null <"$task/stat" &&
				all=$((all + (stat[13] + stat[14]) * 1000000000 / $(getconf CLK_TCK)))
		fi
	done
	echo "$all"
}

# ---- memory ----

# in_group COMMAND... - in the control group $group, if there is one
in_group() { (
	[ -z "$group" ] || echo "$BASHPID" >"$group/cgroup.procs"
	exec "$@"
); }

# group_make - a memory control group in $group; empty where we may make none
group_make() {
	group=
	for root in /sys/fs/cgroup /sys/fs/cgroup/memory; do
		[ -e "$root/memory.max_usage_in_bytes" ] || grep -qsw memory "$root/cgroup.subtree_control" || continue
		mkdir "$root/heddle-bench-$$" 2>/dev/null && group=$root/heddle-bench-$$
	done
}

# group_end FIGURE - samples the peak of the group, its processes' and the kernel's, and removes it
group_end() {
	local file

	[ -n "$group" ] || return
	for file in memory.peak memory.max_usage_in_bytes; do
		[ ! -e "$group/$file" ] || sample "$1_peak" "$(cat "$group/$file")"
	done
	file=$group/memory.kmem.max_usage_in_bytes
	[ ! -e "$file" ] || sample "$1_kernel" "$(cat "$file")"
	rmdir "$group"
	group=
}

# ---- the machine ----

report_machine() { # TITLE
	printf '# %s\n\nMedian of %s runs (smallest..largest), taken in turn.\n\n' "$1" "$runs"
	{
		echo 'machine|'
		echo "processor|$(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)"
		echo "cores for us|$(nproc)"
		echo "kernel|$(uname -sr)"
		echo "compiler|$(gcc --version | head -n 1)"
		echo "load average before|$load"
	} | table
	awk -v load="$load" -v cores="$(nproc)" 'BEGIN { exit load < cores / 4 }' &&
		printf 'Something else was running when this began: expect worse figures than the machine can do.\n\n'
}
