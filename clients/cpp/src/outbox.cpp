#include "outbox.hpp"

#include <algorithm>
#include <utility>

namespace croupier::detail {

namespace {
constexpr std::uint32_t kBytesPerMessage = 512;  // more than an act takes: 512 of them stay below a server's 256 KiB
}

Outbox::Outbox(std::function<bool(const v1::PlayRequest&)> write) : write_(std::move(write)) {}

void Outbox::limit(std::uint32_t max_frame_bytes) {
  if (max_frame_bytes == 0) return;
  const std::scoped_lock lock(mutex_);
  limit_ = std::clamp(static_cast<int>(std::min<std::uint32_t>(max_frame_bytes / kBytesPerMessage, kFrameMessages)), 1,
                      kFrameMessages);
}

void Outbox::add(v1::ClientMessage message) {
  const std::scoped_lock lock(mutex_);
  if (waiting_.empty() || waiting_.back().messages_size() >= limit_) waiting_.emplace_back();
  *waiting_.back().add_messages() = std::move(message);
}

void Outbox::flush() {
  std::unique_lock lock(mutex_);
  write_all(lock);
}

void Outbox::acknowledge() {
  std::unique_lock lock(mutex_);
  if (waiting_.empty()) waiting_.emplace_back().add_messages()->mutable_ack();
  write_all(lock);
}

void Outbox::write_all(std::unique_lock<std::mutex>& lock) {
  if (writing_) return;  // that one goes on until nothing is left
  writing_ = true;
  while (!closed_ && !waiting_.empty()) {
    const v1::PlayRequest frame = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    const bool written = write_(frame);
    lock.lock();
    closed_ = closed_ || !written;
  }
  writing_ = false;
  idle_.notify_all();
}

void Outbox::close() {
  std::unique_lock lock(mutex_);
  closed_ = true;
  idle_.wait(lock, [this] { return !writing_; });
}

}  // namespace croupier::detail
