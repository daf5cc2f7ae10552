package croupier;

import io.grpc.Status;

/**
 * The server will not have this bot, and asking again would not help: a wrong token, a bad name.
 */
public final class RefusedException extends ServerException {
  private static final long serialVersionUID = 1;

  RefusedException(Status status) {
    super(status);
  }
}
