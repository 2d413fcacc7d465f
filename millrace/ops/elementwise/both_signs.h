// Loops that are the same for signed and unsigned integers: those of sums,
// products, equality and single bits, since integers wrap around.
#pragma once

#include <cstdint>

#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

// The types whose loops ForBothSigns needs.
using UnsignedNumberTypes = Join<Join<FloatTypes, UnsignedTypes>, ComplexTypes>;

// Returns a table of loops by dtype in which signed integers use the loops of
// the unsigned ones, so that half of the integers' loops need not be compiled.
template <class Table>
constexpr Table ForBothSigns(Table table) {
  const auto share = [&table]<class Signed, class Unsigned>() {
    table.loops[static_cast<int>(DataTypeOf<Signed>)] =
        table.loops[static_cast<int>(DataTypeOf<Unsigned>)];
  };
  share.template operator()<int8_t, uint8_t>();
  share.template operator()<int16_t, uint16_t>();
  share.template operator()<int32_t, uint32_t>();
  share.template operator()<int64_t, uint64_t>();
  return table;
}

}  // namespace millrace::ops
