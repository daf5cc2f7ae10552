// Bots for tests, and what they are played with.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fake_server.hpp"

namespace croupier::testing {

// Lines that several threads write and the test reads.
class Lines {
 public:
  void add(std::string line) {
    const std::scoped_lock lock(mutex_);
    lines_.push_back(std::move(line));
    news_.notify_all();
  }

  std::vector<std::string> all() {
    const std::scoped_lock lock(mutex_);
    return lines_;
  }

  std::size_t count(const std::string& words) {
    const std::scoped_lock lock(mutex_);
    return static_cast<std::size_t>(std::ranges::count_if(lines_, holds(words)));
  }

  // Wait until there is a line with these words; return the first.
  std::string wait_for(const std::string& words) {
    std::unique_lock lock(mutex_);
    news_.wait_for(lock, kPatience, [&] { return std::ranges::any_of(lines_, holds(words)); });
    const auto found = std::ranges::find_if(lines_, holds(words));
    return found == lines_.end() ? "nothing was said of: " + words : *found;
  }

 private:
  static std::function<bool(const std::string&)> holds(const std::string& words) {
    return [words](const std::string& line) { return line.find(words) != std::string::npos; };
  }

  std::mutex mutex_;
  std::condition_variable news_;
  std::vector<std::string> lines_;
};

using Heard = std::vector<std::string>;

// Remembers all that it was told, and chooses as the test says.
class Recorder : public Bot {
 public:
  using Choose = std::function<Choice(const Decision&)>;

  explicit Recorder(Choose choose = [](const Decision&) { return Choice(0); }) : choose_(std::move(choose)) {}

  Lines told;

  Choice choose(const Decision& decision) override {
    told.add("decision " + decision.session.id + " " + std::to_string(decision.id()));
    return choose_(decision);
  }
  [[nodiscard]] std::vector<std::string> games() const override { return {"trick-and-trade"}; }
  [[nodiscard]] std::uint32_t max_sessions() const override { return 7; }
  [[nodiscard]] bool wants_events() const override { return true; }
  void on_start(Session& session) override { told.add("start " + session.id); }
  void on_events(Session& session, const std::vector<const v1::Event*>& events) override {
    std::string line = "events " + session.id;
    for (const auto* event : events) line += " " + std::to_string(event->seq());
    told.add(line);
  }
  void on_rewind(Session& session) override { told.add("rewind " + session.id + " " + std::to_string(session.seq)); }
  void on_result(Session& session, const v1::ActResult& result) override {
    told.add("result " + session.id + " " + std::to_string(result.outcome()));
  }
  void on_end(Session& session, const End& end) override {
    told.add("end " + session.id + " " + std::to_string(end.placing().value_or(0)));
  }

 private:
  Choose choose_;
};

// A bot being played at a server, without waiting between two connections; destroying it ends that.
class Played {
 public:
  Played(Bot& bot, const std::string& target, Settings settings = {}) {
    settings.target = target;
    if (settings.name.empty()) settings.name = "bot";
    if (!settings.tls) settings.tls = false;
    settings.log = [this](Level level, const std::string& line) {
      static constexpr std::array<const char*, 4> names = {"debug: ", "info: ", "warning: ", "error: "};
      if (level != Level::debug) log.add(names.at(static_cast<std::size_t>(level)) + line);
    };
    settings.backoff.random = [] { return 1.0; };
    settings.backoff.sleep = [this](Backoff::Duration time) { pauses.add(std::to_string(time.count()).substr(0, 4)); };
    if (settings.patience == std::chrono::milliseconds(5)) {
      settings.patience = kPatience;  // a busy machine must not look like a slow bot
    }
    thread_ = std::jthread([this, &bot, settings](const std::stop_token& stop) {
      try {
        play(bot, settings, stop);
      } catch (...) {
        error_ = std::current_exception();
      }
    });
  }

  Lines log;
  Lines pauses;  // how long it would have waited between two connections, in seconds

  void stop() { thread_.request_stop(); }

  // Wait until playing is over; throws what ended it.
  void ended() {
    thread_.join();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::exception_ptr error_;
  std::jthread thread_;
};

// A gate that thoughts wait at until the test opens it.
class Gate {
 public:
  void open() {
    const std::scoped_lock lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }
  // false: the thought is no longer wanted.
  bool pass(const std::stop_token& unwanted) {
    std::unique_lock lock(mutex_);
    return opened_.wait(lock, unwanted, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any opened_;
  bool open_ = false;
};

}  // namespace croupier::testing
