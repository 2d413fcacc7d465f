#include "millrace/ops/queue/waiters.h"

#include <utility>

namespace millrace::ops {
namespace {

Status Removed() {
  return Cancelled("The operation was cancelled: its resource was removed");
}

// An operation that consists of an attempt only.
class AttemptOperation final : public WaitingResource::Operation {
 public:
  AttemptOperation(const WaitCaller& by, std::string what,
                   absl::AnyInvocable<bool(Status*)> attempt, Done done,
                   MissingUnits missing)
      : Operation(by),
        what_(std::move(what)),
        attempt_(std::move(attempt)),
        done_(std::move(done)),
        missing_(std::move(missing)) {}

 private:
  WaitingResource::Progress Try() override {
    return attempt_(&status) ? WaitingResource::Progress::kComplete
                             : WaitingResource::Progress::kNone;
  }
  std::string Describe() const override { return what_; }
  const char* unit() const override { return missing_.unit; }
  int64_t Missing(bool is_first) override { return missing_.count(is_first); }
  void Complete() override { std::move(done_)(std::move(status)); }

  std::string what_;
  absl::AnyInvocable<bool(Status*)> attempt_;
  Done done_;
  MissingUnits missing_;
};

}  // namespace

WaitCaller WaitCaller::Of(KernelContext& ctx) {
  return {.cancel = ctx.step().cancel,
          .deadline = ctx.step().deadline,
          .completions = &ctx.device().lanes().inter_op,
          .node = &ctx.node().name,
          .step_id = ctx.step().step_id};
}

WaitingResource::WaitingResource() = default;
WaitingResource::~WaitingResource() = default;

int64_t WaitingResource::waiting() const {
  MutexLock lock(mu_);
  return static_cast<int64_t>(num_waiting(0) + num_waiting(1));
}

const WaitingResource::Operation* WaitingResource::Oldest(int line) const {
  const auto& operations = lines_[line].operations;
  return operations.empty() ? nullptr : operations.begin()->second.get();
}

// ---- Starting and waiting.

void WaitingResource::Start(KernelContext& ctx, std::string what, bool ordered,
                            Try attempt, Done done, MissingUnits missing) {
  auto operation = std::make_unique<AttemptOperation>(
      WaitCaller::Of(ctx), std::move(what), std::move(attempt), std::move(done),
      std::move(missing));
  operation->ordered = ordered;
  Start(std::move(operation));
}

void WaitingResource::Start(std::unique_ptr<Operation> operation) {
  Operation* const own = operation.get();
  const Ref<WaitingResource> alive = Ref<WaitingResource>::Share(this);
  Finished finished;
  {
    MutexLock lock(mu_);
    Line& line = lines_[own->line];
    const uint64_t id = next_id_++;
    line.unordered += !own->ordered;
    line.operations.emplace_hint(line.operations.end(), id,
                                 std::move(operation));
    Serve(&finished);
    const auto place = line.operations.find(id);
    if (place != line.operations.end()) {
      Status waits = Await(id, *own, place == line.operations.begin());
      if (!waits.ok()) {
        Drop(line, place, std::move(waits), &finished);
        Serve(&finished);
      }
    }
  }
  Finish(std::move(finished), own);
}

// Makes the operation wait, or returns why it cannot.
Status WaitingResource::Await(uint64_t id, Operation& operation,
                              bool is_first) {
  // The resource was looked up before it was removed: nobody else will find it
  // again.
  if (removed_) return Removed();
  const WaitCaller& caller = operation.caller;
  if (caller.cancel != nullptr) {
    // The scope never takes our lock while it holds its own.
    CancelScope::Registration registered = caller.cancel->Register(
        [alive = Ref<WaitingResource>::Share(this), line = operation.line, id,
         scope = caller.cancel] { alive->Cancel(line, id, *scope); });
    if (!registered.ok()) return std::move(registered.status);
    operation.token_ = registered.token;
  }
  const char* const unit = operation.unit();
  operation.wait_.emplace(
      absl::StrCat(operation.Describe(), ", node ",
                   caller.node != nullptr ? *caller.node : "", ", step ",
                   caller.step_id),
      unit, unit != nullptr ? operation.Missing(is_first) : 0);
  operation.OnWait();
  return OkStatus();
}

// ---- Serving.

void WaitingResource::StateChanged() {
  Finished finished;
  {
    MutexLock lock(mu_);
    Serve(&finished);
  }
  Finish(std::move(finished), nullptr);
}

void WaitingResource::Serve(Finished* finished) {
  for (bool progress = true; progress;) {
    progress = ServeLine(lines_[0], finished);
    progress |= ServeLine(lines_[1], finished);
  }
}

bool WaitingResource::ServeLine(Line& line, Finished* finished) {
  bool progress = false;
  bool held_up = false;
  for (auto place = line.operations.begin(); place != line.operations.end();) {
    if (held_up && line.unordered == 0) break;
    Operation& operation = *place->second;
    if ((held_up && operation.ordered) ||
        (operation.HasExpired() && !operation.refused())) {
      ++place;
      continue;
    }
    const Progress made = operation.Try();
    progress |= made != Progress::kNone;
    if (made == Progress::kComplete) {
      place = TakeOut(line, place, finished);
      continue;
    }
    if (operation.wait_.has_value() && operation.unit() != nullptr) {
      operation.wait_->set_missing(operation.Missing(!held_up));
    }
    held_up |= operation.ordered;
    ++place;
  }
  return progress;
}

// ---- Ending.

WaitingResource::Place WaitingResource::TakeOut(Line& line, Place place,
                                                Finished* finished) {
  line.unordered -= !place->second->ordered;
  finished->push_back(std::move(place->second));
  return line.operations.erase(place);
}

void WaitingResource::Drop(Line& line, Place place, Status status,
                           Finished* finished) {
  place->second->Drop(std::move(status));
  TakeOut(line, place, finished);
}

void WaitingResource::DropAll(int line, const Status& status,
                              Finished* finished) {
  Line& all = lines_[line];
  while (!all.operations.empty()) {
    Drop(all, all.operations.begin(), status, finished);
  }
}

void WaitingResource::OnRemoved() {
  Finished finished;
  {
    MutexLock lock(mu_);
    removed_ = true;
    DropAll(0, Removed(), &finished);
    DropAll(1, Removed(), &finished);
  }
  Finish(std::move(finished), nullptr);
}

void WaitingResource::Cancel(int line, uint64_t id, const CancelScope& scope) {
  Finished finished;
  {
    MutexLock lock(mu_);
    const auto place = lines_[line].operations.find(id);
    if (place == lines_[line].operations.end()) return;
    place->second->token_ = 0;  // its callback is running
    Drop(lines_[line], place, scope.status(), &finished);
    Serve(&finished);
  }
  Finish(std::move(finished), nullptr);
}

void WaitingResource::Finish(Finished finished, const Operation* own) {
  std::unique_ptr<Operation> mine;
  for (std::unique_ptr<Operation>& operation : finished) {
    // The operation is out of its line, so a callback that runs finds nothing.
    if (operation->token_ != 0) {
      operation->caller.cancel->Unregister(operation->token_);
    }
    operation->wait_.reset();
    if (operation.get() == own) {
      mine = std::move(operation);
      continue;
    }
    TaskQueue* const completions = operation->caller.completions;
    if (completions == nullptr) {
      operation->Complete();
      continue;
    }
    completions->Schedule(
        [alive = Ref<WaitingResource>::Share(this),
         operation = std::move(operation)] { operation->Complete(); });
  }
  if (mine) mine->Complete();
}

}  // namespace millrace::ops
