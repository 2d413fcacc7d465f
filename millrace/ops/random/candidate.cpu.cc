#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "millrace/base/memory/counted_table.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/checkpoint/records/byte_stream.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/io/blocking.h"
#include "millrace/ops/random/random_stream.h"
#include "millrace/ops/random/range_sampler.h"

namespace millrace::ops {
namespace {

// The results of the stream that a run reserves for each candidate, as in
// stock.
constexpr uint64_t kReservedPerSample = 512;
constexpr int64_t kCheckEvery = 1 << 16;

struct SamplerOptions {
  int64_t num_true = 1;
  int64_t num_sampled = 1;
  bool unique = false;

  static StatusOr<SamplerOptions> Make(const KernelInit& init) {
    SamplerOptions o;
    MR_ASSIGN_OR_RETURN(o.num_true, init.Attr<int64_t>("num_true"));
    MR_ASSIGN_OR_RETURN(o.num_sampled, init.Attr<int64_t>("num_sampled"));
    MR_ASSIGN_OR_RETURN(o.unique, init.Attr<bool>("unique"));
    return o;
  }
};

struct SamplerOutputs {
  absl::Span<const int64_t> true_classes;
  absl::Span<int64_t> sampled;
  absl::Span<float> true_expected, sampled_expected;
};

// Allocates outputs for classes of a range of `range`, of which `possible` can
// be sampled.
StatusOr<SamplerOutputs> MakeOutputs(KernelContext& ctx,
                                     const SamplerOptions& o, int64_t range,
                                     int64_t possible) {
  const Tensor& classes = ctx.input(0);
  if (classes.rank() != 2) {
    return InvalidArgument("true_classes must be a matrix");
  }
  if (classes.dim(1) != o.num_true) {
    return InvalidArgument(
        "true_classes must have num_true columns, expected: ", classes.dim(1),
        " was: ", o.num_true);
  }
  if (o.unique && o.num_sampled > possible) {
    return InvalidArgument("Sampler's range is too small.");
  }
  for (const int64_t c : classes.flat<int64_t>()) {
    if (c < 0 || c >= range) {
      return InvalidArgument("`true_candidate` out of range [0, ", range,
                             "), received ", c);
    }
  }
  const TensorShape samples({o.num_sampled});
  MR_ASSIGN_OR_RETURN(Tensor* const sampled, ctx.AllocateOutput(0, samples));
  MR_ASSIGN_OR_RETURN(Tensor* const trues,
                      ctx.AllocateOutput(1, classes.shape()));
  MR_ASSIGN_OR_RETURN(Tensor* const expected, ctx.AllocateOutput(2, samples));
  return SamplerOutputs{
      classes.flat<int64_t>(), sampled->mutable_flat<int64_t>(),
      trues->mutable_flat<float>(), expected->mutable_flat<float>()};
}

// Returns the expected count of a class of probability `p` among the samples of
// so many draws.
float ExpectedCount(float p, int64_t samples, int64_t draws) {
  if (draws == samples) return p * static_cast<float>(samples);
  return -std::expm1(static_cast<float>(draws) * std::log1p(-p));
}

Status Sample(KernelContext& ctx, const SamplerOptions& o,
              RangeSampler& sampler, RandomStream& stream) {
  MR_ASSIGN_OR_RETURN(
      const SamplerOutputs out,
      MakeOutputs(ctx, o, sampler.range(), sampler.num_possible()));
  Philox4x32 generator =
      stream.Reserve(static_cast<uint64_t>(o.num_sampled) * kReservedPerSample);
  SamplerBits bits(&generator);
  CountedTable<absl::flat_hash_set<int64_t>> seen("the candidates drawn");
  int64_t draws = 0;
  for (size_t i = 0; i < out.sampled.size();) {
    if (++draws % kCheckEvery == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    if (draws >= std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("After ", draws, " draws there are ", i,
                             " candidates of ", o.num_sampled,
                             "; the distribution is too uneven");
    }
    const int64_t value = sampler.Sample(bits);
    if (o.unique) {
      MR_RETURN_IF_ERROR(seen.MakeRoom());
      if (!seen->insert(value).second) continue;
    }
    out.sampled[i++] = value;
  }
  for (size_t i = 0; i < out.sampled.size(); ++i) {
    out.sampled_expected[i] = ExpectedCount(sampler.Probability(out.sampled[i]),
                                            o.num_sampled, draws);
  }
  for (size_t i = 0; i < out.true_classes.size(); ++i) {
    out.true_expected[i] = ExpectedCount(
        sampler.Probability(out.true_classes[i]), o.num_sampled, draws);
  }
  return sampler.Learn(out.true_classes);
}

enum class SamplerKind { kUniform, kLogUniform, kLearned };

// Has a sampler from the start.
template <SamplerKind kKind>
class SamplerKernel {
 public:
  static StatusOr<SamplerKernel> Make(const KernelInit& init) {
    SamplerKernel k;
    MR_ASSIGN_OR_RETURN(k.options_, SamplerOptions::Make(init));
    MR_ASSIGN_OR_RETURN(k.stream_, RandomStream::Make(init));
    MR_ASSIGN_OR_RETURN(const int64_t range, init.Attr<int64_t>("range_max"));
    if constexpr (kKind == SamplerKind::kUniform) {
      k.sampler_ = MakeUniformSampler(range);
    } else if constexpr (kKind == SamplerKind::kLogUniform) {
      k.sampler_ = MakeLogUniformSampler(range);
    } else {
      MR_ASSIGN_OR_RETURN(k.sampler_, MakeLearnedSampler(range));
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    return Sample(ctx, options_, *sampler_, *stream_);
  }

 private:
  SamplerOptions options_;
  std::unique_ptr<RandomStream> stream_;
  std::unique_ptr<RangeSampler> sampler_;
};

StatusOr<UnigramOptions> UnigramOptionsOf(const KernelInit& init) {
  UnigramOptions o;
  MR_ASSIGN_OR_RETURN(o.range, init.Attr<int64_t>("range_max"));
  MR_ASSIGN_OR_RETURN(o.distortion, init.Attr<float>("distortion"));
  MR_ASSIGN_OR_RETURN(o.num_reserved_ids,
                      init.Attr<int64_t>("num_reserved_ids"));
  MR_ASSIGN_OR_RETURN(o.num_shards, init.Attr<int64_t>("num_shards"));
  MR_ASSIGN_OR_RETURN(o.shard, init.Attr<int64_t>("shard"));
  return o;
}

class ListSamplerKernel {
 public:
  static StatusOr<ListSamplerKernel> Make(const KernelInit& init) {
    ListSamplerKernel k;
    MR_ASSIGN_OR_RETURN(k.options_, SamplerOptions::Make(init));
    MR_ASSIGN_OR_RETURN(k.stream_, RandomStream::Make(init));
    MR_ASSIGN_OR_RETURN(const UnigramOptions options, UnigramOptionsOf(init));
    MR_ASSIGN_OR_RETURN(const AttrValue::FloatList unigrams,
                        init.Attr<AttrValue::FloatList>("unigrams"));
    MR_ASSIGN_OR_RETURN(k.sampler_, MakeUnigramSampler(options, unigrams));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    return Sample(ctx, options_, *sampler_, *stream_);
  }

 private:
  SamplerOptions options_;
  std::unique_ptr<RandomStream> stream_;
  std::unique_ptr<RangeSampler> sampler_;
};

// Has a sampler once the first run, which knows the step's files, has read the
// vocabulary.
class FileSamplerKernel {
 public:
  static StatusOr<std::unique_ptr<FileSamplerKernel>> Make(
      const KernelInit& init) {
    auto k = std::make_unique<FileSamplerKernel>();
    MR_ASSIGN_OR_RETURN(k->options_, SamplerOptions::Make(init));
    MR_ASSIGN_OR_RETURN(k->stream_, RandomStream::Make(init));
    MR_ASSIGN_OR_RETURN(k->unigrams_, UnigramOptionsOf(init));
    MR_ASSIGN_OR_RETURN(k->path_, init.Attr<std::string>("vocab_file"));
    return k;
  }

  void RunAsync(KernelContext& ctx, Done done) const {
    RunBlocking(ctx, std::move(done), [this, &ctx]() -> Status {
      MR_ASSIGN_OR_RETURN(RangeSampler* const sampler,
                          Sampler(ctx.step().files));
      return Sample(ctx, options_, *sampler, *stream_);
    });
  }

 private:
  StatusOr<RangeSampler*> Sampler(FileSystem* files) const {
    MutexLock lock(mu_);
    if (sampler_ == nullptr) {
      MR_ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(files, path_));
      MemoryCharge charge;
      MR_RETURN_IF_ERROR(charge.Set(VocabularyBytes(text), "a vocabulary"));
      MR_ASSIGN_OR_RETURN(const std::vector<float> weights,
                          ParseVocabulary(text, unigrams_));
      MR_ASSIGN_OR_RETURN(sampler_, MakeUnigramSampler(unigrams_, weights));
    }
    return sampler_.get();
  }

  SamplerOptions options_;
  UnigramOptions unigrams_;
  std::string path_;
  std::unique_ptr<RandomStream> stream_;
  mutable Mutex mu_;
  mutable std::unique_ptr<RangeSampler> sampler_;  // guarded by mu_
};

StatusOr<std::unique_ptr<Kernel>> MakeFixedUnigram(const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(const std::string path,
                      init.Attr<std::string>("vocab_file"));
  MR_ASSIGN_OR_RETURN(const AttrValue::FloatList unigrams,
                      init.Attr<AttrValue::FloatList>("unigrams"));
  if (path.empty() && unigrams.empty()) {
    return InvalidArgument("Must provide either vocab_file or unigrams.");
  }
  if (!path.empty() && !unigrams.empty()) {
    return InvalidArgument("Must only provide one of vocab_file and unigrams.");
  }
  return path.empty() ? MakeKernel<ListSamplerKernel>(init)
                      : MakeKernel<FileSamplerKernel>(init);
}

class AllSamplerKernel {
 public:
  static StatusOr<AllSamplerKernel> Make(const KernelInit& init) {
    AllSamplerKernel k;
    MR_ASSIGN_OR_RETURN(k.options_, SamplerOptions::Make(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(
        const SamplerOutputs out,
        MakeOutputs(ctx, options_, options_.num_sampled, options_.num_sampled));
    std::iota(out.sampled.begin(), out.sampled.end(), 0);
    std::fill(out.sampled_expected.begin(), out.sampled_expected.end(), 1.f);
    std::fill(out.true_expected.begin(), out.true_expected.end(), 1.f);
    return OkStatus();
  }

 private:
  SamplerOptions options_;
};

class AccidentalHitsKernel {
 public:
  static StatusOr<AccidentalHitsKernel> Make(const KernelInit& init) {
    AccidentalHitsKernel k;
    MR_ASSIGN_OR_RETURN(k.num_true_, init.Attr<int64_t>("num_true"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& classes = ctx.input(0);
    const Tensor& candidates = ctx.input(1);
    if (classes.rank() != 2 || classes.dim(1) != num_true_) {
      return InvalidArgument(
          "true_candidates must be a batch_size * num_true matrix");
    }
    if (candidates.rank() != 1) {
      return InvalidArgument(
          "sampled_candidates must be a vector, which is typically the output "
          "from CandidateSampler");
    }
    CountedTable<absl::flat_hash_map<int64_t, int64_t>> places(
        "the sampled candidates");
    const auto sampled = candidates.flat<int64_t>();
    for (size_t i = 0; i < sampled.size(); ++i) {
      MR_RETURN_IF_ERROR(places.MakeRoom());
      (*places)[sampled[i]] = static_cast<int64_t>(i);
    }
    CountedTable<std::vector<int32_t>> rows("accidental hits");
    CountedTable<std::vector<int64_t>> ids("accidental hits");
    const auto trues = classes.flat<int64_t>();
    for (size_t i = 0; i < trues.size(); ++i) {
      const auto it = places->find(trues[i]);
      if (it == places->end()) continue;
      MR_RETURN_IF_ERROR(rows.MakeRoom());
      MR_RETURN_IF_ERROR(ids.MakeRoom());
      rows->push_back(
          static_cast<int32_t>(static_cast<int64_t>(i) / num_true_));
      ids->push_back(it->second);
    }
    const TensorShape shape({static_cast<int64_t>(ids->size())});
    MR_ASSIGN_OR_RETURN(Tensor* const row, ctx.AllocateOutput(0, shape));
    MR_ASSIGN_OR_RETURN(Tensor* const id, ctx.AllocateOutput(1, shape));
    MR_ASSIGN_OR_RETURN(Tensor* const weight, ctx.AllocateOutput(2, shape));
    std::copy(rows->begin(), rows->end(), row->mutable_flat<int32_t>().begin());
    std::copy(ids->begin(), ids->end(), id->mutable_flat<int64_t>().begin());
    for (float& w : weight->mutable_flat<float>()) w = -FLT_MAX;
    return OkStatus();
  }

 private:
  int64_t num_true_ = 1;
};

}  // namespace

MR_KERNELS(UniformCandidateSampler,
           Cpu){{.make = MakeKernel<SamplerKernel<SamplerKind::kUniform>>}};
MR_KERNELS(LogUniformCandidateSampler,
           Cpu){{.make = MakeKernel<SamplerKernel<SamplerKind::kLogUniform>>}};
MR_KERNELS(LearnedUnigramCandidateSampler,
           Cpu){{.make = MakeKernel<SamplerKernel<SamplerKind::kLearned>>}};
MR_KERNELS(ThreadUnsafeUnigramCandidateSampler,
           Cpu){{.make = MakeKernel<SamplerKernel<SamplerKind::kLearned>>}};
MR_KERNELS(FixedUnigramCandidateSampler, Cpu){{.make = MakeFixedUnigram}};
MR_KERNELS(AllCandidateSampler, Cpu){{.make = MakeKernel<AllSamplerKernel>}};
MR_KERNELS(ComputeAccidentalHits,
           Cpu){{.make = MakeKernel<AccidentalHitsKernel>}};

}  // namespace millrace::ops
