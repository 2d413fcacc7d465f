// CountedTable: a vector, string or hash table of unknown final size that a
// kernel fills, counted in the memory budget.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "millrace/base/memory/memory_charge.h"

namespace millrace {

// `Table` has reserve() and size(). Memory that its elements own elsewhere is
// not counted, nor are tables of up to 64 KiB. For one thread at a time.
template <class Table>
class CountedTable {
 public:
  // `what` names the table in errors, and must outlive this object.
  explicit CountedTable(const char* what) : what_(what) {}
  CountedTable(CountedTable&& o) noexcept
      : what_(o.what_),
        charge_(std::move(o.charge_)),
        table_(std::exchange(o.table_, Table())),
        room_(std::exchange(o.room_, kUncounted)) {}
  CountedTable& operator=(CountedTable&& o) noexcept {
    std::swap(what_, o.what_);
    std::swap(charge_, o.charge_);
    std::swap(table_, o.table_);
    std::swap(room_, o.room_);
    return *this;
  }

  // Must be called before `more` elements are added. Returns
  // RESOURCE_EXHAUSTED, and changes nothing, if the budget has no room for
  // them.
  Status MakeRoom(size_t more = 1) {
    if (more <= room_ - std::min(room_, table_.size())) [[likely]]
      return OkStatus();
    return Grow(table_.size() + more);
  }

  Table& operator*() { return table_; }
  const Table& operator*() const { return table_; }
  Table* operator->() { return &table_; }
  const Table* operator->() const { return &table_; }

 private:
  static constexpr bool kIsHashed = requires { typename Table::key_type; };
  static constexpr size_t kUncounted =
      (64 << 10) / (sizeof(typename Table::value_type) * (kIsHashed ? 3 : 1));

  static constexpr auto kElement =
      static_cast<int64_t>(sizeof(typename Table::value_type));

  // Abseil's hash tables have a power of two of slots and keep an eighth of
  // them free.
  static int64_t SlotsFor(size_t elements) {
    int64_t slots = 8;
    while (slots - slots / 8 < static_cast<int64_t>(elements)) slots *= 2;
    return slots;
  }
  static int64_t BytesFor(size_t elements) {
    if constexpr (kIsHashed) return SlotsFor(elements) * (kElement + 1);
    return static_cast<int64_t>(elements) * kElement;
  }

  // Charges the old and the new memory while the elements move from one to the
  // other.
  Status Grow(size_t elements) {
    elements = std::max(elements, 2 * room_);
    int64_t before = charge_.bytes();
    if constexpr (kIsHashed) {
      before = std::max(before, BytesFor(table_.size()));
      const int64_t slots = SlotsFor(elements);
      elements = static_cast<size_t>(slots - slots / 8);
    } else {
      before = std::max(before, BytesFor(table_.capacity()));
      elements = std::max(elements, 2 * table_.capacity());  // as strings do
    }
    const int64_t bytes = BytesFor(elements);
    MR_RETURN_IF_ERROR(charge_.Set(bytes + before, what_));
    table_.reserve(elements);
    room_ = elements;
    return charge_.Set(bytes, what_);
  }

  const char* what_;
  MemoryCharge charge_;  // destroyed after the table
  Table table_;
  size_t room_ = kUncounted;
};

}  // namespace millrace
