#!/usr/bin/env bash
# test_labs - heddle lab (SE-9). For each lab of topologies/labs and several students: the right
# answers pass, and each wrong one is refused. What is right comes from lab_answers.py: from
# formulas, or from runs of its own.
#
#   LABS_STUDENTS=N   students of each lab (2; 20 by make labs)     LABS='NAME...'   only these labs
#
# And labs as they are installed. The commands: test_lab_commands.
set -u
. "$(dirname "$0")/common.sh"
cd "$scratch" || exit 1
export HEDDLE=$heddle TOPOLOGIES=$topologies
labs=${LABS:-$(cd "$topologies/labs" && echo *)}
students=${LABS_STUDENTS:-2}
answers=$top/tests/system/lab_answers.py

# answers_of LAB WHICH STUDENT - into the array `words`. Runs of Heddle give some answers, so those
# of a student are asked for once.
answers_of() {
	[ -s "answers-$1-$3" ] || "$answers" "$1" both "$3" >"answers-$1-$3" || { rm "answers-$1-$3"; return 1; }
	sed -n "s/^$2 //p" "answers-$1-$3" >words
	mapfile -t words <words
}

# every student passes with the right answers, and the explanation follows
right() {
	local student words
	for student in $(seq "$students"); do
		answers_of "$1" right "$student" && run 0 lab check "$1" --student "$student" "${words[@]}" && says out passed || return 1
	done
}

# with wrong answers, none of them counts as right
wrong() {
	local student words
	for student in $(seq "$students"); do
		answers_of "$1" right "$student" && run 2 lab check "$1" --student "1000$student" "${words[0]%%=*}=nonsense nonsense" || return 1
		cp words all && answers_of "$1" wrong "$student" && cut -d= -f1 words >keys && grep -vf <(sed 's/.*/^&=/' keys) all >>words
		mapfile -t words <words
		run 1 lab check "$1" --student "$student" "${words[@]}" --json || return 1
		jq -e --rawfile keys keys '($keys | split("\n")[:-1]) as $wrong | .passed == false and
			([.answers[] | select(.name as $n | $wrong | index($n)) | .right] | any | not) and (.hints | length > 0)' out || return 1
	done
}

# the text of a lab: its parts, and a page with the explanation last
text() {
	local readme=$topologies/labs/$1/README.md
	[ "$(grep '^## ' "$readme" | tr '\n' ,)" = '## Question,## Prediction,## Steps,## Explanation,' ] || { grep '^## ' "$readme"; return 1; }
	run 0 lab start "$1" --student 3 --text && says out 'Find out:' && says out 'student 3' && run 0 lab start "$1" --explain && grep -qx Explanation "$scratch/out"
}

for lab in $labs; do
	check "$lab: text" text "$lab"
	check "$lab: right answers of $students students pass" right "$lab"
	check "$lab: wrong answers are refused" wrong "$lab"
done
# the check below begins without any student's answers
rm -f lab-*-student-*

# the labs are installed beside heddle, with what they run
installed() {
	make -s -C "$top" -o all install PREFIX=/opt/h DESTDIR="$scratch/root" >hint 2>&1 || { cat hint; return 1; }
	diff -r "$topologies/labs" root/opt/h/share/heddle/topologies/labs &&
		rm -f answers-03-innocent-flow-10 && HEDDLE=$scratch/root/opt/h/bin/heddle answers_of 03-innocent-flow right 10 &&
		root/opt/h/bin/heddle lab check 3 --student 10 "${words[@]}" | grep '^passed: 4 of 4'
}

check 'labs as installed' installed
finish
