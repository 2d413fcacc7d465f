#include "millrace/exec/step.h"

#include <atomic>
#include <limits>
#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "millrace/base/clock.h"
#include "millrace/base/denormals.h"
#include "millrace/base/threads/batch.h"
#include "millrace/base/threads/event_threads.h"
#include "millrace/exec/fetched_views.h"
#include "millrace/exec/kernel_call.h"
#include "millrace/exec/local_queue.h"
#include "millrace/exec/node_inputs.h"
#include "millrace/exec/node_recorder.h"
#include "millrace/exec/propagation.h"
#include "millrace/exec/step_failure.h"
#include "millrace/kernel/variable_view.h"

namespace millrace {
namespace {

// A kernel that takes less time runs inline on the thread that made it ready:
// waking another thread takes about as long (5 to 50 us, see dnnl.cc).
constexpr int64_t kInlineCostNanos = 40'000;
// A kernel that takes longer is as a wait to the results that are bound at the
// first one: about the time in which another task asks for them.
constexpr int64_t kLongNanos = 200'000;
// How often a thread checks whether to post the nodes in its queue.
constexpr int kNodesPerLook = 64;
constexpr int64_t kLookNanos = 1'000'000;
// It posts them if there are many, so that other threads share them, if tasks
// wait for a thread of the pool, and if it has been occupied for longer than
// allowed.
constexpr size_t kManyNodes = 64;
// A thread of the pool may be occupied indefinitely, as long as no task waits
// for it; a thread that waits for the step, or that another one has relieved,
// for long; any other thread, which has other work, for a moment.
constexpr int64_t kKeepPoolThread = std::numeric_limits<int64_t>::max();
constexpr int64_t kKeepCallerNanos = 10'000'000;
constexpr int64_t kKeepOtherNanos = 1'000'000;
// The limit on ends of asynchronous kernels nested on one stack.
constexpr int kMaxNested = 16;

// One run. Deletes itself when it completes: `outstanding_` counts the nodes
// that are ready or running, and the thread that decrements it to zero is the
// last to touch this object.
class Step {
 public:
  Step(std::shared_ptr<const Plan> plan, const PlanRun& run, Done done)
      : plan_(std::move(plan)),
        run_(run),
        done_(std::move(done)),
        device_(plan_->device()),
        propagation_(*plan_),
        recorder_(*plan_, run.environment->stats),
        failure_(*run.environment) {
    if (run_.retvals != nullptr &&
        run_.result_views == ResultViews::kBindAtTheFirstWait &&
        plan_->num_retvals() > 0) {
      fetched_.emplace(*run_.retvals, device_.allocator());
    }
  }

  void Start() {
    if (recorder_.keeps_all()) [[unlikely]]
      recorder_.RecordSource();
    ReadyList ready;
    for (int32_t root : plan_->roots()) {
      ready.emplace_back(&plan_->node(root), propagation_.root(), false);
    }
    if (ready.empty()) {
      Complete();
      return;
    }
    outstanding_.store(static_cast<int64_t>(ready.size()),
                       std::memory_order_relaxed);
    const bool may_keep = run_.may_use_caller || EventThreads::HasHandedOver();
    const bool turns = BeginTurn();
    LocalQueue queue;
    if (run_.may_use_caller || plan_->all_cheap()) {
      for (const ReadyNode& r : ready) queue.push_back(r);
    } else {
      Dispatch(ready, queue);
    }
    Process(queue, may_keep ? kKeepCallerNanos : kKeepOtherNanos);
    if (turns) EndTurn();
  }

 private:
  // A run of an asynchronous kernel. The kernel may complete before RunAsync
  // returns, on this thread or another; then the thread that started it
  // continues, so chains of such kernels do not recurse.
  struct AsyncRun {
    AsyncRun(Step* s, const ReadyNode& r)
        : step(s),
          ready(r),
          outputs(r.node->num_outputs),
          context(*r.node->info, s->device_, *s->run_.environment, s->Inputs(r),
                  absl::MakeSpan(outputs)) {}
    Step* step;
    ReadyNode ready;
    absl::InlinedVector<EdgeValue, 2> outputs;
    KernelContext context;
    Status status;
    int64_t start_nanos = 0;
    std::unique_ptr<NodeRecorder::Notes> notes;
    enum : int { kStarted, kReturned, kCompleted };
    std::atomic<int> phase{kStarted};
  };

  absl::Span<EdgeValue> Inputs(const ReadyNode& r) const {
    return {r.iteration->storage.slots.get() + r.node->first_slot,
            static_cast<size_t>(r.node->num_inputs)};
  }

  // A turn is the work of one thread on ready nodes, from when it is posted. A
  // step that watches for its first wait counts them: it waits when the last
  // one ends. The caller of BeginTurn holds an outstanding node or a turn; a
  // turn keeps the step alive. Returns whether turns count.
  bool BeginTurn() {
    if (!fetched_.has_value()) return false;
    outstanding_.fetch_add(1, std::memory_order_relaxed);
    turns_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }

  // Requires that BeginTurn returned true; without that, the step may be gone.
  void EndTurn() {
    if (turns_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      fetched_->Bind().IgnoreError();  // told when all are bound
    }
    if (outstanding_.fetch_sub(1, std::memory_order_acq_rel) == 1) Complete();
  }

  // Runs ready nodes, and those that become ready, on this thread for about
  // `keep_nanos`.
  void Process(LocalQueue& queue, int64_t keep_nanos) {
    const ScopedFlushDenormals flush;  // any thread may call this
    int until_look = kNodesPerLook;
    int64_t began = 0;
    int64_t looked = 0;
    while (!queue.empty()) {
      if (--until_look == 0 || queue.spent_nanos() > kLookNanos) {
        until_look = kNodesPerLook;
        failure_.FailIfCancelled();
        Batch::FlushAll();
        const int64_t now = NowNanos();
        const int64_t spent = queue.TakeSpent();
        if (began == 0) began = looked = now - spent;
        if (now - looked > kLookNanos && !plan_->all_cheap()) {
          looked = now;
          if (queue.size() >= kManyNodes || run_.pool->queued() > 0 ||
              now - began > keep_nanos) {
            PostAll(queue);
            return;
          }
        }
      }
      if (queue.last_is_late()) Post(run_.pool, queue.take_last());
      if (!RunNode(queue.pop_front(), queue)) return;
    }
  }

  // Runs the nodes that the end of an asynchronous kernel made ready, on the
  // thread that ended it. This may be within one of our kernels whose end did
  // the same to others, such as in a chain of sends and receives in one
  // process.
  void GoOn(LocalQueue& queue) {
    static thread_local int nesting = 0;
    if (nesting == kMaxNested) return PostAll(queue);
    ++nesting;
    Process(queue, kKeepOtherNanos);
    --nesting;
  }

  void PostAll(LocalQueue& queue) {
    // The pool may finish the step before the loop ends, but not before its
    // last node is posted; so no member of `this` is used after that.
    TaskQueue* pool = run_.pool;
    const size_t piece = queue.piece_size();
    while (!queue.empty()) {
      const bool turns = BeginTurn();
      pool->Schedule([this, turns, nodes = queue.TakeFront(piece)]() mutable {
        LocalQueue mine = std::move(nodes);
        Process(mine, kKeepPoolThread);
        if (turns) EndTurn();
      });
    }
  }

  void Post(TaskQueue* pool, const ReadyNode& r) {
    const bool turns = BeginTurn();
    pool->Schedule([this, turns, r] {
      LocalQueue queue;
      queue.push_back(r);
      Process(queue, kKeepPoolThread);
      if (turns) EndTurn();
    });
  }

  // Returns false if the step completed (and was deleted).
  bool RunNode(const ReadyNode& r, LocalQueue& queue) {
    const PlanNode& n = *r.node;
    if (failure_.failed()) return Skip(r);
    if (r.is_dead && n.kind != NodeKind::kTransfer &&
        n.kind != NodeKind::kControlTrigger && n.kind != NodeKind::kMerge) {
      return Finish(r, {}, OkStatus(), queue);
    }
    absl::InlinedVector<EdgeValue, 2> outputs;
    switch (n.kind) {
      case NodeKind::kNoOp:
      case NodeKind::kControlTrigger:
        return FinishLight(r, {}, OkStatus(), queue);
      case NodeKind::kConstant:
        outputs.resize(1);
        outputs[0].tensor = plan_->constant(n);
        return FinishLight(r, absl::MakeSpan(outputs), OkStatus(), queue);
      case NodeKind::kArg:
        outputs.resize(1);
        outputs[0].tensor = run_.args[n.arg];
        return FinishLight(r, absl::MakeSpan(outputs),
                           WithNode(CheckArg(n, outputs[0].tensor), n), queue);
      case NodeKind::kRetval: {
        EdgeValue& input = Inputs(r)[0];
        Status status = ViewReference(&input);
        if (status.ok()) {
          const bool is_view = input.tensor.is_view();
          (*run_.retvals)[n.retval] = std::move(input.tensor);
          if (is_view && fetched_.has_value()) fetched_->Add(n.retval);
        }
        return FinishLight(r, {}, WithNode(std::move(status), n), queue);
      }
      case NodeKind::kMerge: {
        outputs.resize(n.num_outputs);
        Status status = MergeInputs(n, Inputs(r), WinnerOf(r), outputs.data());
        return FinishLight(r, absl::MakeSpan(outputs),
                           WithNode(std::move(status), n), queue);
      }
      default:
        return RunKernel(r, queue);
    }
  }

  // Finishes a node that was handled here. Returns false as RunNode does.
  bool FinishLight(const ReadyNode& r, absl::Span<EdgeValue> outputs,
                   Status status, LocalQueue& queue) {
    if (recorder_.keeps_all() && !r.is_dead && status.ok()) [[unlikely]]
      recorder_.RecordLight(*r.node, outputs);
    return Finish(r, outputs, std::move(status), queue);
  }

  // Returns false as RunNode does.
  bool RunKernel(const ReadyNode& r, LocalQueue& queue) {
    const PlanNode& n = *r.node;
    if (!r.is_dead) {
      if (Status s = BindInputs(n, Inputs(r), device_); !s.ok()) {
        return Finish(r, {}, WithNode(std::move(s), n), queue);
      }
    }
    if (n.is_async) return StartAsync(r, queue);
    if (!n.cheap) {
      if (failure_.FailIfCancelled()) return Skip(r);
      // Data that earlier nodes sent must not wait for this one.
      Batch::FlushAll();
      if (fetched_.has_value() && plan_->cost_nanos(n) >= kLongNanos) {
        fetched_->Bind().IgnoreError();
      }
    }
    absl::InlinedVector<EdgeValue, 2> outputs(n.num_outputs);
    const bool timed = !n.cheap || recorder_.is_on();
    const int64_t start = timed ? NowNanos() : 0;
    KernelContext context(*n.info, device_, *run_.environment, Inputs(r),
                          absl::MakeSpan(outputs));
    SetFrame(r, context);
    std::unique_ptr<NodeRecorder::Notes> notes = Note(r, context);
    Status status = CallKernel(*n.kernel, context);
    if (timed) {
      const int64_t end = NowNanos();
      if (!n.cheap) {
        plan_->RecordCost(n, end - start);
        queue.Spend(end - start);
      }
      if (recorder_.is_on())
        recorder_.Record(n, start, end, absl::MakeConstSpan(outputs),
                         std::move(notes));
    }
    return Finish(r, absl::MakeSpan(outputs),
                  WithNode(std::move(status), n, context.failed_node), queue);
  }

  void SetFrame(const ReadyNode& r, KernelContext& context) const {
    context.frame_id = r.iteration->frame->id;
    context.iteration = r.iteration->index;
    context.has_dead_input = r.is_dead;
  }

  // Makes the context note the memory that the kernel takes; returns null if
  // nobody asks for it.
  std::unique_ptr<NodeRecorder::Notes> Note(const ReadyNode& r,
                                            KernelContext& context) const {
    if (!recorder_.keeps_all()) [[likely]]
      return nullptr;
    std::unique_ptr<NodeRecorder::Notes> notes = NodeRecorder::Note(Inputs(r));
    context.allocations = &notes->allocations;
    return notes;
  }

  // Returns the live input of a merge that arrived first, or -1.
  static int32_t WinnerOf(const ReadyNode& r) {
    if (r.is_dead) return -1;
    return r.iteration->storage.winners[r.node->merge].load(
        std::memory_order_acquire);
  }

  bool StartAsync(const ReadyNode& r, LocalQueue& queue) {
    auto* run = new AsyncRun(this, r);
    SetFrame(r, run->context);
    run->notes = Note(r, run->context);
    const bool timed = !r.node->cheap || recorder_.is_on();
    const int64_t start = run->start_nanos = timed ? NowNanos() : 0;
    // No limit of memory, unlike other kernels: this may end other operations,
    // which must not lose what they were given. If it throws, its Done is
    // dropped, unless somebody keeps it.
    Status thrown = CallGuarded(run->context, [&] {
      r.node->kernel->RunAsync(run->context, Done([run](Status status) {
                                 Completed(run, std::move(status));
                               }));
      return OkStatus();
    });
    if (!r.node->cheap) {
      const int64_t nanos = NowNanos() - start;
      plan_->RecordCost(*r.node, nanos);
      queue.Spend(nanos);
    }
    if (run->phase.exchange(AsyncRun::kReturned) == AsyncRun::kCompleted) {
      if (!thrown.ok()) run->status = std::move(thrown);
      return FinishAsync(run, queue);
    }
    return true;
  }

  // The end of an asynchronous kernel.
  static void Completed(AsyncRun* run, Status status) {
    run->status = std::move(status);
    if (run->phase.exchange(AsyncRun::kCompleted) != AsyncRun::kReturned)
      return;
    LocalQueue later;
    Step* const step = run->step;
    const bool turns = step->BeginTurn();
    if (turns) step->fetched_->Bind().IgnoreError();
    if (step->FinishAsync(run, later)) step->GoOn(later);
    if (turns) step->EndTurn();
  }

  bool FinishAsync(AsyncRun* run, LocalQueue& queue) {
    std::unique_ptr<AsyncRun> owned(run);
    const PlanNode& n = *run->ready.node;
    if (recorder_.is_on())
      recorder_.Record(n, run->start_nanos, NowNanos(), run->outputs,
                       std::move(run->notes));
    if (run->status.ok()) run->status = CheckTypes(n, run->outputs);
    return Finish(run->ready, absl::MakeSpan(run->outputs),
                  WithNode(std::move(run->status), n), queue);
  }

  // Handles the end of a node: passes its outputs on. Returns false if the step
  // completed.
  bool Finish(const ReadyNode& r, absl::Span<EdgeValue> outputs, Status status,
              LocalQueue& queue) {
    for (EdgeValue& input : Inputs(r)) input = EdgeValue();
    if (!status.ok()) {
      failure_.Fail(std::move(status));
      return Skip(r);
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      EdgeValue& o = outputs[i];
      if (!o.tensor.valid() && o.ref == nullptr && !o.is_dead) {
        failure_.Fail(
            WithNode(Internal("Missing ", i, "-th output from {{node ",
                              r.node->info->name, "}}"),
                     *r.node));
        return Skip(r);
      }
    }
    if (device_.has_own_memory()) [[unlikely]] {
      if (Status wrong = CheckMemory(*r.node, outputs); !wrong.ok()) {
        failure_.Fail(WithNode(std::move(wrong), *r.node));
        return Skip(r);
      }
    }
    ReadyList ready;
    // A receive of a dead value is dead for its control edges, too: a control
    // edge between devices is sent as a value.
    const bool got_dead = r.node->kind == NodeKind::kTransfer &&
                          !outputs.empty() && outputs[0].is_dead;
    const bool is_dead =
        got_dead || (r.is_dead && r.node->kind != NodeKind::kControlTrigger);
    propagation_.Propagate(r, outputs, is_dead, &ready);
    const auto delta = static_cast<int64_t>(ready.size()) - 1;
    if (delta != 0) {
      if (outstanding_.fetch_add(delta, std::memory_order_acq_rel) + delta ==
          0) {
        Complete();
        return false;
      }
    }
    if (!ready.empty()) Dispatch(ready, queue);
    return true;
  }

  // Skips a node because the step has failed.
  bool Skip(const ReadyNode& r) {
    for (EdgeValue& input : Inputs(r)) input = EdgeValue();
    if (outstanding_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      Complete();
      return false;
    }
    return true;
  }

  // Cheap nodes stay on this thread, and one of the others, after them: waking
  // a thread takes longer than a few cheap nodes. Of asynchronous kernels it is
  // the start that is cheap or not: some copy their inputs before they wait.
  void Dispatch(const ReadyList& ready, LocalQueue& queue) {
    TaskQueue* pool = run_.pool;
    const ReadyNode* kept = nullptr;
    for (const ReadyNode& r : ready) {
      if (r.is_dead || r.node->cheap ||
          plan_->cost_nanos(*r.node) < kInlineCostNanos) {
        queue.push_back(r);
      } else {
        if (kept != nullptr) Post(pool, *kept);
        kept = &r;
      }
    }
    if (kept == nullptr) return;
    if (!queue.has_last() && (run_.may_use_caller || on_pool())) {
      queue.set_last(*kept);
    } else {
      Post(pool, *kept);
    }
  }

  // Expensive nodes never run on a thread of the control pool, nor on a thread
  // that still has to handle events.
  bool on_pool() const {
    auto* pool = dynamic_cast<ThreadPool*>(run_.pool);
    return pool == nullptr || pool->IsPoolThread() ||
           EventThreads::HasHandedOver();
  }

  void Complete() {
    if (!device_.has_own_memory() || !run_.ends_when_idle) [[likely]] {
      return End();
    }
    // The memory that the step was lent is read until then, and errors of its
    // work belong to it.
    device_.WhenIdle(Done([this](Status status) {
      if (!status.ok()) failure_.Fail(std::move(status));
      End();
    }));
  }

  void End() {
    Done done = std::move(done_);
    Status status = failure_.status();
    if (status.ok()) propagation_.GiveBack();
    if (status.ok() && fetched_.has_value()) {
      status = fetched_->Bind();
    } else if (status.ok() && run_.retvals != nullptr &&
               run_.result_views == ResultViews::kBindAtEnd) {
      status = BindAll(absl::MakeSpan(*run_.retvals), device_.allocator());
    }
    delete this;
    std::move(done)(std::move(status));
  }

  const std::shared_ptr<const Plan> plan_;
  const PlanRun run_;
  Done done_;
  Device& device_;
  Propagation propagation_;
  const NodeRecorder recorder_;
  std::atomic<int64_t> outstanding_{0};
  std::atomic<int64_t> turns_{0};
  std::optional<FetchedViews> fetched_;  // set if it watches for a wait
  StepFailure failure_;
};

}  // namespace

void RunPlan(std::shared_ptr<const Plan> plan, const PlanRun& run, Done done) {
  if (static_cast<int>(run.args.size()) < plan->num_args()) {
    std::move(done)(Internal("plan has ", plan->num_args(), " args, got ",
                             run.args.size()));
    return;
  }
  if (run.retvals &&
      static_cast<int>(run.retvals->size()) < plan->num_retvals()) {
    run.retvals->resize(plan->num_retvals());
  }
  (new Step(std::move(plan), run, std::move(done)))->Start();
}

}  // namespace millrace
