#include "millrace/ops/sparse/tensors_map.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/resource_handle.h"
#include "millrace/ops/array/element_types.h"

namespace millrace::ops {
namespace {

// Returns the bytes of a part and its slot in the hash table, which is half
// empty after it has grown.
int64_t BytesOf(const SparsePart& part) {
  return part.OwnBytes() +
         static_cast<int64_t>(2 * sizeof(std::pair<int64_t, SparsePart>));
}

}  // namespace

std::string TensorsMap::DebugString() const {
  MutexLock lock(mu_);
  return absl::StrCat("map ", name_, " of ", parts_.size(), " sparse tensors");
}

StatusOr<int64_t> TensorsMap::Add(SparsePart part) {
  MutexLock lock(mu_);
  MR_RETURN_IF_ERROR(
      charge_.Set(charge_.bytes() + BytesOf(part), "a map of sparse tensors"));
  parts_.emplace(next_, std::move(part));
  return next_++;
}

void TensorsMap::Drop(absl::Span<const int64_t> numbers) {
  MutexLock lock(mu_);
  int64_t bytes = 0;
  for (const int64_t number : numbers) {
    const auto it = parts_.find(number);
    if (it == parts_.end()) continue;
    bytes += BytesOf(it->second);
    parts_.erase(it);
  }
  charge_.Set(charge_.bytes() - bytes, "").IgnoreError();  // less always fits
}

StatusOr<std::vector<SparsePart>> TensorsMap::Take(
    absl::Span<const int64_t> numbers, DataType type) {
  std::vector<SparsePart> taken;
  absl::flat_hash_set<int64_t> seen;
  MutexLock lock(mu_);
  const SparsePart* first = nullptr;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto it = parts_.find(numbers[i]);
    if (it == parts_.end() || !seen.insert(numbers[i]).second) {
      return InvalidArgument("Unable to find SparseTensor: ", numbers[i],
                             " in map: ", name_);
    }
    if (first == nullptr) first = &it->second;
    MR_RETURN_IF_ERROR(CheckValuesType(it->second, i, type));
    MR_RETURN_IF_ERROR(CheckRank(it->second, i, *first, RankWords::kOfJoined));
  }
  taken.reserve(numbers.size());
  int64_t bytes = 0;
  for (const int64_t number : numbers) {
    const auto it = parts_.find(number);
    bytes += BytesOf(it->second);
    taken.push_back(std::move(it->second));
    parts_.erase(it);
  }
  MR_RETURN_IF_ERROR(charge_.Set(charge_.bytes() - bytes, ""));
  return taken;
}

namespace {

enum class MapUse { kAdd, kTake };

// Finds the map of a node by container and name. An op that adds uses its own
// name, by which others find it; an op that takes finds nothing without a name.
class MapPlace {
 public:
  static StatusOr<MapPlace> Of(const KernelInit& init, MapUse use) {
    MapPlace p;
    MR_ASSIGN_OR_RETURN(p.place_, PlaceOf(init));
    if (p.place_.is_private) {
      p.place_.name = use == MapUse::kAdd ? init.node().name
                                          : PrivateName(init.node().name, 0);
    }
    return p;
  }
  StatusOr<Ref<TensorsMap>> Find(KernelContext& ctx) const {
    return ctx.resources().LookupOrCreate<TensorsMap>(
        place_.container, place_.name, [&]() -> StatusOr<Ref<TensorsMap>> {
          return MakeRef<TensorsMap>(place_.name);
        });
  }

 private:
  ResourcePlace place_;
};

class AddKernel {
 public:
  static StatusOr<AddKernel> Make(const KernelInit& init) {
    AddKernel k;
    MR_ASSIGN_OR_RETURN(k.map_, MapPlace::Of(init, MapUse::kAdd));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const SparseEntries e, ReadEntries(ctx));
    MR_RETURN_IF_ERROR(TensorShape::Make(e.dims).status());
    MR_ASSIGN_OR_RETURN(const Ref<TensorsMap> map, map_.Find(ctx));
    MR_ASSIGN_OR_RETURN(const int64_t number,
                        map->Add({ctx.input(0), ctx.input(1),
                                  DimVector(e.dims.begin(), e.dims.end())}));
    ctx.set_output(0, Tensor::Scalar<int64_t>(number));
    return OkStatus();
  }

 private:
  MapPlace map_;
};

class AddManyKernel {
 public:
  static StatusOr<AddManyKernel> Make(const KernelInit& init) {
    AddManyKernel k;
    MR_ASSIGN_OR_RETURN(k.map_, MapPlace::Of(init, MapUse::kAdd));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(BatchParts batch, CutBatch(ctx, SizeWords::kBatch));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, TensorShape({batch.count})));
    const auto numbers = out->mutable_flat<int64_t>();
    std::fill(numbers.begin(), numbers.end(), -1);
    MR_ASSIGN_OR_RETURN(const Ref<TensorsMap> map, map_.Find(ctx));
    Status added = AddAll(ctx, std::move(batch), *map, numbers);
    // After an error nothing refers to the parts.
    if (!added.ok()) map->Drop(numbers);
    return added;
  }

 private:
  // Parts with entries are numbered first, as in stock.
  static Status AddAll(KernelContext& ctx, BatchParts batch, TensorsMap& map,
                       absl::Span<int64_t> numbers) {
    for (auto& [place, part] : batch.parts) {
      MR_ASSIGN_OR_RETURN(numbers[static_cast<size_t>(place)],
                          map.Add(std::move(part)));
    }
    for (int64_t& number : numbers) {
      if (number >= 0) continue;
      MR_ASSIGN_OR_RETURN(number, map.Add(batch.empty));
      if (number % 65536 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    }
    return OkStatus();
  }

  MapPlace map_;
};

class TakeManyKernel {
 public:
  static StatusOr<TakeManyKernel> Make(const KernelInit& init) {
    TakeManyKernel k;
    MR_ASSIGN_OR_RETURN(k.map_, MapPlace::Of(init, MapUse::kTake));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& numbers = ctx.input(0);
    if (numbers.rank() != 1) {
      return InvalidArgument(
          "sparse_handles should be a vector but received shape ",
          numbers.shape().DebugString());
    }
    if (numbers.num_elements() == 0) {
      return InvalidArgument(
          "Must have at least 1 serialized SparseTensor, but input matrix has "
          "0 rows");
    }
    MR_ASSIGN_OR_RETURN(const Ref<TensorsMap> map, map_.Find(ctx));
    MR_ASSIGN_OR_RETURN(const std::vector<SparsePart> parts,
                        map->Take(numbers.flat<int64_t>(), ctx.output_type(1)));
    return JoinBatch(ctx, parts, {numbers.dim(0)}, RankWords::kOfJoined);
  }

 private:
  MapPlace map_;
};

}  // namespace

MR_KERNELS(AddSparseToTensorsMap, Cpu){{.make = MakeKernel<AddKernel>}};
MR_KERNELS(AddManySparseToTensorsMap, Cpu){
    {.types = "T: " MR_ELEMENT_TYPES, .make = MakeKernel<AddManyKernel>}};
MR_KERNELS(TakeManySparseFromTensorsMap, Cpu){
    {.types = "dtype: " MR_ELEMENT_TYPES, .make = MakeKernel<TakeManyKernel>}};

}  // namespace millrace::ops
