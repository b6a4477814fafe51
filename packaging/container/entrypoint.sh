#!/bin/sh
# Runs a verb of paperchute as PUID:PGID; `health` says whether it watches. Folders of people are never given to anybody else.
set -eu
fail() { echo "paperchute: $1" >&2; exit 2; }

if [ "$(id -u)" = 0 ]; then
  for number in "${PUID:=1000}" "${PGID:=1000}"; do
    case $number in
      ''|*[!0-9]*) fail "PUID and PGID are numbers, as \`id\` prints them, not '$number'." ;;
    esac
  done
  [ "$PUID" -gt 0 ] && [ "$PGID" -gt 0 ] || fail "PUID and PGID are those of an ordinary user, not 0."
  for folder in /in /out /rules /state; do
    # One that the container's system has just made for a volume belongs to root and is empty.
    if [ "$(stat -c %u "$folder")" = 0 ] && [ -z "$(ls -A "$folder")" ]; then
      chown "$PUID:$PGID" "$folder" 2>/dev/null || true
    fi
  done
  exec setpriv --reuid="$PUID" --regid="$PGID" --clear-groups --no-new-privs "$0" "$@"
fi

if [ "$*" = health ]; then
  paperchute status --json | grep -q '"running": true' || exit 1
  exit 0
fi
for folder in /in /out /rules /state; do
  [ -w "$folder" ] ||
    fail "$folder cannot be written by user $(id -u):$(id -g). Set PUID and PGID to its owner, $(stat -c %u:%g "$folder")."
done
if [ "${1:-}" = run ]; then
  if ! [ -e "$PAPERCHUTE_RULES" ]; then  # the first rules; the file is there whole or not at all
    mkdir -p /in/scans /in/word /in/markdown /in/bundles
    cp /usr/share/paperchute/rules.toml "$PAPERCHUTE_RULES.new"
    mv -n "$PAPERCHUTE_RULES.new" "$PAPERCHUTE_RULES"
  fi
  if [ -z "${PAPERCHUTE_PAGE_PASSWORD:-}${PAPERCHUTE_PAGE_PASSWORD_FILE:-}" ] && ! grep -q '^\[page\]' "$PAPERCHUTE_RULES"; then
    unset PAPERCHUTE_PAGE_LISTEN  # which is never without a password
    echo "paperchute: no page, since there is no password. Set PAPERCHUTE_PAGE_PASSWORD_FILE, or PAPERCHUTE_PAGE_PASSWORD." >&2
  fi
fi
exec paperchute "$@"
