#!/usr/bin/env bash
# test_view - a recording as a page: what is served, to which requests, and what attacks do not
# reach (SE-4).
#
# The client is http_client.py. No check depends on time: the server's own limits end what waits.
. "$(dirname "$0")/common.sh"
. "$top/tests/system/view.sh"

# view ARGUMENTS... - starts heddle view; its address is in $url, its process in $server
view() {
	"$heddle" view "$@" >"$scratch/view" &
	server=$!
	url=$(wait_for sed -n 's/^view: //p' "$scratch/view")
}

# leaves STATUS - Ctrl-C ends the server with STATUS, and its port is closed
leaves() {
	local status
	kill -INT "$server"
	wait "$server"
	status=$?
	[ "$status" = "$1" ] || { echo "exit status $status"; return 1; }
	gone "$server" && ! python3 "$client" page "$url"
}

# a recording that fills every buffer between a server and a reader
{ echo 'heddle recording 1'; head -c 20M /dev/zero; echo 'heddle end'; } >"$scratch/one.heddle"

view "$scratch/one.heddle"
at_end 'kill $server 2>/dev/null'
check 'the page, recordings and their ranges' at_a_time page recordings
check 'attacks of all kinds at a time' at_a_time tokens hosts origins readonly malformed stalled crowd
mkfifo "$scratch/input"
python3 "$client" hang "$url" <"$scratch/input" >"$scratch/hang" &
hanging=$!
exec 5>"$scratch/input"
wait_for cat "$scratch/hang" >/dev/null
check 'Ctrl-C ends it beside readers that take nothing' leaves 0
exec 5>&-
wait "$hanging"

# a recording that is not complete yet
(cat "$scratch/one.heddle" | head -c 1000) >"$scratch/two.heddle"
view "$scratch/two.heddle" --listen 127.0.0.1:0
grows() {
	state() { python3 "$client" get "$url" /recordings | jq -r ".recordings[0] | .$1"; }
	[ "$(state state)" = growing ] && [ "$(state bytes)" = 1000 ] || return 1
	tail -c +1001 "$scratch/one.heddle" >>"$scratch/two.heddle"
	complete() { [ "$(state state)" = complete ] && echo yes; }
	wait_for complete && [ "$(state bytes)" = "$(stat -c %s "$scratch/one.heddle")" ]
}
check 'a recording that grows is served as it is, then complete' grows
check 'and its server ends' leaves 0

# a lab beside the fabric
cat >"$scratch/lab.json" <<'JSON'
{"name": "01-share", "title": "A share", "minutes": 20, "student": 7, "text": "# A share", "explanation": null,
 "predict": [{"name": "share", "ask": "How much?", "unit": "Gb/s", "answer": null}]}
JSON
lab_begin() {
	"$top/build/release/system/lab_server" "$scratch/one.heddle" "$scratch/lab.json" >"$scratch/view" &
	server=$!
	url=$(wait_for sed -n 's/^view: //p' "$scratch/view")
}
lab_begin
check 'a lab is read, and its predictions are saved' python3 "$client" lab "$url"
unreadable() {
	echo '{' >"$scratch/lab.json"
	python3 "$client" get "$url" /lab | grep -q '"error":"The lab cannot be read: .*\."'
}
check 'a lab that cannot be read is told' unreadable
check 'and its server ends' leaves 0

check 'no such recording' run 2 view "$scratch/none"
check 'said' says err 'cannot read'
check 'no recording' run 2 view "$0"
check 'said' says err 'is no recording'
check 'an address of another machine' run 2 view "$scratch/one.heddle" --listen 192.0.2.1:0
check 'said' says err 'cannot listen on 192.0.2.1'
taken() {
	view "$scratch/one.heddle"
	local port=${url#http://127.0.0.1:}
	run 2 view "$scratch/one.heddle" --listen "127.0.0.1:${port%%/*}" && says err 'Address already in use' && leaves 0
}
check 'a port that is taken is named with the reason' taken
for wrong in 127.0.0.1:x 127.0.0.1:65536 :-1 '[::1'; do
	check "--listen $wrong" run 2 view "$scratch/one.heddle" --listen "$wrong"
done
check 'a name is no address' run 2 view "$scratch/one.heddle" --listen localhost:0
finish
