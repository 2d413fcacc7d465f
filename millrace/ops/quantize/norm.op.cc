#include "millrace/ops/quantize/range_shapes.op.h"

namespace millrace::ops {

MR_OP(QuantizedBatchNormWithGlobalNormalization){
    .inputs =
        "t: Tinput, t_min: float, t_max: float, m: Tinput, m_min: float, "
        "m_max: float, v: Tinput, v_min: float, v_max: float, beta: Tinput, "
        "beta_min: float, beta_max: float, gamma: Tinput, gamma_min: float, "
        "gamma_max: float",
    .outputs = "result: out_type, result_min: float, result_max: float",
    .attrs =
        "Tinput: quantizedtype; out_type: quantizedtype; variance_epsilon: "
        "float; scale_after_normalization: bool",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(PartialShape images, c.WithRank(0, 4));
      int64_t depth = images.dim(3);
      for (const int i : {3, 6, 9, 12}) {
        MR_ASSIGN_OR_RETURN(const PartialShape channels, c.WithRank(i, 1));
        MR_ASSIGN_OR_RETURN(depth,
                            ShapeContext::MergeDims(depth, channels.dim(0)));
      }
      images.set_dim(3, depth);
      SetScalars(c, 1, 3);
      return c.Return(std::move(images));
    },
    .doc =
        "Images minus the mean m, over the root of the variance v, times gamma "
        "if scale_after_normalization, plus beta, by channels; in fixed point "
        "with 11 bits after the point.",
};
MR_OP(QuantizedInstanceNorm){
    .inputs = "x: T, x_min: float, x_max: float",
    .outputs = "y: T, y_min: float, y_max: float",
    .attrs =
        "T: quantizedtype; output_range_given: bool = false; given_y_min: "
        "float = 0; given_y_max: float = 0; variance_epsilon: float = "
        "9.999999747378752e-06; min_separation: float = "
        "0.0010000000474974513",
    .shape = [](ShapeContext& c) -> Status {
      MR_RETURN_IF_ERROR(c.WithRank(0, 4).status());
      return UnchangedWithRanges<2>(c);
    },
    .doc =
        "Each channel of each image minus its mean, over the root of its "
        "variance.",
};

}  // namespace millrace::ops
