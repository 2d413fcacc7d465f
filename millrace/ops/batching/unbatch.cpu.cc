#include <memory>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/batching/rows.h"
#include "millrace/ops/queue/waiters.h"

namespace millrace::ops {
namespace {

// The rows of one run in a batch.
struct RunRows {
  int64_t id = 0;
  int64_t begin = 0;
  int64_t end = 0;
};

// Returns the rows of a table as Batch makes it: three numbers each.
StatusOr<std::vector<RunRows>> TableOf(const Tensor& table) {
  std::vector<RunRows> runs;
  const int64_t rows = table.rank() == 0 ? 0 : table.dim(0);
  if (table.num_elements() / 3 != rows || table.num_elements() % 3 != 0) {
    return InvalidArgument("batch_index should contain ", 3 * rows,
                           " elements. Received ", table.num_elements());
  }
  const auto cells = table.flat<int64_t>();
  for (size_t i = 0; i < cells.size(); i += 3)
    runs.push_back({cells[i], cells[i + 1], cells[i + 2]});
  return runs;
}

// Where the resource of a node is.
struct BatchPlace {
  static StatusOr<BatchPlace> From(const KernelInit& init) {
    BatchPlace place;
    MR_ASSIGN_OR_RETURN(place.container, init.Attr<std::string>("container"));
    MR_ASSIGN_OR_RETURN(place.name, init.Attr<std::string>("shared_name"));
    if (place.name.empty()) place.name = init.node().name;
    return place;
  }
  template <class T>
  StatusOr<Ref<T>> Find(KernelContext& ctx) const {
    return ctx.resources().LookupOrCreate<T>(
        container, name, []() -> StatusOr<Ref<T>> { return MakeRef<T>(); });
  }
  std::string container, name;
};

// Rows of batches that wait for their runs, and runs that wait for their rows.
class PendingRows final : public WaitingResource {
 public:
  static constexpr absl::string_view kTypeName = "UnbatchResource";
  using Pieces = std::vector<std::pair<int64_t, Tensor>>;

  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override {
    MutexLock lock(mu_);
    return absl::StrCat("rows of ", rows_.size(), " runs");
  }

  // Adds the rows of a batch, then waits for those of run `id`. Only its own
  // rows may be a view.
  void Take(KernelContext& ctx, int64_t id, Pieces pieces, int64_t timeout_ms,
            Done done) {
    const Deadline deadline = Deadline::AfterMillis(timeout_ms);
    Status status;
    bool arrived = false;
    {
      MutexLock lock(mu_);
      status = Begin(id, std::move(pieces), deadline);
      const auto own = rows_.find(id);
      if (status.ok() && own != rows_.end()) {
        ctx.set_output(0, std::move(own->second.tensor));
        rows_.erase(own);
        runs_.erase(id);
        arrived = true;
      }
    }
    if (!status.ok()) return std::move(done)(std::move(status));
    StateChanged();
    if (arrived) return std::move(done)(OkStatus());
    const Ref<PendingRows> self = Ref<PendingRows>::Share(this);
    Lanes& lanes = ctx.device().lanes();
    const Timer::Id timer =
        lanes.timer.RunAt(deadline, [self, &lanes]() mutable {
          lanes.control.Schedule(
              [self = std::move(self)] { self->StateChanged(); });
        });
    Start(
        ctx, "unbatch", /*ordered=*/false,
        [this, &ctx, id, deadline](Status* result) {
          const auto found = rows_.find(id);
          if (found != rows_.end()) {
            ctx.set_output(0, std::move(found->second.tensor));
            rows_.erase(found);
            return true;
          }
          if (!deadline.expired()) return false;
          *result = DeadlineExceeded(
              "Batched data did not arrive within timeout window.");
          return true;
        },
        Done([self, id, timer, &lanes,
              done = std::move(done)](Status result) mutable {
          lanes.timer.Cancel(timer);
          self->EndRun(id);
          std::move(done)(std::move(result));
        }));
  }

 private:
  struct Rows {
    Tensor tensor;
    Deadline deadline;
  };

  // Requires mu_.
  Status Begin(int64_t id, Pieces pieces, Deadline deadline) {
    // Runs that were too late do not come any more.
    for (auto it = rows_.begin(); it != rows_.end();) {
      it = it->second.deadline.expired() ? rows_.erase(it) : std::next(it);
    }
    for (const auto& [key, tensor] : pieces) {
      if (rows_.contains(key)) {
        return AlreadyExists("Multiple tensors returned for same batch key.");
      }
    }
    if (!runs_.insert(id).second) {
      return AlreadyExists("Multiple session runs with the same batch key.");
    }
    for (auto& [key, tensor] : pieces)
      rows_.try_emplace(key, Rows{std::move(tensor), deadline});
    return OkStatus();
  }
  void EndRun(int64_t id) {
    MutexLock lock(mu_);
    runs_.erase(id);
  }

  absl::btree_map<int64_t, Rows> rows_;  // by run; guarded by mu_
  absl::btree_set<int64_t> runs_;        // that wait; guarded by mu_
};

// As in stock, tensors of quantized types are neither cut nor joined.
Status CheckType(const Tensor& t) {
  if (!IsQuantized(t.dtype())) return OkStatus();
  return InvalidArgument("Unsupported data type: ",
                         static_cast<int>(t.dtype()));
}

class UnbatchKernel {
 public:
  static StatusOr<UnbatchKernel> Make(const KernelInit& init) {
    UnbatchKernel k;
    MR_ASSIGN_OR_RETURN(k.place_, BatchPlace::From(init));
    MR_ASSIGN_OR_RETURN(const auto micros,
                        init.Attr<int32_t>("timeout_micros"));
    k.timeout_ms_ = micros <= 0 ? 0 : micros / 1000 + (micros % 1000 > 0);
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const Tensor& id = ctx.input(2);
    if (id.rank() != 0) {
      return std::move(done)(InvalidArgument(
          "Input id should be scalar; Got: ", id.DebugString(), "."));
    }
    const auto own = id.scalar<int64_t>();
    StatusOr<PendingRows::Pieces> pieces = Cut(ctx, own);
    if (!pieces.ok()) return std::move(done)(pieces.status());
    const StatusOr<Ref<PendingRows>> rows = place_.Find<PendingRows>(ctx);
    if (!rows.ok()) return std::move(done)(rows.status());
    (*rows)->Take(ctx, own, *std::move(pieces), timeout_ms_, std::move(done));
  }

 private:
  // Requires three columns, and no more rows than the batch has.
  static Status CheckTable(const Tensor& table, int64_t rows) {
    if (table.rank() > 0 && table.dim(0) > rows) {
      return InvalidArgument(
          "Wrong shape for index tensor. Expected 0th dimension size to be no "
          "greater than ",
          rows, "; Got: ", table.dim(0), ".");
    }
    if (table.rank() == 2 && table.dim(1) == 3) return OkStatus();
    return InvalidArgument(
        "Wrong shape for index tensor. Expected 1st dimension size to be 3 ; "
        "Got: ",
        table.shape().DebugString(), ".");
  }
  // Requires the runs to have rows of the batch, and no more than it has.
  static Status CheckRuns(absl::Span<const RunRows> runs, int64_t rows) {
    int64_t sum = 0;
    for (const RunRows& run : runs) {
      const bool inside =
          run.begin >= 0 && run.end >= run.begin && run.end <= rows;
      if (inside) sum += run.end - run.begin;
      if (inside && sum <= rows) continue;
      return InvalidArgument(
          "Sum of split sizes must not exceed dim0-size of input tensor: "
          "batch_index has rows [",
          run.begin, ", ", run.end, ") of a tensor of ", rows);
    }
    return OkStatus();
  }

  // Returns the rows of each run. Those of run `own` share the batch's buffer
  // where stock's do, others are copies.
  static StatusOr<PendingRows::Pieces> Cut(KernelContext& ctx, int64_t own) {
    const Tensor& batch = ctx.input(0);
    if (batch.rank() == 0) {
      return InvalidArgument(
          "Input batched_tensor should have at least one dimension");
    }
    MR_RETURN_IF_ERROR(CheckType(batch));
    MR_RETURN_IF_ERROR(CheckTable(ctx.input(1), batch.dim(0)));
    MR_ASSIGN_OR_RETURN(const std::vector<RunRows> runs, TableOf(ctx.input(1)));
    MR_RETURN_IF_ERROR(CheckRuns(runs, batch.dim(0)));
    PendingRows::Pieces pieces;
    absl::btree_set<int64_t> ids;
    bool shared = false;
    for (const RunRows& run : runs) {
      if (!ids.insert(run.id).second)
        return AlreadyExists("Multiple tensors returned for same batch key.");
      Tensor piece;
      if (run.id == own) shared = Share(batch, run, &piece);
      pieces.emplace_back(run.id, std::move(piece));
    }
    for (size_t i = 0; i < runs.size(); ++i) {
      if (shared && runs[i].id == own) continue;
      MR_RETURN_IF_ERROR(ctx.BindInput(0));
      MR_ASSIGN_OR_RETURN(
          pieces[i].second,
          CutRows(ctx.input(0), runs[i].begin, runs[i].end, ctx.allocator()));
    }
    return pieces;
  }
  static bool Share(const Tensor& batch, const RunRows& run, Tensor* piece) {
    if (run.begin == run.end) return false;
    if (run.end - run.begin == batch.dim(0)) {
      *piece = batch;
      return true;
    }
    return ShareRows(batch, run.begin, run.end, piece);
  }

  BatchPlace place_;
  int64_t timeout_ms_ = 0;
};

// Gradients of runs that wait for the run that has their batch.
class PendingGradients final : public WaitingResource {
 public:
  static constexpr absl::string_view kTypeName = "UnbatchGradResource";

  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override {
    MutexLock lock(mu_);
    return absl::StrCat("gradients of ", gradients_.size(), " runs");
  }

  Status Add(int64_t id, const Tensor& gradient) {
    {
      MutexLock lock(mu_);
      if (!gradients_.try_emplace(id, gradient).second)
        return InvalidArgument("Two runs with the same batch key.");
    }
    StateChanged();
    return OkStatus();
  }

  // Waits for the gradients of `runs`, and joins them.
  void Join(KernelContext& ctx, std::vector<RunRows> runs, Done done) {
    auto parts = std::make_shared<std::vector<Tensor>>();
    Start(
        ctx, "gradient of unbatch", /*ordered=*/false,
        [this, runs = std::move(runs), parts](Status*) {
          for (const RunRows& run : runs) {
            if (!gradients_.contains(run.id)) return false;
          }
          for (const RunRows& run : runs) {
            const auto it = gradients_.find(run.id);
            if (it == gradients_.end()) continue;  // named twice
            parts->push_back(std::move(it->second));
            gradients_.erase(it);
          }
          return true;
        },
        Done([&ctx, parts, done = std::move(done)](Status status) mutable {
          if (status.ok()) {
            StatusOr<Tensor> joined = JoinRows(*parts, 0, ctx.allocator());
            status = joined.status();
            if (joined.ok()) ctx.set_output(0, *std::move(joined));
          }
          std::move(done)(std::move(status));
        }));
  }

 private:
  absl::btree_map<int64_t, Tensor> gradients_;  // by run; guarded by mu_
};

class UnbatchGradKernel {
 public:
  static StatusOr<UnbatchGradKernel> Make(const KernelInit& init) {
    UnbatchGradKernel k;
    MR_ASSIGN_OR_RETURN(k.place_, BatchPlace::From(init));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    StatusOr<std::vector<RunRows>> runs = Begin(ctx);
    if (!runs.ok()) return std::move(done)(runs.status());
    if (runs->empty()) {
      StatusOr<Tensor> nothing = CutRows(ctx.input(2), 0, 0, ctx.allocator());
      if (nothing.ok()) ctx.set_output(0, *std::move(nothing));
      return std::move(done)(nothing.status());
    }
    const StatusOr<Ref<PendingGradients>> pending =
        place_.Find<PendingGradients>(ctx);
    if (!pending.ok()) return std::move(done)(pending.status());
    (*pending)->Join(ctx, *std::move(runs), std::move(done));
  }

 private:
  // Hands in the run's own gradient. Returns the runs of its batch, none if
  // another run has it.
  StatusOr<std::vector<RunRows>> Begin(KernelContext& ctx) const {
    const Tensor& id = ctx.input(3);
    if (id.rank() != 0) {
      return InvalidArgument("Expected `id` to be scalar. Received ",
                             id.DebugString());
    }
    if (ctx.input(2).rank() == 0) {
      return InvalidArgument("Expected `grad` to have at least one dimension");
    }
    MR_ASSIGN_OR_RETURN(std::vector<RunRows> runs, TableOf(ctx.input(1)));
    if (ctx.input(0).num_elements() == 0) {
      runs.clear();
    } else if (runs.empty()) {
      return InvalidArgument("batch_index is empty while the tensor isn't.");
    }
    if (!runs.empty()) MR_RETURN_IF_ERROR(CheckType(ctx.input(2)));
    MR_ASSIGN_OR_RETURN(const Ref<PendingGradients> pending,
                        place_.Find<PendingGradients>(ctx));
    MR_RETURN_IF_ERROR(pending->Add(id.scalar<int64_t>(), ctx.input(2)));
    return runs;
  }

  BatchPlace place_;
};

}  // namespace

MR_KERNELS(Unbatch,
           Cpu){{.make = MakeKernel<UnbatchKernel>, .views = "batched_tensor"}};
MR_KERNELS(UnbatchGrad, Cpu){{.make = MakeKernel<UnbatchGradKernel>}};

}  // namespace millrace::ops
