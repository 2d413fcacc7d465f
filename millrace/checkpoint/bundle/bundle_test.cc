#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "gtest/gtest.h"
#include "millrace/base/files/memory_files.h"
#include "millrace/base/threads/thread.h"
#include "millrace/checkpoint/bundle/bundle_reader.h"
#include "millrace/checkpoint/bundle/bundle_writer.h"
#include "millrace/checkpoint/bundle/variant_elements.h"
#include "millrace/checkpoint/checkpoint_paths.h"
#include "millrace/checkpoint/checkpoint_reader.h"
#include "millrace/checkpoint/testing/sample_tensors.h"
#include "millrace/tensor/variant/tensor_list_value.h"

namespace millrace {
namespace {

constexpr char kBundle[] = "/model/ckpt-1";

class BundleTest : public testing::Test {
 protected:
  std::unique_ptr<BundleWriter> Writer(BundleOptions options = {}) {
    return *BundleWriter::Open(&files_, kBundle, options);
  }
  std::unique_ptr<BundleReader> Reader() {
    return *BundleReader::Open(&files_, kBundle);
  }

  MemoryFiles files_;
};

TEST_F(BundleTest, EveryDtypeAndShape) {
  const std::vector<TensorShape> shapes = {
      {}, {0}, {1}, {7}, {3, 5}, {2, 0, 4}, {2, 3, 4, 5, 1}};
  auto writer = Writer();
  for (DataType type : SavedDataTypes()) {
    for (const TensorShape& shape : shapes) {
      const std::string name =
          absl::StrCat(DataTypeName(type), shape.DebugString());
      ASSERT_TRUE(writer->Add(name, SampleTensor(type, shape)).ok());
    }
  }
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_EQ(files_.GetChildren("/model")->size(),
            2u);  // no temporary file is left

  auto reader = Reader();
  EXPECT_EQ(reader->num_shards(), 1);
  EXPECT_TRUE(reader->CheckComplete().ok());
  for (DataType type : SavedDataTypes()) {
    for (const TensorShape& shape : shapes) {
      const std::string name =
          absl::StrCat(DataTypeName(type), shape.DebugString());
      auto tensor = reader->Lookup(name);
      ASSERT_TRUE(tensor.ok()) << tensor.status();
      EXPECT_TRUE(IdenticalTensors(*tensor, SampleTensor(type, shape))) << name;
    }
  }
  size_t seen = 0;
  std::string last;
  ASSERT_TRUE(
      reader
          ->ForEach([&](absl::string_view name, const BundleEntry& entry) {
            EXPECT_LT(last, name);
            last = std::string(name);
            EXPECT_TRUE(entry.slices.empty());
            ++seen;
            return OkStatus();
          })
          .ok());
  EXPECT_EQ(seen, SavedDataTypes().size() * shapes.size());
}

// A kernel takes the bits of a bool as a number.
TEST_F(BundleTest, BoolsHaveNoOtherBitsThanZeroAndOne) {
  Tensor bools = Tensor::New(DataType::kBool, TensorShape({2, 3}));
  const std::string stored("\0\1\2\x80\xff\0", 6);
  std::memcpy(bools.mutable_data(), stored.data(), stored.size());
  const std::string clean("\0\1\1\1\1\0", 6);
  auto writer = Writer();
  ASSERT_TRUE(writer->Add("b", bools).ok());
  ASSERT_TRUE(writer->Finish().ok());
  const auto whole = Reader()->Lookup("b");
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(absl::string_view(whole->data(), whole->size_bytes()), clean);
}

TEST_F(BundleTest, KnownBytesOfStrings) {
  auto writer = Writer();
  ASSERT_TRUE(
      writer->Add("s", Tensor::Vector<std::string>({"hello", "", "w..rld"}))
          .ok());
  ASSERT_TRUE(writer->Finish().ok());
  const std::string data =
      *ReadFileToString(&files_, DataFilename(kBundle, 0, 1));
  EXPECT_EQ(data.size(), 18u);
  EXPECT_EQ(data.substr(0, 3), std::string("\5\0\6", 3));
  EXPECT_EQ(data.substr(7), "hellow..rld");
}

TEST_F(BundleTest, LargeTensorsGoThroughInPieces) {
  auto writer = Writer();
  const Tensor large = SampleTensor(DataType::kInt32, {3, 300001});
  ASSERT_TRUE(writer->Add("before", Tensor::Scalar<int8_t>(1)).ok());
  ASSERT_TRUE(writer->Add("large", large).ok());
  ASSERT_TRUE(writer->Add("behind", Tensor::Scalar<int8_t>(2)).ok());
  ASSERT_TRUE(writer->Finish().ok());
  auto reader = Reader();
  EXPECT_TRUE(IdenticalTensors(*reader->Lookup("large"), large));
  EXPECT_TRUE(
      IdenticalTensors(*reader->Lookup("behind"), Tensor::Scalar<int8_t>(2)));
  // A slice is read from the stream, across the borders of pieces.
  auto slice =
      reader->LookupSlice("large", *TensorSlice::Parse("1,2:65000,200000"));
  ASSERT_TRUE(slice.ok()) << slice.status();
  for (int64_t r = 0; r < 2; ++r) {
    for (int64_t c = 0; c < 200000; ++c) {
      ASSERT_EQ(slice->flat<int32_t>()[static_cast<size_t>(r * 200000 + c)],
                (r + 1) * 300001 + 65000 + c);
    }
  }
}

TEST_F(BundleTest, ManyThreadsReadOneReader) {
  auto writer = Writer();
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(
        writer->Add(absl::StrCat(i), SampleTensor(DataType::kFloat, {100}, i))
            .ok());
  }
  ASSERT_TRUE(writer->Finish().ok());
  auto reader = Reader();
  std::vector<Thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back("reader", [&reader] {
      for (int i = 0; i < 50; ++i) {
        auto tensor = reader->Lookup(absl::StrCat(i));
        EXPECT_TRUE(tensor.ok() &&
                    IdenticalTensors(*tensor,
                                     SampleTensor(DataType::kFloat, {100}, i)));
      }
    });
  }
  for (Thread& thread : threads) thread.Join();
}

TEST_F(BundleTest, Alignment) {
  auto writer = Writer({.data_alignment = 64});
  for (int i = 1; i < 6; ++i) {
    ASSERT_TRUE(writer
                    ->Add(absl::StrCat("t", i),
                          SampleTensor(DataType::kUint8, {i * 13}))
                    .ok());
  }
  ASSERT_TRUE(writer->Finish().ok());
  auto reader = Reader();
  for (int i = 1; i < 6; ++i) {
    EXPECT_EQ(reader->Find(absl::StrCat("t", i))->offset % 64, 0);
    EXPECT_TRUE(IdenticalTensors(*reader->Lookup(absl::StrCat("t", i)),
                                 SampleTensor(DataType::kUint8, {i * 13})));
  }
}

// Any slice of a tensor, whether it is stored whole or in other slices.
TEST_F(BundleTest, SlicesOfEveryDtype) {
  const TensorShape full({7, 5});
  const std::vector<std::string> stored = {"0,3:-", "3,4:0,2", "3,4:2,3"};
  const std::vector<std::string> wanted = {"-:-",   "0,7:0,5", "3,4:0,2",
                                           "1,4:-", "2,3:1,3", "6,1:4,1"};
  // Element (r, c) is r * 5 + c.
  const auto piece = [](DataType type, const TensorSlice& slice,
                        const TensorShape& shape) {
    const Box box = BoxOf(slice, shape);
    Tensor tensor = Tensor::New(type, TensorShape(box.length));
    const Tensor whole = SampleTensor(type, shape);
    BoxRuns runs(BoxOf(TensorSlice::Full(2), shape), box);
    for (BoxRuns::Run run; runs.Next(&run);) {
      for (int64_t i = 0; i < run.count; ++i) {
        if (type == DataType::kString) {
          tensor
              .mutable_flat<StringElement>()[static_cast<size_t>(run.to + i)] =
              whole.flat<StringElement>()[static_cast<size_t>(run.from + i)];
        } else {
          const size_t width = SizeOf(type);
          std::memcpy(
              tensor.mutable_data() + static_cast<size_t>(run.to + i) * width,
              whole.data() + static_cast<size_t>(run.from + i) * width, width);
        }
      }
    }
    return tensor;
  };
  auto writer = Writer();
  for (DataType type : SavedDataTypes()) {
    const std::string name = DataTypeName(type);
    ASSERT_TRUE(writer->Add("whole/" + name, SampleTensor(type, full)).ok());
    for (const std::string& text : stored) {
      const TensorSlice slice = *TensorSlice::Parse(text);
      ASSERT_TRUE(
          writer
              ->AddSlice("parts/" + name, full, slice, piece(type, slice, full))
              .ok());
    }
  }
  ASSERT_TRUE(writer->Finish().ok());
  auto reader = Reader();
  for (DataType type : SavedDataTypes()) {
    for (const char* how : {"whole/", "parts/"}) {
      const std::string name = how + DataTypeName(type);
      EXPECT_EQ(reader->Find(name)->shape, full);
      EXPECT_TRUE(
          IdenticalTensors(*reader->Lookup(name), SampleTensor(type, full)))
          << name;
      for (const std::string& text : wanted) {
        const TensorSlice slice = *TensorSlice::Parse(text);
        auto tensor = reader->LookupSlice(name, slice);
        ASSERT_TRUE(tensor.ok()) << tensor.status();
        EXPECT_TRUE(IdenticalTensors(*tensor, piece(type, slice, full)))
            << name << " " << text;
      }
    }
  }
  size_t names = 0;
  ASSERT_TRUE(reader
                  ->ForEach([&](absl::string_view, const BundleEntry&) {
                    ++names;
                    return OkStatus();
                  })
                  .ok());
  EXPECT_EQ(names, 2 * SavedDataTypes().size());
}

TEST_F(BundleTest, AReadOfManySlicesEndsWhereItsCheckSaysSo) {
  auto writer = Writer();
  for (const char* half : {"0,2", "2,2"}) {
    ASSERT_TRUE(writer
                    ->AddSlice("p", {4}, *TensorSlice::Parse(half),
                               Tensor::Vector<float>({1, 2}))
                    .ok());
  }
  ASSERT_TRUE(writer->Finish().ok());
  int left = 1;
  const auto reader = *CheckpointReader::Open(&files_, kBundle, [&left] {
    return left-- > 0 ? OkStatus() : Cancelled("the step is over");
  });
  EXPECT_EQ(reader->Lookup("p").status().code(), StatusCode::kCancelled);
  left = 100;
  EXPECT_TRUE(reader->Lookup("p").ok());
}

TEST_F(BundleTest, MissingSlicesAndTensors) {
  auto writer = Writer();
  ASSERT_TRUE(writer
                  ->AddSlice("p", {4}, *TensorSlice::Parse("0,2"),
                             Tensor::Vector<float>({1, 2}))
                  .ok());
  ASSERT_TRUE(writer->Add("plain", Tensor::Scalar<float>(1)).ok());
  ASSERT_TRUE(writer->Finish().ok());
  auto reader = Reader();
  EXPECT_EQ(reader->Lookup("p").status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(reader->LookupSlice("p", *TensorSlice::Parse("1,1")).ok());
  EXPECT_EQ(
      reader->LookupSlice("p", *TensorSlice::Parse("1,2")).status().code(),
      StatusCode::kInvalidArgument);
  EXPECT_EQ(
      reader->LookupSlice("p", *TensorSlice::Parse("3,2")).status().code(),
      StatusCode::kInvalidArgument);
  EXPECT_EQ(
      reader->LookupSlice("p", *TensorSlice::Parse("-:-")).status().code(),
      StatusCode::kInvalidArgument);
  EXPECT_EQ(reader->Lookup("q").status(),
            NotFound("Key q not found in checkpoint"));
  EXPECT_EQ(reader->Lookup("").status().code(), StatusCode::kNotFound);
  auto missing = BundleReader::Open(&files_, "/model/other");
  EXPECT_EQ(missing.status().code(), StatusCode::kNotFound);
  EXPECT_NE(missing.status().message().find(
                "Failed to find any matching files for /model/other"),
            absl::string_view::npos);
}

TEST_F(BundleTest, RefusesWhatItCannotWrite) {
  auto writer = Writer();
  const Tensor one = Tensor::Scalar<float>(1);
  ASSERT_TRUE(writer->Add("a", one).ok());
  EXPECT_EQ(writer->Add("a", one).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(writer->Add("", one).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(writer->Add(absl::string_view("\0x", 2), one).code(),
            StatusCode::kInvalidArgument);
  const TensorSlice half = *TensorSlice::Parse("0,2");
  const Tensor two = Tensor::Vector<float>({1, 2});
  EXPECT_EQ(writer->AddSlice("a", {4}, half, two).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(writer->AddSlice("b", {1}, half, two).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(writer->AddSlice("b", {4}, half, one).code(),
            StatusCode::kInvalidArgument);
  ASSERT_TRUE(writer->AddSlice("b", {4}, half, two).ok());
  EXPECT_EQ(writer->AddSlice("b", {4}, half, two).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(writer->AddSlice("b", {5}, *TensorSlice::Parse("2,2"), two).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(writer->Add("r", Tensor::New(DataType::kResource, {})).code(),
            StatusCode::kUnimplemented);
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_FALSE(writer->Add("late", one).ok());
  EXPECT_FALSE(writer->Finish().ok());
  EXPECT_TRUE(Reader()->Lookup("a").ok());
}

// A list of [[1, 2]], twice, as SaveV2 of TensorFlow 2.21 stores it.
constexpr char kTwoLists[] =
    "3e0a1674656e736f72666c6f773a3a54656e736f724c69737412100001ffffffffffffffff"
    "ff01120208021a1208011204120208022a080000803f000000400d823e323e0a1674656e73"
    "6f72666c6f773a3a54656e736f724c69737412100001ffffffffffffffffff01120208021a"
    "1208011204120208022a080000803f00000040f7ec95b1";

TEST_F(BundleTest, VariantsOfStock) {
  std::string stored = absl::HexStringToBytes(kTwoLists);
  Tensor t = Tensor::New(DataType::kVariant, TensorShape({2}));
  const auto elements = t.mutable_flat<VariantElement>();
  const auto read = [&](uint32_t crc) {
    return ReadVariantElements(stored, crc, HostAllocator(), elements);
  };
  ASSERT_TRUE(read(0x8c4f95af).ok()) << read(0x8c4f95af);
  const auto& list = dynamic_cast<const TensorListValue&>(*elements[1]);
  ASSERT_EQ(list.size(), 1);
  EXPECT_TRUE(
      IdenticalTensors(list.tensors()[0], Tensor::Vector<float>({1, 2})));
  EXPECT_EQ(read(0x8c4f95ae).code(), StatusCode::kDataLoss);
  for (size_t i = 0; i < stored.size(); ++i) {
    stored[i] = static_cast<char>(stored[i] ^ 1);
    EXPECT_EQ(read(0x8c4f95af).code(), StatusCode::kDataLoss) << i;
    stored[i] = static_cast<char>(stored[i] ^ 1);
  }
  stored.pop_back();
  EXPECT_EQ(read(0x8c4f95af).code(), StatusCode::kDataLoss);
}

TEST_F(BundleTest, VariantsComeBack) {
  auto list = MakeRef<TensorListValue>(DataType::kString, PartialShape());
  ASSERT_TRUE(list->Push(Tensor::Vector({"a", "bc"})).ok());
  Tensor t = Tensor::New(DataType::kVariant, TensorShape({3}));
  t.mutable_flat<VariantElement>()[1] = std::move(list);
  auto writer = Writer();
  ASSERT_TRUE(writer->Add("v", t).ok());
  ASSERT_TRUE(writer->Finish().ok());
  const StatusOr<Tensor> back = Reader()->Lookup("v");
  ASSERT_TRUE(back.ok()) << back.status();
  const auto elements = back->flat<VariantElement>();
  EXPECT_EQ(elements[0], nullptr);
  EXPECT_TRUE(IdenticalTensors(
      dynamic_cast<const TensorListValue&>(*elements[1]).tensors()[0],
      Tensor::Vector({"a", "bc"})));
}

TEST_F(BundleTest, NothingIsLeftWithoutFinish) {
  {
    auto writer = Writer();
    ASSERT_TRUE(writer->Add("a", Tensor::Scalar<float>(1)).ok());
  }
  EXPECT_TRUE(files_.GetChildren("/model")->empty());
}

TEST_F(BundleTest, FullDiskIsAnErrorAndLeavesNothing) {
  files_.SetLimit(100000);
  auto writer = Writer();
  Status status = writer->Add("a", Tensor::Zeros(DataType::kFloat, {100000}));
  if (status.ok()) status = writer->Finish();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_FALSE(writer->Finish().ok());
  writer.reset();
  EXPECT_TRUE(files_.GetChildren("/model")->empty());
}

TEST_F(BundleTest, RestoreComparesDtypeAndShape) {
  auto writer = Writer();
  ASSERT_TRUE(writer->Add("w", SampleTensor(DataType::kFloat, {5, 2})).ok());
  ASSERT_TRUE(writer->Finish().ok());
  auto reader = *CheckpointReader::Open(&files_, kBundle);
  EXPECT_FALSE(reader->is_v1());
  EXPECT_TRUE(reader->Restore("w", "", DataType::kFloat).ok());
  EXPECT_EQ(
      reader->Restore("w", "5 2 3,2:0,2", DataType::kFloat)->flat<float>()[0],
      6);
  EXPECT_EQ(reader->Restore("w", "", DataType::kInt32).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(
      reader->Restore("w", "6 2 3,2:0,2", DataType::kFloat).status().code(),
      StatusCode::kInvalidArgument);
  EXPECT_EQ(reader->Restore("x", "", DataType::kFloat).status().code(),
            StatusCode::kNotFound);
  EXPECT_EQ(CheckpointReader::Open(&files_, "/model/none").status().code(),
            StatusCode::kNotFound);
}

// A state file may contain anything, and files that match it are deleted.
TEST_F(BundleTest, FilesOfACheckpointAreNoPattern) {
  ASSERT_TRUE(files_.CreateDirRecursively("/model").ok());
  for (const char* name : {"old", "old-00000-of-00002", "old-1", "other"}) {
    ASSERT_TRUE(
        WriteStringToFile(&files_, absl::StrCat("/model/", name), "").ok());
  }
  EXPECT_TRUE(CheckpointFiles(&files_, "/model/*")->empty());
  EXPECT_TRUE(CheckpointFiles(&files_, "/model/o??")->empty());
  EXPECT_EQ(
      *CheckpointFiles(&files_, "/model/old"),
      (std::vector<std::string>{"/model/old", "/model/old-00000-of-00002"}));
  EXPECT_EQ(
      *CheckpointFiles(&files_, "/model/old-\?\?\?\?\?-of-00002"),
      (std::vector<std::string>{"/model/old", "/model/old-00000-of-00002"}));
}

TEST_F(BundleTest, FilesOfACheckpoint) {
  auto writer = Writer();
  ASSERT_TRUE(writer->Add("w", Tensor::Scalar<float>(1)).ok());
  ASSERT_TRUE(writer->Finish().ok());
  ASSERT_TRUE(WriteStringToFile(&files_, "/model/ckpt-1.meta", "").ok());
  ASSERT_TRUE(WriteStringToFile(&files_, "/model/ckpt-11.index", "").ok());
  ASSERT_TRUE(WriteStringToFile(&files_, "/model/ckpt-1.data-0-of-1", "").ok());
  EXPECT_EQ(*CheckpointFiles(&files_, kBundle),
            (std::vector<std::string>{"/model/ckpt-1.index",
                                      "/model/ckpt-1.data-00000-of-00001",
                                      "/model/ckpt-1.meta"}));
  EXPECT_TRUE(CheckpointExists(&files_, kBundle));
  EXPECT_TRUE(DeleteCheckpoint(&files_, kBundle).ok());
  EXPECT_FALSE(CheckpointExists(&files_, kBundle));
  EXPECT_TRUE(DeleteCheckpoint(&files_, kBundle).ok());
  EXPECT_EQ(files_.GetChildren("/model")->size(), 2u);
  EXPECT_EQ(ShardedFilename("/a", 3, 10), "/a-00003-of-00010");
  EXPECT_EQ(ShardedFilespec("/a", 10), "/a-\?\?\?\?\?-of-00010");
}

}  // namespace
}  // namespace millrace
