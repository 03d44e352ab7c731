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

apt_updated=no
apt_install() { # what for, then package names
    reason=$1
    shift
    if ! command -v apt-get >/dev/null 2>&1; then
        stop "$reason is missing; install what your system calls: $*"
    fi
    if [ "$(id -u)" = 0 ]; then
        as_root=""
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        as_root="sudo -n"
    else
        say "setup: $reason is missing, and installing it needs your password. Run this line, then make again:"
        say "  sudo apt-get update && sudo apt-get install -y --no-install-recommends $*"
        exit 2
    fi
    say "setup: $reason is missing; installing $* with apt"
    if [ "$apt_updated" = no ]; then
        $as_root apt-get -q update >&2 || say "setup: apt-get update failed; trying with the package lists that are here"
        apt_updated=yes
    fi
    # shellcheck disable=SC2086 # no word where we are root
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "$@" >&2 ||
        stop "apt could not install $*; see its messages above"
}

# --- a Python from 3.11 to 3.13 -----------------------------------------------------------------------------------

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

choose_python() {
    if [ -n "${PYTHON:-}" ]; then
        fits "$PYTHON" || stop "PYTHON=$PYTHON is not a Python from 3.11 to 3.13"
        python=$(command -v "$PYTHON")
        return
    fi
    python=$(find_python) && return
    for name in python3.13 python3.12 python3.11; do
        if apt-cache show "$name" >/dev/null 2>&1; then
            apt_install "a Python from 3.11 to 3.13" "$name" "$name-venv"
            python=$(find_python) && return
        fi
    done
    stop "needs Python 3.11, 3.12 or 3.13 (python3 here is $(python3 -V 2>&1 || echo missing)); install one of them"
}

# --- what must be there before the packages ------------------------------------------------------------------------

need_venv() {
    "$python" -I -c 'import ensurepip, venv' 2>/dev/null && return
    version=$("$python" -I -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    apt_install "Python's venv" "python$version-venv"
}

need_libraries() {
    [ "$(uname -s)" = Linux ] || return 0
    missing=$("$python" -I - <<'PY'
import ctypes

# What `import open3d` links to, and the Debian and Ubuntu package of each.
for library, package in (("libusb-1.0.so.0", "libusb-1.0-0"), ("libEGL.so.1", "libegl1"), ("libGL.so.1", "libgl1")):
    try:
        ctypes.CDLL(library)
    except OSError:
        print(package)
PY
    )
    # shellcheck disable=SC2086 # one word a package
    [ -z "$missing" ] || apt_install "what Open3D links to" $missing
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

if [ -f "$stamp" ] && [ -x .venv/bin/python ]; then
    if [ "$(cat "$stamp")" = "$(key .venv/bin/python 2>/dev/null)" ]; then
        if [ -z "${PYTHON:-}" ] || fits "$PYTHON"; then
            python=.venv/bin/python
            need_libraries
            exit 0
        fi
    fi
fi

choose_python
need_venv
need_libraries
say "setup: making .venv with $("$python" -V) and the packages of requirements.lock (once; about 300 MB to download)"
rm -f "$stamp"
if ! [ -x .venv/bin/python ] || ! fits .venv/bin/python || ! .venv/bin/python -I -m pip --version >/dev/null 2>&1; then
    "$python" -I -m venv --clear .venv || stop "could not make .venv; remove that folder and try again"
fi
.venv/bin/python -I -m pip install --quiet --require-hashes --only-binary :all: -r requirements.lock >&2 ||
    stop "could not install the packages of requirements.lock; see pip's message above (the first time needs the network)"
.venv/bin/python -I -m pip install --quiet --no-deps --no-build-isolation --no-index -e . >&2 ||
    stop "could not install th-vision itself; see pip's message above"
key .venv/bin/python >"$stamp"
say "setup: done"
