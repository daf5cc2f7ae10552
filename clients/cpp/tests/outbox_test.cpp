// What is waiting goes out in as few frames as the server takes.
#include "outbox.hpp"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "fake_server.hpp"

namespace croupier::testing {
namespace {

using detail::Outbox;

TEST(Outbox, WhatIsAddedWhileAFrameIsWrittenGoesOutTogetherInTheNext) {
  std::promise<void> writing, go_on;
  std::vector<int> frames;
  Outbox outbox([&](const v1::PlayRequest& frame) {
    frames.push_back(frame.messages_size());
    if (frames.size() == 1) {
      writing.set_value();
      go_on.get_future().wait();
    }
    return true;
  });
  outbox.add(pong(1));
  std::jthread writer([&] { outbox.flush(); });
  writing.get_future().wait();
  for (const std::uint64_t nonce : {2U, 3U, 4U}) {
    outbox.add(pong(nonce));
    outbox.flush();  // returns at once: somebody is writing
  }
  go_on.set_value();
  writer.join();
  EXPECT_EQ(frames, (std::vector{1, 3}));
}

TEST(Outbox, AnAckIsSentOnlyIfThereIsNothingElse) {
  std::vector<std::string> frames;
  Outbox outbox([&](const v1::PlayRequest& frame) {
    frames.push_back(text(frame));
    return true;
  });
  outbox.acknowledge();
  outbox.add(pong(1));
  outbox.acknowledge();
  EXPECT_EQ(frames, (std::vector{frame({ack()}), frame({pong(1)})}));
}

TEST(Outbox, NothingIsWrittenAfterALostStreamOrAClose) {
  int written = 0;
  Outbox lost([&](const v1::PlayRequest&) {
    ++written;
    return false;
  });
  lost.acknowledge();
  lost.acknowledge();
  EXPECT_EQ(written, 1);
  Outbox closed([&](const v1::PlayRequest&) {
    ++written;
    return true;
  });
  closed.close();
  closed.acknowledge();
  EXPECT_EQ(written, 1);
}

}  // namespace
}  // namespace croupier::testing
