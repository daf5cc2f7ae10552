#include "text.hpp"

#include <cctype>

namespace croupier::detail {

namespace {
bool is_upper(char letter) { return std::isupper(static_cast<unsigned char>(letter)) != 0; }
bool is_lower(char letter) { return std::islower(static_cast<unsigned char>(letter)) != 0; }
}  // namespace

std::string lower(std::string_view text) {
  std::string result;
  for (const char letter : text) result += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return result;
}

std::string kebab(std::string_view name) {
  std::string result;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const bool after_word = at > 0 && !is_upper(name[at - 1]);
    const bool before_word = at > 0 && at + 1 < name.size() && is_lower(name[at + 1]);
    if (is_upper(name[at]) && (after_word || before_word)) result += '-';
    result += name[at];
  }
  return lower(result);
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

}  // namespace croupier::detail
