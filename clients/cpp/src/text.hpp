// Small helpers for text.
#pragma once

#include <string>
#include <string_view>

namespace croupier::detail {

// The same in lower-case ASCII letters.
std::string lower(std::string_view text);
// Turn a class's name into a bot's name: "RandomBot" is "random-bot", "MyMCTSBot" is "my-mcts-bot".
std::string kebab(std::string_view name);
// Without white space at both ends.
std::string trimmed(std::string_view text);

}  // namespace croupier::detail
