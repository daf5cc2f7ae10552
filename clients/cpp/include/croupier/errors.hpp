// What may end a bot, and why.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace croupier {

// The root of what this library throws of its own.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A setting cannot be used: a name, a target.
class BadSetting : public Error {
 public:
  using Error::Error;
};

// A file for TLS cannot be read, or is not what it should be.
class BadCertificate : public Error {
 public:
  using Error::Error;
};

// The server said no. what() says all of it in a line.
class ServerError : public Error {
 public:
  struct Violation {
    std::string field;
    std::string what;
  };

  ServerError(std::string code, std::string message, std::string reason, std::vector<Violation> violations);

  std::string code;                   // the gRPC status: "PERMISSION_DENIED"
  std::string message;                // what was wrong, for people
  std::string reason;                 // what was wrong, for programs; empty where the server gives none
  std::vector<Violation> violations;  // the bad fields, each with what is wrong with it
};

// The server will not have this bot, and asking again would not help: a wrong token, a bad name.
class Refused : public ServerError {
 public:
  using ServerError::ServerError;
};

// A newer connection of the same bot took over. Is the bot running twice?
class Replaced : public ServerError {
 public:
  using ServerError::ServerError;
};

}  // namespace croupier
