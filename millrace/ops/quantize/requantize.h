// Converts qint32, the type of sums of products, to narrower types.
#pragma once

#include "millrace/ops/quantize/range.h"

namespace millrace::ops {

// Converts `n` numbers of range `from` to numbers of `T` (Quint8 or Qint8) of
// range `to`. Quint8 is computed in fixed point with 16 fractional bits.
template <class T>
void RequantizeSpan(const int32_t* x, Range from, Range to, IntegerOf<T>* z,
                    int64_t n);
extern template void RequantizeSpan<Quint8>(const int32_t*, Range, Range,
                                            uint8_t*, int64_t);
extern template void RequantizeSpan<Qint8>(const int32_t*, Range, Range,
                                           int8_t*, int64_t);

}  // namespace millrace::ops
