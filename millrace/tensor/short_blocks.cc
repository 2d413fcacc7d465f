#include "millrace/tensor/short_blocks.h"

#include <utility>

#include "millrace/base/threads/thread.h"

namespace millrace::internal {

struct ShortBlocks::Common {
  struct Piles {
    Mutex mu;
    Block* first = nullptr;
    size_t count = 0;
  };
  std::array<Piles, kSizes> sizes;
};
constinit ShortBlocks::Common ShortBlocks::common_;

char* ShortBlocks::Allocate(size_t size) {
  return static_cast<char*>(
      ::operator new((size + kGrain - 1) / kGrain * kGrain, std::nothrow));
}

void ShortBlocks::Free(char* data) { ::operator delete(data); }

void ShortBlocks::FreeAll(Block* block) {
  while (block != nullptr) ::operator delete(std::exchange(block, block->next));
}

bool ShortBlocks::Refill(size_t size, Shelf& shelf) {
  if (shelf.full != nullptr) {
    shelf.top = std::exchange(shelf.full, nullptr);
  } else {
    Common::Piles& piles = common_.sizes[(size - 1) / kGrain];
    MutexLock lock(piles.mu);
    if (piles.first == nullptr) return false;
    shelf.top = std::exchange(piles.first, piles.first->next_pile);
    --piles.count;
  }
  shelf.count = kPile;
  return true;
}

void ShortBlocks::PutAway(size_t size, Shelf& shelf) {
  shelf.count = 0;
  Block* pile = std::exchange(shelf.full, std::exchange(shelf.top, nullptr));
  if (pile == nullptr) return;
  const size_t number = (size - 1) / kGrain;
  const size_t most = kMaxCommonBytes / ((number + 1) * kGrain * kPile);
  {
    Common::Piles& piles = common_.sizes[number];
    MutexLock lock(piles.mu);
    if (piles.count < most) {
      pile->next_pile = std::exchange(piles.first, pile);
      ++piles.count;
      return;
    }
  }
  FreeAll(pile);
}

void ShortBlocks::Clear() {
  for (Shelf& shelf : shelves_) {
    FreeAll(shelf.top);
    FreeAll(shelf.full);
    shelf = Shelf();
  }
}

}  // namespace millrace::internal
