"""`crypt_env.testing`: the message for each single fault."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from gymnasium import spaces

from crypt_env.testing import check_aec
from crypt_env.testing.compare import FrozenArray, difference, freeze
from testing.broken_envs import SEATS, Duel, hidden


class Again(Duel):
    def _was_dead_step(self, action):
        super()._was_dead_step(action)
        if self.agents == ["south"]:
            self.agents.append("north")


class Twice(Duel):
    def finish(self):
        super().finish()
        self.agents = [*SEATS, SEATS[0]]


class Stranger(Duel):
    def reset(self, seed=None, options=None):
        super().reset(seed)
        self.agents.append("west")

    def mask_allows(self, agent):
        return self.legal(agent) if agent in SEATS else []

    def features(self, agent):
        return super().features(agent) if agent in SEATS else [0] * 6


class NobodySelected(Duel):
    """The selected agent is not in the list, which has another one."""

    def play(self, agent, slot):
        super().play(agent, slot)
        self.agents.remove(self.agent_selection)


class Miscounted(Duel):
    num_agents = 4


class NoInfo(Duel):
    def reset(self, seed=None, options=None):
        super().reset(seed)
        self.infos["east"] = None


class OddFlag(Duel):
    def finish(self):
        super().finish()
        self.truncations["south"] = "no"


class OnlyTheLastMoverWins(Duel):
    """The losers are in `rewards` and nowhere else."""

    def _accumulate_rewards(self):
        won = self.terminations[SEATS[0]]
        last = SEATS[(self.turn - 1) % 3]
        self.rewards = {seat: (2 if seat == last else -1) if won else 0 for seat in SEATS}
        self._cumulative_rewards[last] += self.rewards[last]


class NoMaskAtLast(Duel):
    def observation_space(self, agent):
        return spaces.Box(0, 48, (6,), np.int8)

    def observe(self, agent):
        return super().observe(agent)["observation"]

    @property
    def infos(self):
        mask = np.ones(3, np.int8)
        shown = self.agent_selection if self.turn < 2 else None
        return {agent: {"action_mask": mask} if agent == shown else {} for agent in self.agents}

    @infos.setter
    def infos(self, value):
        pass


class Reseeded(Duel):
    games = 0

    def reset(self, seed=None, options=None):
        self.games += 1
        super().reset(seed if seed is None or self.games == 1 else seed + 1)


class MakesRandom(Duel):
    def __init__(self):
        super().__init__()
        random.random()


class LateRandom(Duel):
    def finish(self):
        random.random()
        super().finish()


class CopyForgets(Duel):
    def __setstate__(self, state):
        self.__dict__ = {**state, "die": 1 + state["die"] % 6}


class CopyFalls(Duel):
    is_copy = False

    def __setstate__(self, state):
        self.__dict__ = {**state, "is_copy": True}

    def finish(self):
        if self.is_copy:
            raise RuntimeError("not here")
        super().finish()


class ObserveAliasesAtOnce(Duel):
    """One array for all agents, changed only by the next reset."""

    def __init__(self):
        super().__init__()
        self.array = np.zeros(6, np.int8)

    def features(self, agent):
        return [0] * 6

    def observe(self, agent):
        return {**super().observe(agent), "observation": self.array}

    def reset(self, seed=None, options=None):
        super().reset(seed)
        self.array[0] = 1 - self.array[0]


class SpacesChange(Duel):
    def observation_space(self, agent):
        more = {"more": spaces.Discrete(2)} if self.turn > 1 else {}
        return spaces.Dict({**super().observation_space(agent), **more})


class SpacesAnew(Duel):
    def action_space(self, agent):
        return spaces.Discrete(3)


class MaskOfBool(Duel):
    def observation_space(self, agent):
        shown = {"observation": spaces.Box(0, 48, (6,), np.int8), "action_mask": spaces.MultiBinary(3)}
        shown["action_mask"].dtype = np.dtype(bool)
        return spaces.Dict(shown)

    def observe(self, agent):
        observation = super().observe(agent)
        return {**observation, "action_mask": observation["action_mask"].astype(bool)}


class MaskOfTwos(Duel):
    def observation_space(self, agent):
        return spaces.Dict({**super().observation_space(agent), "action_mask": spaces.Box(0, 2, (3,), np.int8)})

    def observe(self, agent):
        observation = super().observe(agent)
        return {**observation, "action_mask": observation["action_mask"] * np.int8(2)}


class MissingKey(Duel):
    def observe(self, agent):
        return {"action_mask": super().observe(agent)["action_mask"]}


class Seen(Duel):
    """The mask is in the info; the observation is defined by `space` and `value`."""

    space: spaces.Space
    value: object

    def observation_space(self, agent):
        return self.space

    def observe(self, agent):
        return self.value

    @property
    def infos(self):
        masks = {agent: Duel.observe(self, agent)["action_mask"] for agent in self.agents}
        return {agent: {"action_mask": mask} for agent, mask in masks.items()}

    @infos.setter
    def infos(self, value):
        pass


def seen(space: spaces.Space, value: object) -> type[Seen]:
    """Return a game with an observation that never changes."""
    return type("SeenHere", (Seen,), {"space": space, "value": value})


class DeadStays(Duel):
    def _was_dead_step(self, action):
        if self.turn == 6:
            self.turn = 7
            return
        super()._was_dead_step(action)


class DeadRises(Duel):
    def _was_dead_step(self, action):
        super()._was_dead_step(action)
        if len(self.agents) == 2:
            self.terminations["south"] = False


class AllVanish(Duel):
    def play(self, agent, slot):
        super().play(agent, slot)
        if self.terminations[agent]:
            self.agents = []
            self.rewards, self._cumulative_rewards = {}, {}


class NobodyDealt(Duel):
    def reset(self, seed=None, options=None):
        super().reset(seed)
        if seed == 1:
            self.agents = []


PAIR = spaces.Tuple([spaces.Box(0, 1, (2,), np.float32), spaces.Discrete(2)])
FINE = np.zeros(2, np.float32)

FAULTS = [
    (Again, "agents", "['north'] had left the game and is back in agents"),
    (Twice, "agents", "agents names an agent twice: ['north', 'east', 'south', 'north']"),
    (Stranger, "agents", "agents has ['west'], which possible_agents has not"),
    (NobodySelected, "agents", "agent_selection is east, who is not in agents"),
    (Miscounted, "agents", "num_agents is 4, agents has 3"),
    (NoInfo, "agents", "infos['east'] is None, not a dictionary"),
    (OddFlag, "agents", "truncations['south'] is 'no', neither True nor False"),
    (OnlyTheLastMoverWins, "payment", "in 1 zero-sum games only the agent that moved last was paid"),
    (NoMaskAtLast, "mover_masks", "has to act and has no mask, while there was one before"),
    (Reseeded, "seeds", "seeded again after 3 episodes, the first one comes out differently"),
    (MakesRandom, "global_random", "make_env() used the global generator of random"),
    (LateRandom, "global_random", "this step, or observe after it, used the global generator of random"),
    (CopyForgets, "pickling", "the copy is in another position: observation of north['observation'][2] is"),
    (CopyFalls, "deep_copy", "later the copy differs from the original: RuntimeError: not here"),
    (ObserveAliasesAtOnce, "aliasing", "agent north: the observation['observation'][0] is 1, then 0, without being"),
    (SpacesChange, "spaces", "its spaces change during the game"),
    (SpacesAnew, "spaces", "every call makes new spaces"),
    (MaskOfBool, "spaces", "the mask is bool (3,), not int8 (3,)"),
    (MaskOfTwos, "spaces", "the mask has a 2 among its zeros and ones"),
    (MissingKey, "spaces", "the observation is ['action_mask'], its space has ['action_mask', 'observation']"),
    (seen(PAIR, (FINE, 2)), "spaces", "the observation[1] is 2, not in Discrete(2)"),
    (seen(PAIR, (FINE + 2, 1)), "spaces", "the observation[0] has 2.0 at [0], its space goes from 0.0 to 1.0"),
    (seen(PAIR, 5), "spaces", "the observation is 5, not in Tuple("),
    (seen(PAIR[0], [0.0, 0.0]), "spaces", "the observation is of type list, its space has arrays"),
    (seen(PAIR[0], FINE * np.nan), "spaces", "the observation has nan at [0]"),
    (seen(spaces.MultiBinary(2), np.array([0, 2], np.int8)), "spaces", "the observation is array([0, 2], dtype=int8)"),
    (DeadStays, "ending", "agent north: is still in agents after its dead step"),
    (DeadRises, "ending", "agent south: its game was over and goes on again"),
    (AllVanish, "ending", "agent east: left agents without a dead step"),
    (NobodyDealt, "reset", "after reset(seed=1), there are no agents"),
]


@pytest.mark.parametrize(("make_env", "check", "sentence"), FAULTS, ids=lambda value: getattr(value, "__name__", None))
def test_fault_is_found(make_env: type[Duel], check: str, sentence: str) -> None:
    report = check_aec(make_env, games=1, seed=0, checks=[check], hidden=hidden)
    assert any(sentence in str(finding) for finding in report.findings), "\n".join(map(str, report.findings))


def test_good_tuple_passes() -> None:
    assert check_aec(seen(PAIR, (FINE, 1)), checks=["spaces"]).ok


def test_frozen_values_are_compared_by_content_and_type() -> None:
    array = np.array([[1, 2], [3, 4]], np.int8)
    frozen = freeze({"a": array, "b": [1, "x", np.float32("nan")], "c": np.array([None, 1], object)})
    array[1, 0] = 9
    assert (
        difference(frozen, freeze({"a": array, "b": (1, "x", float("nan")), "c": [None, 1]})) == "a[1, 0] is 3, then 9"
    )
    assert repr(freeze(array)) == "an array of |i1 with shape (2, 2)"
    assert difference(freeze(array), freeze(array.astype(np.int16)), "x").startswith("x is an array of |i1")
    assert isinstance(freeze(array), FrozenArray)
    assert freeze(object()) == freeze(object()) != freeze(Fraction(1))
    assert difference(freeze([1, (2, 3)]), freeze([1, (2, 4)]), "x") == "x[1][1] is 3, then 4"
    assert difference(freeze([1]), freeze([1, 2]), "x") == "x is (1,), then (1, 2)"
    assert difference(freeze({"a": 1}), freeze({"b": 1})) == "a is 1, then 'missing'"
