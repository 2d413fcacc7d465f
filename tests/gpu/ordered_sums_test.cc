// Sums at places that the values decide: the same bits in whatever order the
// threads run, which are those of the CPU.
#include "millrace/base/random.h"
#include "tests/gpu/both_devices.h"
#include "tests/gpu/cuda_devices.h"

namespace millrace {
namespace {

using IntList = AttrValue::IntList;

class OrderedSumsTest : public BothDevicesTest {
 protected:
  void SetUp() override { Start(); }
  void TearDown() override { cuda::Control().Set("seed", "0"); }

  void ExpectSameBits(const char* op, const std::vector<Tensor>& inputs,
                      const AttrMap& attrs) {
    const auto wanted = Run(kCpu, op, inputs, attrs);
    ASSERT_TRUE(wanted.ok()) << wanted.status();
    for (const char* seed : {"0", "1", "2", "3"}) {
      cuda::Control().Set("seed", seed);
      const auto got = Run(kGpu, op, inputs, attrs);
      ASSERT_TRUE(got.ok()) << got.status();
      EXPECT_TRUE(IdenticalTensors(*got, *wanted)) << op << ", seed " << seed;
    }
  }
};

TEST_F(OrderedSumsTest, OfMaxPoolingByArgmax) {
  // Many windows name the same element.
  const TensorShape windows({2, 29, 29, 2});
  Rng rng(3);
  Tensor argmax = Tensor::New(DataType::kInt64, windows);
  for (int64_t& at : argmax.mutable_flat<int64_t>()) {
    at = static_cast<int64_t>(rng.Uniform(40));
  }
  ExpectSameBits("MaxPoolGradWithArgmax",
                 {Floats({2, 31, 31, 2}), Floats(windows), argmax},
                 {{"T", DataType::kFloat},
                  {"Targmax", DataType::kInt64},
                  {"ksize", IntList({1, 3, 3, 1})},
                  {"strides", IntList({1, 1, 1, 1})},
                  {"padding", "VALID"}});
}

TEST_F(OrderedSumsTest, OfDilations) {
  const std::vector<Tensor> inputs = {Floats({2, 30, 30, 2}), Floats({3, 3, 2}),
                                      Floats({2, 30, 30, 2})};
  const AttrMap attrs = {{"T", DataType::kFloat},
                         {"strides", IntList({1, 1, 1, 1})},
                         {"rates", IntList({1, 1, 1, 1})},
                         {"padding", "SAME"}};
  ExpectSameBits("Dilation2DBackpropInput", inputs, attrs);
  ExpectSameBits("Dilation2DBackpropFilter", inputs, attrs);
}

TEST_F(OrderedSumsTest, OfSparseProducts) {
  // Many entries give to each row of the result.
  Rng rng(5);
  Tensor places = Tensor::New(DataType::kInt64, TensorShape({3000, 2}));
  for (int64_t& at : places.mutable_flat<int64_t>()) {
    at = static_cast<int64_t>(rng.Uniform(20));
  }
  const std::vector<Tensor> inputs = {places, Floats({3000}),
                                      Tensor::Vector<int64_t>({20, 20}),
                                      Floats({20, 7})};
  for (const bool adjoint : {false, true}) {
    ExpectSameBits("SparseTensorDenseMatMul", inputs,
                   {{"T", DataType::kFloat},
                    {"Tindices", DataType::kInt64},
                    {"adjoint_a", adjoint}});
  }
}

TEST_F(OrderedSumsTest, OfRowsInPlace) {
  Tensor rows = Tensor::New(DataType::kInt32, TensorShape({3000}));
  Rng rng(7);
  for (int32_t& row : rows.mutable_flat<int32_t>()) {
    row = static_cast<int32_t>(rng.Uniform(40)) - 20;
  }
  const std::vector<Tensor> inputs = {Floats({20, 7}), rows, Floats({3000, 7})};
  for (const char* op : {"InplaceAdd", "InplaceSub", "InplaceUpdate"}) {
    ExpectSameBits(op, inputs, {{"T", DataType::kFloat}});
  }
}

}  // namespace
}  // namespace millrace
