#!/usr/bin/env bash
# test_image_database - three subnets, two routers, a web host with a start command, and a database
# host from an image, each with a health check (DU-3): topologies/three-subnets.yaml, where db has
# an image with PostgreSQL. The image is made here, of this machine's files; no network is used.
#
#   web, user - s1 - r1 - s2, s4 - r2 - s3 - db (image: postgres as its entry point)
set -u
. "$(dirname "$0")/common.sh"

skipped() { echo "skipped: $1"; exit 77; }
command -v podman >/dev/null || skipped 'podman is not installed'
busybox=$(command -v busybox) && ! ldd "$busybox" >/dev/null 2>&1 || skipped 'busybox is not installed, or not static'
server=$(find /usr/lib/postgresql -mindepth 1 -maxdepth 1 2>/dev/null | sort -V | tail -n 1)
[ -n "$server" ] && [ -x "$server/bin/postgres" ] && [ -x "$server/bin/psql" ] || skipped 'PostgreSQL is not installed'

fabric_dir
export XDG_CACHE_HOME=$scratch/cache
image=localhost/heddle-test-database:$$
tree=$scratch/tree

# the programs with their libraries, and what they read
files() {
	local programs=("$server"/bin/{initdb,postgres,pg_isready} "$server"/lib/{plpgsql,dict_snowball}.so)
	printf '%s\n' "${programs[@]}"
	ldd "${programs[@]}" | grep -o '=> /[^ ]*\|^\s/[^ ]* ' | grep -o '/[^ ]*' | sort -u
	echo "/usr/share/postgresql/${server##*/}"
}
tree_make() {
	mkdir -p "$tree"/{bin,etc,data,tmp} && cp "$busybox" "$tree/bin/busybox" || return 1
	busybox --list | grep -v -x busybox | while read -r applet; do ln -s busybox "$tree/bin/$applet"; done
	printf '%s\n' root:x:0:0:root:/:/bin/sh postgres:x:70:70:postgres:/data:/bin/sh >"$tree/etc/passwd"
	printf '%s\n' root:x:0: postgres:x:70: >"$tree/etc/group"
	files | xargs cp -r -L --parents -t "$tree" || return 1
	cat >"$tree/bin/start" <<-'SH'
		#!/bin/sh
		initdb -D /data/db -U "$OWNER" -A trust --locale=C && echo 'host all all all trust' >>/data/db/pg_hba.conf &&
			exec postgres -D /data/db -h '*' -k /tmp
	SH
	chmod 755 "$tree/bin/start"
	tar -C "$tree" --numeric-owner --owner 0 --group 0 --exclude ./data -cf "$scratch/image.tar" . &&
		tar -C "$tree" --numeric-owner --owner 70 --group 70 -rf "$scratch/image.tar" ./data
}
image_make() {
	tree_make && podman import --change 'ENTRYPOINT ["/bin/start"]' --change 'USER postgres' --change 'ENV OWNER=nobody' \
		--change "ENV PATH=$server/bin:/bin" "$scratch/image.tar" "$image"
}
at_end '"$heddle" down --all >/dev/null 2>&1; "$heddle" image prune >/dev/null 2>&1; podman rmi --force "$image" >/dev/null 2>&1'

# the scenario, in which db has the image in place of its command
scenario_make() {
	sed -e "s|^      run: .*http.server 5432.*|      image: '$image'\n      env: {OWNER: shop}|" \
		-e 's|bash -c ": </dev/tcp/127.0.0.1/5432"|pg_isready -h 127.0.0.1|' "$topologies/three-subnets.yaml" >"$scratch/fabric.yaml"
	grep -q "image: '$image'" "$scratch/fabric.yaml" && grep -q pg_isready "$scratch/fabric.yaml"
}

# sql STATEMENT - by the host user, beyond two routers
sql() { "$heddle" exec user -- "$server/bin/psql" -h "$to" -U shop -d postgres -qAtc "$1"; }

healthy() { says up 'host web is healthy' && says up 'host db is healthy'; }
stored() { to=db && sql 'create table goods (name text); insert into goods values ($$apple$$), ($$pear$$)' && [ "$(sql 'select count(*) from goods')" = 2 ]; }
over_ipv6() { to=fd03::10 && [ "$(sql 'select min(name) from goods')" = apple ]; }
as_postgres() { "$heddle" exec db -- sh -c 'stat -c %u:%g /data/db' | grep -x 70:70 && "$heddle" log db | grep 'ready to accept connections'; }
hops() { "$heddle" exec user -- ping -4 -c 1 -w 30 db | grep 'ttl=62'; }
fresh() {
	"$heddle" down >/dev/null && "$heddle" up "$scratch/fabric.yaml" >"$scratch/up" 2>&1 && ! grep unpacking "$scratch/up" && to=db &&
		[ "$(sql "select count(*) from pg_tables where tablename = 'goods'")" = 0 ]
}

image_make >"$scratch/out" 2>&1 || skipped "podman cannot make an image here: $(tail -n 1 "$scratch/out")"
check 'the scenario' scenario_make
fabric_up "$scratch/fabric.yaml"
check 'up waits for web and for the database' healthy
check 'a table, by a client beyond two routers' stored
check 'the same over IPv6' over_ipv6
check 'the server is the user of the image' as_postgres
check 'two routers lie between' hops
check 'started anew: unpacked already, the database empty' fresh
check 'down' "$heddle" down
finish
