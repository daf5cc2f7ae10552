//! TLS: what is trusted, what is shown, and what is said when it does not work out.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tonic::transport::{Certificate, Identity, ServerTlsConfig};

use super::{
    fake_server::FakeServer,
    harness::{First, Played, logged, play_with},
};
use crate::{Certificates, Error, Settings, Tls};

/// A folder of its own for a test, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("croupier-rust-{}-{number}", std::process::id()));
        fs::create_dir(&path).expect("it is new");
        Self(path)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).expect("there is room");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("a certificate")
}

/// Certificate and private key.
fn issue(authority: &CertifiedIssuer<'static, KeyPair>, host: &str) -> (String, String) {
    let key = KeyPair::generate().expect("a key");
    let params = CertificateParams::new([host.to_owned()]).expect("a good name");
    let certificate = params.signed_by(&key, authority).expect("a certificate");
    (certificate.pem(), key.serialize_pem())
}

async fn serve(authority: &CertifiedIssuer<'static, KeyPair>, host: &str, mutual: bool) -> FakeServer {
    let (certificate, key) = issue(authority, host);
    let mut config = ServerTlsConfig::new().identity(Identity::from_pem(certificate, key));
    if mutual {
        config = config.client_ca_root(Certificate::from_pem(authority.pem()));
    }
    FakeServer::start_with(Some(config)).await
}

fn play_tls(server: &FakeServer, files: Certificates) -> Played {
    play_with(server, First, Settings::new().tls(Tls::Files(files)))
}

fn trusting(ca: &Path) -> Certificates {
    Certificates { ca: Some(ca.to_owned()), ..Default::default() }
}

#[tokio::test]
async fn a_bot_trusts_the_authority_it_is_given() {
    let (folder, authority) = (Folder::new(), authority());
    let mut server = serve(&authority, "localhost", false).await;
    let _played = play_tls(&server, trusting(&folder.write("ca.pem", &authority.pem())));
    server.accept().await;
}

#[tokio::test]
async fn a_bot_shows_its_own_certificate_where_the_server_asks_for_one() {
    let (folder, authority) = (Folder::new(), authority());
    let mut server = serve(&authority, "localhost", true).await;
    let (cert, key) = issue(&authority, "ann.example.org");
    let files = Certificates {
        ca: Some(folder.write("ca.pem", &authority.pem())),
        cert: Some(folder.write("bot.pem", &cert)),
        key: Some(folder.write("bot.key", &key)),
    };
    let _played = play_tls(&server, files);
    server.accept().await;
}

#[tokio::test]
async fn what_does_not_work_out_is_said_in_plain_words() {
    let (folder, authority, stranger) = (Folder::new(), authority(), authority());
    let (ca, other) = (folder.write("ca.pem", &authority.pem()), folder.write("other.pem", &stranger.pem()));
    let cases = [
        (
            serve(&authority, "localhost", false).await,
            &other,
            "signed by none of the authorities that this side trusts",
        ),
        (serve(&authority, "example.org", false).await, &ca, "the server's certificate is for another host name"),
        (serve(&authority, "localhost", true).await, &ca, "the server asks for a certificate (CROUPIER_TLS_CERT)"),
        (FakeServer::start().await, &ca, "the server speaks plain text, not TLS"),
    ];
    for (server, ca, says) in cases {
        let _played = play_tls(&server, trusting(ca));
        let words = format!("cannot reach {} (", server.target);
        while logged(&words).is_empty() {
            tokio::task::yield_now().await;
        }
        assert!(logged(&words)[0].contains(says), "{:?}", logged(&words));
    }
}

#[test]
fn a_bad_file_is_named_before_anything_is_tried() {
    let (folder, authority) = (Folder::new(), authority());
    let ca = folder.write("ca.pem", &authority.pem());
    let ((cert, key), (_, other)) = (issue(&authority, "a.example.org"), issue(&authority, "b.example.org"));
    let (cert, key, other) =
        (folder.write("bot.pem", &cert), folder.write("bot.key", &key), folder.write("other.key", &other));
    let (missing, nonsense) = (folder.0.join("no.pem"), folder.write("bad.pem", "bad"));
    let locked = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMA==\n-----END ENCRYPTED PRIVATE KEY-----\n";
    let locked = folder.write("locked.key", locked);
    let files = |ca: &Path, cert: Option<&Path>, key: Option<&Path>| Certificates {
        ca: Some(ca.to_owned()),
        cert: cert.map(Path::to_owned),
        key: key.map(Path::to_owned),
    };
    let cases = [
        (files(&missing, None, None), format!("tls: cannot read {}: entity not found", missing.display())),
        (files(&nonsense, None, None), format!("tls: {} holds no certificate in PEM", nonsense.display())),
        (files(&ca, Some(&cert), None), "tls: cert was given without key; they belong together".to_owned()),
        (files(&ca, None, Some(&key)), "tls: key was given without cert; they belong together".to_owned()),
        (files(&ca, Some(&cert), Some(&other)), "tls: the private key is not that of the certificate".to_owned()),
        (files(&ca, Some(&cert), Some(&locked)), format!("tls: {} has a passphrase", locked.display())),
        (files(&ca, Some(&cert), Some(&nonsense)), format!("tls: {} holds no private key in PEM", nonsense.display())),
    ];
    for (files, says) in cases {
        let resolved = Settings::new().tls(Tls::Files(files)).resolve("Bot", |_| None);
        let Err(Error::BadCertificate(said)) = resolved else { panic!("{says}") };
        assert!(said.starts_with(&says), "{said}");
    }
    assert!(Settings::new().tls(Tls::Files(files(&ca, Some(&cert), Some(&key)))).resolve("Bot", |_| None).is_ok());
}
