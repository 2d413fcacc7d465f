#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {

// Makes the tensor of the numbers of the rows of values, in which -1 is where
// the result has the default value.
MR_GRADIENT(RaggedTensorToTensor)(GradContext& g) {
  const auto names = g.Attr<AttrValue::StringList>("row_partition_types");
  const bool has_rows = !names.empty() && names[0] == "FIRST_DIM_SIZE";
  const int ragged = static_cast<int>(names.size()) - (has_rows ? 1 : 0);
  const Output &values = g.in(1), &default_value = g.in(2), dy = g.dy();
  std::vector<Output> partitions;
  for (int i = 3; i < g.num_inputs(); ++i) partitions.push_back(g.in(i));

  const Output shape = ShapeOf(g, values);
  const Output count = Element(g, shape, 0);
  const Output numbers =
      RaggedTensorToTensor(g, Part(g, ShapeOf(g, dy), 0, ragged + 1),
                           Range(g, 0, count, 1), -1, partitions, names);
  const Output segments = Reshape(g, numbers, {-1});
  const Output rows =
      Reshape(g, dy,
              ConcatV2(g,
                       {Const(g, std::vector<int64_t>{-1}, DataType::kInt32),
                        Part(g, shape, 1, kToEnd)},
                       0));
  // Rows with negative numbers are left out.
  g.Set(1, UnsortedSegmentSum(g, rows, segments, count));

  const Output is_default = Cast(g, Less(g, segments, 0), DataType::kInt32);
  const Output sum = UnsortedSegmentSum(g, rows, Sub(g, is_default, 1), 1);
  const Output own = ShapeOf(g, default_value);
  const auto axes = BroadcastGradientArgs(g, ShapeOf(g, sum), own);
  g.Set(2, Reshape(g, Sum(g, sum, axes.r1), own));
}

}  // namespace millrace::ops
