"""A signal that comes in a callback of C code is not lost."""

import signal
import sys

import pytest

from cli.processes import environment, run

PROGRAM = """
import ctypes, signal, time
from crypt_env.console.signals import signals_unwind

with signals_unwind():
    try:
        ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.{name}))()
        print("dropped", flush=True)
        time.sleep(60)
    finally:
        print("cleaned up", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are other signals")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_in_a_callback_is_sent_again(name):
    usual = "signal.default_int_handler" if name == "SIGINT" else "signal.SIG_DFL"  # the shell of tests may ignore them
    start = f"import signal; signal.signal(signal.{name}, {usual})\n"
    done = run("-c", start + PROGRAM.format(name=name), env=environment())
    assert done.stdout.split("\n")[:2] == ["dropped", "cleaned up"]
    assert done.returncode == (-signal.SIGINT if name == "SIGINT" else 128 + getattr(signal, name))


def test_other_dropped_exceptions_are_reported():
    program = (
        "import ctypes\nfrom crypt_env.console.signals import signals_unwind\n"
        "with signals_unwind(): ctypes.CFUNCTYPE(None)(lambda: 1 / 0)()"
    )
    done = run("-c", program, env=environment())
    assert done.returncode == 0
    assert "ZeroDivisionError" in done.stderr
