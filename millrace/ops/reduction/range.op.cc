#include <type_traits>

#include "millrace/graph/int_rules.h"
#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"
#include "millrace/ops/reduction/range_size.op.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

Status ScalarInputs(ShapeContext& c) {
  for (int i = 0; i < 3; ++i) MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  return OkStatus();
}

template <class T>
StatusOr<int64_t> RangeSize(const Tensor& start, const Tensor& limit,
                            const Tensor& delta) {
  using C = std::conditional_t<std::is_integral_v<T>, T, double>;
  return ops::NumbersInRange<C>(static_cast<C>(start.scalar<T>()),
                                static_cast<C>(limit.scalar<T>()),
                                static_cast<C>(delta.scalar<T>()));
}

Status RangeShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(ScalarInputs(c));
  const Tensor* start = c.input_value(0);
  const Tensor* limit = c.input_value(1);
  const Tensor* delta = c.input_value(2);
  if (!start || !limit || !delta) return c.Return({kUnknownDim});
  return Dispatch(Join<FloatTypes, IntegerTypes>(), start->dtype(),
                  [&]<class T>() -> Status {
                    MR_ASSIGN_OR_RETURN(int64_t size,
                                        RangeSize<T>(*start, *limit, *delta));
                    return c.Return({size});
                  });
}

Status LinSpaceShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(ScalarInputs(c));
  const Tensor* num = c.input_value(2);
  if (num == nullptr) return c.Return({kUnknownDim});
  MR_ASSIGN_OR_RETURN(int64_t size, c.DimFromInput(2));
  if (size <= 0) return InvalidArgument("Requires num > 0: ", size);
  return c.Return({size});
}

}  // namespace

MR_OP(Range){
    .inputs = "start: Tidx, limit: Tidx, delta: Tidx",
    .outputs = "output: Tidx",
    .attrs =
        "Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, "
        "uint16, uint32, uint64} = 'int32'",
    .shape = RangeShape,
    .ints = int_rules::Range,
    .doc = "start, start + delta, ... up to but without `limit`.",
};

MR_OP(LinSpace){
    .inputs = "start: T, stop: T, num: Tidx",
    .outputs = "output: T",
    .attrs =
        "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = 'int32'",
    .shape = LinSpaceShape,
    .doc =
        "`num` numbers at equal distances, the first `start`, the last `stop`.",
};

}  // namespace millrace::ops
