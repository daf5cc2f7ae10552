// A bot's connections: to each server a stream, and after its loss another one.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "seats.hpp"

namespace croupier::detail {

class Connections;

// The bot's seats at one server, and the streams through which they are played.
class Connection {
 public:
  // `home`: whether to stay when there is nothing left to play. It connects at once, in a thread of its own.
  Connection(Connections& all, std::string target, std::string token, bool home);

  const std::string target;
  const bool home;
  // What to show when the next stream opens, and the sessions that were sent here by another server and are not over
  // yet. Both are guarded by the table.
  std::string token;
  std::set<std::string> expected;

  // Begin to play.
  void open();
  // Break the stream off.
  void cancel();
  void join();
  // Its thread is at its very end, and its seats are given up.
  [[nodiscard]] bool done() const { return done_; }

 private:
  void keep();
  std::string stream();
  bool wanted();  // the table is held
  void welcomed(const v1::Welcome& welcome) const;

  Connections& all_;
  std::unique_ptr<Seats> seats_;
  std::mutex calling_;
  grpc::ClientContext* call_ = nullptr;  // the stream of the day
  bool cancelled_ = false;
  unsigned frames_ = 0;  // read from the stream of the day
  std::atomic<bool> done_ = false;
  std::jthread thread_;
};

// The connection to the server that was named, and those to servers to which it has sent the bot on.
class Connections {
 public:
  Connections(Playing& playing, Tls tls) : playing(playing), tls(std::move(tls)) {}
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;
  ~Connections();

  Playing& playing;
  const Tls tls;

  // Begin to keep a connection, and let go of those that have come to their end.
  Connection& open(const std::string& target, const std::string& token, bool home);

  // Go where a session is hosted. There is one connection to each server, for all the sessions it hosts.
  void follow(const v1::SessionStart& start);
  // Expect a session nowhere any more.
  void forget(const std::string& session_id);
  // How many there are, those among them whose threads have not been joined yet.
  [[nodiscard]] std::size_t size() const { return open_.size() + retired_.size(); }
  // Strike a connection from the list, whose thread is about to end.
  void retire(const Connection& connection);

 private:
  // All are guarded by the table.
  std::list<std::unique_ptr<Connection>> open_;
  std::list<std::unique_ptr<Connection>> retired_;
};

}  // namespace croupier::detail
