#include "millrace/ops/data/iterator_run.h"

#include <algorithm>
#include <utility>

namespace millrace::ops {

struct IteratorRun::Request {
  uint64_t id = 0;
  NextDone done;
  absl::AnyInvocable<Status(DatasetIterator&)> use;  // instead of an element
  Result result = std::optional<Element>();
  CancelScope* scope = nullptr;
  CancelScope::Token token = 0;
  std::optional<WaitScope> wait;
  std::shared_ptr<PollTask> run;  // keeps the run alive while this waits
};

std::shared_ptr<IteratorRun> IteratorRun::Make(
    std::shared_ptr<IteratorRuntime> runtime, DatasetRef dataset,
    std::unique_ptr<DatasetIterator> iterator) {
  return std::shared_ptr<IteratorRun>(new IteratorRun(
      std::move(runtime), std::move(dataset), std::move(iterator)));
}

IteratorRun::IteratorRun(std::shared_ptr<IteratorRuntime> runtime,
                         DatasetRef dataset,
                         std::unique_ptr<DatasetIterator> iterator)
    : PollTask(runtime->lanes().inter_op),
      runtime_(std::move(runtime)),
      iterator_(std::move(iterator)),
      dataset_(std::move(dataset)) {}

IteratorRun::~IteratorRun() {
  runtime_->scope()->Cancel(Cancelled("The iterator is gone"));
}

void IteratorRun::GetNext(KernelContext& ctx, absl::string_view what,
                          NextDone done) {
  auto request = std::make_unique<Request>();
  request->done = std::move(done);
  Start(ctx, what, std::move(request));
}

DatasetRef IteratorRun::dataset() {
  MutexLock lock(mu_);
  return dataset_;
}

void IteratorRun::RunExclusively(
    KernelContext& ctx, absl::string_view what,
    absl::AnyInvocable<Status(DatasetIterator&)> use, Done done) {
  auto request = std::make_unique<Request>();
  request->use = std::move(use);
  request->done = [done = std::move(done)](
                      StatusOr<std::optional<Element>> result) mutable {
    std::move(done)(result.status());
  };
  Start(ctx, what, std::move(request));
}

void IteratorRun::Start(KernelContext& ctx, absl::string_view what,
                        std::unique_ptr<Request> request) {
  const std::shared_ptr<PollTask> alive = shared_from_this();
  // The step may end as soon as the request is in the list.
  CancelScope* const scope = ctx.step().cancel;
  const std::string name = absl::StrCat(what, ", node ", ctx.node().name,
                                        ", step ", ctx.step().step_id);
  request->scope = scope;
  uint64_t id = 0;
  {
    MutexLock lock(mu_);
    id = request->id = next_id_++;
    if (!closed_) {
      requests_.push_back(std::move(request));
    }
  }
  if (request != nullptr) {
    request->result = Cancelled("the iterator was removed");
    return End(std::move(request));
  }
  WakeInline();
  std::unique_ptr<Request> own;
  Requests finished;
  {
    MutexLock lock(mu_);
    finished.swap(finished_);
    const auto is_own = [id](const std::unique_ptr<Request>& r) {
      return r->id == id;
    };
    if (const auto it = std::find_if(finished.begin(), finished.end(), is_own);
        it != finished.end()) {
      own = std::move(*it);
      finished.erase(it);
    } else if (const auto waits =
                   std::find_if(requests_.begin(), requests_.end(), is_own);
               waits != requests_.end()) {
      if (!Await(**waits, name)) {
        own = std::move(*waits);
        requests_.erase(waits);
      }
    }
  }
  Post(std::move(finished));
  if (own != nullptr) End(std::move(own));
}

// Makes the request wait. Returns false if its step is over already.
bool IteratorRun::Await(Request& request, const std::string& what) {
  CancelScope* const scope = request.scope;
  CancelScope::Registration registered;
  if (scope != nullptr) {
    registered =
        scope->Register([weak = weak_from_this(), id = request.id, scope] {
          if (const auto self = weak.lock()) {
            static_cast<IteratorRun&>(*self).CancelRequest(id, *scope);
          }
        });
  }
  if (!registered.ok()) {
    request.result = registered.status;
    return false;
  }
  request.token = registered.token;
  request.wait.emplace(what);
  request.run = shared_from_this();
  return true;
}

void IteratorRun::CancelRequest(uint64_t id, const CancelScope& scope) {
  std::unique_ptr<Request> found;
  std::shared_ptr<CancelScope> unwanted;
  {
    MutexLock lock(mu_);
    for (auto it = requests_.begin(); it != requests_.end(); ++it) {
      if ((*it)->id != id) continue;
      found = std::move(*it);
      requests_.erase(it);
      break;
    }
    if (found == nullptr) return;
    found->token = 0;  // its callback is running
    found->result = scope.status();
    if (requests_.empty()) unwanted = std::move(demand_);
  }
  if (unwanted != nullptr) unwanted->Cancel(scope.status());
  // The callback of a cancellation must only post.
  Requests ended;
  ended.push_back(std::move(found));
  Post(std::move(ended));
  // This may have been the last request of a retired run.
  Wake();
}

void IteratorRun::End(std::unique_ptr<Request> request) {
  if (request->token != 0) request->scope->Unregister(request->token);
  request->wait.reset();
  std::move(request->done)(std::move(request->result));
}

void IteratorRun::Poll() {
  for (;;) {
    std::shared_ptr<CancelScope> demand;
    bool exclusive = false;
    // Destroyed after the lock is released.
    std::unique_ptr<DatasetIterator> ended;
    DatasetRef ended_dataset;
    {
      MutexLock lock(mu_);
      closed_ |= retired_ && requests_.empty();
      if (closed_) {
        ended = std::move(iterator_);
        ended_dataset = std::move(dataset_);
      } else if (requests_.empty()) {
        return;
      } else if (requests_.front()->use) {
        exclusive = true;
      } else if (early_.has_value()) {
        FinishFront(*std::exchange(early_, std::nullopt));
        continue;
      } else {
        if (demand_ == nullptr) {
          demand_ = std::make_shared<CancelScope>(runtime_->scope().get());
        }
        demand = demand_;
      }
    }
    if (exclusive) {
      if (!UseFront()) return;
      continue;
    }
    if (demand == nullptr) {
      runtime_->scope()->Cancel(Cancelled("The iterator is gone"));
      return;
    }
    PollContext context(*runtime_, shared_from_this(), std::move(demand));
    Element element;
    const StatusOr<Pull> pulled = context.Next(*iterator_, &element);
    pending_ = pulled.ok() && *pulled == Pull::kPending;
    if (pending_) return;
    Result result = std::optional<Element>();
    if (!pulled.ok()) {
      result = pulled.status();
    } else if (*pulled == Pull::kElement) {
      result = std::optional<Element>(std::move(element));
    }
    MutexLock lock(mu_);
    if (requests_.empty() || requests_.front()->use) {
      early_ = std::move(result);
    } else {
      FinishFront(std::move(result));
    }
  }
}

void IteratorRun::FinishFront(Result result) {
  requests_.front()->result = std::move(result);
  finished_.push_back(std::move(requests_.front()));
  requests_.pop_front();
}

bool IteratorRun::UseFront() {
  if (!pending_) {
    PollContext context(*runtime_, shared_from_this(), runtime_->scope());
    if (!context.Settle(*iterator_)) return false;
  }
  MutexLock lock(mu_);
  // The request may have been cancelled meanwhile.
  if (requests_.empty() || !requests_.front()->use) return true;
  Status status;
  if (early_.has_value() || pending_) {
    status = FailedPrecondition(
        "an element is being produced for a call that was cancelled; get it "
        "before the state is saved or restored");
  } else {
    status = requests_.front()->use(*iterator_);
  }
  if (status.ok()) {
    FinishFront(std::optional<Element>());
  } else {
    FinishFront(std::move(status));
  }
  return true;
}

// Start handles what its own poll finishes.
void IteratorRun::AfterPoll(PollPlace place) {
  if (place == PollPlace::kInline) return;
  Requests finished;
  {
    MutexLock lock(mu_);
    finished.swap(finished_);
  }
  if (finished.empty()) return;
  std::unique_ptr<Request> last = std::move(finished.back());
  finished.pop_back();
  Post(std::move(finished));
  End(std::move(last));
}

void IteratorRun::Post(Requests ended) {
  for (std::unique_ptr<Request>& request : ended) {
    runtime_->lanes().inter_op.Schedule(
        [request = std::move(request)]() mutable { End(std::move(request)); });
  }
}

void IteratorRun::Retire() {
  {
    MutexLock lock(mu_);
    retired_ = true;
  }
  Wake();
}

void IteratorRun::Close(const Status& status) {
  Requests ended;
  {
    MutexLock lock(mu_);
    closed_ = true;
    ended.swap(requests_);
  }
  for (std::unique_ptr<Request>& request : ended) request->result = status;
  Post(std::move(ended));
  runtime_->scope()->Cancel(status);
  Wake();
}

}  // namespace millrace::ops
