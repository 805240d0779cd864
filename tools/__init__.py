"""Tools that make committed files. Nothing in `crypt_env` depends on them."""
