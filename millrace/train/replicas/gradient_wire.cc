#include "millrace/train/replicas/gradient_wire.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/client/control_flow_context.h"
#include "millrace/client/ops.h"

namespace millrace::train {
namespace {

// The two ends of a gradient's way.
struct WireEnds {
  Scope here;   // where it is computed
  Scope there;  // where its variable is
};

bool IsLongFloat(DataType type) {
  return type == DataType::kFloat || type == DataType::kDouble;
}

// Returns the shape of a dense gradient as far as it is known.
PartialShape KnownShape(const Output& gradient, const ops::Variable& variable) {
  const PartialShape shape = variable.shape();
  return shape.IsFullyDefined() ? shape : gradient.shape();
}

// Returns the number of elements if it is known.
std::optional<int64_t> KnownSize(const PartialShape& shape) {
  const StatusOr<TensorShape> known = shape.AsTensorShape();
  if (!known.ok()) return std::nullopt;
  return known->num_elements();
}

int64_t NumberSent(int64_t size, double fraction) {
  const double part = std::ceil(fraction * static_cast<double>(size));
  return std::clamp<int64_t>(static_cast<int64_t>(part), 1, size);
}

Output RoundedOnTheWay(const WireEnds& ends, const Output& values) {
  return ops::Cast(ends.there,
                   ops::Cast(ends.here, values, DataType::kBfloat16),
                   values.dtype());
}

// The choice of the largest elements of one dense gradient.
class TopK {
 public:
  TopK(const WireEnds& ends, const Output& gradient,
       const ops::Variable& variable, const GradientWire& wire)
      : ends_(ends),
        gradient_(gradient),
        variable_(variable),
        wire_(wire),
        shape_(KnownShape(gradient, variable)),
        size_(KnownSize(shape_)),
        // Small parts of small numbers add up, which 16 bits could not hold.
        type_(IsLongFloat(gradient.dtype()) ? gradient.dtype()
                                            : DataType::kFloat),
        index_type_(size_ && *size_ <= std::numeric_limits<int32_t>::max()
                        ? DataType::kInt32
                        : DataType::kInt64) {}

  bool IsSentWhole() const {
    return size_ && (*size_ <= wire_.whole_up_to ||
                     NumberSent(*size_, wire_.fraction) * 2 >= *size_);
  }

  Output Send() const {
    const Scope& here = ends_.here;
    Output flat = ops::Reshape(here, gradient_, {-1});
    if (type_ != gradient_.dtype()) flat = ops::Cast(here, flat, type_);
    const ops::Variable residual = NewResidual();
    if (!residual) return {};
    // Read after the gradient is there: in a loop that is each time anew.
    const Output sum = ops::AddV2(
        here, flat,
        Kept(residual.Read(here.WithControlDependencies({gradient_})), flat));
    const Output places =
        ops::TopKV2(here, Magnitude(sum), Count(flat),
                    {.sorted = false, .index_type = index_type_})
            .indices;
    const Output chosen = ops::GatherV2(here, sum, places, 0);
    const Output rows = ops::ExpandDims(here, places, 1);
    // Once the others have read the sum, it is changed in place.
    const Output rest =
        ops::TensorScatterUpdate(here.WithControlDependencies({chosen}), sum,
                                 rows, ops::ZerosLike(here, chosen));
    const Output numbers = ops::SelectV2(here, ops::IsFinite(here, rest), rest,
                                         ops::Const(here, 0, type_));
    const Operation kept =
        ops::AssignVariableOp(here, residual.handle(), numbers);
    const Scope after = here.WithControlDependencies({kept});
    const Output sent = type_ == gradient_.dtype()
                            ? ops::Identity(after, chosen)
                            : ops::Cast(after, chosen, gradient_.dtype());
    return Restore(rows, sent, flat);
  }

 private:
  // Returns zeros, outside of the loops and conditionals that the gradient may
  // be in. Without a known size they are none: see Kept.
  ops::Variable NewResidual() const {
    const Scope& here = ends_.here;
    const std::shared_ptr<ControlFlowContext> context =
        here.graph().control_flow_context();
    here.graph().SetControlFlowContext(nullptr);
    const ops::Variable residual(
        here.SubScope("").WithoutControlDependencies().WithOpName(
            absl::StrCat(variable_.op_name(), "/gradient_residual")),
        [this](const Scope& s) {
          return ops::Fill(s, Tensor::Vector<int64_t>({size_.value_or(0)}),
                           ops::Const(s, 0, type_));
        },
        {.trainable = false,
         .collections = {graph_keys::kLocalVariables},
         .use_resource = true,
         .validate_shape = size_.has_value()});
    here.graph().SetControlFlowContext(context);
    return residual;
  }

  // Returns the residual, or zeros if its size is not that of the gradient.
  Output Kept(const Output& residual, const Output& flat) const {
    if (size_) return residual;
    const Scope& here = ends_.here;
    const auto size = [&](const Output& values) {
      return ops::Size(here, values, {.out_type = DataType::kInt64});
    };
    const Output wanted = size(flat);
    const Output zeros = ops::SelectV2(
        here, ops::Equal(here, size(residual), wanted), int64_t{0}, wanted);
    const Output same =
        ops::Slice(here, residual, {int64_t{0}},
                   ops::ExpandDims(here, ops::Sub(here, wanted, zeros), 0));
    return ops::ConcatV2(here,
                         {same, ops::Fill(here, ops::ExpandDims(here, zeros, 0),
                                          ops::Const(here, 0, type_))},
                         0);
  }

  // Returns integers in the order of magnitudes. Those are the bits without the
  // sign, of which NaN has the largest.
  Output Magnitude(const Output& values) const {
    const Scope& here = ends_.here;
    if (type_ == DataType::kDouble) {
      return ops::BitwiseAnd(here, ops::Bitcast(here, values, DataType::kInt64),
                             std::numeric_limits<int64_t>::max());
    }
    return ops::BitwiseAnd(here, ops::Bitcast(here, values, DataType::kInt32),
                           std::numeric_limits<int32_t>::max());
  }

  Output Count(const Output& flat) const {
    const Scope& here = ends_.here;
    if (size_) {
      const int64_t count = NumberSent(*size_, wire_.fraction);
      return ops::Const(here, count, index_type_);
    }
    const Output size = ops::Size(here, flat, {.out_type = DataType::kInt64});
    const Output part =
        ops::Ceil(here, ops::Mul(here, ops::Cast(here, size, DataType::kDouble),
                                 wire_.fraction));
    const Output at_least_one =
        ops::Maximum(here, ops::Cast(here, part, DataType::kInt64), int64_t{1});
    return ops::Minimum(here, at_least_one, size);
  }

  // Returns the dense gradient beside the variable.
  Output Restore(const Output& rows, const Output& values,
                 const Output& flat) const {
    const Scope& there = ends_.there;
    if (!size_) {
      const Output size =
          ops::Shape(ends_.here, flat, {.out_type = index_type_});
      return ops::Reshape(there, ops::ScatterNd(there, rows, values, size),
                          ops::Shape(ends_.here, gradient_));
    }
    const Output dense = ops::ScatterNd(
        there, rows, values, ops::Const(there, {*size_}, index_type_));
    const auto sizes = shape_.AsTensorShape()->dims();
    const std::vector<int64_t> dims(sizes.begin(), sizes.end());
    return ops::Reshape(there, dense,
                        Tensor::Vector<int64_t>(absl::MakeConstSpan(dims)));
  }

  const WireEnds& ends_;
  const Output& gradient_;
  const ops::Variable& variable_;
  const GradientWire& wire_;
  const PartialShape shape_;
  const std::optional<int64_t> size_;
  const DataType type_;  // of the residual
  const DataType index_type_;
};

Gradient Sent(const Scope& scope, const GradientAndVariable& pair,
              const GradientWire& wire) {
  const auto& [gradient, variable] = pair;
  const bool is_rows = gradient.is_slices();
  const Output& values = is_rows ? gradient.slices.values : gradient.tensor;
  const Scope block = scope.SubScope(variable.op_name()).WithoutColocation();
  const WireEnds ends = {.here = block.ColocateWith(values),
                         .there = block.ColocateWith(variable.handle())};
  if (wire.form == GradientWire::Form::kBfloat16) {
    if (!IsLongFloat(values.dtype())) return gradient;
    const Output arrived = RoundedOnTheWay(ends, values);
    if (!is_rows) return arrived;
    IndexedSlices rows = gradient.slices;
    rows.values = arrived;
    return rows;
  }
  if (is_rows || !IsFloating(values.dtype())) return gradient;
  const TopK top_k(ends, values, variable, wire);
  return top_k.IsSentWhole() ? gradient : Gradient(top_k.Send());
}

}  // namespace

std::vector<GradientAndVariable> OnTheWire(
    const Scope& scope, const std::vector<GradientAndVariable>& gradients,
    const GradientWire& wire) {
  // A NaN is in no bounds.
  if (!(wire.fraction > 0 && wire.fraction <= 1)) {
    scope.Fail(InvalidArgument(
        "a gradient wire needs a fraction above 0 and up to 1, got ",
        wire.fraction));
    return {};
  }
  if (wire.whole_up_to < 0) {
    scope.Fail(InvalidArgument(
        "a gradient wire sends gradients of up to 0 or more elements whole, "
        "got whole_up_to = ",
        wire.whole_up_to));
    return {};
  }
  if (wire.form == GradientWire::Form::kFloat) return gradients;
  const Scope block = scope.SubScope("gradient_wire");
  std::vector<GradientAndVariable> arrived;
  for (const GradientAndVariable& pair : gradients) {
    arrived.push_back(
        pair.gradient && pair.variable
            ? GradientAndVariable{Sent(block, pair, wire), pair.variable}
            : pair);
  }
  return arrived;
}

}  // namespace millrace::train
