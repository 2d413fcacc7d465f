// Loops that make no difference between signed and unsigned integers: those of
// sums, products, equality and single bits, since integers wrap around.
#pragma once

#include <cstdint>

#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

// The types of which ForBothSigns wants the loops.
using UnsignedNumberTypes = Join<Join<FloatTypes, UnsignedTypes>, ComplexTypes>;

// A table of loops by dtype that serves signed integers with the loops of the
// unsigned ones: half of the integers' loops need not be compiled.
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
