#include "millrace/ops/queue/barrier.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/kernel/component_types.h"
#include "millrace/tensor/own_bytes.h"

namespace millrace::ops {
namespace {

// The number of tensors before the components in the queue: index and key.
constexpr size_t kFixed = 2;

// What a tuple that is not complete takes beside the buffers of its tensors;
// the hash table is half empty after it has grown.
int64_t KeptBytes(const std::string& key, absl::Span<const Tensor> parts) {
  constexpr int64_t kSlot = 2 * (sizeof(std::string) + 40);
  return kSlot + static_cast<int64_t>(key.size()) + OwnBytes(parts);
}

Queue::Options QueueOptions(const Barrier::Options& o) {
  Queue::Options q;
  q.kind = QueueKind::kPriority;
  q.types = {DataType::kInt64, DataType::kString};
  q.types.insert(q.types.end(), o.types.begin(), o.types.end());
  q.shapes = {PartialShape({}), PartialShape({})};
  q.shapes.insert(q.shapes.end(), o.shapes.begin(), o.shapes.end());
  q.capacity = std::numeric_limits<int32_t>::max();
  return q;
}

}  // namespace

StatusOr<Barrier::Options> Barrier::OptionsFrom(const KernelInit& init) {
  Options o;
  MR_ASSIGN_OR_RETURN(o.types,
                      init.Attr<AttrValue::TypeList>("component_types"));
  MR_ASSIGN_OR_RETURN(o.shapes, init.Attr<AttrValue::ShapeList>("shapes"));
  MR_ASSIGN_OR_RETURN(const int32_t capacity, init.Attr<int32_t>("capacity"));
  if (o.shapes.size() != o.types.size()) {
    return InvalidArgument("All of the component shapes must be specified");
  }
  for (PartialShape& shape : o.shapes) {
    if (!shape.known_rank()) shape = PartialShape({});  // as in stock
    if (!shape.IsFullyDefined()) {
      return InvalidArgument("Shape ", shape.DebugString(),
                             " is not fully defined");
    }
  }
  if (capacity != -1) {
    return InvalidArgument(
        "Barrier only accepts capacity=-1.  Feed the inputs to your Barrier "
        "through a queue to enforce a limited capacity.");
  }
  return o;
}

Barrier::Barrier(Options options, std::string name)
    : options_(std::move(options)),
      name_(std::move(name)),
      ready_(MakeRef<Queue>(QueueOptions(options_),
                            absl::StrCat(name_, "_queue"))),
      next_index_(std::numeric_limits<int64_t>::min()) {}

std::string Barrier::DebugString() const {
  return absl::StrCat("barrier, ", ready_size(), " ready, ", incomplete_size(),
                      " incomplete");
}

void Barrier::OnRemoved() {
  {
    MutexLock lock(mu_);
    closed_ = cancelled_ = true;
    incomplete_.clear();
    kept_.Clear();
  }
  ready_->OnRemoved();
}

Status Barrier::CheckOptions(const Options& o) const {
  return ExpectSameComponents("barrier", name_, options_.types, options_.shapes,
                              o.types, o.shapes);
}

int64_t Barrier::incomplete_size() const {
  MutexLock lock(mu_);
  return static_cast<int64_t>(incomplete_.size());
}

Status Barrier::CheckInsertion(int component, const Tensor& keys,
                               const Tensor& values) const {
  if (keys.num_elements() > 0 && values.num_elements() == 0) {
    return InvalidArgument("Tensors with no elements are not supported ", name_,
                           ": received shape ", values.shape().DebugString());
  }
  if (keys.rank() != 1 || values.rank() == 0 || keys.dim(0) != values.dim(0)) {
    return InvalidArgument("keys of shape ", keys.shape().DebugString(),
                           " do not fit values of shape ",
                           values.shape().DebugString());
  }
  DimVector element = values.shape().dims();
  element.erase(element.begin());
  const PartialShape got(absl::MakeConstSpan(element));
  const PartialShape& want = options_.shapes[static_cast<size_t>(component)];
  if (keys.num_elements() > 0 && !(got == want)) {
    return InvalidArgument("Shape mismatch in tuple component ",
                           static_cast<size_t>(component) + kFixed,
                           ". Expected ", want.DebugString(), ", got ",
                           got.DebugString());
  }
  return OkStatus();
}

Status Barrier::InsertRowLocked(const std::string& key, int component,
                                int64_t row, Tensor value, bool* is_new,
                                std::vector<QueueRun>* complete) {
  auto at = incomplete_.find(key);
  if (at == incomplete_.end()) {
    if (closed_) {
      return Cancelled(
          "Barrier ", name_,
          " is closed, but attempted to insert a brand new key: ", key,
          ".  Pending enqueues cancelled: ", int{cancelled_},
          ".  Insertion index: ", row,
          ".  Number of incomplete keys: ", incomplete_.size(), ".");
    }
    Tuple begun{next_index_, std::vector<Tensor>(options_.types.size())};
    MR_RETURN_IF_ERROR(kept_.Add(KeptBytes(key, begun.parts)));
    at = incomplete_.emplace(key, std::move(begun)).first;
    *is_new = true;
  }
  Tuple& tuple = at->second;
  Tensor& part = tuple.parts[static_cast<size_t>(component)];
  if (part.valid()) {
    return InvalidArgument("Key ", key, " already has a value for component ",
                           component, " in barrier ", name_);
  }
  MR_RETURN_IF_ERROR(kept_.Add(OwnBytes(value) - OwnBytes(part)));
  part = std::move(value);
  if (std::all_of(tuple.parts.begin(), tuple.parts.end(),
                  [](const Tensor& t) { return t.valid(); })) {
    kept_.Remove(KeptBytes(key, tuple.parts));
    QueueRun run;
    run.parts = {Tensor::Scalar<int64_t>(tuple.index),
                 Tensor::Scalar<std::string>(key)};
    for (Tensor& t : tuple.parts) run.parts.push_back(std::move(t));
    complete->push_back(std::move(run));
    incomplete_.erase(at);
  }
  return OkStatus();
}

Status Barrier::InsertLocked(const QueueCaller& caller, int component,
                             const Tensor& keys, const Tensor& values,
                             std::vector<QueueRun>* complete) {
  const int64_t rows = keys.num_elements();
  if (closed_ && (cancelled_ || (rows > 0 && incomplete_.empty()))) {
    return Cancelled("Barrier ", name_,
                     " is closed.  Pending enqueues cancelled: ",
                     int{cancelled_}, ".  Number of new insertions: ", rows,
                     ".  Number of incomplete keys: ", incomplete_.size(), ".");
  }
  bool is_new = false;
  Status status;
  for (int64_t row = 0; row < rows && status.ok(); ++row) {
    StatusOr<Tensor> value = CopyRow(values, row, caller.allocator);
    status = value.status();
    if (!status.ok()) break;
    status = InsertRowLocked(
        keys.flat<StringElement>()[static_cast<size_t>(row)].str(), component,
        row, *std::move(value), &is_new, complete);
  }
  next_index_ += is_new;
  moving_ += !complete->empty();
  return status;
}

void Barrier::InsertMany(QueueCaller caller, int component, const Tensor& keys,
                         const Tensor& values, Done done) {
  Status status = CheckInsertion(component, keys, values);
  if (!status.ok()) return std::move(done)(std::move(status));
  // For those that are on their way to the queue, which then counts them.
  MemoryCharge moved;
  const size_t parts = kFixed + options_.types.size();
  status = moved.Set(
      keys.num_elements() *
          static_cast<int64_t>(sizeof(QueueRun) + parts * sizeof(Tensor)),
      "tuples of a barrier");
  if (!status.ok()) return std::move(done)(std::move(status));
  std::vector<QueueRun> complete;
  {
    MutexLock lock(mu_);
    status = InsertLocked(caller, component, keys, values, &complete);
  }
  if (complete.empty()) return std::move(done)(std::move(status));
  StatusOr<QueueTuple> batch =
      ToBatch(complete, static_cast<int64_t>(complete.size()), Padding::kNone,
              caller.allocator);
  if (!batch.ok()) return EndInsertion(caller, batch.status(), std::move(done));
  // There is always room, so this does not wait.
  ready_->EnqueueMany(caller, *std::move(batch),
                      Done([alive = Ref<Barrier>::Share(this), caller,
                            status = std::move(status),
                            done = std::move(done)](Status queued) mutable {
                        alive->EndInsertion(
                            caller,
                            queued.ok() ? std::move(status) : std::move(queued),
                            std::move(done));
                      }));
}

void Barrier::EndInsertion(QueueCaller caller, Status status, Done done) {
  bool closes = false;
  {
    MutexLock lock(mu_);
    --moving_;
    closes = closed_ && moving_ == 0 && incomplete_.empty();
  }
  if (closes)
    ready_->Close(caller, PendingEnqueues::kCancel, Done([](Status) {}));
  std::move(done)(std::move(status));
}

void Barrier::TakeMany(QueueCaller caller, int64_t n, bool allow_small,
                       Queue::TupleDone done) {
  Status status;
  {
    MutexLock lock(mu_);
    if (closed_) {
      int64_t available = ready_->size();
      if (allow_small) {
        n = std::min(n, available);
      } else {
        // Tuples that have begun may still be completed.
        available += static_cast<int64_t>(incomplete_.size());
      }
      // While an insertion is on its way, it decides about the rest in the
      // queue.
      if (moving_ == 0 && available < std::max<int64_t>(n, 1)) {
        status = OutOfRange("Barrier '", name_,
                            "' is closed and has insufficient elements "
                            "(requested ",
                            n, ", total size ", available, ")");
      }
    }
  }
  if (!status.ok()) return std::move(done)(std::move(status));
  ready_->DequeueMany(caller, n,
                      allow_small ? SmallBatch::kAllow : SmallBatch::kRefuse,
                      std::move(done));
}

void Barrier::Close(QueueCaller caller, PendingEnqueues pending, Done done) {
  const bool cancels = pending == PendingEnqueues::kCancel;
  bool closes = false;
  {
    MutexLock lock(mu_);
    if (closed_ && (cancelled_ || !cancels)) {
      closes = false;
    } else {
      closed_ = true;
      cancelled_ = cancels;
      if (cancelled_) {
        incomplete_.clear();
        kept_.Clear();
      }
      closes = cancelled_ || (incomplete_.empty() && moving_ == 0);
      if (!closes) return std::move(done)(OkStatus());
    }
  }
  if (!closes) {
    return std::move(done)(
        Cancelled("Barrier '", name_, "' is already closed."));
  }
  ready_->Close(caller, PendingEnqueues::kCancel, std::move(done));
}

}  // namespace millrace::ops
