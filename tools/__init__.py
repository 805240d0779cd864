"""Tools that make committed files. Nothing in `crypt_env` knows of them."""
