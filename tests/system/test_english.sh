#!/usr/bin/env bash
# test_english - does tests/english.sh find planted words, in every kind of file, and only in texts?
set -u
cd "$(dirname "$0")/../.." || exit 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# finds COUNT NAME: the file NAME, read from stdin, has COUNT findings
finds() {
	local count status=0
	cat >"$folder/$2"
	count=$(tests/english.sh "$folder/$2" | wc -l)
	tests/english.sh "$folder/$2" >/dev/null || status=1
	if [ "$count" != "$1" ] || [ "$status" != $(($1 > 0)) ]; then
		echo "FAILED  $2: $count findings, status $status; expected $1"
		tests/english.sh "$folder/$2"
		failed=1
	fi
}

long=$(printf 'long%.0s' {1..26})

finds 2 comment.c <<<'/* the packet who waits */ int who; // it goes another way'
finds 1 string.h <<<'#define TEXT "nobody waits" /* fine */'
finds 0 code.c <<<'#include "way.h"
int way(int behind) { return room[who]; } /* a path */'
finds 1 wide.c <<<"/* $long */"
finds 0 wide_code.c <<<"int $long;"
finds 1 page.md <<<'It goes its way. `way` is a name, [this](way.md) a link.'
finds 0 block.md <<<'```
who goes which way
```
| a table may be wide | '"$long |"
finds 1 script.sh <<<'way=1 # no way'
finds 2 scenario.yaml <<<'about: who sends
way: 1 # behind that'
finds 0 place.md <<<'A host behind a NIC. The packet waits behind another one. One-way delay, either way.'
finds 2 run.h <<<'/* lab_play - a scenario is played; no display, no replay */'
finds 0 page_plays.md <<<'The [page](seeing.md) plays a recording, with the buttons play, pause.'
mkdir "$folder/view"
finds 0 view/view.h <<<'/* plays a recording */'
[ "$failed" = 0 ] && echo 'test_english: planted words are found'
exit "$failed"
