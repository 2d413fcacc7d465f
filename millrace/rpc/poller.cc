#include "millrace/rpc/poller.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <vector>

#include "millrace/base/check.h"
#include "millrace/base/machine.h"

namespace millrace {
namespace {

constexpr int kMaxPollers = 4;
constexpr int kMaxEvents = 64;

}  // namespace

std::string ErrnoText(int error) {
  return std::generic_category().message(error);
}

Poller& Poller::Next() {
  static constinit Mutex mu;
  static constinit std::array<Poller*, kMaxPollers> pollers = {};
  static constinit uint32_t next = 0;
  MutexLock lock(mu);
  const int count = std::clamp(UsableCores() / 2, 1, kMaxPollers);
  Poller*& poller = pollers[next++ % static_cast<uint32_t>(count)];
  if (poller == nullptr) poller = new Poller;
  return *poller;
}

Poller::Poller() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  MR_CHECK(epoll_ >= 0, "epoll_create1: ", ErrnoText(errno));
  thread_ = Thread("sockets", [this] { Loop(); });
}

Status Poller::Add(int fd, uint32_t events, const Ref<PollHandler>& handler) {
  {
    MutexLock lock(mu_);
    handlers_[fd] = handler;
  }
  epoll_event event{.events = events, .data = {.ptr = handler.get()}};
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) == 0) return OkStatus();
  const int error = errno;
  MutexLock lock(mu_);
  handlers_.erase(fd);
  return ResourceExhausted("epoll_ctl: ", ErrnoText(error));
}

void Poller::Modify(int fd, uint32_t events, PollHandler* handler) {
  epoll_event event{.events = events, .data = {.ptr = handler}};
  epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &event);
}

void Poller::Remove(int fd) {
  epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
  Ref<PollHandler> removed;  // destroyed after the lock is released
  MutexLock lock(mu_);
  const auto found = handlers_.find(fd);
  if (found == handlers_.end()) return;
  removed = std::move(found->second);
  handlers_.erase(found);
}

void Poller::Loop() {
  std::array<epoll_event, kMaxEvents> events;
  while (true) {
    const int n = epoll_wait(epoll_, events.data(), kMaxEvents, -1);
    MR_CHECK(n >= 0 || errno == EINTR, "epoll_wait: ", ErrnoText(errno));
    const Batch batch;
    for (int i = 0; i < n; ++i) {
      // The map holds the handler, and only this thread removes it. A
      // descriptor occurs at most once in a batch of events.
      const auto handler = Ref<PollHandler>::Share(
          static_cast<PollHandler*>(events[i].data.ptr));
      handler->OnReady(events[i].events);
    }
  }
}

}  // namespace millrace
