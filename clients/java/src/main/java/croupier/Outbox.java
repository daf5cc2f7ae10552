package croupier;

import croupier.v1.Play.Ack;
import croupier.v1.Play.ClientMessage;
import croupier.v1.Play.PlayRequest;
import java.util.function.Consumer;

/** What the bot has to say, gathered into frames: gRPC costs by the frame, not by the byte. */
final class Outbox {
  static final int FRAME_MESSAGES = 512;
  private static final int BYTES_PER_MESSAGE =
      512; // more than an act takes: 512 stay below the 256 KiB that a server reads
  private static final ClientMessage ACK =
      ClientMessage.newBuilder().setAck(Ack.getDefaultInstance()).build();

  private final Consumer<PlayRequest> write;
  private PlayRequest.Builder frame = PlayRequest.newBuilder();
  private int limit = FRAME_MESSAGES;
  private boolean said; // something, since the latest frame came

  Outbox(Consumer<PlayRequest> write) {
    this.write = write;
  }

  /** Keeps frames below what the server reads. */
  synchronized void keepBelow(int maxFrameBytes) {
    if (maxFrameBytes > 0) {
      limit = Math.max(1, Math.min(FRAME_MESSAGES, maxFrameBytes / BYTES_PER_MESSAGE));
    }
  }

  /** Notes that a frame has come, which wants an answer. */
  synchronized void begin() {
    said = false;
  }

  /** Keeps a message. It goes out with the next flush or acknowledge. */
  synchronized void add(ClientMessage message) {
    if (frame.getMessagesCount() >= limit) {
      flush();
    }
    frame.addMessages(message);
    said = true;
  }

  /** Sends what there is. */
  synchronized void flush() {
    if (frame.getMessagesCount() > 0) {
      write.accept(frame.build());
      frame = PlayRequest.newBuilder();
    }
  }

  /**
   * Sends what there is, or an Ack if nothing was said to the latest frame: the server waits for a
   * sign.
   */
  synchronized void acknowledge() {
    if (!said) {
      add(ACK);
    }
    flush();
  }
}
