// Schemas of data sets that can be made in several ways.
#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

constexpr OpFields kChooseFastest = {
    .inputs = "input_datasets: N * variant",
    .outputs = "handle: variant",
    .attrs = "N: int >= 2; num_experiments: int; " MR_ELEMENT_ATTRS,
    .shape = shapes::Scalar,
    .doc = "One of several data sets with the same elements: the first.",
};

}  // namespace

MR_OP(ChooseFastestDataset)(kChooseFastest);

MR_OP(ExperimentalChooseFastestDataset)(kChooseFastest);

MR_OP(ChooseFastestBranchDataset){
    .inputs =
        "input_dataset: variant, ratio_numerator: int64, "
        "ratio_denominator: int64, other_arguments: Targuments",
    .outputs = "handle: variant",
    .attrs =
        "Targuments: list(type) >= 0; num_elements_per_branch: int >= 1; "
        "branches: list(func) >= 1; "
        "other_arguments_lengths: list(int) >= 1; " MR_ELEMENT_ATTRS,
    .shape = shapes::Scalar,
    .doc =
        "What one of several functions, which make the same, makes of a data "
        "set: the first.",
};

}  // namespace millrace::ops
