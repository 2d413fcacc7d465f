// The reference convolution: channels last, one loop over the windows of a
// pixel.
#include <algorithm>
#include <vector>

#include "millrace/ops/convolution/conv_patches.h"
#include "millrace/ops/convolution/conv_problem.h"
#include "millrace/ops/convolution/conv_taps.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/float_blocks.h"

namespace millrace::ops {
namespace {

template <class T>
MR_TARGET_CLONES void MultiplyAdd(T x, const T* y, T* z, int64_t n) {
  for (int64_t i = 0; i < n; ++i) z[i] += x * y[i];
}

// Requires: channels are last; T is float, double or uint32_t.
template <class T>
class PlainConv {
 public:
  PlainConv(const ConvProblem& p, const T* x, const T* f, const T* y)
      : p_(p),
        in_(p.in_depth / p.groups),
        out_(p.out_depth / p.groups),
        x_(x),
        f_(f),
        y_(y) {}

  Status Forward(KernelContext& ctx, T* y) const {
    const int64_t pixels = p_.batch * p_.OutputPixels();
    return ctx.ParallelFor(
        pixels, p_.MultiplyAdds() / pixels + 1,
        [&](int64_t begin, int64_t end) {
          std::fill(y + begin * p_.out_depth, y + end * p_.out_depth, T(0));
          ForTaps(p_, begin, end, [&](int64_t o, int64_t tap, int64_t i) {
            for (int64_t c = 0; c < p_.in_depth; ++c) {
              MultiplyAdd(x_[i * p_.in_depth + c], f_ + FilterAt(tap, c),
                          y + o * p_.out_depth + c / in_ * out_, out_);
            }
          });
        });
  }

  // A unit of work is one image, so that threads write to different parts.
  Status Input(KernelContext& ctx, T* x) const {
    const int64_t pixels = p_.OutputPixels();
    const int64_t image = p_.InputPixels() * p_.in_depth;
    return ctx.ParallelFor(
        p_.batch, p_.MultiplyAdds() / p_.batch + 1,
        [&](int64_t begin, int64_t end) {
          std::fill(x + begin * image, x + end * image, T(0));
          ForSomeTaps(ctx, begin * pixels, end * pixels,
                      [&](int64_t o, int64_t tap, int64_t i) {
                        for (int64_t c = 0; c < p_.in_depth; ++c) {
                          const T* f = f_ + FilterAt(tap, c);
                          const T* y = y_ + o * p_.out_depth + c / in_ * out_;
                          T sum(0);
                          for (int64_t k = 0; k < out_; ++k) sum += f[k] * y[k];
                          x[i * p_.in_depth + c] += sum;
                        }
                      });
        });
  }

  // A unit of work is an input channel of a group.
  Status Filter(KernelContext& ctx, T* f) const {
    const int64_t pixels = p_.batch * p_.OutputPixels();
    std::fill(f, f + p_.FilterSize(), T(0));
    return ctx.ParallelFor(
        p_.in_depth, p_.MultiplyAdds() / p_.in_depth + 1,
        [&](int64_t begin, int64_t end) {
          ForSomeTaps(ctx, 0, pixels, [&](int64_t o, int64_t tap, int64_t i) {
            for (int64_t c = begin; c < end; ++c) {
              MultiplyAdd(x_[i * p_.in_depth + c],
                          y_ + o * p_.out_depth + c / in_ * out_,
                          f + FilterAt(tap, c), out_);
            }
          });
        });
  }

 private:
  // Calls f for the taps of output pixels [begin, end), which may take hours,
  // until the step is cancelled.
  template <class F>
  void ForSomeTaps(const KernelContext& ctx, int64_t begin, int64_t end,
                   F&& f) const {
    constexpr int64_t kAddsPerCheck = int64_t{1} << 27;
    const int64_t pixels = p_.batch * p_.OutputPixels();
    const int64_t at_once =
        kAddsPerCheck / (p_.MultiplyAdds() / pixels + 1) + 1;
    for (int64_t o = begin; o < end; o += at_once) {
      if (o > begin && !ctx.CheckCancelled().ok()) return;
      ForTaps(p_, o, std::min(end, o + at_once), f);
    }
  }

  // Returns where the filter's row of output channels begins for a tap and an
  // input channel.
  int64_t FilterAt(int64_t tap, int64_t channel) const {
    return (tap * in_ + channel % in_) * p_.out_depth + channel / in_ * out_;
  }

  const ConvProblem& p_;
  const int64_t in_, out_;  // channels in a group
  const T *x_, *f_, *y_;
};

// Transposes [n, a, b] to [n, b, a].
template <class T>
void SwapLast(const T* from, T* to, int64_t n, int64_t a, int64_t b) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < b; ++k) {
      for (int64_t j = 0; j < a; ++j) {
        to[(i * b + k) * a + j] = from[(i * a + j) * b + k];
      }
    }
  }
}

template <class T>
Status RunLast(KernelContext& ctx, ConvPass pass, const ConvProblem& p,
               const ConvData& data) {
  T* x = reinterpret_cast<T*>(data.input);
  T* f = reinterpret_cast<T*>(data.filter);
  T* y = reinterpret_cast<T*>(data.output);
  if constexpr (!std::is_same_v<T, float>) {
    if (p.groups == 1) return RunPatchConv<T>(ctx, pass, p, x, f, y);
  }
  const PlainConv<T> conv(p, x, f, y);
  if (pass == ConvPass::kForward) return conv.Forward(ctx, y);
  return pass == ConvPass::kInput ? conv.Input(ctx, x) : conv.Filter(ctx, f);
}

template <class T>
Status RunTyped(KernelContext& ctx, ConvPass pass, const ConvProblem& p,
                ConvData data) {
  if (!p.channels_first) return RunLast<T>(ctx, pass, p, data);
  MR_ASSIGN_OR_RETURN(
      Tensor transposed,
      ctx.AllocateTemp(DataTypeOf<T>,
                       TensorShape({p.InputSize() + p.OutputSize()})));
  T* x = transposed.mutable_flat<T>().data();
  T* y = x + p.InputSize();
  T* given_x = reinterpret_cast<T*>(data.input);
  T* given_y = reinterpret_cast<T*>(data.output);
  if (pass != ConvPass::kInput) {
    SwapLast(given_x, x, p.batch, p.in_depth, p.InputPixels());
  }
  if (pass != ConvPass::kForward) {
    SwapLast(given_y, y, p.batch, p.out_depth, p.OutputPixels());
  }
  data.input = reinterpret_cast<char*>(x);
  data.output = reinterpret_cast<char*>(y);
  MR_RETURN_IF_ERROR(RunLast<T>(ctx, pass, p, data));
  if (pass == ConvPass::kInput) {
    SwapLast(x, given_x, p.batch, p.InputPixels(), p.in_depth);
  } else if (pass == ConvPass::kForward) {
    SwapLast(y, given_y, p.batch, p.OutputPixels(), p.out_depth);
  }
  return OkStatus();
}

}  // namespace

Status RunPlainConv(KernelContext& ctx, ConvPass pass, const ConvProblem& p,
                    const ConvData& data) {
  switch (p.type) {
    case DataType::kFloat:
      return RunTyped<float>(ctx, pass, p, data);
    case DataType::kDouble:
      return RunTyped<double>(ctx, pass, p, data);
    case DataType::kInt32:
      return RunTyped<uint32_t>(ctx, pass, p, data);
    default:
      return ConvThroughFloat(ctx, pass, p, data, RunPlainConv);
  }
}

Status ConvThroughFloat(KernelContext& ctx, ConvPass pass, const ConvProblem& p,
                        const ConvData& data, ConvFunction run) {
  const int64_t sizes[3] = {p.InputSize(), p.FilterSize(), p.OutputSize()};
  char* const given[3] = {data.input, data.filter, data.output};
  const int result = pass == ConvPass::kForward ? 2
                     : pass == ConvPass::kInput ? 0
                                                : 1;
  MR_ASSIGN_OR_RETURN(
      Tensor floats,
      ctx.AllocateTemp(DataType::kFloat,
                       TensorShape({sizes[0] + sizes[1] + sizes[2]})));
  float* const x = floats.mutable_flat<float>().data();
  float* const parts[3] = {x, x + sizes[0], x + sizes[0] + sizes[1]};
  for (int i = 0; i < 3; ++i) {
    if (i == result) continue;
    MR_RETURN_IF_ERROR(
        ShardElements(ctx, sizes[i], 300, [&](int64_t begin, int64_t end) {
          ToFloats(p.type, given[i] + begin * 2, parts[i] + begin, end - begin);
        }));
  }
  ConvProblem q = p;
  q.type = DataType::kFloat;
  MR_RETURN_IF_ERROR(
      run(ctx, pass, q,
          {reinterpret_cast<char*>(parts[0]), reinterpret_cast<char*>(parts[1]),
           reinterpret_cast<char*>(parts[2])}));
  return ShardElements(ctx, sizes[result], 300,
                       [&](int64_t begin, int64_t end) {
                         FromFloats(p.type, parts[result] + begin,
                                    given[result] + begin * 2, end - begin);
                       });
}

}  // namespace millrace::ops
