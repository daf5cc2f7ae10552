package croupier;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import croupier.v1.Game.GameAction;
import croupier.v1.Game.GameView;
import croupier.v1.Play;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The bot is asked to decide.
 *
 * <p>Reading all of a decision costs several times what the rest of the SDK does, and most bots
 * look at a part of it: its message, with view and actions, is read when the bot asks for it. A
 * test holds what is read by hand to the generated code.
 */
public final class Decision {
  private final byte[] bytes;
  private final long received;
  private Session session;
  private String sessionId = "";
  private int seat;
  private int id;
  private int attempt;
  private long seq;
  private boolean standing;
  private int thinkTime = -1;
  private int bank;
  private int lastCharged;
  private int count;
  private volatile Play.Decision message;

  private Decision(byte[] bytes, long received) {
    this.bytes = bytes;
    this.received = received;
  }

  /** Makes a decision from its message, for tests of bots. */
  public static Decision of(Session session, Play.Decision message) {
    try {
      Decision decision = read(message.toByteArray(), 0L);
      decision.session = session;
      return decision;
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  /** Reads all but the view and the actions, which are only counted. */
  static Decision read(byte[] bytes, long received) throws IOException {
    Decision decision = new Decision(bytes, received);
    CodedInputStream in = CodedInputStream.newInstance(bytes);
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      int field = WireFormat.getTagFieldNumber(tag);
      boolean number = WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_VARINT;
      boolean longer = WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED;
      if (longer && field == Play.Decision.SESSION_ID_FIELD_NUMBER) {
        decision.sessionId = in.readString();
      } else if (longer && field == Play.Decision.ACTIONS_FIELD_NUMBER) {
        decision.count++;
        in.skipField(tag);
      } else if (number && field == Play.Decision.SEQ_FIELD_NUMBER) {
        decision.seq = in.readUInt64();
      } else if (number && field == Play.Decision.DECISION_ID_FIELD_NUMBER) {
        decision.id = in.readUInt32();
      } else if (number && field == Play.Decision.ATTEMPT_FIELD_NUMBER) {
        decision.attempt = in.readUInt32();
      } else if (number && field == Play.Decision.THINK_TIME_MS_FIELD_NUMBER) {
        decision.thinkTime = in.readUInt32();
      } else if (number && field == Play.Decision.BANK_MS_FIELD_NUMBER) {
        decision.bank = in.readUInt32();
      } else if (number && field == Play.Decision.STANDING_FIELD_NUMBER) {
        decision.standing = in.readBool();
      } else if (number && field == Play.Decision.LAST_CHARGED_MS_FIELD_NUMBER) {
        decision.lastCharged = in.readUInt32();
      } else if (number && field == Play.Decision.SEAT_FIELD_NUMBER) {
        decision.seat = in.readUInt32();
      } else if (!in.skipField(tag)) {
        break;
      }
    }
    return decision;
  }

  /** The game in which it is asked. */
  public Session session() {
    return session;
  }

  void session(Session session) {
    this.session = session;
  }

  String sessionId() {
    return sessionId;
  }

  int seat() {
    return seat;
  }

  /** All that the bot may know of the game: view().getTrickAndTrade() and so on. */
  public GameView view() {
    return message().getView();
  }

  /** The legal actions, at least one: actions().get(0).getTrickAndTrade() and so on. */
  public List<GameAction> actions() {
    return message().getActionsList();
  }

  /** How many legal actions there are. It is quicker than to look at them. */
  public int count() {
    return count;
  }

  /** Its number, ascending in its session. */
  public int id() {
    return id;
  }

  /** 1 when first asked, then one more after each illegal answer. */
  public int attempt() {
    return attempt;
  }

  /** How many events had happened in the session when the view was made. */
  public long seq() {
    return seq;
  }

  /**
   * Whether this may be answered at any time or never (WAIT); it is asked anew after every change.
   */
  public boolean standing() {
    return standing;
  }

  /** Time to think before the bank is used; none for a standing decision. */
  public Optional<Duration> thinkTime() {
    return thinkTime < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(thinkTime));
  }

  /** Time left in the bank, for all decisions that need more than their think time. */
  public Duration bank() {
    return Duration.ofMillis(bank);
  }

  /** What the seat's previous decision was charged. */
  public Duration lastCharged() {
    return Duration.ofMillis(lastCharged);
  }

  /** When it came, as System.nanoTime() has it: by then its think time was running. */
  public long received() {
    return received;
  }

  /** The decision as it came. */
  public Play.Decision message() {
    Play.Decision read = message;
    if (read == null) {
      try {
        read = Play.Decision.parseFrom(bytes);
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
      message = read;
    }
    return read;
  }

  @Override
  public String toString() {
    return "decision %s of %s".formatted(Integer.toUnsignedString(id), session);
  }
}
