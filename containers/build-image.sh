#!/usr/bin/env bash
# build-image - an image with heddle in it, from the packages of this machine's own distribution and
# nothing else.
#
# usage: containers/build-image.sh [--tools] [TAG]       TAG: localhost/heddle unless given
#   --tools   also ip, ping, iperf3, curl and tcpdump, for hosts that are attached to the fabric
#
# The base is what dpkg calls essential, made by mmdebstrap from the sources that apt uses here;
# then the libraries that the programs ask for, then `make install`. The release is this machine's,
# because the programs were linked with its libraries.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=${here%/*}
tools=()
hooks=()
tag=localhost/heddle

fail() {
	echo "build-image: $*" >&2
	exit 1
}

# quietly COMMAND... - shows what the command printed only if it fails, and ends
quietly() {
	"$@" >"$scratch/log" 2>&1 || fail "$1 failed:"$'\n'"$(tail -n 20 "$scratch/log")"
}

# with_tools - a ping that asks for a capability does not even start in a container that lacks it;
# root needs no asking
with_tools() {
	tools=(iproute2 iputils-ping iperf3 curl tcpdump)
	# shellcheck disable=SC2016 # $1 is for mmdebstrap
	hooks=(--customize-hook='chroot "$1" setcap -r /bin/ping')
}

arguments() {
	while [ $# -gt 0 ]; do
		case $1 in
		--tools) with_tools ;;
		-h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
		-*) fail "$1: no such option; there is --tools" ;;
		*) tag=$1 ;;
		esac
		shift
	done
}

needs() {
	local command
	for command in mmdebstrap apt-get dpkg ldd make; do
		command -v "$command" >/dev/null ||
			fail "$command is missing; on Debian or Ubuntu: apt-get install $command; elsewhere see containers/Containerfile"
	done
}

# sources - the distribution's own part of this machine's apt sources, a line each; others (ORIGIN
# differs) stay out
sources() {
	# shellcheck disable=SC2016 # apt's variables, not ours
	apt-get indextargets --format '$(ORIGIN) deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
		awk -v id="$ID" 'tolower($1) == id { sub(/^[^ ]+ /, ""); print }' | sort -u
}

# libraries PROGRAM... - the packages of all shared libraries that the programs load; a library may
# be known by its name before /lib became /usr/lib
libraries() {
	local needed file
	needed=$(ldd "$@" | awk '/not found/ { print $1 } $2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u)
	# shellcheck disable=SC2086,SC2046
	dpkg -S $needed $(sed 's|^|/usr|' <<<"$needed") 2>/dev/null | sed 's/[:,].* / /' >"$scratch/owners" || true
	for file in $needed; do
		awk -v file="$file" '$2 == file || $2 == "/usr" file { print $1; exit }' "$scratch/owners" | grep . ||
			fail "$file: belongs to no package, so it cannot be put into the image"
	done | sort -u
}

# base FILE PACKAGE... - a tar of the root file system, with the files of $scratch/heddle.tar
base() {
	local file=$1
	shift
	mmdebstrap --quiet --variant=essential --include="$(IFS=,; echo "$*")" --aptopt='Acquire::Languages "none"' \
		--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
		--customize-hook="tar-in $scratch/heddle.tar /" "${hooks[@]}" "$VERSION_CODENAME" "$file" "$scratch/sources.list"
}

# remove_untagged IMAGE - the image that had the tag before, unless it has another one or is in use
remove_untagged() {
	[ -n "$1" ] && [ "$("${engine[@]}" image inspect --format '{{len .RepoTags}}' "$1" 2>/dev/null)" = 0 ] || return 0
	"${engine[@]}" rmi "$1" >/dev/null 2>&1 || true
}

arguments "$@"
needs
. "$here/engine.sh"
engine_find
. /etc/os-release
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch" # mmdebstrap may read it as another user

sources >"$scratch/sources.list"
[ -s "$scratch/sources.list" ] || fail "apt knows no package list of $ID; as root: apt-get update"
# without rankd: ranks of MPI are started on machines, by mpirun or Slurm
quietly make -C "$top" install MPI= DESTDIR="$scratch/root" PREFIX=/usr/local
tar -C "$scratch/root" --owner=0 --group=0 -cf "$scratch/heddle.tar" usr
libraries "$scratch"/root/usr/local/bin/heddle "$scratch"/root/usr/local/libexec/heddle/* >"$scratch/packages"
mapfile -t packages <"$scratch/packages"
packages+=("${tools[@]}")
echo "build-image: $ID $VERSION_CODENAME with ${packages[*]}; about half a minute" >&2
quietly base "$scratch/image.tar" "${packages[@]}"
old=$("${engine[@]}" image inspect --format '{{.Id}}' "$tag" 2>/dev/null || true)
# without PATH in the image, `podman kube play` finds no command
quietly "${engine[@]}" import --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
	--change 'CMD ["heddle", "help"]' --change 'WORKDIR /mnt' "$scratch/image.tar" "$tag"
remove_untagged "$old"
echo "$tag: $(du -m "$scratch/image.tar" | cut -f 1) MB"
