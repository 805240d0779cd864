"""A small conforming game, and ways to break it, each with the checks that must catch it."""

from __future__ import annotations

import copy
import random
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

SEATS = ["north", "east", "south"]
DECK = [1, 1, 2, 2, 3, 3, 4, 4]
REROLL = 2


class Duel(AECEnv):
    """Each of three players holds two hidden cards; a card played scores its value times the die of the turn.

    Actions 0 and 1 play a card. Action 2 rolls the die again, once a turn: the mover pays 1 to each of the others and
    goes on. After two rounds the winners share 2 for each loser, and the losers pay it.
    """

    metadata = {"name": "duel_v0", "render_modes": []}
    caught_by: set[str] = set()

    def __init__(self) -> None:
        self.possible_agents = list(SEATS)
        self.generator: np.random.Generator | None = None
        mask = spaces.Box(0, 1, (3,), np.int8)
        self.seen = spaces.Dict({"observation": spaces.Box(0, 48, (6,), np.int8), "action_mask": mask})
        self.actions = spaces.Discrete(3)

    def observation_space(self, agent: str) -> spaces.Space:
        return self.seen

    def action_space(self, agent: str) -> spaces.Space:
        return self.actions

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None or self.generator is None:
            self.generator = np.random.default_rng(seed)
        self.agents = list(SEATS)
        deck = self.generator.permutation(DECK)
        self.hands = {agent: [int(deck[2 * seat]), int(deck[2 * seat + 1])] for seat, agent in enumerate(SEATS)}
        self.scores = dict.fromkeys(SEATS, 0)
        self.rewards = dict.fromkeys(SEATS, 0)
        self._cumulative_rewards = dict.fromkeys(SEATS, 0)
        self.terminations = dict.fromkeys(SEATS, False)
        self.truncations = dict.fromkeys(SEATS, False)
        self.infos = {agent: {} for agent in SEATS}
        self.turn = 0
        self.begin_turn()

    def begin_turn(self) -> None:
        self.agent_selection = SEATS[self.turn % 3]
        self.die = self.roll()
        self.may_reroll = True

    def roll(self) -> int:
        return int(self.generator.integers(1, 7))

    def legal(self, agent: str) -> list[int]:
        if agent != self.agent_selection or self.terminations.get(agent, True):
            return []
        return [slot for slot in (0, 1) if self.hands[agent][slot]] + [REROLL] * self.may_reroll

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        mask = np.zeros(3, np.int8)
        mask[self.mask_allows(agent)] = 1
        return {"observation": np.array(self.features(agent), np.int8), "action_mask": mask}

    def mask_allows(self, agent: str) -> list[int]:
        return self.legal(agent)

    def features(self, agent: str) -> list[int]:
        return [*self.hands[agent], self.die, *self.scores.values()]

    def step(self, action: int | None) -> None:
        if not self.agents:
            raise RuntimeError("the game is over")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action not in self.legal(agent):
            raise ValueError(f"{agent} may not do {action}")
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        if action == REROLL:
            self.rewards = {seat: -2 if seat == agent else 1 for seat in SEATS}
            self.die, self.may_reroll = self.roll(), False
        else:
            self.play(agent, action)
        self._accumulate_rewards()

    def play(self, agent: str, slot: int) -> None:
        self.scores[agent] += self.hands[agent][slot] * self.die
        self.hands[agent][slot] = 0
        self.turn += 1
        if self.turn == 6:
            self.finish()
        else:
            self.begin_turn()

    def finish(self) -> None:
        winners = [agent for agent in SEATS if self.scores[agent] == max(self.scores.values())]
        prize = 2 * (3 - len(winners)) / len(winners)
        self.rewards = {agent: prize if agent in winners else -2 for agent in SEATS}
        self.terminations = dict.fromkeys(SEATS, True)
        self.agent_selection = SEATS[0]


def hidden(env: Duel, agent: str) -> Duel:
    """Deal the unknown cards again and change the generator."""
    other = type(env)()
    other.__dict__ = copy.deepcopy(vars(env))
    chance = np.random.default_rng(99)
    unknown = [card for seat in env.possible_agents if seat != agent for card in env.hands[seat] if card]
    cards = list(chance.permutation(unknown + spare(env)))
    for seat in env.possible_agents:
        if seat != agent:
            other.hands[seat] = [int(cards.pop()) if card else 0 for card in env.hands[seat]]
    other.generator = chance
    return other


def copied(env: Duel, memo: dict, shared: str | None) -> Duel:
    """Return a deep copy that shares one attribute with the original."""
    other = type(env)()
    other.__dict__ = {k: value if k == shared else copy.deepcopy(value, memo) for k, value in vars(env).items()}
    return other


def spare(env: Duel) -> list[int]:
    """Return two cards that may be the ones left in the box, which no player knows."""
    held = [card for hand in env.hands.values() for card in hand if card]
    rest = list(DECK)
    for card in held:
        rest.remove(card)
    return rest[:2]


class AgentLeftInRewards(Duel):
    caught_by = {"agents"}

    def _was_dead_step(self, action):
        rewards = dict(self.rewards)
        super()._was_dead_step(action)
        self.rewards = dict.fromkeys(rewards, 0)


class InfiniteReward(Duel):
    caught_by = {"agents", "payment"}

    def finish(self):
        super().finish()
        self.rewards = dict.fromkeys(SEATS, float("inf"))


class ObservationOutOfSpace(Duel):
    caught_by = {"spaces"}

    def features(self, agent):
        return [*super().features(agent)[:5], 49 if self.turn == 3 else 0]


class ObservationOfOtherType(Duel):
    caught_by = {"spaces"}

    def observe(self, agent):
        observation = super().observe(agent)
        return {**observation, "observation": observation["observation"].astype(np.int16)}


class WaitingMaskOfOnes(Duel):
    caught_by = {"waiting_masks"}

    def mask_allows(self, agent):
        return self.legal(agent) if agent == self.agent_selection else [0, 1, 2]


class EmptyMask(Duel):
    caught_by = {"mover_masks"}

    def mask_allows(self, agent):
        return [] if self.turn == 4 else self.legal(agent)


class MaskAllowsIllegal(Duel):
    caught_by = {"allowed_actions"}

    def mask_allows(self, agent):
        return [*self.legal(agent), REROLL] if self.turn == 4 and self.legal(agent) else self.legal(agent)


class MaskForbidsLegal(Duel):
    caught_by = {"forbidden_actions"}

    def mask_allows(self, agent):
        return [action for action in self.legal(agent) if action != REROLL or self.turn != 4]


class SeedIgnored(Duel):
    caught_by = {"seeds"}

    def reset(self, seed=None, options=None):
        super().reset(np.random.SeedSequence().entropy)


class SecondEpisodeDiffers(Duel):
    caught_by = {"seeds"}

    def reset(self, seed=None, options=None):
        super().reset(np.random.SeedSequence().entropy if seed is None else seed)


class GlobalNumpy(Duel):
    # A copy cannot have the dice of a global generator.
    caught_by = {"global_random", "deep_copy", "pickling"}

    def reset(self, seed=None, options=None):
        if seed is not None:
            np.random.seed(seed)  # noqa: NPY002
        super().reset(seed)

    def roll(self):
        return int(np.random.randint(1, 7))  # noqa: NPY002


class GlobalPython(Duel):
    caught_by = {"global_random", "deep_copy", "pickling"}

    def roll(self):
        return random.randint(1, 6)


class CopySharesGenerator(Duel):
    caught_by = {"deep_copy"}

    def __deepcopy__(self, memo):
        return copied(self, memo, "generator")


class CopySharesHands(Duel):
    caught_by = {"deep_copy"}

    def __deepcopy__(self, memo):
        return copied(self, memo, "hands")


class CopyStartsAfresh(Duel):
    caught_by = {"deep_copy", "pickling"}

    def __reduce__(self):
        return type(self), ()


class CannotBePickled(Duel):
    caught_by = {"pickling"}

    def __getstate__(self):
        raise TypeError("not to be pickled")

    def __deepcopy__(self, memo):
        return copied(self, memo, None)


class LoserNeverPaid(Duel):
    caught_by = {"payment"}

    def _accumulate_rewards(self):
        for agent, reward in self.rewards.items():
            self._cumulative_rewards[agent] += max(reward, 0)


class RewardToTheNextAgent(Duel):
    caught_by = {"payment"}

    def _accumulate_rewards(self):
        for agent, reward in self.rewards.items():
            self._cumulative_rewards[SEATS[SEATS.index(agent) - 2]] += reward


class OnlyTheMoverIsPaid(Duel):
    """It changes only its own reward: needs zero_sum to be noticed."""

    caught_by = {"payment"}

    def _accumulate_rewards(self):
        self.rewards = {agent: max(reward, 0) for agent, reward in self.rewards.items()}
        super()._accumulate_rewards()


class ObserveMovesTheScore(Duel):
    """Points go to the last agent observed: this works as long as that is the mover."""

    caught_by = {"pure_observe"}
    viewer = SEATS[0]

    def observe(self, agent):
        self.viewer = agent
        return super().observe(agent)

    def play(self, agent, slot):
        self.scores[self.viewer] += 1
        super().play(agent, slot)


class ObserveRemembers(Duel):
    """All agents see who looked before."""

    caught_by = {"pure_observe"}
    viewer = SEATS[0]

    def observe(self, agent):
        observation = super().observe(agent)
        self.viewer = agent
        return observation

    def features(self, agent):
        return [*super().features(agent)[:5], SEATS.index(self.viewer)]


class ObserveReorders(Duel):
    caught_by = {"pure_observe"}

    def observe(self, agent):
        if agent in self.agents:
            self.agents.remove(agent)
            self.agents.append(agent)
        return super().observe(agent)


class LastSaysOtherwise(Duel):
    caught_by = {"pure_observe"}

    def last(self, observe=True):
        observation, *rest = super().last(observe)
        return ({**observation, "observation": observation["observation"] * 0} if observation else None, *rest)


class SharedBuffer(Duel):
    caught_by = {"aliasing"}

    def __init__(self):
        super().__init__()
        self.buffers = {agent: np.zeros(6, np.int8) for agent in SEATS}

    def observe(self, agent):
        observation = super().observe(agent)
        self.buffers[agent][:] = observation["observation"]
        return {**observation, "observation": self.buffers[agent]}


class LeakedCard(Duel):
    caught_by = {"leaks"}

    def features(self, agent):
        return [*super().features(agent)[:5], self.hands[SEATS[SEATS.index(agent) - 1]][1]]


class LeakedInInfo(Duel):
    caught_by = {"leaks"}

    @property
    def infos(self):
        return {agent: {"hands": np.array(list(self.hands.values()))} for agent in self.agents}

    @infos.setter
    def infos(self, value):
        pass


class LosersVanish(Duel):
    """Only the winners stay to the end, so that the others never receive the result."""

    caught_by = {"ending", "payment"}

    def play(self, agent, slot):
        super().play(agent, slot)
        if self.terminations[agent]:
            self.agents = [seat for seat in SEATS if self.rewards[seat] > 0]
            for table in (self.rewards, self._cumulative_rewards, self.terminations, self.truncations, self.infos):
                for seat in set(SEATS) - set(self.agents):
                    del table[seat]
            self.agent_selection = self.agents[0] if self.agents else SEATS[0]


class DeadStepRaises(Duel):
    caught_by = {"ending"}

    def _was_dead_step(self, action):
        if len(self.agents) == 1:
            raise RuntimeError("no player is left")
        super()._was_dead_step(action)


class StepAfterTheEndPays(Duel):
    caught_by = {"stray_steps"}

    def step(self, action):
        if self.agents:
            super().step(action)
        else:
            self.rewards[SEATS[0]] = 1


class StepAfterTheEndRolls(Duel):
    caught_by = {"stray_steps"}

    def step(self, action):
        if self.agents:
            super().step(action)
        else:
            self.roll()


class StepBeforeResetCounts(Duel):
    caught_by = {"stray_steps"}
    early = 0

    def step(self, action):
        if not hasattr(self, "agents"):
            self.early = 1
            return
        super().step(action)

    def features(self, agent):
        return [*super().features(agent)[:5], self.early]


class ResetKeepsUnfinishedScores(Duel):
    caught_by = {"reset"}

    def reset(self, seed=None, options=None):
        kept = dict(self.scores) if getattr(self, "agents", []) else None
        super().reset(seed)
        self.scores = kept or self.scores


class ResetKeepsRewards(Duel):
    caught_by = {"reset"}

    def reset(self, seed=None, options=None):
        kept = dict(self.rewards) if len(getattr(self, "agents", [])) == 3 else None
        super().reset(seed)
        self.rewards = kept or self.rewards


class TextsInInfo(Duel):
    """As many texts as there are legal actions: what stacks infos cannot take them."""

    caught_by = {"infos"}

    def begin_turn(self):
        super().begin_turn()
        self.infos = {agent: {"legal": [str(action) for action in self.legal(agent)]} for agent in self.agents}


class InfoOfTheMoverAlone(Duel):
    caught_by = {"infos"}

    def begin_turn(self):
        super().begin_turn()
        self.infos = {agent: {"die": self.die} if agent == self.agent_selection else {} for agent in self.agents}


class InfoChangesItsShape(Duel):
    caught_by = {"infos"}

    def begin_turn(self):
        super().begin_turn()
        self.infos = {agent: {"rolls": {"all": np.zeros(self.turn, np.int8)}} for agent in self.agents}


def all_broken() -> list[type[Duel]]:
    """Return every way to break the game."""
    return [broken for broken in Duel.__subclasses__() if broken.__module__ == __name__]
