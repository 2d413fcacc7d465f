#include "millrace/ops/product/bfloat16_product.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

namespace millrace::ops {
namespace {

TEST(Bfloat16ProductTest, PackedAsOneDnnPacks) {
  using dnnl::memory;
  constexpr int64_t kRows = 96, kColumns = 192;
  std::vector<uint16_t> b(kRows * kColumns), expected(b.size());
  // Begins with the smallest normal number: without AVX-512 the reorder goes
  // through float and may flush smaller ones to zero.
  std::iota(b.begin(), b.end(), uint16_t{0x80});
  std::vector<uint32_t> packed(b.size() / 2);
  const memory::desc plain({kRows, kColumns}, memory::data_type::bf16,
                           memory::format_tag::ab);
  const memory::desc strips({kRows, kColumns}, memory::data_type::bf16,
                            memory::format_tag::BA16a64b2a);
  ASSERT_EQ(strips.get_size(), b.size() * 2);
  IntraOpPool pool("pack", 1);
  const dnnl::reorder reorder(
      dnnl::reorder::primitive_desc(DnnlEngine(), plain, DnnlEngine(), strips));
  ASSERT_TRUE(DnnlRun(pool, *HostAllocator(), 1)
                  .Execute(reorder,
                           {{DNNL_ARG_FROM, DnnlMemory(plain, b.data())},
                            {DNNL_ARG_TO, DnnlMemory(strips, expected.data())}})
                  .ok());
  // Packs in several pieces, as two threads would.
  PackBfloat16(b.data(), kRows, kColumns, 17, kRows / 2, packed.data());
  PackBfloat16(b.data(), kRows, kColumns, 0, 17, packed.data());
  EXPECT_EQ(std::memcmp(packed.data(), expected.data(), b.size() * 2), 0);
}

}  // namespace
}  // namespace millrace::ops
