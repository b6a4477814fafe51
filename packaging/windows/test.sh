#!/usr/bin/env bash
# The tests of what differs on Windows, with a real Windows Python under Wine, and the demo: packaging/windows/test.sh
# The environment is kept in ~/.cache and made anew when the lock or the recipe changes. Where Wine is not to be had it
# says so and ends well; a test that fails, or one that does not come to its end, is an error.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
LONGEST=300  # seconds for one part: what hangs under Wine hangs for ever

leave_out() { echo "Windows tests are left out: $1"; exit 0; }

wanted=(wine wine64 gcc-mingw-w64-x86-64-win32 unzip)
if ! [ -x /usr/lib/wine/wine64 ] || ! command -v x86_64-w64-mingw32-gcc >/dev/null || ! command -v unzip >/dev/null; then
  command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || leave_out "Wine or its compiler is missing (${wanted[*]})."
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${wanted[@]}" \
    >/dev/null || leave_out "Wine cannot be installed."
fi
command -v "${HOST_PYTHON:-python3.11}" >/dev/null || leave_out "there is no Python 3.11, whose library is needed."

key=$(cat "$here"/* packaging/requirements-dev.lock | sha256sum | cut -c1-16)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/paperchute-windows
if ! [ -x "$cache/$key/run" ]; then
  rm -rf "$cache"
  mkdir -p "$cache"
  "$here/environment.sh" "$cache/$key.new" || leave_out "its environment cannot be made."
  sed -i "s|$key.new|$key|g" "$cache/$key.new/run"
  mv "$cache/$key.new" "$cache/$key"
fi
python=$cache/$key/run
printf 'Z:%s\\daemon\n' "$(pwd | tr / '\\')" >"$cache/$key/home/Lib/site-packages/paperchute.pth"

failed=()
part() {
  echo "Windows: $*"
  timeout -k 5 "$LONGEST" "$python" "$@" || failed+=("$*")
}
tests() { part -m pytest -o addopts=--import-mode=importlib -p no:cacheprovider -q --tb=short "$@"; }

tests tests/files/test_names.py tests/files/test_placing.py tests/files/test_sets.py tests/files/test_sharing.py
tests tests/watch/test_windows_emitter.py tests/watch/test_windows_changes.py tests/watch/test_mounts.py
tests tests/rules/test_output.py tests/rules/test_warnings.py tests/rules/test_secrets.py tests/contract/test_links.py
tests tests/jobs/test_stepping.py tests/jobs/test_interruptions.py tests/jobs/test_salvage.py
part -m paperchute demo
WINEPREFIX=$cache/$key/prefix /usr/lib/wine/wineserver64 -k || true
if [ "${#failed[@]}" -gt 0 ]; then
  printf 'Failed on Windows: %s\n' "${failed[@]}"
  exit 1
fi
