// What a bot's author writes (Bot), and what the bot is given to decide with (Decision, Session, End).
#pragma once

#include <any>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "croupier/game.hpp"
#include "croupier/question.hpp"
#include "croupier/v1/play.pb.h"

namespace croupier {

// The bot's place in a game. It stays the same object from on_start to on_end, across reconnects.
//
// A bot may sit in several seats of one game; each of them is a Session of its own, with the same id.
struct Session {
  explicit Session(const v1::SessionStart& start);

  std::string id;                   // its name on the server; opaque
  std::string game;                 // the game's name: "trick-and-trade"
  std::uint32_t rules_version = 0;  // the version of the game's rules
  std::uint32_t seat = 0;           // the bot's own seat, 0-based
  std::uint32_t seats = 0;          // number of seats
  v1::GameOptions options;          // the game's options
  v1::ClockSettings clock;          // the clock of every seat
  v1::FaultSettings faults;         // how failing bots are treated
  bool resumed = false;             // whether the server had told the bot of it before, perhaps an earlier run of it
  std::string seed_commitment;      // SHA-256 of the session's seed, 32 bytes; empty where the organiser gave the seed
  std::uint64_t seq = 0;            // how many events the bot knows to have happened
  std::any data;                    // whatever the bot wants to keep for this session
};

// The bot is asked to decide. What is in here lasts as long as the call of Bot::choose; copy what is needed later.
class Decision {
 public:
  using Clock = std::chrono::steady_clock;

  // From its message, for tests of bots. Both arguments have to outlive the decision.
  Decision(Session& session, const v1::Decision& message, Clock::time_point received = Clock::now())
      : Decision(session, detail::Question(message), received) {}
  // As the SDK makes it.
  Decision(Session& session, detail::Question question, Clock::time_point received)
      : session(session), received(received), question_(question) {}

  Session& session;            // the game in which it is asked
  Clock::time_point received;  // when it came: by then its think time was running

  // Its number, unique and ascending in its session.
  [[nodiscard]] std::uint32_t id() const { return question_.decision_id; }
  // 1 when first asked, then one more after each illegal answer.
  [[nodiscard]] std::uint32_t attempt() const { return question_.attempt; }
  // How many events had happened in the session when the view was made.
  [[nodiscard]] std::uint64_t seq() const { return question_.seq; }
  // Whether this may be answered at any time or never (Choice::wait()); it is asked anew after every change.
  [[nodiscard]] bool standing() const { return question_.standing; }
  // Time to think before the bank is used; none for a standing decision.
  [[nodiscard]] std::optional<std::chrono::milliseconds> think_time() const {
    return question_.think_time_ms ? std::optional(std::chrono::milliseconds(*question_.think_time_ms)) : std::nullopt;
  }
  // Time left in the bank, for all decisions that need more than their think time.
  [[nodiscard]] std::chrono::milliseconds bank() const { return std::chrono::milliseconds(question_.bank_ms); }
  // What the seat's previous decision was charged.
  [[nodiscard]] std::chrono::milliseconds last_charged() const {
    return std::chrono::milliseconds(question_.last_charged_ms);
  }
  // How many legal actions there are. It is quicker than to look at them.
  [[nodiscard]] int count() const { return question_.actions; }

  // The decision as it came. View and actions are read when they are first asked for; this and what follows throws
  // std::runtime_error where that cannot be done.
  [[nodiscard]] const v1::Decision& message() const { return question_.message(); }
  // The legal actions in their envelopes, whose arms tell the games apart; at least one.
  [[nodiscard]] const auto& actions() const { return message().actions(); }
  // All that the bot may know of the game, in its envelope.
  [[nodiscard]] const v1::GameView& view() const { return message().view(); }

  // The legal actions as the game's own messages: decision.actions<TrickAndTrade>(). Throws WrongGame when read.
  template <class Game>
  [[nodiscard]] auto actions() const {
    return message().actions() |
           std::views::transform([](const v1::GameAction& action) -> const auto& { return Game::action(action); });
  }
  // All that the bot may know, as the game's own message: decision.view<TrickAndTrade>(). Throws WrongGame.
  template <class Game>
  [[nodiscard]] const typename Game::View& view() const {
    return Game::view(message().view());
  }

 private:
  detail::Question question_;
};

// An answer to a decision: the index of one of its actions, an action, waiting, or an answer that comes later. Its
// constructors are implicit, so that choose can say `return 0;`.
class Choice {
 public:
  using Thought = std::function<Choice(std::stop_token)>;

  // One of the decision's actions, counted from 0.
  template <std::integral Index>
  requires(!std::same_as<Index, bool>) Choice(Index index) : choice_(static_cast<std::int64_t>(index)) {}
  // The action itself, in its envelope or as the game's own message.
  Choice(v1::GameAction action) : choice_(std::move(action)) {}
  template <class Action>
  requires GameMessage<Action> Choice(const Action& action) : choice_(wrap(action)) {}

  // Nothing now. Only for standing decisions, which are asked anew after every change.
  static Choice wait() { return Choice(Waiting{}); }

  // Choose in a thread of its own, while the bot's other games go on. The token asks the thought to stop when its
  // answer is no longer wanted: when the decision is asked anew or another one is, when its time has run out, when the
  // session is over. Playing ends only when all thoughts have returned, so long ones should heed it.
  //
  //     return Choice::later([view = decision.view()](std::stop_token unwanted) { return search(view, unwanted); });
  static Choice later(Thought thought) { return Choice(std::move(thought)); }

  struct Waiting {};
  using Variant = std::variant<std::int64_t, v1::GameAction, Waiting, Thought>;
  [[nodiscard]] const Variant& value() const { return choice_; }

 private:
  explicit Choice(Waiting waiting) : choice_(waiting) {}
  explicit Choice(Thought thought) : choice_(std::move(thought)) {}

  Variant choice_;
};

// How a session ended, as the bot's seat sees it.
class End {
 public:
  // The message has to outlive it.
  explicit End(const v1::SessionEnd& message) : message(message) {}

  const v1::SessionEnd& message;  // the end as it came: reason, result, view, seed

  // The bot's own points; none where the session was stopped before its end.
  [[nodiscard]] std::optional<std::int32_t> points() const { return of_seat(message.result().points()); }
  // The bot's own placing, 1 is best; none where the session was stopped before its end.
  [[nodiscard]] std::optional<std::uint32_t> placing() const { return of_seat(message.result().placings()); }

 private:
  template <class Values>
  [[nodiscard]] std::optional<typename Values::value_type> of_seat(const Values& values) const {
    const auto seat = static_cast<int>(message.seat());
    return seat < values.size() ? std::optional(values.Get(seat)) : std::nullopt;
  }
};

// A player. Write choose; the hooks below it are there for those who want them.
//
// One object plays all of the bot's sessions, any number of them side by side; what belongs to one session goes into
// Session::data. All methods are called one at a time, though not always by the same thread. While one computes,
// everything else of the bot waits, so a bot that needs more than some milliseconds returns Choice::later.
//
// An exception in a method is logged, no answer is sent, and that session's clock decides; the other sessions go on.
class Bot {
 public:
  Bot() = default;
  Bot(const Bot&) = delete;
  Bot& operator=(const Bot&) = delete;
  virtual ~Bot() = default;

  // Decide.
  virtual Choice choose(const Decision& decision) = 0;

  // The games that it plays, by name; empty: any.
  [[nodiscard]] virtual std::vector<std::string> games() const { return {}; }
  // How many sessions it plays at once, at most; 0: any number.
  [[nodiscard]] virtual std::uint32_t max_sessions() const { return 0; }
  // Whether on_events is to be called. A bot that decides from the view alone is served faster without.
  [[nodiscard]] virtual bool wants_events() const { return false; }

  // Sit down in a session: the place to set up session.data.
  virtual void on_start(Session&) {}
  // See what has happened, in order and without gaps; only called if the bot wants_events.
  virtual void on_events(Session&, const std::vector<const v1::Event*>&) {}
  // Forget the events after session.seq: the server lost them in a crash, and the game goes on from there.
  virtual void on_rewind(Session&) {}
  // Hear that an answer was illegal, late, stale or otherwise not taken: outcome, rule, message.
  virtual void on_result(Session&, const v1::ActResult&) {}
  // Leave a session that is over.
  virtual void on_end(Session&, const End&) {}
};

}  // namespace croupier
