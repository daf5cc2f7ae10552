// Write a card-playing bot and seat it at a Croupier table.
//
//     class First : public croupier::Bot {
//       croupier::Choice choose(const croupier::Decision&) override { return 0; }
//     };
//
//     int main() {
//       First bot;
//       return croupier::run(bot);
//     }
#pragma once

#include "croupier/bot.hpp"     // IWYU pragma: export
#include "croupier/errors.hpp"  // IWYU pragma: export
#include "croupier/game.hpp"    // IWYU pragma: export
#include "croupier/play.hpp"    // IWYU pragma: export
