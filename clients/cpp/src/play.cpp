#include "croupier/play.hpp"

#include <cxxabi.h>
#include <grpc/support/log.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <memory>
#include <random>
#include <typeinfo>

#include "channel.hpp"
#include "connection.hpp"
#include "settings.hpp"
#include "text.hpp"

namespace croupier {

namespace detail {

namespace {

// The log on stderr, for programs that want no other.
Log console(std::optional<bool> verbose) {
  const Level least = verbose.value_or(::isatty(STDERR_FILENO) == 1) ? Level::info : Level::warning;
  return [least](Level level, const std::string& line) {
    if (level < least) return;
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&now, &local);
    std::array<char, 16> clock{};
    std::strftime(clock.data(), clock.size(), "%H:%M:%S", &local);
    std::cerr << std::string(clock.data()) + " croupier: " + line + "\n";
  };
}

// The name of a bot's class, without its namespaces.
std::string class_of(const Bot& bot) {
  int failed = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(typeid(bot).name(), nullptr, nullptr, &failed),
                                                    std::free);
  std::string full = failed == 0 ? name.get() : "bot";
  full = full.substr(0, full.find('<'));
  const auto colon = full.rfind(':');
  return colon == std::string::npos ? full : full.substr(colon + 1);
}

bool is_name(const std::string& name) {
  const auto fits = [](unsigned char each) {
    return std::islower(each) != 0 || std::isdigit(each) != 0 || each == '-' || each == '_' || each == '.';
  };
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, fits);
}

bool is_target(const std::string& target) {
  const auto colon = target.rfind(':');
  return colon != std::string::npos && colon > 0 && colon + 1 < target.size() &&
         std::all_of(target.begin() + static_cast<std::ptrdiff_t>(colon) + 1, target.end(),
                     [](unsigned char each) { return std::isdigit(each) != 0; }) &&
         target.find_first_of(" /") == std::string::npos;
}

}  // namespace

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): a bot does not change its environment
  return value == nullptr ? "" : value;
}

Resolved resolve(const Settings& settings, const std::string& class_name, const Environment& environment) {
  const auto given = [&](const std::string& mine, const char* name) { return mine.empty() ? environment(name) : mine; };
  Resolved resolved;
  resolved.target = given(settings.target, "CROUPIER_TARGET");
  if (resolved.target.empty()) resolved.target = "localhost:7700";
  resolved.name = given(settings.name, "CROUPIER_NAME");
  if (resolved.name.empty()) resolved.name = kebab(class_name);
  resolved.token =
      trimmed(given(settings.token, "CROUPIER_TOKEN"));  // one that was read from a file ends with a newline
  const Certificates files{.ca = environment("CROUPIER_TLS_CA"),
                           .cert = environment("CROUPIER_TLS_CERT"),
                           .key = environment("CROUPIER_TLS_KEY")};
  const std::string word = lower(environment("CROUPIER_TLS"));
  const bool on = word == "1" || word == "true" || word == "yes" || word == "on";
  resolved.tls = settings.tls.value_or(files == Certificates{} ? Tls(on) : Tls(files));

  if (!is_target(resolved.target)) {
    throw BadSetting("target \"" + resolved.target + "\" is no address: it takes \"host:port\"");
  }
  if (!is_name(resolved.name)) {
    throw BadSetting("\"" + resolved.name + "\" is no name for a bot: it takes 1 to 64 characters a-z 0-9 - _ .");
  }
  if (!std::ranges::all_of(resolved.token, [](unsigned char each) { return each > 31 && each < 127; })) {
    throw BadSetting("token: it takes one line of printable ASCII characters");
  }
  credentials(resolved.tls);  // better now than at every attempt to connect
  return resolved;
}

}  // namespace detail

Backoff::Duration Backoff::delay(unsigned failures) const {
  const Duration limit = std::min(cap, base * std::exp2(std::min(failures, 64U)));
  if (random) return limit * random();
  thread_local std::mt19937_64 dice{std::random_device{}()};
  return limit * std::uniform_real_distribution<>(0, 1)(dice);
}

void play(Bot& bot, const Settings& settings, std::stop_token stop) {
  const auto resolved = detail::resolve(settings, detail::class_of(bot), detail::from_environment);
  const auto log = settings.log ? settings.log : detail::console(settings.verbose);
  detail::Playing playing(bot, resolved.name, settings, log);
  const std::stop_callback stopping(stop, [&playing] { playing.stop(); });
  detail::Connections connections(playing, resolved.tls);
  {
    const std::scoped_lock lock(playing.table);
    connections.open(resolved.target, resolved.token, true);
  }
  playing.wait();
}

int run(Bot& bot, const Settings& settings) {
  // gRPC's own lines about lost connections would come on top of ours, where nobody has asked for them.
  if (detail::from_environment("GRPC_VERBOSITY").empty()) gpr_set_log_function([](gpr_log_func_args*) {});
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // in all threads to come as well: only the one below hears them
  std::stop_source stop;
  const std::jthread listening([&signals, &stop](const std::stop_token& over) {
    constexpr timespec a_moment{.tv_sec = 0, .tv_nsec = 50'000'000};
    while (!over.stop_requested()) {
      if (sigtimedwait(&signals, nullptr, &a_moment) < 0) continue;
      pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);  // a second one ends the program at once
      stop.request_stop();
      return;
    }
  });
  try {
    play(bot, settings, stop.get_token());
    return 0;
  } catch (const std::exception& error) {
    std::cerr << std::string("croupier: ") + error.what() + "\n";
    return 1;
  }
}

}  // namespace croupier
