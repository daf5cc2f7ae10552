// Protobuf's wire format, read without making messages of it.
#pragma once

#include <cstdint>
#include <string_view>

namespace croupier::detail {

// The fields of a message, one after the other. A test holds it to the generated code.
//
//     for (Fields fields(bytes); fields.next();) { ... fields.number ... }
class Fields {
 public:
  enum class Kind { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

  explicit Fields(std::string_view message) : rest_(message) {}

  // Go to the next field; false: there is none, or the rest cannot be read (see good).
  bool next();
  // Whether all has been read so far.
  [[nodiscard]] bool good() const { return good_; }
  // Whether the field has this number and kind.
  [[nodiscard]] bool is(int wanted, Kind kind) const { return number == wanted && this->kind == kind; }

  int number = 0;
  Kind kind = Kind::varint;
  std::uint64_t varint = 0;  // its value, where that is its kind
  std::string_view bytes;    // likewise

 private:
  bool read_varint(std::uint64_t& value);
  bool take(std::uint64_t size);

  std::string_view rest_;
  bool good_ = true;
};

}  // namespace croupier::detail
