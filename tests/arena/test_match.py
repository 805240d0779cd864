"""Playing deals: the counts are those of single games."""

import numpy as np
import pytest

from arena.players import Cheat, Mixer, first, last
from crypt_env import CryptError, Game
from crypt_env.agents import make_agent
from crypt_env.arena import make_match_plan
from crypt_env.arena.match import WHOLE_WIN, deal_batch, play_deals, win_shares


def outcome_by_hand(state, agents):
    """Play one dealt game, decision by decision; agents by seat. Only agents without memory."""
    game = Game.from_state(state)
    while not game.is_over:
        game = game.play(agents[game.to_move].choose(game))
    return game.outcome()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_shares_and_coins_are_those_of_games_played_one_by_one(players):
    plan = make_match_plan(["first", "last"], players, 6 * players, seed=3)
    (lineup,) = plan.lineups
    agents = [first(), last()]
    played = play_deals(plan, lineup, agents, 2, 5)
    shares, coins = np.zeros((3, 2)), np.zeros((3, 2))
    for turn, seating in enumerate(lineup.seatings(np.arange(2, 5))):
        batch = deal_batch(plan, np.arange(2, 5))
        batch.reset()
        for row, places in enumerate(seating.tolist()):
            assert places.count(0) == 1, turn
            outcome = outcome_by_hand(batch.states[row : row + 1], [agents[place] for place in places])
            for seat, place in enumerate(places):
                coins[row, place] += outcome.scores[seat]
                shares[row, place] += (seat in outcome.winners) / len(outcome.winners)
    assert (played.coins == coins).all()
    assert played.shares == pytest.approx(shares * WHOLE_WIN)


def test_a_win_that_is_shared_counts_as_equal_parts_of_a_win():
    batch = deal_batch(make_match_plan(["first", "last"], 4, 16), np.arange(5))
    batch.states["winners"] = [0b0001, 0b0110, 0b1011, 0b1111, 0b1000]
    assert (win_shares(batch, 4) * 1.0 / WHOLE_WIN).tolist() == [
        pytest.approx(row)
        for row in ([1, 0, 0, 0], [0, 0.5, 0.5, 0], [1 / 3, 1 / 3, 0, 1 / 3], [0.25] * 4, [0, 0, 0, 1])
    ]


def test_decisions_are_counted_for_the_agent_that_made_them():
    plan = make_match_plan(["first", "last"], 2, 20)
    asked = []
    counting = make_agent(lambda observations, masks: asked.append(len(masks)) or masks.argmax(axis=1))
    played = play_deals(plan, plan.lineups[0], [counting, last()], 0, 10)
    assert played.decisions[0] == sum(asked) > 0
    assert played.decisions[1] > 0
    assert (played.seconds >= 0).all()


def test_equal_agents_share_the_wins_evenly_on_every_deal():
    plan = make_match_plan(["one", "two"], 3, 60)
    played = play_deals(plan, plan.lineups[0], [first(), first()], 0, 20)
    assert (played.shares[:, 0] == WHOLE_WIN).all()
    assert (played.shares[:, 1] == 2 * WHOLE_WIN).all()


def test_an_agent_keeps_its_memory_for_each_game_and_seat():
    plan = make_match_plan(["x", "y"], 4, 80)
    together = play_deals(plan, plan.lineups[0], [Mixer(), Mixer()], 0, 20)
    apart = [play_deals(plan, plan.lineups[0], [Mixer(), Mixer()], deal, deal + 1) for deal in range(20)]
    assert (together.coins == np.concatenate([played.coins for played in apart])).all()


def test_an_illegal_answer_names_the_agent_and_the_deal():
    cheat = Cheat()
    cheat.name = "cheat"
    plan = make_match_plan(["first", "cheat"], 2, 100)
    with pytest.raises(CryptError, match=r"agent 'cheat' gave an illegal action in game \d+: illegal action"):
        play_deals(plan, plan.lineups[0], [first(), cheat], 7, 9)
