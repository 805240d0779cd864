"""The AEC environment step by step, without a loop over agents: masks, several decisions in a row, and rewards."""

from __future__ import annotations

import numpy as np

from crypt_env import crypt_v0, describe, parse_action


def main() -> None:
    """Open a game by hand, look at it from the point of view of both agents, and play it to the end."""
    env = crypt_v0.env(players=2, collectors="A", leader=0, render_mode="ansi")
    env.reset(seed=7)
    print(env.render(), end="\n\n")

    print("Only the agent to act has legal actions; the mask of the other one is all zeros:")
    for agent in env.possible_agents:
        mask = env.observe(agent)["action_mask"]
        print(f"  {agent}: {mask.sum()} legal actions, dtype {mask.dtype}")
    print(f"As text, the first are {', '.join(env.legal()[:3])}.")

    print("\nAn agent may act several times in a row, so never assume that agents alternate:")
    for text in ("place 0 2x3", "done", "place 0 2x4"):
        agent = env.agent_selection
        env.step(parse_action(text))
        print(f"  {agent} plays {text!r}; next is {env.agent_selection}")

    print("\nWhat player_1 may know, in words (the vector holds the same):")
    print("  " + describe(env.observe("player_1")["observation"]).replace("\n", "\n  "))

    print("\nThe rest of the game is sampled from the masks:")
    rng = np.random.default_rng(1)
    decisions = 0
    while not env.terminations[env.agent_selection]:
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(rng.choice(np.flatnonzero(mask)))
        decisions += 1
    print(f"  after {decisions} more decisions the game is over; the last one was {env.last_action!r}")
    print("  " + env.render().replace("\n", "\n  "))

    print("\nAll agents were paid in that step, no matter which one took it:")
    print(f"  rewards: {env.rewards}, terminations: {env.terminations}")

    print("\nEach agent now takes one last step, without an action; `last` returns what it was paid:")
    while env.agents:
        agent = env.agent_selection
        _, reward, termination, _, _ = env.last()
        env.step(None)
        print(f"  {agent}: reward {reward:+.0f}, termination {termination}; agents left: {env.agents}")


if __name__ == "__main__":
    main()
