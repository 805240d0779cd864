"""Moved to `crypt_env.errors`."""

from crypt_env.errors import printable, quoted, shortened

__all__ = ["printable", "quoted", "shortened"]
