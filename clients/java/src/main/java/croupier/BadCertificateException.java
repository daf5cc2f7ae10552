package croupier;

/** A file for TLS cannot be read, or is not what it should be. */
public final class BadCertificateException extends CroupierException {
  private static final long serialVersionUID = 1;

  BadCertificateException(String problem) {
    super("tls: " + problem);
  }
}
