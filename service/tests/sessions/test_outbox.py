"""The outbox: everything that waits in one frame, then one frame at a time."""

import asyncio

import pytest
from fake_time import FakeTime

from croupier_service.sessions.outbox import MAX_FRAME_BYTES, MAX_WINDOW_MS, WINDOW_MS, Outbox


class Question(str):
    """A question, told by its text."""

    __slots__ = ("frame",)


class Stream:
    """A stream's writing side; a write returns when the test lets it."""

    def __init__(self) -> None:
        self.time = FakeTime()
        self.outbox = Outbox(self.time, str.encode)
        self.frames = []
        self.written = []
        self.stuck = None
        self.task = asyncio.create_task(self.outbox.run(self.write, self.written.append))

    async def write(self, frame):
        self.frames.append(frame)
        if self.stuck is not None:
            await self.stuck.wait()

    async def put(self, *messages):
        """Questions, told by their text."""
        for message in messages:
            self.outbox.ask(Question(message))
        await self.turn()

    async def say(self, *messages):
        """Messages that ask nothing."""
        for message in messages:
            self.outbox.put(message.encode())
        await self.turn()

    async def hear(self, frame=0):
        self.outbox.heard(frame)
        await self.turn()

    async def turn(self):
        """Whoever can run now has run."""
        for _ in range(5):
            await asyncio.sleep(0)


@pytest.fixture
async def stream():
    stream = Stream()
    await stream.turn()
    yield stream
    stream.task.cancel()
    await asyncio.gather(stream.task, return_exceptions=True)


async def test_everything_that_waits_goes_in_one_frame_in_order(stream):
    await stream.put("a", "b", "c")
    assert stream.frames == [b"abc"]


async def test_once_written_its_items_are_noted(stream):
    stream.stuck = asyncio.Event()
    await stream.put("a", "b")
    assert (stream.frames, stream.written) == ([b"ab"], [])
    stream.stuck.set()
    await stream.turn()
    assert stream.written == [["a", "b"]]


async def test_the_next_frame_waits_for_an_answer(stream):
    await stream.put("a")
    await stream.put("b")
    await stream.put("c")
    assert stream.frames == [b"a"]
    await stream.hear()
    assert stream.frames == [b"a", b"bc"]


async def test_each_answer_frees_one_frame(stream):
    await stream.put("a")
    await stream.hear()
    await stream.hear()
    await stream.put("b")
    await stream.put("c")
    assert stream.frames == [b"a", b"b"]


async def test_it_waits_after_frames_that_ask_nothing_too(stream):
    """A bot acknowledges every frame."""
    await stream.say("a")
    await stream.put("b")
    assert stream.frames == [b"a"]
    await stream.hear()
    assert stream.frames == [b"a", b"b"]


async def test_frames_that_ask_nothing_are_noted_as_empty(stream):
    await stream.say("a")
    assert stream.written == [[]]


async def test_a_bot_that_says_nothing_is_written_to_after_a_moment(stream):
    await stream.put("a")
    await stream.say("b")
    stream.time.advance(WINDOW_MS - 0.1)
    await stream.turn()
    assert stream.frames == [b"a"]
    stream.time.advance(0.1)
    await stream.turn()
    assert stream.frames == [b"a", b"b"]


async def test_the_moment_counts_from_when_the_write_has_returned(stream):
    stream.stuck = asyncio.Event()
    await stream.put("a")
    stream.time.advance(10 * WINDOW_MS)
    stream.stuck.set()
    await stream.put("b")
    assert stream.frames == [b"a"]
    stream.time.advance(WINDOW_MS)
    await stream.turn()
    assert stream.frames == [b"a", b"b"]


async def test_when_the_moment_has_passed_what_comes_next_goes_at_once(stream):
    await stream.put("a")
    stream.time.advance(WINDOW_MS)
    await stream.put("b")
    assert stream.frames == [b"a", b"b"]


async def exchange(stream, ms):
    """A frame is written, and answered after so many milliseconds."""
    await stream.put("x")
    stream.time.advance(ms)
    await stream.hear()


async def waits(stream):
    """How long the next frame waits for a bot that says nothing, in milliseconds."""
    await stream.put("x")
    frames, since = len(stream.frames), stream.time.now()
    await stream.put("y")
    for _ in range(1_000):
        if len(stream.frames) > frames:
            break
        stream.time.advance(0.25)
        await stream.turn()
    return stream.time.now() - since


async def test_a_bot_that_usually_takes_its_time_is_given_twice_that(stream):
    for _ in range(40):
        await exchange(stream, 10)
    assert await waits(stream) == pytest.approx(20, abs=0.3)


async def test_but_never_more_than_so_much(stream):
    for _ in range(40):
        await exchange(stream, 10_000)
    assert await waits(stream) == MAX_WINDOW_MS


async def test_and_never_less_than_a_moment(stream):
    for _ in range(40):
        await exchange(stream, 0)
    assert await waits(stream) == WINDOW_MS


async def test_a_bot_that_has_become_faster_is_soon_believed(stream):
    for _ in range(40):
        await exchange(stream, 10)
    for _ in range(10):
        await exchange(stream, 0)
    assert await waits(stream) < 2 * WINDOW_MS


async def test_an_answer_that_is_faster_than_the_write_counts(stream):
    stream.stuck = asyncio.Event()
    await stream.put("a")
    await stream.hear()
    await stream.put("b")
    assert stream.frames == [b"a"]  # one write at a time
    stream.stuck.set()
    await stream.turn()
    assert stream.frames == [b"a", b"b"]


async def test_an_answer_to_one_frame_does_not_shorten_the_wait_of_the_next(stream):
    await stream.put("a")
    stream.time.advance(WINDOW_MS / 2)
    await stream.hear()
    await stream.put("b")
    await stream.put("c")
    stream.time.advance(WINDOW_MS / 2)  # the first frame's moment would be over now
    await stream.turn()
    assert stream.frames == [b"a", b"b"]


async def test_only_one_write_is_under_way(stream):
    stream.stuck = asyncio.Event()
    await stream.say("a")
    await stream.say("b")
    await stream.say("c")
    assert stream.frames == [b"a"]
    stream.stuck.set()
    await stream.hear()
    assert stream.frames == [b"a", b"bc"]


async def test_a_write_that_does_not_return_can_be_told(stream):
    assert stream.outbox.writing_since is None
    stream.stuck = asyncio.Event()
    stream.time.advance(100)
    started = stream.time.now()
    await stream.say("a")
    stream.time.advance(5_000)
    assert stream.outbox.writing_since == started
    stream.stuck.set()
    await stream.turn()
    assert stream.outbox.writing_since is None


async def test_a_frame_has_a_largest_size_and_the_order_is_kept(stream):
    third = MAX_FRAME_BYTES // 3
    letters = "abcdefg"
    await stream.put(*(letter * third for letter in letters))
    while len(b"".join(stream.frames)) < len(letters) * third:
        await stream.hear()
    assert b"".join(stream.frames).decode() == "".join(letter * third for letter in letters)
    assert [len(frame) for frame in stream.frames] == [3 * third, 3 * third, third]
    assert max(map(len, stream.frames)) <= MAX_FRAME_BYTES


async def test_a_frame_may_be_exactly_as_large_as_allowed(stream):
    await stream.say("a" * (MAX_FRAME_BYTES - 1), "b", "c")
    await stream.hear()
    assert [len(frame) for frame in stream.frames] == [MAX_FRAME_BYTES, 1]


@pytest.mark.parametrize("after", [[], ["small"]])
async def test_a_message_larger_than_a_frame_goes_alone(stream, after):
    await stream.say("x" * (2 * MAX_FRAME_BYTES), *after)
    await stream.hear()
    assert [len(frame) for frame in stream.frames] == [2 * MAX_FRAME_BYTES, *map(len, after)]


async def test_the_bytes_that_wait_are_counted(stream):
    stream.stuck = asyncio.Event()
    await stream.say("a")
    await stream.say("bb", "ccc")
    assert stream.outbox.waiting_bytes == 5
    stream.stuck.set()
    await stream.hear()
    assert stream.outbox.waiting_bytes == 0


async def test_at_the_end_what_waits_is_written_without_waiting_for_the_bot(stream):
    await stream.put("a")
    await stream.put("b", "x" * MAX_FRAME_BYTES)
    stream.outbox.finish()
    await stream.task
    assert [frame[:1] for frame in stream.frames] == [b"a", b"b", b"x"]
    assert stream.time.calls == []


async def test_at_the_end_a_write_under_way_is_waited_for(stream):
    stream.stuck = asyncio.Event()
    await stream.put("a")
    await stream.put("b")
    stream.outbox.finish()
    await stream.turn()
    assert (stream.frames, stream.task.done()) == ([b"a"], False)
    stream.stuck.set()
    await stream.task
    assert stream.frames == [b"a", b"b"]


async def test_where_nothing_waits_the_end_is_at_once(stream):
    stream.outbox.finish()
    await stream.task
    assert stream.frames == []


async def test_what_the_write_raises_ends_the_writer():
    async def write(_frame):
        raise OSError("gone")

    outbox = Outbox(FakeTime(), str.encode)
    outbox.put(b"a")
    with pytest.raises(OSError, match="gone"):
        await outbox.run(write, lambda _items: None)


async def test_a_writer_that_was_stopped_leaves_no_timer(stream):
    await stream.put("a")
    assert stream.time.calls
    stream.task.cancel()
    await asyncio.gather(stream.task, return_exceptions=True)
    assert stream.time.calls == []
    await stream.put("b")  # nobody writes it, and nobody minds
    await stream.hear()
    assert stream.frames == [b"a"]


async def test_with_two_frames_unread_a_sign_for_the_first_does_not_free_the_next(stream):
    """Otherwise a busy machine would have more and more, smaller and smaller frames under way."""
    await stream.put("a")
    stream.time.advance(WINDOW_MS)
    await stream.put("b")
    await stream.put("c")
    assert stream.frames == [b"a", b"b"]
    await stream.hear()
    assert stream.frames == [b"a", b"b"]
    await stream.hear()
    assert stream.frames == [b"a", b"b", b"c"]


async def test_an_answer_to_a_frame_shows_that_the_ones_before_it_were_read(stream):
    """A bot need not acknowledge each frame."""
    await stream.put("a")
    stream.time.advance(WINDOW_MS)
    await stream.put("b")
    await stream.put("c")
    await stream.hear(2)
    assert stream.frames == [b"a", b"b", b"c"]


async def test_each_question_knows_the_frame_that_it_went_out_in(stream):
    await stream.put("a", "b")
    await stream.hear()
    await stream.put("c")
    assert [[question.frame for question in frame] for frame in stream.written] == [[1, 1], [2]]
