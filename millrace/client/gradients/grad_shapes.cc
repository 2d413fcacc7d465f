#include "millrace/client/gradients/grad_shapes.h"

#include "millrace/tensor/dispatch.h"

namespace millrace {
namespace {

Output Vector(const Scope& scope, absl::Span<const int64_t> values,
              DataType type) {
  const std::vector<int64_t> numbers(values.begin(), values.end());
  return ops::Const(scope, numbers, type);
}

// Returns a vector of integers if it is known.
std::optional<std::vector<int64_t>> KnownIntegers(const Output& vector) {
  const std::optional<Tensor> value = ConstantValue(vector);
  if (!value) return std::nullopt;
  std::vector<int64_t> numbers;
  const Status status =
      Dispatch(IntegerTypes{}, value->dtype(), [&]<class T>() {
        for (T v : value->flat<T>()) numbers.push_back(static_cast<int64_t>(v));
        return OkStatus();
      });
  if (!status.ok()) return std::nullopt;
  return numbers;
}

}  // namespace

Output ShapeOf(const Scope& scope, const Output& x, DataType type) {
  const PartialShape shape = x.shape();
  if (!shape.IsFullyDefined()) return ops::Shape(scope, x, {.out_type = type});
  return Vector(scope.WithOpName("Shape"), shape.dims(), type);
}

Output RankOf(const Scope& scope, const Output& x) {
  const PartialShape shape = x.shape();
  return shape.known_rank() ? ops::Const(scope.WithOpName("Rank"), shape.rank())
                            : ops::Rank(scope, x);
}

Output SizeOf(const Scope& scope, const Output& x, DataType type) {
  const PartialShape shape = x.shape();
  if (!shape.IsFullyDefined()) return ops::Size(scope, x, {.out_type = type});
  return ops::Const(scope.WithOpName("Size"), shape.num_elements(), type);
}

Output ZerosOfVariable(const Scope& scope, const Output& handle,
                       DataType type) {
  return ops::Fill(scope, ops::VariableShape(scope, handle),
                   ops::Const(scope, 0, type));
}

Output ReshapeLike(const Scope& scope, const Output& t, const Output& x) {
  const PartialShape shape = x.shape();
  if (shape.IsFullyDefined() && t.shape() == shape) return t;
  return ops::Reshape(scope, t, ShapeOf(scope, x));
}

Output KeptShape(const Scope& scope, const Output& x, const Output& axes) {
  const PartialShape shape = x.shape();
  const auto known_axes = KnownIntegers(axes);
  if (shape.IsFullyDefined() && known_axes) {
    PartialShape kept = shape;
    for (int64_t axis : *known_axes) {
      const int64_t i = axis < 0 ? axis + shape.rank() : axis;
      if (i >= 0 && i < shape.rank()) kept.set_dim(static_cast<int>(i), 1);
    }
    return Vector(scope.WithOpName("KeptShape"), kept.dims(), DataType::kInt32);
  }
  const Output rank = RankOf(scope, x);
  const Output flat =
      ops::Cast(scope, ops::Reshape(scope, axes, {-1}), DataType::kInt32);
  const Output positive =
      ops::FloorMod(scope, ops::AddV2(scope, flat, rank), rank);
  const Output ones = ops::Fill(scope, ops::Shape(scope, positive), 1);
  return ops::DynamicStitch(scope, {ops::Range(scope, 0, rank, 1), positive},
                            {ops::Shape(scope, x), ones});
}

Output Part(const Scope& scope, const Output& vector, int begin, int end) {
  const bool open = end == kToEnd;
  return ops::StridedSlice(scope, vector, {begin}, {open ? 0 : end}, {1},
                           {.end_mask = open ? 1 : 0});
}

Output Element(const Scope& scope, const Output& vector, int i) {
  return ops::StridedSlice(
      scope, vector, {i}, {i + 1}, {1},
      {.end_mask = i == -1 ? 1 : 0, .shrink_axis_mask = 1});
}

}  // namespace millrace
