// What the bot has to say, gathered into frames: gRPC costs by the frame, not by the byte.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

#include "croupier/v1/play.pb.h"

namespace croupier::detail {

constexpr int kFrameMessages = 512;

// Filled and flushed by whoever has something to say. Whoever flushes writes all that is waiting; who flushes meanwhile
// leaves it to that one.
class Outbox {
 public:
  // `write` puts a frame on the stream, and is called by one thread at a time; false: the stream is lost.
  explicit Outbox(std::function<bool(const v1::PlayRequest&)> write);

  // Keep frames below what the server reads.
  void limit(std::uint32_t max_frame_bytes);
  // Add a message, which goes out after the next flush or acknowledge.
  void add(v1::ClientMessage message);
  // Send what there is.
  void flush();
  // Send what there is, or an Ack if that is nothing: the server waits for a sign before its next frame.
  void acknowledge();
  // Write nothing more; return when nobody does.
  void close();

 private:
  void write_all(std::unique_lock<std::mutex>& lock);

  std::function<bool(const v1::PlayRequest&)> write_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::deque<v1::PlayRequest> waiting_;  // all but the last are full
  int limit_ = kFrameMessages;
  bool writing_ = false;
  bool closed_ = false;
};

}  // namespace croupier::detail
