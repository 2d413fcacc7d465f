#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

constexpr OpFields kGroupByReducer = {
    .inputs =
        "input_dataset: variant, "
        "key_func_other_arguments: Tkey_func_other_arguments, "
        "init_func_other_arguments: Tinit_func_other_arguments, "
        "reduce_func_other_arguments: Treduce_func_other_arguments, "
        "finalize_func_other_arguments: Tfinalize_func_other_arguments",
    .outputs = "handle: variant",
    .attrs =
        "key_func: func; init_func: func; reduce_func: func; "
        "finalize_func: func; "
        "Tkey_func_other_arguments: list(type) >= 0; "
        "Tinit_func_other_arguments: list(type) >= 0; "
        "Treduce_func_other_arguments: list(type) >= 0; "
        "Tfinalize_func_other_arguments: list(type) >= 0; " MR_ELEMENT_ATTRS,
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc =
        "What functions make of all elements with equal keys, one element a "
        "key, in the order of the keys.",
};

}  // namespace

MR_OP(GroupByReducerDataset)(kGroupByReducer);

MR_OP(ExperimentalGroupByReducerDataset)(kGroupByReducer);

}  // namespace millrace::ops
