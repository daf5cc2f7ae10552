// What the SDK itself reads of a decision. Bots get a Decision (bot.hpp).
#pragma once

#include <google/protobuf/arena.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "croupier/v1/play.pb.h"

namespace croupier::detail {

// A decision as it came. To read views and actions costs several times what the rest of the SDK does, and most bots
// look at a part of them: they are read when the bot first asks for them.
class Question {
 public:
  // What is in the bytes; none where they are no message. The whole message, once it is read, lies on the arena. Bytes
  // and arena have to outlive the question.
  static std::optional<Question> read(std::string_view bytes, google::protobuf::Arena& arena);
  // What is in a message, which has to outlive the question.
  explicit Question(const v1::Decision& message);

  std::string_view session_id;
  std::uint32_t seat = 0;
  std::uint32_t decision_id = 0;
  std::uint32_t attempt = 0;
  std::uint64_t seq = 0;
  bool standing = false;
  std::optional<std::uint32_t> think_time_ms;
  std::uint32_t bank_ms = 0;
  std::uint32_t last_charged_ms = 0;
  int actions = 0;  // how many there are

  // All of it. Throws std::runtime_error where view or actions cannot be read.
  [[nodiscard]] const v1::Decision& message() const {
    if (message_ == nullptr) message_ = whole();
    return *message_;
  }

 private:
  Question() = default;
  [[nodiscard]] const v1::Decision* whole() const;

  std::string_view bytes_;
  google::protobuf::Arena* arena_ = nullptr;
  mutable const v1::Decision* message_ = nullptr;
};

}  // namespace croupier::detail
