// Kernels that shuffle: they return a random one of `buffer_size` elements at a
// time.
#include <limits>
#include <optional>

#include "millrace/kernel/resource_handle.h"
#include "millrace/ops/data/elements_charge.h"
#include "millrace/ops/dataset/derived.h"
#include "millrace/ops/dataset/seed_generator.h"

namespace millrace::ops {
namespace {

struct ShuffleParams {
  int64_t buffer_size = 1;  // kUnknown: all elements
  Ref<SeedGenerator> seeds;
  int64_t epochs = 1;  // if negative, without end
};

// Stock's shuffle: elements [start_, end_) of the epoch lie in a ring buffer; a
// random one of them is returned, and the first one moves to its place. Each
// epoch has seeds of its own.
class ShuffleIterator final : public UnchangedIterator<ShuffleParams> {
 public:
  using UnchangedIterator::UnchangedIterator;
  Status Begin(IteratorRuntime& runtime) override {
    if (params().epochs == 0) return OkStatus();
    seeds_ = params().seeds->Next();
    BeginRandom();
    return DerivedIterator::Begin(runtime);
  }

  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    for (;;) {
      while (input_ != nullptr && end_ - start_ < Places()) {
        Element element;
        MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, &element));
        if (pull == Pull::kPending) return pull;
        if (pull == Pull::kEnd) {
          input_ = nullptr;
          ++epochs_done_;
        } else {
          any_ = true;
          MR_RETURN_IF_ERROR(Add(std::move(element)));
        }
      }
      if (start_ != end_) break;
      if (input_ == nullptr) {
        const bool again =
            params().epochs < 0 ? any_ : epochs_done_ < params().epochs;
        if (!again) return Pull::kEnd;
        start_ = end_ = 0;
        any_ = false;
        places_.clear();
        charge_.Clear();
        seeds_ = params().seeds->Next();
        samples_ = 0;
        BeginRandom();
        MR_ASSIGN_OR_RETURN(input_,
                            ctx.runtime().MakeIterator(dataset().input()));
      }
    }
    const int64_t offset = static_cast<int64_t>(Random()) % (end_ - start_);
    Element& chosen = Place(start_ + offset);
    charge_.Remove(chosen);
    *out = std::move(chosen);
    Element& first = Place(start_);
    if (&chosen != &first) chosen = std::move(first);
    first.clear();
    ++start_;
    return Pull::kElement;
  }

  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "epochs", epochs_done_);
    out.Int(prefix + "seed", seeds_.first);
    out.Int(prefix + "seed2", seeds_.second);
    out.Int(prefix + "samples", samples_);
    out.Int(prefix + "any", any_ ? 1 : 0);
    out.Int(prefix + "drawn", params().seeds->drawn());
    out.Int(prefix + "elements", end_ - start_);
    for (int64_t i = start_; i < end_; ++i) {
      out.Element(absl::StrCat(prefix, "element", i - start_), Place(i));
    }
    return SaveInput(out, prefix);
  }

  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN_OR_RETURN(epochs_done_, in.Count(prefix + "epochs"));
    MR_ASSIGN_OR_RETURN(seeds_.first, in.Number(prefix + "seed"));
    MR_ASSIGN_OR_RETURN(seeds_.second, in.Number(prefix + "seed2"));
    MR_ASSIGN_OR_RETURN(samples_, in.Count(prefix + "samples"));
    MR_ASSIGN_OR_RETURN(any_, in.Flag(prefix + "any"));
    MR_ASSIGN_OR_RETURN(const int64_t drawn, in.Count(prefix + "drawn"));
    MR_ASSIGN_OR_RETURN(const int64_t elements,
                        in.Size(prefix + "elements", Places()));
    params().seeds->GoTo(drawn);
    BeginRandom();
    // The ring begins at the first place, since only the order matters.
    places_.clear();
    charge_.Clear();
    start_ = end_ = 0;
    for (int64_t i = 0; i < elements; ++i) {
      MR_ASSIGN_OR_RETURN(Element element,
                          in.Element(absl::StrCat(prefix, "element", i),
                                     dataset().signature().types));
      MR_RETURN_IF_ERROR(Add(std::move(element)));
    }
    return RestoreInput(in, prefix);
  }

  static int64_t Cardinality(const Parts& d) {
    const int64_t n = d.input().Cardinality(), epochs = d.params().epochs;
    if (epochs == 0 || n == 0) return 0;
    if (epochs < 0) return DatasetValue::kInfinite;
    int64_t product = 0;
    if (n < 0) return n;
    return __builtin_mul_overflow(n, epochs, &product) ? DatasetValue::kInfinite
                                                       : product;
  }

 private:
  int64_t Places() const {
    return params().buffer_size == DatasetValue::kUnknown
               ? std::numeric_limits<int64_t>::max()
               : params().buffer_size;
  }
  Element& Place(int64_t i) {
    return places_[static_cast<size_t>(i % Places())];
  }

  void BeginRandom() {
    philox_ = Philox4x32(static_cast<uint64_t>(seeds_.first),
                         static_cast<uint64_t>(seeds_.second));
    philox_.Skip(static_cast<uint64_t>(samples_ / 4));
    numbers_.emplace(&philox_);
    for (int64_t i = 0; i < samples_ % 4; ++i) (*numbers_)();
  }
  uint32_t Random() {
    ++samples_;
    return (*numbers_)();
  }

  Status Add(Element element) {
    const int64_t place = end_ % Places();
    MR_RETURN_IF_ERROR(charge_.Add(element));
    if (place >= static_cast<int64_t>(places_.size())) {
      places_.push_back(std::move(element));
    } else {
      places_[static_cast<size_t>(place)] = std::move(element);
    }
    ++end_;
    return OkStatus();
  }

  std::vector<Element> places_;
  ElementsCharge charge_{"a shuffle"};
  int64_t start_ = 0, end_ = 0, epochs_done_ = 0, samples_ = 0;
  bool any_ = false;  // the epoch has elements
  SeedGenerator::Seeds seeds_;
  Philox4x32 philox_;
  std::optional<SingleNumbers> numbers_;
};

StatusOr<int64_t> BufferSize(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const int64_t size,
                      ScalarInput<int64_t>(ctx, 1, "buffer_size"));
  if (size <= 0 && size != DatasetValue::kUnknown) {
    return InvalidArgument(
        "buffer_size must be greater than zero or UNKNOWN_CARDINALITY");
  }
  return size;
}

StatusOr<Ref<SeedGenerator>> NewGenerator(KernelContext& ctx, int first) {
  MR_ASSIGN_OR_RETURN(const int64_t seed,
                      ScalarInput<int64_t>(ctx, first, "seed"));
  MR_ASSIGN_OR_RETURN(const int64_t seed2,
                      ScalarInput<int64_t>(ctx, first + 1, "seed2"));
  MR_ASSIGN_OR_RETURN(
      const bool reshuffles,
      GetAttr<bool>(ctx.node().attrs, "reshuffle_each_iteration"));
  return MakeRef<SeedGenerator>(seed, seed2, reshuffles);
}

// The generator of seeds: made for this data set from inputs 2 and 3; behind
// the handle in input 2; or behind the handle in the last input. A new one is
// made where a handle has none, as in stock.
enum class Seeds { kOwn, kShared, kSharedOrOwn };

template <Seeds kSeeds>
StatusOr<Ref<SeedGenerator>> GeneratorOf(KernelContext& ctx) {
  if constexpr (kSeeds == Seeds::kShared) {
    Ref<SeedGenerator> shared = OwnedByInput<SeedGenerator>(ctx, 2);
    if (shared == nullptr) shared = MakeRef<SeedGenerator>(0, 0, false);
    return shared;
  }
  MR_ASSIGN_OR_RETURN(Ref<SeedGenerator> own, NewGenerator(ctx, 2));
  if constexpr (kSeeds == Seeds::kSharedOrOwn) {
    Ref<SeedGenerator> shared =
        OwnedByInput<SeedGenerator>(ctx, ctx.num_inputs() - 1);
    if (shared != nullptr) return shared;
  }
  return own;
}

template <Seeds kSeeds>
StatusOr<Ref<DatasetValue>> BuildShuffle(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  ShuffleParams p;
  MR_ASSIGN_OR_RETURN(p.buffer_size, BufferSize(ctx));
  MR_ASSIGN_OR_RETURN(p.seeds, GeneratorOf<kSeeds>(ctx));
  return MakeDataset<ShuffleIterator>(ctx, {input}, std::move(p));
}

template <Seeds kSeeds>
StatusOr<Ref<DatasetValue>> BuildShuffleAndRepeat(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  ShuffleParams p;
  MR_ASSIGN_OR_RETURN(p.buffer_size, BufferSize(ctx));
  MR_ASSIGN_OR_RETURN(p.epochs, ScalarInput<int64_t>(ctx, 4, "count"));
  if (p.epochs == 0) {
    return InvalidArgument("count must be greater than zero or equal to -1.");
  }
  MR_ASSIGN_OR_RETURN(p.seeds, GeneratorOf<kSeeds>(ctx));
  return MakeDataset<ShuffleIterator>(ctx, {input}, std::move(p));
}

}  // namespace

MR_KERNELS(ShuffleDataset, Cpu){MR_DATASET_KERNEL(BuildShuffle<Seeds::kOwn>)};
MR_KERNELS(ShuffleDatasetV2,
           Cpu){MR_DATASET_KERNEL(BuildShuffle<Seeds::kShared>)};
MR_KERNELS(ShuffleDatasetV3,
           Cpu){MR_DATASET_KERNEL(BuildShuffle<Seeds::kSharedOrOwn>)};
MR_KERNELS(ShuffleAndRepeatDataset,
           Cpu){MR_DATASET_KERNEL(BuildShuffleAndRepeat<Seeds::kOwn>)};
MR_KERNELS(ShuffleAndRepeatDatasetV2,
           Cpu){MR_DATASET_KERNEL(BuildShuffleAndRepeat<Seeds::kSharedOrOwn>)};

}  // namespace millrace::ops
