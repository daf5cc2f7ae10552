package croupier;

import static java.lang.System.Logger.Level.DEBUG;
import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import croupier.v1.Game.Event;
import croupier.v1.Play;
import croupier.v1.Play.Act;
import croupier.v1.Play.ActOutcome;
import croupier.v1.Play.ActResult;
import croupier.v1.Play.ClientMessage;
import croupier.v1.Play.Hello;
import croupier.v1.Play.PlayRequest;
import croupier.v1.Play.PlayResponse;
import croupier.v1.Play.Pong;
import croupier.v1.Play.Resume;
import croupier.v1.Play.ServerMessage;
import croupier.v1.Play.SessionEnd;
import croupier.v1.Play.SessionStart;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * The bot's seats at one server: what the server says is turned into calls of the bot, and its
 * choices into acts.
 *
 * <p>No network in here: frames come in through {@link #receive}, acts go out through the outbox of
 * the stream of the day. Seats outlive streams: when one is lost, sessions stay, thinking goes on,
 * and what was chosen meanwhile is said on the next. The player's lock guards them.
 */
final class Seats {
  static final String VERSION = "0.1.0";
  private static final int PROTOCOL = 1;
  private static final int RESUME_LIMIT = 4000; // seats to name in Hello, which has to be one frame
  private static final int DECISION_TAG =
      ServerMessage.DECISION_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  private static final int MESSAGES_TAG =
      PlayResponse.MESSAGES_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;

  private record Key(String session, int seat) {}

  private record Question(int id, int attempt, long seq) {}

  /** The bot's place in one session, and the decision it was last asked for. */
  private static final class Seat {
    final Session session;
    Question asked;
    Choice answer;
    Decision pondered; // the decision that is being thought about in a thread of its own
    Future<?> thinking;
    long lastEvent;

    Seat(Session session) {
      this.session = session;
    }

    /** Tells the choice that is going on that nobody wants its answer any more. */
    void stopThinking() {
      if (thinking != null) {
        thinking.cancel(true);
        thinking = null;
      }
      pondered = null;
    }
  }

  private final Player player;
  private final String target;
  private final Map<Key, Seat> seats = new LinkedHashMap<>();
  private Outbox outbox = new Outbox(frame -> {});

  Seats(Player player, String target) {
    this.player = player;
    this.target = target;
  }

  /** The number of seats taken. */
  int size() {
    return seats.size();
  }

  /** Stops all thinking. */
  void leave() {
    seats.values().forEach(Seat::stopThinking);
  }

  /** Begins anew on a new stream, with Hello. */
  void openStream(Consumer<PlayRequest> write) {
    outbox = new Outbox(write);
    Hello.Builder hello =
        Hello.newBuilder()
            .setProtocol(PROTOCOL)
            .setBot(player.config.name)
            .setSdk("croupier-java " + VERSION)
            .setLanguage("java")
            .addAllGames(player.bot.games())
            .setMaxSessions(player.bot.maxSessions())
            .setEvents(player.bot.wantsEvents());
    seats.entrySet().stream()
        .limit(RESUME_LIMIT)
        .forEach(
            seat ->
                hello.addResume(
                    Resume.newBuilder()
                        .setSessionId(seat.getKey().session)
                        .setSeat(seat.getKey().seat)
                        .setLastSeq(seat.getValue().lastEvent)));
    outbox.add(ClientMessage.newBuilder().setHello(hello).build());
    outbox.flush();
  }

  /**
   * Does what a frame asks for, and sees that the server hears of it.
   *
   * <p>Answers to one frame go out in one frame. A bot that takes its time over each choice is the
   * exception: what it has chosen so far is sent while it goes on, for each session's clock runs
   * until its own answer is there.
   */
  void receive(byte[] frame) throws IOException, InterruptedException {
    Outbox box = outbox;
    box.begin();
    Batch choices = new Batch();
    synchronized (player) {
      takeIn(frame, choices);
    }
    choices.await(player.config.patience);
    box.acknowledge();
  }

  private void takeIn(byte[] frame, Batch choices) throws IOException {
    long received = System.nanoTime();
    long started = received;
    CodedInputStream in = CodedInputStream.newInstance(frame);
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag != MESSAGES_TAG) {
        in.skipField(tag);
        continue;
      }
      byte[] bytes = in.readByteArray();
      byte[] decision = decisionIn(bytes);
      if (decision == null) {
        ServerMessage message = ServerMessage.parseFrom(bytes);
        if (!message.hasDecision()) {
          hear(message);
          continue;
        }
        decision =
            message
                .getDecision()
                .toByteArray(); // it stands behind a field that this SDK does not know
      }
      decide(Decision.read(decision, received), choices);
      if (System.nanoTime() - started > player.config.patience) {
        outbox.flush();
        started = System.nanoTime();
      }
    }
  }

  private static byte[] decisionIn(byte[] message) throws IOException {
    CodedInputStream in = CodedInputStream.newInstance(message);
    return in.readTag() == DECISION_TAG ? in.readByteArray() : null;
  }

  // ---------------------------------------------------------------------------------------------------------- decisions

  private void decide(Decision decision, Batch choices) {
    Seat seat = seats.get(new Key(decision.sessionId(), decision.seat()));
    if (seat == null) {
      log(
          WARNING,
          "asked to decide in session %s, of which the server has not told",
          decision.sessionId());
      return;
    }
    Question asked =
        new Question(decision.id(), decision.attempt(), decision.standing() ? decision.seq() : 0);
    if (asked.equals(seat.asked)) { // on an earlier stream: the bot has chosen, or is still at it
      if (seat.answer != null) {
        act(seat);
      }
      return;
    }
    seat.stopThinking();
    seat.asked = asked;
    seat.answer = null;
    seat.session.seq(decision.seq());
    decision.session(seat.session);
    if (!player.bot.concurrent()) {
      try {
        settle(seat, decision, player.bot.choose(decision));
      } catch (Throwable error) {
        crash(decision, error);
      }
      return;
    }
    seat.pondered = decision;
    choices.begin();
    seat.thinking = player.threads.submit(() -> think(seat, decision, choices));
  }

  private void think(Seat seat, Decision decision, Batch choices) {
    Choice choice = null;
    Throwable failure = null;
    try {
      choice = player.bot.choose(decision);
    } catch (Throwable error) {
      failure = error;
    }
    try {
      synchronized (player) {
        if (seat.pondered == decision) { // else nobody wants this answer any more
          seat.pondered = null;
          seat.thinking = null;
          try {
            if (failure == null) {
              settle(seat, decision, choice);
            } else {
              crash(decision, failure);
            }
          } catch (RuntimeException error) {
            crash(decision, error);
          }
        }
        if (choices.expired()) {
          outbox.flush();
        }
      }
    } finally {
      choices.finish();
    }
  }

  /** Checks, remembers and says what the bot has chosen. */
  private void settle(Seat seat, Decision decision, Choice choice) {
    if (choice == null) {
      throw new IllegalArgumentException("choose returned null");
    }
    if (choice instanceof Choice.Wait) {
      if (!decision.standing()) {
        throw new IllegalArgumentException(
            "choose returned WAIT, but the decision is not a standing one");
      }
      return;
    }
    if (choice instanceof Choice.Index chosen
        && (chosen.index() < 0 || chosen.index() >= decision.count())) {
      String message = "choose returned index %d, but the %d actions count from 0";
      throw new IndexOutOfBoundsException(message.formatted(chosen.index(), decision.count()));
    }
    if (choice instanceof Choice.Action chosen
        && (chosen.action() == null
            || chosen.action().getActionCase() != decision.actions().get(0).getActionCase())) {
      throw new IllegalArgumentException("choose returned no action of this game");
    }
    seat.answer = choice;
    act(seat);
  }

  private void act(Seat seat) {
    Act.Builder act = Act.newBuilder().setSessionId(seat.session.id()).setDecisionId(seat.asked.id);
    if (seat.answer instanceof Choice.Index chosen) {
      act.setIndex(chosen.index());
    } else if (seat.answer instanceof Choice.Action chosen) {
      act.setAction(chosen.action());
    }
    outbox.add(ClientMessage.newBuilder().setAct(act).build());
  }

  private void crash(Decision decision, Throwable error) {
    player.crashed(
        "choose failed in %s: no answer is sent, the clock decides".formatted(decision), error);
  }

  // ---------------------------------------------------------------------------------------------------- everything else

  private void hear(ServerMessage message) {
    switch (message.getMessageCase()) {
      case WELCOME -> welcome(message.getWelcome());
      case SESSION_START -> start(message.getSessionStart());
      case EVENTS -> events(message.getEvents());
      case ACT_RESULT -> result(message.getActResult());
      case SESSION_END -> end(message.getSessionEnd());
      case PING -> {
        Pong pong = Pong.newBuilder().setNonce(message.getPing().getNonce()).build();
        outbox.add(ClientMessage.newBuilder().setPong(pong).build());
      }
      case DRAIN -> {
        String why =
            message.getDrain().getReason().isEmpty()
                ? "no reason given"
                : message.getDrain().getReason();
        long grace = Integer.toUnsignedLong(message.getDrain().getGraceMs()) / 1000;
        log(INFO, "the server is about to stop (%s); it lets games end for %d s", why, grace);
      }
      default -> {} // news to this SDK, which is older than the server
    }
  }

  private void welcome(Play.Welcome message) {
    outbox.keepBelow(message.getMaxFrameBytes());
    String name = message.getBot().isEmpty() ? player.config.name : message.getBot();
    String server = message.getServer().isEmpty() ? "" : " (" + message.getServer() + ")";
    log(INFO, "connected as %s to %s%s", name, target, server);
  }

  private void start(SessionStart message) {
    Key key = new Key(message.getSessionId(), message.getSeat());
    Seat seat = seats.get(key);
    if (!message.getEndpoint().isEmpty()) {
      if (seat != null) {
        seat.stopThinking();
        seats.remove(key);
      }
      player.follow(message);
    } else if (seat == null) {
      Session session = new Session(message);
      seats.put(key, new Seat(session));
      call("onStart", session, () -> player.bot.onStart(session));
    } else if (message.getSeq() < Math.max(seat.session.seq(), seat.lastEvent)) {
      log(WARNING, "session %s goes back to event %d", message.getSessionId(), message.getSeq());
      seat.stopThinking();
      seat.asked = null;
      seat.answer = null;
      seat.session.seq(message.getSeq());
      seat.lastEvent = Math.min(seat.lastEvent, message.getSeq());
      call("onRewind", seat.session, () -> player.bot.onRewind(seat.session));
    }
  }

  private void events(Play.Events message) {
    Seat seat = seats.get(new Key(message.getSessionId(), message.getSeat()));
    if (seat == null || !player.bot.wantsEvents()) {
      return;
    }
    List<Event> events =
        message.getEventsList().stream().filter(event -> event.getSeq() > seat.lastEvent).toList();
    if (!events.isEmpty()) {
      seat.lastEvent = events.get(events.size() - 1).getSeq();
      seat.session.seq(seat.lastEvent);
      call("onEvents", seat.session, () -> player.bot.onEvents(seat.session, events));
    }
  }

  private void result(ActResult message) {
    boolean loud =
        switch (message.getOutcome()) {
          case ACT_OUTCOME_ILLEGAL, ACT_OUTCOME_LATE, ACT_OUTCOME_MALFORMED -> true;
          case ACT_OUTCOME_UNKNOWN_DECISION, ACT_OUTCOME_VACATED -> true;
          default -> message.getMaxFaults() > 0 && message.getFaults() >= message.getMaxFaults();
        };
    log(loud ? WARNING : DEBUG, "%s", inWords(message));
    Seat seat = seats.get(new Key(message.getSessionId(), message.getSeat()));
    if (seat == null) {
      return;
    }
    boolean late = message.getOutcome() == ActOutcome.ACT_OUTCOME_LATE;
    if (late && seat.asked != null && seat.asked.id == message.getDecisionId()) {
      seat.stopThinking();
    }
    call("onResult", seat.session, () -> player.bot.onResult(seat.session, message));
  }

  private void end(SessionEnd message) {
    Seat seat = seats.remove(new Key(message.getSessionId(), message.getSeat()));
    if (seat != null) {
      seat.stopThinking();
      seat.session.seq(message.getSeq());
      End end = new End(seat.session, message);
      log(DEBUG, "%s is over: placing %s", seat.session, end.placing());
      call("onEnd", seat.session, () -> player.bot.onEnd(seat.session, end));
      for (int number = 0; number < seat.session.seats(); number++) {
        if (seats.containsKey(new Key(message.getSessionId(), number))) {
          return; // the bot has another seat there
        }
      }
      player.sessionOver();
    }
    player.forget(message.getSessionId());
  }

  /** Calls one of the bot's own methods, which may throw. */
  private void call(String name, Session session, Runnable hook) {
    try {
      hook.run();
    } catch (Throwable error) {
      player.crashed("%s failed in %s".formatted(name, session), error);
    }
  }

  private void log(System.Logger.Level level, String message, Object... details) {
    if (player.config.logger.isLoggable(level)) {
      player.config.logger.log(level, message.formatted(details));
    }
  }

  /** Says what became of an act in one line. */
  static String inWords(ActResult result) {
    String outcome =
        result.getOutcome() == ActOutcome.UNRECOGNIZED
            ? "outcome " + result.getOutcomeValue()
            : result
                .getOutcome()
                .name()
                .substring("ACT_OUTCOME_".length())
                .replace('_', ' ')
                .toLowerCase(Locale.ROOT);
    StringBuilder words = new StringBuilder(outcome);
    if (!result.getSessionId().isEmpty()) {
      words.insert(
          0, "session %s, decision %d: ".formatted(result.getSessionId(), result.getDecisionId()));
    }
    if (!result.getRule().isEmpty()) {
      words.append(" (").append(result.getRule()).append(')');
    }
    if (!result.getMessage().isEmpty()) {
      words.append(": ").append(result.getMessage());
    }
    if (result.getOutcome() == ActOutcome.ACT_OUTCOME_ILLEGAL) {
      words.append("; attempts left: ").append(result.getAttemptsLeft());
    }
    if (result.getMaxFaults() > 0) {
      words
          .append("; faults: ")
          .append(result.getFaults())
          .append(" of ")
          .append(result.getMaxFaults());
    }
    return words.toString();
  }
}
