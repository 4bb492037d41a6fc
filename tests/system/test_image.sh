#!/usr/bin/env bash
# test_image - hosts from images (DU-3): the image's files, program, user, variables and folder; the
# cache of unpacked images. For a fabric of root, and for one of user 65534, with subordinate ids.
# The image is made here, of a static busybox, and no network is used.
#
#   web (image: its own program, a web server as user web) -- s1 -- h2
#   other (image: a program of the scenario in place of it)
set -u
. "$(dirname "$0")/common.sh"

command -v podman >/dev/null || { echo 'skipped: podman is not installed'; exit 77; }
busybox=$(command -v busybox) && ! ldd "$busybox" >/dev/null 2>&1 || { echo 'skipped: busybox is not installed, or not static'; exit 77; }

fabric_dir
chmod 711 "$scratch"
export XDG_CACHE_HOME=$scratch/cache
tag=localhost/heddle-test-$$
cache=$XDG_CACHE_HOME/heddle/images

# ---- the caller: replaced for the ordinary user ----

h() { "$heddle" "$@"; }
x() { h exec "$@"; }
p() { podman "$@"; }

# ---- the image ----

tree=$scratch/tree
tree_make() {
	mkdir -p "$tree"/{bin,etc,www,home/web,dev,data} && cp "$busybox" "$tree/bin/busybox"
	busybox --list | grep -v -x busybox | while read -r applet; do ln -s busybox "$tree/bin/$applet"; done
	printf '%s\n' root:x:0:0:root:/:/bin/sh web:x:80:81:web:/home/web:/bin/sh >"$tree/etc/passwd"
	printf '%s\n' root:x:0: web:x:81: crew:x:90: >"$tree/etc/group"
	echo 'of the image' >"$tree/www/index.html"
	# the server's own program: it shows its user, then serves
	cat >"$tree/bin/serve" <<-'SH'
		#!/bin/sh
		echo "$(id -u):$(id -g) $PWD $GREETING ${CALLER:-none} $HOME" >/tmp/who
		touch /data/mine || exit 1
		exec httpd -f "$@"
	SH
	chmod 755 "$tree/bin/serve"
	tar -C "$tree" --numeric-owner --owner 0 --group 0 --exclude ./data -cf "$scratch/image.tar" .
	tar -C "$tree" --numeric-owner --owner 80 --group 81 -rf "$scratch/image.tar" ./data
	chmod 644 "$scratch/image.tar"
}
image_make() {
	p import --change 'ENTRYPOINT ["/bin/serve"]' --change 'CMD ["-p", "8080", "-h", "/www"]' --change 'USER web' --change 'ENV GREETING=hello' \
		--change 'WORKDIR /www' "$scratch/image.tar" "$tag:web" &&
		p import --change 'CMD ["sleep", "8770"]' --change "USER 1234:crew" "$scratch/image.tar" "$tag:number" &&
		p import --change 'CMD ["sleep", "8771"]' --change 'USER nobody-here' "$scratch/image.tar" "$tag:no-user" &&
		web_id=$(p image inspect --format '{{.Id}}' "$tag:web")
}
image_end() { p rmi --force "$tag:web" "$tag:number" "$tag:no-user" "$tag:web2"; }

# ---- fabrics ----

# scenario WEB OTHER - the keys of two hosts
scenario() {
	printf '%s\n' 'name: images' 'links: {rate: 100Mb/s, delay: 1ms}' 'topology:' '  switches: [s1]' '  links: []' '  hosts:' \
		"    web: {switch: s1, $1}" "    other: {switch: s1, $2}" '    h2: s1' >"$scratch/fabric.yaml"
	chmod 644 "$scratch/fabric.yaml"
}
up() {
	local status
	scenario "$2" "$3"
	CALLER=me h up "$scratch/fabric.yaml" >"$scratch/out" 2>&1
	status=$?
	[ "$status" = "$1" ] || { echo "heddle up: exit status $status, not $1"; cat "$scratch/out"; return 1; }
}
down() { h down images >/dev/null; }
fetched() { [ "$(x h2 -- busybox wget -q -O - http://web:8080/)" = 'of the image' ]; }
has_run() { x "$1" -- cat /tmp/who | grep .; }

first() {
	up 0 "image: '$tag:web'" "image: '$tag:web', user: root, env: {GREETING: changed, OWN: 1}, run: ['echo \"\$(id -u) \$PWD \$GREETING \$OWN\" >/tmp/who; sleep 8772']" &&
		says out 'unpacking image' && [ "$(grep -c unpacking "$scratch/out")" = 1 ]
}
served() { in_the_end fetched; }
as_image_says() { [ "$(wait_for has_run web)" = '80:81 /www hello none /home/web' ]; }
as_scenario_says() { [ "$(wait_for has_run other)" = '0 /www changed 1' ] && ! programs_of other | grep httpd; }
# HOST - the names of its processes
programs_of() { x "$1" -- sh -c 'cat /proc/[0-9]*/comm'; }
shown() { h ps --json | jq -e '[.[0].programs[] | select(.host == "web").command] == ["/bin/serve -p 8080 -h /www"] and all(.[0].programs[]; .running)'; }
# what is unpacked, with owners and times
content() { find "$cache/$web_id/root" -printf '%P %T@ %s %m %U:%G\n' | sort; }
unchanged() {
	content >"$scratch/before"
	x web -- sh -c 'echo changed >/www/index.html; rm /bin/vi; mkdir /new' && [ "$(x h2 -- busybox wget -q -O - http://web:8080/)" = changed ] &&
		[ "$(x other -- cat /www/index.html)" = 'of the image' ] && content | diff "$scratch/before" - &&
		grep -q '^data .* 755 '"$(owner_of 80):$(owner_of 81)" "$scratch/before" && grep -q "^bin/busybox .* $(owner_of 0)" "$scratch/before"
}
# of the machine, for user N of the host
owner_of() { if [ "$who" = root ]; then echo "$1"; elif [ "$1" = 0 ]; then echo $nobody; else echo $((subordinate + $1 - 1)); fi; }
listed() {
	h image list --json | jq -e 'length == 1 and .[0].used and .[0].bytes > 0 and .[0].name == "'"$tag:web"'" and .[0].id == "'"$web_id"'"' &&
		h image list | grep "used .*$tag:web"
}
prune_spares() { [ "$(h image prune)" = 'nothing to remove' ] && content | diff "$scratch/before" -; }
# also by another name of the same image; not even a time of a file differs
again() {
	p tag "$tag:web" "$tag:web2" && down && up 0 "image: '$tag:web2'" "image: '$tag:web'" && ! says out unpacking >/dev/null &&
		served && [ "$(wait_for has_run other)" = '80:81 /www hello none /home/web' ] && content | diff "$scratch/before" -
}
numbers() {
	down && up 0 "image: '$tag:number'" "image: '$tag:no-user'" || return 1
	[ "$(x web -- sh -c 'stat -c %u:%g $(dirname $(grep -l -x sleep /proc/[0-9]*/comm))')" = 1234:90 ] &&
		h ps --json | jq -e '.[0].programs[] | select(.host == "other").fate | test("no such user")'
}
health() { down && up 0 "image: '$tag:web', health: 'wget -q -O - http://127.0.0.1:8080/'" 'run: [true]' && says out 'web is healthy'; }
saved() { h save >"$scratch/saved.yaml" && says saved.yaml "image: \"$tag:web\"" && ! says saved.yaml "$cache" >/dev/null; }
pruned() {
	down && h image prune --json | jq -e "length == 3 and all(.[]; .used == false)" && [ "$(h image list)" = 'no image is unpacked' ] &&
		[ "$(find "$cache" -mindepth 1 -maxdepth 1 ! -name lock)" = '' ]
}
containerlab() {
	cat >"$scratch/lab.clab.yml" <<-YAML
		name: images
		topology:
		  nodes:
		    web: {kind: linux, image: '$tag:web'}
		    h2: {kind: linux, image: '$tag:number'}
		  links:
		    - endpoints: ['web:eth1', 'h2:eth1']
	YAML
	down
	"$heddle" import "$scratch/lab.clab.yml" -o "$scratch/lab.yaml" && chmod 644 "$scratch/lab.yaml" && says lab.yaml "image: " &&
		h up "$scratch/lab.yaml" >"$scratch/out" 2>&1 && [ "$(wait_for has_run web)" = '80:81 /www hello none /home/web' ] && down
}

# ---- what goes wrong ----

refused() { up 2 "image: '$1'" 'run: [true]' && says out "$scratch/fabric.yaml:7:" && says out "image '$1'" && says out "$2" && nothing_runs; }
nothing_runs() { ! h ps images >/dev/null 2>&1; }
# a name that no registry is asked for
absent() { refused localhost:1/absent 'podman cannot pull it' && says out 'podman pulls it'; }
bad_name() { refused "$tag:web::x" 'looking it up'; }

# with_podman SCRIPT [TAR] - heddle up, with scripts in place of podman ('': nothing) and tar
with_podman() {
	local path=$scratch/path
	rm -rf "$path" && mkdir -m 755 "$path" || return 1
	for program in sh tar rm cat head sleep; do ln -s "$(command -v $program)" "$path/$program"; done
	[ -z "$1" ] || { printf '#!/bin/sh\n%s\n' "$1" >"$path/podman"; chmod 755 "$path/podman"; }
	[ -z "${2:-}" ] || { rm "$path/tar" && printf '#!/bin/sh\n%s\n' "$2" >"$path/tar" && chmod 755 "$path/tar"; }
	PATH=$path "$heddle" up "$scratch/fabric.yaml" >"$scratch/out" 2>&1
	[ $? = 2 ]
}
real=$(command -v podman)
no_podman() { scenario "image: '$tag:web'" 'run: [true]' && with_podman '' && says out "fabric.yaml:7:31: image '$tag:web': podman is not installed; as root: apt-get install podman"; }
bad_answer() {
	with_podman 'case $2 in exists) exit 0 ;; inspect) echo "[{\"Id\": \"x\"}]" ;; esac' && says out 'its ID is not 64 hexadecimal digits' &&
		with_podman 'case $2 in exists) exit 0 ;; inspect) echo "[" ;; esac' && says out 'is no JSON'
}
# of this image: other tests unpack theirs at the same time
no_container() { ! podman ps --all --format '{{.Names}}' | grep "heddle-unpacks-${web_id:0:16}"; }
# unpacking fails in the middle: nothing of it is taken for whole, now or later
broken() {
	with_podman "case \$1 in export) $real \"\$@\" -o $scratch/half; cat $scratch/half | head -c 100000; exit 3 ;; *) exec $real \"\$@\" ;; esac" && says out "fabric.yaml:7:31: image" &&
		says out 'unpacking it' && [ -z "$(find "$cache" -mindepth 1 -maxdepth 1 ! -name lock)" ] &&
		no_container
}
# tar fails, which podman does not learn
no_space() {
	with_podman "exec $real \"\$@\"" 'echo "tar: x: No space left on device" >&2; exit 2' &&
		says out 'unpacking it' && says out 'status 2: tar: x: No space left on device' && [ -z "$(find "$cache" -mindepth 1 -maxdepth 1 ! -name lock)" ]
}
# killed in the middle: what is left is not used, does not disturb, and is removed
killed() {
	local pid
	with_podman "case \$1 in export) echo \$\$ >$scratch/exporting; exec sleep 60 ;; *) exec $real \"\$@\" ;; esac" &
	wait_for cat "$scratch/exporting" && pid=$(sed -n 's/^PPid:\t//p' "/proc/$(cat "$scratch/exporting")/status") && kill -9 "$pid"
	kill "$(cat "$scratch/exporting")"
	wait
	[ -n "$(find "$cache" -name '*.new.*')" ] && [ "$(h image list)" = 'no image is unpacked' ] &&
		up 0 "image: '$tag:web'" 'run: [true]' && says out unpacking && served && h image prune && [ -z "$(find "$cache" -name '*.new.*')" ] && served && down
}
# two at once: one unpacks, the other one waits for it
two() {
	local first status
	h image prune >/dev/null
	scenario "image: '$tag:web'" 'run: [true]'
	"$heddle" up "$scratch/fabric.yaml" --name one >"$scratch/one" 2>&1 &
	first=$!
	"$heddle" up "$scratch/fabric.yaml" --name two >"$scratch/two" 2>&1
	status=$?
	wait $first && [ $status = 0 ] || { cat "$scratch/one" "$scratch/two"; return 1; }
	[ "$(cat "$scratch/one" "$scratch/two" | grep -c unpacking)" = 1 ] && "$heddle" down --all >/dev/null
}
# the daemon holds its images, whatever becomes of `heddle up`; when it is killed, they are free
freed() {
	up 0 "image: '$tag:web'" 'run: [true]' && [ "$(h image prune)" = 'nothing to remove' ] && kill -9 "$(h ps --json | jq '.[0].pid')" &&
		wait_for sh -c "'$heddle' image prune | grep '$tag:web'"
}

all() {
	check "$who: images are made" p image exists "$tag:no-user"
	check "$who: two hosts of an image" first
	check "$who: its program serves another host" served
	check "$who: user, folder, variables and command of the image" as_image_says
	check "$who: run, user and env of the scenario in place of them" as_scenario_says
	check "$who: heddle ps shows the command" shown
	check "$who: hosts can change all, the image stays" unchanged
	check "$who: heddle image list" listed
	check "$who: an image in use is not pruned" prune_spares
	check "$who: unpacked once" again
	check "$who: users as numbers, groups, a user that is missing" numbers
	check "$who: health" health
	check "$who: heddle save keeps the image's name" saved
	check "$who: a lab of containerlab" containerlab
	check "$who: heddle image prune" pruned
	check "$who: an image that is not there" absent
	check "$who: a name that is none" bad_name
}

who=root
[ "$(id -u)" = 0 ] || who=rootless
tree_make
scenario 'run: [true]' 'run: [true]'
fabric_up "$scratch/fabric.yaml"
down
rootless_end() { :; }
at_end 'h down --all >/dev/null 2>&1; h image prune >/dev/null 2>&1; image_end >/dev/null 2>&1; rootless_end'
if ! image_make >"$scratch/out" 2>&1; then
	echo "skipped: podman cannot make an image here: $(tail -n 1 "$scratch/out")"
	exit 77
fi
nobody=$(id -u)
subordinate=$(getsubids "$(id -un)" 2>/dev/null | awk '{ print $3; exit }')
all
check 'without podman' no_podman
check 'what podman says is no image' bad_answer
check 'an export that fails' broken
check 'tar fails' no_space
check 'killed while it unpacks' killed
check 'two at once' two
check 'the daemon is killed' freed
if [ "$who" = root ]; then
	h image prune >/dev/null
	image_end >/dev/null 2>&1
	unset HEDDLE_RUNTIME_DIR XDG_CACHE_HOME
	rootless_prepare || finish || exit
	who=rootless
	subordinate=200000 # rootless_prepare
	cache=$scratch/home/.cache/heddle/images
	h() { user_with ids "$@"; }
	x() { user exec "$@"; }
	# user_with, for podman
	p() {
		# shellcheck disable=SC2016
		(cd / && unshare --mount --propagation private bash -c '
			mount --bind "$1" /etc/subuid && mount --bind "$1" /etc/subgid && shift && . "$0" && as_user "$@"' \
			"$scratch/as_user" "$scratch/ids" $nobody HOME="$scratch/home" XDG_RUNTIME_DIR="$scratch/session" "$real" "$@")
	}
	# podman keeps its user namespace with a process, and its locks in /dev/shm
	locks=/dev/shm/libpod_rootless_lock_$nobody
	[ ! -e "$locks" ] || locks=
	rootless_end() {
		kill $(find "$scratch/session" -name pause.pid -exec cat {} +) 2>/dev/null
		rm -f ${locks:+"$locks"}
	}
	if ! up 0 'dns: [10.0.0.1]' 'dns: [10.0.0.1]' || ! image_make >"$scratch/out" 2>&1; then
		skip rootless "$(tail -n 1 "$scratch/out")"
		finish
		exit
	fi
	down
	all
fi
finish
