"""`crypt_env.testing` itself: a game that conforms passes every check, and each broken one fails just those meant."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo.test import api_test, seed_test
from pettingzoo.utils import wrappers

from crypt_env import CryptError
from crypt_env.testing import CHECKS, Conformance, Finding, Result, assert_conforms, check_aec
from testing.broken_envs import (
    REROLL,
    CopyStartsAfresh,
    Duel,
    EmptyMask,
    GlobalPython,
    LeakedCard,
    LoserNeverPaid,
    MaskAllowsIllegal,
    MaskForbidsLegal,
    SeedIgnored,
    WaitingMaskOfOnes,
    all_broken,
    hidden,
)


def check(make_env, *names, **settings) -> Conformance:
    """Check with everything that is known about the game."""
    settings = {"hidden": hidden, "illegal": "raise", "zero_sum": True, **settings}
    return check_aec(make_env, checks=names or None, **settings)


class MaskInInfo(Duel):
    """The mask is in the info; waiting agents have zeros."""

    def observation_space(self, agent):
        return super().observation_space(agent)["observation"]

    def observe(self, agent):
        return super().observe(agent)["observation"]

    @property
    def infos(self):
        return {agent: {"action_mask": self.mask(agent)} for agent in self.agents}

    @infos.setter
    def infos(self, value):
        pass

    def mask(self, agent):
        mask = np.zeros(3, np.int8)
        mask[self.legal(agent)] = 1
        return mask


class StaleMaskInInfo(MaskInInfo):
    def mask(self, agent):
        return super().mask(self.agent_selection)


class MaskInInfoOfTheMover(MaskInInfo):
    @property
    def infos(self):
        mover = self.agent_selection
        return {agent: {"action_mask": self.mask(agent)} if agent == mover else {} for agent in self.agents}

    @infos.setter
    def infos(self, value):
        pass


class ActionsFromTen(Duel):
    def __init__(self):
        super().__init__()
        self.actions = spaces.Discrete(3, start=10)

    def step(self, action):
        super().step(None if action is None else action - 10)


class NoMask(Duel):
    """Impossible actions are played as the first possible one."""

    def observation_space(self, agent):
        return super().observation_space(agent)["observation"]

    def observe(self, agent):
        return super().observe(agent)["observation"]

    def step(self, action):
        legal = self.legal(self.agent_selection) if self.agents else []
        super().step(legal[0] if legal and action not in legal else action)


class IgnoresIllegal(Duel):
    def step(self, action):
        if self.agents and action is not None and action not in self.legal(self.agent_selection):
            return
        super().step(action)


class MaskAllowsIgnored(IgnoresIllegal, MaskAllowsIllegal):
    pass


class Endless(Duel):
    def play(self, agent, slot):
        self.turn += 1
        self.begin_turn()


class MaskAllowsIllegalAndNoCopies(MaskAllowsIllegal, CopyStartsAfresh):
    pass


class MaskForbidsLegalAndNoCopies(MaskForbidsLegal, CopyStartsAfresh):
    pass


class NeitherSeedNorCopies(SeedIgnored, CopyStartsAfresh):
    pass


class BoxOfActions(Duel):
    def action_space(self, agent):
        return spaces.Box(0, 1)


def wrapped():
    env = wrappers.TerminateIllegalWrapper(Duel(), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))


def test_good_game_passes_every_check() -> None:
    report = check(Duel)
    assert report.ok
    assert [(result.check, result.status) for result in report.results] == [(name, "ok") for name in CHECKS]
    assert report == assert_conforms(Duel, hidden=hidden, illegal="raise", zero_sum=True)


@pytest.mark.filterwarnings("ignore")
def test_good_game_passes_the_tests_of_pettingzoo() -> None:
    api_test(Duel(), num_cycles=20)
    seed_test(Duel, num_cycles=20)


@pytest.mark.parametrize("broken", all_broken(), ids=lambda broken: broken.__name__)
def test_broken_game_fails_just_the_checks_meant_for_it(broken: type[Duel]) -> None:
    report = check(broken)
    assert set(report.failed) == broken.caught_by, f"\n{report}"
    assert all(finding.check in broken.caught_by for finding in report.findings)


def test_every_check_has_a_broken_game_and_says_why_it_is_there() -> None:
    assert len(all_broken()) >= 10
    assert set().union(*(broken.caught_by for broken in all_broken())) == set(CHECKS)
    assert all(function.__name__ == name and "Demand that" in function.__doc__ for name, function in CHECKS.items())


def test_findings_say_where_and_what() -> None:
    finding = check(WaitingMaskOfOnes, "waiting_masks").findings[0]
    text = "not selected, yet its mask allows 3 actions: 0, 1, 2"
    assert finding == Finding("waiting_masks", text, game=0, step=0, agent="east")
    assert str(finding) == f"game 0, step 0, agent east: {text}"
    unpaid = str(check(LoserNeverPaid, "payment").findings[0])
    assert unpaid.startswith("game 0, step 0, agent north, action 2: after this step _cumulative_rewards is 0")
    forbidden = check(MaskForbidsLegal, "forbidden_actions").findings
    assert {finding.action for finding in forbidden} == {REROLL}


def test_report_is_the_same_every_time_and_leaves_the_global_generators_alone() -> None:
    for broken in (MaskAllowsIllegal, GlobalPython):
        before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
        first = check(broken)
        assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002
        random.seed(5)
        assert check(broken) == first
    assert str(check(Duel, seed=8)) != str(check(Duel, seed=9))


def test_report_prints_as_a_table() -> None:
    results = (
        Result("seeds", "ok", (), "3 games, 33 steps"),
        Result("leaks", "skipped", (), "needs hidden="),
        Result("reset", "failed", (Finding("reset", "x" * 200, game=1), Finding("reset", "y")), "3 games"),
    )
    report = Conformance("duel_v0", 3, 0, results)
    title, head, *rows = str(report).splitlines()
    assert title == "duel_v0: 1 ok, 1 failed, 1 skipped (3 games from seed 0)"
    assert head == "check  result   evidence"
    assert rows[:2] == ["seeds  ok       3 games, 33 steps", "leaks  skipped  needs hidden="]
    assert rows[2].startswith("reset  FAILED   game 1: xxx")
    assert len(rows[2]) <= 160
    assert (report.failed, report.skipped, report.ok) == (("reset",), ("leaks",), False)
    assert report["reset"].evidence.endswith("(+1 more)")
    with pytest.raises(KeyError, match="payment"):
        report["payment"]


def test_assert_conforms_lists_every_finding() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_conforms(LeakedCard, hidden=hidden, checks=["agents", "leaks"])
    lines = str(caught.value).splitlines()
    assert lines[0] == "duel_v0 fails leaks"
    assert lines[1:] == [f"leaks: {finding}" for finding in check(LeakedCard, "leaks").findings]
    assert len(lines) == 11


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"checks": ["seeds", "sedes"]}, "no checks 'sedes'; there are agents, infos, spaces"),
        ({"illegal": "refuse"}, "illegal is 'refuse', not one of any, raise"),
        ({"illegal": ["raise"]}, r"illegal is \['raise'\], not one of any, raise"),
        ({"checks": "sedes"}, "^there are no checks 'sedes'; there are agents, infos, spaces"),
        ({"checks": 5}, "there are no checks 5; there are agents, infos, spaces"),
        ({"checks": [["seeds"]]}, r"there are no checks \['seeds'\]; there are agents, infos, spaces"),
        ({"checks": []}, "checks is empty; there are agents, infos, spaces"),
        ({"games": 0}, "games=0 is not possible; allowed are whole numbers from 1 up"),
        ({"games": 1.5}, "games=1.5 is not possible"),
        ({"games": "3"}, "games='3' is not possible"),
        ({"seed": -1}, "seed=-1 is not possible; allowed are whole numbers from 0 to 4294967293"),
        ({"seed": None}, "seed=None is not possible"),
        ({"seed": 2**32 - 2}, "seed=4294967294 is not possible"),
        ({"max_steps": 0}, "max_steps=0 is not possible"),
        ({"tries": 0}, "tries=0 is not possible"),
        ({"tries": "x"}, "tries='x' is not possible"),
        ({"hidden": "cards"}, "hidden=.* is not possible; a function of two arguments is needed, or None"),
        ({"zero_sum": "no"}, "zero_sum='no' is not possible; allowed are True and False"),
    ],
    ids=str,
)
def test_impossible_arguments_are_refused(settings: dict, sentence: str) -> None:
    with pytest.raises(CryptError, match=sentence):
        check_aec(Duel, **settings)


def test_an_environment_instead_of_its_maker_is_refused() -> None:
    with pytest.raises(
        CryptError, match=r"^make_env=.*Duel.* is not possible; a function without arguments is needed$"
    ):
        check_aec(Duel())


def test_one_check_may_be_given_by_its_name() -> None:
    assert [result.check for result in check_aec(Duel, checks="agents", games=1).results] == ["agents"]


def test_one_game_is_in_the_singular() -> None:
    report = check_aec(Duel, checks="agents", games=1, max_steps=1)
    assert str(report).splitlines()[0].endswith("(1 game from seed 0)")
    assert report["agents"].note.startswith("1 game (1 unfinished), 1 step;")


def test_wrapped_game_passes_without_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    report = check_aec(wrapped, illegal="end", zero_sum=True)
    assert (report.failed, report.skipped) == ((), ("leaks",))
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("make_env", [MaskInInfo, ActionsFromTen], ids=lambda made: made.__name__)
def test_other_forms_of_masks_and_actions_pass(make_env: type[Duel]) -> None:
    report = check(make_env)
    assert (report.failed, report.skipped) == ((), ())


def test_mask_in_the_info_of_the_mover_alone_is_found() -> None:
    report = check(MaskInInfoOfTheMover)
    assert (report.failed, report.skipped) == (("infos",), ("waiting_masks",))
    assert str(report["infos"].findings[0]).endswith("info['action_mask'] is missing here")


def test_mask_of_another_agent_in_the_info_is_found() -> None:
    assert check(StaleMaskInInfo).failed == ("waiting_masks",)


def test_game_without_masks_may_do_everything() -> None:
    report = check(NoMask)
    assert report.failed == ()
    assert report.skipped == ("waiting_masks", "mover_masks", "forbidden_actions")


@pytest.mark.parametrize(
    ("make_env", "illegal", "failed"),
    [
        (Duel, "any", ()),
        (Duel, "end", ("forbidden_actions",)),
        (wrapped, "any", ()),
        (wrapped, "raise", ("forbidden_actions",)),
        (IgnoresIllegal, "any", ()),
        (IgnoresIllegal, "ignore", ()),
        (IgnoresIllegal, "raise", ("forbidden_actions",)),
        (MaskAllowsIgnored, "ignore", ("allowed_actions",)),
        (MaskForbidsLegal, "any", ("forbidden_actions",)),
        (MaskForbidsLegal, "unchecked", ()),
    ],
)
def test_illegal_actions_are_refused_as_promised(make_env, illegal: str, failed: tuple[str, ...]) -> None:
    report = check_aec(make_env, checks=["allowed_actions", "forbidden_actions"], illegal=illegal)
    assert report.failed == failed
    assert report.skipped == (("forbidden_actions",) if illegal == "unchecked" else ())


def test_brute_force_replays_what_it_cannot_copy() -> None:
    names = ["allowed_actions", "forbidden_actions"]
    assert check(CopyStartsAfresh, *names)["allowed_actions"] == check(Duel, *names)["allowed_actions"]
    assert check(MaskAllowsIllegalAndNoCopies, *names).failed == ("allowed_actions",)
    assert check(MaskForbidsLegalAndNoCopies, *names).failed == ("forbidden_actions",)


def test_brute_force_is_skipped_where_no_position_comes_again() -> None:
    report = check(NeitherSeedNorCopies, "allowed_actions", "forbidden_actions")
    assert report.skipped == ("allowed_actions", "forbidden_actions")
    assert report["allowed_actions"].note == "neither copies nor replays from the seed come to the same position"


def test_action_that_the_game_itself_played_in_vain_is_found_without_a_try() -> None:
    assert "step raised ValueError" in check(MaskAllowsIllegal, "allowed_actions", tries=1, games=8).findings[0].message


def test_brute_force_keeps_to_its_tries() -> None:
    note = check(Duel, "allowed_actions", tries=20)["allowed_actions"].note
    tried, total = (int(word) for word in note.split("; ")[1].split()[:3:2])
    assert (total, 10 <= tried <= 30) == (54, True)


def test_leaks_needs_something_hidden() -> None:
    assert check_aec(LeakedCard).failed == ()
    assert "needs hidden=" in check(Duel, "leaks", hidden=None)["leaks"].note
    assert "no environment" in check(Duel, "leaks", hidden=lambda env, agent: None)["leaks"].note
    [finding] = check(Duel, "leaks", hidden=lambda env, agent: env).findings
    assert "hidden() changed the environment" in finding.message


def test_what_could_not_be_played_is_reported() -> None:
    report = check(EmptyMask)
    assert report["payment"].status == "skipped"
    assert "game 0 stopped by an empty mask at step 5" in report["payment"].note
    assert "game 0 cut after 30 steps" in check(Endless, max_steps=30)["ending"].note
    assert check(Endless, max_steps=30).failed == ()


def test_errors_of_the_environment_are_findings() -> None:
    report = check(BoxOfActions)
    assert set(report.failed) == set(CHECKS)
    assert "the environment raised TypeError: the action space of north is Box" in report["seeds"].evidence


def test_importing_the_package_loads_neither_the_checks_nor_pettingzoo() -> None:
    code = "import sys, crypt_env; print([name for name in ('crypt_env.testing', 'pettingzoo') if name in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_environments_are_closed_also_when_a_check_fails() -> None:
    made = []

    class Closing(CopyStartsAfresh):
        is_closed = False

        def close(self):
            self.is_closed = True

    def make_env():
        made.append(Closing())
        return made[-1]

    assert not check(make_env).ok
    assert all(env.is_closed for env in made)
