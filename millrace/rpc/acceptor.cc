#include "millrace/rpc/acceptor.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "millrace/base/clock.h"
#include "millrace/base/log.h"
#include "millrace/base/threads/lanes.h"

namespace millrace {
namespace {

constexpr int64_t kPauseMs = 100;
constexpr int64_t kWarnNanos = 10'000'000'000;

}  // namespace

Acceptor::Acceptor(int fd, Welcome welcome)
    : fd_(fd), welcome_(std::move(welcome)), poller_(Poller::Next()) {}

Acceptor::~Acceptor() { close(fd_); }

Status Acceptor::Start() {
  return poller_.Add(fd_, EPOLLIN, Ref<PollHandler>::Share(this));
}

void Acceptor::Close() {
  closed_.store(true, std::memory_order_release);
  // The poller then removes this.
  shutdown(fd_, SHUT_RDWR);
  poller_.Modify(fd_, EPOLLIN, this);
}

void Acceptor::OnReady(uint32_t) {
  while (!closed_.load(std::memory_order_acquire)) {
    const int fd = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) {
      welcome_(fd);
      continue;
    }
    switch (errno) {
      case EINTR:
      case ECONNABORTED:
      case EPROTO:
        continue;
      case EAGAIN:
        return;
      default:
        break;
    }
    if (closed_.load(std::memory_order_acquire)) break;
    Pause();
    return;
  }
  poller_.Remove(fd_);
}

// No descriptors are left, or no memory for sockets.
void Acceptor::Pause() {
  const int error = errno;
  if (const int64_t now = NowNanos(); now >= warn_nanos_) {
    MR_LOG(Warning) << "Connections have to wait: " << ErrnoText(error);
    warn_nanos_ = now + kWarnNanos;
  }
  poller_.Modify(fd_, 0, this);
  Lanes::Process().timer.RunAt(
      Deadline::AfterMillis(kPauseMs), [self = Ref<Acceptor>::Share(this)] {
        self->poller_.Modify(self->fd_, EPOLLIN, self.get());
      });
}

}  // namespace millrace
