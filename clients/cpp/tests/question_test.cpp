// What the SDK reads of frames by hand is what the generated code reads, and what cannot be read does no harm.
#include <fstream>

#include "harness.hpp"
#include "wire.hpp"

namespace croupier::testing {
namespace {

using detail::Fields;
using detail::Question;

v1::PlayResponse vectors() {
  std::ifstream file(CROUPIER_VECTORS "/greedy-decisions.binpb", std::ios::binary);
  v1::PlayResponse frame;
  EXPECT_TRUE(frame.ParseFromIstream(&file));
  EXPECT_GT(frame.messages_size(), 100);
  return frame;
}

v1::Decision everything() {
  auto message = ask("a session", 1U << 31, [](auto& decision) {
    decision.set_seat(13);
    decision.set_attempt(3);
    decision.set_seq(std::uint64_t{1} << 63);
    decision.set_standing(true);
    decision.set_think_time_ms(0);
    decision.set_bank_ms(60'000);
    decision.set_last_charged_ms(300);
  });
  auto& unknown = *message.mutable_decision()->GetReflection()->MutableUnknownFields(message.mutable_decision());
  unknown.AddVarint(1001, 1);
  unknown.AddFixed32(1002, 2);
  unknown.AddFixed64(1003, 3);
  unknown.AddLengthDelimited(1004, "news");
  return message.decision();
}

// A frame whose messages are these bytes, whatever they are.
v1::PlayResponse raw(const std::vector<std::string>& messages) {
  v1::PlayResponse frame;
  for (const auto& bytes : messages) {
    frame.GetReflection()->MutableUnknownFields(&frame)->AddLengthDelimited(1, bytes);
  }
  return frame;
}

void expect_same(const Question& question, const v1::Decision& message) {
  EXPECT_EQ(question.session_id, message.session_id());
  EXPECT_EQ(question.seat, message.seat());
  EXPECT_EQ(question.decision_id, message.decision_id());
  EXPECT_EQ(question.attempt, message.attempt());
  EXPECT_EQ(question.seq, message.seq());
  EXPECT_EQ(question.standing, message.standing());
  EXPECT_EQ(question.think_time_ms.has_value(), message.has_think_time_ms());
  EXPECT_EQ(question.think_time_ms.value_or(0), message.think_time_ms());
  EXPECT_EQ(question.bank_ms, message.bank_ms());
  EXPECT_EQ(question.last_charged_ms, message.last_charged_ms());
  EXPECT_EQ(question.actions, message.actions_size());
  EXPECT_EQ(question.message().SerializeAsString(), message.SerializeAsString());
}

TEST(Question, HoldsWhatTheGeneratedCodeReads) {
  const auto frame = vectors();
  std::vector<v1::Decision> decisions = {everything(), v1::Decision()};
  for (const auto& message : frame.messages()) decisions.push_back(message.decision());
  google::protobuf::Arena arena;
  for (const auto& decision : decisions) {
    const auto bytes = decision.SerializeAsString();
    const auto question = Question::read(bytes, arena);
    ASSERT_TRUE(question);
    expect_same(*question, decision);
    expect_same(Question(decision), decision);
  }
}

TEST(Question, OfBytesThatAreCutOffIsReadOnlyWhereTheGeneratedCodeReadsThem) {
  const auto bytes = everything().SerializeAsString();
  int unread = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string cut = bytes.substr(0, size);  // a string of its own: the sanitizer sees what is read beyond it
    google::protobuf::Arena arena;
    v1::Decision message;
    const auto question = Question::read(cut, arena);
    EXPECT_EQ(question.has_value(), message.ParseFromString(cut)) << size << " bytes";
    if (question) {
      expect_same(*question, message);
    } else {
      ++unread;
    }
  }
  EXPECT_GT(unread, 50);
}

TEST(Fields, AreRefusedWhereTheirTagsSizesOrNumbersAreNone) {
  const std::vector<std::string> wrong = {
      std::string("\x00\x01", 2),                      // field 0
      "\x0b",                                          // a group
      "\x0e",                                          // a kind that there is not
      "\x08",                                          // no number
      "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",  // a number without an end
      "\x0a\x7fshort",                                 // more bytes than there are
      "\x09"
      "1234567",
      "\x0d"
      "123",                                       // seven bytes of eight, three of four
      "\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x01",  // a tag that is too long
  };
  for (const auto& bytes : wrong) {
    Fields fields(bytes);
    while (fields.next()) {
    }
    EXPECT_FALSE(fields.good()) << ::testing::PrintToString(bytes);
    EXPECT_FALSE(fields.next());
  }
}

struct FramesTest : ::testing::Test {
  FakeServer server;
};

TEST_F(FramesTest, ADecisionBehindWhatIsNewToTheSdkIsAsked) {
  Recorder bot;
  Played played(bot, server.target);
  const auto stream = server.accept();
  stream->say({start("a")});
  EXPECT_EQ(stream->hear(), frame({ack()}));
  const std::string news =
      "\xa2\x06\x03"
      "abc";  // field 100
  stream->say(raw({news + ask("a", 1).SerializeAsString(), news}));
  EXPECT_EQ(stream->hear(), frame({act("a", 1, 0)}));
}

TEST_F(FramesTest, AFrameThatCannotBeReadEndsTheStreamAndTheBotComesAgain) {
  for (const std::string& garbage :
       {std::string("\x0b"), std::string("\x1a\x7fshort"), start("b").SerializeAsString() + "\x0b"}) {
    Recorder bot;
    Played played(bot, server.target);
    auto stream = server.accept();
    stream->say(raw({start("a").SerializeAsString(), ask("a", 1).SerializeAsString(), garbage}));
    stream->gone();
    stream->end();
    stream = server.accept();
    EXPECT_EQ(stream->hello.resume_size(), 1);
    EXPECT_EQ(played.log.count("lost " + server.target + " (a frame cannot be read)"), 1);
  }
}

TEST_F(FramesTest, AViewThatCannotBeReadIsAnErrorOfItsOwnSessionOnly) {
  Recorder bot([](const Decision& decision) { return decision.actions().size() - 1; });
  Played played(bot, server.target);
  const auto stream = server.accept();
  stream->say({start("a"), start("b")});
  EXPECT_EQ(stream->hear(), frame({ack()}));
  v1::Decision spoilt = ask("a", 1).decision();
  spoilt.clear_view();
  spoilt.GetReflection()->MutableUnknownFields(&spoilt)->AddLengthDelimited(v1::Decision::kViewFieldNumber, "\x0b");
  v1::ServerMessage message;
  *message.mutable_decision() = spoilt;
  stream->say({message, ask("b", 1)});
  EXPECT_EQ(stream->hear(), frame({act("b", 1, 2)}));
  EXPECT_EQ(played.log.count(
                "decision 1: no answer is sent, the clock decides: the decision's view or actions cannot be read"),
            1);
}

}  // namespace
}  // namespace croupier::testing
