#!/usr/bin/env bash
# Builds the source archive, and of that the wheel, and tries the wheel as `uv tool install` or pipx installs it:
#   packaging/wheel/build.sh OUT [PYTHON]     -> OUT/paperchute-VERSION.tar.gz, OUT/paperchute-VERSION-py3-none-any.whl
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,3s/^# //p' "$0"; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
python=${2:-python3}
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Of what git has alone: nothing of this checkout's own, such as what an earlier build has left, gets in.
mkdir "$work/source" "$work/made"
git ls-files -z | xargs -0 tar -cf - | tar -C "$work/source" -xf -
"$python" -m venv "$work/build"
"$work/build/bin/python" -m pip install -q --require-hashes -r <(sed -n '/^setuptools==/,/^[^ ]/{/^setuptools==/p;/^ /p}' packaging/requirements.lock)
(cd "$work/source" && "$work/build/bin/python" -c 'import sys, setuptools.build_meta as b; b.build_sdist(sys.argv[1])' "$work/made") >/dev/null
"$work/build/bin/python" -m pip wheel -q --no-deps --no-build-isolation -w "$work/made" "$work/made"/paperchute-*.tar.gz
wheel=$(echo "$work/made"/paperchute-*.whl)
"$work/build/bin/python" -c 'import sys, zipfile; print(*zipfile.ZipFile(sys.argv[1]).namelist(), sep="\n")' "$wheel" |
  grep '^paperchute/' | LC_ALL=C sort >"$work/packed"
(cd daemon && git -c core.quotePath=off ls-files paperchute | LC_ALL=C sort) | diff - "$work/packed"  # every file of the program is in it, and no other

# Tried by one with an empty home: installed at the locked versions, the demo worked off, taken away.
export HOME=$work/home
mkdir "$HOME"
echo "a letter of theirs" >"$HOME/letter.txt"
grep -v '^ ' packaging/requirements.lock | sed 's/ *\\$//' >"$work/versions"
if command -v uv >/dev/null; then
  export UV_TOOL_DIR=$work/tools UV_TOOL_BIN_DIR=$work/bin
  uv tool install -q --python "$python" --constraints "$work/versions" "$wheel[engine]"
  taken_away() { uv tool uninstall -q paperchute; }
else
  "$python" -m venv "$work/tools"
  "$work/tools/bin/python" -m pip install -q -c "$work/versions" "$wheel[engine]"
  mkdir "$work/bin"
  ln -s "$work/tools/bin/paperchute" "$work/bin/paperchute"
  taken_away() { rm -rf "$work/tools" "$work/bin"; }
fi
(cd "$HOME" && env -i HOME="$HOME" PATH="$work/bin:/usr/bin:/bin" LC_ALL=C.UTF-8 paperchute demo "$HOME/demo")
[ -s "$HOME/demo/scans.out/scan.pdf" ] && [ -s "$HOME/demo/pdf.out/invoice.pdf" ]
theirs() { (cd "$HOME" && find letter.txt demo -type f -exec sha256sum {} + | sort); }
theirs >"$work/before"
du -sm "$work/tools" | sed 's/\t.*/ MB installed, with all libraries/'
taken_away
[ ! -e "$work/bin/paperchute" ]
theirs | diff "$work/before" -
cp "$work/made"/* "$out/"
ls -l "$out"/paperchute-*.whl "$out"/paperchute-*.tar.gz
