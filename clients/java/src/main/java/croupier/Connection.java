package croupier;

import static java.lang.System.Logger.Level.DEBUG;
import static java.lang.System.Logger.Level.WARNING;

import croupier.v1.Play.PlayRequest;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The bot's seats at one server, and the streams through which they are played, one after the
 * other.
 */
final class Connection {
  /** Frames come as the bytes that they are: how much of them is read is the seats' to say. */
  static final MethodDescriptor<PlayRequest, byte[]> PLAY =
      MethodDescriptor.<PlayRequest, byte[]>newBuilder()
          .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
          .setFullMethodName("croupier.v1.PlayService/Play")
          .setRequestMarshaller(
              new MethodDescriptor.Marshaller<>() {
                @Override
                public InputStream stream(PlayRequest frame) {
                  return new ByteArrayInputStream(frame.toByteArray());
                }

                @Override
                public PlayRequest parse(InputStream bytes) {
                  throw new UnsupportedOperationException("a bot reads no requests");
                }
              })
          .setResponseMarshaller(
              new MethodDescriptor.Marshaller<>() {
                @Override
                public InputStream stream(byte[] frame) {
                  throw new UnsupportedOperationException("a bot writes no responses");
                }

                @Override
                public byte[] parse(InputStream bytes) {
                  try {
                    return bytes.readAllBytes();
                  } catch (IOException error) {
                    throw new UncheckedIOException(error);
                  }
                }
              })
          .build();

  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  final String target;
  final boolean home; // whether the bot stays when there is nothing left to play

  // The player's lock guards these.
  String token; // what to show when the next stream opens
  final Set<String> expected =
      new HashSet<>(); // sessions that another server sent here and that are not over yet
  private ManagedChannel channel;

  private final Player player;
  private final Seats seats;
  private int frames; // read from the stream of the day

  Connection(Player player, String target, String token, boolean home) {
    this.player = player;
    this.target = target;
    this.token = token;
    this.home = home;
    this.seats = new Seats(player, target);
  }

  /**
   * Plays, over as many streams as it takes, until nothing is left to play here or playing is over.
   */
  void keep() throws ServerException, InterruptedException {
    int failures = 0;
    try {
      while (stays()) {
        String reason = stream();
        if (!stays()) {
          return;
        }
        if (frames > 1) { // a greeting alone is no success: the next frame may be what breaks it
          failures = 0;
        }
        Duration wait = player.config.backoff.delay(failures);
        failures++;
        // The first try is told of, and the second, fourth, eighth, ...: a server may be away for
        // days.
        System.Logger.Level level = Integer.bitCount(failures) == 1 ? WARNING : DEBUG;
        String message = "%s %s (%s); trying again in %.1f s";
        String what = frames > 0 ? "lost" : "cannot reach";
        player.config.logger.log(
            level, message.formatted(what, target, reason, wait.toMillis() / 1000.0));
        player.config.backoff.sleeper().sleep(wait);
      }
    } finally {
      synchronized (player) {
        seats.leave();
        player.closed(this);
      }
    }
  }

  /** Ends the stream. The caller holds the player's lock. */
  void cancel() {
    if (channel != null) {
      channel.shutdownNow();
    }
  }

  /**
   * Tells whether there is something left to play; where there is not, the connection is gone from
   * that moment on.
   */
  private boolean stays() {
    synchronized (player) {
      boolean stays = !player.isOver() && (home || !expected.isEmpty() || seats.size() > 0);
      if (!stays) {
        player.closed(this);
      }
      return stays;
    }
  }

  /** Plays over one stream; returns why it ended. */
  private String stream() throws ServerException, InterruptedException {
    frames = 0;
    ManagedChannel opened;
    try {
      opened =
          Grpc.newChannelBuilder(target, player.config.tls.credentials())
              .userAgent("croupier-java/" + Seats.VERSION)
              // A peer that has stopped is noticed after half a minute.
              .keepAliveTime(20, TimeUnit.SECONDS)
              .keepAliveTimeout(10, TimeUnit.SECONDS)
              .keepAliveWithoutCalls(true)
              // Trying again is ours to do, with jitter: a new channel starts from nothing.
              .disableRetry()
              .disableServiceConfigLookUp()
              .build();
    } catch (
        BadCertificateException
            error) { // they were good when the bot was started: perhaps they are being renewed
      return error.getMessage();
    }
    Metadata shown = new Metadata();
    synchronized (player) {
      channel = opened;
      String secret = token.strip(); // one that was read from a file ends with a newline
      if (!secret.isEmpty()) {
        shown.put(AUTHORIZATION, "Bearer " + secret);
      }
    }
    try {
      return listen(opened.newCall(PLAY, CallOptions.DEFAULT), shown);
    } finally {
      opened.shutdownNow();
    }
  }

  private String listen(ClientCall<PlayRequest, byte[]> call, Metadata shown)
      throws ServerException, InterruptedException {
    BlockingQueue<Object> heard = new LinkedBlockingQueue<>(); // frames, and at last a Status
    call.start(
        new ClientCall.Listener<byte[]>() {
          @Override
          public void onMessage(byte[] frame) {
            heard.add(frame);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            heard.add(status);
          }
        },
        shown);
    synchronized (player) {
      seats.openStream(call::sendMessage);
    }
    call.request(2); // while one frame is taken in, the next may come
    while (true) {
      Object next = heard.take();
      if (next instanceof Status status) {
        return reason(status);
      }
      frames++;
      try {
        seats.receive((byte[]) next);
      } catch (IOException error) {
        return "a frame cannot be read: " + error.getMessage();
      }
      if (!stays()) {
        return "nothing left to play";
      }
      call.request(1);
    }
  }

  /** Says why a stream ended. */
  private String reason(Status status) throws ServerException {
    if (status.isOk()) {
      return "the server closed the stream";
    }
    if (player.isOver()) {
      return "stopped";
    }
    ServerException ending = Causes.ending(status);
    if (ending != null) {
      throw ending;
    }
    String reason = Causes.of(status);
    return reason.equals(Causes.LOST) && frames == 0 ? Causes.CLOSED_AT_ONCE : reason;
  }
}
