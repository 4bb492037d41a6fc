# capture - what the tests of captures share: runs that capture, and an independent reader of the files.
#
# Sourced by tests/system/test_capture*.sh behind common.sh; ends the test if there is no such reader. Works in $scratch.

for tool in tshark capinfos; do
	command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
cd "$scratch" || exit 1

# capture STATUS SCENARIO OPTION... - a run with CSV files in csv/
capture() { run "$1" run "$2" --quiet --csv csv "${@:3}"; }

# fields FILE FIELD... - a line per frame
fields() {
	local file=$1 wanted=() field
	shift
	for field in "$@"; do
		wanted+=(-e "$field")
	done
	tshark -n -r "$file" -T fields "${wanted[@]}" 2>tshark.log
}

# counter NODE PEER NAME - of the port, from the CSV
counter() {
	awk -F, -v node="$1" -v peer="$2" -v name="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i }
		$1 == node && $3 == peer { print $column }' csv/ports.csv
}

# counted FILE NODE PEER - are the frames in FILE those that the port has counted, both ways, and are there any?
counted() {
	local in out sent received
	in=$(fields "$1" frame.packet_flags_direction | grep -c '0x00000001')
	out=$(fields "$1" frame.packet_flags_direction | grep -c '0x00000002')
	sent=$(($(counter "$2" "$3" tx_frames) - $(counter "$2" "$3" words)))
	received=$(counter "$2" "$3" rx_frames)
	echo "$in in and $out out in $1, $received and $sent counted"
	[ "$in" = "$received" ] && [ "$out" = "$sent" ] && [ "$((in + out))" -gt 0 ]
}

sound() {
	local back bad
	capinfos "$1" | grep 'Strict time order: *True' || return 1
	back=$(fields "$1" frame.time_epoch | awk '$1 < last { print } { last = $1 }' | wc -l)
	bad=$(tshark -n -r "$1" -o ip.check_checksum:TRUE -o udp.ignore_ipv6_zero_checksum:TRUE \
		-o tcp.analyze_sequence_numbers:FALSE -Y '_ws.malformed || _ws.expert.severity >= 6291456' 2>tshark.log | wc -l)
	echo "$back stamps go back, $bad frames are malformed"
	[ "$back" = 0 ] && [ "$bad" = 0 ]
}
