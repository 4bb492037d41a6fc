# capture - what the tests of captures share: runs that capture, and an independent reader.
#
# Sourced by tests/system/test_capture*.sh after common.sh; ends the test if there is no such
# reader. Works in $scratch. The reader takes long to start, so it reads each file once: what awk
# then needs is in a table, FILE.table.

for tool in tshark capinfos mergecap editcap; do
	command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
cd "$scratch" || exit 1

# what a table tells of a frame, NAME=FIELD; a test that wants more adds it before it reads a file
columns=(direction=frame.packet_flags_direction time=frame.time_epoch len=frame.len cap_len=frame.cap_len comment=frame.comment
	link=frame.interface_name ethertype=eth.type malformed=_ws.malformed severity=_ws.expert.severity)
in='direction == "0x00000001"' out='direction == "0x00000002"'

# capture STATUS SCENARIO OPTION... - a run with CSV files in csv/
capture() { run "$1" run "$2" --quiet --csv csv "${@:3}"; }

# more options of the reader
reader=()

# decode FILE - makes FILE.table, unless it is there and later than FILE: a line per frame, a column
# for each of columns
decode() {
	[ "$1.table" -nt "$1" ] || tshark "${reader[@]}" -n -r "$1" -o ip.check_checksum:TRUE -o udp.ignore_ipv6_zero_checksum:TRUE \
		-o tcp.analyze_sequence_numbers:FALSE -T fields "${columns[@]/#*=/-e}" >"$1.table" 2>tshark.log
}

# of FILE CONDITION COLUMN... - a line per frame that fits, as awk sees it; absent columns are ""
of() {
	local column n=0 names='' wanted
	decode "$1"
	for column in "${columns[@]}"; do
		names+="${column%%=*} = \$$((++n)); "
	done
	wanted=$(printf ', %s' "${@:3}")
	awk -F '\t' -v OFS='\t' "{ $names } $2 { print ${wanted#, } }" "$1.table"
}
fields() { of "$1" 1 "${@:2}"; } # FILE COLUMN... - a line per frame
# seen FILE CONDITION - how many frames fit; nothing if that cannot be said
seen() { of "$1" "$2" len >seen && wc -l <seen; }

# counter NODE PEER NAME - of the port, from the CSV
counter() {
	awk -F, -v node="$1" -v peer="$2" -v name="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i }
		$1 == node && $3 == peer { print $column }' csv/ports.csv
}

# counted FILE NODE PEER - are the frames of that link in FILE those that the port has counted, in
# both directions, and are there any?
counted() {
	local came went sent received link="link == \"$2:$3\""
	came=$(seen "$1" "$link && $in")
	went=$(seen "$1" "$link && $out")
	sent=$(($(counter "$2" "$3" tx_frames) - $(counter "$2" "$3" words)))
	received=$(counter "$2" "$3" rx_frames)
	echo "$came in and $went out in $1, $received and $sent counted"
	[ "$came" = "$received" ] && [ "$went" = "$sent" ] && [ "$((came + went))" -gt 0 ]
}

# sound FILE - do its stamps never go back, and is no frame malformed or worth a warning (6291456)
# or more?
sound() {
	local back bad
	capinfos "$1" | grep 'Strict time order: *True' || return 1
	back=$(fields "$1" time | awk '$1 < last { print } { last = $1 }' | wc -l)
	bad=$(seen "$1" 'malformed != "" || severity ~ /6291456|8388608/')
	echo "$back stamps go back, $bad frames are malformed"
	[ "$back" = 0 ] && [ "$bad" = 0 ] && [ -s "$1.table" ]
}
