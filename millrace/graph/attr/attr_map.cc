#include <algorithm>

#include "millrace/graph/attr/attr_value.h"

namespace millrace {
namespace {

struct NameLess {
  bool operator()(const AttrMap::Entry& e, absl::string_view name) const {
    return e.first < name;
  }
};

}  // namespace

struct AttrMap::Entries : RefCounted {
  std::vector<Entry> list;
};

AttrMap::AttrMap() = default;
AttrMap::AttrMap(const AttrMap& o) = default;
AttrMap::AttrMap(AttrMap&& o) noexcept = default;
AttrMap::~AttrMap() = default;
AttrMap& AttrMap::operator=(AttrMap o) noexcept {
  std::swap(entries_, o.entries_);
  return *this;
}
const AttrMap::Entry* AttrMap::begin() const {
  return entries_ ? entries_->list.data() : nullptr;
}
const AttrMap::Entry* AttrMap::end() const {
  return entries_ ? entries_->list.data() + entries_->list.size() : nullptr;
}
size_t AttrMap::size() const { return entries_ ? entries_->list.size() : 0; }
bool AttrMap::empty() const { return size() == 0; }
const void* AttrMap::identity() const { return entries_.get(); }
bool AttrMap::IsShared() const { return entries_ && !entries_->IsUnique(); }

AttrMap::AttrMap(std::initializer_list<Entry> entries) {
  for (const Entry& e : entries) Set(e.first, e.second);
}

std::vector<AttrMap::Entry>& AttrMap::Mutable() {
  if (!entries_) {
    entries_ = MakeRef<Entries>();
  } else if (!entries_->IsUnique()) {
    auto copy = MakeRef<Entries>();
    copy->list = entries_->list;
    entries_ = std::move(copy);
  }
  return entries_->list;
}

const AttrValue* AttrMap::Find(absl::string_view name) const {
  const Entry* e = end();
  const Entry* at = begin();
  if (e - at <= 6) {  // most ops: equality is cheaper than order
    for (; at != e; ++at) {
      if (at->first == name) return &at->second;
    }
    return nullptr;
  }
  at = std::lower_bound(at, e, name, NameLess());
  return at != e && at->first == name ? &at->second : nullptr;
}

void AttrMap::Set(absl::string_view name, AttrValue value) {
  std::vector<Entry>& list = Mutable();
  auto at = std::lower_bound(list.begin(), list.end(), name, NameLess());
  if (at != list.end() && at->first == name) {
    at->second = std::move(value);
  } else {
    list.emplace(at, std::string(name), std::move(value));
  }
}

bool AttrMap::Erase(absl::string_view name) {
  if (Find(name) == nullptr) return false;
  std::vector<Entry>& list = Mutable();
  list.erase(std::lower_bound(list.begin(), list.end(), name, NameLess()));
  return true;
}

bool operator==(const AttrMap& a, const AttrMap& b) {
  return a.identity() == b.identity() ||
         std::equal(a.begin(), a.end(), b.begin(), b.end());
}

bool operator==(const NameAttrList& a, const NameAttrList& b) {
  return a.name == b.name && a.attrs == b.attrs;
}

}  // namespace millrace
