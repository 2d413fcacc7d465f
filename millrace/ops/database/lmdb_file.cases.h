// The bytes of a small LMDB database, for cases.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/cases/case.h"

namespace millrace::cases {

inline constexpr char kNoLmdb[] = "LMDB is gone from the wheel";

inline void PutLmdb(std::string* page, size_t at, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    (*page)[at + static_cast<size_t>(i)] =
        static_cast<char>(value >> (8 * i) & 0xff);
  }
}

// Returns a database of one leaf page with these records, in the order of their
// keys; they must fit a page.
inline std::string SmallLmdb(
    const std::vector<std::pair<std::string, std::string>>& records) {
  constexpr size_t kPage = 4096;
  std::string file(3 * kPage, '\0');
  for (const size_t number : {0, 1}) {
    const size_t at = number * kPage;
    PutLmdb(&file, at, number, 8);
    PutLmdb(&file, at + 10, 8, 2);  // a meta page
    PutLmdb(&file, at + 16, 0xbeefc0de, 4);
    PutLmdb(&file, at + 20, 1, 4);
    PutLmdb(&file, at + 40, kPage, 4);
    PutLmdb(&file, at + 128, number == 1 ? 2 : ~uint64_t{0}, 8);  // the root
    PutLmdb(&file, at + 136, 2, 8);
    PutLmdb(&file, at + 144, number, 8);
  }
  size_t lower = 2 * kPage + 16, upper = 3 * kPage;
  for (const auto& [key, value] : records) {
    upper -= (8 + key.size() + value.size() + 1) / 2 * 2;
    PutLmdb(&file, upper, value.size(), 4);
    PutLmdb(&file, upper + 6, key.size(), 2);
    file.replace(upper + 8, key.size() + value.size(), key + value);
    PutLmdb(&file, lower, upper - 2 * kPage, 2);
    lower += 2;
  }
  PutLmdb(&file, 2 * kPage, 2, 8);
  PutLmdb(&file, 2 * kPage + 10, 2, 2);  // a leaf page
  PutLmdb(&file, 2 * kPage + 12, lower - 2 * kPage, 2);
  PutLmdb(&file, 2 * kPage + 14, upper - 2 * kPage, 2);
  return file;
}

}  // namespace millrace::cases
