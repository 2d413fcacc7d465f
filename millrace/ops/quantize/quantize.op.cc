#include "millrace/ops/quantize/range_shapes.op.h"

namespace millrace::ops {

MR_OP(QuantizeV2){
    .inputs = "input: float, min_range: float, max_range: float",
    .outputs = "output: T, output_min: float, output_max: float",
    .attrs =
        "T: quantizedtype; mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = "
        "'MIN_COMBINED'; round_mode: {'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'} = "
        "'HALF_AWAY_FROM_ZERO'; narrow_range: bool = false; axis: int = -1; "
        "ensure_minimum_range: float = 0.009999999776482582",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(const PartialShape ranges,
                          RangesAlongAxis(c, 0, 1, 2, RangePair::kMax));
      c.set_output(1, ranges);
      c.set_output(2, ranges);
      return c.Return(c.input(0));
    },
    .doc =
        "Numbers of [min_range, max_range] as whole numbers of type T, and the "
        "range that was used: one that holds 0 and is not empty. With an axis "
        "each slice along it has a range of its own. MIN_COMBINED spreads the "
        "range over all numbers of T, MIN_FIRST makes 0 exact by moving it, "
        "SCALED by making it symmetric.",
};

}  // namespace millrace::ops
