// Makes the bytes of LMDB databases.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "millrace/base/coding.h"

namespace millrace {

inline constexpr size_t kLmdbPage = 4096;

// A node of a leaf page.
inline std::string LmdbLeafNode(const std::string& key,
                                const std::string& value, uint32_t size,
                                uint16_t flags) {
  std::string node(8, '\0');
  StoreFixed(node.data(), size);
  StoreFixed(node.data() + 4, flags);
  StoreFixed(node.data() + 6, static_cast<uint16_t>(key.size()));
  return node + key + value;
}

// A node of a branch page.
inline std::string LmdbBranchNode(const std::string& key, uint64_t page) {
  return LmdbLeafNode(key, "", static_cast<uint32_t>(page),
                      static_cast<uint16_t>(page >> 32));
}

inline std::string LmdbPage(uint64_t number, uint16_t flags,
                            const std::vector<std::string>& nodes) {
  std::string page(kLmdbPage, '\0');
  StoreFixed(page.data(), number);
  StoreFixed(page.data() + 10, flags);
  size_t upper = page.size(), lower = 16;
  for (const std::string& node : nodes) {
    upper -= (node.size() + 1) / 2 * 2;
    page.replace(upper, node.size(), node);
    StoreFixed(page.data() + lower, static_cast<uint16_t>(upper));
    lower += 2;
  }
  StoreFixed(page.data() + 12, static_cast<uint16_t>(lower));
  StoreFixed(page.data() + 14, static_cast<uint16_t>(upper));
  return page;
}

inline std::string LmdbMetaPage(uint64_t number, uint64_t transaction,
                                uint64_t root) {
  std::string page = LmdbPage(number, 8, {});
  StoreFixed(page.data() + 16, uint32_t{0xbeefc0de});
  StoreFixed(page.data() + 20, uint32_t{1});
  StoreFixed(page.data() + 40, static_cast<uint32_t>(kLmdbPage));
  StoreFixed(page.data() + 128, root);
  StoreFixed(page.data() + 144, transaction);
  return page;
}

// A database of these records, in the order of their keys, with `per_leaf` of
// them on a page. Values above 2000 bytes are on pages of their own.
inline std::string LmdbFile(
    const std::vector<std::pair<std::string, std::string>>& records,
    size_t per_leaf) {
  std::string pages;  // from page 2 on
  const auto next = [&] { return 2 + pages.size() / kLmdbPage; };
  std::vector<std::pair<std::string, uint64_t>> level;
  for (size_t i = 0; i < records.size(); i += per_leaf) {
    std::vector<std::string> nodes;
    for (size_t k = i; k < records.size() && k < i + per_leaf; ++k) {
      const auto& [key, value] = records[k];
      const auto size = static_cast<uint32_t>(value.size());
      if (value.size() <= 2000) {
        nodes.push_back(LmdbLeafNode(key, value, size, 0));
        continue;
      }
      const uint64_t number = next();
      std::string page = LmdbPage(number, 4, {});
      const size_t count = (16 + value.size() + kLmdbPage - 1) / kLmdbPage;
      StoreFixed(page.data() + 12, static_cast<uint32_t>(count));
      page.resize(16);
      page += value;
      page.resize(count * kLmdbPage);
      pages += page;
      std::string place(8, '\0');
      StoreFixed(place.data(), number);
      nodes.push_back(LmdbLeafNode(key, place, size, 1));
    }
    level.emplace_back(records[i].first, next());
    pages += LmdbPage(next(), 2, nodes);
  }
  while (level.size() > 1) {
    std::vector<std::pair<std::string, uint64_t>> above;
    for (size_t i = 0; i < level.size(); i += 4) {
      std::vector<std::string> nodes;
      for (size_t k = i; k < level.size() && k < i + 4; ++k) {
        nodes.push_back(
            LmdbBranchNode(k == i ? "" : level[k].first, level[k].second));
      }
      above.emplace_back(level[i].first, next());
      pages += LmdbPage(next(), 1, nodes);
    }
    level = std::move(above);
  }
  const uint64_t root = level.empty() ? ~uint64_t{0} : level[0].second;
  return LmdbMetaPage(0, 0, ~uint64_t{0}) + LmdbMetaPage(1, 1, root) + pages;
}

}  // namespace millrace
