package croupier;

import io.grpc.Status;

/** The server said no. */
public abstract class ServerException extends CroupierException {
  private static final long serialVersionUID = 1;

  private final Status.Code code;
  private final String details;

  ServerException(Status status) {
    super(status.getCode() + ": " + Causes.inWords(status) + Causes.hint(status.getCode()));
    this.code = status.getCode();
    this.details = Causes.inWords(status);
  }

  /** The gRPC status. */
  public Status.Code code() {
    return code;
  }

  /** What was wrong, for people, in the server's own words. */
  public String details() {
    return details;
  }
}
