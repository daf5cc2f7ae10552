package croupier;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * How long to wait before trying again: exponentially longer, with jitter over the whole range, so
 * that a thousand bots that lost the same server do not come back at the same moment.
 *
 * @param base the limit after the first failure
 * @param cap the limit that is never passed
 * @param random gives a number from 0 to 1
 * @param sleeper waits
 */
public record Backoff(Duration base, Duration cap, DoubleSupplier random, Sleeper sleeper) {
  /** 0.1 s at first and 10 s at last. */
  public static final Backoff DEFAULT =
      new Backoff(
          Duration.ofMillis(100),
          Duration.ofSeconds(10),
          () -> ThreadLocalRandom.current().nextDouble(),
          pause -> Thread.sleep(pause.toMillis()));

  /** Waits for some time. */
  public interface Sleeper {
    void sleep(Duration pause) throws InterruptedException;
  }

  /** Returns what to wait after so many failures in a row, not counting the newest. */
  Duration delay(int failures) {
    double limit = Math.min(cap.toMillis(), base.toMillis() * Math.pow(2, Math.min(failures, 64)));
    return Duration.ofMillis((long) (random.getAsDouble() * limit));
  }
}
