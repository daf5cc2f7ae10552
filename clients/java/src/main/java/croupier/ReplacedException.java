package croupier;

import io.grpc.Status;

/** A newer connection of the same bot took over. Is the bot running twice? */
public final class ReplacedException extends ServerException {
  private static final long serialVersionUID = 1;

  ReplacedException(Status status) {
    super(status);
  }
}
