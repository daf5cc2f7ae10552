package croupier;

import static croupier.FakeServer.ack;
import static croupier.FakeServer.act;
import static croupier.FakeServer.ask;
import static croupier.FakeServer.asking;
import static croupier.FakeServer.drain;
import static croupier.FakeServer.events;
import static croupier.FakeServer.over;
import static croupier.FakeServer.ping;
import static croupier.FakeServer.pong;
import static croupier.FakeServer.result;
import static croupier.FakeServer.resulting;
import static croupier.FakeServer.start;
import static croupier.FakeServer.starting;
import static croupier.FakeServer.welcome;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import croupier.games.trick_and_trade.v1.TrickAndTrade.Card;
import croupier.v1.Game.Event;
import croupier.v1.Play;
import croupier.v1.Play.ActOutcome;
import croupier.v1.Play.ClientMessage;
import croupier.v1.Play.ServerMessage;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ResourceBundle;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a bot is asked and told, what becomes of its answers, and how it comes through lost
 * connections.
 */
class PlayTest {
  private final Log log = new Log();
  private final List<Duration> pauses = Collections.synchronizedList(new ArrayList<>());
  private final List<Thread> playing = new ArrayList<>();
  private FakeServer server;

  @BeforeEach
  void startServer() throws IOException {
    server = new FakeServer();
  }

  @AfterEach
  void stop() {
    playing.forEach(Thread::interrupt);
    server.close();
  }

  /** What the SDK has logged. */
  private static final class Log implements System.Logger {
    private final StringBuffer text = new StringBuffer();

    @Override
    public String getName() {
      return "test";
    }

    @Override
    public boolean isLoggable(Level level) {
      return level.getSeverity() >= Level.INFO.getSeverity();
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String message, Throwable error) {
      text.append(isLoggable(level) ? level + " " + message + ": " + error + "\n" : "");
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String format, Object... details) {
      text.append(isLoggable(level) ? level + " " + format + "\n" : "");
    }
  }

  private void logged(String part) {
    assertTrue(log.text.toString().contains(part), () -> part + " is not in\n" + log.text);
  }

  private interface Chooses {
    Choice choose(Decision decision) throws Exception;
  }

  /** Chooses as it is told, and remembers all that it was told. */
  private static class Recorder extends Bot {
    final List<String> told = Collections.synchronizedList(new ArrayList<>());
    final BlockingQueue<Decision> decisions = new LinkedBlockingQueue<>();
    private final Chooses chooses;
    private final boolean concurrent;

    Recorder() {
      this(false, decision -> Choice.index(0));
    }

    Recorder(boolean concurrent, Chooses chooses) {
      this.concurrent = concurrent;
      this.chooses = chooses;
    }

    @Override
    public Choice choose(Decision decision) throws Exception {
      decisions.add(decision);
      return chooses.choose(decision);
    }

    @Override
    public boolean concurrent() {
      return concurrent;
    }

    @Override
    public boolean wantsEvents() {
      return true;
    }

    @Override
    public void onStart(Session session) {
      told.add("start " + session.id());
    }

    @Override
    public void onEvents(Session session, List<Event> events) {
      told.add("events " + session.id() + events.stream().map(Event::getSeq).toList());
    }

    @Override
    public void onRewind(Session session) {
      told.add("rewind " + session.id() + " " + session.seq());
    }

    @Override
    public void onResult(Session session, Play.ActResult result) {
      told.add("result " + session.id() + " " + result.getOutcomeValue());
    }

    @Override
    public void onEnd(Session session, End end) {
      told.add("end " + session.id() + " " + end.placing().orElse(0));
    }
  }

  private Config config() {
    Config config = new Config().target(server.target).name("bot").tls(Tls.PLAIN_TEXT).logger(log);
    config.patience = TimeUnit.MINUTES.toNanos(1); // a busy machine is not to look like a slow bot
    return config.backoff(
        new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10), () -> 1.0, pauses::add));
  }

  private CompletableFuture<Throwable> play(Bot bot) {
    return play(bot, config());
  }

  /**
   * Plays a bot until the test is over; what playing throws is there when it has ended, null where
   * it threw nothing.
   */
  private CompletableFuture<Throwable> play(Bot bot, Config config) {
    CompletableFuture<Throwable> end = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                Croupier.play(bot, config);
                end.complete(null);
              } catch (Throwable error) {
                end.complete(error);
              }
            });
    playing.add(thread);
    thread.start();
    return end;
  }

  private static Throwable ended(CompletableFuture<Throwable> end) throws Exception {
    return end.get(60, TimeUnit.SECONDS);
  }

  // ------------------------------------------------------------------------------------------------------- frame by frame

  @Test
  void helloSaysWhoIsThereAndWhatItCanDo() throws Exception {
    Bot bot =
        new Bot() {
          @Override
          public Choice choose(Decision decision) {
            return Choice.index(0);
          }

          @Override
          public List<String> games() {
            return List.of(TrickAndTrade.GAME);
          }

          @Override
          public int maxSessions() {
            return 7;
          }
        };
    play(bot, config().name("a-bot").token("secret\n")); // as it stands in a file
    FakeServer.Stream stream = server.accept();
    Play.Hello.Builder hello =
        Play.Hello.newBuilder().setProtocol(1).setBot("a-bot").setLanguage("java");
    hello.setSdk("croupier-java " + Seats.VERSION).addGames(TrickAndTrade.GAME).setMaxSessions(7);
    assertEquals(hello.build(), stream.hello);
    assertEquals("Bearer secret", stream.authorization);
  }

  @Test
  void allAnswersToOneFrameGoOutInOneFrame() throws Exception {
    play(new Recorder());
    FakeServer.Stream stream = server.accept();
    stream.say(asked(64));
    stream.hears(answered(0, 64));
  }

  @Test
  void moreAnswersThanAServerReadsAtOnceAreSpreadOverFrames() throws Exception {
    play(new Recorder());
    FakeServer.Stream stream = server.accept();
    stream.say(asked(Outbox.FRAME_MESSAGES + 1));
    stream.hears(answered(0, Outbox.FRAME_MESSAGES));
    stream.hears(answered(Outbox.FRAME_MESSAGES, Outbox.FRAME_MESSAGES + 1));
  }

  private static ServerMessage[] asked(int sessions) {
    return IntStream.range(0, sessions)
        .boxed()
        .flatMap(number -> java.util.stream.Stream.of(start("s" + number), ask("s" + number, 1)))
        .toArray(ServerMessage[]::new);
  }

  private static ClientMessage[] answered(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(number -> act("s" + number, 1, 0))
        .toArray(ClientMessage[]::new);
  }

  @Test
  void theWelcomeCanMakeFramesSmaller() throws Exception {
    play(new Recorder());
    FakeServer.Stream stream = server.acceptSilently();
    stream.say(
        welcome(1024), start("a"), start("b"), start("c"), ask("a", 1), ask("b", 1), ask("c", 1));
    stream.hears(act("a", 1, 0), act("b", 1, 0));
    stream.hears(act("c", 1, 0));
  }

  @Test
  void aFrameThatNeedsNoAnswerIsAcknowledgedAndOnlyThat() throws Exception {
    play(new Recorder());
    FakeServer.Stream stream = server.accept();
    stream.say(start("a"));
    stream.hears(ack());
    stream.say(ask("a", 1));
    stream.hears(act("a", 1, 0));
    stream.say(ping(-1));
    stream.hears(pong(-1));
  }

  @Test
  void messagesFieldsAndOutcomesOfANewerServerDoNotMatter() throws Exception {
    Recorder bot = new Recorder();
    play(bot);
    FakeServer.Stream stream = server.accept();
    com.google.protobuf.UnknownFieldSet news =
        com.google.protobuf.UnknownFieldSet.newBuilder()
            .addField(
                100, com.google.protobuf.UnknownFieldSet.Field.newBuilder().addVarint(7).build())
            .build();
    ServerMessage newest = ServerMessage.newBuilder().setUnknownFields(news).build();
    stream.say(newest, start("a"), ask("a", 1).toBuilder().setUnknownFields(news).build());
    stream.hears(act("a", 1, 0));
    stream.say(newest, result(resulting("a", 1, ActOutcome.ACT_OUTCOME_STALE).setOutcomeValue(99)));
    stream.hears(ack());
    assertEquals(List.of("start a", "result a 99"), bot.told);
  }

  @Test
  void aSlowBotSendsEachAnswerWhenItHasIt() throws Exception {
    CountDownLatch second = new CountDownLatch(1);
    Config config = config();
    config.patience = -1; // no choice is quick enough
    Recorder bot =
        new Recorder(
            false,
            decision -> {
              if (decision.session().id().equals("b")) {
                second.await();
              }
              return Choice.index(0);
            });
    play(bot, config);
    FakeServer.Stream stream = server.accept();
    stream.say(start("a"), start("b"), ask("a", 1), ask("b", 1));
    stream.hears(act("a", 1, 0));
    second.countDown();
    stream.hears(act("b", 1, 0));
  }

  @Test
  void aGameWithTwoSeatsOfOneBotCountsOnceAndPlayingEndsWhenSoManyAreOver() throws Exception {
    Recorder bot = new Recorder();
    CompletableFuture<Throwable> end = play(bot, config().sessions(2));
    FakeServer.Stream stream = server.accept();
    stream.say(
        start(starting("a").setSeat(0)),
        start("a"),
        start("b"),
        start("c"),
        ask(asking("a", 1).setSeat(0)),
        ask("a", 2));
    stream.hears(act("a", 1, 0), act("a", 2, 0));
    stream.say(over("a", 0));
    stream.hears(ack());
    stream.say(over("a"));
    stream.hears(ack());
    stream.say(over("b"));
    assertNull(ended(end));
    stream.gone();
    assertEquals(List.of("end a 4", "end a 2", "end b 2"), bot.told.subList(4, 7));
  }

  @Test
  void aBotThatIsNoLongerPlayedEndsItsStream() throws Exception {
    CompletableFuture<Throwable> end = play(new Recorder());
    FakeServer.Stream stream = server.accept();
    playing.get(0).interrupt();
    assertInstanceOf(InterruptedException.class, ended(end));
    stream.gone();
  }

  // ------------------------------------------------------------------------------------------------------------ decisions

  @Test
  void theDecisionShowsViewActionsAndTime() throws Exception {
    Recorder bot = new Recorder(false, decision -> Choice.action(decision.actions().get(1)));
    play(bot);
    FakeServer.Stream stream = server.accept();
    long before = System.nanoTime();
    stream.say(
        start("a"),
        ask(asking("a", 300).setSeq(31).setBankMs(250).setLastChargedMs(20).setAttempt(2)));
    Play.Act act = stream.next().getMessages(0).getAct();
    assertEquals(TrickAndTrade.play(Card.CARD_NEV_2), act.getAction());
    Decision decision = bot.decisions.take();
    assertEquals("decision 300 of session a (trick-and-trade, seat 2)", decision.toString());
    assertEquals(
        List.of(300L, 2L, 31L, 3L),
        List.of(
            (long) decision.id(),
            (long) decision.attempt(),
            decision.seq(),
            (long) decision.count()));
    assertEquals(Optional.of(Duration.ofSeconds(1)), decision.thinkTime());
    assertEquals(Duration.ofMillis(250), decision.bank());
    assertEquals(Duration.ofMillis(20), decision.lastCharged());
    assertEquals(List.of(1, 2, 3), decision.view().getTrickAndTrade().getHandValueList());
    assertTrue(decision.received() >= before && decision.received() <= System.nanoTime());
    assertEquals(31, decision.session().seq());
  }

  @Test
  void afterAnIllegalActTheBotIsAskedAgainAndTheLogSaysWhy() throws Exception {
    Recorder bot = new Recorder(false, decision -> Choice.index(decision.attempt()));
    play(bot);
    FakeServer.Stream stream = server.accept();
    stream.say(start("a"), ask("a", 1));
    stream.hears(act("a", 1, 1));
    Play.ActResult.Builder illegal =
        resulting("a", 1, ActOutcome.ACT_OUTCOME_ILLEGAL).setRule("play.in-hand");
    illegal.setMessage("Nev 2 is not yours").setAttemptsLeft(2).setFaults(1).setMaxFaults(9);
    stream.say(result(illegal), ask(asking("a", 1).setAttempt(2)));
    stream.hears(act("a", 1, 2));
    assertEquals(List.of("start a", "result a 1"), bot.told);
    logged(
        "WARNING session a, decision 1: illegal (play.in-hand): Nev 2 is not yours; attempts left: 2; faults: 1 of 9");
  }

  @Test
  void whatComesForUnknownSessionsDoesNoHarm() throws Exception {
    Recorder bot = new Recorder();
    play(bot);
    FakeServer.Stream stream = server.accept();
    stream.say(
        ask("x", 1),
        result(resulting("x", 1, ActOutcome.ACT_OUTCOME_MALFORMED)),
        over("x"),
        events("x", 1));
    stream.hears(ack());
    assertTrue(bot.told.isEmpty() && bot.decisions.isEmpty());
    logged("asked to decide in session x, of which the server has not told");
    logged("session x, decision 1: malformed");
  }

  @Test
  void whatCannotBeAnAnswerIsAnErrorOfTheBot() throws Exception {
    Map<Integer, Choice> wrong =
        Map.of(
            1,
            Choice.WAIT,
            2,
            Choice.index(3),
            3,
            Choice.index(-1),
            4,
            Choice.action(croupier.v1.Game.GameAction.getDefaultInstance()));
    Map<Integer, String> says =
        Map.of(
            0, "choose returned null",
            1, "choose returned WAIT, but the decision is not a standing one",
            2, "choose returned index 3, but the 3 actions count from 0",
            3, "choose returned index -1, but the 3 actions count from 0",
            4, "choose returned no action of this game");
    play(new Recorder(false, decision -> wrong.get(decision.id())));
    FakeServer.Stream stream = server.accept();
    stream.say(start("a"), ask("a", 0), ask("a", 1), ask("a", 2), ask("a", 3), ask("a", 4));
    stream.hears(ack());
    says.values().forEach(this::logged);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anExceptionInChooseLeavesTheOtherSessionsAlone(boolean concurrent) throws Exception {
    Chooses chooses =
        decision -> {
          if (decision.session().id().equals("b")) {
            throw new IOException("my bug");
          }
          return Choice.index(0);
        };
    play(new Recorder(concurrent, chooses));
    FakeServer.Stream stream = server.accept();
    stream.say(start("a"), start("b"), start("c"), ask("a", 5), ask("b", 5), ask("c", 5));
    List<ClientMessage> said = stream.next().getMessagesList();
    assertTrue(
        said.size() == 2 && said.contains(act("a", 5, 0)) && said.contains(act("c", 5, 0)),
        said.toString());
    logged("choose failed in decision 5 of session b (trick-and-trade, seat 2): no answer is sent");
    logged("java.io.IOException: my bug");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anErrorInChooseIsLoggedAndTheGamesGoOn(boolean concurrent) throws Exception {
    Chooses chooses =
        decision -> {
          if (decision.session().id().equals("b")) {
            throw new AssertionError("my bug");
          }
          return Choice.index(0);
        };
    Config config = config();
    config.patience = TimeUnit.HOURS.toNanos(1); // nothing is said before all choices are over
    play(new Recorder(concurrent, chooses), config);
    FakeServer.Stream stream = server.accept();
    stream.say(start("a"), start("b"), ask("b", 5), ask("a", 5));
    stream.hears(act("a", 5, 0));
    logged("choose failed in decision 5 of session b (trick-and-trade, seat 2): no answer is sent");
    logged("java.lang.AssertionError: my bug");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aVirtualMachineWithoutMemoryStopsTheBot(boolean concurrent) throws Exception {
    Error mine = new OutOfMemoryError("my bug");
    Chooses chooses =
        decision -> {
          throw mine;
        };
    CompletableFuture<Throwable> end = play(new Recorder(concurrent, chooses));
    FakeServer.Stream stream = server.accept();
    stream.say(start("a"), ask("a", 1));
    assertEquals(mine, ended(end));
    stream.gone();
  }

  @Test
  void anExceptionInAHookIsLoggedAndTheGameGoesOn() throws Exception {
    play(
        new Recorder() {
          @Override
          public void onStart(Session session) {
            throw new IllegalStateException("my bug");
          }

          @Override
          public void onEvents(Session session, List<Event> events) {
            throw new AssertionError("my other bug");
          }
        });
    FakeServer.Stream stream = server.accept();
    stream.say(start("a"), events("a", 1), ask("a", 1));
    stream.hears(act("a", 1, 0));
    logged(
        "onStart failed in session a (trick-and-trade, seat 2): java.lang.IllegalStateException: my bug");
    logged(
        "onEvents failed in session a (trick-and-trade, seat 2): java.lang.AssertionError: my other bug");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void stopOnErrorStopsAtTheFirstException(boolean concurrent) throws Exception {
    RuntimeException mine = new IllegalStateException("my bug");
    Chooses chooses =
        decision -> {
          throw mine;
        };
    CompletableFuture<Throwable> end =
        play(new Recorder(concurrent, chooses), config().stopOnError());
    FakeServer.Stream stream = server.accept();
    stream.say(start("a"), ask("a", 1));
    assertEquals(mine, ended(end));
    stream.gone();
  }

  @Test
  void aStandingDecisionMayBeLeftUnansweredAndIsThoughtAboutAnew() throws Exception {
    play(
        new Recorder(
            false,
            decision ->
                decision.thinkTime().isEmpty() && decision.seq() < 6
                    ? Choice.WAIT
                    : Choice.index(0)));
    FakeServer.Stream stream = server.accept();
    stream.say(start("a"), ask(asking("a", 1).setStanding(true).clearThinkTimeMs().setSeq(5)));
    stream.hears(ack());
    stream.say(ask(asking("a", 1).setStanding(true).clearThinkTimeMs().setSeq(6)));
    stream.hears(act("a", 1, 0));
  }

  // ------------------------------------------------------------------------ choices that go on
  // while other things happen

  /** Thinks until it is told what to answer, or until it is interrupted. */
  private static final class Thinker extends Recorder {
    final BlockingQueue<Choice> answers;
    final CountDownLatch interrupted;

    private Thinker(BlockingQueue<Choice> answers, CountDownLatch interrupted) {
      super(
          true,
          decision -> {
            try {
              return answers.take();
            } catch (InterruptedException unwanted) {
              interrupted.countDown();
              throw unwanted;
            }
          });
      this.answers = answers;
      this.interrupted = interrupted;
    }

    Thinker() {
      this(new LinkedBlockingQueue<>(), new CountDownLatch(1));
    }
  }

  private Config impatient() {
    Config config = config();
    config.patience = TimeUnit.MILLISECONDS.toNanos(5);
    return config;
  }

  @Test
  void aPingIsAnsweredWhileTheBotThinks() throws Exception {
    Thinker bot = new Thinker();
    play(bot, impatient());
    FakeServer.Stream stream = server.accept();
    stream.say(start("a"), ask("a", 1));
    stream.hears(ack());
    stream.say(ping(42));
    stream.hears(pong(42));
    bot.answers.add(Choice.index(1));
    stream.hears(act("a", 1, 1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"late", "another", "again", "over", "moved"})
  void aChoiceIsInterruptedWhenItsAnswerIsNoLongerWanted(String why) throws Exception {
    Thinker bot = new Thinker();
    play(bot, impatient());
    FakeServer.Stream stream = server.accept();
    stream.say(start("a"), ask("a", 1));
    stream.hears(ack());
    stream.say(
        switch (why) {
          case "late" -> result(resulting("a", 1, ActOutcome.ACT_OUTCOME_LATE));
          case "another" -> ask("a", 2);
          case "again" -> ask(asking("a", 1).setAttempt(2));
          case "over" -> over("a");
          default -> start(starting("a").setEndpoint("127.0.0.1:1"));
        });
    assertTrue(bot.interrupted.await(60, TimeUnit.SECONDS));
    stream.hears(ack());
    assertTrue(!log.text.toString().contains("failed"), log.text.toString());
  }

  // --------------------------------------------------------------------------------------------------------- reconnecting

  @Test
  void aLostConnectionIsOpenedAgain() throws Exception {
    play(new Recorder());
    FakeServer.Stream stream = server.accept();
    stream.say(ping(1));
    stream.hears(pong(1));
    stream.lose();
    server.accept();
    assertEquals(List.of(Duration.ofMillis(100)), pauses);
    logged("WARNING lost " + server.target + " (going down); trying again in 0.1 s");
    logged("INFO connected as bot to " + server.target + " (fake 1)");
  }

  @Test
  void pausesGrowToTenSecondsAndStartAnewAfterSuccess() throws Exception {
    for (int refusals = 0; refusals < 9; refusals++) {
      server.refusals.add(Status.UNAVAILABLE.withDescription("going down"));
    }
    play(new Recorder());
    FakeServer.Stream stream = server.accept();
    List<Long> grown = List.of(100L, 200L, 400L, 800L, 1600L, 3200L, 6400L, 10_000L, 10_000L);
    assertEquals(grown, pauses.stream().map(Duration::toMillis).toList());
    assertEquals(4, log.text.toString().split("cannot reach").length - 1); // 1, 2, 4, 8
    stream.lose(); // after no more than the greeting, which proves nothing
    stream = server.accept();
    assertEquals(10_000, pauses.get(9).toMillis());
    stream.say(ping(1));
    stream.hears(pong(1));
    stream.lose();
    server.accept();
    assertEquals(100, pauses.get(10).toMillis());
  }

  @Test
  void theBotKeepsItsSessionsAndSaysWhichEventsItHas() throws Exception {
    Recorder bot = new Recorder();
    play(bot);
    FakeServer.Stream stream = server.accept();
    stream.say(start("a"), events("a", 1, 2, 3), start(starting("b").setSeat(0)));
    stream.hears(ack());
    stream.lose();
    stream = server.accept();
    Play.Resume.Builder first = Play.Resume.newBuilder().setSessionId("a").setSeat(2).setLastSeq(3);
    assertEquals(
        List.of(first.build(), Play.Resume.newBuilder().setSessionId("b").build()),
        stream.hello.getResumeList());
    stream.say(
        start(starting("a").setResumed(true).setSeq(4)),
        events("a", 3, 4),
        ask(asking("a", 1).setSeq(4)));
    stream.hears(act("a", 1, 0));
    assertEquals(
        List.of("start a", "events a[1, 2, 3]", "start b", "events a[4]"), bot.told); // 3 was known
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"before the stream is lost", "between two streams", "after it is asked again"})
  void aChoiceInProgressSurvivesTheLossOfItsStream(String when) throws Exception {
    Thinker bot = new Thinker();
    play(bot, impatient());
    FakeServer.Stream stream = server.accept();
    stream.say(start("a"), ask("a", 7));
    stream.hears(ack());
    if (when.startsWith("before")) {
      bot.answers.add(Choice.index(2));
      stream.hears(act("a", 7, 2));
    }
    stream.lose();
    stream = server.accept();
    if (when.startsWith("between")) {
      bot.answers.add(Choice.index(2));
      stream.hears(act("a", 7, 2)); // sent as soon as it is there
    }
    stream.say(start(starting("a").setResumed(true)), ask("a", 7));
    if (when.startsWith("after")) {
      stream.hears(ack());
      bot.answers.add(Choice.index(2));
    }
    stream.hears(act("a", 7, 2));
    assertEquals(1, bot.decisions.size()); // nothing is chosen twice
  }

  @Test
  void eventsThatACrashedServerHasLostAreForgotten() throws Exception {
    Recorder bot = new Recorder();
    play(bot);
    FakeServer.Stream stream = server.accept();
    stream.say(start("a"), events("a", 1, 2, 3), ask(asking("a", 2).setSeq(3)));
    stream.hears(act("a", 2, 0));
    stream.lose();
    stream = server.accept();
    stream.say(
        start(starting("a").setResumed(true).setSeq(1)),
        events("a", 2),
        ask(asking("a", 2).setSeq(2)));
    stream.hears(act("a", 2, 0));
    assertEquals(List.of("start a", "events a[1, 2, 3]", "rewind a 1", "events a[2]"), bot.told);
    assertEquals(2, bot.decisions.size()); // it is another one, though it has the same number
  }

  @Test
  void aDrainingServerIsPlayedToTheEndAndThenLookedForAgain() throws Exception {
    CompletableFuture<Throwable> end = play(new Recorder(), config().sessions(1));
    FakeServer.Stream stream = server.accept();
    stream.say(start("a"), drain("upgrade"), ask("a", 1));
    stream.hears(act("a", 1, 0));
    logged("INFO the server is about to stop (upgrade); it lets games end for 5 s");
    stream.end(Status.OK);
    stream = server.accept();
    logged("lost " + server.target + " (the server closed the stream)");
    stream.say(over("a")); // it ended while the bot was away
    assertNull(ended(end));
  }

  @Test
  void aServerThatIsNotThereIsWaitedFor() throws Exception {
    CountDownLatch tried = new CountDownLatch(1);
    Backoff waiting =
        new Backoff(
            Duration.ofMillis(100),
            Duration.ofSeconds(10),
            () -> 1.0,
            pause -> {
              tried.countDown();
              Thread.sleep(Long.MAX_VALUE);
            });
    CompletableFuture<Throwable> end =
        play(new Recorder(), config().target("127.0.0.1:1").backoff(waiting));
    assertTrue(tried.await(60, TimeUnit.SECONDS));
    logged("cannot reach 127.0.0.1:1 (connection refused); trying again in 0.1 s");
    playing.get(0).interrupt();
    assertInstanceOf(InterruptedException.class, ended(end));
  }

  @Test
  void aBotThatIsReplacedByANewerConnectionStops() throws Exception {
    CompletableFuture<Throwable> end = play(new Recorder());
    server.accept().end(Status.ABORTED.withDescription("a newer connection took over"));
    assertEquals(
        "ABORTED: a newer connection took over",
        assertInstanceOf(ReplacedException.class, ended(end)).getMessage());
  }

  @ParameterizedTest
  @EnumSource(
      value = Status.Code.class,
      names = {
        "UNAUTHENTICATED",
        "PERMISSION_DENIED",
        "INVALID_ARGUMENT",
        "NOT_FOUND",
        "FAILED_PRECONDITION",
        "UNIMPLEMENTED"
      })
  void aBotThatTheServerDoesNotWantStops(Status.Code code) throws Exception {
    server.refusals.add(code.toStatus().withDescription("not you"));
    RefusedException refused =
        assertInstanceOf(RefusedException.class, ended(play(new Recorder())));
    assertEquals(code, refused.code());
    assertTrue(refused.getMessage().startsWith(code + ": not you"), refused.getMessage());
    assertEquals(
        code == Status.Code.UNAUTHENTICATED, refused.getMessage().contains("CROUPIER_TOKEN"));
  }

  @ParameterizedTest
  @EnumSource(
      value = Status.Code.class,
      names = {"CANCELLED", "RESOURCE_EXHAUSTED", "UNKNOWN", "DEADLINE_EXCEEDED"})
  void otherFailuresMayPass(Status.Code code) throws Exception {
    server.refusals.add(code.toStatus().withDescription("oops"));
    play(new Recorder());
    server.accept();
    assertEquals(List.of(Duration.ofMillis(100)), pauses);
    logged("cannot reach " + server.target + " (" + code + ": oops)");
  }

  // ------------------------------------------------------------------------------------------------------ going elsewhere

  @Test
  void theBotGoesWhereItsSessionsAreHostedAndLeavesWithTheLastOfThem() throws Exception {
    Recorder bot = new Recorder();
    play(bot, config().token("mine"));
    try (FakeServer other = new FakeServer()) {
      FakeServer.Stream home = server.accept();
      home.say(
          start(starting("a").setEndpoint(other.target).setSeatToken("seat")),
          start(starting("b").setEndpoint(other.target).setSeatToken("seat")));
      home.hears(ack());
      FakeServer.Stream away = other.accept();
      assertEquals(List.of(), bot.told); // not yet: nobody has dealt
      assertEquals("Bearer seat", away.authorization);
      away.say(start("a"), start("b"), ask("a", 1));
      away.hears(act("a", 1, 0));
      away.lose();
      away = other.accept();
      assertEquals(2, away.hello.getResumeCount());
      away.say(over("a"));
      away.hears(ack());
      away.say(over("b"));
      away.gone();
      home.say(start("c"), ask("c", 1));
      home.hears(act("c", 1, 0));
    }
  }

  @Test
  void anotherServerThatRefusesTheBotDoesNotStopIt() throws Exception {
    play(new Recorder());
    try (FakeServer other = new FakeServer()) {
      other.refusals.add(Status.UNAUTHENTICATED.withDescription("too late"));
      FakeServer.Stream home = server.accept();
      home.say(start(starting("a").setEndpoint(other.target).setSeatToken("old")));
      home.hears(ack());
      for (long nonce = 1;
          !log.text
              .toString()
              .contains("does not let the bot play there: UNAUTHENTICATED: too late");
          nonce++) {
        home.say(ping(nonce));
        home.hears(pong(nonce));
      }
      home.say(start(starting("a").setEndpoint(other.target).setSeatToken("new")));
      assertEquals("Bearer new", other.accept().authorization);
    }
  }

  // ------------------------------------------------------------------------------------------------------------- settings

  @Test
  void namesAreCheckedBeforeConnecting() {
    for (String name : List.of("Bot", "a b", "house:x", "x".repeat(65))) {
      assertThrows(
          IllegalArgumentException.class,
          () -> Croupier.play(new Recorder(), config().name(name)),
          name);
    }
    assertEquals("my-mcts-bot", Config.kebab("MyMCTSBot"));
  }

  @Test
  void targetsAndTokensAreCheckedBeforeConnecting() {
    for (String target :
        List.of("localhost", "http://localhost:1", "local host:1", "localhost:99999", "::1:7700")) {
      IllegalArgumentException error =
          assertThrows(
              IllegalArgumentException.class,
              () -> Croupier.play(new Recorder(), config().target(target)),
              target);
      assertEquals(
          "target \"%s\" is no address: it takes \"host:port\"".formatted(target),
          error.getMessage());
    }
    assertThrows(
        IllegalArgumentException.class,
        () -> Croupier.play(new Recorder(), config().token("two\nlines")));
  }

  @Test
  void whateverGrpcTakesForAnAddressIsOne() {
    for (String target :
        List.of(
            "cards.example.org.:65535",
            "[::1]:7700",
            "[fe80::1%eth0]:7700",
            "dns:///a:1",
            "unix:/a b")) {
      assertEquals(target, config().target(target).complete(new Recorder()).target);
    }
  }

  @Test
  void whatIsNotSaidIsInTheEnvironment() {
    Config config = new Config();
    config.environment =
        Map.of(
            "CROUPIER_TARGET",
            "a:1",
            "CROUPIER_NAME",
            "ann",
            "CROUPIER_TOKEN",
            "t",
            "CROUPIER_TLS_CA",
            "ca.pem");
    Config complete = config.name("bob").complete(new Recorder());
    assertEquals(
        List.of("a:1", "bob", "t"), List.of(complete.target, complete.name, complete.token));
    assertEquals(Tls.trusting(java.nio.file.Path.of("ca.pem")), complete.tls);
    assertEquals(Tls.USUAL, Tls.fromEnvironment(Map.of("CROUPIER_TLS", "Yes")));
    assertEquals(Tls.PLAIN_TEXT, Tls.fromEnvironment(Map.of("CROUPIER_TLS", "0")));
  }

  @Test
  void aBadFileIsNamedBeforeAnythingIsTried(
      @org.junit.jupiter.api.io.TempDir java.nio.file.Path folder) throws Exception {
    java.nio.file.Path bad = java.nio.file.Files.writeString(folder.resolve("bad.pem"), "bad");
    java.nio.file.Path missing = folder.resolve("no.pem");
    Map<Tls, String> cases =
        Map.of(
            Tls.trusting(missing), "tls: cannot read " + missing + ": no such file or directory",
            Tls.trusting(bad), "tls: " + bad + " holds no certificate in PEM",
            Tls.USUAL.showing(bad, null), "tls: cert was given without key; they belong together",
            Tls.USUAL.showing(bad, bad),
                "tls: " + bad + " and " + bad + " are not a certificate and a private key in PEM");
    cases.forEach(
        (tls, says) ->
            assertEquals(
                says,
                assertThrows(
                        BadCertificateException.class,
                        () -> Croupier.play(new Recorder(), config().tls(tls)))
                    .getMessage()));
  }
}
