#include "millrace/train/layers/dropout.h"

#include "absl/strings/str_cat.h"
#include "millrace/client/ops.h"

namespace millrace::train {

Output Dropout(const Scope& scope, const Output& x, const Input& rate,
               const DropoutOptions& options) {
  const Scope block = scope.BlockFor("dropout");
  if (!x) return {};
  double chosen = 0;  // if it is a literal
  if (rate.is_literal()) {
    const StatusOr<double> number = rate.literal().Number();
    if (number.ok() && *number == 0) return x;
    if (!number.ok() || !(*number >= 0 && *number < 1)) {
      block.Fail(InvalidArgument("rate must be a scalar tensor or a number in "
                                 "the range [0, 1): ",
                                 number.ok() ? absl::StrCat("got ", *number)
                                             : number.status().message()),
                 "dropout");
      return {};
    }
    chosen = *number;
  }
  const DataType type = x.dtype();
  Output part;
  if (rate.is_literal()) {
    part = ops::Const(block.WithOpName("rate"), chosen, type);
  } else {
    part = rate.output().dtype() == type
               ? rate.output()
               : ops::Cast(block, rate.output(), type);
  }
  const Output shape =
      options.noise_shape ? options.noise_shape : ops::Shape(block, x);
  const auto [seed, seed2] = block.Seeds(options.seed);
  const Output random =
      ops::RandomUniform(block.WithOpName("random_uniform"), shape, type,
                         {.seed = seed, .seed2 = seed2});
  const Output scaled =
      ops::Mul(block, x, ops::Reciprocal(block, ops::Sub(block, 1.0, part)));
  // Selected, not multiplied: a dropped value is 0 even if it was infinite.
  const Output kept = ops::GreaterEqual(block, random, part);
  const Output result =
      ops::SelectV2(block, kept, scaled, ops::Const(block, 0.0, type));
  if (result) {
    result.graph()->MergeShape(result, x.shape()).IgnoreError();
  }
  return result;
}

}  // namespace millrace::train
