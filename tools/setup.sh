#!/bin/sh
# Set up everything that th-vision needs, in .venv beside this folder: Python, system libraries, locked packages.
# Does nothing, and needs no network, when all is there. Used by `make`; PYTHON=python3.12 chooses an interpreter.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd -P)
stamp=.venv/.th-vision
# Another environment, or settings of the user's for pip, must not leak into ours.
unset VIRTUAL_ENV PYTHONHOME PYTHONPATH PIP_TARGET PIP_PREFIX PIP_USER PIP_REQUIRE_VIRTUALENV || true
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1

say() { printf '%s\n' "$*" >&2; }
stop() {
    say "setup: $*"
    exit 2
}

# --- the packages of the system, through apt where we may --------------------------------------------------------

# Install packages, all in one go, or print the line that does and stop.
apt_install() {
    command -v apt-get >/dev/null 2>&1 || stop "something is missing; install what your system calls: $*"
    line="apt-get install -y --no-install-recommends $*"
    if [ "$(id -u)" = 0 ]; then
        as_root=""
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        as_root="sudo -n"
    else
        say "setup: some packages of the system are missing, and installing them needs root's rights."
        say "Run this line, then make again:"
        if command -v sudo >/dev/null 2>&1; then
            say "  sudo apt-get update && sudo $line"
        else
            say "  su -c 'apt-get update && $line'"
        fi
        exit 2
    fi
    say "setup: installing with apt: $*"
    $as_root apt-get -q update >&2 || say "setup: apt-get update failed; trying with the package lists that are here"
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "$@" >&2 ||
        stop "apt could not install $*; see its messages above"
}

# --- what must be there before the packages ------------------------------------------------------------------------

fits() { "$1" -I -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null; }

find_python() {
    for name in python3 python3.13 python3.12 python3.11; do
        if command -v "$name" >/dev/null 2>&1 && fits "$name"; then
            command -v "$name"
            return 0
        fi
    done
    return 1
}

# The package of a Python from 3.11 to 3.13 that apt could bring.
python_package() {
    for name in python3.13 python3.12 python3.11; do
        if apt-cache show "$name" >/dev/null 2>&1; then
            echo "$name"
            return 0
        fi
    done
    return 1
}

# Packages of the libraries that `import open3d` links to and that are not here; $1 is any Python.
missing_libraries() {
    [ "$(uname -s)" = Linux ] || return 0
    "$1" -I - <<'PY'
import ctypes

for library, package in (("libusb-1.0.so.0", "libusb-1.0-0"), ("libEGL.so.1", "libegl1"), ("libGL.so.1", "libgl1")):
    try:
        ctypes.CDLL(library)
    except OSError:
        print(package)
PY
}

# Sets python; installs what is missing of Python, its venv, and libraries.
need_system() {
    wanted=""
    if [ -n "${PYTHON:-}" ]; then
        fits "$PYTHON" || stop "PYTHON=$PYTHON is not a Python from 3.11 to 3.13"
        python=$(command -v "$PYTHON")
    else
        python=$(find_python) || python=""
    fi
    if [ -z "$python" ]; then
        found=$(python3 -V 2>&1) || found="python3 is missing"
        package=$(python_package) || stop "needs Python 3.11, 3.12 or 3.13 ($found); install one of them"
        wanted="$package $package-venv"
    elif ! "$python" -I -c 'import ensurepip, venv' 2>/dev/null; then
        wanted="$("$python" -I -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')"
    fi
    libraries=$(missing_libraries "${python:-python3}") || libraries=""
    # shellcheck disable=SC2086 # one word a package
    [ -z "$wanted$libraries" ] || apt_install $wanted $libraries
    [ -n "$python" ] || python=$(find_python) || stop "needs Python 3.11, 3.12 or 3.13; install one of them"
}

# --- the environment ----------------------------------------------------------------------------------------------

# What the environment was made from: these files, this place (an environment can't be moved), this Python.
key() {
    "$1" -I - "$root" requirements.lock pyproject.toml tools/setup.sh <<'PY'
import hashlib
import platform
import sys

digest = hashlib.sha256(f"{sys.argv[1]}\0{platform.python_version()}\0{platform.machine()}".encode())
for name in sys.argv[2:]:
    with open(name, "rb") as file:
        digest.update(file.read())
print(digest.hexdigest())
PY
}

version() { "$1" -I -c 'import platform; print(platform.python_version())' 2>/dev/null; }
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(key .venv/bin/python 2>/dev/null)" ] &&
    { [ -z "${PYTHON:-}" ] || [ "$(version "$PYTHON")" = "$(version .venv/bin/python)" ]; }; then
    libraries=$(missing_libraries .venv/bin/python)
    # shellcheck disable=SC2086 # one word a package
    [ -z "$libraries" ] || apt_install $libraries
    exit 0
fi

need_system
say "setup: making .venv with $("$python" -V) and the packages of requirements.lock (once; about 300 MB to download)"
rm -f "$stamp"
fresh() { fits .venv/bin/python && .venv/bin/python -I -m pip --version >/dev/null 2>&1; }
if [ -n "${PYTHON:-}" ] || ! fresh; then
    "$python" -I -m venv --clear .venv || stop "could not make .venv; remove that folder and try again"
fi
.venv/bin/python -I -m pip install --quiet --require-hashes --only-binary :all: -r requirements.lock >&2 ||
    stop "could not install the packages of requirements.lock; see pip's message above (the first time needs the network)"
.venv/bin/python -I -m pip install --quiet --no-deps --no-build-isolation --no-index -e . >&2 ||
    stop "could not install th-vision itself; see pip's message above"
key .venv/bin/python >"$stamp"
say "setup: done"
