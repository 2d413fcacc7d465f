#include "millrace/rpc/grpc/local_method.h"

#include <google/protobuf/descriptor.pb.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "millrace/tensor/wire_format.h"

namespace millrace {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Member(uint32_t number, absl::string_view bytes) {
  ChunkWriter out;
  out.RequiredBytesField(number, bytes);
  return std::move(out).Finish().Flatten();
}

// Returns the kBytes fields of a message with the given number.
std::vector<std::string> Fields(const std::string& message, uint32_t number) {
  ChunkReader in(message);
  std::vector<std::string> found;
  FieldTag tag;
  while (!in.done()) {
    EXPECT_TRUE(in.ReadTag(&tag));
    std::string value;
    if (tag.Is(number, WireType::kBytes)) {
      EXPECT_TRUE(in.ReadString(&value));
      found.push_back(std::move(value));
    } else {
      EXPECT_TRUE(in.SkipField(tag));
    }
  }
  return found;
}

class ReflectionTest : public ::testing::Test {
 protected:
  ReflectionTest() {
    const std::vector<std::string> services = {"tensorflow.MasterService"};
    AddReflection(services, &methods_);
  }
  StatusOr<std::string> Ask(const std::string& path,
                            const std::string& request) {
    return methods_.at(path)->Answer(request);
  }
  LocalMethods methods_;
};

TEST_F(ReflectionTest, ReflectionListsServicesAndFiles) {
  for (const char* version : {"v1", "v1alpha"}) {
    const std::string path = absl::StrCat(
        "/grpc.reflection.", version, ".ServerReflection/ServerReflectionInfo");
    const std::string list = *Ask(path, Member(7, ""));
    EXPECT_EQ(Fields(list, 2), std::vector<std::string>{Member(7, "")});
    ASSERT_EQ(Fields(list, 6).size(), 1u);
    EXPECT_EQ(Fields(list, 6)[0],
              Member(1, Member(1, "tensorflow.MasterService")));

    for (const std::string& request :
         {Member(4, "tensorflow.MasterService"),
          Member(4, "tensorflow.MasterService.RunStep"),
          Member(3, "proto/service/master_service.proto")}) {
      const std::string reply = *Ask(path, request);
      ASSERT_EQ(Fields(reply, 4).size(), 1u);
      std::vector<std::string> names;
      for (const std::string& bytes : Fields(Fields(reply, 4)[0], 1)) {
        google::protobuf::FileDescriptorProto file;
        ASSERT_TRUE(file.ParseFromString(bytes));
        names.push_back(file.name());
      }
      EXPECT_EQ(names[0], "proto/service/master_service.proto");
      // Includes all imports, so that a client needs no further request.
      EXPECT_THAT(names, Contains("proto/graph/tensor.proto"));
    }
  }
}

TEST_F(ReflectionTest, ReflectionOfWhatIsNotThere) {
  const std::string path =
      "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
  for (const std::string& request :
       {Member(4, "no.Such"), Member(3, "no.proto"), Member(5, ""),
        Member(6, "no.Such"), std::string()}) {
    const std::string reply = *Ask(path, request);
    EXPECT_THAT(Fields(reply, 4), IsEmpty());
    ASSERT_EQ(Fields(reply, 7).size(), 1u);
  }
  EXPECT_EQ(Fields(*Ask(path, Member(6, "tensorflow.TensorProto")), 5)[0],
            Member(1, "tensorflow.TensorProto"));
  EXPECT_THAT(std::string(Ask(path, "\x1a\x09").status().message()),
              HasSubstr("malformed"));
}

}  // namespace
}  // namespace millrace
