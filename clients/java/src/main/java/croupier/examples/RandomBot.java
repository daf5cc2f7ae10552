package croupier.examples;

import croupier.Bot;
import croupier.Choice;
import croupier.Croupier;
import croupier.Decision;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The bot that every other one should beat: it takes any legal action, each as likely as the
 * others.
 */
public final class RandomBot extends Bot {
  @Override
  public Choice choose(Decision decision) {
    return Choice.index(ThreadLocalRandom.current().nextInt(decision.count()));
  }

  public static void main(String[] args) {
    Croupier.main(new RandomBot(), args);
  }
}
