package croupier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import croupier.games.trick_and_trade.v1.TrickAndTrade.Card;
import croupier.games.trick_and_trade.v1.TrickAndTrade.View;
import croupier.v1.Game.Event;
import croupier.v1.Game.GameView;
import croupier.v1.Game.Result;
import croupier.v1.Game.Vacated;
import croupier.v1.Play;
import croupier.v1.Play.ClientMessage;
import croupier.v1.Play.PlayRequest;
import croupier.v1.Play.PlayResponse;
import croupier.v1.Play.ServerMessage;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCredentials;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoUtils;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A server that does what a test tells it: the test accepts streams, speaks as the server, and sees
 * the bot's answers.
 *
 * <pre>{@code
 * FakeServer.Stream stream = server.accept();
 * stream.say(start("a"), ask("a", 1)); // one frame
 * stream.hears(act("a", 1, 0)); // one frame
 * }</pre>
 */
final class FakeServer implements AutoCloseable {
  private static final long PATIENCE =
      60; // seconds until a test that waits gives up, on however busy a machine
  private static final PlayRequest GONE = PlayRequest.newBuilder().build();
  private static final MethodDescriptor<PlayRequest, PlayResponse> PLAY =
      MethodDescriptor.<PlayRequest, PlayResponse>newBuilder()
          .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
          .setFullMethodName("croupier.v1.PlayService/Play")
          .setRequestMarshaller(ProtoUtils.marshaller(PlayRequest.getDefaultInstance()))
          .setResponseMarshaller(ProtoUtils.marshaller(PlayResponse.getDefaultInstance()))
          .build();

  final String target;
  final Queue<Status> refusals =
      new ConcurrentLinkedQueue<>(); // what the next streams are refused with
  private final BlockingQueue<Stream> streams = new LinkedBlockingQueue<>();
  private final Server server;

  FakeServer() throws IOException {
    this(InsecureServerCredentials.create());
  }

  FakeServer(ServerCredentials credentials) throws IOException {
    ServerServiceDefinition service =
        ServerServiceDefinition.builder("croupier.v1.PlayService")
            .addMethod(PLAY, this::play)
            .build();
    InetSocketAddress anywhere = new InetSocketAddress("127.0.0.1", 0);
    server =
        NettyServerBuilder.forAddress(anywhere, credentials).addService(service).build().start();
    target = "127.0.0.1:" + server.getPort();
  }

  private ServerCall.Listener<PlayRequest> play(
      ServerCall<PlayRequest, PlayResponse> call, Metadata shown) {
    Status refusal = refusals.poll();
    if (refusal != null) {
      call.close(refusal, new Metadata());
      return new ServerCall.Listener<>() {};
    }
    call.sendHeaders(new Metadata());
    call.request(1_000_000);
    Stream stream = new Stream(call, shown);
    return new ServerCall.Listener<>() {
      @Override
      public void onMessage(PlayRequest frame) {
        if (stream.hello == null) {
          assertTrue(
              frame.getMessagesCount() == 1 && frame.getMessages(0).hasHello(),
              "Hello comes first, and alone");
          stream.hello = frame.getMessages(0).getHello();
          streams.add(stream);
        } else {
          stream.frames.add(frame);
        }
      }

      @Override
      public void onCancel() {
        stream.frames.add(GONE);
      }

      @Override
      public void onHalfClose() {
        stream.frames.add(GONE);
      }
    };
  }

  /** Returns the next stream that a bot opens, greeted. */
  Stream accept() throws InterruptedException {
    Stream stream = acceptSilently();
    stream.say(welcome(0));
    stream.hears(ack());
    return stream;
  }

  Stream acceptSilently() throws InterruptedException {
    Stream stream = streams.poll(PATIENCE, TimeUnit.SECONDS);
    assertNotNull(stream, "waited for a stream in vain");
    return stream;
  }

  @Override
  public void close() {
    server.shutdownNow();
  }

  /** One stream, from the server's side; its Hello has been read. */
  static final class Stream {
    volatile Play.Hello hello;
    final String authorization;
    private final ServerCall<PlayRequest, PlayResponse> call;
    private final BlockingQueue<PlayRequest> frames = new LinkedBlockingQueue<>();

    Stream(ServerCall<PlayRequest, PlayResponse> call, Metadata shown) {
      this.call = call;
      this.authorization =
          shown.get(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER));
    }

    /** Sends messages in one frame. */
    void say(ServerMessage... messages) {
      call.sendMessage(PlayResponse.newBuilder().addAllMessages(List.of(messages)).build());
    }

    /** Checks what the bot says in its next frame. */
    void hears(ClientMessage... messages) throws InterruptedException {
      assertEquals(List.of(messages), next().getMessagesList());
    }

    PlayRequest next() throws InterruptedException {
      PlayRequest frame = frames.poll(PATIENCE, TimeUnit.SECONDS);
      assertNotNull(frame, "waited for a frame in vain");
      return frame;
    }

    /** Waits until the bot has ended the stream. */
    void gone() throws InterruptedException {
      while (next() != GONE) {
        // what was said before does not matter here
      }
    }

    /** Ends the stream. */
    void end(Status status) {
      call.close(status, new Metadata());
    }

    void lose() {
      end(Status.UNAVAILABLE.withDescription("going down"));
    }
  }

  // What a server says.

  static ServerMessage welcome(int maxFrameBytes) {
    return ServerMessage.newBuilder()
        .setWelcome(
            Play.Welcome.newBuilder()
                .setProtocol(1)
                .setBot("bot")
                .setServer("fake 1")
                .setMaxFrameBytes(maxFrameBytes))
        .build();
  }

  static Play.SessionStart.Builder starting(String session) {
    return Play.SessionStart.newBuilder()
        .setSessionId(session)
        .setGame(TrickAndTrade.GAME)
        .setSeat(2)
        .setSeats(4);
  }

  static ServerMessage start(String session) {
    return start(starting(session));
  }

  static ServerMessage start(Play.SessionStart.Builder start) {
    return ServerMessage.newBuilder().setSessionStart(start).build();
  }

  static Play.Decision.Builder asking(String session, int id) {
    View.Builder view = View.newBuilder();
    Play.Decision.Builder decision =
        Play.Decision.newBuilder().setSessionId(session).setDecisionId(id).setAttempt(1);
    for (int card = 1; card <= 3; card++) {
      view.addHandValue(card);
      decision.addActions(TrickAndTrade.play(Card.forNumber(card)));
    }
    return decision
        .setSeat(2)
        .setThinkTimeMs(1000)
        .setView(GameView.newBuilder().setTrickAndTrade(view));
  }

  static ServerMessage ask(String session, int id) {
    return ask(asking(session, id));
  }

  static ServerMessage ask(Play.Decision.Builder decision) {
    return ServerMessage.newBuilder().setDecision(decision).build();
  }

  static Play.ActResult.Builder resulting(String session, int id, Play.ActOutcome outcome) {
    return Play.ActResult.newBuilder()
        .setSessionId(session)
        .setDecisionId(id)
        .setOutcome(outcome)
        .setSeat(2);
  }

  static ServerMessage result(Play.ActResult.Builder result) {
    return ServerMessage.newBuilder().setActResult(result).build();
  }

  static ServerMessage events(String session, long... seqs) {
    Play.Events.Builder events = Play.Events.newBuilder().setSessionId(session).setSeat(2);
    for (long seq : seqs) {
      events.addEvents(Event.newBuilder().setSeq(seq).setVacated(Vacated.getDefaultInstance()));
    }
    return ServerMessage.newBuilder().setEvents(events).build();
  }

  static ServerMessage over(String session, int seat) {
    Result result =
        Result.newBuilder()
            .addAllPoints(List.of(10, 40, 30, 20))
            .addAllPlacings(List.of(4, 1, 2, 3))
            .build();
    return ServerMessage.newBuilder()
        .setSessionEnd(
            Play.SessionEnd.newBuilder()
                .setSessionId(session)
                .setSeat(seat)
                .setSeq(99)
                .setResult(result))
        .build();
  }

  static ServerMessage over(String session) {
    return over(session, 2);
  }

  static ServerMessage ping(long nonce) {
    return ServerMessage.newBuilder().setPing(Play.Ping.newBuilder().setNonce(nonce)).build();
  }

  static ServerMessage drain(String reason) {
    return ServerMessage.newBuilder()
        .setDrain(Play.Drain.newBuilder().setGraceMs(5000).setReason(reason))
        .build();
  }

  // What a bot answers.

  static ClientMessage act(String session, int id, int index) {
    return ClientMessage.newBuilder()
        .setAct(Play.Act.newBuilder().setSessionId(session).setDecisionId(id).setIndex(index))
        .build();
  }

  static ClientMessage ack() {
    return ClientMessage.newBuilder().setAck(Play.Ack.getDefaultInstance()).build();
  }

  static ClientMessage pong(long nonce) {
    return ClientMessage.newBuilder().setPong(Play.Pong.newBuilder().setNonce(nonce)).build();
  }
}
