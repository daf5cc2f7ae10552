#include "seats.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <utility>

#include "channel.hpp"
#include "text.hpp"
#include "wire.hpp"

namespace croupier::detail {

namespace {

constexpr std::uint32_t kProtocol = 1;
constexpr int kResumeLimit = 4000;  // seats to name in Hello, which has to be one frame; the server knows the others

// Turn a choice into an answer to a decision; false: wait. Throws where it cannot be one.
bool fill(v1::Act& act, const Question& question, const Choice& choice) {
  act.set_session_id(question.session_id.data(), question.session_id.size());
  act.set_decision_id(question.decision_id);
  if (const auto* index = std::get_if<std::int64_t>(&choice.value())) {
    if (*index < 0 || *index >= question.actions) {
      throw std::out_of_range("choose returned " + std::to_string(*index) + ", but the " +
                              std::to_string(question.actions) + " actions count from 0");
    }
    act.set_index(static_cast<std::uint32_t>(*index));
    return true;
  }
  if (const auto* action = std::get_if<v1::GameAction>(&choice.value())) {
    if (question.actions == 0 || action->action_case() != question.message().actions(0).action_case()) {
      throw std::invalid_argument("choose returned an action of another game");
    }
    *act.mutable_action() = *action;
    return true;
  }
  if (std::holds_alternative<Choice::Thought>(choice.value())) {
    throw std::invalid_argument("a choice that was made later cannot be put off once more");
  }
  if (!question.standing) {
    throw std::invalid_argument("choose chose to wait, which only a standing decision allows");
  }
  return false;
}

bool is_loud(const v1::ActResult& result) {
  switch (result.outcome()) {
    case v1::ACT_OUTCOME_ILLEGAL:
    case v1::ACT_OUTCOME_LATE:
    case v1::ACT_OUTCOME_MALFORMED:
    case v1::ACT_OUTCOME_UNKNOWN_DECISION:
    case v1::ACT_OUTCOME_VACATED:
      return true;
    default:
      return result.max_faults() > 0 && result.faults() >= result.max_faults();
  }
}

}  // namespace

// A choice that is made in a thread of its own.
struct Seats::Thought {
  std::jthread thread;
  std::atomic<bool> done = false;
};

// The bot's place in one session, and the decision it was last asked for.
struct Seats::Seat {
  explicit Seat(const v1::SessionStart& start) : session(start) {}

  // Nobody wants the answer of the choice that is going on any more.
  void stop_thinking() {
    if (thinking) thinking->thread.request_stop();
    thinking.reset();
  }

  Session session;
  std::optional<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> asked;  // decision, attempt, seq if standing
  std::optional<v1::Act> answer;
  std::shared_ptr<Thought> thinking;
  std::uint64_t last_event = 0;  // the last one that the bot was told
};

Seats::Seats(Playing& playing, Surroundings around) : playing_(playing), around_(std::move(around)) {}

bool Seats::empty() const { return seats_.empty(); }

Seats::~Seats() {
  std::list<std::shared_ptr<Thought>> thoughts;
  {
    const std::scoped_lock lock(playing_.table);
    for (auto& [id, seats] : seats_) {
      for (auto& seat : seats) seat->stop_thinking();
    }
    thoughts = std::move(thoughts_);
  }
  for (auto& thought : thoughts) thought->thread.request_stop();
  for (auto& thought : thoughts) thought->thread.join();
}

v1::PlayRequest Seats::hello() {
  const std::scoped_lock lock(playing_.table);
  v1::PlayRequest frame;
  auto& hello = *frame.add_messages()->mutable_hello();
  hello.set_protocol(kProtocol);
  hello.set_bot(playing_.name);
  hello.set_sdk(std::string("croupier-cpp ") + CROUPIER_VERSION);
  hello.set_language("cpp");
  for (const auto& game : playing_.bot.games()) hello.add_games(game);
  hello.set_max_sessions(playing_.bot.max_sessions());
  hello.set_events(playing_.bot.wants_events());
  for (const auto& [id, seats] : seats_) {
    for (const auto& seat : seats) {
      if (hello.resume_size() == kResumeLimit) return frame;
      auto& resume = *hello.add_resume();
      resume.set_session_id(id);
      resume.set_seat(seat->session.seat);
      resume.set_last_seq(seat->last_event);
    }
  }
  return frame;
}

void Seats::speak_through(std::shared_ptr<Outbox> outbox) {
  const std::scoped_lock lock(playing_.table);
  outbox_ = std::move(outbox);
}

bool Seats::receive(std::string_view frame) {
  const auto received = Decision::Clock::now();
  std::unique_lock lock(playing_.table);
  arena_->Reset();
  auto started = received;
  bool good = true;
  Fields fields(frame);
  while (good && fields.next()) {
    if (!fields.is(v1::PlayResponse::kMessagesFieldNumber, Fields::Kind::bytes)) continue;
    good = take_in(fields.bytes, received);
    if (Decision::Clock::now() - started > playing_.settings.patience) {
      outbox_->flush();
      started = Decision::Clock::now();
    }
  }
  reap();
  const auto outbox = outbox_;
  lock.unlock();
  outbox->acknowledge();
  return good && fields.good();
}

bool Seats::take_in(std::string_view message, Decision::Clock::time_point received) {
  Fields fields(message);
  if (fields.next() && fields.is(v1::ServerMessage::kDecisionFieldNumber, Fields::Kind::bytes)) {
    const auto question = Question::read(fields.bytes, *arena_);
    if (question) decide(*question, received);
    return question.has_value();
  }
  auto& read = *google::protobuf::Arena::CreateMessage<v1::ServerMessage>(&*arena_);
  if (!read.ParseFromArray(message.data(), static_cast<int>(message.size()))) return false;
  if (read.has_decision()) {  // it stands behind a field that this SDK does not know
    decide(Question(read.decision()), received);
  } else {
    hear(read);
  }
  return true;
}

void Seats::hear(const v1::ServerMessage& message) {
  switch (message.message_case()) {
    case v1::ServerMessage::kWelcome:
      outbox_->limit(message.welcome().max_frame_bytes());
      around_.welcomed(message.welcome());
      break;
    case v1::ServerMessage::kSessionStart:
      start(message.session_start());
      break;
    case v1::ServerMessage::kEvents:
      events(message.events());
      break;
    case v1::ServerMessage::kActResult:
      result(message.act_result());
      break;
    case v1::ServerMessage::kSessionEnd:
      end(message.session_end());
      break;
    case v1::ServerMessage::kPing: {
      v1::ClientMessage pong;
      pong.mutable_pong()->set_nonce(message.ping().nonce());
      outbox_->add(std::move(pong));
      break;
    }
    case v1::ServerMessage::kDrain:
      drained(message.drain());
      break;
    default:  // news to this SDK, which is older than the server
      break;
  }
}

Seats::Seat* Seats::find(const std::string& session_id, std::uint32_t number) {
  const auto found = seats_.find(session_id);
  if (found == seats_.end()) return nullptr;
  for (const auto& seat : found->second) {
    if (seat->session.seat == number) return seat.get();
  }
  return nullptr;
}

// Give up a seat.
std::unique_ptr<Seats::Seat> Seats::take_out(const std::string& session_id, std::uint32_t number) {
  const auto found = seats_.find(session_id);
  if (found == seats_.end()) return nullptr;
  auto& seats = found->second;
  const auto at = std::ranges::find_if(seats, [&](const auto& seat) { return seat->session.seat == number; });
  if (at == seats.end()) return nullptr;
  auto seat = std::move(*at);
  seats.erase(at);
  if (seats.empty()) seats_.erase(found);
  seat->stop_thinking();
  return seat;
}

void Seats::say(const v1::Act& act) {
  if (!outbox_) return;
  v1::ClientMessage message;
  *message.mutable_act() = act;
  outbox_->add(std::move(message));
}

// ------------------------------------------------------------------------------------------------------------
// decisions

void Seats::decide(const Question& question, Decision::Clock::time_point received) {
  const std::string session_id(question.session_id);
  Seat* seat = find(session_id, question.seat);
  if (seat == nullptr) {
    playing_.log(Level::warning, "asked to decide in session " + session_id + ", of which the server has not told");
    return;
  }
  const std::tuple asked(question.decision_id, question.attempt, question.standing ? question.seq : 0);
  if (seat->asked == asked) {  // on an earlier stream: the bot has chosen, or is still at it
    if (seat->answer) say(*seat->answer);
    return;
  }
  seat->stop_thinking();
  seat->asked = asked;
  seat->answer.reset();
  seat->session.seq = question.seq;
  try {
    const Choice choice = playing_.bot.choose(Decision(seat->session, question, received));
    if (const auto* thought = std::get_if<Choice::Thought>(&choice.value())) {
      think(*seat, question.message(), *thought);
    } else {
      settle(*seat, question, choice);
    }
  } catch (...) {
    failed(seat->session, question.decision_id);
  }
}

// Check, remember and say what the bot has chosen. Throws where it cannot be an answer.
void Seats::settle(Seat& seat, const Question& question, const Choice& choice) {
  v1::Act act;
  if (!fill(act, question, choice)) return;
  say(act);
  seat.answer = std::move(act);
}

// Report what choose has thrown.
void Seats::failed(const Session& session, std::uint32_t decision_id) {
  playing_.crashed("choose failed in session " + session.id + " (" + session.game + ", seat " +
                   std::to_string(session.seat) + "), decision " + std::to_string(decision_id) +
                   ": no answer is sent, the clock decides");
}

void Seats::think(Seat& seat, const v1::Decision& message, Choice::Thought thought) {
  auto mine = std::make_shared<Thought>();
  const auto work = [this, message, thought = std::move(thought), self = mine.get()](const std::stop_token& unwanted) {
    std::optional<Choice> choice;
    std::exception_ptr error;
    try {
      choice = thought(unwanted);
    } catch (...) {
      error = std::current_exception();
    }
    std::shared_ptr<Outbox> outbox;
    {
      const std::scoped_lock lock(playing_.table);
      Seat* seat = find(message.session_id(), message.seat());
      if (seat != nullptr && seat->thinking.get() == self) {
        seat->thinking.reset();
        try {
          if (error) std::rethrow_exception(error);
          settle(*seat, Question(message), *choice);
        } catch (...) {
          failed(seat->session, message.decision_id());
        }
        outbox = outbox_;
      }
    }
    if (outbox) outbox->flush();
    self->done = true;  // only now: whoever has the table joins this thread, and must not wait for the network
  };
  mine->thread = std::jthread(work);  // it finds its seat when this one lets go of the table
  thoughts_.push_back(mine);
  seat.thinking = std::move(mine);
}

// Let go of the threads of thoughts that have come to their end.
void Seats::reap() {
  std::erase_if(thoughts_, [](const auto& thought) { return thought->done.load(); });
}

// ------------------------------------------------------------------------------------------------------ everything
// else

void Seats::start(const v1::SessionStart& message) {
  if (!message.endpoint().empty()) {
    take_out(message.session_id(), message.seat());
    around_.moved(message);
    return;
  }
  if (Seat* seat = find(message.session_id(), message.seat())) {
    if (message.seq() >= std::max(seat->session.seq, seat->last_event)) return;
    playing_.log(Level::warning,
                 "session " + message.session_id() + " goes back to event " + std::to_string(message.seq()));
    seat->stop_thinking();
    seat->asked.reset();
    seat->answer.reset();
    seat->session.seq = message.seq();
    seat->last_event = std::min(seat->last_event, message.seq());
    hook("on_rewind", seat->session, [&](Bot& bot) { bot.on_rewind(seat->session); });
    return;
  }
  auto& seat = seats_[message.session_id()].emplace_back(std::make_unique<Seat>(message));
  hook("on_start", seat->session, [&](Bot& bot) { bot.on_start(seat->session); });
}

void Seats::events(const v1::Events& message) {
  Seat* seat = find(message.session_id(), message.seat());
  if (seat == nullptr) return;
  std::vector<const v1::Event*> news;
  for (const auto& event : message.events()) {
    if (event.seq() > seat->last_event) news.push_back(&event);
  }
  if (news.empty()) return;
  seat->session.seq = seat->last_event = news.back()->seq();
  hook("on_events", seat->session, [&](Bot& bot) { bot.on_events(seat->session, news); });
}

void Seats::result(const v1::ActResult& message) {
  playing_.log(is_loud(message) ? Level::warning : Level::debug, in_words(message));
  Seat* seat = find(message.session_id(), message.seat());
  if (seat == nullptr) return;
  const bool late = message.outcome() == v1::ACT_OUTCOME_LATE;
  if (late && seat->asked && std::get<0>(*seat->asked) == message.decision_id()) seat->stop_thinking();
  hook("on_result", seat->session, [&](Bot& bot) { bot.on_result(seat->session, message); });
}

void Seats::end(const v1::SessionEnd& message) {
  if (const auto seat = take_out(message.session_id(), message.seat())) {
    seat->session.seq = message.seq();
    hook("on_end", seat->session, [&](Bot& bot) { bot.on_end(seat->session, End(message)); });
    if (seats_.contains(message.session_id())) return;  // the bot has another seat there
    playing_.session_over();
  }
  around_.over(message.session_id());
}

void Seats::drained(const v1::Drain& message) {
  const std::string reason = message.reason().empty() ? "no reason given" : message.reason();
  const auto grace = std::lround(message.grace_ms() / 1000.0);
  playing_.log(Level::info,
               "the server is about to stop (" + reason + "); it lets games end for " + std::to_string(grace) + " s");
}

template <class Call>
void Seats::hook(const char* name, const Session& session, Call call) {
  try {
    call(playing_.bot);
  } catch (...) {
    playing_.crashed(std::string(name) + " failed in session " + session.id + " (" + session.game + ")");
  }
}

std::string in_words(const v1::ActResult& result) {
  std::string outcome = v1::ActOutcome_Name(result.outcome());
  outcome = outcome.empty() ? "outcome " + std::to_string(result.outcome())
                            : lower(outcome.substr(std::string("ACT_OUTCOME_").size()));
  std::ranges::replace(outcome, '_', ' ');
  std::string words;
  if (!result.session_id().empty()) {
    words = "session " + result.session_id() + ", decision " + std::to_string(result.decision_id()) + ": ";
  }
  words += outcome;
  if (!result.rule().empty()) words += " (" + result.rule() + ")";
  if (!result.message().empty()) words += ": " + result.message();
  if (result.outcome() == v1::ACT_OUTCOME_ILLEGAL) {
    words += "; attempts left: " + std::to_string(result.attempts_left());
  }
  if (result.max_faults() > 0) {
    words += "; faults: " + std::to_string(result.faults()) + " of " + std::to_string(result.max_faults());
  }
  return words;
}

}  // namespace croupier::detail

namespace croupier {

Session::Session(const v1::SessionStart& start)
    : id(start.session_id()),
      game(start.game()),
      rules_version(start.rules_version()),
      seat(start.seat()),
      seats(start.seats()),
      options(start.options()),
      clock(start.clock()),
      faults(start.faults()),
      resumed(start.resumed()),
      seed_commitment(start.seed_commitment()),
      seq(start.seq()) {}

}  // namespace croupier
