#include "connection.hpp"

#include <array>
#include <bit>
#include <cstdio>
#include <utility>

#include "channel.hpp"
#include "croupier/v1/play.grpc.pb.h"  // for how gRPC is told to write messages, which differs from version to version
#include "text.hpp"

namespace croupier::detail {

namespace {

std::string seconds(Backoff::Duration time) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f s", time.count());
  return text.data();
}

// The call as the generated stub makes it, but for frames: they come as the bytes that they are, and how much of them
// is read is the seats' to say.
using Call = grpc::ClientReaderWriter<v1::PlayRequest, grpc::ByteBuffer>;

std::unique_ptr<Call> begin_play(const std::shared_ptr<grpc::Channel>& channel, grpc::ClientContext& context) {
  using grpc::internal::RpcMethod;
  const RpcMethod method("/croupier.v1.PlayService/Play", RpcMethod::BIDI_STREAMING, channel);
  return std::unique_ptr<Call>(grpc::internal::ClientReaderWriterFactory<v1::PlayRequest, grpc::ByteBuffer>::Create(
      channel.get(), method, &context));
}

// A frame in one piece.
grpc::Slice whole(const grpc::ByteBuffer& frame) {
  grpc::Slice slice;
  if (!frame.TrySingleSlice(&slice).ok()) frame.DumpToSingleSlice(&slice);
  return slice;
}

}  // namespace

Connection::Connection(Connections& all, std::string target, std::string token, bool home)
    : target(std::move(target)), home(home), token(std::move(token)), all_(all) {
  seats_ = std::make_unique<Seats>(all.playing,
                                   Surroundings{.welcomed = [this](const auto& welcome) { welcomed(welcome); },
                                                .moved = [this](const auto& start) { all_.follow(start); },
                                                .over = [this](const auto& session_id) { all_.forget(session_id); }});
}

void Connection::open() {
  thread_ = std::jthread([this] {
    keep();
    seats_.reset();
    done_ = true;
  });
}

void Connection::cancel() {
  const std::scoped_lock lock(calling_);
  cancelled_ = true;
  if (call_ != nullptr) call_->TryCancel();
}

void Connection::join() {
  if (thread_.joinable()) thread_.join();
}

// Play, over as many streams as it takes, until there is nothing left to play here.
void Connection::keep() {
  auto& playing = all_.playing;
  unsigned failures = 0;
  try {
    while (true) {
      const std::string reason = stream();
      {
        const std::scoped_lock lock(playing.table);
        if (playing.stopped()) return;
        if (!wanted()) {
          all_.retire(*this);
          return;
        }
      }
      if (frames_ > 1) failures = 0;  // a greeting alone is no success: the next frame may be what breaks it
      const std::string what = frames_ > 0 ? "lost " : "cannot reach ";
      const auto delay = playing.settings.backoff.delay(failures);
      ++failures;
      // The first try is told of, and the second, fourth, eighth, ...: a server may be away for days.
      const Level level = std::has_single_bit(failures) ? Level::warning : Level::debug;
      playing.log(level, what + target + " (" + reason + "); trying again in " + seconds(delay));
      playing.sleep(delay);
      const std::scoped_lock lock(playing.table);
      if (playing.stopped()) return;
      if (!wanted()) {
        all_.retire(*this);
        return;
      }
    }
  } catch (const std::exception& error) {
    if (home) {
      playing.stop(std::current_exception());
      return;
    }
    {
      const std::scoped_lock lock(playing.table);
      all_.retire(*this);  // before it is told: who hears of it may send the bot there anew
    }
    playing.log(Level::warning, target + " does not let the bot play there: " + error.what());
  }
}

bool Connection::wanted() { return home || !expected.empty() || !seats_->empty(); }

// Play over one stream; return why it ended. Throws Refused and Replaced.
std::string Connection::stream() {
  auto& playing = all_.playing;
  frames_ = 0;
  std::shared_ptr<grpc::Channel> channel;
  try {
    channel = open_channel(target, all_.tls);
  } catch (const BadCertificate& error) {  // it was good when the bot was started: perhaps it is being renewed
    return error.what();
  }
  grpc::ClientContext context;
  {
    const std::scoped_lock lock(playing.table);
    if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
  }
  {
    const std::scoped_lock lock(calling_);
    if (cancelled_) return "stopped";
    call_ = &context;
  }
  const auto call = begin_play(channel, context);
  const auto outbox = std::make_shared<Outbox>([&call](const v1::PlayRequest& frame) { return call->Write(frame); });
  bool unreadable = false;
  if (call->Write(seats_->hello())) {
    seats_->speak_through(outbox);
    grpc::ByteBuffer frame;
    while (call->Read(&frame)) {
      ++frames_;
      const grpc::Slice bytes = whole(frame);
      const bool read = seats_->receive({reinterpret_cast<const char*>(bytes.begin()), bytes.size()});
      const std::scoped_lock lock(playing.table);
      unreadable = !read;
      if (!read || !wanted()) context.TryCancel();
    }
    seats_->speak_through(nullptr);
  }
  outbox->close();
  const grpc::Status status = call->Finish();
  {
    const std::scoped_lock lock(calling_);
    call_ = nullptr;
    if (cancelled_) return "stopped";
  }
  if (unreadable) return "a frame cannot be read";
  if (const auto error = finally(status)) std::rethrow_exception(error);
  return cause_of(status);
}

void Connection::welcomed(const v1::Welcome& welcome) const {
  const std::string name = welcome.bot().empty() ? all_.playing.name : welcome.bot();
  const std::string server = welcome.server().empty() ? "" : " (" + welcome.server() + ")";
  all_.playing.log(Level::info, "connected as " + name + " to " + target + server);
}

// ----------------------------------------------------------------------------------------------------------------
// several

Connections::~Connections() {
  playing.stop();
  // Connections that end meanwhile move from one list to the other, and follow opens no new ones.
  std::list<std::unique_ptr<Connection>> all;
  {
    const std::scoped_lock lock(playing.table);
    all.splice(all.end(), open_);
    all.splice(all.end(), retired_);
  }
  for (const auto& connection : all) connection->cancel();
  for (const auto& connection : all) connection->join();
}

Connection& Connections::open(const std::string& target, const std::string& token, bool home) {
  retired_.remove_if([](const auto& connection) { return connection->done(); });
  auto& connection = *open_.emplace_back(std::make_unique<Connection>(*this, target, token, home));
  connection.open();
  return connection;
}

void Connections::follow(const v1::SessionStart& start) {
  playing.log(Level::info, "session " + start.session_id() + " is hosted by " + start.endpoint());
  forget(start.session_id());
  if (playing.stopped()) return;
  for (const auto& connection : open_) {
    if (connection->target == start.endpoint() && !connection->home) {
      connection->token = start.seat_token();
      connection->expected.insert(start.session_id());
      return;
    }
  }
  open(start.endpoint(), start.seat_token(), false).expected.insert(start.session_id());
}

void Connections::forget(const std::string& session_id) {
  for (const auto& connection : open_) connection->expected.erase(session_id);
}

void Connections::retire(const Connection& connection) {
  for (auto at = open_.begin(); at != open_.end(); ++at) {
    if (at->get() == &connection) {
      retired_.splice(retired_.end(), open_, at);
      return;
    }
  }
}

}  // namespace croupier::detail
