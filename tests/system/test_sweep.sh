#!/usr/bin/env bash
# test_sweep - several runs in one table, and the scenarios that are there (SE-12): heddle list, run
# --variant, --sweep and --seeds. A row of a table has the values of a run of its own.
#
#   h0, h1 ==> s0 --> h2
set -u
. "$(dirname "$0")/common.sh"
cd "$scratch" || exit 1

cat >star.yaml <<'YAML'
name: star
about: two to one
fabric: roce
run: {duration: 100us}
topology: {generate: star, hosts: 3}
workloads: [{name: load, pattern: incast, to: h2, from: [h0, h1], arrival: poisson, load: 40%}]
expect: [goodput(load) >= 1Gb/s, goodput(load) <= 400Gb/s, lost == 0]
YAML
sed '/^expect/d' star.yaml >bare.yaml
cat star.yaml - >three.yaml <<'YAML'
compare:
  columns: [goodput(load), {metric: messages(load), name: all}]
  variants: [{name: as it is}, {name: by half, set: {links.rate: 100Gb/s}}]
YAML

# every scenario has its line, and so has the folder of scores; each file that is listed can be read
listed() {
	run 0 list && [ "$(grep -vc '^#' out)" = "$(ls "$topologies"/*.yaml | wc -l)" ] &&
		grep -q '^parking-lot  *flow-channel  *[^ ]' out && run 0 list score && grep -q '^incast  *roce ' out &&
		run 0 list --json --with deadlock --fabric roce && jq -e 'map(.name) | index("pfc-deadlock") and (index("parking-lot") | not)' out &&
		jq -e '.[] | select(.name == "pfc-deadlock") | .variants | index("no PFC")' out &&
		head -n 3 "$(jq -r '.[0].file' out)" && run 0 list ./ --variants && grep -q "variant 'by half'" out &&
		run 2 list nowhere && says err 'no scenarios in nowhere'
}

# a variant has all outputs, and is the same as its settings
variant() {
	run 0 run three.yaml --variant 'by half' --json a.json --csv csv --events events.csv && says out 'goodput' && [ -s csv/flows.csv ] && [ -s events.csv ] &&
		run 0 run three.yaml --set links.rate=100Gb/s --json b.json &&
		cmp <(jq 'del(.settings, .effective)' a.json) <(jq 'del(.settings, .effective)' b.json) &&
		echo 'show s0 ports' >script && run 0 run three.yaml --variant 'by half' --break-at 20us --script script && says out 'p2' &&
		run 2 run three.yaml --variant 'by haf' && says err "did you mean 'by half'?" && run 2 run star.yaml --variant x && says err "no 'compare' section" &&
		run 2 run three.yaml --variant 'by half' --compare
}

# value FILE - the goodput of a JSON result, or of row $2 of a table
value() { jq '[.flows[].goodput_bps] | add' "$1"; }

# the columns are the metrics of the expectations, each once
sweep() {
	run 0 run star.yaml --sweep links.rate=50..150Gb/s..50 --json t.json --csv csv && says out 'links.rate  goodput(load)  lost' &&
		grep -Eq '^150Gb/s  .* Gb/s  +0$' out && [ "$(wc -l <csv/compare.csv)" = 4 ] && grep -q '^"links.rate","goodput(load)","lost",note' csv/compare.csv &&
		run 0 run star.yaml --quiet --set links.rate=100Gb/s --json one.json &&
		[ "$(jq '.variants[1].values["goodput(load)"] | round' t.json)" = "$(value one.json | jq round)" ] &&
		run 0 run three.yaml --sweep workloads.load.connections=1..4..x2 && grep -q 'connections  goodput(load)  all$' out && grep -q '^4 ' out &&
		run 0 run three.yaml --sweep roce.congestion-control=dcqcn,swift --variant 'by half' && grep -q '^swift  ' out
}

seeds() {
	run 0 run star.yaml --seeds 1..4 --json t.json && cp out first && run 0 run star.yaml --seeds 1..4 --json u.json && cmp out first && cmp t.json u.json &&
		[ "$(head -n 1 out)" = 'star: 4 values of seed; virtual clock' ] && grep -Eq '^deviation  .* [GM]b/s ' out &&
		run 0 run star.yaml --quiet --seed 3 --json one.json &&
		[ "$(jq '.variants[2].values["goodput(load)"] | round' t.json)" = "$(value one.json | jq round)" ] &&
		jq -e '[.variants[].values["goodput(load)"]] as $v | ($v | add / 4) as $m |
			((.spread.mean["goodput(load)"] - $m) | fabs) < 1 and .spread.minimum["goodput(load)"] == ($v | min) and
			.spread.maximum["goodput(load)"] == ($v | max) and
			((.spread.deviation["goodput(load)"] - (($v | map((. - $m) * (. - $m)) | add) / 3 | sqrt)) | fabs) < 1' t.json
}

# nothing runs if one value is wrong
refused() {
	run 2 run star.yaml --sweep links.rate=100Gb/s,fast && says err 'fast' && ! grep -q ' of 2' err && run 2 run star.yaml --sweep links.rat=1Gb/s,2Gb/s &&
		says err "did you mean 'rate'?" && run 2 run star.yaml --sweep 1..4 && run 2 run star.yaml --seeds 4..1 && says err 'must rise' &&
		run 2 run star.yaml --seeds 1..2 --events e.csv && run 2 run star.yaml --seeds 1..2 --sweep a=1 && run 2 run bare.yaml --seeds 1..2 &&
		says err "neither 'compare' nor 'expect'" && run 2 run star.yaml --seeds 1..2 --json star.yaml &&
		run 2 run star.yaml --seeds 1,2x,3 && says err '2x' && ! grep -q ' of 3' err &&
		run 2 run three.yaml --variant 'by half' --sweep links.rate=50..100Gb/s..50 &&
		says err "variant 'by half' sets links.rate itself" && run 0 run three.yaml --variant 'by half' --sweep links.delay=1..2us
}

check "heddle list has a line for each scenario" listed
# wrong words, and the name of a ready scenario without its folder
misspelt() {
	run 2 list --fabric rocee && says err "takes flow-channel, roce or port-group, not 'rocee' - did you mean 'roce'?" &&
		run 0 list --with zzzz && says out none && run 2 list incast && says err '--with incast lists' &&
		run 2 run incast && says err 'topologies/incast.yaml?' &&
		run 2 help roce.dqccn && says err "a scenario has no key 'roce.dqccn' - did you mean 'roce.dcqcn'?" && run 2 help rum && says err "no command 'rum'"
}
check "words that are misspelt in heddle list, run and help" misspelt
check "one variant, with all outputs" variant
check "a table over the values of a key" sweep
check "a table over seeds, with mean and spread" seeds
check "wrong values are refused before the first run" refused
finish
