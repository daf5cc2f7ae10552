package croupier;

import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Playing a bot.
 *
 * <pre>{@code
 * Croupier.main(new RandomBot(), args);
 * }</pre>
 */
public final class Croupier {
  private static final String USAGE =
      """
      usage: %1$s

      Plays at a Croupier server until it is stopped. Its settings come from the environment:

        CROUPIER_TARGET    the server, host:port (default: localhost:7700)
        CROUPIER_NAME      the bot's name on the server (default: %1$s)
        CROUPIER_TOKEN     what proves the name
        CROUPIER_TLS       1: encrypt, trusting the usual authorities
        CROUPIER_TLS_CA    encrypt, trusting the authorities in this PEM file
        CROUPIER_TLS_CERT  the bot's own certificate, a PEM file
        CROUPIER_TLS_KEY   its private key, a PEM file
      """;

  private Croupier() {}

  /**
   * Plays a bot as the whole of a program, with the settings that the environment names: until
   * SIGINT or SIGTERM, then it ends with exit code 0. Where the bot cannot play, it says why in a
   * line on stderr and ends with exit code 1.
   */
  public static void main(Bot bot, String... arguments) {
    String program = Config.kebab(bot.getClass().getSimpleName());
    if (arguments.length > 0) {
      boolean help = arguments[0].equals("-h") || arguments[0].equals("--help");
      (help ? System.out : System.err).printf(USAGE, program);
      System.exit(help ? 0 : 2);
    }
    logToStderr();
    // The virtual machine would end with 143 after SIGTERM: a bot that is told to stop has not
    // failed.
    Runtime.getRuntime().addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(exitCode)));
    try {
      play(bot, new Config());
    } catch (InterruptedException stopped) {
      exitCode = 0;
    } catch (Exception error) {
      System.err.println(program + ": " + error.getMessage());
      exitCode = 1;
    }
    System.exit(exitCode);
  }

  private static volatile int exitCode;

  /**
   * Seats a bot at a server and plays, until the thread is interrupted or {@link Config#sessions}
   * are over.
   *
   * <p>While the server cannot be reached, it is tried again and again. A lost connection costs no
   * session: the server asks again what was open, a choice that is in progress goes on, and nothing
   * is chosen twice. Where a session is hosted by another server, the SDK goes there.
   *
   * @throws RefusedException where the server will not have this bot, and asking again would not
   *     help
   * @throws ReplacedException where a newer connection of the same bot took over
   * @throws BadCertificateException where a file for TLS cannot be used
   * @throws IllegalArgumentException where the name, the target or the token is none
   */
  public static void play(Bot bot, Config config) throws CroupierException, InterruptedException {
    Config complete = config.complete(bot);
    complete.tls.credentials(); // better now than at every attempt to connect
    try {
      new Player(bot, complete).play();
    } catch (CroupierException | InterruptedException | RuntimeException | Error error) {
      throw error;
    } catch (Throwable error) {
      throw new IllegalStateException("the bot's own code failed", error);
    }
  }

  /**
   * Shows warnings in a line each and, on a terminal, news as well, unless the program was told
   * otherwise.
   */
  private static void logToStderr() {
    if (System.getProperty("java.util.logging.config.file") == null) {
      System.setProperty("java.util.logging.SimpleFormatter.format", "%1$tT %3$s: %5$s%6$s%n");
      Logger.getLogger("").setLevel(Level.WARNING);
      Logger.getLogger("croupier").setLevel(System.console() == null ? Level.WARNING : Level.INFO);
    }
  }
}
