// UniqueDataset: each value once.
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "millrace/base/memory/kept_charge.h"
#include "millrace/ops/dataset/derived.h"

namespace millrace::ops {
namespace {

bool IsTaken(DataType type) {
  return type == DataType::kInt32 || type == DataType::kInt64 ||
         type == DataType::kString;
}

void AppendNumber(int64_t n, std::string* to) {
  to->append(reinterpret_cast<const char*>(&n), sizeof(n));
}

// Returns a text that is equal for equal tensors of one type only.
std::string IdentityOf(const Tensor& t) {
  std::string identity;
  AppendNumber(t.rank(), &identity);
  for (int d = 0; d < t.rank(); ++d) AppendNumber(t.dim(d), &identity);
  if (t.dtype() != DataType::kString) {
    identity.append(t.data(), t.size_bytes());
    return identity;
  }
  for (const StringElement& s : t.flat<StringElement>()) {
    AppendNumber(static_cast<int64_t>(s.size()), &identity);
    identity.append(s.view().data(), s.size());
  }
  return identity;
}

class UniqueIterator final : public UnchangedIterator<NoParams> {
 public:
  using UnchangedIterator::UnchangedIterator;
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    for (;;) {
      if (input_ == nullptr) return Pull::kEnd;
      MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, out));
      if (pull == Pull::kEnd) input_ = nullptr;
      if (pull != Pull::kElement) return pull;
      if (out->size() != 1) {
        return InvalidArgument("an element has ", out->size(),
                               " components, expected 1");
      }
      const DataType type = (*out)[0].dtype();
      if (!IsTaken(type)) {  // the input says something else of its elements
        return InvalidArgument("an element has type ", DataTypeName(type),
                               ", expected int32, int64 or string");
      }
      std::string identity = IdentityOf((*out)[0]);
      if (seen_.contains(identity)) continue;
      MR_RETURN_IF_ERROR(Keep(std::move(identity)));
      return pull;
    }
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    // Sorted, so that equal states are saved as equal bytes.
    std::vector<std::string> seen(seen_.begin(), seen_.end());
    std::sort(seen.begin(), seen.end());
    MR_ASSIGN_OR_RETURN(
        Tensor t,
        Tensor::Allocate(HostAllocator(), DataType::kString,
                         TensorShape({static_cast<int64_t>(seen.size())})));
    for (size_t i = 0; i < seen.size(); ++i) {
      t.mutable_flat<StringElement>()[i].Assign(seen[i]);
    }
    out.Value(prefix + "seen", t);
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN_OR_RETURN(const Tensor seen,
                        in.Value(prefix + "seen", DataType::kString, 1));
    for (const StringElement& s : seen.flat<StringElement>()) {
      MR_RETURN_IF_ERROR(Keep(s.str()));
    }
    return RestoreInput(in, prefix);
  }

 private:
  static constexpr int64_t kBytesPerValue = 64;

  Status Keep(std::string identity) {
    MR_RETURN_IF_ERROR(
        kept_.Add(static_cast<int64_t>(identity.size()) + kBytesPerValue));
    seen_.insert(std::move(identity));
    return OkStatus();
  }

  absl::flat_hash_set<std::string> seen_;
  KeptSum kept_{"the values of a unique data set"};
};

StatusOr<Ref<DatasetValue>> BuildUnique(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  const std::vector<DataType>& types = input->signature().types;
  if (types.size() != 1) {
    return InvalidArgument(
        "UniqueDataset only supports inputs with a single component.");
  }
  if (!IsTaken(types[0])) {
    return InvalidArgument(
        "UniqueDataset only supports inputs with a single `tf.int32`, "
        "`tf.int64`, or `tf.string` component.");
  }
  return MakeDataset<UniqueIterator>(ctx, {input}, {});
}

}  // namespace

MR_KERNELS(UniqueDataset, Cpu){MR_DATASET_KERNEL(BuildUnique)};
MR_KERNELS(ExperimentalUniqueDataset, Cpu){MR_DATASET_KERNEL(BuildUnique)};

}  // namespace millrace::ops
