#!/usr/bin/env bash
# test_lab_commands - the commands of heddle lab (SE-9), on one lab that comes with Heddle and one
# of its own: what a student sees, predictions, the file of answers, wrong usage. All labs:
# test_labs.
set -u
. "$(dirname "$0")/common.sh"
cd "$scratch" || exit 1
export HEDDLE=$heddle TOPOLOGIES=$topologies
answers=$top/tests/system/lab_answers.py

# answers_of LAB WHICH STUDENT - into the array `words`
answers_of() {
	"$answers" "$@" >words || return 1
	mapfile -t words <words
}

listed() {
	run 0 lab list && grep -q '^03-innocent-flow  *20 min  ' out && [ "$(grep -vc '^#' out)" = "$(ls "$topologies/labs" | wc -l)" ] &&
		run 0 lab list --json && jq -e '.[] | select(.name == "03-innocent-flow") | .minutes == 20' out &&
		mkdir labs && cp -r "$topologies/labs/03-innocent-flow" labs && run 0 lab list --labs labs && [ "$(grep -vc '^#' out)" = 1 ] &&
		run 2 lab list labs --labs labs && says err 'not both'
}

# in a folder whose name is not UTF-8
in_any_folder() {
	local folder=$'labs\xff'
	cp -r "$topologies/labs" "$folder" && run 0 lab list "./$folder" --json && jq -e '.[0].folder | startswith("./labs?/")' out &&
		run 0 lab start "$folder/03-innocent-flow" --json && jq -e '.folder == "labs?/03-innocent-flow" and
			(.runs[0].command | contains("labs?/"))' out
}

# the rule of docs/labs.md, a second time
chosen() {
	local student
	for student in 1 2 4711 999999999; do
		run 0 lab start 3 --student "$student" --json &&
			[ "$(jq -r .values.n out)" = "$(python3 -c '
import hashlib, sys
digest = hashlib.sha256(("03-innocent-flow/case/" + sys.argv[1]).encode()).digest()
print(2 + int.from_bytes(digest[:8], "big") % 6)' "$student")" ] || return 1
	done
}

# predictions are kept, never marked, and shown beside what was measured
predicted() {
	run 2 lab start 3 --student 8 && says err 'predict first' &&
		run 2 lab predict 3 --student 8 victim=fast && run 2 lab predict 3 --student 8 victims=1 && says err "did you mean 'victim'" &&
		run 0 lab predict 3 --student 8 victim=50 && grep -q '^predictions: {victim: "50"}$' lab-03-innocent-flow-student-8.yaml &&
		run 0 lab predict 3 --student 8 'trunk=1 %' && says out '50' && run 0 lab start 3 --student 8 --run first && says out 'predicted' &&
		grep -Eq '^  victim  *50 Gb/s  *[0-9.]+ Gb/s$' out &&
		run 0 lab predict 8 --student 8 unacked=1kB && run 0 lab start 8 --student 8 --run free --skip &&
			grep -Eq '^  unacked  *1kB  *[0-9.]+ kB$' out && ! grep -Eq '^  rows  *- ' out
}

# on a terminal start asks: again after what is no prediction, and an empty line leaves one open
asked() {
	printf 'fast\n20\n\n' | script -qec "'$heddle' lab start 3 --run first --student 12" /dev/null >out
	says out "'fast' is not a number" && grep -q '^predictions: {victim: "20"}$' lab-03-innocent-flow-student-12.yaml &&
		grep -Eq '^  victim  *20 Gb/s  *[0-9.]+ Gb/s' out && ! grep -Eq '^  trunk  *-' out
}

# answers need no second time; missing ones are named, and nothing of the measured values is told
kept() {
	run 2 lab check 3 --student 9 victim=1 && says err 'trunk=VALUE is missing' && says err 'remedy=VALUE' &&
		run 1 lab check innocent-flow --student 9 trunk=1 lossy=1 remedy=dcqcn && says out '0 of 4' && ! grep -E '[0-9]{2}\.[0-9]' out &&
		run 1 lab check 03 --student 9 && says out 'hint: ' && ! ls .lab* 2>/dev/null &&
		run 1 lab check 11 --student 5 same=1 own=2 wait=1 lanes=10 && says err "lanes: '10' is out of range" &&
		grep -Eq '^  lanes  *10 .*not right' out && says out 'with that many lanes' && says out '0 of 4'
}

# the page has the text and the values, saves predictions where the terminal reads them, and shows
# the explanation after the check has passed
viewed() {
	local url status words page
	run 2 lab start 3 --student 5 --view --run remedies && says err 'give --run' || return 1
	"$heddle" lab start 3 --student 5 --view >start.out 2>start.err &
	page=$!
	at_end "kill $page 2>/dev/null"
	url=$(wait_for sed -n 's/^view: //p' start.err)
	put() {
		curl -s -o put.out -w '%{http_code}' -X PUT -H "Authorization: Bearer ${url##*=}" -H 'Content-Type: application/json' \
			-d "$1" "${url%%#*}lab/predictions"
	}
	[ "$(put '{"victim": "fast"}')" = 400 ] && grep -q "victim: " put.out && [ "$(put '{"victim": "24"}')" = 204 ] &&
		run 0 lab predict 3 --student 5 && grep -q '^victim  *24 Gb/s$' out && run 0 lab predict 3 --student 5 trunk=20 || return 1
	curl -s -H "Authorization: Bearer ${url##*=}" "${url%%#*}lab" >lab.json
	jq -e '.name == "03-innocent-flow" and .student == 5 and .explanation == null and ([.predict[].answer] == ["24", "20"]) and
		(.text | contains("Your values:") and contains("## Steps") and (contains("## Explanation") | not))' lab.json || return 1
	answers_of 03-innocent-flow right 5 && run 0 lab check 3 --student 5 "${words[@]}" || return 1
	curl -s -H "Authorization: Bearer ${url##*=}" "${url%%#*}lab" | jq -e '.explanation | startswith("## Explanation")' || return 1
	kill -INT $page && wait $page
	[ $? = 0 ]
}

# what is handed in, also before all is answered
reported() {
	run 0 lab report 3 --student 7 && says out 'answers are missing' && grep -q 'x-heddle-lab' lab-03-innocent-flow-student-7.html &&
		answers_of 03-innocent-flow right 7 && run 0 lab predict 3 --student 7 victim=1 &&
		run 0 lab check 3 --student 7 "${words[@]}" && run 0 lab report 3 --student 7 own.html &&
		says out passed || return 1
	awk '/x-heddle-lab/ { on = 1; next } /<\/script>/ { on = 0 } on' own.html | base64 -d >lab.json
	jq -e '.passed and .student == 7 and ([.answers[].right] | all) and (.predict[0].measured | test("Gb/s$")) and .predict[1].measured == null and
		(.commands | length == 3 and (last | startswith("heddle lab check 03-innocent-flow --student 7 victim=")))' lab.json &&
		run 2 lab report 3 no/folder.html
}

# a lab of one's own: a file as an answer, values of several runs, the least number that suffices
mkdir -p own/21-mine
cat >own/21-mine/lab.yaml <<'YAML'
title: My own
about: star
minutes: 15
student: {n: 2..2}
runs: [{name: first, run: star.yaml, set: {workloads.load.connections: "{n-1}"}}]
answers:
  - {name: mine, ask: a scenario that loses nothing, file: yes}
  - {name: faster, ask: which link is faster, choices: [slow, fast]}
  - {name: least, ask: the least rate of the link at which r gets 40 Gb/s, unit: Gb/s}
checks:
  - {run: "{mine}", set: {seed: "{n}"}, expect: [lost == 0, goodput(load) >= 1Gb/s], says: your scenario loses packets}
  - values:
      slow: {run: star.yaml, variant: slow, value: goodput(load)}
      fast: {run: star.yaml, variant: fast, value: goodput(load)}
      chosen: {run: star.yaml, variant: "{faster}", value: goodput(load)}
    holds: [slow < fast, chosen == fast +- 1%, "slow <= 60Gb/s"]
    says: compare the two variants
  - {run: star.yaml, set: {links.rate: "{least}"}, expect: [goodput(load) >= 39Gb/s], says: too slow}
  - {run: star.yaml, set: {links.rate: "{least-1}"}, expect: [goodput(load) >= 39Gb/s], fails: yes, says: a slower link suffices}
YAML
cat >own/21-mine/star.yaml <<'YAML'
name: star
about: two to one
fabric: roce
run: {duration: 100us}
topology: {generate: star, hosts: 3}
links: {rate: 100Gb/s}
roce: {dcqcn: no}
workloads: [{name: load, pattern: incast, to: h2, from: [h0, h1], size: 16KiB, window: 4}]
compare:
  columns: [goodput(load)]
  variants: [{name: slow, set: {links.rate: 50Gb/s}}, {name: fast, set: {links.rate: 100Gb/s}}]
YAML
printf '# Mine\n\n## Question\n\nWhy?\n' >own/21-mine/README.md
own() {
	local least
	mkdir -p "a 'folder'" && cp own/21-mine/star.yaml "a 'folder'/my cure.yaml" && sed 's/^fabric.*/fabric: rose/' own/21-mine/star.yaml >wrong.yaml
	for least in 40 42; do
		run 1 lab check ./own/21-mine mine="a 'folder'/my cure.yaml" faster=fast least=$least --json &&
			jq -e '[.answers[].right] == [true, true, false]' out || return 1
	done
	run 0 lab check 21 --labs own least=41 && says out '3 of 3' && run 1 lab check 21 --labs own faster=slow --json &&
		jq -e '[.answers[].right] == [true, false, true] and .hints == ["compare the two variants"]' out &&
		run 2 lab check 21 --labs own mine=wrong.yaml && says err "wrong.yaml:3:9: 'rose' is not one of" &&
		run 2 lab check 21 --labs own mine=none.yaml && says err "'none.yaml' cannot be read" &&
		run 0 lab start 21 --labs own && says out 'heddle run own/21-mine/star.yaml --set workloads.load.connections=1' &&
		says out 'heddle lab check 21-mine --labs own --student 1' && run 0 lab start ./own/21-mine --text &&
		says out 'heddle lab check ./own/21-mine --student 1' &&
		sed -i 's/{least-1}/{lest-1}/' own/21-mine/lab.yaml && run 2 lab start 21 --labs own &&
		says err "own/21-mine/lab.yaml:19:" && says err "did you mean 'least'"
}

# pages are Markdown; a terminal gets text
plain() {
	run 0 lab start 12 --explain && says out '-----------' && says out 'queue-pair: {window: 16KiB}  329 Gb/s' && ! grep -q -e '[`|]' -e '\*\*' -e '](' "$scratch/out" &&
		run 0 help hosts && says out 'a list of {to: prefix, via: ' && ! grep -q -e '`' -e '](' "$scratch/out"
}
wrong_usage() {
	run 2 lab && run 2 lab chek && says err "did you mean 'check'" && run 2 lab start 99 && says err "no lab '99'" && run 2 lab start inocent-flow &&
		says err "did you mean 'innocent-flow'?" && run 2 lab start 12-deadlok && says err "did you mean '12-deadlock'?" &&
		run 2 lab start 3 --student 0 && run 2 lab start 3 --student x && run 2 lab check 3 victim && says err 'NAME=VALUE' &&
		run 2 lab check 3 "victim=1kB" && run 2 lab check 3 remedy=pray && says err 'no-pfc, dcqcn' && run 2 lab start 3 --run none --skip &&
		echo 'lab: 04-other' >lab-03-innocent-flow-student-1.yaml && run 2 lab check 3 && says err 'lab-03-innocent-flow-student-1.yaml:1:6: ' &&
		rm lab-03-innocent-flow-student-1.yaml
}

check 'heddle lab list' listed
check 'labs in any folder' in_any_folder
check 'no marks of Markdown' plain
check 'the values of a student are those of the documented rule' chosen
check 'predictions' predicted
check 'a terminal is asked for predictions' asked
check 'answers are kept' kept
check 'the page shows the lab beside the fabric' viewed
check 'what is handed in' reported
check 'a lab of its own' own
check 'wrong usage' wrong_usage
finish
