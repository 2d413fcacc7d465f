// GradContext: the inputs and outputs of an op's gradient function.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "millrace/client/gradient.h"
#include "millrace/client/gradients/gradient_decl.h"
#include "millrace/client/ops.h"

namespace millrace {

// Converts to the scope in which the gradient is built, "gradients/op_grad/".
// Not thread-safe; used for one call of a gradient function.
class GradContext {
 public:
  // `dys` are the gradients of the outputs.
  GradContext(Scope scope, Operation op, std::vector<Gradient> dys,
              std::string source, std::vector<bool> wanted);

  const Scope& scope() const { return scope_; }
  operator const Scope&() const { return scope_; }  // NOLINT

  // Differs for each call of Gradients; functions that the call differentiates
  // have its source. Distinguishes the arrays of gradients of a tensor array.
  const std::string& source() const { return source_; }

  const Operation& op() const { return op_; }
  int num_inputs() const { return op_.num_inputs(); }
  int num_outputs() const { return op_.num_outputs(); }
  // An attribute may name the gradient of another op for a node, so numbers of
  // inputs and outputs are checked: there is nothing at places that the node
  // does not have, and to ask for them fails.
  const Output& in(int i) const { return At(inputs_, i); }
  Output out(int i = 0) const {
    return Has(op_.num_outputs(), i) ? op_.output(i) : Output();
  }

  // Returns whether output `i` has an incoming gradient.
  bool has_dy(int i) const { return static_cast<bool>(At(dys_, i)); }
  const Gradient& gradient(int i = 0) const { return At(dys_, i); }
  // Returns it as a dense tensor; zeros if there is none, for a handle those of
  // its variable.
  Output dy(int i = 0);

  // Returns an attribute of the op; the type's default value after an error.
  template <class T>
  T Attr(absl::string_view name) {
    auto value = op_.Attr<T>(name);
    if (value.ok()) return *std::move(value);
    Fail(value.status());
    return T();
  }

  // Returns whether the gradient of input `i` is needed; gradients set for
  // others are dropped.
  bool wants(int i) const {
    return Has(num_inputs(), i) && wanted_[static_cast<size_t>(i)];
  }
  // Sets the gradient of input `i`. Inputs that are not set have none.
  void Set(int i, Gradient dx) {
    if (Has(num_inputs(), i)) dxs_[static_cast<size_t>(i)] = std::move(dx);
  }
  void Fail(const Status& status) {
    if (status_.ok()) status_ = status;
  }

  const Status& status() const { return status_; }
  const std::vector<Gradient>& dxs() const { return dxs_; }

 private:
  bool Has(int count, int i) const {
    if (i >= 0 && i < count) return true;
    NoSuchPlace(i);
    return false;
  }
  template <class T>
  const T& At(const std::vector<T>& values, int i) const {
    static const T kNothing;
    return Has(static_cast<int>(values.size()), i)
               ? values[static_cast<size_t>(i)]
               : kNothing;
  }
  void NoSuchPlace(int i) const;

  const Scope scope_;
  const Operation op_;
  const std::vector<Output> inputs_;
  std::vector<Gradient> dys_;
  std::vector<Gradient> dxs_;
  const std::string source_;
  const std::vector<bool> wanted_;
  mutable Status status_;
};

// Key of a collection in the body of a function that Gradients differentiates:
// holds the source of that call.
inline constexpr char kSourceOfCall[] = "source of gradient arrays";

// Returns the conjugate of complex values, and others unchanged.
Output ConjOf(const Scope& scope, const Output& x);

// Returns `f` of a gradient, where `f` changes each element alone and leaves 0
// as it is: rows stay rows, and only their values are changed.
template <class F>
Gradient OfEachElement(const Gradient& gradient, const F& f) {
  if (!gradient.is_slices()) return f(gradient.tensor);
  IndexedSlices rows = gradient.slices;
  rows.values = f(rows.values);
  return rows;
}

// Returns a number of the type of `like`.
Output NumberLike(const Scope& scope, const Output& like, double value);

// Returns `dx` and `dy`, the gradients of a broadcast result, each summed over
// the dimensions in which its operand `x` or `y` was broadcast. Null gradients
// stay null.
std::pair<Output, Output> ReduceBroadcast(const Scope& scope, const Output& x,
                                          const Output& y, const Output& dx,
                                          const Output& dy);
// Sets the gradients of inputs 0 and 1 in this way.
void SetBroadcast(GradContext& g, const Output& dx, const Output& dy);

}  // namespace millrace
