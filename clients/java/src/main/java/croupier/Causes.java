package croupier;

import io.grpc.Status;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Why a stream ended, in words and as an exception. */
final class Causes {
  static final String LOST = "connection lost";
  static final String CLOSED_AT_ONCE =
      "the server closed the connection at once: does it speak TLS (CROUPIER_TLS=1), or ask for a certificate "
          + "(CROUPIER_TLS_CERT)?";

  /**
   * What gRPC's messages and those of their causes contain, the first that is found, and what that
   * means to people.
   */
  private static final Map<String, String> MEANINGS = new LinkedHashMap<>();

  static {
    MEANINGS.put(
        "unable to find valid certification path",
        "the server's certificate is signed by none of the authorities that this side trusts: name the right one "
            + "(Tls.trusting, or CROUPIER_TLS_CA)");
    MEANINGS.put("no subject alternative", "the server's certificate is for another host name");
    MEANINGS.put("no name matching", "the server's certificate is for another host name");
    MEANINGS.put("not an ssl/tls record", "the server speaks plain text, not TLS");
    MEANINGS.put(
        "certificate_required",
        "the server asks for a certificate (Tls.showing, or CROUPIER_TLS_CERT)");
    MEANINGS.put(
        "bad_certificate",
        "the server asks for another certificate (Tls.showing, or CROUPIER_TLS_CERT)");
    MEANINGS.put("connection refused", "connection refused");
    MEANINGS.put("unknownhost", "no such host");
    MEANINGS.put("unable to resolve host", "no such host");
    MEANINGS.put("unreachable", "network unreachable");
    MEANINGS.put("no route to host", "network unreachable");
    MEANINGS.put("keepalive", "no sign of life");
    MEANINGS.put("timed out", "no answer");
    MEANINGS.put("first received frame was not settings", CLOSED_AT_ONCE);
    MEANINGS.put("connection reset", LOST);
    MEANINGS.put("broken pipe", LOST);
    MEANINGS.put("network closed", LOST);
    MEANINGS.put("channel closed", LOST);
    MEANINGS.put("end of stream", LOST);
    MEANINGS.put("goaway", LOST);
  }

  private Causes() {}

  /** Returns the exception that ends the playing at a server; null where trying again may help. */
  static ServerException ending(Status status) {
    return switch (status.getCode()) {
      case ABORTED -> new ReplacedException(status);
      case ALREADY_EXISTS, FAILED_PRECONDITION, INVALID_ARGUMENT, NOT_FOUND ->
          new RefusedException(status);
      case OUT_OF_RANGE, PERMISSION_DENIED, UNAUTHENTICATED, UNIMPLEMENTED ->
          new RefusedException(status);
      default -> null;
    };
  }

  /** Says in a few words why a connection failed. */
  static String of(Status status) {
    return ofGrpcItself(status) ? inWords(status) : status.getCode() + ": " + inWords(status);
  }

  static String hint(Status.Code code) {
    return switch (code) {
      case UNAUTHENTICATED ->
          " (give the bot's token: Config.token, or CROUPIER_TOKEN in the environment)";
      case UNIMPLEMENTED -> " (is this a Croupier server?)";
      default -> "";
    };
  }

  static String inWords(Status status) {
    String said = status.getDescription() == null ? "no reason given" : status.getDescription();
    if (!ofGrpcItself(status)) {
      return said;
    }
    StringBuilder all = new StringBuilder(said);
    String deepest = said;
    for (Throwable cause = status.getCause(); cause != null; cause = cause.getCause()) {
      all.append('\n').append(cause);
      deepest = cause.getMessage() == null ? deepest : cause.getMessage();
    }
    String lower = all.toString().toLowerCase(Locale.ROOT);
    return MEANINGS.entrySet().stream()
        .filter(meaning -> lower.contains(meaning.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(deepest.lines().findFirst().orElse(said));
  }

  private static boolean ofGrpcItself(Status status) {
    return status.getCode() == Status.Code.UNAVAILABLE || status.getCode() == Status.Code.INTERNAL;
  }
}
