#include "millrace/kernel/resource.h"

#include <gtest/gtest.h>

namespace millrace {
namespace {

template <int kTag>
class Thing final : public Resource {
 public:
  static constexpr absl::string_view kTypeName = kTag == 0 ? "Thing" : "Other";
  explicit Thing(int* removed = nullptr) : removed_(removed) {}
  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override { return "a thing"; }
  void OnRemoved() override {
    if (removed_) ++*removed_;
  }

 private:
  int* removed_;
};

TEST(ResourceStore, EmptyContainerIsTheDefault) {
  ResourceStore store("job");
  ASSERT_TRUE(store.Create("", "a", MakeRef<Thing<0>>()).ok());
  EXPECT_TRUE(store.Lookup<Thing<0>>("job", "a").ok());
  EXPECT_EQ(store.Create("job", "a", MakeRef<Thing<0>>()).code(),
            StatusCode::kAlreadyExists);
  // A resource of the same name and another type is a different resource.
  EXPECT_TRUE(store.Create("job", "a", MakeRef<Thing<1>>()).ok());
}

TEST(ResourceStore, MissingAndWrongType) {
  ResourceStore store("job");
  EXPECT_EQ(store.Lookup<Thing<0>>("c", "a").status().message(),
            "Container c does not exist. (Could not find resource: c/a)");
  ASSERT_TRUE(store.Create("c", "a", MakeRef<Thing<0>>()).ok());
  EXPECT_EQ(store.Lookup<Thing<0>>("c", "b").status().message(),
            "Resource c/b/Thing does not exist.");
  EXPECT_EQ(store.Lookup<Thing<1>>("c", "a").status().code(),
            StatusCode::kNotFound);
}

TEST(ResourceStore, AllContainersExistOfASteps) {
  ResourceStore store("step", /*all_exist=*/true);
  EXPECT_EQ(store.Lookup<Thing<0>>("c", "a").status().message(),
            "Resource c/a/Thing does not exist.");
  EXPECT_EQ(store.Delete("c", "a", "Thing").message(),
            "Resource c/a/Thing does not exist.");
}

TEST(ResourceStore, LookupOrCreateMakesOnce) {
  ResourceStore store("job");
  int made = 0;
  auto make = [&]() -> StatusOr<Ref<Thing<0>>> {
    ++made;
    return MakeRef<Thing<0>>();
  };
  const auto a = store.LookupOrCreate<Thing<0>>("", "x", make);
  const auto b = store.LookupOrCreate<Thing<0>>("job", "x", make);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->get(), b->get());
  EXPECT_EQ(made, 1);
  auto fail = [&]() -> StatusOr<Ref<Thing<0>>> { return Internal("no"); };
  EXPECT_EQ(store.LookupOrCreate<Thing<0>>("", "y", fail).status().message(),
            "no");
  EXPECT_FALSE(store.Lookup<Thing<0>>("", "y").ok());
}

TEST(ResourceStore, RemovalTellsTheResource) {
  int removed = 0;
  {
    ResourceStore store("job");
    for (const char* name : {"a", "b", "c"}) {
      ASSERT_TRUE(store.Create("k", name, MakeRef<Thing<0>>(&removed)).ok());
    }
    ASSERT_TRUE(store.Create("other", "d", MakeRef<Thing<0>>(&removed)).ok());
    EXPECT_TRUE(store.Delete("k", "a", "Thing").ok());
    EXPECT_EQ(store.Delete("k", "a", "Thing").code(), StatusCode::kNotFound);
    EXPECT_EQ(removed, 1);
    const auto list = store.List();
    ASSERT_EQ(list.size(), 3u);
    EXPECT_EQ(list[0].name, "b");
    EXPECT_EQ(list[2].container, "other");
    EXPECT_EQ(list[2].debug, "a thing");
    store.Clear("k");
    store.Clear("unknown");
    EXPECT_EQ(removed, 3);
  }
  EXPECT_EQ(removed, 4);
}

}  // namespace
}  // namespace millrace
