package croupier.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import croupier.Choice;
import croupier.Decision;
import croupier.TrickAndTrade;
import croupier.games.trick_and_trade.v1.TrickAndTrade.TradeCard;
import croupier.v1.Play.PlayRequest;
import croupier.v1.Play.PlayResponse;
import croupier.v1.Play.ServerMessage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class GreedyTest {
  @Test
  void greedyAnswersAsTheVectorsThatTheSdksShareSay() throws Exception {
    Path vectors = Path.of("../vectors");
    List<Decision> asked =
        PlayResponse.parseFrom(Files.readAllBytes(vectors.resolve("greedy-decisions.binpb")))
            .getMessagesList()
            .stream()
            .map(ServerMessage::getDecision)
            .map(message -> Decision.of(null, message))
            .toList();
    List<Choice> wanted =
        PlayRequest.parseFrom(Files.readAllBytes(vectors.resolve("greedy-acts.binpb")))
            .getMessagesList()
            .stream()
            .map(message -> Choice.index(message.getAct().getIndex()))
            .toList();
    assertEquals(wanted, asked.stream().map(new Greedy()::choose).toList());
    assertTrue(wanted.size() > 100);
  }

  @Test
  void aDecisionIsReadAsTheGeneratedCodeReadsIt() throws Exception {
    byte[] frame = Files.readAllBytes(Path.of("../vectors/greedy-decisions.binpb"));
    for (ServerMessage message : PlayResponse.parseFrom(frame).getMessagesList()) {
      var wanted = message.getDecision();
      Decision decision = Decision.of(null, wanted);
      assertEquals(wanted, decision.message());
      assertEquals(wanted.getActionsCount(), decision.count());
      assertEquals(wanted.getDecisionId(), decision.id());
      assertEquals(wanted.getThinkTimeMs(), decision.thinkTime().orElseThrow().toMillis());
    }
  }

  @Test
  void theErrorFunctionIsRightToTheLastDigits() {
    double[][] known = {
      {0, 0}, {0.1, 0.1124629160182849}, {1, 0.8427007929497149}, {3.5, 0.9999992569016276}, {50, 1}
    };
    for (double[] pair : known) {
      assertEquals(pair[1], Greedy.erf(pair[0]), 1e-15);
      assertEquals(-Greedy.erf(pair[0]), Greedy.erf(-pair[0]));
    }
  }

  @Test
  void cardsHaveSuitRankValueNameAndIcons() {
    assertEquals(
        List.of(2, 9, 1),
        List.of(TrickAndTrade.suit(19), TrickAndTrade.rank(19), TrickAndTrade.value(19)));
    assertEquals(
        List.of("Zeus 9", "card 0"), List.of(TrickAndTrade.name(19), TrickAndTrade.name(0)));
    assertEquals(
        "[1, 0, 1, 0]",
        java.util.Arrays.toString(TrickAndTrade.icons(TradeCard.TRADE_CARD_NEV_OCTO)));
    assertEquals(
        "[0, 0, 0, 2]",
        java.util.Arrays.toString(TrickAndTrade.icons(TradeCard.TRADE_CARD_RATCOIN_RATCOIN)));
    assertEquals(
        "[0, 0, 0, 0]", java.util.Arrays.toString(TrickAndTrade.icons(TradeCard.UNRECOGNIZED)));
  }
}
