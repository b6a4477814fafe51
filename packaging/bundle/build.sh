#!/usr/bin/env bash
# Builds the self-contained folder for this system, which needs no Python, tries it, and packs it:
#   packaging/bundle/build.sh OUT [PYTHON]     -> OUT/paperchute, OUT/paperchute-VERSION-SYSTEM.tar.gz (Linux: .tar.xz)
# PYTHON is a Python with its shared library (default python3). On Windows run it in Git's bash.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,4s/^# //p' "$0"; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
python=${2:-python3}
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" -m venv "$work/venv"
bin=$work/venv/bin
[ -d "$bin" ] || bin=$work/venv/Scripts
"$bin/python" -m pip install -q --require-hashes -r packaging/requirements.lock
"$bin/python" -m pip install -q --require-hashes -r packaging/bundle/requirements.lock
"$bin/python" -m pip install -q --no-deps --no-build-isolation .
"$bin/pyinstaller" --log-level WARN --noconfirm --distpath "$work/dist" --workpath "$work/build" packaging/bundle/paperchute.spec
if [ "$(uname -s)" = Linux ]; then
  "$bin/python" packaging/linux/share.py "$work/dist/paperchute/share"
  # Some libraries are half zeros, put there so that they lie at even addresses: these need no place on the disk.
  find "$work/dist" -name '*.so*' -type f -size +1M -exec fallocate --dig-holes {} \; || true
fi

# Tried with a home of its own and no variable of ours: the demo does its work, and nothing is written beside the program.
program=$work/dist/paperchute/paperchute
mkdir "$work/home"
before=$(cd "$work/dist" && find . | sort)
env -i HOME="$work/home" PATH=/usr/bin:/bin ${SYSTEMROOT:+SYSTEMROOT="$SYSTEMROOT" USERPROFILE="$work/home"} \
  "$program" demo "$work/demo"
[ -s "$work/demo/markdown.out/quarterly-report/quarterly-report.md" ] || [ -s "$work/demo/markdown.out/quarterly-report.md" ]
[ -s "$work/demo/scans.out/scan.pdf" ] && [ -s "$work/demo/pdf.out/invoice.pdf" ]
[ "$before" = "$(cd "$work/dist" && find . | sort)" ]

name=paperchute-$("$program" --version | cut -d' ' -f2)-$("$bin/python" -c 'import sysconfig; print(sysconfig.get_platform())')
rm -rf "$out/paperchute"
mv "$work/dist/paperchute" "$out/paperchute"
if [ "$(uname -s)" = Linux ]; then
  archive=$out/$name.tar.xz
  tar -C "$out" --sparse --owner=0 --group=0 -cf - paperchute | xz -3 -T2 >"$archive"
else
  archive=$out/$name.tar.gz
  tar -C "$out" -czf "$archive" paperchute
fi
du -sh "$out/paperchute" "$archive"
