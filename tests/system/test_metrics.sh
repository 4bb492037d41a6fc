#!/usr/bin/env bash
# test_metrics - a running fabric for Prometheus: the text, its names, the address, the dashboard
# (SE-14).
#
# The fabric is of kind roce, so it has every group of metrics. Values are compared with those of
# `heddle ps --json`. Every query of the dashboard has data; with Prometheus at hand also there.
. "$(dirname "$0")/common.sh"
fabric_dir
board=$top/orchestrator/view/grafana.json

"$heddle" gen star hosts=3 fabric=roce >"$scratch/star.yaml" || exit 1
fabric_up "$scratch/star.yaml" --set links.rate=100Mb/s --set links.delay=10ms
"$heddle" exec h0 -- ping -c 2 -i 0.2 h2 >/dev/null

# hosts send on their own, so counters may grow between two answers
"$heddle" ps star --json | jq ".[0]" >"$scratch/before"
check 'metrics once' run 0 metrics star
cp "$scratch/out" "$scratch/metrics"
"$heddle" ps star --json | jq ".[0]" >"$scratch/ps"

# value METRIC LABELS - of the line that has all these labels, in their order
value() {
	grep -F "$1{" "$scratch/metrics" | grep -F "$2" | awk '{ print $NF }'
}

# same METRIC LABELS FILTER - is it what JSON has at FILTER, before, after or in between?
same() {
	local here before after
	here=$(value "$1" "$2" | tr -d .)
	before=$(jq -r "$3" "$scratch/before") after=$(jq -r "$3" "$scratch/ps")
	[ "${here:-x}" -ge "$before" ] && [ "$here" -le "$after" ] && return
	echo "$1: '$here', not '$before' to '$after'"
	return 1
}
check 'hosts' same heddle_fabric_hosts '' .hosts_count
check 'rate of a port' same heddle_port_rate_bps 'node="h0"' \
	'.nodes[] | select(.name == "h0") | .ports[0].rate_bps'
check 'bytes of a port' same heddle_port_tx_bytes_total 'node="h0"' \
	'.nodes[] | select(.name == "h0") | .ports[0].tx_bytes'
check 'packets of a node' same heddle_node_received_packets_total 'node="h2"' \
	'.nodes[] | select(.name == "h2") | .received_packets'
check 'times are seconds' same heddle_port_tx_busy_seconds_total 'node="h0"' \
	'.nodes[] | select(.name == "h0") | .ports[0].tx_busy_ns'
verdict() {
	[ "$(value heddle_fabric_fidelity '' | sort | tr '\n' ' ')" = '0 0 0 1 ' ]
}
check 'one verdict holds' verdict
check 'each metric once, its lines together' awk '/^# TYPE/ && seen[$3]++ { exit 1 }
	!/^#/ { split($1, n, "{"); if (n[1] != last && used[n[1]]++) exit 1; last = n[1] }' "$scratch/metrics"
dead() {
	kill -9 "$(jq '.nodes[] | select(.name == "h1") | .pid' "$scratch/ps")"
	died() { "$heddle" metrics | grep -x 'heddle_node_running{fabric="star",node="h1",kind="nic"} 0'; }
	wait_for died && "$heddle" metrics | grep -x 'heddle_fabric_dead{fabric="star"} 1'
}
check 'a dead node' dead
check 'every query of the dashboard has data' \
	python3 "$top/tests/system/dashboard_queries.py" "$board" star "$scratch/metrics"
if command -v promtool >/dev/null; then
	check 'promtool accepts it' promtool check metrics <"$scratch/metrics"
else
	skip 'promtool check metrics' 'no promtool (package prometheus)'
fi

# ---- on an address ----

"$heddle" metrics star --listen :0 2>"$scratch/listen" &
server=$!
at_end 'kill $server 2>/dev/null'
url=$(wait_for sed -n 's/^metrics: //p' "$scratch/listen")
check 'on an address' curl -sf -o "$scratch/served" "$url"
check 'the same metrics' cmp <(grep '^# TYPE' "$scratch/metrics") <(grep '^# TYPE' "$scratch/served")
refused() {
	[ "$(curl -s -o /dev/null -w '%{http_code}' "$@")" = "$status" ]
}
status=421 check 'not for another name of the address' refused -H 'Host: evil.example' "$url"
status=403 check 'not for a page of another origin' refused -H 'Origin: http://evil.example' "$url"
status=404 check 'nothing else' refused "${url%metrics}recordings"
status=404 check 'no page' refused "${url%metrics}"
status=405 check 'no POST' refused -X POST -d x "$url"

# queries through Prometheus: it reads twice, then each query of the dashboard has a result
through() {
	local port query
	cat >"$scratch/prometheus.yml" <<-END
		global: {scrape_interval: 1s}
		scrape_configs: [{job_name: heddle, static_configs: [{targets: ['$(echo "$url" | cut -d / -f 3)']}]}]
	END
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	prometheus --config.file="$scratch/prometheus.yml" --storage.tsdb.path="$scratch/tsdb" \
		--web.listen-address="127.0.0.1:$port" 2>"$scratch/prometheus.log" &
	prometheus=$!
	at_end 'kill $prometheus 2>/dev/null; wait $prometheus 2>/dev/null'
	twice() { promtool query instant "http://127.0.0.1:$port" 'count_over_time(heddle_fabric_hosts[1m]) > 2' 2>/dev/null; }
	wait_for twice || { cat "$scratch/prometheus.log"; return 1; }
	python3 "$top/tests/system/dashboard_queries.py" "$board" star >"$scratch/queries"
	while read -r query; do
		promtool query instant "http://127.0.0.1:$port" "$query" | grep -q . || { echo "no data: $query"; return 1; }
	done <"$scratch/queries"
}
if command -v prometheus >/dev/null && command -v promtool >/dev/null; then
	check 'every query of the dashboard has a result in Prometheus' through
else
	skip 'queries through Prometheus' 'package prometheus is not here'
fi

"$heddle" down star >/dev/null 2>&1
status=503 check 'a fabric that has ended' refused "$url"
leaves() {
	kill -INT "$server"
	wait "$server"
}
check 'Ctrl-C ends it' leaves
check 'no such fabric' run 2 metrics star
finish
