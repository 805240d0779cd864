"""The engine as WebAssembly: the rules, the players and the searches, compiled from the source that Python runs.

    python -m tools.web_engine

writes `crypt_env/web/engine.wasm` and `engine.json` beside it, with all that JavaScript needs to know: the
arguments of the entries, the fields of the records, the layout of the observation and every text. The same source with
the same versions of Python, numba, llvmlite and the linker gives the same bytes; a test checks that.
"""
