#include "millrace/ops/reduction/compound_variant.h"

#include <cstring>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "millrace/ops/reduction/tensor_sum.h"

namespace millrace::ops {
namespace {

StatusOr<Tensor> ZerosOfPlain(const Tensor& t, Allocator* allocator) {
  if (!t.valid()) return t;
  if (t.dtype() == DataType::kResource) {
    return InvalidArgument(
        "Trying to compute zeros_like for unsupported dtype resource");
  }
  MR_ASSIGN_OR_RETURN(Tensor zeros,
                      Tensor::Allocate(allocator, t.dtype(), t.shape()));
  if (IsPlain(t.dtype())) {
    std::memset(zeros.mutable_data(), 0, zeros.size_bytes());
  }
  return zeros;
}

// Makes a value from another one, or from two, from the innermost parts
// outwards.
class CompoundWalk {
 public:
  // Makes sums if there is a context, else zeros.
  CompoundWalk(Allocator* allocator, KernelContext* ctx)
      : allocator_(allocator), ctx_(ctx) {}

  // `b` is null for zeros.
  StatusOr<Ref<VariantValue>> Make(const VariantValue* a,
                                   const VariantValue* b) {
    MR_ASSIGN_OR_RETURN(const Ref<VariantValue>* made, MadeOrBegun(a, b));
    if (made != nullptr) return *made;
    for (;;) {
      if (ctx_ != nullptr) MR_RETURN_IF_ERROR(ctx_->CheckCancelled());
      Work& work = works_.back();
      MR_ASSIGN_OR_RETURN(const bool is_complete, MakeParts(work));
      if (!is_complete) continue;  // the values inside of it come first
      MR_ASSIGN_OR_RETURN(Ref<VariantValue> value,
                          work.a->With(std::move(work.parts), work.b));
      made_.emplace(Pair(work.a, work.b), value);
      works_.pop_back();
      if (works_.empty()) return value;
    }
  }

 private:
  using Pair = std::pair<const VariantValue*, const VariantValue*>;
  // A value under construction.
  struct Work {
    const CompoundVariant* a = nullptr;
    const CompoundVariant* b = nullptr;
    std::vector<Tensor> parts = {};  // those made so far
    Tensor part = {};                // the next one, if it holds variants
    int64_t elements = 0;            // number of its elements made so far
  };

  // Returns the value of this pair, or null if it has been appended to works_.
  StatusOr<const Ref<VariantValue>*> MadeOrBegun(const VariantValue* a,
                                                 const VariantValue* b) {
    const auto found = made_.find(Pair(a, b));
    if (found != made_.end()) return &found->second;
    const auto* const compound = dynamic_cast<const CompoundVariant*>(a);
    if (ctx_ == nullptr && compound == nullptr) {
      return Unimplemented("ZerosLike of a variant of type ", a->type_name());
    }
    if (ctx_ != nullptr) {
      if (compound == nullptr || b == nullptr) {
        return Unimplemented("the sum of variants of type ",
                             a == nullptr ? "nothing" : a->type_name());
      }
      MR_RETURN_IF_ERROR(compound->CheckSum(*b));
    }
    works_.push_back({compound, static_cast<const CompoundVariant*>(b)});
    works_.back().parts.reserve(compound->parts().size());
    return nullptr;
  }

  // Returns false if works_ has grown; `work` continues after what was
  // appended.
  StatusOr<bool> MakeParts(Work& work) {
    const absl::Span<const Tensor> parts = work.a->parts();
    while (work.parts.size() < parts.size()) {
      const Tensor& a = parts[work.parts.size()];
      const Tensor* const b =
          work.b == nullptr ? nullptr : &work.b->parts()[work.parts.size()];
      if (a.dtype() != DataType::kVariant || (b != nullptr && !b->valid())) {
        MR_ASSIGN_OR_RETURN(work.part, b == nullptr
                                           ? ZerosOfPlain(a, allocator_)
                                           : SumTensors(*ctx_, a, *b));
      } else {
        MR_ASSIGN_OR_RETURN(const bool is_complete, MakeVariants(work, a, b));
        if (!is_complete) return false;
      }
      work.parts.push_back(std::exchange(work.part, Tensor()));
      work.elements = 0;
    }
    return true;
  }

  StatusOr<bool> MakeVariants(Work& work, const Tensor& a, const Tensor* b) {
    if (!work.part.valid()) {
      if (b != nullptr) MR_RETURN_IF_ERROR(CheckSameForm(a, *b));
      MR_ASSIGN_OR_RETURN(
          work.part,
          Tensor::Allocate(allocator_, DataType::kVariant, a.shape()));
    }
    for (; work.elements < a.num_elements(); ++work.elements) {
      const size_t at = static_cast<size_t>(work.elements);
      const VariantValue* const x = a.flat<VariantElement>()[at].get();
      if (b == nullptr && x == nullptr) continue;
      const VariantValue* const y =
          b == nullptr ? nullptr : b->flat<VariantElement>()[at].get();
      MR_ASSIGN_OR_RETURN(const Ref<VariantValue>* const made,
                          MadeOrBegun(x, y));
      if (made == nullptr) return false;
      work.part.mutable_flat<VariantElement>()[at] = *made;
    }
    return true;
  }

  Allocator* const allocator_;
  KernelContext* const ctx_;
  std::vector<Work> works_;  // each is inside of the one before
  absl::flat_hash_map<Pair, Ref<VariantValue>> made_;
};

}  // namespace

StatusOr<Ref<VariantValue>> ZerosOfVariant(const VariantValue& value,
                                           Allocator* allocator) {
  return CompoundWalk(allocator, nullptr).Make(&value, nullptr);
}

StatusOr<Tensor> SumVariants(KernelContext& ctx, const Tensor& a,
                             const Tensor& b) {
  MR_ASSIGN_OR_RETURN(Tensor sum,
                      ctx.AllocateTemp(DataType::kVariant, a.shape()));
  CompoundWalk walk(ctx.allocator(), &ctx);
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    const size_t at = static_cast<size_t>(i);
    MR_ASSIGN_OR_RETURN(sum.mutable_flat<VariantElement>()[at],
                        walk.Make(a.flat<VariantElement>()[at].get(),
                                  b.flat<VariantElement>()[at].get()));
  }
  return sum;
}

}  // namespace millrace::ops
