// What all connections of a bot share while it is played.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>

#include "croupier/play.hpp"

namespace croupier::detail {

// What a log line goes to.
using Log = std::function<void(Level, const std::string&)>;

// One bot being played, and the one door through which that ends.
class Playing {
 public:
  Playing(Bot& bot, std::string name, const Settings& settings, Log log)
      : bot(bot), name(std::move(name)), settings(settings), log(std::move(log)), left_(settings.sessions) {}

  Bot& bot;
  const std::string name;
  const Settings& settings;
  const Log log;
  // Held while the bot is called, and while its seats or the list of its connections are looked at or changed.
  std::mutex table;

  // Count a session that has ended; the last one wanted ends the playing. The table is held.
  void session_over();
  // Report an error in the bot's own code, which is the one being handled: log it, or stop with it.
  void crashed(const std::string& what);
  // End the playing, with an error or well; only the first reason counts.
  void stop(std::exception_ptr error = nullptr);
  [[nodiscard]] bool stopped();
  // Wait until playing is to end; throws the error that ended it.
  void wait();
  // Wait for a while, or until playing is to end.
  void sleep(Backoff::Duration time);

 private:
  std::optional<unsigned> left_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool stopped_ = false;
  std::exception_ptr error_;
};

}  // namespace croupier::detail
