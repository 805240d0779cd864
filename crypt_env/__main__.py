"""``python -m crypt_env``."""

from .cli import main

if __name__ == "__main__":
    raise SystemExit(main())
