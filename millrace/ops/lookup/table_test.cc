// Tests of memory, of tables that grow and of exports that stay, which cases
// cannot show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/base/files/memory_files.h"
#include "millrace/base/memory/memory_budget.h"
#include "millrace/device/devices.h"
#include "millrace/kernel/kernel.h"
#include "millrace/ops/lookup/dense_table.h"
#include "millrace/ops/lookup/mutable_table.h"
#include "millrace/ops/lookup/static_table.h"
#include "millrace/ops/lookup/vocabulary_file.h"

namespace millrace::ops {
namespace {

using ::testing::ElementsAre;

class TableTest : public ::testing::Test {
 protected:
  TableTest()
      : devices_(*MakeDevices({}, "localhost", 0)),
        ctx_(node_, *devices_[0], step_, {}, {}) {}

  Ref<DenseTable> Dense(int64_t buckets, DataType value = DataType::kInt64) {
    auto made = DenseTable::Make(
        ctx_, {DataType::kInt64, value, TensorShape(), buckets, 0.8F},
        Tensor::Scalar<int64_t>(0), Tensor::Scalar<int64_t>(-1), "dense");
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }

  // Returns the values of keys, -9 for a missing one.
  std::vector<int64_t> Values(const LookupTable& table,
                              const std::vector<int64_t>& keys) {
    Tensor values = Tensor::New(
        DataType::kInt64, TensorShape({static_cast<int64_t>(keys.size())}));
    const Status found =
        table.Find(ctx_, Tensor::Vector<int64_t>(absl::MakeConstSpan(keys)),
                   Tensor::Scalar<int64_t>(-9), &values);
    EXPECT_TRUE(found.ok()) << found;
    const auto flat = values.flat<int64_t>();
    return {flat.begin(), flat.end()};
  }

  NodeInfo node_;
  std::vector<std::unique_ptr<Device>> devices_;
  CancelScope cancel_;
  MemoryFiles files_;
  StepEnvironment step_{.cancel = &cancel_, .files = &files_};
  KernelContext ctx_;
};

Tensor Iota(int64_t begin, int64_t count, int64_t step = 1) {
  Tensor t = Tensor::New(DataType::kInt64, TensorShape({count}));
  for (int64_t i = 0; i < count; ++i) {
    t.mutable_flat<int64_t>()[static_cast<size_t>(i)] = begin + i * step;
  }
  return t;
}

constexpr int64_t kSpareBytes = 128 << 10;  // which a thread keeps for strings

TEST_F(TableTest, StringsAreChargedAndGivenBack) {
  MemoryBudget& budget = MemoryBudget::Process();
  auto table = MakeRef<MutableTable>(DataType::kString, DataType::kString,
                                     TensorShape(), "strings");
  const std::string large(100'000, 'x');
  const Tensor keys = Tensor::Vector<std::string>({large + "1", large + "2"});
  const int64_t before = budget.used();
  ASSERT_TRUE(table->Insert(ctx_, keys, keys).ok());
  EXPECT_GE(budget.used(), before + 400'000 - kSpareBytes);
  const Tensor small = Tensor::Vector<std::string>({"", ""});
  ASSERT_TRUE(table->Insert(ctx_, keys, small).ok());
  EXPECT_LT(budget.used(), before + 200'000 + kSpareBytes);
  ASSERT_TRUE(table->Remove(ctx_, keys).ok());
  EXPECT_LT(budget.used(), before + kSpareBytes);
  EXPECT_EQ(table->size(), 0);
}

TEST_F(TableTest, ATableWithoutRoomStaysAsItWas) {
  MemoryBudget& budget = MemoryBudget::Process();
  auto table = MakeRef<MutableTable>(DataType::kString, DataType::kInt64,
                                     TensorShape(), "strings");
  ASSERT_TRUE(table
                  ->Insert(ctx_, Tensor::Vector<std::string>({"a"}),
                           Tensor::Vector<int64_t>({1}))
                  .ok());
  const int64_t limit = budget.limit();
  budget.set_limit(budget.used() + 1'000'000);
  const Status refused = table->Insert(
      ctx_, Tensor::Vector<std::string>({std::string(2'000'000, 'k')}),
      Tensor::Vector<int64_t>({2}));
  budget.set_limit(limit);
  EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted) << refused;
  EXPECT_EQ(table->size(), 1);
}

TEST_F(TableTest, BucketsThatNoMachineHasAreRefused) {
  for (int shift : {40, 47, 48, 49, 62}) {
    const auto made = DenseTable::Make(
        ctx_,
        {DataType::kInt64, DataType::kInt64, TensorShape(), int64_t{1} << shift,
         0.8F},
        Tensor::Scalar<int64_t>(0), Tensor::Scalar<int64_t>(-1), "dense");
    EXPECT_EQ(made.status().code(), StatusCode::kResourceExhausted) << shift;
  }
  // Nor does a table grow to that size because of a tiny load factor.
  auto made = DenseTable::Make(
      ctx_, {DataType::kInt64, DataType::kInt64, TensorShape(), 4, 1e-30F},
      Tensor::Scalar<int64_t>(0), Tensor::Scalar<int64_t>(-1), "dense");
  ASSERT_TRUE(made.ok());
  EXPECT_EQ((*made)->Insert(ctx_, Iota(1, 1), Iota(1, 1)).code(),
            StatusCode::kResourceExhausted);
  EXPECT_EQ((*made)->size(), 0);
}

TEST_F(TableTest, LongEmptyKeysAreChargedForEachBucket) {
  const auto made = DenseTable::Make(
      ctx_, {DataType::kString, DataType::kInt64, TensorShape(), 1 << 20, 0.8F},
      Tensor::Scalar<std::string>(std::string(1 << 20, 'e')),
      Tensor::Scalar<std::string>("d"), "dense");
  EXPECT_EQ(made.status().code(), StatusCode::kResourceExhausted);
}

TEST_F(TableTest, AnExportStaysWhatItWas) {
  auto table = Dense(8);
  ASSERT_TRUE(table->Insert(ctx_, Iota(1, 3), Iota(10, 3)).ok());
  Tensor keys, values;
  ASSERT_TRUE(table->Export(ctx_, &keys, &values).ok());
  ASSERT_TRUE(table->Insert(ctx_, Iota(1, 3), Iota(20, 3)).ok());
  ASSERT_TRUE(table->Remove(ctx_, Iota(2, 1)).ok());
  EXPECT_THAT(keys.flat<int64_t>(), ElementsAre(0, 1, 2, 3, 0, 0, 0, 0));
  EXPECT_THAT(values.flat<int64_t>(), ElementsAre(0, 10, 11, 12, 0, 0, 0, 0));
  EXPECT_THAT(Values(*table, {1, 2, 3}), ElementsAre(20, -9, 22));
}

// The removed key's bucket is the first that the search for the other key
// probes.
TEST_F(TableTest, NoKeyIsThereTwiceAfterARemoval) {
  auto table = Dense(8);
  ASSERT_TRUE(table->Insert(ctx_, Iota(1, 2, 8), Iota(10, 2)).ok());
  ASSERT_TRUE(table->Remove(ctx_, Iota(1, 1)).ok());
  ASSERT_TRUE(table->Insert(ctx_, Iota(9, 1), Iota(30, 1)).ok());
  EXPECT_EQ(table->size(), 1);
  ASSERT_TRUE(table->Remove(ctx_, Iota(9, 1)).ok());
  EXPECT_EQ(table->size(), 0);
  EXPECT_THAT(Values(*table, {1, 9}), ElementsAre(-9, -9));
}

// Adds and removes keys until each bucket has had one.
TEST_F(TableTest, SearchesEndThoughAllBucketsWereUsed) {
  auto table = Dense(4);
  for (int64_t i = 1; i < 100; ++i) {
    ASSERT_TRUE(table->Insert(ctx_, Iota(i, 1), Iota(i * 10, 1)).ok());
    EXPECT_THAT(Values(*table, {i, i + 1000}), ElementsAre(i * 10, -9));
    ASSERT_TRUE(table->Remove(ctx_, Iota(i, 1)).ok());
  }
  EXPECT_EQ(table->size(), 0);
}

TEST_F(TableTest, ImportedBucketsMayBeFull) {
  auto table = Dense(4);
  const Tensor keys = Iota(4, 4).Reshaped(TensorShape({4, 1}));
  ASSERT_TRUE(table->CheckImport(keys, keys).ok());
  ASSERT_TRUE(table->Import(ctx_, keys, keys).ok());
  EXPECT_THAT(Values(*table, {4, 7, 8}), ElementsAre(4, 7, -9));
  ASSERT_TRUE(table->Insert(ctx_, Iota(8, 1), Iota(80, 1)).ok());
  EXPECT_THAT(Values(*table, {4, 7, 8}), ElementsAre(4, 7, 80));
  EXPECT_EQ(table->size(), 5);
}

// No key is where a search would find it, and one is there twice.
TEST_F(TableTest, ImportedBucketsMayBeNonsense) {
  auto table = Dense(4);
  const Tensor keys = Tensor::Of<int64_t>(TensorShape({4, 1}), {7, 7, -1, 6});
  ASSERT_TRUE(table->Import(ctx_, keys, keys).ok());
  EXPECT_EQ(table->size(), 3);
  ASSERT_TRUE(table->Insert(ctx_, Iota(1, 2), Iota(1, 2)).ok());
  EXPECT_EQ(table->size(), 4);
  EXPECT_THAT(Values(*table, {7, 6, 1, 2}), ElementsAre(7, 6, 1, 2));
}

TEST_F(TableTest, ManyKeysComeAndGo) {
  auto rows = MakeRef<MutableTable>(DataType::kInt64, DataType::kInt64,
                                    TensorShape(), "rows");
  auto dense = Dense(4);
  for (LookupTable* table : {static_cast<LookupTable*>(rows.get()),
                             static_cast<LookupTable*>(dense.get())}) {
    ASSERT_TRUE(table->Insert(ctx_, Iota(1, 5000), Iota(2, 5000, 2)).ok());
    ASSERT_TRUE(table->Remove(ctx_, Iota(3, 2000, 2)).ok());
    ASSERT_TRUE(table->Insert(ctx_, Iota(3, 500, 4), Iota(0, 500, 3)).ok());
    EXPECT_EQ(table->size(), 3500);
    EXPECT_THAT(Values(*table, {1, 2, 3, 5, 7, 1999, 4001, 4003, 5000, 5001}),
                ElementsAre(2, 4, 0, -9, 3, 1497, -9, 8006, 10000, -9));
  }
}

TEST_F(TableTest, ATableWhoseFillingFailedIsEmpty) {
  auto table =
      MakeRef<StaticTable>(DataType::kInt64, DataType::kInt64, "static");
  const Tensor twice = Tensor::Vector<int64_t>({1, 2, 1});
  EXPECT_EQ(table->Import(ctx_, twice, Iota(1, 3)).code(),
            StatusCode::kFailedPrecondition);
  EXPECT_FALSE(table->is_initialized());
  ASSERT_TRUE(table->Import(ctx_, Iota(1, 2), Iota(5, 2)).ok());
  EXPECT_THAT(Values(*table, {1, 2, 3}), ElementsAre(5, 6, -9));
}

// Puts long lines at each position of what is read at once, and short ones
// between them.
TEST_F(TableTest, VocabulariesMayHaveLongLines) {
  std::string text;
  for (int i = 0; i < 600; ++i) {
    absl::StrAppend(&text, "w", i, i % 97 == 0 ? std::string(1 << 20, 'x') : "",
                    "\n");
  }
  ASSERT_TRUE(WriteStringToFile(&files_, "/words", text).ok());
  auto table =
      MakeRef<StaticTable>(DataType::kString, DataType::kInt64, "static");
  const VocabularyFormat format{.key_index = VocabularyFormat::kWholeLine,
                                .value_index = VocabularyFormat::kLineNumber};
  const Status filled = InitializeFromFile(ctx_, format, "/words", *table);
  ASSERT_TRUE(filled.ok()) << filled;
  EXPECT_EQ(table->size(), 600);
  Tensor values = Tensor::New(DataType::kInt64, TensorShape({4}));
  const Tensor keys = Tensor::Vector<std::string>(
      {"w1", "w599", "w97" + std::string(1 << 20, 'x'), "w97"});
  ASSERT_TRUE(
      table->Find(ctx_, keys, Tensor::Scalar<int64_t>(-9), &values).ok());
  EXPECT_THAT(values.flat<int64_t>(), ElementsAre(1, 599, 97, -9));
}

TEST_F(TableTest, ALineThatMemoryHasNoRoomForIsRefused) {
  ASSERT_TRUE(
      WriteStringToFile(&files_, "/words", std::string(8 << 20, 'x')).ok());
  auto table =
      MakeRef<StaticTable>(DataType::kString, DataType::kInt64, "static");
  const VocabularyFormat format{.key_index = VocabularyFormat::kWholeLine,
                                .value_index = VocabularyFormat::kLineNumber};
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t limit = budget.limit();
  budget.set_limit(budget.used() + (16 << 20));
  const Status refused = InitializeFromFile(ctx_, format, "/words", *table);
  budget.set_limit(limit);
  EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted) << refused;
  EXPECT_FALSE(table->is_initialized());
}

}  // namespace
}  // namespace millrace::ops
