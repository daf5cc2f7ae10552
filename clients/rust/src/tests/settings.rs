//! Settings, names, and how long is waited.

use std::time::Duration;

use crate::{
    Backoff, Certificates, Error, Settings, Tls,
    settings::{Resolved, kebab},
    trick_and_trade::{Card, SUITS, Suit, TradeCard, icons, multipliers, name, rank, suit, value},
};

fn environment(name: &str) -> Option<String> {
    let value = match name {
        "CROUPIER_TARGET" => "cards.example.org:1",
        "CROUPIER_NAME" => "supervised",
        "CROUPIER_TOKEN" => "secret",
        "CROUPIER_TLS" => "",
        _ => return None,
    };
    Some(value.to_owned())
}

#[test]
fn what_is_not_said_is_in_the_environment_or_has_a_default() {
    let given = |target: &str, name: &str, token: Option<&str>| Resolved {
        target: target.to_owned(),
        name: name.to_owned(),
        token: token.map(str::to_owned),
        tls: Tls::Off,
    };
    let resolve = |settings: Settings| settings.resolve("my::RandomBot", environment).expect("good settings");
    assert_eq!(resolve(Settings::new()), given("cards.example.org:1", "supervised", Some("secret")));
    let said = Settings::new().target("here:2").name("me").token("mine");
    assert_eq!(resolve(said), given("here:2", "me", Some("mine")));
    let bare = Settings::new().resolve("my::RandomBot", |_| None).expect("good settings");
    assert_eq!(bare, given("localhost:7700", "random-bot", None));
}

#[test]
fn a_type_gives_its_bot_a_name() {
    let names =
        [("a::RandomBot", "random-bot"), ("Greedy2", "greedy2"), ("b::MyMCTSBot", "my-mcts-bot"), ("T<a::B>", "t")];
    for (of_type, of_bot) in names {
        assert_eq!(kebab(of_type), of_bot);
    }
}

#[test]
fn bad_settings_are_named_before_connecting() {
    for name in ["Bot", "a b", "house:x", &"x".repeat(65)] {
        let Err(Error::BadSetting(said)) = Settings::new().name(name).resolve("Bot", |_| None) else {
            panic!("{name}")
        };
        assert_eq!(said, format!("{name:?} is no name for a bot: it takes 1 to 64 characters a-z 0-9 - _ ."));
    }
    for target in ["localhost", "http://localhost:1", "local host:1", "localhost:port"] {
        let settings = Settings::new().target(target);
        let Err(Error::BadSetting(said)) = settings.resolve("Bot", |_| None) else { panic!("{target}") };
        assert_eq!(said, format!("target {target:?} is no address: it takes \"host:port\""));
    }
    let settings = Settings::new().token("two\nlines");
    let Err(Error::BadSetting(said)) = settings.resolve("Bot", |_| None) else { panic!("a bad token") };
    assert!(said.starts_with("token: "));
}

#[test]
fn the_environment_can_ask_for_tls() {
    let tls = |variable: &'static str, value: &'static str| {
        Tls::from_environment(move |name| (name == variable).then(|| value.to_owned()))
    };
    assert_eq!(tls("CROUPIER_TLS", "1"), Tls::On);
    assert_eq!(tls("CROUPIER_TLS", "Yes"), Tls::On);
    assert_eq!(tls("CROUPIER_TLS", "0"), Tls::Off);
    let files = Certificates { ca: Some("ca.pem".into()), ..Default::default() };
    assert_eq!(tls("CROUPIER_TLS_CA", "ca.pem"), Tls::Files(files));
}

#[test]
fn backoff_doubles_up_to_its_cap_and_jitter_is_over_the_whole_range() {
    let calm = Backoff { random: || 1.0, ..Default::default() };
    let waits = [0, 1, 2, 9, u32::MAX].map(|failures| calm.delay(failures).as_millis());
    assert_eq!(waits, [100, 200, 400, 10_000, 10_000]);
    let eager = Backoff { random: || 0.0, ..Default::default() };
    assert_eq!(eager.delay(9), Duration::ZERO);
    assert!((0..100).all(|_| Backoff::default().delay(0) <= Duration::from_millis(100)));
}

#[test]
fn every_card_knows_suit_rank_value_and_name() {
    for number in 1..=40 {
        let card = Card::try_from(number).expect("there are forty");
        let (_, words) = card.as_str_name().split_once('_').expect("CARD_...");
        let (of_suit, of_rank) = words.split_once('_').expect("SUIT_RANK");
        let place = i32::try_from(suit(card)).expect("there are four") + 1;
        assert_eq!(Suit::try_from(place).map(|suit| suit.as_str_name()), Ok(format!("SUIT_{of_suit}").as_str()));
        assert_eq!(rank(card).to_string(), of_rank);
        assert_eq!(value(card), 10 - rank(card));
        assert_eq!(name(card).to_uppercase(), format!("{of_suit} {of_rank}"));
    }
}

#[test]
fn every_trade_card_knows_its_icons() {
    for number in 0..=14 {
        let card = TradeCard::try_from(number).expect("there are fourteen");
        let words: Vec<&str> = card.as_str_name().trim_start_matches("TRADE_CARD_").split('_').collect();
        let counts = SUITS.map(|suit| words.iter().filter(|word| **word == suit.to_uppercase()).count());
        assert_eq!(icons(card).map(|icons| icons as usize), counts);
    }
}

#[test]
fn multipliers_go_by_how_many_suits_stand_higher() {
    let table = [
        ([5, 4, 3, 1], [3, 2, 1, -1]),
        ([5, 4, 4, 1], [3, 2, 2, -1]),
        ([5, 5, 2, 2], [3, 3, 1, 1]),
        ([7, 0, 0, 0], [3, 2, 2, 2]),
        ([2, 2, 2, 2], [3, 3, 3, 3]),
    ];
    for (values, pay) in table {
        assert_eq!(multipliers(values), pay);
    }
}
