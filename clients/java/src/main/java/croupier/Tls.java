package croupier;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.TlsChannelCredentials;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.util.Map;

/**
 * Whom to trust and what to show, as PEM files.
 *
 * @param ca the authorities to trust; null: the usual ones
 * @param cert the bot's own certificate, where the server asks for one; null: none
 * @param key its private key in PKCS #8, without a passphrase; null: none
 * @param plain no TLS at all
 */
public record Tls(Path ca, Path cert, Path key, boolean plain) {
  /** No TLS, whatever the environment says. */
  public static final Tls PLAIN_TEXT = new Tls(null, null, null, true);

  /** TLS with the usual authorities. */
  public static final Tls USUAL = new Tls(null, null, null, false);

  /** TLS with the authorities in a PEM file. */
  public static Tls trusting(Path ca) {
    return new Tls(ca, null, null, false);
  }

  /** The same, and a certificate of the bot's own. */
  public Tls showing(Path cert, Path key) {
    return new Tls(ca, cert, key, false);
  }

  static Tls fromEnvironment(Map<String, String> environment) {
    Path ca = path(environment.get("CROUPIER_TLS_CA"));
    Path cert = path(environment.get("CROUPIER_TLS_CERT"));
    Path key = path(environment.get("CROUPIER_TLS_KEY"));
    if (ca != null || cert != null || key != null) {
      return new Tls(ca, cert, key, false);
    }
    String on = environment.getOrDefault("CROUPIER_TLS", "").toLowerCase(java.util.Locale.ROOT);
    return java.util.Set.of("1", "true", "yes", "on").contains(on) ? USUAL : PLAIN_TEXT;
  }

  private static Path path(String name) {
    return name == null || name.isEmpty() ? null : Path.of(name);
  }

  /** Returns what gRPC needs. Files are read anew each time, so that renewed ones are found. */
  ChannelCredentials credentials() throws BadCertificateException {
    if (plain) {
      return InsecureChannelCredentials.create();
    }
    if (cert == null != (key == null)) {
      String given = cert == null ? "key was given without cert" : "cert was given without key";
      throw new BadCertificateException(given + "; they belong together");
    }
    TlsChannelCredentials.Builder builder = TlsChannelCredentials.newBuilder();
    try {
      if (ca != null) {
        byte[] text = read(ca);
        if (!holdsCertificate(text)) {
          throw new BadCertificateException(ca + " holds no certificate in PEM");
        }
        builder.trustManager(new ByteArrayInputStream(text));
      }
      if (cert != null) {
        byte[] chain = read(cert);
        byte[] secret = read(key);
        String text = new String(secret, StandardCharsets.ISO_8859_1);
        if (text.contains("BEGIN ENCRYPTED PRIVATE KEY")
            || text.contains("Proc-Type: 4,ENCRYPTED")) {
          throw new BadCertificateException(key + " has a passphrase; give a key without one");
        }
        if (!holdsCertificate(chain) || !text.contains("PRIVATE KEY-----")) {
          throw new BadCertificateException(
              cert + " and " + key + " are not a certificate and a private key in PEM");
        }
        builder.keyManager(new ByteArrayInputStream(chain), new ByteArrayInputStream(secret));
      }
    } catch (IOException error) {
      throw new BadCertificateException(
          cert + " and " + key + " are not a certificate and a private key in PEM");
    }
    return builder.build();
  }

  private static boolean holdsCertificate(byte[] text) {
    try {
      return !CertificateFactory.getInstance("X.509")
          .generateCertificates(new ByteArrayInputStream(text))
          .isEmpty();
    } catch (GeneralSecurityException error) {
      return false;
    }
  }

  private static byte[] read(Path path) throws BadCertificateException {
    try {
      return Files.readAllBytes(path);
    } catch (NoSuchFileException error) {
      throw new BadCertificateException("cannot read " + path + ": no such file or directory");
    } catch (IOException error) {
      throw new BadCertificateException("cannot read " + path + ": " + error.getMessage());
    }
  }
}
