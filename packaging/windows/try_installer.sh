#!/usr/bin/env bash
# The installer under Wine, with a program of a few lines in the place of Paperchute: try_installer.sh WINEPREFIX
# What it must do is said where it does not: it ends with 1.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export WINEPREFIX=$1 WINEARCH=win64 WINEDEBUG=-all WINEDLLOVERRIDES="winemenubuilder.exe,winedbg.exe=d;mscoree,mshtml="
work=$(mktemp -d)
home=$WINEPREFIX/drive_c/users/$(id -un)/AppData/Local/Programs/Paperchute
running=
end() {
  if [ -n "$running" ]; then kill "$running" 2>/dev/null || true; fi
  rm -rf "$work" "$home"
}
trap end EXIT
run() { timeout 60 /usr/lib/wine/wine64 "$@" </dev/null 2>&1 | cat; return "${PIPESTATUS[0]}"; }
fail() { echo "The installer: $1" >&2; exit 1; }

mkdir -p "$work/folder/_internal"
cat >"$work/program.c" <<'C'
#include <stdio.h>
#include <string.h>
#include <windows.h>
int main(int count, char **words) {
  if (count > 1 && !strcmp(words[1], "run")) Sleep(50000);
  FILE *told = fopen("C:\\told.txt", "a");
  for (int i = 1; i < count; i++) fprintf(told, "%s ", words[i]);
  return fclose(told);
}
C
x86_64-w64-mingw32-gcc "$work/program.c" -o "$work/folder/paperchute.exe"
cp "$work/folder/paperchute.exe" "$work/folder/paperchutew.exe"
echo 1 >"$work/folder/_internal/first"
setup() { makensis -V1 -WX -DVERSION="$1" -DFOLDER="$work/folder" -DOUT="$work/setup-$1.exe" "$here/installer.nsi"; }
setup 1
mv "$work/folder/_internal/first" "$work/folder/_internal/second"
setup 2

rm -rf "$home" "$WINEPREFIX/drive_c/told.txt"
run "$work/setup-1.exe" /S || fail "does not install"
for program in paperchute paperchutew; do
  /usr/lib/wine/wine64 "$home/$program.exe" run </dev/null >/dev/null 2>&1 &
  running=$!
  sleep 4
  ! run "$work/setup-2.exe" /S || fail "writes over $program.exe while it runs"
  ! run "$home/uninstall.exe" /S '_?=C:\users\'"$(id -un)"'\AppData\Local\Programs\Paperchute' ||
    fail "takes $program.exe away while it runs"
  [ -e "$home/_internal/first" ] || fail "took from $program.exe what it runs on"
  kill $running
  wait $running 2>/dev/null || true
  running=
done
run "$work/setup-2.exe" /S || fail "does not upgrade"
[ -e "$home/_internal/second" ] && ! [ -e "$home/_internal/first" ] || fail "leaves an old version's files behind"
echo mine >"$home/mine.txt"
run "$home/uninstall.exe" /S '_?=C:\users\'"$(id -un)"'\AppData\Local\Programs\Paperchute' || fail "does not uninstall"
[ "$(cat "$home/mine.txt")" = mine ] || fail "takes away what is not its own"
! [ -e "$home/_internal" ] && ! [ -e "$home/paperchute.exe" ] || fail "leaves its own files behind"
[ "$(cat "$WINEPREFIX/drive_c/told.txt")" = "autostart off sendto off " ] || fail "leaves entries at log-in or in menus"
echo "The installer: installed, refused while it ran, upgraded, uninstalled; what it found was left."
