// GradContext: what the gradient function of an op sees and gives.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "millrace/client/gradient.h"
#include "millrace/client/gradients/gradient_decl.h"
#include "millrace/client/ops.h"

namespace millrace {

// Stands for the scope in which the gradient is built, "gradients/op_grad/".
// One thread, for one call of a gradient function.
class GradContext {
 public:
  // `dys` are those of the outputs.
  GradContext(Scope scope, Operation op, std::vector<Gradient> dys,
              std::string source, std::vector<bool> wanted);

  const Scope& scope() const { return scope_; }
  operator const Scope&() const { return scope_; }  // NOLINT

  // Another one for each call of Gradients; functions that it goes through have
  // that of the call. Tells apart the arrays of gradients of a tensor array.
  const std::string& source() const { return source_; }

  const Operation& op() const { return op_; }
  int num_inputs() const { return op_.num_inputs(); }
  int num_outputs() const { return op_.num_outputs(); }
  const Output& in(int i) const { return inputs_[static_cast<size_t>(i)]; }
  Output out(int i = 0) const { return op_.output(i); }

  // Something came back to output `i`.
  bool has_dy(int i) const {
    return static_cast<bool>(dys_[static_cast<size_t>(i)]);
  }
  const Gradient& gradient(int i = 0) const {
    return dys_[static_cast<size_t>(i)];
  }
  // That as a tensor; zeros where nothing came back, for a handle those of its
  // variable.
  Output dy(int i = 0);

  // An attribute of the op; of the type's default value after an error.
  template <class T>
  T Attr(absl::string_view name) {
    auto value = op_.Attr<T>(name);
    if (value.ok()) return *std::move(value);
    Fail(value.status());
    return T();
  }

  // What comes back to input `i` matters; what is set for others is dropped.
  bool wants(int i) const { return wanted_[static_cast<size_t>(i)]; }
  // The gradient of input `i`. Inputs that are not set have none.
  void Set(int i, Gradient dx) { dxs_[static_cast<size_t>(i)] = std::move(dx); }
  void Fail(const Status& status) {
    if (status_.ok()) status_ = status;
  }

  const Status& status() const { return status_; }
  const std::vector<Gradient>& dxs() const { return dxs_; }

 private:
  const Scope scope_;
  const Operation op_;
  const std::vector<Output> inputs_;
  std::vector<Gradient> dys_;
  std::vector<Gradient> dxs_;
  const std::string source_;
  const std::vector<bool> wanted_;
  Status status_;
};

// In the collection of a graph that is the body of a function which Gradients
// goes through: the source of that call.
inline constexpr char kSourceOfCall[] = "source of gradient arrays";

// The conjugate of complex values, others as they are.
Output ConjOf(const Scope& scope, const Output& x);

// A number of the type of `like`.
Output NumberLike(const Scope& scope, const Output& like, double value);

// `gradient` of a result that was broadcast from `shape_of`, summed over the
// dimensions that the broadcast made: for the two operands of an op. Null
// gradients stay null.
std::pair<Output, Output> ReduceBroadcast(const Scope& scope, const Output& x,
                                          const Output& y, const Output& dx,
                                          const Output& dy);
// Sets inputs 0 and 1.
void SetBroadcast(GradContext& g, const Output& dx, const Output& dy);

}  // namespace millrace
