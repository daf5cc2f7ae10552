// Opening a connection to a server, and what is said when that fails.
#pragma once

#include <grpcpp/grpcpp.h>

#include <exception>
#include <memory>
#include <string>

#include "croupier/play.hpp"

namespace croupier::detail {

// What gRPC needs. Files are read anew each time, so that renewed ones are found. Throws BadCertificate.
std::shared_ptr<grpc::ChannelCredentials> credentials(const Tls& tls);
// A channel to "host:port"; it connects with its first call. Throws BadCertificate.
std::shared_ptr<grpc::Channel> open_channel(const std::string& target, const Tls& tls);

// The error that a status means where trying again would not help; none: it may pass.
std::exception_ptr finally(const grpc::Status& status);
// Say in a few words why a stream ended.
std::string cause_of(const grpc::Status& status);

}  // namespace croupier::detail
