#include "millrace/rpc/grpc/local_method.h"

#include "gtest/gtest.h"
#include "millrace/tensor/wire_format.h"

namespace millrace {
namespace {

std::string Field(uint32_t number, absl::string_view bytes) {
  ChunkWriter out;
  out.RequiredBytesField(number, bytes);
  return std::move(out).Finish().Flatten();
}

class HealthTest : public ::testing::Test {
 protected:
  HealthTest() {
    const std::vector<std::string> services = {"tensorflow.MasterService"};
    AddHealth(services, &methods_);
  }
  StatusOr<std::string> Ask(const std::string& path,
                            const std::string& request) {
    return methods_.at(path)->Answer(request);
  }
  LocalMethods methods_;
};

TEST_F(HealthTest, HealthOfServices) {
  const std::string serving = "\x08\x01";
  for (const char* path :
       {"/grpc.health.v1.Health/Check", "/grpc.health.v1.Health/Watch"}) {
    EXPECT_EQ(*Ask(path, ""), serving);
    EXPECT_EQ(*Ask(path, Field(1, "tensorflow.MasterService")), serving);
    EXPECT_EQ(*Ask(path, Field(9, "?")), serving) << "unknown fields";
    EXPECT_EQ(Ask(path, "\x0a\x09").status().code(),
              StatusCode::kInvalidArgument);
  }
  const std::string unknown = Field(1, "tensorflow.WorkerService");
  EXPECT_EQ(Ask("/grpc.health.v1.Health/Check", unknown).status().code(),
            StatusCode::kNotFound);
  EXPECT_EQ(*Ask("/grpc.health.v1.Health/Watch", unknown), "\x08\x03");
  EXPECT_EQ(methods_.at("/grpc.health.v1.Health/Watch")->LastMessage(),
            "\x08\x02");
}

}  // namespace
}  // namespace millrace
