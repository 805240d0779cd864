"""The commands of ``crypt``: one file for each, loaded only when it is run.

A new command, such as ``crypt deal``:

1. Write ``cli/deal.py`` with ``add_arguments(parser)``, which describes its arguments to `argparse`,
2. and ``run(options)``, which does the work and returns the exit code: 0, or 1 for a failed check.
3. Add its name and one line of help to `COMMANDS` in ``cli/main.py``.
4. Raise a `CryptError` for a user's mistake: `main` prints its one sentence and exits with 2.
5. Test it in ``tests/cli/test_deal.py`` with `cli.processes.crypt`.

`crypt_env.console` has what commands and programs share.
"""

INTERRUPTED = 130
"""The exit code after a keyboard interrupt."""
