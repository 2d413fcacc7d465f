#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

#define MR_GROUP_BY_WINDOW_ATTRS                    \
  "key_func: func; reduce_func: func; "             \
  "window_size_func: func; "                        \
  "Tkey_func_other_arguments: list(type) >= 0; "    \
  "Treduce_func_other_arguments: list(type) >= 0; " \
  "Twindow_size_func_other_arguments: list(type) >= 0; " MR_ELEMENT_ATTRS

consteval OpFields GroupByWindow(const char* attrs) {
  return {
      .inputs =
          "input_dataset: variant, "
          "key_func_other_arguments: Tkey_func_other_arguments, "
          "reduce_func_other_arguments: Treduce_func_other_arguments, "
          "window_size_func_other_arguments: "
          "Twindow_size_func_other_arguments",
      .outputs = "handle: variant",
      .attrs = attrs,
      .shape = shapes::Scalar,
      .doc =
          "The elements of the data sets that a function makes of windows of "
          "elements with equal keys.",
  };
}

}  // namespace

MR_OP(GroupByWindowDataset)
(GroupByWindow(MR_GROUP_BY_WINDOW_ATTRS MR_METADATA));

MR_OP(ExperimentalGroupByWindowDataset)
(GroupByWindow(MR_GROUP_BY_WINDOW_ATTRS));

}  // namespace millrace::ops
