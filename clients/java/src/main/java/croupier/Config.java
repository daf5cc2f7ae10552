package croupier;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where and how to play. What is left out is taken from the environment or has a default. */
public final class Config {
  private static final Pattern NAME = Pattern.compile("[a-z0-9._-]{1,64}");

  /**
   * host:port, with [::1]:7700 for IPv6, and what else gRPC takes: dns:///host:port, unix:/path.
   */
  private static final Pattern TARGET =
      Pattern.compile(
          "(?:dns:(?://[^/\\s]*/)?)?(?:[^\\s:/\\[\\]]+|\\[[^\\s/\\[\\]]+\\]):(?<port>[0-9]{1,5})|unix:.+");

  private static final Pattern TOKEN = Pattern.compile("[ -~]*");

  String target;
  String name;
  String token;
  Tls tls;
  int sessions;
  boolean stopOnError;
  System.Logger logger;
  Backoff backoff = Backoff.DEFAULT;
  Map<String, String> environment = System.getenv();
  long patience = 5_000_000;

  /**
   * The server, "host:port"; none: CROUPIER_TARGET of the environment, or else "localhost:7700".
   */
  public Config target(String target) {
    this.target = target;
    return this;
  }

  /**
   * The bot's name on the server, 1 to 64 characters a-z 0-9 - _ .; none: CROUPIER_NAME of the
   * environment, or else that of the bot's class (class RandomBot: "random-bot").
   */
  public Config name(String name) {
    this.name = name;
    return this;
  }

  /**
   * What proves the name, where the server asks for proof; none: CROUPIER_TOKEN of the environment,
   * or else none.
   */
  public Config token(String token) {
    this.token = token;
    return this;
  }

  /**
   * How to encrypt; none: what CROUPIER_TLS (1), CROUPIER_TLS_CA, CROUPIER_TLS_CERT and
   * CROUPIER_TLS_KEY of the environment say, or else plain text.
   */
  public Config tls(Tls tls) {
    this.tls = tls;
    return this;
  }

  /** Return when so many sessions are over, leaving any others; 0: never. */
  public Config sessions(int sessions) {
    this.sessions = sessions;
    return this;
  }

  /**
   * Stop everything at the first exception in the bot's own code, and throw it. Handy while a bot
   * is being written; without, it is logged and the other sessions go on.
   */
  public Config stopOnError() {
    this.stopOnError = true;
    return this;
  }

  /**
   * Is told what happens to connections, sessions and answers; none: System.getLogger("croupier")
   * is.
   */
  public Config logger(System.Logger logger) {
    this.logger = logger;
    return this;
  }

  /** How long to wait before trying again. */
  public Config backoff(Backoff backoff) {
    this.backoff = backoff;
    return this;
  }

  /** Returns this with everything filled in. */
  Config complete(Bot bot) {
    Config config = new Config();
    config.target = firstOf(target, environment.get("CROUPIER_TARGET"), "localhost:7700");
    config.name =
        firstOf(name, environment.get("CROUPIER_NAME"), kebab(bot.getClass().getSimpleName()));
    config.token = firstOf(token, environment.get("CROUPIER_TOKEN"), "");
    config.tls = tls == null ? Tls.fromEnvironment(environment) : tls;
    config.sessions = sessions;
    config.stopOnError = stopOnError;
    config.logger = logger == null ? System.getLogger("croupier") : logger;
    config.backoff = backoff;
    config.patience = patience;
    if (!NAME.matcher(config.name).matches()) {
      throw new IllegalArgumentException(
          "\"%s\" is no name for a bot: it takes 1 to 64 of the characters a-z 0-9 . _ -"
              .formatted(config.name));
    }
    Matcher found = TARGET.matcher(config.target);
    if (!found.matches() || !isPort(found.group("port"))) {
      throw new IllegalArgumentException(
          "target \"%s\" is no address: it takes \"host:port\"".formatted(config.target));
    }
    if (!TOKEN.matcher(config.token.strip()).matches()) {
      throw new IllegalArgumentException("token: it takes one line of printable ASCII characters");
    }
    return config;
  }

  /** Turns a class name into a bot's name: RandomBot into random-bot. */
  static String kebab(String name) {
    return name.replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-")
        .toLowerCase(java.util.Locale.ROOT);
  }

  /** Whether this is a port, or none at all, as a Unix socket has none. */
  private static boolean isPort(String digits) {
    return digits == null || (Integer.parseInt(digits) > 0 && Integer.parseInt(digits) < 1 << 16);
  }

  private static String firstOf(String... values) {
    for (String value : values) {
      if (value != null && !value.isEmpty()) {
        return value;
      }
    }
    return "";
  }
}
