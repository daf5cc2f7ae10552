#include "wire.hpp"

#include <limits>

namespace croupier::detail {

bool Fields::next() {
  if (rest_.empty() || !good_) return false;
  std::uint64_t tag = 0;
  good_ = read_varint(tag) && tag >> 3 != 0 && tag <= std::numeric_limits<std::uint32_t>::max();
  if (!good_) return false;
  number = static_cast<int>(tag >> 3);
  kind = static_cast<Kind>(tag & 7);
  std::uint64_t size = 0;
  switch (kind) {
    case Kind::varint:
      good_ = read_varint(varint);
      break;
    case Kind::bytes:
      good_ = read_varint(size) && take(size);
      break;
    case Kind::fixed64:
      good_ = take(8);
      break;
    case Kind::fixed32:
      good_ = take(4);
      break;
    default:  // groups: the contract has none
      good_ = false;
  }
  return good_;
}

bool Fields::read_varint(std::uint64_t& value) {
  value = 0;
  for (std::size_t at = 0; at < rest_.size() && at < 10; ++at) {
    const auto byte = static_cast<unsigned char>(rest_[at]);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << (7 * at);
    if (byte < 0x80) {
      rest_.remove_prefix(at + 1);
      return true;
    }
  }
  return false;
}

bool Fields::take(std::uint64_t size) {
  if (size > rest_.size()) return false;
  bytes = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return true;
}

}  // namespace croupier::detail
