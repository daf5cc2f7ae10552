// TLS: what is trusted, what is shown, and what is said when it does not work out.
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <regex>

#include "channel.hpp"
#include "harness.hpp"

namespace croupier::testing {
namespace {

// A folder of its own for a test, gone with it.
class Folder {
 public:
  Folder() {
    static std::atomic<int> count = 0;
    const auto name = "croupier-cpp-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
    path = std::filesystem::temp_directory_path() / name;
    std::filesystem::create_directory(path);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path); }

  std::filesystem::path path;

  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    const auto file = path / name;
    std::ofstream(file) << text;
    return file;
  }
};

// A certificate with its private key, signed by another one or by itself.
class Issued {
 public:
  Issued(const std::string& host, const Issued* issuer) : key_(EVP_EC_gen("P-256")), cert_(X509_new()) {
    X509_set_version(cert_, 2);
    static std::atomic<int> serial = 1;
    ASN1_INTEGER_set(X509_get_serialNumber(cert_), serial++);
    X509_gmtime_adj(X509_getm_notBefore(cert_), -3600);
    X509_gmtime_adj(X509_getm_notAfter(cert_), 3600);
    X509_set_pubkey(cert_, key_);
    auto* name = X509_get_subject_name(cert_);
    const auto* common = reinterpret_cast<const unsigned char*>(host.c_str());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, common, -1, -1, 0);
    X509_set_issuer_name(cert_, issuer == nullptr ? name : X509_get_subject_name(issuer->cert_));
    extend(NID_basic_constraints, issuer == nullptr ? "critical,CA:TRUE" : "CA:FALSE");
    extend(NID_subject_alt_name, "DNS:" + host);
    X509_sign(cert_, issuer == nullptr ? key_ : issuer->key_, EVP_sha256());
  }
  Issued(const Issued&) = delete;
  Issued& operator=(const Issued&) = delete;
  ~Issued() {
    X509_free(cert_);
    EVP_PKEY_free(key_);
  }

  [[nodiscard]] std::string cert() const {
    return pem([this](BIO* bio) { PEM_write_bio_X509(bio, cert_); });
  }
  [[nodiscard]] std::string key(const EVP_CIPHER* cipher = nullptr) const {
    std::string secret = "secret";
    return pem([&](BIO* bio) {
      PEM_write_bio_PKCS8PrivateKey(bio, key_, cipher, secret.data(), static_cast<int>(secret.size()), nullptr,
                                    nullptr);
    });
  }

 private:
  void extend(int kind, const std::string& value) {
    auto* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
    X509_add_ext(cert_, extension, -1);
    X509_EXTENSION_free(extension);
  }

  static std::string pem(const std::function<void(BIO*)>& write) {
    BIO* bio = BIO_new(BIO_s_mem());
    write(bio);
    char* text = nullptr;
    const auto size = BIO_get_mem_data(bio, &text);
    std::string result(text, static_cast<std::size_t>(size));
    BIO_free(bio);
    return result;
  }

  EVP_PKEY* key_;
  X509* cert_;
};

struct TlsTest : ::testing::Test {
  Folder folder;
  Issued authority{"authority", nullptr};
  std::string ca = folder.write("ca.pem", authority.cert());
  Recorder bot;

  std::shared_ptr<grpc::ServerCredentials> host(const std::string& name, bool mutual = false) {
    const Issued issued(name, &authority);
    grpc::SslServerCredentialsOptions options(mutual ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                                                     : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
    options.pem_key_cert_pairs.push_back({issued.key(), issued.cert()});
    if (mutual) options.pem_root_certs = authority.cert();
    return grpc::SslServerCredentials(options);
  }
};

TEST_F(TlsTest, ABotTrustsTheAuthorityItIsGiven) {
  FakeServer server(host("localhost"));
  Played played(bot, server.target, {.tls = Certificates{.ca = ca}});
  server.accept();
}

TEST_F(TlsTest, ABotShowsItsOwnCertificateWhereTheServerAsksForOne) {
  FakeServer server(host("localhost", true));
  const Issued ann("ann.example.org", &authority);
  const Certificates files{
      .ca = ca, .cert = folder.write("bot.pem", ann.cert()), .key = folder.write("bot.key", ann.key())};
  Played played(bot, server.target, {.tls = files});
  server.accept();
}

TEST_F(TlsTest, WhatDoesNotWorkOutIsSaidInPlainWords) {
  const Issued stranger("stranger", nullptr);
  const auto other = folder.write("other.pem", stranger.cert());
  FakeServer good(host("localhost")), elsewhere(host("example.org")), plain;
  // gRPC 1.51 tells only its own log why a handshake failed; newer ones tell us.
  const std::string handshake =
      "|no TLS connection: does the server speak TLS, with a certificate that this bot trusts";
  const std::vector<std::tuple<std::string, Tls, std::string>> cases = {
      {good.target, Certificates{.ca = other}, "signed by none of the authorities that this side trusts" + handshake},
      {elsewhere.target, Certificates{.ca = ca}, "the server's certificate is for another host name"},
      {plain.target, Certificates{.ca = ca}, "the server speaks plain text, not TLS" + handshake},
      {good.target, false, "does it speak TLS \\(CROUPIER_TLS=1\\), or ask for a certificate"}};
  for (const auto& [target, tls, says] : cases) {
    Played played(bot, target, {.tls = tls});
    const auto said = played.log.wait_for("cannot reach " + target);
    EXPECT_TRUE(std::regex_search(said, std::regex(says))) << said;
  }
}

// What is wrong with files.
std::string wrong(const Certificates& files) {
  try {
    detail::credentials(files);
    return "nothing";
  } catch (const BadCertificate& error) {
    return error.what();
  }
}

TEST_F(TlsTest, ABadFileIsNamedBeforeAnythingIsTried) {
  const Issued ann("ann.example.org", &authority), ben("ben.example.org", &authority);
  const auto cert = folder.write("bot.pem", ann.cert()), key = folder.write("bot.key", ann.key());
  const auto other = folder.write("other.key", ben.key()), bad = folder.write("bad.pem", "bad");
  const auto locked = folder.write("locked.key", ann.key(EVP_aes_128_cbc()));
  const std::string missing = folder.path / "no.pem";
  EXPECT_EQ(wrong({.ca = missing}), "tls: cannot read " + missing + ": No such file or directory");
  EXPECT_EQ(wrong({.ca = bad}), "tls: " + bad + " holds no certificate in PEM");
  EXPECT_EQ(wrong({.ca = ca, .cert = cert}), "tls: cert was given without key; they belong together");
  EXPECT_EQ(wrong({.ca = ca, .key = key}), "tls: key was given without cert; they belong together");
  EXPECT_EQ(wrong({.ca = ca, .cert = cert, .key = other}), "tls: " + other + " is not the key of " + cert);
  EXPECT_EQ(wrong({.ca = ca, .cert = cert, .key = locked}),
            "tls: " + locked + " has a passphrase; give a key without one");
  EXPECT_EQ(wrong({.ca = ca, .cert = cert, .key = bad}), "tls: " + bad + " holds no private key in PEM");
  EXPECT_EQ(wrong({.ca = ca, .cert = cert, .key = key}), "nothing");
}

}  // namespace
}  // namespace croupier::testing
