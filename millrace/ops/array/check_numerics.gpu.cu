// Looks for NaN and infinities, by bits: both have all ones in the exponent.
//
// Defines: U = uint16_t; EXPONENT = 0x7c00 0x7f80
// Defines: U = uint32_t; EXPONENT = 0x7f800000
// Defines: U = uint64_t; EXPONENT = 0x7ff0000000000000

// Sets bits of *found: 1 for NaN, 2 for infinity, 4 for minus infinity.
extern "C" __global__ void __launch_bounds__(256)
    Look(const U* x, int32_t* found, int64_t n) {
  constexpr U kExponent = EXPONENT;
  constexpr U kSign = static_cast<U>(static_cast<U>(1) << (8 * sizeof(U) - 1));
  unsigned mine = 0;
  for (GRID_STRIDE(i, n)) {
    const U bits = x[i];
    if ((bits & kExponent) != kExponent) continue;
    const bool nan = (bits & static_cast<U>(~(kSign | kExponent))) != 0;
    mine |= nan ? 1u : (bits & kSign) != 0 ? 4u : 2u;
  }
  if (mine != 0) atomicOr(reinterpret_cast<unsigned*>(found), mine);
}
