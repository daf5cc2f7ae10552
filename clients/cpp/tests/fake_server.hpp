// A server that does what a test tells it: the test accepts streams, speaks as the server, and sees the bot's answers.
//
//     auto stream = server.accept();
//     stream->say({start("a"), ask("a", 1)});          // one frame
//     EXPECT_EQ(stream->hear(), frame({act("a", 1, 0)}));  // one frame
#pragma once

#include <google/protobuf/util/message_differencer.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "croupier/croupier.hpp"
#include "croupier/trick_and_trade.hpp"
#include "croupier/v1/play.grpc.pb.h"

namespace croupier::testing {

namespace tnt = trick_and_trade;
using Told = std::vector<v1::ServerMessage>;
using Said = std::vector<v1::ClientMessage>;

constexpr std::chrono::seconds kPatience{60};  // until a test that waits gives up, on however busy a machine

// A frame of a bot, in a form that compares and prints well.
inline std::string text(const v1::PlayRequest& frame) { return frame.ShortDebugString(); }

inline std::string frame(const Said& messages) {
  v1::PlayRequest frame;
  for (const auto& message : messages) *frame.add_messages() = message;
  return text(frame);
}

// One stream, from the server's side; its Hello has been read.
class Stream {
 public:
  using Wire = grpc::ServerReaderWriter<v1::PlayResponse, v1::PlayRequest>;

  Stream(Wire* wire, v1::Hello hello, std::string token)
      : hello(std::move(hello)), token(std::move(token)), wire_(wire) {}

  const v1::Hello hello;
  const std::string token;

  // Send messages in one frame.
  void say(const Told& messages) {
    v1::PlayResponse frame;
    for (const auto& message : messages) *frame.add_messages() = message;
    say(frame);
  }

  // Send a frame as it is.
  void say(const v1::PlayResponse& frame) { EXPECT_TRUE(wire_->Write(frame)) << "the bot is gone"; }

  // The bot's next frame; "gone" where it has ended the stream.
  std::string hear() {
    v1::PlayRequest frame;
    return wire_->Read(&frame) ? text(frame) : "gone";
  }

  // Wait until the bot has ended the stream.
  void gone() {
    v1::PlayRequest frame;
    while (wire_->Read(&frame)) {
    }
  }

  // End the stream.
  void end(const grpc::Status& status = grpc::Status::OK) {
    const std::scoped_lock lock(mutex_);
    if (ended_) return;
    ended_ = true;
    status_ = status;
    end_.notify_all();
  }

  // For the server: wait until the test ends the stream.
  grpc::Status ended() {
    std::unique_lock lock(mutex_);
    end_.wait(lock, [this] { return ended_; });
    return status_;
  }

 private:
  Wire* wire_;
  std::mutex mutex_;
  std::condition_variable end_;
  bool ended_ = false;
  grpc::Status status_;
};

inline v1::ServerMessage welcome(std::uint32_t max_frame_bytes = 0) {
  v1::ServerMessage message;
  auto& welcome = *message.mutable_welcome();
  welcome.set_protocol(1);
  welcome.set_bot("bot");
  welcome.set_server("fake 1");
  welcome.set_max_frame_bytes(max_frame_bytes);
  return message;
}

inline v1::ClientMessage ack() {
  v1::ClientMessage message;
  message.mutable_ack();
  return message;
}

// Hands each stream that a bot opens to the test.
class FakeServer : public v1::PlayService::Service {
 public:
  explicit FakeServer(const std::shared_ptr<grpc::ServerCredentials>& credentials = grpc::InsecureServerCredentials()) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddListeningPort("localhost:0", credentials, &port);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    target = "localhost:" + std::to_string(port);
  }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  ~FakeServer() override { stop(); }

  std::string target;

  void stop() {
    {
      const std::scoped_lock lock(mutex_);
      for (const auto& stream : all_) stream->end();
    }
    server_->Shutdown(std::chrono::system_clock::now());
  }

  // Refuse the next stream, before anything is read.
  void refuse(const grpc::Status& status) {
    const std::scoped_lock lock(mutex_);
    refusals_.push_back(status);
  }

  // The next stream that a bot opens.
  std::shared_ptr<Stream> meet() {
    std::unique_lock lock(mutex_);
    if (!came_.wait_for(lock, kPatience, [this] { return !waiting_.empty(); })) throw std::runtime_error("no bot came");
    auto stream = waiting_.front();
    waiting_.pop_front();
    return stream;
  }

  // The next stream that a bot opens, greeted.
  std::shared_ptr<Stream> accept() {
    auto stream = meet();
    stream->say({welcome()});
    EXPECT_EQ(stream->hear(), frame({ack()}));
    return stream;
  }

  grpc::Status Play(grpc::ServerContext* context, Stream::Wire* wire) override {
    std::unique_lock lock(mutex_);
    if (!refusals_.empty()) {
      const auto refusal = refusals_.front();
      refusals_.pop_front();
      return refusal;
    }
    lock.unlock();
    v1::PlayRequest frame;
    if (!wire->Read(&frame)) return grpc::Status::CANCELLED;
    if (frame.messages_size() != 1 || !frame.messages(0).has_hello()) {
      return {grpc::StatusCode::INVALID_ARGUMENT, "Hello comes alone"};
    }
    const auto shown = context->client_metadata().find("authorization");
    const auto token =
        shown == context->client_metadata().end() ? "" : std::string(shown->second.data(), shown->second.size());
    const auto stream = std::make_shared<Stream>(wire, frame.messages(0).hello(), token);
    lock.lock();
    waiting_.push_back(stream);
    all_.push_back(stream);
    came_.notify_all();
    lock.unlock();
    return stream->ended();
  }

 private:
  std::unique_ptr<grpc::Server> server_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<grpc::Status> refusals_;
  std::deque<std::shared_ptr<Stream>> waiting_;
  std::vector<std::shared_ptr<Stream>> all_;
};

// What a server says.

using ChangeStart = std::function<void(v1::SessionStart&)>;
using ChangeAsk = std::function<void(v1::Decision&)>;
using ChangeResult = std::function<void(v1::ActResult&)>;

inline v1::ServerMessage start(const std::string& session, const ChangeStart& change = {}) {
  v1::ServerMessage message;
  auto& start = *message.mutable_session_start();
  start.set_session_id(session);
  start.set_game("trick-and-trade");
  start.set_seat(2);
  start.set_seats(4);
  if (change) change(start);
  return message;
}

inline v1::ServerMessage start_in(const std::string& session, std::uint32_t seat) {
  return start(session, [seat](auto& start) { start.set_seat(seat); });
}

inline v1::ServerMessage resumed(const std::string& session, std::uint64_t seq) {
  return start(session, [seq](auto& start) {
    start.set_resumed(true);
    start.set_seq(seq);
  });
}

inline v1::ServerMessage hosted(const std::string& session, const std::string& endpoint,
                                const std::string& token = "") {
  return start(session, [&](auto& start) {
    start.set_endpoint(endpoint);
    start.set_seat_token(token);
  });
}

inline tnt::Action play_card(int card) {
  tnt::Action action;
  action.set_play(static_cast<tnt::Card>(card));
  return action;
}

inline v1::ServerMessage ask(const std::string& session, std::uint32_t id, const ChangeAsk& change = {}) {
  v1::ServerMessage message;
  auto& decision = *message.mutable_decision();
  decision.set_session_id(session);
  decision.set_decision_id(id);
  decision.set_seat(2);
  decision.set_attempt(1);
  decision.set_think_time_ms(1000);
  for (const int card : {1, 2, 3}) {
    *decision.add_actions()->mutable_trick_and_trade() = play_card(card);
    decision.mutable_view()->mutable_trick_and_trade()->add_hand(static_cast<tnt::Card>(card));
  }
  if (change) change(decision);
  return message;
}

inline v1::ServerMessage ask_at(const std::string& session, std::uint32_t id, std::uint64_t seq) {
  return ask(session, id, [seq](auto& decision) { decision.set_seq(seq); });
}

inline v1::ServerMessage standing(const std::string& session, std::uint32_t id, std::uint64_t seq = 0) {
  return ask(session, id, [seq](auto& decision) {
    decision.set_standing(true);
    decision.set_seq(seq);
    decision.clear_think_time_ms();
  });
}

inline v1::ServerMessage result(const std::string& session, std::uint32_t id, v1::ActOutcome outcome,
                                const ChangeResult& change = {}) {
  v1::ServerMessage message;
  auto& result = *message.mutable_act_result();
  result.set_session_id(session);
  result.set_decision_id(id);
  result.set_seat(2);
  result.set_outcome(outcome);
  if (change) change(result);
  return message;
}

inline v1::ServerMessage events(const std::string& session, const std::vector<std::uint64_t>& seqs) {
  v1::ServerMessage message;
  message.mutable_events()->set_session_id(session);
  message.mutable_events()->set_seat(2);
  for (const auto seq : seqs) {
    auto& event = *message.mutable_events()->add_events();
    event.set_seq(seq);
    event.mutable_vacated()->set_seat(0);
  }
  return message;
}

inline v1::ServerMessage over(const std::string& session, std::uint32_t seat = 2) {
  v1::ServerMessage message;
  auto& end = *message.mutable_session_end();
  end.set_session_id(session);
  end.set_seat(seat);
  end.set_seq(99);
  end.set_reason(v1::END_REASON_FINISHED);
  for (const int points : {10, 40, 30, 20}) end.mutable_result()->add_points(points);
  for (const unsigned placing : {4U, 1U, 2U, 3U}) end.mutable_result()->add_placings(placing);
  end.mutable_view()->mutable_trick_and_trade()->mutable_table()->set_round(10);
  return message;
}

inline v1::ServerMessage ping(std::uint64_t nonce) {
  v1::ServerMessage message;
  message.mutable_ping()->set_nonce(nonce);
  return message;
}

inline v1::ServerMessage drain(const std::string& reason) {
  v1::ServerMessage message;
  message.mutable_drain()->set_grace_ms(5000);
  message.mutable_drain()->set_reason(reason);
  return message;
}

// A message of a kind that the SDK does not know: field 100.
inline v1::ServerMessage newer() {
  v1::ServerMessage message;
  EXPECT_TRUE(
      message.ParseFromString("\xa2\x06\x03"
                              "abc"));
  return message;
}

// What a bot answers.

inline v1::ClientMessage act(const std::string& session, std::uint32_t id, std::uint32_t index) {
  v1::ClientMessage message;
  message.mutable_act()->set_session_id(session);
  message.mutable_act()->set_decision_id(id);
  message.mutable_act()->set_index(index);
  return message;
}

inline v1::ClientMessage act_card(const std::string& session, std::uint32_t id, int card) {
  auto message = act(session, id, 0);
  *message.mutable_act()->mutable_action() = wrap(play_card(card));
  return message;
}

inline v1::ClientMessage pong(std::uint64_t nonce) {
  v1::ClientMessage message;
  message.mutable_pong()->set_nonce(nonce);
  return message;
}

}  // namespace croupier::testing
