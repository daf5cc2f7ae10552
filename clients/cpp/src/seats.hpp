// The bot's seats at one server: what the server says is turned into calls of the bot, and its choices into acts.
//
// Frames come in through receive, acts go out through the outbox of the stream of the day. Seats outlive streams: when
// one is lost, sessions stay, thinking goes on, and what was chosen meanwhile is said on the next.
#pragma once

#include <google/protobuf/arena.h>

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "outbox.hpp"
#include "playing.hpp"

namespace croupier::detail {

// What of a frame concerns more than the seats at this server.
struct Surroundings {
  std::function<void(const v1::Welcome&)> welcomed;    // the server's greeting
  std::function<void(const v1::SessionStart&)> moved;  // a session that another server hosts
  std::function<void(const std::string&)> over;        // a session that is over
};

// Where a frame's messages are read to. They have hundreds of small parts: freeing them all at once is twice as fast as
// one by one.
class FrameArena {
 public:
  FrameArena() : block_(kBlockBytes), arena_(options(block_)) {}

  google::protobuf::Arena& operator*() { return arena_; }
  google::protobuf::Arena* operator->() { return &arena_; }

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{256} * 1024;

  static google::protobuf::ArenaOptions options(std::vector<char>& block) {
    google::protobuf::ArenaOptions options;
    options.initial_block = block.data();
    options.initial_block_size = block.size();
    options.max_block_size = kBlockBytes;
    return options;
  }

  std::vector<char> block_;
  google::protobuf::Arena arena_;
};

class Seats {
 public:
  Seats(Playing& playing, Surroundings around);
  Seats(const Seats&) = delete;
  Seats& operator=(const Seats&) = delete;
  // Asks all thoughts to stop, and waits for them.
  ~Seats();

  [[nodiscard]] bool empty() const;  // the table is held
  // What to say first on a new stream.
  v1::PlayRequest hello();
  // Say the rest through this outbox; none: the stream is lost.
  void speak_through(std::shared_ptr<Outbox> outbox);
  // Do what a frame asks for, and see that the server hears of it.
  //
  // Answers to one frame go out in one frame. A bot that takes its time over each choice is the exception: what it has
  // chosen so far is sent before it goes on, for each session's clock runs until its own answer is there.
  // False: it cannot be read, or only up to some message.
  bool receive(std::string_view frame);

 private:
  struct Seat;
  struct Thought;

  Seat* find(const std::string& session_id, std::uint32_t number);
  std::unique_ptr<Seat> take_out(const std::string& session_id, std::uint32_t number);
  void say(const v1::Act& act);
  bool take_in(std::string_view message, Decision::Clock::time_point received);
  void hear(const v1::ServerMessage& message);
  void decide(const Question& question, Decision::Clock::time_point received);
  void settle(Seat& seat, const Question& question, const Choice& choice);
  void failed(const Session& session, std::uint32_t decision_id);
  void think(Seat& seat, const v1::Decision& message, Choice::Thought thought);
  void reap();
  void start(const v1::SessionStart& message);
  void events(const v1::Events& message);
  void result(const v1::ActResult& message);
  void end(const v1::SessionEnd& message);
  void drained(const v1::Drain& message);
  template <class Call>
  void hook(const char* name, const Session& session, Call call);

  Playing& playing_;
  Surroundings around_;
  std::shared_ptr<Outbox> outbox_;
  std::unordered_map<std::string, std::vector<std::unique_ptr<Seat>>> seats_;
  FrameArena arena_;
  std::list<std::shared_ptr<Thought>> thoughts_;  // all whose threads have not been joined
};

// Say what became of an act in one line.
std::string in_words(const v1::ActResult& result);

}  // namespace croupier::detail
