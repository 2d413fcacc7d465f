#include "millrace/kernel/variable.h"

#include <gtest/gtest.h>

#include <vector>

namespace millrace {
namespace {

Tensor Rows(int64_t rows, float value) {
  Tensor t = Tensor::New(DataType::kFloat, {rows, 8});
  for (float& f : t.mutable_flat<float>()) f = value;
  return t;
}

TEST(Variable, UninitializedThenAssigned) {
  Variable v(DataType::kFloat, "x");
  EXPECT_FALSE(v.IsInitialized());
  EXPECT_EQ(v.Read().status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(v.Read().status().message(),
            "Attempting to use uninitialized value x");
  v.Assign(Rows(2, 1));
  EXPECT_EQ(v.Shape()->DebugString(), "[2,8]");
  EXPECT_EQ(v.DebugString(), "Variable float [2,8]");
  v.Clear();
  EXPECT_FALSE(v.IsInitialized());
}

TEST(Variable, DenseUpdateCopiesOnlyWhatIsShared) {
  Variable v(DataType::kFloat, "x");
  v.Assign(Rows(2, 1));
  const char* place;
  {
    WriterLock lock(v.mu());
    place = (*v.MutableLocked(HostAllocator()))->data();
    EXPECT_EQ((*v.MutableLocked(HostAllocator()))->data(), place);
  }
  const Tensor read = *v.Read();
  EXPECT_EQ(read.data(), place);
  WriterLock lock(v.mu());
  Tensor* own = *v.MutableLocked(HostAllocator());
  EXPECT_NE(own->data(), place);
  own->mutable_flat<float>()[0] = 5;
  EXPECT_EQ(read.flat<float>()[0], 1);
}

TEST(VariableRows, SparseUpdateNeverTouchesAReadersBuffer) {
  Variable v(DataType::kFloat, "x");
  const Tensor constant = Rows(100, 1);
  v.Assign(constant);
  const Tensor before = *v.Read();
  EXPECT_EQ(before.data(), constant.data());
  {
    auto rows =
        VariableRows::Make({&v}, VariableRows::kUpdate, HostAllocator());
    ASSERT_TRUE(rows.ok());
    auto lock = rows->Lock(3);
    rows->mutable_elements<float>(0)[24] = 7;
  }
  EXPECT_EQ(constant.flat<float>()[24], 1);
  // From now on whole reads copy, and updates continue in place.
  const Tensor read = *v.Read();
  EXPECT_EQ(read.flat<float>()[24], 7);
  const char* place = nullptr;
  for (int i = 0; i < 2; ++i) {
    auto rows =
        VariableRows::Make({&v}, VariableRows::kUpdate, HostAllocator());
    if (place != nullptr) {
      EXPECT_EQ(rows->mutable_data(0), place);
    }
    place = rows->mutable_data(0);
    auto lock = rows->Lock(99);
    rows->mutable_elements<float>(0)[24] = 8;
  }
  EXPECT_EQ(read.flat<float>()[24], 7);
  // A new value ends that: its buffer may be shared again.
  v.Assign(constant);
  EXPECT_EQ(v.Read()->data(), constant.data());
}

TEST(VariableRows, UninitializedNamesTheVariable) {
  Variable a(DataType::kFloat, "a"), b(DataType::kFloat, "b");
  a.Assign(Rows(2, 1));
  for (auto mode : {VariableRows::kRead, VariableRows::kUpdate}) {
    EXPECT_EQ(
        VariableRows::Make({&a, &b}, mode, HostAllocator()).status().message(),
        "Attempting to use uninitialized value b");
  }
  WriterLock still_free(a.mu());
}

TEST(VariableRows, OneVariableTwice) {
  Variable a(DataType::kFloat, "a");
  a.Assign(Rows(2, 1));
  auto rows =
      VariableRows::Make({&a, &a}, VariableRows::kUpdate, HostAllocator());
  ASSERT_TRUE(rows.ok());
  auto lock = rows->Lock(1);
  EXPECT_EQ(rows->mutable_data(0), rows->mutable_data(1));
}

TEST(VariableRows, StringsAreCopiedWhole) {
  Variable v(DataType::kString, "s");
  v.Assign(Tensor::Vector<std::string>({"one", "two"}));
  {
    auto rows =
        VariableRows::Make({&v}, VariableRows::kUpdate, HostAllocator());
    auto lock = rows->Lock(1);
    rows->mutable_elements<StringElement>(0)[1].Assign("three");
  }
  EXPECT_EQ(v.Read()->flat<StringElement>()[1].view(), "three");
}

// Concurrent updates of rows of two variables, given in both orders, whole
// reads and new values: no deadlock, and no update of a row is torn.
TEST(VariableRows, ThreadsAgree) {
  Variable a(DataType::kFloat, "a"), b(DataType::kFloat, "b");
  a.Assign(Rows(200, 0));
  b.Assign(Rows(200, 0));
  std::vector<Thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back("rows", [&a, &b, t] {
      for (int i = 0; i < 2000; ++i) {
        Variable* both[] = {t % 2 ? &a : &b, t % 2 ? &b : &a};
        auto rows =
            VariableRows::Make(both, VariableRows::kUpdate, HostAllocator());
        const int64_t row = (i * 7 + t) % 200;
        auto lock = rows->Lock(row);
        for (int v = 0; v < 2; ++v) {
          for (int j = 0; j < 8; ++j)
            rows->mutable_elements<float>(v)[row * 8 + j] += 1;
        }
      }
    });
  }
  threads.emplace_back("dense", [&] {
    for (int i = 0; i < 200; ++i) {
      Variable* both[] = {&b, &a};
      VariableLocks locks(both);
      for (Variable* v : both) {
        for (float& f :
             (*v->MutableLocked(HostAllocator()))->mutable_flat<float>())
          f += 1;
      }
    }
  });
  for (int i = 0; i < 200; ++i) {
    const Tensor t = *a.Read();
    const auto f = t.flat<float>();
    for (int64_t row = 0; row < 200; ++row) {
      ASSERT_EQ(f[static_cast<size_t>(row) * 8],
                f[static_cast<size_t>(row) * 8 + 7]);
    }
  }
  for (Thread& t : threads) t.Join();
  double sum = 0;
  const Tensor t = *a.Read();
  for (float f : t.flat<float>()) sum += f;
  EXPECT_EQ(sum, 8.0 * (4 * 2000 + 200 * 200));
}

}  // namespace
}  // namespace millrace
