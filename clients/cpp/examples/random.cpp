// The bot that every other one should beat: it plays any game, and takes any legal action.
#include <croupier/croupier.hpp>
#include <random>

class RandomBot : public croupier::Bot {
 public:
  croupier::Choice choose(const croupier::Decision& decision) override {
    return std::uniform_int_distribution(0, decision.count() - 1)(dice_);
  }

 private:
  std::minstd_rand dice_{std::random_device{}()};
};

int main() {
  RandomBot bot;
  return croupier::run(bot);
}
