#!/bin/sh
# Installs Headroom: finds the archive for this machine's processor, verifies its hash, and puts the program where it
# is found. Works without a network from a folder that has the archive and SHA256SUMS. See `sh install.sh --help`.
set -eu

# Where releases are fetched from; a release fills it in.
releases=''

usage() {
    cat <<'END'
Usage: sh install.sh [--user | --system] [--from DIR|URL] [--uninstall]

  --user       into ~/.local (the default for everybody but root)
  --system     into /usr/local, with a unit for systemd that is not started (the default for root)
  --from       the folder or URL with the archive and SHA256SUMS
               [default: the folder of this script, else where it was published]
  --uninstall  take away what was installed; runs that were kept stay
END
}

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

main() {
    scope='' from='' remove=''
    while [ $# -gt 0 ]; do
        case "$1" in
        --user) scope=user ;;
        --system) scope=system ;;
        --uninstall) remove=yes ;;
        --from)
            [ $# -ge 2 ] || fail "--from needs a folder or a URL"
            from=$2
            shift
            ;;
        --from=*) from=${1#--from=} ;;
        -h | --help)
            usage
            return
            ;;
        *)
            usage >&2
            fail "\`$1\` is none of its options"
            ;;
        esac
        shift
    done
    if [ -z "$scope" ]; then
        if [ "$(id -u)" -eq 0 ]; then scope=system; else scope=user; fi
    fi
    if [ "$scope" = system ]; then
        prefix=/usr/local
    else
        prefix=${HOME:?is not set, so there is no place for a user}/.local
    fi
    program=$prefix/bin/headroom
    documents=$prefix/share/doc/headroom
    unit=
    if [ "$scope" = system ]; then unit=/etc/systemd/system/headroom-node.service; fi
    if { [ -e "$program" ] || [ -L "$program" ]; } && ! is_ours; then
        fail "$program is not Headroom's: move it away first"
    fi
    if [ -n "$remove" ]; then uninstall; else install; fi
}

# Whether the program that is there is ours: it says so. A program for another processor says nothing.
is_ours() {
    [ -f "$program" ] && [ -x "$program" ] || return 1
    case "$("$program" --version 2>/dev/null)" in
    "headroom "*) return 0 ;;
    *) return 1 ;;
    esac
}

# Whether the unit is one of ours that nobody wrote anew (`headroom node --systemd-unit` names another command).
is_our_unit() {
    [ -n "$unit" ] && [ -f "$unit" ] && grep -q "^ExecStart=/usr/local/bin/headroom node \$HEADROOM_NODE_OPTIONS\$" "$unit"
}

install() {
    [ "$(uname -s)" = Linux ] || fail "Headroom needs Linux, and this is $(uname -s)"
    machine=$(uname -m)
    case "$machine" in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) fail "there is no program for the processor $machine: build it from source (cargo build --release)" ;;
    esac
    if [ -z "$from" ]; then
        folder=$(dirname -- "$0")
        if [ -f "$folder/SHA256SUMS" ]; then from=$folder; else from=$releases; fi
    fi
    [ -n "$from" ] || fail "no releases are known: say with --from in which folder or at which URL they are"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    get SHA256SUMS
    line=$(grep -e "  headroom-[^ ]*-$machine-linux\.tar\.gz\$" "$work/SHA256SUMS" || true)
    archive=${line##* }
    [ -n "$archive" ] || fail "SHA256SUMS of $from names no program for $machine"
    case "$archive" in */*) fail "SHA256SUMS of $from names \`$archive\`, which lies in another folder" ;; esac
    get "$archive"
    [ "$(sum "$work/$archive")" = "${line%% *}" ] ||
        fail "$archive has not the hash that SHA256SUMS says: it was changed or cut on its way; nothing is installed"
    mkdir "$work/unpacked"
    tar -C "$work/unpacked" -xzf "$work/$archive" || fail "$archive cannot be unpacked"
    content=$work/unpacked/${archive%.tar.gz}
    "$content/headroom" --version >/dev/null 2>&1 ||
        fail "the program does not run here ($work may be mounted with noexec: set TMPDIR to another folder)"
    put 755 "$content/headroom" "$program"
    for name in LICENSE-APACHE LICENSE-MIT THIRD-PARTY-LICENSES.txt; do
        put 644 "$content/$name" "$documents/$name"
    done
    if [ -n "$unit" ] && [ -d /run/systemd/system ]; then
        if [ ! -e "$unit" ] || is_our_unit; then
            put 644 "$content/headroom-node.service" "$unit"
            systemctl daemon-reload || true
        else
            echo "$unit is another, and stays as it is"
        fi
    fi
    echo "$("$program" --version) is installed: $program"
    case ":$PATH:" in
    *":${program%/headroom}:"*) echo "Measure this machine, in about two minutes: headroom run" ;;
    *) echo "Measure this machine, in about two minutes: $program run" ;;
    esac
}

# Brings a file into the folder `$work`.
get() {
    case "$from" in
    http://* | https://*)
        if command -v curl >/dev/null 2>&1; then
            curl -fsSL -o "$work/$1" "${from%/}/$1" || fail "${from%/}/$1 cannot be fetched"
        elif command -v wget >/dev/null 2>&1; then
            wget -q -O "$work/$1" "${from%/}/$1" || fail "${from%/}/$1 cannot be fetched"
        else
            fail "neither curl nor wget is there: fetch SHA256SUMS and headroom-*-$machine-linux.tar.gz from ${from%/} yourself, and give their folder to --from"
        fi
        ;;
    *) cp -- "${from%/}/$1" "$work/$1" || fail "$1 cannot be read from the folder $from" ;;
    esac
}

# The SHA-256 of a file.
sum() {
    if command -v sha256sum >/dev/null 2>&1; then
        sha256sum <"$1" | cut -d ' ' -f 1
    elif command -v openssl >/dev/null 2>&1; then
        openssl dgst -sha256 -r <"$1" | cut -d ' ' -f 1
    else
        fail "neither sha256sum nor openssl is there, so the hash cannot be verified"
    fi
}

# Puts a file in place whole: with the permissions $1, from $2 to $3.
put() {
    if mkdir -p "${3%/*}" && cp "$2" "$3.$$" && chmod "$1" "$3.$$" && mv -f "$3.$$" "$3"; then return; fi
    rm -f "$3.$$" 2>/dev/null || true
    fail "$3 cannot be written: run this as root for --system, or take --user"
}

uninstall() {
    if [ "$scope" = system ]; then state=/var/lib/headroom; else state=${XDG_STATE_HOME:-$HOME/.local/state}/headroom; fi
    if [ -e "$program" ] && [ -s "$state/settings.journal" ]; then
        fail "a run that was killed changed settings of this machine: \`$program restore\` puts them back; then uninstall"
    fi
    if is_our_unit; then
        if [ -d /run/systemd/system ]; then systemctl disable --now headroom-node.service || true; fi
        rm -f "$unit"
        if [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
    fi
    if [ -e "$program" ]; then
        rm -f "$program" || fail "$program cannot be removed: run this as root"
        echo "$program is removed"
    else
        echo "there is no $program"
    fi
    for name in LICENSE-APACHE LICENSE-MIT THIRD-PARTY-LICENSES.txt; do
        rm -f "$documents/$name"
    done
    rmdir "$documents" 2>/dev/null || true
    echo "Runs that were kept stay in ${XDG_DATA_HOME:-~/.local/share}/headroom, keys of a node in $state"
}

# Last, so that a script that was cut on its way does nothing.
main "$@"
