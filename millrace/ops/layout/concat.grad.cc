#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

// Returns the dimension along which is concatenated, counted from the front, if
// it is known while the graph is built.
std::optional<int64_t> KnownAxis(const Output& axis, const Output& value) {
  const std::optional<Tensor> known = ConstantValue(axis);
  if (!known) return std::nullopt;
  const int64_t place = known->dtype() == DataType::kInt64
                            ? known->scalar<int64_t>()
                            : known->scalar<int32_t>();
  if (place >= 0) return place;
  const PartialShape shape = value.shape();
  if (!shape.known_rank()) return std::nullopt;
  return place + shape.rank();
}

// Sets the gradients of values that stand below each other: of the rows, each
// gets those that lie in it.
void SetRowsOfValues(GradContext& g, int first,
                     const std::vector<Output>& values) {
  const IndexedSlices rows = g.gradient().slices;
  const DataType type = rows.indices.dtype();
  Output begin = Const(g, 0, type);
  for (size_t i = 0; i < values.size(); ++i) {
    const Output shape = ShapeOf(g, values[i]);
    const Output end = AddV2(g, begin, Cast(g, Element(g, shape, 0), type));
    const Output lies_in = LogicalAnd(g, GreaterEqual(g, rows.indices, begin),
                                      Less(g, rows.indices, end));
    const Output places = Squeeze(g, Where(g, lies_in), {.squeeze_dims = {1}});
    g.Set(first + static_cast<int>(i),
          IndexedSlices{GatherV2(g, rows.values, places, 0),
                        Sub(g, GatherV2(g, rows.indices, places, 0), begin),
                        shape});
    begin = end;
  }
}

// Sets the gradients of values that are side by side: each gets its part of all
// rows.
void SetPartsOfRows(GradContext& g, int64_t axis, int first,
                    const std::vector<Output>& values) {
  const IndexedSlices rows = g.gradient().slices;
  std::vector<Output> shapes;
  for (const Output& value : values) shapes.push_back(ShapeOf(g, value));
  const std::vector<Output> offsets =
      ConcatOffset(g, Const(g, axis, DataType::kInt32), shapes);
  for (size_t i = 0; i < values.size(); ++i) {
    // As many rows as there are.
    const Output size =
        ConcatV2(g, {Const(g, {-1}), Part(g, shapes[i], 1, kToEnd)}, 0);
    g.Set(first + static_cast<int>(i),
          IndexedSlices{Slice(g, rows.values, offsets[i], size), rows.indices,
                        shapes[i]});
  }
}

// Sets the gradients of the values, which begin at input `first`.
void ConcatGradient(GradContext& g, const Output& axis, int first, int count) {
  if (count == 1) {
    g.Set(first, g.gradient());
    return;
  }
  std::vector<Output> values;
  for (int i = 0; i < count; ++i) values.push_back(g.in(first + i));
  if (g.gradient().is_slices()) {
    // Without a known axis, rows become a tensor.
    const std::optional<int64_t> known = KnownAxis(axis, values[0]);
    if (known && *known == 0) {
      SetRowsOfValues(g, first, values);
      return;
    }
    if (known) {
      SetPartsOfRows(g, *known, first, values);
      return;
    }
  }
  // A negative axis counts from the end, which ConcatOffset does not support.
  const Output positive =
      FloorMod(g, Cast(g, axis, DataType::kInt32), RankOf(g, values[0]));
  const std::vector<Output> shapes = ShapeN(g, values);
  const std::vector<Output> offsets = ConcatOffset(g, positive, shapes);
  for (int i = 0; i < count; ++i) {
    const size_t k = static_cast<size_t>(i);
    g.Set(first + i, Slice(g, g.dy(), offsets[k], shapes[k]));
  }
}

}  // namespace

MR_GRADIENT(Concat)(GradContext& g) {
  ConcatGradient(g, g.in(0), 1, g.num_inputs() - 1);
}
MR_GRADIENT(ConcatV2)(GradContext& g) {
  const int count = g.num_inputs() - 1;
  ConcatGradient(g, g.in(count), 0, count);
}

MR_NO_GRADIENT(ConcatOffset);

}  // namespace millrace::ops
