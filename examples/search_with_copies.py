"""Choose a move by simulation: re-deal what is unknown, play on at random, take the move with the best average lead.

The searching seat never sees more than a player would: `resample` re-deals everything that the seat cannot know.
"""

from __future__ import annotations

from statistics import mean

from crypt_env import Game

SIMULATIONS = 20


def lead_after(game: Game, move: str, seat: int, seed: int) -> int:
    """Play a move, then random moves to the end, in one possible world; return the seat's lead in coins."""
    world = game.resample(seat, seed).play(move)
    while not world.is_over:
        world.play(world.random_action())
    scores = [sheet.total for sheet in world.sheets()]
    return scores.pop(seat) - max(scores)


def best_move(game: Game, seat: int) -> str:
    """Return the move with the best average lead; all moves are tried in the same worlds."""
    moves = game.legal()
    moves = moves[:: max(1, len(moves) // 8)]  # only some of them, for speed
    return max(moves, key=lambda move: mean(lead_after(game, move, seat, seed) for seed in range(SIMULATIONS)))


def main() -> None:
    """Let a searching seat play some rounds against a random one."""
    game = Game(players=2, collectors="AABBAB", leader=0, seed=3)
    while not game.is_over and game.round <= 3:
        seat = game.to_move
        move = best_move(game, 0) if seat == 0 else game.random_action()
        print(f"round {game.round}: seat {seat} {'chooses' if seat == 0 else 'draws'} {move}")
        game.play(move)
    print(game)


if __name__ == "__main__":
    main()
