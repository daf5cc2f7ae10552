"""The rules once more, written differently and from texts alone, to hold the engine to."""

COLORS = ["RED", "BLUE", "YELLOW", "GREEN"]
HORSES = ["VANILLA_BEANS", "FORET_NOIRE", "SILVER_ARRASAN", "GATEAU_OPERA"]
STEPS = {1: 4, 2: 4, 3: 4, 4: 3, 5: 3, 6: 3, 7: 2, 8: 2, 9: 2, 10: 1, 11: 1, 12: 1}


class Referee:
    """Follows a game move by move; AssertionError or ValueError at the first that is wrong or out of turn."""

    def __init__(self, seats, seed):
        self.seats, self.seed = seats, seed
        draw = seed.dice("horses")
        while True:
            drawn = draw.shuffled(HORSES)
            if "VANILLA_BEANS" in drawn[:seats]:
                break
        first = drawn.index("VANILLA_BEANS")
        seated = [(first + n) % seats for n in range(seats)]
        self.circle = seated if seats == 4 else [*seated, "dummy"]
        self.rides = {place: drawn[3 if place == "dummy" else place] for place in self.circle}
        deck = seed.dice("deck").shuffled([(color, number) for color in COLORS for number in range(1, 13)])
        self.twelve = {horse: deck[12 * n : 12 * n + 12] for n, horse in enumerate(HORSES)}
        self.odds = dict.fromkeys(HORSES, 2)
        self.points = [0] * seats
        self.whips = dict.fromkeys(self.circle, 1)  # another one is turned up in the first race
        self.finishes = []

    def play(self, moves):
        """All races, from moves as (seat, text). Returns points and placings."""
        moves = iter(moves)
        for race in range(1, self.seats + 1):
            self.race(race, moves)
        assert next(moves, None) is None
        last = self.finishes[-1]
        keys = [(self.points[seat], -last.index(self.rides[seat])) for seat in range(self.seats)]
        return self.points, [1 + sum(other > key for other in keys) for key in keys]

    def race(self, race, moves):
        start = self.circle[race - 1]
        if race > 1:
            horses = [self.rides[place] for place in self.circle]
            self.rides = dict(zip(self.circle, [horses[-1], *horses[:-1]], strict=True))
        pile = self.seed.dice(f"stack/{race}").shuffled(HORSES)
        hands = {}
        for place in self.circle:
            number = 3 if place == "dummy" else place
            hands[place] = self.seed.dice(f"paddock/{race}/{number}").shuffled(self.twelve[self.rides[place]])
        n = hands[start][0][1]
        for place, hand in hands.items():
            if place == "dummy" and n == 12:
                del hand[11], hand[0]
            elif place == "dummy":
                del hand[n - 1 : n + 1]
            else:
                del hand[n - 1]
        for _ in range(self.seats):
            seat, text = next(moves)
            assert len(hands[seat]) == 11
            hands[seat].remove(card(text.removeprefix("discard ")))
        assert {len(hand) for hand in hands.values()} == {10}
        for place in self.circle:
            self.whips[place] = 2 if place == "dummy" else min(2, self.whips[place] + 1)
        bets = self.bet(start, moves)
        order = self.run(start, hands, pile, moves)
        self.pay(order, bets)

    def bet(self, start, moves):
        bets, shown = {}, []
        for n in range(1, self.seats + 1):
            seat, text = next(moves)
            assert seat == (start + n) % self.seats
            ticket = text.removeprefix("ticket up ")
            assert ticket in [*HORSES, "WIN"]
            assert ticket not in shown
            shown.append(ticket)
            bets[seat] = {ticket}
        for _ in range(self.seats):
            seat, text = next(moves)
            assert len(bets[seat]) == 1
            bets[seat].add(text.removeprefix("ticket down "))
            assert len(bets[seat]) == 2
        return bets

    def run(self, leader, hands, pile, moves):
        """The tricks; returns the finishing order."""
        track = {horse: (0, 3 - n) for n, horse in enumerate(pile)}  # space, then height or time of arrival
        finished, trick_number = [], 0
        while len(finished) < 2 and hands[leader]:
            trick_number += 1
            leader, marks = self.trick(leader, hands, moves)
            horse = self.rides[leader]
            if horse not in finished:
                space = min(7, track[horse][0] + marks)
                track[horse] = (space, 3 + trick_number)
                if space == 7:
                    finished.append(horse)
        others = sorted((horse for horse in HORSES if horse not in finished), key=track.__getitem__, reverse=True)
        return finished + others

    def trick(self, leader, hands, moves):
        at = self.circle.index(leader)
        order = self.circle[at:] + self.circle[:at]
        if leader != "dummy" and "dummy" in order:
            order.remove("dummy")
            order.append("dummy")
        cards, wanted, declared = {}, None, False
        for place in order:
            seat, text = next(moves)
            assert seat == (3 if place == "dummy" else place)
            words = text.removeprefix("play ").split()
            color, number = card(words[0])
            whip = words[1:] == ["whip"]
            led = next(iter(cards.values()))[0] if cards else None
            held = [own for own in hands[place] if own[0] == led]
            assert not held or color == led
            assert not (whip and (declared or not self.whips[place]))
            if place == "dummy":
                best = max(held, default=hands[place][0])
                assert (color, number) == best
                assert whip == (led is not None and not held and self.whips[place] > 0 and not declared)
            hands[place].remove((color, number))
            cards[place] = (color, number)
            if whip:
                declared, wanted = True, color
                self.whips[place] -= 1
        wanted = wanted or cards[order[0]][0]
        winner = max((place for place in order if cards[place][0] == wanted), key=lambda place: cards[place][1])
        return winner, STEPS[cards[winner][1]]

    def pay(self, order, bets):
        self.finishes.append(order)
        first, second = order[:2]
        for seat, bet in bets.items():
            self.points[seat] += {first: 5, second: 3}.get(self.rides[seat], 0)
            if bet == {"WIN", first}:
                self.points[seat] += self.odds[first]
            elif bet == {first, second}:
                self.points[seat] += self.odds[first] + self.odds[second]
        for more, horse in enumerate(order):
            self.odds[horse] += more


def card(text):
    color, number = text.split("-")
    return color, int(number)
