#!/usr/bin/env bash
# test_install - what `make install` puts beside the programs (DU-11): a manual page for each
# command, which mandoc accepts, and completion, which knows commands, options and running fabrics.
set -u
. "$(dirname "$0")/common.sh"

export HEDDLE_RUNTIME_DIR=$scratch/run
at_end '"$heddle" down --all >/dev/null 2>&1'

installed() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$top" install DESTDIR="$scratch/root" PREFIX=/usr \
		PACKAGES= >"$scratch/out" 2>&1 || { cat "$scratch/out"; return 1; }
	share=$scratch/root/usr/share
	[ -s "$share/bash-completion/completions/heddle" ] && [ -s "$share/zsh/site-functions/_heddle" ] &&
		[ -s "$share/fish/vendor_completions.d/heddle.fish" ] && [ -s "$share/man/man5/heddle-scenario.5" ]
}

# every command of `heddle help` and `heddle lab` has its page, with each of its options
pages() {
	local command option
	for command in $("$heddle" help | awk '/^  / && $1 != "help" && $1 != "or:" { print $1 }') \
		$("$heddle" lab --help | awk '/^  / { print "lab-" $1 }'); do
		[ -s "$share/man/man1/heddle-$command.1" ] || { echo "no page of $command"; return 1; }
		for option in $("$heddle" ${command/-/ } --help | grep -oE '^  (-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
			grep -qF -- "${option//-/\\-}" "$share/man/man1/heddle-$command.1" ||
				{ echo "heddle-$command(1) lacks $option"; return 1; }
		done
	done
	grep -qF 'roce.dcqcn.g' "$share/man/man5/heddle-scenario.5"
}

fine_pages() {
	mandoc -T lint -W warning "$share"/man/man1/* "$share"/man/man5/* >"$scratch/lint"
	! grep -v 'missing date' "$scratch/lint"
}

# completed WORD... - what `complete-word` prints for the last word, on one line
completed() { "$heddle" complete-word "$@" 2>/dev/null | tr '\n' ' '; }

# same TEXT WORD...
same() {
	local wanted=$1
	shift
	[ "$(completed "$@")" = "$wanted" ] || { echo "$*: $(completed "$@")"; return 1; }
}

words() {
	same 'run remove ' r && same 'virtual real ' run --clock '' && same '--clock ' run --cl &&
		same 'start score ' lab s && same ':files ' lab score --scenarios '' &&
		same 'run remove ' help r && same '' nonsense '' && same '' run --nonsense x y z '' &&
		same 'flow-channel roce port-group ' list --fabric ''
}

names() {
	local word
	"$heddle" up "$topologies/two-racks.yaml" --name one >"$scratch/out" 2>&1 || { cat "$scratch/out"; return 1; }
	word=$("$heddle" ps --json | jq -r '.[0].nodes[] | select(.kind == "nic").name' | head -n 1)
	same 'one ' down '' && same 'one ' exec -f '' && [[ " $(completed exec "$word")" == *" $word "* ]] &&
		[[ "$(completed link "$word:")" == "$word:"* ]] && same 'down ' link "$word:x" d &&
		[[ "$(completed set "$word")" == *"$word "* ]]
}

in_bash() {
	bash -c '. /usr/share/bash-completion/bash_completion
		. "$1/completion/heddle.bash"
		COMP_WORDS=("$2" lab s) COMP_CWORD=2 COMP_LINE="$2 lab s" COMP_POINT=$((${#2} + 6))
		_heddle
		[ "${COMPREPLY[*]}" = "start score" ]' - "$top" "$heddle"
}

removed() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$top" uninstall DESTDIR="$scratch/root" PREFIX=/usr >"$scratch/out" 2>&1 &&
		! find "$scratch/root" -type f | grep .
}

check "everything is installed" installed
check "each command has a manual page with all of its options" pages
if command -v mandoc >/dev/null; then
	check "mandoc has no complaint" fine_pages
else
	skip "mandoc has no complaint" "mandoc is not installed"
fi
check "commands, options and their values are completed" words
check "so are fabrics, hosts, nodes and links of a fabric that runs" names
if [ -r /usr/share/bash-completion/bash_completion ]; then
	check "bash" in_bash
else
	skip "bash" "bash-completion is not installed"
fi
check "nothing is left by make uninstall" removed
finish
