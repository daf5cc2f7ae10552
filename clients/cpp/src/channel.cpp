#include "channel.hpp"

#include <openssl/pem.h>
#include <openssl/x509.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>
#include <utility>

#include "text.hpp"

namespace croupier::detail {

namespace {

constexpr int kFrameLimit = 4 * 1024 * 1024;  // bytes; frames stay below 256 KiB

[[noreturn]] void bad(const std::string& what) { throw BadCertificate("tls: " + what); }

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) bad("cannot read " + path + ": " + std::strerror(errno));
  return text.str();
}

template <class T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

Owned<BIO> memory(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), [](BIO* bio) { BIO_free(bio); }};
}

Owned<X509> certificate(const std::string& path, const std::string& text) {
  Owned<X509> read(PEM_read_bio_X509(memory(text).get(), nullptr, nullptr, nullptr), X509_free);
  if (!read) bad(path + " holds no certificate in PEM");
  return read;
}

// See that a certificate and a private key belong together. gRPC itself would only say that it cannot connect.
void check(const Certificates& files, const std::string& cert, const std::string& key) {
  const auto shown = certificate(files.cert, cert);
  bool asked = false;
  const auto no_passphrase = [](char*, int, int, void* asked) {
    *static_cast<bool*>(asked) = true;
    return -1;
  };
  const Owned<EVP_PKEY> secret(PEM_read_bio_PrivateKey(memory(key).get(), nullptr, no_passphrase, &asked),
                               EVP_PKEY_free);
  if (asked) bad(files.key + " has a passphrase; give a key without one");
  if (!secret) bad(files.key + " holds no private key in PEM");
  if (X509_check_private_key(shown.get(), secret.get()) != 1) bad(files.key + " is not the key of " + files.cert);
}

// ----------------------------------------------------------------------------------------------------------- what is
// said

// What gRPC's messages contain (regular expressions, the first that is found), and what that means to people.
const std::array<std::pair<const char*, const char*>, 18> kCauses = {{
    {"certificate_verify_failed",
     "the server's certificate is signed by none of the authorities that this side trusts: name the right one "
     "(Certificates::ca, or CROUPIER_TLS_CA)"},
    {"hostname verification|peer name .* is not in peer certificate",
     "the server's certificate is for another host name"},
    {"wrong_version_number", "the server speaks plain text, not TLS"},
    {"failed to connect.*socket closed",
     "the server closed the connection at once: does it speak TLS (CROUPIER_TLS=1), or ask for a certificate "
     "(CROUPIER_TLS_CERT)?"},
    {"connection refused", "connection refused"},
    {"connection reset", "connection lost"},
    {"socket closed", "connection lost"},
    {"internal error from core", "connection lost"},
    {"cancelling all calls", "the server has stopped"},
    {"dns resolution failed", "no such host"},
    {"name resolution", "no such host"},
    {"handshak", "no TLS connection: does the server speak TLS, with a certificate that this bot trusts?"},
    {"unreachable", "network unreachable"},
    {"keepalive", "no sign of life"},
    {"ping timeout", "no sign of life"},
    {"timed out", "no answer"},
    {"timeout", "no answer"},
    {"broken pipe", "connection lost"},
}};

// A status by the name that all languages share.
std::string name(grpc::StatusCode code) {
  static constexpr std::array<const char*, 17> names = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  const auto number = static_cast<std::size_t>(code);
  return number < names.size() ? names.at(number) : "status " + std::to_string(number);
}

// The message of a failed call, in plain words where gRPC itself failed.
std::string said(const grpc::Status& status) {
  if (status.error_message().empty()) return "no reason given";
  const bool may_be_grpc =
      status.error_code() == grpc::StatusCode::UNAVAILABLE || status.error_code() == grpc::StatusCode::INTERNAL;
  if (may_be_grpc) {
    const std::string message = lower(status.error_message());
    for (const auto& [sign, meaning] : kCauses) {
      if (std::regex_search(message, std::regex(sign))) return meaning;
    }
  }
  return status.error_message();
}

// The strings, bytes or messages that a serialised message has under a field number. google.rpc.Status and its details
// are not part of protobuf, and one more dependency is not worth a few numbered strings.
std::vector<std::string> fields(const std::string& message, int number) {
  google::protobuf::UnknownFieldSet unknown;
  std::vector<std::string> found;
  if (!unknown.ParseFromString(message)) return found;
  for (int at = 0; at < unknown.field_count(); ++at) {
    const auto& field = unknown.field(at);
    if (field.number() == number && field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
      found.push_back(field.length_delimited());
    }
  }
  return found;
}

std::string text(const std::string& message, int number) {
  const auto found = fields(message, number);
  return found.empty() ? "" : found.back();
}

template <class Error>
std::exception_ptr made(const grpc::Status& status) {
  std::string reason;
  std::vector<ServerError::Violation> violations;
  for (const auto& detail : fields(status.error_details(), 3)) {
    const std::string type = text(detail, 1), value = text(detail, 2);
    if (type.ends_with("/google.rpc.ErrorInfo")) reason = text(value, 1);
    if (type.ends_with("/google.rpc.BadRequest")) {
      for (const auto& each : fields(value, 1)) violations.push_back({text(each, 1), text(each, 2)});
    }
  }
  return std::make_exception_ptr(Error(name(status.error_code()), said(status), reason, violations));
}

std::string in_a_line(const std::string& code, const std::string& message,
                      const std::vector<ServerError::Violation>& violations) {
  std::string bad_fields;
  for (const auto& [field, what] : violations) {
    if (message.find(what) == std::string::npos) bad_fields += (bad_fields.empty() ? "" : "; ") + field + ": " + what;
  }
  std::string line = code + ": " + message;
  if (!bad_fields.empty()) line += " (" + bad_fields + ")";
  if (code == "UNAUTHENTICATED")
    line += " (give the bot's token: Settings::token, or CROUPIER_TOKEN in the environment)";
  if (code == "UNIMPLEMENTED") line += " (is this a Croupier server?)";
  return line;
}

}  // namespace

std::shared_ptr<grpc::ChannelCredentials> credentials(const Tls& tls) {
  if (const bool* on = std::get_if<bool>(&tls)) {
    return *on ? grpc::SslCredentials({}) : grpc::InsecureChannelCredentials();
  }
  const auto& files = std::get<Certificates>(tls);
  grpc::SslCredentialsOptions options;
  if (!files.ca.empty()) {
    options.pem_root_certs = read(files.ca);
    certificate(files.ca, options.pem_root_certs);
  }
  if (files.cert.empty() != files.key.empty()) {
    bad(files.key.empty() ? "cert was given without key; they belong together"
                          : "key was given without cert; they belong together");
  }
  if (!files.cert.empty()) {
    options.pem_cert_chain = read(files.cert);
    options.pem_private_key = read(files.key);
    check(files, options.pem_cert_chain, options.pem_private_key);
  }
  return grpc::SslCredentials(options);
}

std::shared_ptr<grpc::Channel> open_channel(const std::string& target, const Tls& tls) {
  grpc::ChannelArguments arguments;
  // A peer that has stopped is noticed after about half a minute. Without the ping timeout it takes a minute whatever
  // the keepalive says, and without the last one the pings of an idle stream stop.
  arguments.SetInt("grpc.keepalive_time_ms", 20'000);
  arguments.SetInt("grpc.keepalive_timeout_ms", 10'000);
  arguments.SetInt("grpc.http2.ping_timeout_ms", 10'000);
  arguments.SetInt("grpc.http2.max_pings_without_data", 0);
  arguments.SetMaxReceiveMessageSize(kFrameLimit);
  arguments.SetMaxSendMessageSize(kFrameLimit);
  // Waiting before a reconnect is ours to do, with jitter: a new channel starts from nothing.
  arguments.SetInt("grpc.use_local_subchannel_pool", 1);
  arguments.SetInt("grpc.enable_retries", 0);
  arguments.SetUserAgentPrefix(std::string("croupier-cpp/") + CROUPIER_VERSION);
  // A proxy of the environment can lead anywhere but to this machine.
  for (const char* local : {"localhost:", "127.", "[::1]:", "unix:"}) {
    if (target.starts_with(local)) arguments.SetInt("grpc.enable_http_proxy", 0);
  }
  return grpc::CreateCustomChannel(target, credentials(tls), arguments);
}

std::exception_ptr finally(const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::ABORTED:
      return made<Replaced>(status);
    case grpc::StatusCode::ALREADY_EXISTS:
    case grpc::StatusCode::FAILED_PRECONDITION:
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::NOT_FOUND:
    case grpc::StatusCode::OUT_OF_RANGE:
    case grpc::StatusCode::PERMISSION_DENIED:
    case grpc::StatusCode::UNAUTHENTICATED:
    case grpc::StatusCode::UNIMPLEMENTED:
      return made<Refused>(status);
    default:
      return nullptr;
  }
}

std::string cause_of(const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::OK:
      return "the server closed the stream";
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::INTERNAL:
      return said(status);
    default:
      return name(status.error_code()) + ": " + said(status);
  }
}

}  // namespace croupier::detail

namespace croupier {

ServerError::ServerError(std::string code, std::string message, std::string reason, std::vector<Violation> violations)
    : Error(detail::in_a_line(code, message, violations)),
      code(std::move(code)),
      message(std::move(message)),
      reason(std::move(reason)),
      violations(std::move(violations)) {}

}  // namespace croupier
