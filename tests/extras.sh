#!/usr/bin/env bash
# Installs each extra alone into a new environment, with the pinned versions, and uses it once. Prints a table.
#   PYTHONS="python3.10 python3.12" EXTRAS="draw wandb" bash tests/extras.sh
#   RESOLVE="train neighbours"   these are only resolved: PyTorch has no build without CUDA for every Python everywhere
#   UV_TORCH_BACKEND=cpu         takes PyTorch from its own index, without CUDA
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
unset PYTHONPATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/tools"
"$work/tools/bin/python" -m pip install -qq uv 2>/dev/null
uv=$work/tools/bin/uv
export UV_FIND_LINKS=${UV_FIND_LINKS:-${PIP_FIND_LINKS:-}} NUMBA_CACHE_DIR=$work/cache
failed=0

use() { # a small program that needs the extra
  case $1 in
    draw) echo 'import crypt_env.drawing, gymnasium
env = gymnasium.make("crypt_env/OnlyChild-v0", render_mode="rgb_array"); env.reset(seed=1); print(env.render().shape)' ;;
    train) echo 'from crypt_env.ppo import FastMaskablePPO, SelfPlayVecEnv, trunk
how = {"n_steps": 8, "batch_size": 16, "n_epochs": 1, "policy_kwargs": trunk([2], [8])}
FastMaskablePPO("MlpPolicy", SelfPlayVecEnv(4, players=2, seed=1), **how).learn(32)' ;;
    wandb) echo 'import wandb
run = wandb.init(mode="disabled"); run.log({"coins": 28}); run.finish()' ;;
    openspiel) echo 'import crypt_env.envs.openspiel, pyspiel
print(pyspiel.load_game("crypt(players=2)").num_distinct_actions())' ;;
    ray) echo 'import crypt_env.arena.cluster, ray, ray.rllib, ray.train; print(ray.__version__)' ;;
    datasets) echo 'import h5py, minari, pyarrow.parquet, crypt_env.datasets' ;;
    docs) echo 'import furo, myst_nb, sphinx; print(sphinx.__version__)' ;;
    neighbours) echo 'import cv2, jax, moviepy, pygame, torchrl, array_api_compat
import jax.numpy as jnp; print(int(jnp.arange(3).sum()))' ;;
    *) echo "there is no extra '$1'" >&2; exit 2 ;;
  esac
}

try() { # python, extra: what became of it, in a few words
  local env=$work/env log=$work/log spec=.[$2]
  rm -rf "$env"
  "$uv" venv -q --python "$1" "$env"
  if [[ " ${RESOLVE:-} " == *" $2 "* ]]; then
    "$uv" pip install --dry-run --python "$env/bin/python" -c constraints.txt "$spec" >"$log" 2>&1 || return 1
    echo "resolves"
    return
  fi
  "$uv" pip install -q --python "$env/bin/python" -c constraints.txt "$spec" >"$log" 2>&1 || return 1
  use "$2" >"$work/use.py"
  (cd "$work" && "$env/bin/python" use.py >>"$log" 2>&1) || return 1
  echo "works, $(du -sm "$env" | cut -f1) MB"
}

for python in ${PYTHONS:-python3.10}; do
  for extra in ${EXTRAS:-draw train wandb openspiel ray datasets docs neighbours}; do
    if found=$(try "$python" "$extra"); then
      printf '%-15s %-12s %s\n' "$("$python" -V)" "$extra" "$found"
    else
      printf '%-15s %-12s FAILED: %s\n' "$("$python" -V)" "$extra" "$(grep -v '^ *$' "$work/log" | tail -3 | tr '\n' ' ')"
      failed=1
    fi
  done
done
exit $failed
