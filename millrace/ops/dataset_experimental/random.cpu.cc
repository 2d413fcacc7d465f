// Kernels of data sets of random numbers, and of elements chosen at random.
#include <bit>
#include <optional>

#include "millrace/base/random.h"
#include "millrace/ops/dataset/derived.h"
#include "millrace/ops/random/random_stream.h"

namespace millrace::ops {
namespace {

struct DrawSeeds {
  uint64_t first = 0, second = 0;
};

// Returns the seeds in inputs `i` and `i` + 1; two zeros mean random seeds.
StatusOr<DrawSeeds> DrawSeedsOf(KernelContext& ctx, int i) {
  MR_ASSIGN_OR_RETURN(const int64_t seed, ScalarInput<int64_t>(ctx, i, "seed"));
  MR_ASSIGN_OR_RETURN(const int64_t seed2,
                      ScalarInput<int64_t>(ctx, i + 1, "seed2"));
  if (seed == 0 && seed2 == 0) return DrawSeeds{RandomUint64(), RandomUint64()};
  return DrawSeeds{static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2)};
}

// Stock's numbers for stock's seeds. Each pass over a data set draws the same
// ones.
class Draws {
 public:
  explicit Draws(const DrawSeeds& seeds) : seeds_(seeds) {}
  Draws(const Draws&) = delete;
  Draws& operator=(const Draws&) = delete;
  uint32_t Next() {
    ++drawn_;
    return (*numbers_)();
  }
  int64_t drawn() const { return drawn_; }
  // Continues as if `drawn` numbers had been drawn.
  void GoTo(int64_t drawn) {
    drawn_ = drawn;
    philox_ = Philox4x32(seeds_.first, seeds_.second);
    philox_.Skip(static_cast<uint64_t>(drawn / 4));  // four numbers each
    numbers_.emplace(&philox_);
    for (int64_t i = 0; i < drawn % 4; ++i) (*numbers_)();
  }

 private:
  const DrawSeeds seeds_;
  Philox4x32 philox_{seeds_.first, seeds_.second};
  std::optional<SingleNumbers> numbers_{std::in_place, &philox_};
  int64_t drawn_ = 0;
};

class RandomIterator final : public DerivedIterator<DrawSeeds> {
 public:
  explicit RandomIterator(const Parts& dataset)
      : DerivedIterator(dataset), draws_(dataset.params()) {}
  Status Begin(IteratorRuntime&) override { return OkStatus(); }
  StatusOr<Pull> Next(PollContext&, Element* out) override {
    out->assign(1, Tensor::Scalar<int64_t>(draws_.Next()));
    return Pull::kElement;
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "drawn", draws_.drawn());
    return OkStatus();
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN_OR_RETURN(const int64_t drawn, in.Count(prefix + "drawn"));
    draws_.GoTo(drawn);
    return OkStatus();
  }
  static int64_t Cardinality(const Parts&) { return kInfinite; }

 private:
  Draws draws_;
};

struct SamplingParams {
  float rate = 0;
  DrawSeeds seeds;
};

class SamplingIterator final : public UnchangedIterator<SamplingParams> {
 public:
  explicit SamplingIterator(const Parts& dataset)
      : UnchangedIterator(dataset), draws_(dataset.params().seeds) {}
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    for (;;) {
      if (input_ == nullptr) return Pull::kEnd;
      MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, out));
      if (pull == Pull::kEnd) input_ = nullptr;
      if (pull != Pull::kElement || NextFraction() < params().rate) return pull;
    }
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "drawn", draws_.drawn());
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN_OR_RETURN(const int64_t drawn, in.Count(prefix + "drawn"));
    draws_.GoTo(drawn);
    return RestoreInput(in, prefix);
  }

 private:
  // Returns a number in [0, 1) with 23 random bits, as stock does.
  float NextFraction() {
    return std::bit_cast<float>(0x3F800000u | (draws_.Next() & 0x7FFFFFu)) -
           1.0f;
  }

  Draws draws_;
};

StatusOr<Ref<DatasetValue>> BuildRandom(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DrawSeeds seeds, DrawSeedsOf(ctx, 0));
  ElementSignature signature{{DataType::kInt64}, {PartialShape({})}};
  return Ref<DatasetValue>(MakeRef<DatasetOf<RandomIterator>>(
      std::move(signature), 1, std::vector<DatasetRef>(), seeds));
}

StatusOr<Ref<DatasetValue>> BuildSampling(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  SamplingParams p;
  MR_ASSIGN_OR_RETURN(p.rate, ScalarInput<float>(ctx, 1, "rate"));
  MR_ASSIGN_OR_RETURN(p.seeds, DrawSeedsOf(ctx, 2));
  return MakeDataset<SamplingIterator>(ctx, {input}, p);
}

}  // namespace

MR_KERNELS(RandomDataset, Cpu){MR_DATASET_KERNEL(BuildRandom)};
MR_KERNELS(ExperimentalRandomDataset, Cpu){MR_DATASET_KERNEL(BuildRandom)};
MR_KERNELS(SamplingDataset, Cpu){MR_DATASET_KERNEL(BuildSampling)};

}  // namespace millrace::ops
