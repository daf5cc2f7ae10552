#include "croupier/question.hpp"

#include <google/protobuf/arena.h>

#include <stdexcept>

#include "wire.hpp"

namespace croupier::detail {

std::optional<Question> Question::read(std::string_view bytes, google::protobuf::Arena& arena) {
  using Message = v1::Decision;
  Question question;
  question.bytes_ = bytes;
  question.arena_ = &arena;
  Fields fields(bytes);
  while (fields.next()) {
    const auto number = static_cast<std::uint32_t>(fields.varint);
    if (fields.is(Message::kActionsFieldNumber, Fields::Kind::bytes)) {
      ++question.actions;
    } else if (fields.is(Message::kSessionIdFieldNumber, Fields::Kind::bytes)) {
      question.session_id = fields.bytes;
    } else if (fields.is(Message::kSeatFieldNumber, Fields::Kind::varint)) {
      question.seat = number;
    } else if (fields.is(Message::kDecisionIdFieldNumber, Fields::Kind::varint)) {
      question.decision_id = number;
    } else if (fields.is(Message::kAttemptFieldNumber, Fields::Kind::varint)) {
      question.attempt = number;
    } else if (fields.is(Message::kSeqFieldNumber, Fields::Kind::varint)) {
      question.seq = fields.varint;
    } else if (fields.is(Message::kStandingFieldNumber, Fields::Kind::varint)) {
      question.standing = fields.varint != 0;
    } else if (fields.is(Message::kThinkTimeMsFieldNumber, Fields::Kind::varint)) {
      question.think_time_ms = number;
    } else if (fields.is(Message::kBankMsFieldNumber, Fields::Kind::varint)) {
      question.bank_ms = number;
    } else if (fields.is(Message::kLastChargedMsFieldNumber, Fields::Kind::varint)) {
      question.last_charged_ms = number;
    }
  }
  return fields.good() ? std::optional(question) : std::nullopt;
}

Question::Question(const v1::Decision& message)
    : session_id(message.session_id()),
      seat(message.seat()),
      decision_id(message.decision_id()),
      attempt(message.attempt()),
      seq(message.seq()),
      standing(message.standing()),
      think_time_ms(message.has_think_time_ms() ? std::optional(message.think_time_ms()) : std::nullopt),
      bank_ms(message.bank_ms()),
      last_charged_ms(message.last_charged_ms()),
      actions(message.actions_size()),
      message_(&message) {}

const v1::Decision* Question::whole() const {
  auto* message = google::protobuf::Arena::CreateMessage<v1::Decision>(arena_);
  if (!message->ParseFromArray(bytes_.data(), static_cast<int>(bytes_.size()))) {
    throw std::runtime_error("the decision's view or actions cannot be read");
  }
  return message;
}

}  // namespace croupier::detail
