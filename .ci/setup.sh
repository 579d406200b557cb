#!/bin/sh
# Sets up .venv with the locked versions, on a machine that has Python 3.11 or later and either uv, pip or venv.
#   setup.sh missing      prints one line that names what the machine lacks, or nothing
#   setup.sh sync [ARG]   runs `uv sync --locked ARG...`, with a uv from PyPI in .tools if there is none
# Only sh and coreutils, no sed, awk or grep: this runs before anything is installed.
set -eu
cd "$(dirname "$0")/.."

# What an activated environment or a user's settings would change; where packages come from stays theirs.
unset VIRTUAL_ENV CONDA_PREFIX PYTHONHOME PYTHONPATH UV_PROJECT UV_PYTHON UV_SYSTEM_PYTHON UV_NO_SYNC UV_FROZEN UV_NO_EDITABLE
export UV_PROJECT_ENVIRONMENT=.venv UV_PYTHON_DOWNLOADS=never UV_PYTHON_PREFERENCE=only-system
# Behind a proxy with its own certificate, only the machine's list knows it; without such a list, uv brings one.
if [ -s /etc/ssl/certs/ca-certificates.crt ]; then export UV_SYSTEM_CERTS="${UV_SYSTEM_CERTS:-true}"; fi
export PIP_USER=false PIP_REQUIRE_VIRTUALENV=false PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1

own_uv=.tools/uv/bin/uv
own_uv_version=0.13.9

say() { printf '%s\n' "$*" >&2; }

# Sets `python` to the first command that is new enough, `seen` to what was found instead.
find_python() {
    seen=""
    for python in python3 python3.14 python3.13 python3.12 python3.11 python; do
        version=$("$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null) || continue
        if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then return 0; fi
        seen="${seen:-$python is $version}"
    done
    return 1
}

# An older uv may not read the lock file.
fit() {
    version=$("$1" --version 2>/dev/null) || return 1
    version=${version#uv }
    major=${version%%.*}
    minor=${version#*.}
    minor=${minor%%.*}
    [ "$major" -gt 0 ] || [ "$minor" -ge 9 ]
}

find_uv() {
    for uv in uv "$own_uv"; do
        if fit "$uv"; then return 0; fi
    done
    uv=""
    return 1
}

missing() {
    if ! find_python; then
        echo "Cuestory needs Python 3.11 or later${seen:+, and $seen}; on Debian or Ubuntu: apt-get install python3 python3-venv (or python3.11 python3.11-venv)"
    elif ! find_uv && ! has_venv && ! has_pip; then
        echo "Cuestory needs venv or pip to set itself up, and $python has neither; on Debian or Ubuntu: apt-get install $python-venv"
    fi
}

has_venv() { "$python" -c 'import ensurepip, venv' 2>/dev/null; }
has_pip() { "$python" -m pip --version >/dev/null 2>&1; }

install_uv() {
    say "Fetching uv $own_uv_version from PyPI into .tools ..."
    rm -rf .tools/uv
    mkdir -p .tools
    if has_venv && "$python" -m venv .tools/uv >.tools/log 2>&1; then
        set -- .tools/uv/bin/python -m pip install
    else
        rm -rf .tools/uv
        set -- "$python" -m pip install --target .tools/uv
    fi
    if ! "$@" --quiet --only-binary :all: "uv==$own_uv_version" >.tools/log 2>&1 || ! fit "$own_uv"; then
        say "Could not install uv from PyPI: $(tail -n 1 .tools/log)"
        exit 1
    fi
    uv=$own_uv
}

sync() {
    # An environment that was copied here with the tree, or whose Python is gone, is made anew.
    here=$(pwd -P)
    if [ "$(cat .venv/.made-in 2>/dev/null || echo "$here")" != "$here" ] || ! .venv/bin/python -c '' 2>/dev/null; then
        rm -rf .venv
        # From inside an activated environment, the interpreter that it was made from.
        UV_PYTHON=$("$python" -c 'import sys; print(getattr(sys, "_base_executable", None) or sys.executable)')
        export UV_PYTHON
        say "Setting up Cuestory in .venv; the first time this takes a minute or two ..."
    fi
    if [ -z "${UV_CACHE_DIR:-}${XDG_CACHE_HOME:-}" ] && [ ! -w "${HOME:-/nowhere}" ]; then
        export UV_CACHE_DIR=.tools/cache
    fi
    "$uv" sync --quiet --locked "$@"
    echo "$here" >.venv/.made-in
}

case "${1:-}" in
missing) missing ;;
sync)
    shift
    find_python || { missing >&2; exit 1; }
    find_uv || install_uv
    sync "$@"
    ;;
*)
    say "usage: setup.sh missing | sync [ARG...]"
    exit 2
    ;;
esac
