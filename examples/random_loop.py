"""The usual PettingZoo loop with random legal actions: how a game goes, and that every agent gets the result."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from pettingzoo import AECEnv

from crypt_env import crypt_v0

GAMES = 100


def play(env: AECEnv) -> tuple[list[str], dict[str, float]]:
    """Play one game; return the agent of each decision, and what every agent was paid."""
    deciders: list[str] = []
    paid: Counter[str] = Counter()
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        paid[agent] += reward
        if termination or truncation:
            env.step(None)  # the last step of this agent: it has just received its final reward
        else:
            deciders.append(agent)
            env.step(env.action_space(agent).sample(observation["action_mask"]))
    return deciders, dict(paid)


def main() -> None:
    """Play a hundred games with each number of players and print a table."""
    print("players  decisions a game  again the same agent  winners told  losers told  sum of all payments")
    for players in (2, 3, 4):
        env = crypt_v0.env(players=players)
        for agent in env.possible_agents:
            env.action_space(agent).seed(env.possible_agents.index(agent))
        decisions = again = winners = losers = 0
        total = 0.0
        for game in range(GAMES):
            env.reset(seed=1 if game == 0 else None)  # without a seed: the next game of the same seed
            deciders, paid = play(env)
            decisions += len(deciders)
            again += sum(agent == following for agent, following in pairwise(deciders))
            winners += sum(reward > 0 for reward in paid.values())
            losers += sum(reward < 0 for reward in paid.values())
            total += sum(paid.values())
        print(
            f"{players:^7}  {decisions / GAMES:^16.1f}  {again / decisions:^20.0%}  {winners:^12}  {losers:^11}"
            f"  {abs(total):^19.1f}"
        )


if __name__ == "__main__":
    main()
