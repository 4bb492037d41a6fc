# view - what the tests of served pages share. Sourced after common.sh; $url is the page's address.
# shellcheck disable=SC2034
client=$top/tests/system/http_client.py

# at_a_time CASE... - these cases of the client, all at once
at_a_time() {
	local case clients=() failed=0
	for case; do
		python3 "$client" "$case" "$url" &
		clients+=($!)
	done
	for case in "${clients[@]}"; do
		wait "$case" || failed=1
	done
	return $failed
}
