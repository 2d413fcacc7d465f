#include <algorithm>
#include <cmath>
#include <vector>

#include "millrace/base/random.h"
#include "millrace/graph/attr/int32_attr.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/random/range_sampler.h"

namespace millrace::ops {
namespace {

// Returns the sums of the weights up to each word. If no weight is positive,
// all words are as likely.
std::vector<double> SumsOfWeights(absl::Span<const int64_t> counts) {
  std::vector<double> sums;
  sums.reserve(counts.size());
  double sum = 0;
  for (const int64_t count : counts) {
    if (count > 0) sum += std::pow(static_cast<double>(count), 0.75);
    sums.push_back(sum);
  }
  if (sum > 0) return sums;
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i] = static_cast<double>(i) + 1;
  }
  return sums;
}

// Adds `scale` * from to `to`.
void AddScaled(float scale, const float* from, int64_t n, float* to) {
  for (int64_t d = 0; d < n; ++d) to[d] += from[d] * scale;
}

float DotProduct(const float* a, const float* b, int64_t n) {
  float sum = 0;
  for (int64_t d = 0; d < n; ++d) sum += a[d] * b[d];
  return sum;
}

class NegTrainKernel {
 public:
  static StatusOr<NegTrainKernel> Make(const KernelInit& init) {
    NegTrainKernel k;
    MR_ASSIGN_OR_RETURN(const std::vector<int64_t> counts,
                        init.Attr<std::vector<int64_t>>("vocab_count"));
    MR_ASSIGN_OR_RETURN(k.negatives_,
                        init.Attr<int64_t>("num_negative_samples"));
    for (const int64_t count : counts) {
      MR_RETURN_IF_ERROR(CheckInt32Attr("vocab_count", count));
    }
    MR_RETURN_IF_ERROR(CheckInt32Attr("num_negative_samples", k.negatives_));
    k.sums_ = SumsOfWeights(counts);
    return k;
  }

  Status Run(KernelContext& ctx) const {
    Variable* const tables[] = {ctx.ref_input(0), ctx.ref_input(1)};
    MR_ASSIGN_OR_RETURN(
        const VariableRows rows,
        VariableRows::Make(tables, VariableRows::kUpdate, ctx.allocator()));
    MR_RETURN_IF_ERROR(Check(ctx, rows));
    const auto examples = ctx.input(2).flat<int32_t>();
    const auto labels = ctx.input(3).flat<int32_t>();
    Philox4x32 generator(RandomUint64());
    SamplerBits bits(&generator);
    const auto size = static_cast<size_t>(rows.value(0).dim(1));
    std::vector<float> in(size), change(size);
    for (size_t i = 0; i < examples.size(); ++i) {
      MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      {
        const auto lock = rows.Lock(examples[i]);
        std::copy_n(Row(rows, 0, examples[i]), size, in.begin());
      }
      std::fill(change.begin(), change.end(), 0.0f);
      Learn(rows, labels[i], 1, ScalarRate(ctx), in, &change);
      for (int64_t k = 0; k < negatives_; ++k) {
        if (k % kSamplesPerCheck == kSamplesPerCheck - 1) {
          MR_RETURN_IF_ERROR(ctx.CheckCancelled());
        }
        const int64_t sample = Draw(bits);
        if (sample == labels[i]) continue;
        Learn(rows, sample, -1, ScalarRate(ctx), in, &change);
      }
      const auto lock = rows.Lock(examples[i]);
      AddScaled(1, change.data(), static_cast<int64_t>(size),
                Row(rows, 0, examples[i]));
    }
    return OkStatus();
  }

 private:
  static constexpr int64_t kSamplesPerCheck = 1 << 12;

  static float ScalarRate(KernelContext& ctx) {
    return ctx.input(4).scalar<float>();
  }

  static float* Row(const VariableRows& rows, int table, int64_t row) {
    return rows.mutable_elements<float>(table) + row * rows.value(0).dim(1);
  }

  Status Check(KernelContext& ctx, const VariableRows& rows) const {
    const TensorShape& shape = rows.value(0).shape();
    const Tensor& examples = ctx.input(2);
    const Tensor& labels = ctx.input(3);
    if (shape.rank() != 2) return InvalidArgument("Must be a matrix");
    if (!(shape == rows.value(1).shape()))
      return InvalidArgument("w_in.shape == w_out.shape");
    if (examples.rank() != 1) return InvalidArgument("Must be a vector");
    if (!(examples.shape() == labels.shape()))
      return InvalidArgument("examples.shape == labels.shape");
    if (ctx.input(4).rank() != 0) return InvalidArgument("Must be a scalar");
    if (shape.dim(0) != static_cast<int64_t>(sums_.size())) {
      return InvalidArgument("vocab_size mismatches: ", shape.dim(0), " vs. ",
                             sums_.size());
    }
    for (const Tensor* words : {&examples, &labels}) {
      for (const int32_t word : words->flat<int32_t>()) {
        if (word >= 0 && word < shape.dim(0)) continue;
        return InvalidArgument("word ", word, " is not in [0, ", shape.dim(0),
                               ")");
      }
    }
    return OkStatus();
  }

  // Raises (sign 1) or lowers (-1) the product of `in` with a row of w_out, and
  // adds to `change` what does so in w_in.
  static void Learn(const VariableRows& rows, int64_t word, int sign,
                    float rate, const std::vector<float>& in,
                    std::vector<float>* change) {
    const auto n = static_cast<int64_t>(in.size());
    const auto lock = rows.Lock(word);
    float* const out = Row(rows, 1, word);
    const float product = DotProduct(in.data(), out, n);
    const auto s = static_cast<float>(sign);
    const float gradient = s / (std::exp(s * product) + 1.0f);
    AddScaled(gradient * rate, out, n, change->data());
    AddScaled(gradient * rate, in.data(), n, out);
  }

  int64_t Draw(SamplerBits& bits) const {
    const double limit = bits.Double() * sums_.back();
    const auto it = std::upper_bound(sums_.begin(), sums_.end(), limit);
    return std::min<int64_t>(it - sums_.begin(),
                             static_cast<int64_t>(sums_.size()) - 1);
  }

  int64_t negatives_ = 0;
  std::vector<double> sums_;
};

}  // namespace

MR_KERNELS(NegTrain, Cpu){{.make = MakeKernel<NegTrainKernel>}};

}  // namespace millrace::ops
