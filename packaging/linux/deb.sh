#!/usr/bin/env bash
# Builds the package for Debian and Ubuntu of the self-contained folder, and tries it in a clean system:
#   packaging/linux/deb.sh OUT [FOLDER] [ROOT.tar]     -> OUT/paperchute_VERSION_ARCHITECTURE.deb
# FOLDER is what packaging/bundle/build.sh has built (default OUT/paperchute, built where it is missing). ROOT.tar is a clean
# Debian or Ubuntu (default: mmdebstrap makes one of this system's release). Trying it needs root; without, the script says that it was not tried.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,5s/^# //p' "$0"; exit 2; }
umask 022
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
folder=${2:-$out/paperchute} root=${3:-}
[ -x "$folder/paperchute" ] || packaging/bundle/build.sh "$(dirname "$folder")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

version=$("$folder/paperchute" --version | cut -d' ' -f2 | sed -E 's/(a|b|rc)([0-9]+)$/~\1\2/')
architecture=$(dpkg --print-architecture)
tree=$work/tree
mkdir -p "$tree/usr/lib" "$tree/usr/bin" "$tree/usr/share/doc/paperchute" "$tree/DEBIAN"
cp -a --no-preserve=ownership "$folder" "$tree/usr/lib/paperchute"
mv "$tree/usr/lib/paperchute/share"/* "$tree/usr/share/"
rmdir "$tree/usr/lib/paperchute/share"
find "$tree/usr/lib" -type f ! -name paperchute -exec chmod 644 {} +
ln -s ../lib/paperchute/paperchute "$tree/usr/bin/paperchute"
gzip -9n "$tree/usr/share/man/man1/paperchute.1"
{
  echo "Paperchute is under the Apache License, version 2.0: /usr/share/common-licenses/Apache-2.0"
  echo "It carries libraries under licences of their own; the texts of the LGPL and the GPL are in /usr/share/common-licenses."
  echo
  cat docs/licences.md
} >"$tree/usr/share/doc/paperchute/copyright"
gzip -9n >"$tree/usr/share/doc/paperchute/changelog.gz" <<CHANGES
paperchute ($version) stable; urgency=medium

  * This version; docs/ of the source says what it does.

 -- The Paperchute authors <paperchute@paperchute.invalid>  $(date -uR -r pyproject.toml)
CHANGES
glibc=$(find "$tree/usr/lib" -type f \( -name '*.so*' -o -name paperchute \) -exec grep -haoE 'GLIBC_2\.[0-9]+' {} + |
  sort -Vu | tail -1 | cut -d_ -f2)
cat >"$tree/DEBIAN/control" <<CONTROL
Package: paperchute
Version: $version
Architecture: $architecture
Maintainer: The Paperchute authors <paperchute@paperchute.invalid>
Section: utils
Priority: optional
Installed-Size: $(du -sk --apparent-size "$tree" | cut -f1)
Depends: libc6 (>= $glibc)
Recommends: xdg-utils, desktop-file-utils, hicolor-icon-theme
Suggests: tesseract-ocr
Description: Hot folders for documents
 Drop a file into a folder, and the finished document appears in the folder
 beside it: scans become searchable, PDFs become text, Word, Excel or HTML,
 web pages become PDFs, files are merged and locked.
 .
 It works offline, with an engine of its own, and needs no Python: everything
 lies in /usr/lib/paperchute. It starts at log-in once its person says so, with
 "paperchute autostart on" or in the menu of its icon.
CONTROL
cat >"$tree/DEBIAN/postinst" <<'POSTINST'
#!/bin/sh
set -e
if [ "$1" = configure ]; then
  # Some libraries are half zeros, put there so that they lie at even addresses: these need no place on the disk.
  find /usr/lib/paperchute -name '*.so*' -type f -size +1M -exec fallocate --dig-holes {} \; 2>/dev/null || true
  if [ -n "$2" ]; then
    echo "Paperchute: those who have it running go on with this version as soon as what is at work has ended."
  fi
fi
POSTINST
chmod 755 "$tree/DEBIAN/postinst"
(cd "$tree" && find usr -type f -exec md5sum {} +) >"$tree/DEBIAN/md5sums"
deb=$out/paperchute_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz -z3 --build "$tree" "$deb" >/dev/null
rm -rf "$tree"
du -h "$deb"

# Tried in a system that has neither Python nor a library of ours, by an ordinary user with an empty home.
[ "$(id -u)" = 0 ] || { echo "Not tried: that needs root."; exit 0; }
clean=$work/root
if [ -n "$root" ]; then
  mkdir "$clean"
  tar -C "$clean" -xf "$root"
elif command -v mmdebstrap >/dev/null; then
  mmdebstrap --quiet --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$clean"
else
  echo "Not tried: mmdebstrap is not installed."
  exit 0
fi
cp "$deb" "$clean/tmp/paperchute.deb"
cat >"$clean/tmp/try" <<'TRY'
set -eu
mount -t proc proc /proc
if command -v python3; then echo "The clean system has a Python."; exit 1; fi
useradd --create-home person
echo "a letter of theirs" >/home/person/letter.txt
everything() { find / -xdev \( -path /proc -o -path /dev -o -path /tmp -o -path /home -o -path /var/lib/dpkg -o -path /var/log \
  -o -path /var/cache \) -prune -o -print | sort; }
everything >/tmp/before
dpkg -i /tmp/paperchute.deb
echo "On the disk: $(du -sm /usr/lib/paperchute | cut -f1) MB"
as_person() { su person -c "cd && env -i HOME=/home/person PATH=/usr/bin:/bin LC_ALL=C.UTF-8 $*"; }
as_person paperchute demo '~/demo'
for result in scans.out/scan.pdf pdf.out/invoice.pdf; do [ -s "/home/person/demo/$result" ]; done
[ -s /home/person/demo/markdown.out/quarterly-report.md ] || [ -s /home/person/demo/markdown.out/quarterly-report/quarterly-report.md ]
as_person paperchute init --yes
as_person paperchute check
entry=/home/person/.config/autostart/paperchute.desktop
as_person XDG_CURRENT_DESKTOP=XFCE paperchute autostart status
[ ! -e "$entry" ]
as_person XDG_CURRENT_DESKTOP=XFCE paperchute autostart on
grep -q '^Exec="/usr/lib/paperchute/paperchute"' "$entry"
as_person XDG_CURRENT_DESKTOP=XFCE paperchute autostart off
[ ! -e "$entry" ]
[ "$(dpkg --verify paperchute)" = "" ]

# Upgraded while it runs: what was in place before hands over to what is there now, in the same process.
waits_for() { for _ in $(seq 120); do if eval "$1"; then return; fi; sleep 1; done; echo "It never came: $1"; exit 1; }
pid() { as_person paperchute status --json | sed -n 's/^  "pid": \([0-9]*\).*/\1/p'; }
log=/home/person/.local/state/paperchute/paperchute.log
as_person paperchute run --headless >/tmp/run.log 2>&1 &
waits_for '[ -n "$(pid)" ]'
before=$(pid)
dpkg -i /tmp/paperchute.deb
waits_for 'grep -q "the other version takes over" "$log"'
waits_for '[ "$(pid)" = "$before" ]'
as_person cp '~/demo/markdown.done/quarterly-report.pdf' '~/Hot/markdown/'
waits_for '[ -n "$(find /home/person/Hot/markdown.out -name "*.md" 2>/dev/null)" ]'
kill "$before"
wait
(cd /home && find person -type f -exec sha256sum {} + | sort) >/tmp/theirs
dpkg --purge paperchute
everything >/tmp/after
diff /tmp/before /tmp/after
(cd /home && find person -type f -exec sha256sum {} + | sort) | diff /tmp/theirs -
TRY
unshare --mount --pid --fork sh -c 'mount --rbind /dev "$1/dev" && exec chroot "$1" sh /tmp/try' sh "$clean"
echo "Installed, worked, and taken away: nothing of it is left, and the user's files are as they were."
