#include "millrace/ops/transfer/variant_memory.h"

#include <atomic>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "millrace/base/threads/thread.h"
#include "millrace/tensor/variant/compound_variant.h"

namespace millrace::ops {
namespace {

// Lives until the last copy has ended.
class Move : public std::enable_shared_from_this<Move> {
 public:
  using MoveDone = absl::AnyInvocable<void(StatusOr<Tensor>) &&>;

  Move(KernelContext& ctx, Tensor variants, MoveTo to, MoveDone done)
      : ctx_(ctx),
        variants_(std::move(variants)),
        to_(to),
        done_(std::move(done)) {}

  void Start() {
    status_ = Collect(variants_, 0);
    if (!status_.ok() || leaves_.empty()) return Finish();
    left_.store(leaves_.size(), std::memory_order_relaxed);
    // The last copy may end, and take the list, before the loop does.
    const auto self = shared_from_this();
    const size_t count = leaves_.size();
    for (size_t i = 0; i < count; ++i) {
      Leaf& leaf = leaves_[i];
      Done copied([self](Status status) { self->OneDone(std::move(status)); });
      if (to_ == MoveTo::kHost) {
        ctx_.device().CopyToHost(leaf.from, &leaf.to, std::move(copied));
      } else {
        ctx_.device().CopyFromHost(leaf.from, &leaf.to, std::move(copied));
      }
    }
  }

 private:
  struct Leaf {
    Tensor from, to;
  };

  bool Moves(const Tensor& t) const {
    if (!t.valid() || !IsPlain(t.dtype())) return false;
    if (to_ == MoveTo::kHost) return t.on_device();
    return !t.on_device() && t.dtype() != DataType::kInt32;
  }

  static const CompoundVariant* Compound(const VariantElement& element) {
    return dynamic_cast<const CompoundVariant*>(element.get());
  }

  // Allocates the places of all tensors that move, in a fixed order.
  Status Collect(const Tensor& t, int depth) {
    if (t.valid() && t.dtype() == DataType::kVariant) {
      if (depth == kMaxVariantDepth) {
        return InvalidArgument("variants nest deeper than ", kMaxVariantDepth,
                               ", and cannot be copied between devices");
      }
      for (const VariantElement& element : t.flat<VariantElement>()) {
        const CompoundVariant* const compound = Compound(element);
        if (compound == nullptr || !seen_.insert(compound).second) continue;
        for (const Tensor& part : compound->parts()) {
          MR_RETURN_IF_ERROR(Collect(part, depth + 1));
        }
      }
    }
    if (!Moves(t)) return OkStatus();
    Device& device = ctx_.device();
    MR_ASSIGN_OR_RETURN(
        Tensor to,
        ctx_.AllocateFrom(
            to_ == MoveTo::kHost ? device.host_allocator() : device.allocator(),
            t.dtype(), t.shape()));
    leaves_.push_back({t, std::move(to)});
    return OkStatus();
  }

  // Returns `t` with the copies in their order.
  StatusOr<Tensor> Rebuild(const Tensor& t) {
    if (Moves(t)) return std::move(leaves_[next_++].to);
    if (!t.valid() || t.dtype() != DataType::kVariant) return t;
    MR_ASSIGN_OR_RETURN(
        Tensor out,
        Tensor::Allocate(HostAllocator(), DataType::kVariant, t.shape()));
    const auto from = t.flat<VariantElement>();
    const auto to = out.mutable_flat<VariantElement>();
    for (size_t i = 0; i < from.size(); ++i) {
      const CompoundVariant* const compound = Compound(from[i]);
      if (compound == nullptr) {
        to[i] = from[i];
        continue;
      }
      if (const auto made = made_.find(compound); made != made_.end()) {
        to[i] = made->second;
        continue;
      }
      std::vector<Tensor> parts;
      for (const Tensor& part : compound->parts()) {
        MR_ASSIGN_OR_RETURN(parts.emplace_back(), Rebuild(part));
      }
      MR_ASSIGN_OR_RETURN(to[i], compound->With(std::move(parts), nullptr));
      made_.emplace(compound, to[i]);
    }
    return out;
  }

  void OneDone(Status status) {
    if (!status.ok()) {
      MutexLock lock(mu_);
      UpdateStatus(status_, status);
    }
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) Finish();
  }

  void Finish() {
    MoveDone done = std::move(done_);
    if (!status_.ok()) return std::move(done)(status_);
    if (leaves_.empty()) return std::move(done)(std::move(variants_));
    std::move(done)(Rebuild(variants_));
  }

  KernelContext& ctx_;
  Tensor variants_;
  const MoveTo to_;
  MoveDone done_;
  // One value may be in many others: it is moved once.
  absl::flat_hash_set<const CompoundVariant*> seen_;
  absl::flat_hash_map<const CompoundVariant*, VariantElement> made_;
  std::deque<Leaf> leaves_;
  size_t next_ = 0;
  std::atomic<size_t> left_{0};
  Mutex mu_;
  Status status_;  // guarded by mu_ while copies are on their way
};

}  // namespace

void MoveVariants(KernelContext& ctx, Tensor variants, MoveTo to,
                  absl::AnyInvocable<void(StatusOr<Tensor>) &&> done) {
  std::make_shared<Move>(ctx, std::move(variants), to, std::move(done))
      ->Start();
}

}  // namespace millrace::ops
