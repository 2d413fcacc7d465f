// Updates of rows that occur several times are made in the order of their
// indices, so that sums are the CPU's to the last bit.
#include <algorithm>
#include <string>
#include <vector>

#include "millrace/client/variables/variables.h"
#include "tests/gpu/training/trained.h"

namespace millrace::gpu_tests {
namespace {

struct Updates {
  int64_t rows, row_elements;
  std::vector<int64_t> indices;
};

// Returns the variable after `op` on the device, and after another one like it.
Tensor Updated(const std::string& device, const Updates& u, const char* op) {
  const Scope s = Scope::NewRoot().WithDevice(device);
  const auto count = static_cast<int64_t>(u.indices.size());
  const ops::Variable v(s.WithOpName("v"),
                        [&](const Scope& scope) {
                          return train::Waves(scope, {u.rows, u.row_elements});
                        },
                        {.use_resource = true});
  const Output indices = ops::Const(s, Tensor::Vector<int64_t>(u.indices));
  const IndexedSlices slices = {
      .values = train::Waves(s, {count, u.row_elements}),
      .indices = indices,
      .dense_shape = {}};
  const Operation update = op == std::string("add") ? v.ScatterAdd(s, slices)
                           : op == std::string("sub")
                               ? v.ScatterSub(s, slices)
                               : v.ScatterUpdate(s, slices);
  EXPECT_TRUE(s.ok()) << s.status();
  Session session(s, WithCards(1));
  EXPECT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
  for (int i = 0; i < 2; ++i) {
    const Status updated = session.RunTargets({update});
    EXPECT_TRUE(updated.ok()) << updated;
  }
  auto value = session.Run({v.value()});
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? (*value)[0] : Tensor();
}

std::vector<int64_t> Indices(int64_t count, int64_t rows) {
  std::vector<int64_t> indices;
  uint64_t x = 12345;
  for (int64_t i = 0; i < count; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    indices.push_back(
        static_cast<int64_t>((x >> 33) % static_cast<uint64_t>(rows)));
  }
  return indices;
}

TEST(RowOrderOnGpu, IsThatOfTheCpu) {
  // Runs of 2048 indices are sorted by one block, longer lists are merged.
  for (const int64_t count : {1, 2, 100, 2047, 2048, 2049, 5000, 9000}) {
    const Updates u = {
        .rows = 50, .row_elements = 3, .indices = Indices(count, 50)};
    for (const char* op : {"add", "sub", "update"}) {
      EXPECT_TRUE(
          IdenticalTensors(Updated("/cpu:0", u, op), Updated("/gpu:0", u, op)))
          << count << " " << op;
    }
  }
}

TEST(RowOrderOnGpu, HoldsForRowsOfEachLength) {
  for (const int64_t length : {1, 2, 31, 64, 257, 3000}) {
    const Updates u = {
        .rows = 9, .row_elements = length, .indices = Indices(40, 9)};
    EXPECT_TRUE(IdenticalTensors(Updated("/cpu:0", u, "add"),
                                 Updated("/gpu:0", u, "add")))
        << length;
  }
}

TEST(RowOrderOnGpu, PassesOverRowsThatDoNotExist) {
  const Updates good = {.rows = 10, .row_elements = 5, .indices = {3, 1, 3}};
  Updates bad = good;
  bad.indices.insert(bad.indices.end(), {10, -1, 1 << 20});
  EXPECT_TRUE(IdenticalTensors(Updated("/cpu:0", good, "update"),
                               Updated("/gpu:0", bad, "update")));
  EXPECT_TRUE(IdenticalTensors(Updated("/cpu:0", good, "add"),
                               Updated("/gpu:0", bad, "add")));
}

}  // namespace
}  // namespace millrace::gpu_tests
