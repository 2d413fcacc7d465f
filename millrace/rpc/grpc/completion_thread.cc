#include "millrace/rpc/grpc/completion_thread.h"

#include <atomic>
#include <utility>

#include "millrace/base/threads/batch.h"

namespace millrace {

CompletionThreads::CompletionThreads(
    absl::string_view name, int threads,
    std::unique_ptr<grpc::CompletionQueue> queue)
    : queue_(std::move(queue)) {
  threads_.emplace(name, threads, [this] { return Serve(); });
}

CompletionThreads::~CompletionThreads() {
  queue_->Shutdown();
  threads_.reset();
}

bool CompletionThreads::Serve() {
  void* tag;
  bool ok;
  if (!queue_->Next(&tag, &ok)) return false;
  const Batch batch;
  static_cast<CompletionEvent*>(tag)->Receive(ok);
  return true;
}

CompletionThreads& CompletionThreads::OfClients() {
  static constinit Mutex mu;
  static constinit std::atomic<CompletionThreads*> instance{nullptr};
  CompletionThreads* threads = instance.load(std::memory_order_acquire);
  if (threads) return *threads;
  MutexLock lock(mu);
  threads = instance.load(std::memory_order_relaxed);
  if (!threads) {
    threads = new CompletionThreads("grpc-client", 1,
                                    std::make_unique<grpc::CompletionQueue>());
    instance.store(threads, std::memory_order_release);
  }
  return *threads;
}

}  // namespace millrace
