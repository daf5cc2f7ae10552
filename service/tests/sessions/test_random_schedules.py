"""Whatever bots do and whenever: sessions end, records verify, clocks are never negative, nothing is lost."""

from hall import GRACE, Asked, Ended, FakeBot, Hall, Happened, Started, illegal
from hypothesis import given, settings
from hypothesis import strategies as st
from toy import GAME as HIGH_CARD

from croupier_games.kernel import Chosen, Substituted, Ticked, Vacated
from croupier_games.trick_and_trade import GAME as TRICK_AND_TRADE
from croupier_service.sessions.events import SessionState
from croupier_service.sessions.settings import ClockSettings, FaultPolicy, FaultSettings

BOTS = ("ann", "bob", "cat")

SESSIONS = st.lists(
    st.tuples(
        st.sampled_from([
            (TRICK_AND_TRADE, "ann bob cat", {}),
            (TRICK_AND_TRADE, "ann house:random bob ann", {}),
            (HIGH_CARD, "ann bob cat", {"hand": 2}),
            (HIGH_CARD, "ann bob ann", {"hand": 3}),
            (HIGH_CARD, "cat house:random", {"hand": 2, "bell_ms": None}),
        ]),
        st.integers(0, 99),
        st.sampled_from([ClockSettings(500, 2_000), ClockSettings(0, 1_000, increment_ms=30), ClockSettings(100, 0)]),
        st.builds(FaultSettings, st.sampled_from(FaultPolicy), st.sampled_from([1, 3, 10]), st.sampled_from([1, 3])),
    ),
    min_size=1,
    max_size=4,
)  # fmt: skip

ACTS = st.sampled_from(["answer"] * 3 + ["illegal", "index", "malformed", "duplicate", "others", "unknown"])
COMINGS = st.sampled_from(["leave", "stall", "come", "come", "read", "sleep"])
STEPS = st.lists(
    st.one_of(
        st.tuples(ACTS, st.sampled_from(BOTS), st.integers(0, 1_000)),
        st.tuples(st.just("pass"), st.none(), st.one_of(st.integers(0, 50), st.floats(0, 900), st.integers(0, 9_000))),
        st.tuples(st.just("block"), st.none(), st.floats(0, 700)),
        st.tuples(COMINGS, st.sampled_from(BOTS), st.none()),
        st.tuples(st.just("restart"), st.none(), st.booleans()),
    ),
    max_size=60,
)


class Evening:
    """A hall, its bots (each there or not), its sessions, and everything that was ever told to anybody."""

    def __init__(self, sessions) -> None:
        self.hall = Hall()
        self.bots = {name: FakeBot(self.hall, name, events=True) for name in BOTS}
        self.ever = {name: [bot] for name, bot in self.bots.items()}
        self.sessions = [
            self.hall.session(bots, game, seed=f"{seed}", clock=clock, faults=faults, **options)
            for (game, bots, options), seed, clock, faults in sessions
        ]

    def step(self, what, name, number) -> None:
        if what == "pass":
            self.hall.advance(number)
        elif what == "block":
            self.hall.time.block(number)
            self.hall.settle()
        elif what == "restart":
            self.restart(lose=number)
        elif what == "come":
            self.bots[name] = FakeBot(self.hall, name, events=True)
            self.ever[name].append(self.bots[name])
        elif name in self.bots:
            getattr(self, f"do_{what}")(self.bots[name], number)

    def restart(self, *, lose) -> None:
        """The server is killed; where something is lost, that is what everybody said last."""
        hall = self.hall
        if lose:
            hall.keeping = False
            for bot in self.bots.values():
                self.do_answer(bot, 0)
        hall.restart()
        hall.keeping = True
        hall.settle()
        self.bots.clear()
        self.sessions = [hall.host.sessions.get(session.id, session) for session in self.sessions]

    def do_leave(self, bot, _number):
        del self.bots[bot.name]
        bot.leave()

    def do_stall(self, bot, _number):
        del self.bots[bot.name]
        bot.leave(stalled="it slept")

    def do_read(self, bot, _number):
        bot.reading = True
        bot.read()

    def do_sleep(self, bot, _number):
        bot.reading = False

    def do_answer(self, bot, number):
        for question in bot.questions[:1]:
            bot.answer(question, index=number % len(question.legal))

    def do_illegal(self, bot, _number):
        for question in bot.questions[:1]:
            bot.answer(question, action=illegal(question))

    def do_index(self, bot, number):
        for question in bot.questions[:1]:
            bot.answer(question, index=len(question.legal) + number)

    def do_malformed(self, bot, number):
        for session in self.of(bot)[:1]:
            decision_id = number % (len(session.questions) + 2)
            session.malformed(bot.name, decision_id, self.hall.time.now(), "it holds nothing")
            self.hall.settle()

    def do_duplicate(self, bot, number):
        asked = [asked for one in self.ever[bot.name] for asked in one.heard(Asked)]
        for question in asked[number % len(asked) :][:1] if asked else []:
            bot.answer(question)

    def do_others(self, bot, number):
        asked = [asked for name in BOTS if name != bot.name for asked in self.ever[name][-1].heard(Asked)]
        for question in asked[number % len(asked) :][:1] if asked else []:
            if question.decision.session in self.of(bot):
                bot.answer(question)

    def do_unknown(self, bot, number):
        for session in self.of(bot)[:1]:
            bot.act(session, 100_000 + number, index=0)

    def of(self, bot):
        return list(bot.at.sessions.values())

    def check(self) -> None:
        """What holds at any moment."""
        running = [session for session in self.sessions if session.running]
        assert set(self.hall.host.sessions.values()) == set(running)
        for session in running:
            to_act = session.table.state.to_act()
            for seat in session.seats:
                assert 0 <= seat.bank_ms <= session.clock.bank_ms + session.clock.increment_ms * seat.asked
                assert seat.charged_ms >= 0
                question = seat.open
                assert not (question and session.table.is_vacated(seat.number))
                if question is None:
                    continue
                assert seat.number in to_act
                assert list(question.legal) == list(session.table.state.legal_actions(seat.number))
                assert min(session.time_left(question)) >= 0
                if seat.bot in self.bots:  # it has been told, and by its present connection
                    assert seat.link is self.bots[seat.bot]
                if seat.bot in self.bots and not session._paused:
                    assert question in [asked.decision for asked in seat.link.questions]
            assert any(seat.open for seat in session.seats) or session.table.state.deadline() is not None

    def end(self) -> None:
        """Nobody says anything any more; then everything is over, one way or the other."""
        for bot in self.bots.values():
            bot.reading = True
            bot.read()
        for _ in range(500):
            if not self.hall.host.sessions:
                break
            self.hall.advance(2 * GRACE)
        assert not self.hall.host.sessions
        for session in self.sessions:
            self.check_over(session)

    def check_over(self, session) -> None:
        assert session.state is SessionState.FINISHED
        assert self.hall.verified(session) == session.result
        inputs, charges = session.table.inputs, session.charges
        for seat in session.seats:
            of_seat = [
                charged
                for item, charged in zip(inputs, charges, strict=True)
                if isinstance(item, Chosen | Substituted) and item.seat == seat.number
            ]
            assert abs(seat.charged_ms - sum(of_seat)) <= len(of_seat)  # each is written down in whole milliseconds
            allowed = session.clock.bank_ms + (session.clock.think_time_ms + session.clock.increment_ms) * seat.asked
            assert seat.charged_ms <= allowed + 0.001
            assert session.table.is_vacated(seat.number) == (Vacated(seat.number) in inputs)
        assert not any(charged for item, charged in zip(inputs, charges, strict=True) if isinstance(item, Ticked))
        for name in BOTS:
            for bot in self.ever[name]:
                self.check_told(session, bot)

    def check_told(self, session, bot) -> None:
        """A bot is told of a session once for each seat, then its events without gaps, and once how it ended."""
        for seat in session.seats:
            told = [
                said
                for said in bot.said
                if isinstance(said, Started | Happened | Ended)
                and (said.session, said.seat) == (session.id, seat.number)
            ]
            if not told:
                continue
            assert seat.bot == bot.name
            assert isinstance(told[0], Started)
            assert not any(isinstance(said, Started) for said in told[1:])
            seqs = [seq for said in told if isinstance(said, Happened) for seq, _ in said.events]
            assert seqs == list(range(seqs[0], seqs[0] + len(seqs))) if seqs else True
            if bot is self.bots.get(bot.name):
                assert told[-1] == Ended(session.id, seat.number, session.result)
                assert not seqs or seqs[-1] == session.seq
            assert sum(isinstance(said, Ended) for said in told) <= 1


@given(SESSIONS, STEPS)
@settings(max_examples=60)
def test_any_evening_ends_well(sessions, steps):
    evening = Evening(sessions)
    evening.check()
    for step in steps:
        evening.step(*step)
        evening.check()
    evening.end()
