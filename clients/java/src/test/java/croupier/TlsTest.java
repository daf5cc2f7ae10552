package croupier;

import static croupier.FakeServer.act;
import static croupier.FakeServer.ask;
import static croupier.FakeServer.start;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.grpc.InsecureServerCredentials;
import io.grpc.ServerCredentials;
import io.grpc.TlsServerCredentials;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that speak TLS: whom a bot trusts, what it shows, and what it says otherwise. */
class TlsTest {
  private static final String HERE = "san=dns:localhost,ip:127.0.0.1";

  @TempDir static Path folder;
  private static Identity server;
  private static Identity stranger;
  private static Identity elsewhere;
  private static Identity bot;

  private final BlockingQueue<String> warnings = new LinkedBlockingQueue<>();
  private Thread playing;
  private FakeServer at;

  /** A certificate that vouches for itself, and its key, as files in PEM. */
  private record Identity(Path cert, Path key) {
    static Identity make(String name, String names)
        throws IOException, GeneralSecurityException, InterruptedException {
      Path store = folder.resolve(name + ".p12");
      Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
      String options =
          "-genkeypair -alias a -keyalg EC -groupname secp256r1 -validity 2 -storetype PKCS12"
              + " -storepass secret -ext %s -dname CN=%s -keystore".formatted(names, name);
      List<String> command = new ArrayList<>(List.of(keytool.toString()));
      command.addAll(List.of(options.split(" ")));
      command.add(store.toString());
      Process made = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(made.getInputStream().readAllBytes());
      assertEquals(0, made.waitFor(), said);
      KeyStore keys = KeyStore.getInstance("PKCS12");
      try (InputStream in = Files.newInputStream(store)) {
        keys.load(in, "secret".toCharArray());
      }
      Key key = keys.getKey("a", "secret".toCharArray());
      return new Identity(
          pem(name + ".pem", "CERTIFICATE", keys.getCertificate("a").getEncoded()),
          pem(name + "-key.pem", "PRIVATE KEY", key.getEncoded()));
    }

    private static Path pem(String file, String what, byte[] bytes) throws IOException {
      String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
      String lines = "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(what, text, what);
      return Files.writeString(folder.resolve(file), lines);
    }

    ServerCredentials serves(Identity asked) throws IOException {
      TlsServerCredentials.Builder builder =
          TlsServerCredentials.newBuilder().keyManager(cert.toFile(), key.toFile());
      if (asked != null) {
        File trusted = asked.cert.toFile();
        builder.trustManager(trusted).clientAuth(TlsServerCredentials.ClientAuth.REQUIRE);
      }
      return builder.build();
    }
  }

  @BeforeAll
  static void makeCertificates() throws Exception {
    server = Identity.make("server", HERE);
    stranger = Identity.make("stranger", HERE);
    elsewhere = Identity.make("elsewhere", "san=dns:elsewhere.example");
    bot = Identity.make("bot", HERE);
  }

  @AfterEach
  void stop() {
    playing.interrupt();
    at.close();
  }

  private final class Log implements System.Logger {
    @Override
    public String getName() {
      return "test";
    }

    @Override
    public boolean isLoggable(Level level) {
      return level == Level.WARNING;
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String message, Throwable error) {
      log(level, bundle, message);
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String format, Object... details) {
      if (isLoggable(level)) {
        warnings.add(format);
      }
    }
  }

  private void play(ServerCredentials credentials, Tls tls) throws IOException {
    at = new FakeServer(credentials);
    Bot first =
        new Bot() {
          @Override
          public Choice choose(Decision decision) {
            return Choice.index(0);
          }
        };
    Config config = new Config().target(at.target).name("bot").tls(tls).logger(new Log());
    playing =
        new Thread(
            () -> {
              try {
                Croupier.play(first, config);
              } catch (InterruptedException stopped) {
                // the test is over
              } catch (CroupierException error) {
                warnings.add(error.toString());
              }
            });
    playing.start();
  }

  private void plays() throws InterruptedException {
    FakeServer.Stream stream = at.accept();
    stream.say(start("a"), ask("a", 1));
    stream.hears(act("a", 1, 0));
  }

  private void isTurnedAway(String why) throws InterruptedException {
    String said = warnings.poll(60, TimeUnit.SECONDS);
    assertNotNull(said, "nothing was said");
    assertEquals("cannot reach %s (%s); trying again in ".formatted(at.target, why), cut(said));
  }

  private static String cut(String line) {
    return line.replaceFirst("(trying again in ).*", "$1");
  }

  @Test
  void aBotTrustsTheAuthorityItIsGiven() throws Exception {
    play(server.serves(null), Tls.trusting(server.cert));
    plays();
  }

  @Test
  void aBotShowsItsOwnCertificateToAServerThatAsksForOne() throws Exception {
    play(server.serves(bot), Tls.trusting(server.cert).showing(bot.cert, bot.key));
    plays();
  }

  @Test
  void aServerThatNobodyVouchesForIsNotPlayedAt() throws Exception {
    play(stranger.serves(null), Tls.trusting(server.cert));
    isTurnedAway(
        "the server's certificate is signed by none of the authorities that this side trusts: name"
            + " the right one (Tls.trusting, or CROUPIER_TLS_CA)");
  }

  @Test
  void aServerWithTheCertificateOfAnotherHostIsNotPlayedAt() throws Exception {
    play(elsewhere.serves(null), Tls.trusting(elsewhere.cert));
    isTurnedAway("the server's certificate is for another host name");
  }

  @Test
  void aBotWithoutACertificateIsToldThatItTakesOne() throws Exception {
    play(server.serves(bot), Tls.trusting(server.cert));
    isTurnedAway("the server asks for a certificate (Tls.showing, or CROUPIER_TLS_CERT)");
  }

  /** It shows none: the server says whose certificates it takes, and this is not one of them. */
  @Test
  void aBotWithAnotherCertificateIsToldThatItTakesOne() throws Exception {
    play(server.serves(bot), Tls.trusting(server.cert).showing(stranger.cert, stranger.key));
    isTurnedAway("the server asks for a certificate (Tls.showing, or CROUPIER_TLS_CERT)");
  }

  @Test
  void tlsToAServerOfPlainTextIsToldApart() throws Exception {
    play(InsecureServerCredentials.create(), Tls.trusting(server.cert));
    isTurnedAway("the server speaks plain text, not TLS");
  }

  @Test
  void plainTextToAServerOfTlsIsToldApart() throws Exception {
    play(server.serves(null), Tls.PLAIN_TEXT);
    isTurnedAway(Causes.CLOSED_AT_ONCE);
  }
}
