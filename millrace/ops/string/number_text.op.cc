#include "absl/strings/str_split.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status FormatShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const std::string text, c.Attr<std::string>("template"));
  MR_ASSIGN_OR_RETURN(const std::string placeholder,
                      c.Attr<std::string>("placeholder"));
  const std::vector<absl::string_view> parts =
      absl::StrSplit(text, placeholder);
  const auto places = static_cast<int64_t>(parts.size()) - 1;
  if (places != c.num_inputs()) {
    return InvalidArgument(
        "num placeholders in template and num inputs must match: ", places,
        " vs. ", c.num_inputs());
  }
  return c.Return(PartialShape({}));
}

}  // namespace

MR_OP(AsString){
    .inputs = "input: T",
    .outputs = "output: string",
    .attrs =
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64, complex64, complex128, bool, variant, "
        "string}; precision: int = -1; scientific: bool = false; "
        "shortest: bool = false; width: int = -1; fill: string = ''",
    .shape = shapes::Unchanged,
    .doc = "Numbers as text, by the rules of printf.",
};

MR_OP(StringToNumber){
    .inputs = "string_tensor: string",
    .outputs = "output: out_type",
    .attrs =
        "out_type: {float, double, int32, int64, uint32, uint64} = 'float'",
    .shape = shapes::Unchanged,
    .doc = "Text as numbers.",
};

MR_OP(StringFormat){
    .inputs = "inputs: T",
    .outputs = "output: string",
    .attrs =
        "T: list(type) >= 0; template: string = '%s'; "
        "placeholder: string = '%s'; summarize: int = 3",
    .shape = FormatShape,
    .doc =
        "A text with tensors in the place of its placeholders; `summarize` "
        "elements of either end of a dimension are shown.",
};

}  // namespace millrace::ops
