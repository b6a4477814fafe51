#!/usr/bin/env bash
# The tests of what differs on Windows, and the demo, with a real Windows Python under Wine:
#   packaging/windows/test.sh           what CI has time for
#   packaging/windows/test.sh --all     the whole of these folders; takes an hour or two
#   packaging/windows/test.sh PART...   of those, only these: contract files rules service app jobs watch cli desktop start operations demo installer
# The environment is kept in ~/.cache and made anew when a lock file or the recipe changes. Where this machine cannot have
# Wine, it says why and ends well, but not in CI (CI=true), which is there to run it: only another kind of machine leaves it
# out then. Each step of the set-up is bounded, tried twice, and told with its time. A test that fails, or one that does
# not come to its end, is an error and is named.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
LONGEST=1200    # seconds for one run, which takes some ten minutes: what hangs under Wine hangs for ever
LONGEST_TEST=150 # seconds for one test, of which the longest takes five; it is then named
SETUP=400        # seconds for each try at a step of the set-up, which took 81 s alone and 180 s beside eight other programs
export LC_ALL=C.UTF-8

leave_out() { echo "Windows: not run, because $1"; [ "${CI:-}" != true ] || exit 1; exit 0; }
set_up() {  # WHAT COMMAND...: within its time, tried once more when that fails; false where it cannot be had
  local what=$1 try began result
  shift
  for try in 1 2; do
    began=$SECONDS result=0
    timeout -k 5 "$SETUP" "$@" 9>&- || result=$?
    echo "Windows: set-up of $what, try $try: $((SECONDS - began)) s of at most $SETUP s, ended with $result"
    [ $result != 0 ] || return 0
  done
  return 1
}

[ "$(uname -sm)" = "Linux x86_64" ] || { echo "Windows: not run, since Wine runs it on Linux on x86-64 only."; exit 0; }
wine=/usr/lib/wine/wine64 wanted=(wine wine64 gcc-mingw-w64-x86-64-win32 unzip nsis)
if ! [ -x $wine ] || ! type x86_64-w64-mingw32-gcc unzip makensis >/dev/null 2>&1; then
  command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || leave_out "these are not installed: ${wanted[*]}."
  install="apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ${wanted[*]}"
  set_up "Wine and its compiler" bash -c "{ $install; } >/dev/null" || leave_out "Wine and its compiler cannot be installed."
fi
for python in "${HOST_PYTHON:-python3.11}" python3; do
  is_fit="import pip, sys; sys.exit(sys.version_info[:2] != (3, 11))"
  if "$python" -c "$is_fit" 2>/dev/null; then export HOST_PYTHON=$python && break; fi
  [ "$python" != python3 ] || leave_out "there is no Python 3.11 with pip, whose library is needed."
done

recipe=("$here"/{environment.sh,lock_for.py,python.c,python.manifest,python.rc,bcryptprimitives.c})
key=$(cat "${recipe[@]}" packaging/requirements-dev.lock | sha256sum | cut -c1-16)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/paperchute-windows
made=$cache/$key
# One run at a time, from whichever checkout: all have one Wine, and a run ends what runs under it. What is started gets no
# descriptor of the lock (9>&-), since Wine's server outlives a script that was killed and would keep the next one waiting.
mkdir -p "$(dirname "$cache")"
exec 9>"$cache.lock"
flock -n 9 || { echo "Windows: waiting for another run on this machine ..." && flock 9; }
stop() { WINEPREFIX=$1/prefix timeout 20 /usr/lib/wine/wineserver64 -k 2>/dev/null 9>&- || true; }
if ! [ -x "$made/run" ]; then
  echo "Windows: setting up in $cache (once; it takes a few minutes) ..."
  rm -rf "$cache"
  mkdir -p "$cache"
  make='"$0" "$1" >"$2" 2>&1'  # what a try has downloaded stays for the next
  if ! set_up "its environment" bash -c "$make" "$here/environment.sh" "$made.new" "$cache/setup.log"; then
    stop "$made.new"
    tail -5 "$cache/setup.log"
    leave_out "its environment cannot be made; $cache/setup.log says more."
  fi
  stop "$made.new"
  sed -i "s|$key.new|$key|g" "$made.new/run"
  mv "$made.new" "$made"
fi
ln -sfn "$(pwd)" "$made/checkout"
printf 'Z:%s\\checkout\\daemon\n' "${made//\//\\}" >"$made/home/Lib/site-packages/paperchute.pth"
trap 'stop "$made"' EXIT  # ends all that runs under this Wine
trap 'exit 143' TERM INT

# SHORT leaves out what takes longest under Wine: hostile input by the megabyte, and tests that start many processes.
declare -A SHORT=(
  [contract]="tests/contract/test_kinds.py tests/contract/test_links.py"
  [files]="tests/files --ignore=tests/files/test_reader.py"
  [rules]="tests/rules --ignore=tests/rules/test_toml.py --ignore=tests/rules/test_slips.py --ignore=tests/rules/test_keys.py"
  [service]="tests/service --ignore=tests/service/test_client.py --ignore=tests/service/test_untrusted.py"
  [app]="tests/app/test_damaged_rows.py tests/app/test_dry.py tests/app/test_facts.py tests/app/test_gathering.py
         tests/app/test_places.py tests/app/test_result_text.py tests/app/test_status_file.py tests/app/test_unread.py
         tests/app/test_untaken.py"
  [jobs]="tests/jobs/test_stepping.py tests/jobs/test_interruptions.py tests/jobs/test_salvage.py
          tests/jobs/test_journal.py tests/jobs/test_filing.py tests/jobs/test_pause.py tests/jobs/test_put_right.py"
  [watch]="tests/watch/test_windows_emitter.py tests/watch/test_windows_changes.py tests/watch/test_mounts.py
           tests/watch/test_macos_changes.py tests/watch/test_end_marks.py tests/watch/test_first_look.py
           tests/watch/test_writers.py"
  [cli]="tests/cli/test_endings.py"
  [desktop]="tests/desktop"
  [start]="tests/packaging/test_start.py"
  [operations]="tests/engine/operations/test_pdf_encrypt.py tests/engine/operations/test_pdf_insert.py
                tests/engine/operations/test_page_counts.py"
)
declare -A WHOLE=([operations]=engine/operations/test_*.py [start]=packaging/test_start.py)  # where it is not PART/test_*.py
order=(contract files rules service app jobs watch cli desktop start operations demo installer)
is_all=no
if [ "${1:-}" = --all ]; then is_all=yes && shift; fi
parts=("${@:-${order[@]}}")

failed=()
run() {  # NAME ARGUMENTS...: with the Windows Python; its output goes into a log, of which the end is shown
  local name=$1 log="$cache/${1// /_}.log" began=$SECONDS result=0
  shift
  timeout -k 5 $LONGEST "$made/run" "$@" >"$log" 2>&1 9>&- &
  wait $! || result=$?  # so that a signal is heeded at once
  stop "$made"  # whatever it has left running
  if [ $result = 0 ]; then
    echo "Windows: $name, $((SECONDS - began)) s: $(tail -1 "$log")"
    return
  fi
  failed+=("$name")
  grep -av ' PASSED \| SKIPPED ' "$log" | tail -150 || true
  echo "Windows: $name, $((SECONDS - began)) s, ended with $result; all of it is in $log"
}
tests() {  # NAME ARGUMENTS...: each test's name stands in the log before it begins, so that one that hangs is the last
  run "$1" -m pytest -o addopts=--import-mode=importlib -o faulthandler_timeout=$LONGEST_TEST \
    -o faulthandler_exit_on_timeout=true -p no:cacheprovider -v --tb=short "${@:2}"
}
chosen=()
for part in "${parts[@]}"; do
  if [ "$part" = demo ] || [ "$part" = installer ]; then
    continue
  elif [ $is_all = no ]; then
    read -ra files -d '' <<<"${SHORT[$part]}" || true
    chosen+=("${files[@]}")
  else
    for file in tests/${WHOLE[$part]:-$part/test_*.py}; do tests "$part $(basename "$file")" "$file"; done
  fi
done
if [ "${#chosen[@]}" -gt 0 ]; then tests tests "${chosen[@]}"; fi
if [[ " ${parts[*]} " = *" demo "* ]]; then
  demo=$(mktemp -d)
  run demo -m paperchute demo "Z:${demo//\//\\}\\demo"
  rm -rf "$demo"
fi
if [[ " ${parts[*]} " = *" installer "* ]]; then
  timeout -k 5 $LONGEST "$here/try_installer.sh" "$made/prefix" 9>&- || failed+=(installer)
  stop "$made"
fi
if [ "${#failed[@]}" -gt 0 ]; then
  printf 'Failed on Windows: %s\n' "${failed[@]}"
  exit 1
fi
