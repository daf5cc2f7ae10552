/** The bot that every other one should beat: it takes any legal action, each as likely as the others. */

import { Bot, type Decision, main } from "../src/index.js";

class RandomBot extends Bot {
  choose(decision: Decision): number {
    return Math.floor(Math.random() * decision.count);
  }
}

await main(new RandomBot());
