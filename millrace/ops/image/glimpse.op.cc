#include "millrace/graph/shape_context.h"
#include "millrace/ops/array/shape_rules.op.h"
#include "millrace/ops/image/image_size.op.h"

namespace millrace::ops {
namespace {

Status GlimpseShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 4));
  MR_ASSIGN_OR_RETURN(const PartialShape offsets, c.WithRank(2, 2));
  MR_ASSIGN_OR_RETURN(const int64_t batch,
                      ShapeContext::MergeDims(input.dim(0), offsets.dim(0)));
  MR_RETURN_IF_ERROR(WithValue(offsets.dim(1), 2).status());
  MR_ASSIGN_OR_RETURN(const bool uniform, c.Attr<bool>("uniform_noise"));
  MR_ASSIGN_OR_RETURN(const auto noise, c.Attr<std::string>("noise"));
  if (uniform && !noise.empty() && noise != "uniform") {
    return InvalidArgument(
        "The uniform_noise and noise should not be specified at the same time");
  }
  return ReturnImages(
      c, {.batch = batch, .size_input = 1, .channels = input.dim(3)});
}

// Returns the schema of either version.
consteval OpFields Glimpse(const char* doc) {
  return {
      .inputs = "input: float, size: int32, offsets: float",
      .outputs = "glimpse: float",
      .attrs =
          "centered: bool = true; normalized: bool = true; uniform_noise: bool "
          "= true; noise: string = 'uniform'",
      .shape = GlimpseShape,
      .doc = doc,
  };
}

}  // namespace

MR_OP(ExtractGlimpse){Glimpse(
    "Windows of pictures around given places; what lies outside is noise.")};
MR_OP(ExtractGlimpseV2){
    Glimpse("ExtractGlimpse that takes offsets in pixels as the upper left "
            "corner.")};

}  // namespace millrace::ops
