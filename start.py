"""Set Paperchute up beside this file and hand over to it.

`python3 start.py demo`, `python3 start.py test`, or any command of `paperchute`. Needs Python 3.11 with venv and pip,
nothing else; the second time it starts at once.

Written for old Pythons too, so that they can say what is missing.
"""

import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time

HERE = os.path.dirname(os.path.abspath(__file__))
VENV = os.path.join(HERE, ".venv")
BIN = os.path.join(VENV, "Scripts" if os.name == "nt" else "bin")
PYTHON = os.path.join(BIN, "python.exe" if os.name == "nt" else "python")
LOCKS = {"run": "packaging/requirements.lock", "test": "packaging/requirements-dev.lock"}
OLDEST = (3, 11)
OLDEST_MACOS = 15
NEWEST_ON_INTEL_MACS = (3, 13)
PROCESSES = str(min(8, (os.cpu_count() or 1) + 2))  # two more than processors, since tests wait for other processes
OF_WINDOWS = (  # tests that mypy sees whole on Windows alone
    "-m", "tests.cli.test_endings", "-m", "tests.desktop.test_panels",
    "-m", "tests.desktop.test_run_key", "-m", "tests.watch.test_mounts", "-m", "tests.watch.test_windows_emitter",
)  # fmt: skip
CHECKS = (
    ("style", ["ruff", "check", "."]),
    ("format", ["ruff", "format", "--check", "-q", "."]),
    ("types", ["mypy"]),
    (
        "types on Windows",
        ["mypy", "--platform", "win32", "--cache-dir", ".mypy_cache/win32", "-p", "paperchute", *OF_WINDOWS],
    ),
    ("types on macOS", ["mypy", "--platform", "darwin", "--cache-dir", ".mypy_cache/darwin", "-p", "paperchute"]),
    ("import rules", ["importlinter.cli", "lint-imports"]),
    (  # a worker's end ends the run: in a new one the test that hung would hang again
        "tests",
        ["pytest", "-n", PROCESSES, "--dist", "loadfile", "--no-loadscope-reorder", "--max-worker-restart", "0"],
    ),
)


def main():
    """Set up what the command needs, then run it."""
    arguments = sys.argv[1:] or ["--help"]
    if sys.version_info < OLDEST:
        fail("Paperchute needs Python {}.{} or newer; this is {}.{}.".format(*(OLDEST + sys.version_info[:2])))
    testing = arguments[0] == "test"
    set_up("test" if testing else "run")
    if testing:
        sys.exit(check(arguments[1:]))
    python = "py" if os.name == "nt" else "python3"
    os.environ["PAPERCHUTE_COMMAND"] = python + " " + quoted(os.path.join(HERE, "start.py"))  # for advice that is read
    hand_over([PYTHON, "-P", "-m", "paperchute"] + arguments)  # nothing is imported from where it was started


def quoted(path):
    """As one word of a command line."""
    return subprocess.list2cmdline([path]) if os.name == "nt" else shlex.quote(path)


def set_up(purpose):
    """Make the environment if it is not there, or no longer what the lock file says. Safe to interrupt and repeat."""
    stamp = os.path.join(VENV, "set-up-for-" + purpose)
    wanted = fingerprint(purpose)
    if read(stamp) == wanted:
        return
    with Lock(os.path.join(HERE, ".start.lock")):
        if read(stamp) == wanted:
            return
        unfit = why_unfit(
            sys.platform,
            sysconfig.get_platform(),
            sysconfig.get_config_var("SOABI") or "",
            platform.machine(),
            platform.mac_ver()[0],
            sys.version_info[:2],
        )
        if unfit:
            fail(unfit)
        say(f"Setting up Paperchute in {VENV} (once; it takes a minute or two) ...")
        make_environment(purpose)
        lock = os.path.join(HERE, LOCKS[purpose])
        pip("install", "--require-hashes", "-r", lock)
        add_program()
        if purpose == "run" and not read(os.path.join(VENV, "set-up-for-test")):
            slim(VENV)
        dig_holes()
        with open(stamp, "w") as file:
            file.write(wanted)
        say(subprocess.run([PYTHON, "-P", "-c", LEFT_OUT], stdout=subprocess.PIPE, text=True).stdout + "Ready.")


def why_unfit(system, build, abi, machine, macos, python):
    """Why the libraries of the lock files cannot be had by this Python, and what to do; empty where they can.

    system: as sys.platform calls it. build: the platform that the Python was built for, as sysconfig calls it.
    """
    if system == "win32" and build != "win-amd64":
        return (
            f"This Python is built for {build}, and some libraries that Paperchute needs are not. Install Python for "
            'Intel with 64 bits ("Windows installer (64-bit)"; Windows on ARM runs it too) and start this with it.'
        )
    if system == "linux" and "musl" in abi:
        return (
            "Some libraries that Paperchute needs are not built for musl, as Alpine has it. Take a system with glibc: "
            "packaging/service/Containerfile makes a container of Debian's."
        )
    if system == "linux" and build not in ("linux-x86_64", "linux-aarch64"):
        return f"This Python is built for {build}; what Paperchute needs is built for Intel and ARM with 64 bits alone."
    if system == "darwin" and 11 <= int(macos.partition(".")[0] or 0) < OLDEST_MACOS:  # 10 is what old builds see
        return f"What Paperchute needs is built for macOS {OLDEST_MACOS} and newer; this is {macos}."
    if system == "darwin" and machine == "x86_64" and python > NEWEST_ON_INTEL_MACS:
        return "On Intel Macs, Paperchute needs Python {}.{} or older; this is {}.{}.".format(
            *(NEWEST_ON_INTEL_MACS + python)
        )
    return ""


LEFT_OUT = "from paperchute.contract.engine_libraries import left_out as l; print(l(), end='\\n' if l() else '')"


def make_environment(purpose):
    """The private environment: system Pythons refuse global installs, and we want none."""
    lacks = purpose == "test" and os.path.exists(
        os.path.join(VENV, SLIMMED)
    )  # types are checked with what was left out
    if not lacks and read(os.path.join(VENV, "pyvenv.cfg")) and subprocess.call([PYTHON, "-c", "import pip"]) == 0:
        return
    try:
        import venv

        venv.EnvBuilder(with_pip=True, clear=True).create(VENV)
    except ImportError:
        missing_venv()
    except subprocess.CalledProcessError:
        missing_venv()
    except OSError as error:
        fail(f"The environment {VENV} cannot be made: {error.strerror or error}.")


def missing_venv():
    """Debian and Ubuntu take venv out of Python."""
    version = "{}.{}".format(*sys.version_info[:2])
    fail(f"This Python has no venv module. On Debian or Ubuntu: sudo apt install python{version}-venv")


def pip(*arguments):
    """Run pip quietly; its last lines are shown when it fails."""
    command = [PYTHON, "-m", "pip", "--disable-pip-version-check", "--no-input"] + list(arguments)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = []
    for line in process.stdout:
        text = line.decode("utf-8", "replace").rstrip()
        lines.append(text)
        if text.startswith("Collecting ") and sys.stderr.isatty():
            sys.stderr.write("\r  " + text[:76].ljust(76))
            sys.stderr.flush()
    if sys.stderr.isatty():
        sys.stderr.write("\r" + " " * 78 + "\r")
    if process.wait() != 0:
        last = "\n  ".join(lines[-8:])
        fail(f"pip could not install what Paperchute needs. Its last words:\n  {last}\n{cure(last)}")


def cure(said):
    """What would help against what pip said last; empty where only its own words tell."""
    for words, advice in CURES:
        if any(word in said for word in words):
            return advice + " Then run the same command again; it goes on where it stopped."
    return ""


CURES = (
    (("No space left", "Disk quota exceeded", "[Errno 28]", "[Errno 122]"), "Make room on the disk."),
    (("Permission denied", "[Errno 13]", "[WinError 5]"), "Give yourself the right to write there."),
    (("DO NOT MATCH THE HASHES",), "Ask whoever runs the mirror of packages why it has other files."),
    (
        ("Connection", "connection", "timed out", "resolve", "SSL", "proxy", "Proxy", "HTTP error", "No matching"),
        "Check the network, or pip's own settings for a mirror or proxy.",
    ),
)


def add_program():
    """Have the environment find the program where it lies, and say its version and what it requires.

    An editable install of pip's writes the folder's whole name in the locale's encoding, which need not have its
    letters. From where our path file stands, the way is the same in ASCII alone.
    """
    command = [PYTHON, "-P", "-W", "ignore", "-c", ADD_PROGRAM]
    done = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        lines = done.stdout.decode("utf-8", "replace").splitlines()
        fail("Paperchute cannot be added to its environment. The last words:\n  " + "\n  ".join(lines[-8:]))


ADD_PROGRAM = """
import os, shutil, sysconfig, tempfile
from setuptools import build_meta
site = sysconfig.get_path("purelib")
for name in os.listdir(site):
    if name.startswith("paperchute-") and name.endswith(".dist-info"):
        shutil.rmtree(os.path.join(site, name))
with tempfile.TemporaryDirectory() as made:
    name = build_meta.prepare_metadata_for_build_wheel(made)
    shutil.move(os.path.join(made, name), os.path.join(site, name))
with open(os.path.join(site, "paperchute.pth"), "w", encoding="ascii") as file:
    file.write(os.path.relpath("daemon", site) + chr(10))
"""


SLIMMED = "slimmed"
NOT_RUN = (".pyi", ".pxd", ".pyx", ".h", ".a")  # what other programs are built or checked with
NOT_LOADED = (
    "onnxruntime/transformers",
    "onnxruntime/quantization",
    "onnxruntime/tools",
)  # they make and change models


def slim(environment):
    """Take away what libraries bring for those who build on them: their tests, headers, types, tools."""
    with open(os.path.join(environment, SLIMMED), "w"):
        pass
    for folder, folders, names in os.walk(environment):
        here = folder.replace(os.sep, "/")
        for name in list(folders):
            tool = name == "__pycache__" and (here + "/").partition("site-packages/")[2].startswith(
                ("pip/", "setuptools/")
            )
            if name == "tests" or tool or (here + "/" + name).endswith(NOT_LOADED):
                shutil.rmtree(os.path.join(folder, name))
                folders.remove(name)
        for name in names:
            # Python's own part of it has the whole library once more.
            twice = name.startswith("libonnxruntime.so") and here.endswith("onnxruntime/capi")
            if name.endswith(NOT_RUN) or twice:
                os.remove(os.path.join(folder, name))


def dig_holes():
    """Some libraries are half zeros, put there so that they lie at even addresses: these need no place on the disk."""
    if not sys.platform.startswith("linux"):
        return
    libraries = [os.path.join(folder, name) for folder, _, names in os.walk(VENV) for name in names if ".so" in name]
    for path in libraries:
        if os.path.getsize(path) >= 1 << 20:
            try:
                subprocess.call(["fallocate", "--dig-holes", path], stderr=subprocess.DEVNULL)
            except OSError:  # no such program here
                return


def check(arguments):
    """Everything that must hold: style, types, import rules, tests. 0 when it does."""
    if "--fast" in arguments:
        arguments = [a for a in arguments if a != "--fast"] + ["-m", "not slow"]
    failed = []
    os.chdir(HERE)
    for name, command in CHECKS:
        if command[0] == "pytest":
            command = command + arguments
        elif arguments and "-m" not in arguments:
            continue
        say(f"== {name}")
        if command[0] == "pytest":
            seed = test_seed()
            command = command + ["--hypothesis-seed", seed]
            say(f"   what is drawn by chance comes from seed {seed}; PAPERCHUTE_TEST_SEED={seed} repeats it")
        module = ["-m"] + command if command[0] != "importlinter.cli" else ["-c", LINT_IMPORTS]
        if subprocess.call([PYTHON] + module) != 0:
            failed.append(name)
    if failed:
        say("Failed: {}.".format(", ".join(failed)))
    return 1 if failed else 0


def test_seed():
    """A new one each time; in CI that of the commit, so that each commit draws anew and the same one draws the same."""
    seed = os.environ.get("PAPERCHUTE_TEST_SEED")
    if not seed and os.environ.get("CI"):
        found = subprocess.run(["git", "rev-parse", "HEAD"], cwd=HERE, capture_output=True, text=True)
        seed = str(int(found.stdout[:8], 16)) if found.returncode == 0 else ""
    return seed or str(int.from_bytes(os.urandom(4), "big"))


LINT_IMPORTS = "from importlinter.cli import lint_imports_command as c; c(['--no-cache'])"


def hand_over(command):
    """Become the command, so that signals and exit codes are its own."""
    if os.name == "nt":
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)


def fingerprint(purpose):
    """What the environment depends on."""
    import hashlib

    digest = hashlib.sha256(sys.version.encode() + HERE.encode("utf-8", "surrogateescape"))
    for name in (LOCKS[purpose], "pyproject.toml"):
        with open(os.path.join(HERE, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


class Lock:
    """Two set-ups at once would break each other; the second waits."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        try:
            self.file = open(self.path, "a")
        except OSError as error:
            fail(f"{HERE} cannot be written: {error.strerror}. Paperchute needs a folder it may write to.")
        if os.name == "nt":
            import msvcrt

            while True:  # LK_LOCK gives up after ten seconds, and a set-up takes minutes
                try:
                    msvcrt.locking(self.file.fileno(), msvcrt.LK_NBLCK, 1)
                    break
                except OSError:
                    time.sleep(0.5)
        else:
            import fcntl

            fcntl.flock(self.file, fcntl.LOCK_EX)

    def __exit__(self, *_):
        if os.name == "nt":
            import msvcrt

            # Windows may unlock what was only closed at a later time.
            msvcrt.locking(self.file.fileno(), msvcrt.LK_UNLCK, 1)
        self.file.close()


def read(path):
    """The text of a file, or nothing. Python writes its own in UTF-8, with names of folders in it."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def say(text):
    """To the person, not into the output."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def fail(text):
    """Stop with a sentence."""
    sys.exit(text)


if __name__ == "__main__":
    main()
