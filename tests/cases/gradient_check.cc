#include "tests/cases/gradient_check.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "millrace/base/random.h"
#include "millrace/client/gradients.h"
#include "millrace/client/ops.h"
#include "millrace/client/session.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::cases {
namespace {

bool IsSmooth(DataType type) { return IsFloating(type) || IsComplex(type); }

// Elements as numbers, two an element for complex types.
std::vector<double> Numbers(const Tensor& t) {
  std::vector<double> numbers;
  const Status status =
      Dispatch(Join<FloatTypes, ComplexTypes>{}, t.dtype(), [&]<class T>() {
        for (const T& v : t.flat<T>()) {
          if constexpr (std::is_same_v<T, Complex64> ||
                        std::is_same_v<T, Complex128>) {
            numbers.push_back(v.real());
            numbers.push_back(v.imag());
          } else {
            numbers.push_back(static_cast<double>(v));
          }
        }
        return OkStatus();
      });
  MR_CHECK(status.ok(), status.ToString());
  return numbers;
}

Tensor FromNumbers(DataType type, const TensorShape& shape,
                   const std::vector<double>& numbers) {
  Tensor t = Tensor::New(type, shape);
  size_t next = 0;
  const Status status =
      Dispatch(Join<FloatTypes, ComplexTypes>{}, type, [&]<class T>() {
        for (T& v : t.mutable_flat<T>()) {
          if constexpr (std::is_same_v<T, Complex64> ||
                        std::is_same_v<T, Complex128>) {
            using R = typename T::value_type;
            v = T(static_cast<R>(numbers[next]),
                  static_cast<R>(numbers[next + 1]));
            next += 2;
          } else {
            v = T(numbers[next++]);
          }
        }
        return OkStatus();
      });
  MR_CHECK(status.ok(), status.ToString());
  return t;
}

Tensor Weights(const Tensor& like, uint64_t seed) {
  return RandomTensor(like.dtype(), like.shape(), 0.5, 1.5, seed);
}

// The graph, run with other values of its inputs.
class Probe {
 public:
  Probe(const GraphFunction& function, const std::vector<Tensor>& inputs,
        bool shapes_known)
      : session_(scope_) {
    for (const Tensor& input : inputs) {
      inputs_.push_back(
          ops::Placeholder(scope_, input.dtype(),
                           {.shape = shapes_known ? PartialShape(input.shape())
                                                  : PartialShape()}));
    }
    for (const Output& output : function(scope_, inputs_)) {
      if (IsSmooth(output.dtype())) outputs_.push_back(output);
    }
  }

  const Scope& scope() const { return scope_; }
  const std::vector<Output>& inputs() const { return inputs_; }
  const std::vector<Output>& outputs() const { return outputs_; }

  StatusOr<std::vector<Tensor>> Run(const std::vector<Tensor>& values,
                                    const std::vector<Output>& fetches) {
    std::vector<Feed> feeds;
    for (size_t i = 0; i < values.size(); ++i)
      feeds.push_back({inputs_[i], values[i]});
    return session_.Run(feeds, fetches);
  }

  // The outputs' sum, weighted.
  StatusOr<double> Value(const std::vector<Tensor>& values) {
    MR_ASSIGN_OR_RETURN(const std::vector<Tensor> out, Run(values, outputs_));
    double sum = 0;
    for (size_t i = 0; i < out.size(); ++i) {
      const std::vector<double> y = Numbers(out[i]);
      const std::vector<double> w = Numbers(Weights(out[i], i));
      for (size_t k = 0; k < y.size(); ++k) sum += y[k] * w[k];
    }
    return sum;
  }

 private:
  const Scope scope_ = Scope::NewRoot();
  std::vector<Output> inputs_;
  std::vector<Output> outputs_;
  Session session_;
};

StatusOr<std::vector<double>> Slopes(Probe& probe,
                                     const std::vector<Tensor>& inputs,
                                     size_t which, double step) {
  std::vector<Tensor> values = inputs;
  std::vector<double> numbers = Numbers(inputs[which]);
  std::vector<double> slopes;
  for (size_t k = 0; k < numbers.size(); ++k) {
    const double at = numbers[k];
    const auto value_at = [&](double x) {
      numbers[k] = x;
      values[which] =
          FromNumbers(inputs[which].dtype(), inputs[which].shape(), numbers);
      return probe.Value(values);
    };
    MR_ASSIGN_OR_RETURN(const double above, value_at(at + step));
    MR_ASSIGN_OR_RETURN(const double below, value_at(at - step));
    numbers[k] = at;
    slopes.push_back((above - below) / (2 * step));
  }
  return slopes;
}

StatusOr<std::vector<Gradient>> Build(Probe& probe,
                                      const std::vector<Tensor>& inputs,
                                      const std::vector<int>& which) {
  MR_ASSIGN_OR_RETURN(const std::vector<Tensor> out,
                      probe.Run(inputs, probe.outputs()));
  ops::GradientsOptions options;
  for (size_t i = 0; i < out.size(); ++i) {
    options.grad_ys.emplace_back(ops::Const(probe.scope(), Weights(out[i], i)));
  }
  std::vector<Output> xs;
  for (int i : which) xs.push_back(probe.inputs()[static_cast<size_t>(i)]);
  std::vector<Gradient> gradients =
      ops::Gradients(probe.scope(), probe.outputs(), xs, options);
  MR_RETURN_IF_ERROR(probe.scope().status());
  return gradients;
}

std::string Compare(const std::vector<double>& got,
                    const std::vector<double>& want, double tolerance) {
  if (got.size() != want.size()) {
    return absl::StrCat("has ", got.size(), " numbers, expected ", want.size());
  }
  double scale = 1;
  for (double x : want) scale = std::max(scale, std::abs(x));
  for (size_t k = 0; k < got.size(); ++k) {
    if (!(std::abs(got[k] - want[k]) <= tolerance * scale)) {
      return absl::StrCat("is ", got[k], " at ", k, ", the slope is ", want[k]);
    }
  }
  return "";
}

StatusOr<std::string> Check(const GraphFunction& function,
                            const std::vector<Tensor>& inputs,
                            const std::vector<int>& which,
                            const GradientCheck& check) {
  std::vector<std::vector<double>> slopes;
  for (const bool shapes_known : {true, false}) {
    const char* mode = shapes_known ? "" : " (unknown shapes)";
    Probe probe(function, inputs, shapes_known);
    MR_RETURN_IF_ERROR(probe.scope().status());
    MR_ASSIGN_OR_RETURN(const std::vector<Gradient> gradients,
                        Build(probe, inputs, which));
    std::vector<Output> tensors;
    for (size_t i = 0; i < which.size(); ++i) {
      Output tensor = ops::ToTensor(probe.scope(), gradients[i]);
      const Output& x = probe.inputs()[static_cast<size_t>(which[i])];
      tensors.push_back(tensor ? tensor : ops::ZerosLike(probe.scope(), x));
    }
    MR_ASSIGN_OR_RETURN(const std::vector<Tensor> got,
                        probe.Run(inputs, tensors));
    for (size_t i = 0; i < which.size(); ++i) {
      const size_t input = static_cast<size_t>(which[i]);
      if (shapes_known) {
        MR_ASSIGN_OR_RETURN(slopes.emplace_back(),
                            Slopes(probe, inputs, input, check.step));
      }
      if (!(got[i].shape() == inputs[input].shape())) {
        return absl::StrCat("gradient ", input, mode, " has shape ",
                            got[i].shape().DebugString(), ", the input ",
                            inputs[input].shape().DebugString());
      }
      const std::string difference =
          Compare(Numbers(got[i]), slopes[i], check.tolerance);
      if (!difference.empty())
        return absl::StrCat("gradient ", input, mode, " ", difference);
    }
  }
  return std::string();
}

}  // namespace

std::string CheckGradient(const GraphFunction& function,
                          const std::vector<Tensor>& inputs,
                          const GradientCheck& check) {
  std::vector<int> which = check.inputs;
  if (which.empty()) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (IsSmooth(inputs[i].dtype())) which.push_back(static_cast<int>(i));
    }
  }
  const auto first = Check(function, inputs, which, check);
  if (!first.ok()) return first.status().ToString();
  if (!first->empty() || !check.second) return *first;
  // The gradients as a function of the same inputs, at other weights.
  const GraphFunction derivative = [&](const Scope& scope,
                                       const std::vector<Output>& xs) {
    std::vector<Output> ys;
    for (const Output& y : function(scope, xs)) {
      if (IsSmooth(y.dtype()))
        ys.push_back(ops::Mul(scope, y, ops::Mul(scope, y, 0.5)));
    }
    std::vector<Output> at;
    for (int i : which) at.push_back(xs[static_cast<size_t>(i)]);
    std::vector<Gradient> ones;
    for (const Output& y : ys) ones.emplace_back(ops::OnesLike(scope, y));
    std::vector<Output> result;
    for (const Gradient& g : ops::Gradients(scope, ys, at, {.grad_ys = ones})) {
      if (g) result.push_back(ops::ToTensor(scope, g));
    }
    return result;
  };
  const auto second = Check(derivative, inputs, which, check);
  if (!second.ok()) return absl::StrCat("second: ", second.status().ToString());
  return second->empty() ? "" : absl::StrCat("second: ", *second);
}

Tensor RandomTensor(DataType type, TensorShape shape, double lo, double hi,
                    uint64_t seed) {
  Rng rng(seed + 1);
  std::vector<double> numbers(static_cast<size_t>(shape.num_elements()) *
                              (IsComplex(type) ? 2 : 1));
  for (double& x : numbers) x = lo + (hi - lo) * rng.Double();
  return FromNumbers(type, shape, numbers);
}

}  // namespace millrace::cases
