#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(AudioSpectrogram)(CaseList& c) {
  const auto attrs = [](int64_t window, int64_t stride, bool squared = false) {
    return AttrMap{{"window_size", window},
                   {"stride", stride},
                   {"magnitude_squared", squared}};
  };
  for (const bool squared : {false, true}) {
    c.Ok({F32({20, 1})}, attrs(8, 4, squared));
    c.Ok({F32({20, 3})}, attrs(5, 3, squared));
    c.Ok({F32({20, 1})}, attrs(8, 30, squared));
    c.Ok({F32({700, 2})}, attrs(400, 100, squared));
  }
  c.Ok({F32({20, 1})}, attrs(2, 1));
  c.Ok({F32({20, 1})}, attrs(30, 2));
  c.Ok({Empty(kFloat, {0, 2})}, attrs(4, 3));
  c.Ok({Empty(kFloat, {8, 0})}, attrs(4, 3));
  c.Ok({Of(kFloat, {8, 1}, {NAN, 1, 1, 1, 1, 1, 1, 1})}, attrs(4, 4));
  c.Error({F32({20})}, attrs(4, 2), StatusCode::kInvalidArgument,
          "input must be 2-dimensional[20]")
      .NoShapeCheck();
  c.BuildError({F32({20})}, attrs(4, 2), "Shape must be rank 2 but is rank 1");
  c.BuildError({F32({20, 1})}, attrs(1, 2), "window size must be > 1, got 1");
  c.BuildError({F32({20, 1})}, attrs(-4, 2), "window size must be > 1, got -4");
  c.BuildError({F32({20, 1})}, attrs(4, 0),
               "stride must be strictly positive, got 0");
  c.BuildError({F32({20, 1})}, attrs(int64_t{1} << 40, 2),
               "Attr window_size has value 1099511627776 out of range for an "
               "int32");
}

}  // namespace millrace::cases
