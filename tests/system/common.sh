# common - what the system tests share: where things are, a line per check, the count at the end.
#
# Sourced by tests/system/test_*.sh.  HEDDLE names another heddle than the one in the top folder.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
heddle=${HEDDLE:-$top/heddle}
topologies=$top/topologies
scratch=$(mktemp -d)
passed=0 failed=0 skipped=0

# at_end COMMAND - is done when the test ends, however it does, and before what was given earlier
at_end() {
	ending="$1; ${ending:-}"
	trap "$ending" EXIT
}
at_end 'rm -rf "$scratch"'

# both_ends FILE - its first ten lines and its last twenty
both_ends() {
	if [ "$(wc -l <"$1")" -le 30 ]; then
		cat "$1"
	else
		head -n 10 "$1"
		echo '[...]'
		tail -n 20 "$1"
	fi
}

# check NAME COMMAND... - one check: does the command succeed?
check() {
	local name=$1
	shift
	if "$@" >"$scratch/check.log" 2>&1; then
		passed=$((passed + 1))
		echo "ok      $name"
	else
		failed=$((failed + 1))
		echo "FAILED  $name"
		both_ends "$scratch/check.log" | sed 's/^/        | /'
		[ -z "${STOP_AT_FAILURE:-}" ] || exit 1
	fi
}

# skip NAME WHY - a check that cannot be made here
skip() {
	skipped=$((skipped + 1))
	echo "skipped $1: $2"
}

# run STATUS ARGUMENTS... - heddle with these arguments ends with STATUS; its output is in
# $scratch/out and $scratch/err
run() {
	local wanted=$1 status
	shift
	"$heddle" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	status=$?
	[ "$status" = "$wanted" ] && return
	echo "heddle $*: exit status $status, not $wanted"
	cat "$scratch/err"
	return 1
}

# packed_run STATUS ARGUMENTS... - `heddle run` with all nodes in one worker ends so: the same bytes
# as with a process for each (test_pack), for a third of the CPU time
packed_run() { run "$1" run --pack=1 "${@:2}"; }

# says FILE TEXT - does file $scratch/FILE contain TEXT?
says() {
	grep -qF -- "$2" "$scratch/$1" && return
	echo "'$2' is not in:"
	cat "$scratch/$1"
	return 1
}

# silent FILE - is $scratch/FILE empty?
silent() {
	[ ! -s "$scratch/$1" ] || { cat "$scratch/$1"; return 1; }
}

# wait_for COMMAND... - until it prints something, which is printed; at most half a minute
wait_for() {
	for _ in $(seq 300); do
		"$@" | grep . && return
		sleep 0.1
	done
	return 1
}

# in_the_end COMMAND... - tries it until it succeeds, at most 20 times. For a ping after an outage:
# `ping -w` ends at the first error, and a neighbour search that began in the outage gives one.
in_the_end() {
	for _ in $(seq 20); do
		"$@" && return
		sleep 0.5
	done
	return 1
}

# children PID - the processes that PID has started
children() {
	cat "/proc/$1/task/$1/children" 2>/dev/null
}

# gone PID... - have all of them ended?
gone() {
	local pid
	for pid in "$@"; do
		# a process that has ended but was not waited for by its new parent counts as gone
		case $(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | cut -c 1) in
		'' | Z | X) ;;
		*) echo "process $pid is still there: $(tr '\0' ' ' <"/proc/$pid/cmdline")"; return 1 ;;
		esac
	done
}

# finish - prints the count; the exit status of the test
finish() {
	if [ "$skipped" = 0 ]; then
		echo "$passed passed, $failed failed"
	else
		echo "$passed passed, $failed failed, $skipped skipped"
	fi
	[ "$failed" = 0 ]
}

# ---- fabrics that run, and users ----

# fabric_dir - a runtime directory of our own; whatever runs in it ends with the test
fabric_dir() {
	export HEDDLE_RUNTIME_DIR=$scratch/run
	mkdir -m 700 "$HEDDLE_RUNTIME_DIR"
	at_end '"$heddle" down --all >/dev/null 2>&1'
}

# forbidden FILE - does `heddle up` say in $scratch/FILE that the kernel or a sandbox keeps it from
# what it needs?
forbidden() { grep -q -e 'ermi' -e 'forbid' "$scratch/$1"; }

# fabric_up SCENARIO [OPTION...] - or the end of the test: skipped where the kernel does not allow
# it
fabric_up() {
	"$heddle" up "$@" >"$scratch/up" 2>&1 && return
	cat "$scratch/up"
	forbidden up && { echo "skipped: $(tail -n 1 "$scratch/up")"; exit 77; }
	exit 1
}

# listening HOST PORT - a server in the host takes connections there, as soon as it does
listening() { wait_for "$heddle" exec "$1" -- grep -hE ":$(printf %04X "$2") [0-9A-F]*:0000 0A" /proc/net/tcp /proc/net/tcp6; }

# programs_copy FOLDER - heddle, its programs, topologies and system tests, for a user that may not
# read the top folder
programs_copy() {
	local built
	built=$(dirname "$(readlink -f "$heddle")")
	mkdir -p "$1/tests" "$1/build/release"
	cp "$built"/{heddle,switchd,nicd} "$1/build/release"
	cp -r "$top/topologies" "$1"
	cp -r "$top/tests/system" "$1/tests"
	ln -s build/release/heddle "$1/heddle"
	chmod -R a+rX "$1"
}

# as_user UID COMMAND... - as an ordinary user without privileges, groups and environment; only root
# can
as_user() {
	local user=$1
	shift
	setpriv --reuid="$user" --regid="$user" --clear-groups --inh-caps=-all env -i PATH="$PATH" LC_ALL=C "$@"
}

# rootless_prepare - for user and user_with; says why it cannot be done here. User 65534 has a home
# and a session in $scratch, programs in $scratch/top, and subordinate ids, in file $scratch/ids.
rootless_prepare() {
	local program
	[ "$(id -u)" = 0 ] || { echo 'skipped: only root can give a user subordinate ids'; return 1; }
	for program in setpriv newuidmap unshare; do
		command -v $program >/dev/null || { echo "skipped: $program is not installed"; return 1; }
	done
	nobody=65534
	owner=$(id -nu $nobody) || { echo "skipped: user $nobody has no name"; return 1; }
	chmod 711 "$scratch"
	programs_copy "$scratch/top"
	mkdir -m 700 "$scratch/home" "$scratch/session"
	chown $nobody "$scratch/home" "$scratch/session"
	echo "$owner:200000:65536" >"$scratch/ids"
	declare -f as_user >"$scratch/as_user"
	at_end 'user down --all >/dev/null 2>&1'
}

# user ARGUMENT... - heddle as user 65534
user() {
	(cd / && as_user $nobody HOME="$scratch/home" XDG_RUNTIME_DIR="$scratch/session" "$scratch/top/heddle" "$@")
}

# user_with IDS ARGUMENT... - the same, where /etc/subuid and /etc/subgid are the file $scratch/IDS
user_with() {
	local ids=$scratch/$1
	shift
	# shellcheck disable=SC2016
	(cd / && unshare --mount --propagation private bash -c '
		mount --bind "$1" /etc/subuid && mount --bind "$1" /etc/subgid && shift && . "$0" && as_user "$@"' \
		"$scratch/as_user" "$ids" $nobody HOME="$scratch/home" XDG_RUNTIME_DIR="$scratch/session" "$scratch/top/heddle" "$@")
}
