// Libraries of NVIDIA's that are there and do not work: who asked is told that
// nothing was enqueued, so that Millrace's own kernels compute.
#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "millrace/device/cuda/cublaslt.h"
#include "millrace/device/cuda/cudnn.h"
#include "tests/gpu/cuda_devices.h"

namespace millrace::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The product of two matrices of n x n elements.
StatusOr<bool> Multiply(Device& gpu, int64_t n) {
  DeviceNode node(gpu);
  MR_ASSIGN_OR_RETURN(const Tensor a, CopyIn(gpu, Counting(n * n)));
  MR_ASSIGN_OR_RETURN(Tensor c, CopyIn(gpu, Counting(n * n)));
  return MultiplyByLibrary(node.ctx(), {.type = DataType::kFloat,
                                        .m = n,
                                        .k = n,
                                        .n = n,
                                        .a = GpuInput(a),
                                        .b = GpuInput(a),
                                        .c = GpuOutput(c)});
}

// The convolution of an image of n x n pixels by a filter of 3 x 3.
StatusOr<bool> Convolve(Device& gpu, int64_t n) {
  DeviceNode node(gpu);
  MR_ASSIGN_OR_RETURN(const Tensor input, CopyIn(gpu, Counting(n * n)));
  MR_ASSIGN_OR_RETURN(const Tensor filters, CopyIn(gpu, Counting(9)));
  MR_ASSIGN_OR_RETURN(Tensor output, CopyIn(gpu, Counting(n * n)));
  Convolution c;
  c.type = DataType::kFloat;
  c.batch = c.in_depth = c.out_depth = 1;
  c.in = c.out = {n, n, 0};
  c.filter = {3, 3, 0};
  c.stride = c.dilation = c.padding = {1, 1, 0};
  c.input = GpuInput(input);
  c.filters = GpuInput(filters);
  c.output = GpuOutput(output);
  return ConvolveByLibrary(node.ctx(), c);
}

class LibraryFailuresTest : public CudaTest {
 protected:
  // Expects that a library which cannot be initialized is asked once, and that
  // the log says so once.
  void ExpectAskedOnce(const StandInControl& library, const char* create,
                       int code, StatusOr<bool> (*ask)(Device&, int64_t),
                       const std::string& said) {
    const auto gpus = *MakeGpus({}, 1);
    const LoggedLines log;
    library.Fail(absl::StrCat(create, ":1-=", code).c_str());
    for (int i = 0; i < 2; ++i) {
      const StatusOr<bool> done = ask(*gpus[0], 4);
      ASSERT_TRUE(done.ok()) << done.status();
      EXPECT_FALSE(*done);
    }
    EXPECT_EQ(library.Calls(create), 1u);
    EXPECT_THAT(log.With("does not work"), ElementsAre(HasSubstr(said)));
    EXPECT_TRUE(Idle(*gpus[0]).ok());
  }
  // Expects that nothing is enqueued while a call fails, and the work when it
  // no longer does. `n` is a size of the test's own.
  void ExpectPasses(const StandInControl& library, const char* call, int code,
                    StatusOr<bool> (*ask)(Device&, int64_t), int64_t n) {
    SCOPED_TRACE(absl::StrCat(call, " ", code));
    const auto gpus = *MakeGpus({}, 1);
    library.Reset();
    library.Fail(absl::StrCat(call, ":1-=", code).c_str());
    StatusOr<bool> done = ask(*gpus[0], n);
    ASSERT_TRUE(done.ok()) << done.status();
    EXPECT_FALSE(*done);
    EXPECT_GE(library.Calls(call), 1u);
    library.Reset();
    done = ask(*gpus[0], n);
    ASSERT_TRUE(done.ok()) << done.status();
    EXPECT_TRUE(*done);
    EXPECT_TRUE(Idle(*gpus[0]).ok());
  }
};

TEST_F(LibraryFailuresTest, ALibraryOfProductsThatDoesNotWork) {
  ExpectAskedOnce(BlasControl(), "cublasLtCreate", 1, Multiply,
                  "cuBLASLt does not work: cuBLASLt: cublasLtCreate failed: "
                  "not initialized (1); GPU 0 (Millrace stand-in 0) runs "
                  "Millrace's own kernels instead, which are slower");
  // Of the next devices it may work.
  const auto gpus = *MakeGpus({}, 1);
  BlasControl().Reset();
  EXPECT_TRUE(*Multiply(*gpus[0], 4));
}

TEST_F(LibraryFailuresTest, ALibraryOfConvolutionsThatDoesNotWork) {
  ExpectAskedOnce(DnnControl(), "cudnnCreate", 1001, Convolve,
                  "cuDNN does not work: cuDNN: Create: not initialized (1001); "
                  "GPU 0 (Millrace stand-in 0) runs");
  const auto gpus = *MakeGpus({}, 1);
  DnnControl().Reset();
  EXPECT_TRUE(*Convolve(*gpus[0], 4));
}

TEST_F(LibraryFailuresTest, ALibraryOfProductsWithoutMemory) {
  int64_t n = 10;
  for (const char* call :
       {"cublasLtMatmulDescCreate", "cublasLtMatrixLayoutCreate",
        "cublasLtMatmulPreferenceCreate", "cublasLtMatmulAlgoGetHeuristic",
        "cublasLtMatmul"}) {
    ExpectPasses(BlasControl(), call, 3, Multiply, ++n);
  }
}

TEST_F(LibraryFailuresTest, ALibraryOfConvolutionsWithoutMemory) {
  int64_t n = 10;
  for (const int code : {2, 4003, 4004}) {
    for (const char* call :
         {"cudnnCreateTensorDescriptor", "cudnnCreateConvolutionDescriptor",
          "cudnnGetConvolutionForwardAlgorithm_v7",
          "cudnnConvolutionForward"}) {
      ExpectPasses(DnnControl(), call, code, Convolve, ++n);
    }
  }
}

// Its parts are loaded when they are first needed.
TEST_F(LibraryFailuresTest, ALibraryOfConvolutionsWithoutAPartOfItself) {
  const auto gpus = *MakeGpus({}, 1);
  DnnControl().Fail("cudnnGetConvolutionForwardAlgorithm_v7:1-=1008");
  const StatusOr<bool> done = Convolve(*gpus[0], 50);
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_FALSE(*done);
}

TEST_F(LibraryFailuresTest, OtherErrorsOfAProductAreThoseOfTheStep) {
  const auto gpus = *MakeGpus({}, 1);
  BlasControl().Fail("cublasLtMatmul:1=13");
  EXPECT_EQ(Multiply(*gpus[0], 4).status(),
            Internal("cuBLASLt: cublasLtMatmul failed: execution failed (13)"));
}

}  // namespace
}  // namespace millrace::cuda
