// Playing a bot: run for programs that do nothing else, play for all others.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>

#include "croupier/bot.hpp"
#include "croupier/errors.hpp"

namespace croupier {

// How much a line of the log matters.
enum class Level { debug, info, warning, error };

// PEM files for TLS; an empty path: none.
struct Certificates {
  std::string ca{};  // the authorities to trust; empty: the usual ones
  std::string
      cert{};  // the bot's own certificate, where the server asks for one; intermediate ones follow it in the file
  std::string key{};  // its private key, without a passphrase

  bool operator==(const Certificates&) const = default;
};

// false: plain text; true: TLS, trusting the usual authorities; Certificates: TLS with these files.
using Tls = std::variant<bool, Certificates>;

// Exponential backoff with full jitter: anything between nothing and twice the last limit, up to a cap. Jitter over the
// whole range keeps a thousand bots that lost the same server from coming back at the same moment.
struct Backoff {
  using Duration = std::chrono::duration<double>;

  Duration base = std::chrono::milliseconds(100);  // the limit after the first failure
  Duration cap = std::chrono::seconds(10);         // the limit that is never passed
  std::function<double()> random{};                // gives a number from 0 to 1; empty: the SDK's own
  std::function<void(Duration)> sleep{};           // waits; empty: the SDK does, until it is to stop

  // How long to wait after so many failures in a row, not counting the newest.
  [[nodiscard]] Duration delay(unsigned failures) const;
};

// What an error in the bot's own code does.
enum class OnError {
  log,    // it is logged, the session's clock decides, and the other sessions go on: for bots at work
  raise,  // everything stops, and play throws it: for bots being written
};

// Where and how a bot is played. What is not said here is in the environment, or else has a default.
struct Settings {
  std::string target{};      // "host:port"; else CROUPIER_TARGET, or localhost:7700
  std::string name{};        // 1 to 64 characters a-z 0-9 - _ . ; else CROUPIER_NAME, or what the bot's class is called
  std::string token{};       // what proves the name; else CROUPIER_TOKEN, or none
  std::optional<Tls> tls{};  // else CROUPIER_TLS (1), CROUPIER_TLS_CA, _CERT, _KEY, or plain text
  std::optional<unsigned> sessions{};                    // return when so many are over, leaving any others; else never
  OnError on_error = OnError::log;                       // what an error in the bot's own code does
  std::function<void(Level, const std::string&)> log{};  // told what the SDK has to say; else warnings go to stderr
  std::optional<bool> verbose{};          // whether stderr also shows when connections come about; else if a terminal
  Backoff backoff{};                      // how long to wait before trying again
  std::chrono::milliseconds patience{5};  // how long finished answers wait for the rest of their frame
};

// Seat a bot at a server and play until stopped; return the exit code for main. SIGINT (Ctrl-C) and SIGTERM end it
// cleanly with 0; what else ends it is said in one line on stderr, with exit code 1.
//
// While the server cannot be reached, it is tried again and again, after 0.1 s at first and 10 s at last. A lost
// connection costs no session: the server asks again what was open.
int run(Bot& bot, const Settings& settings = {});

// Do the same in a program that does other things as well: play until the token says stop. Signals are left to the
// program. Several bots can play in several threads, under different names.
//
// Throws Refused, Replaced, BadCertificate, BadSetting, and with OnError::raise whatever the bot throws.
void play(Bot& bot, const Settings& settings = {}, std::stop_token stop = {});

}  // namespace croupier
