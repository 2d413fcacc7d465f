#include "millrace/ops/quantize/byte_product.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "millrace/base/random.h"
#include "millrace/device/devices.h"
#include "millrace/kernel/kernel.h"
#include "millrace/ops/quantize/matrix_rows.h"

namespace millrace::ops {
namespace {

// A kernel's surroundings, with two threads.
class ByteProductTest : public ::testing::Test {
 protected:
  ByteProductTest() {
    DeviceOptions options;
    options.intra_op = &pool_;
    devices_ = MakeDevices(options, "a", 0).value();
  }

  // Returns numbers of all sizes, those at the ends of the range among them.
  static Tensor Numbers(DataType type, int64_t rows, int64_t columns,
                        uint64_t seed) {
    Tensor t = Tensor::New(type, TensorShape({rows, columns}));
    Rng rng(seed);
    for (int64_t i = 0; i < rows * columns; ++i) {
      const uint64_t drawn = rng();
      t.mutable_data()[i] = static_cast<char>(
          drawn % 5 == 0 ? (type == DataType::kQint8 ? 127 : 255)
                         : drawn / 5 % 256);
    }
    return t;
  }

  static int64_t At(const Tensor& t, int64_t i) {
    return t.dtype() == DataType::kQint8
               ? int64_t{reinterpret_cast<const int8_t*>(t.data())[i]}
               : int64_t{reinterpret_cast<const uint8_t*>(t.data())[i]};
  }

  struct Problem {
    int64_t m, k, n;
    DataType type = DataType::kQint8;  // of b
    bool transpose_a = false, transpose_b = false;
    int32_t a_zero = 0, b_zero = 0;
  };

  // Runs the product as a kernel would and compares all sums.
  void Check(const ByteProduct& product, const Problem& p, const Tensor& a,
             const Tensor& b) {
    SCOPED_TRACE(::testing::Message()
                 << p.m << " x " << p.k << " times " << p.k << " x " << p.n
                 << (p.transpose_a ? " transpose_a" : "")
                 << (p.transpose_b ? " transpose_b" : ""));
    StepEnvironment step;
    KernelContext ctx(node_, *devices_[0], step, {}, {});
    std::vector<int32_t> c(static_cast<size_t>(p.m * p.n), -1);
    const MatrixRows rows(reinterpret_cast<const uint8_t*>(a.data()), p.m, p.k,
                          p.transpose_a);
    const ColumnMatrix columns{b, p.k, p.n, p.transpose_b};
    const Status ran =
        product.Run(ctx, p.m, rows, p.a_zero, columns, p.b_zero, c.data());
    ASSERT_TRUE(ran.ok()) << ran;
    const auto sums = product.ColumnSums(ctx, columns);
    ASSERT_TRUE(sums.ok()) << sums.status();
    for (int64_t j = 0; j < p.n; ++j) {
      int64_t of_column = 0;
      for (int64_t i = 0; i < p.m; ++i) {
        int64_t sum = 0;
        of_column = 0;
        for (int64_t d = 0; d < p.k; ++d) {
          const int64_t y = At(b, p.transpose_b ? j * p.k + d : d * p.n + j);
          const int64_t x = At(a, p.transpose_a ? d * p.m + i : i * p.k + d);
          sum += (x - p.a_zero) * (y - p.b_zero);
          of_column += y;
        }
        ASSERT_EQ(c[static_cast<size_t>(i * p.n + j)],
                  static_cast<int32_t>(static_cast<uint32_t>(sum)))
            << i << "," << j;
      }
      ASSERT_EQ((*sums)[static_cast<size_t>(j)], of_column);
    }
  }

  // The first run keeps columns, later ones find them; the last computes with
  // the loops for factors that change.
  void CheckThrice(const Problem& p) {
    const Tensor a = Numbers(DataType::kQuint8, p.transpose_a ? p.k : p.m,
                             p.transpose_a ? p.m : p.k, 1);
    const Tensor b = Numbers(p.type, p.transpose_b ? p.n : p.k,
                             p.transpose_b ? p.k : p.n, 2);
    const Tensor held = b;  // as a plan holds its constants
    const ByteProduct product;
    for (int i = 0; i < 2; ++i) {
      Check(product, p, a, b);
      const bool is_heap = b.buffer() != nullptr;
      EXPECT_EQ(product.KeepsColumns(), ByteProduct::IsFast() && is_heap);
    }
    node_ = Node(false);
    Check(ByteProduct(), p, a, b);
    node_ = Node(true);
  }

  // What the kernel knows of its inputs.
  NodeInfo Node(bool is_constant) {
    NodeInfo node;
    node.constant_inputs = {false, is_constant};
    return node;
  }

  NodeInfo node_ = Node(true);
  IntraOpPool pool_{"test", 2};
  std::vector<std::unique_ptr<Device>> devices_;
};

TEST_F(ByteProductTest, SumsAreExact) {
  for (const DataType type : {DataType::kQint8, DataType::kQuint8}) {
    for (const int32_t a_zero : {0, 7}) {
      for (const int32_t b_zero : {0, -3, 130}) {
        CheckThrice({17, 33, 65, type, false, false, a_zero, b_zero});
      }
    }
    CheckThrice({1, 1, 1, type});
    CheckThrice({1, 64, 10, type});
    CheckThrice({64, 1024, 48, type});  // sums above 2^24, which no float has
  }
}

TEST_F(ByteProductTest, FactorsMayBeTransposed) {
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      CheckThrice({20, 70, 50, DataType::kQuint8, ta, tb, 3, 5});
      CheckThrice({20, 70, 50, DataType::kQint8, ta, tb, 3, 5});
    }
  }
}

TEST_F(ByteProductTest, TransposedRowsAreCopiedInParts) {
  // One part has 64 rows of 16 KB.
  CheckThrice({70, 16400, 3, DataType::kQint8, true, false, 1, 2});
}

TEST_F(ByteProductTest, SumsWrapAround) {
  CheckThrice({1, 90000, 2, DataType::kQuint8, false, false, -200, -200});
}

TEST_F(ByteProductTest, AnotherFactorTakesThePlaceOfTheOneThatIsKept) {
  const Problem p{9, 40, 30};
  const Tensor a = Numbers(DataType::kQuint8, p.m, p.k, 1);
  const ByteProduct product;
  for (uint64_t seed = 2; seed < 5; ++seed) {
    // Freed at the end of the loop, so that the next may lie where it lay.
    const Tensor b = Numbers(p.type, p.k, p.n, seed);
    const Tensor held = b;
    for (int i = 0; i < 3; ++i) Check(product, p, a, b);
  }
}

TEST_F(ByteProductTest, AFactorThatNobodyElseHoldsIsNotKept) {
  const Problem p{9, 40, 30};
  const Tensor a = Numbers(DataType::kQuint8, p.m, p.k, 1);
  const Tensor b = Numbers(p.type, p.k, p.n, 2);
  const ByteProduct product;
  for (int i = 0; i < 3; ++i) Check(product, p, a, b);
  EXPECT_FALSE(product.KeepsColumns());
}

TEST_F(ByteProductTest, AFactorThatIsNoConstantIsNotKept) {
  node_ = Node(false);
  const Problem p{9, 40, 30};
  const Tensor a = Numbers(DataType::kQuint8, p.m, p.k, 1);
  const Tensor b = Numbers(p.type, p.k, p.n, 2);
  const Tensor held = b;
  const ByteProduct product;
  for (int i = 0; i < 3; ++i) Check(product, p, a, b);
  EXPECT_FALSE(product.KeepsColumns());
}

TEST_F(ByteProductTest, OneFactorForBatchesOfSeveralSizes) {
  const Tensor b = Numbers(DataType::kQint8, 200, 100, 2);
  const Tensor held = b;
  const ByteProduct product;
  for (const int64_t m : {64, 1, 64, 3, 200}) {
    Check(product, {m, 200, 100}, Numbers(DataType::kQuint8, m, 200, 3), b);
  }
}

}  // namespace
}  // namespace millrace::ops
