#include "millrace/ops/summary/histogram_value.h"

#include <cmath>

#include "millrace/checkpoint/records/histogram.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

StatusOr<std::string> EncodeHistogram(const Tensor& values,
                                      absl::string_view what) {
  Histogram histogram;
  MR_RETURN_IF_ERROR(Dispatch(
      Join<RealTypes, Types<bool>>{}, values.dtype(), [&]<class T>() -> Status {
        for (const T& element : values.flat<T>()) {
          const double v = static_cast<double>(element);
          if (std::isnan(v)) {
            return InvalidArgument("Nan in summary histogram for: ", what);
          }
          if (std::isinf(v)) {
            return InvalidArgument("Infinity in summary histogram for: ", what);
          }
          histogram.Add(v);
        }
        return OkStatus();
      }));
  return histogram.Encode();
}

}  // namespace millrace::ops
