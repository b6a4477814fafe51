#!/usr/bin/env bash
# Builds the container image for hot folders on a server or a NAS, of the Debian package, and tries it:
#   packaging/container/build.sh OUT [DEB]     -> the image paperchute of podman (or of $CONTAINER, such as docker)
# DEB is what packaging/linux/deb.sh has built (default: the one in OUT, built where it is missing).
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,4s/^# //p' "$0"; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
container=${CONTAINER:-podman}
deb=${2:-$(find "$out" -maxdepth 1 -name 'paperchute_*.deb' | sort | tail -1)}
if [ -z "$deb" ]; then
  packaging/linux/deb.sh "$out"
  deb=$(find "$out" -maxdepth 1 -name 'paperchute_*.deb' | sort | tail -1)
fi
work=$(mktemp -d)
name=paperchute-try-$$
trap '"$container" rm -f "$name" >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
mkdir "$work/context" "$work"/{in,out,rules,state}
cp packaging/container/{Containerfile,entrypoint.sh,rules.toml} "$work/context/"
cp "$deb" "$work/context/paperchute.deb"
format=()
[ "$container" != podman ] || format=(--format docker)  # the other one knows no health checks
"$container" build "${format[@]}" -t paperchute -f "$work/context/Containerfile" "$work/context"

# Tried as an ordinary user of its own number, with a read-only root and no rights but those to become that user.
user=4321
chown $user:$user "$work"/{in,out,rules,state}
printf 'a password of the trial' >"$work/password"
chmod 644 "$work/password"
chmod 711 "$work"
"$container" run -d --name "$name" --read-only --tmpfs /tmp --cap-drop ALL --cap-add SETUID --cap-add SETGID --cap-add CHOWN \
  --security-opt no-new-privileges -e PUID=$user -e PGID=$user -e PAPERCHUTE_PAGE_PASSWORD_FILE=/password \
  -v "$work/password:/password:ro" -v "$work/in:/in" -v "$work/out:/out" -v "$work/rules:/rules" -v "$work/state:/state" \
  paperchute
await() {  # WHAT COMMAND...: until it succeeds, for two minutes
  local what=$1
  shift
  for _ in $(seq 120); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 1
  done
  "$container" logs "$name"
  echo "It has not come to this in two minutes: $what." >&2
  exit 1
}
health=("$container" exec "$name" /usr/lib/paperchute-container/entrypoint.sh health)
await "healthy" "${health[@]}"
cp daemon/paperchute/demo/quarterly-report.pdf "$work/in/markdown/report.pdf"
await "the result" test -e "$work/out/markdown/report.md" -o -e "$work/out/markdown/report"
[ "$(find "$work/out" -mindepth 1 ! -user $user | wc -l)" = 0 ]
[ -e "$work/in/markdown.done/report.pdf" ] || await "the original put away" test -e "$work/in/markdown.done/report.pdf"
"$container" stop -t 40 "$name" >/dev/null
[ "$("$container" inspect -f '{{.State.ExitCode}}' "$name")" = 0 ]
"$container" rm "$name" >/dev/null
if "$container" run --rm -e PUID=0 paperchute 2>/dev/null; then echo "It runs as root." >&2; exit 1; fi
echo "Built and tried: healthy, a document worked off as user $user, stopped in peace."
