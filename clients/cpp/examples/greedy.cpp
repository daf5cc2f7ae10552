#include "greedy.hpp"

int main() {
  greedy::Greedy bot;
  return croupier::run(bot);
}
