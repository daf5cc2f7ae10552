package croupier;

/** The root of what this package throws of its own. */
public class CroupierException extends Exception {
  private static final long serialVersionUID = 1;

  CroupierException(String message) {
    super(message);
  }
}
