package croupier;

import croupier.v1.Play.SessionStart;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A bot being played: what all of its connections share. Its lock is held while a frame is taken
 * in, so that the bot is asked and told one thing at a time.
 */
final class Player {
  final Bot bot;
  final Config config;
  final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "croupier");
            thread.setDaemon(true);
            return thread;
          });

  private final CountDownLatch over = new CountDownLatch(1);
  private final List<Connection> connections = new ArrayList<>();
  private Throwable reason;
  private int left;

  Player(Bot bot, Config config) {
    this.bot = bot;
    this.config = config;
    this.left = config.sessions;
  }

  /** Plays until that is over. */
  void play() throws Throwable {
    synchronized (this) {
      open(config.target, config.token, true);
    }
    try {
      over.await();
    } finally {
      stop(null);
      threads.shutdownNow();
      synchronized (this) {
        connections.forEach(Connection::cancel);
      }
    }
    if (reason != null) {
      throw reason;
    }
  }

  boolean isOver() {
    return over.getCount() == 0;
  }

  /**
   * Begins to keep a connection: for good if it is the bot's home, else until nothing is left to
   * play there.
   */
  private Connection open(String target, String token, boolean home) {
    Connection connection = new Connection(this, target, token, home);
    connections.add(connection);
    threads.submit(
        () -> {
          try {
            connection.keep();
          } catch (ServerException refused) {
            if (home) {
              stop(refused);
            } else {
              String message =
                  "%s does not let the bot play there: %s".formatted(target, refused.getMessage());
              config.logger.log(System.Logger.Level.WARNING, message);
            }
          } catch (InterruptedException stopped) {
            // playing is over
          } catch (RuntimeException | Error bug) {
            stop(bug);
          }
        });
    return connection;
  }

  /** No longer has a connection. The caller holds the lock. */
  void closed(Connection connection) {
    connections.remove(connection);
  }

  /**
   * Goes where a session is hosted. There is one connection to each server, for all the sessions it
   * hosts.
   */
  void follow(SessionStart start) {
    String message =
        "session %s is hosted by %s".formatted(start.getSessionId(), start.getEndpoint());
    config.logger.log(System.Logger.Level.INFO, message);
    forget(start.getSessionId());
    for (Connection connection : connections) {
      if (connection.target.equals(start.getEndpoint()) && !connection.home) {
        connection.token = start.getSeatToken();
        connection.expected.add(start.getSessionId());
        return;
      }
    }
    open(start.getEndpoint(), start.getSeatToken(), false).expected.add(start.getSessionId());
  }

  /** Expects a session nowhere any more. */
  void forget(String session) {
    connections.forEach(connection -> connection.expected.remove(session));
  }

  /** Counts a session that has ended; the last one wanted ends the playing. */
  void sessionOver() {
    left--;
    if (left == 0) {
      stop(null);
    }
  }

  /**
   * Reports an error in the bot's own code: logs it, or stops with it. A virtual machine that has
   * no more memory is stopped with in any case.
   */
  void crashed(String what, Throwable error) {
    boolean fatal = error instanceof VirtualMachineError && !(error instanceof StackOverflowError);
    if (config.stopOnError || fatal) {
      stop(error);
    } else {
      config.logger.log(System.Logger.Level.ERROR, what, error);
    }
  }

  /** Ends the playing; only the first reason counts. */
  synchronized void stop(Throwable why) {
    if (!isOver()) {
      reason = why;
      over.countDown();
    }
  }
}
