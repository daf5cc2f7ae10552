package croupier;

import java.util.concurrent.TimeUnit;

/** The choices of one frame that go on in threads of their own. */
final class Batch {
  private int left;
  private boolean expired;

  synchronized void begin() {
    left++;
  }

  synchronized void finish() {
    left--;
    notifyAll();
  }

  /** Whether nobody waits any more: what is chosen now has to be sent by itself. */
  synchronized boolean expired() {
    return expired;
  }

  /** Waits until all are done, or so many nanoseconds. */
  synchronized void await(long patience) throws InterruptedException {
    long end = System.nanoTime() + patience;
    for (long rest = patience; left > 0 && rest > 0; rest = end - System.nanoTime()) {
      TimeUnit.NANOSECONDS.timedWait(this, rest);
    }
    expired = true;
  }
}
