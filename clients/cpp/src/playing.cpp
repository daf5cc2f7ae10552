#include "playing.hpp"

#include <utility>

namespace croupier::detail {

void Playing::session_over() {
  if (left_ && (*left_ <= 1 || --*left_ == 0)) stop();
}

void Playing::crashed(const std::string& what) {
  if (settings.on_error == OnError::raise) {
    stop(std::current_exception());
    return;
  }
  try {
    throw;
  } catch (const std::exception& error) {
    log(Level::error, what + ": " + error.what());
  } catch (...) {
    log(Level::error, what + ": something was thrown that is no std::exception");
  }
}

void Playing::stop(std::exception_ptr error) {
  const std::scoped_lock lock(mutex_);
  if (std::exchange(stopped_, true)) return;
  error_ = std::move(error);
  ended_.notify_all();
}

bool Playing::stopped() {
  const std::scoped_lock lock(mutex_);
  return stopped_;
}

void Playing::wait() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return stopped_; });
  if (error_) std::rethrow_exception(error_);
}

void Playing::sleep(Backoff::Duration time) {
  if (settings.backoff.sleep) {
    settings.backoff.sleep(time);
    return;
  }
  std::unique_lock lock(mutex_);
  ended_.wait_for(lock, time, [this] { return stopped_; });
}

}  // namespace croupier::detail
