#include "millrace/tensor/short_blocks.h"

#include <utility>

#include "millrace/base/threads/thread.h"

namespace millrace::internal {

// Nobody waits for a lock: there is always the heap. So a process that was
// forked while another thread had one goes on without what is kept.
struct ShortBlocks::Common {
  class Piles {
   public:
    // Returns null if there is none, or if another thread is here.
    Block* Take() {
      if (!mu_.TryLock()) return nullptr;
      Block* const pile = first_;
      if (pile != nullptr) {
        first_ = pile->next_pile;
        --count_;
      }
      mu_.Unlock();
      return pile;
    }
    // Returns false if there are `most`, or if another thread is here.
    bool Put(Block* pile, size_t most) {
      if (!mu_.TryLock()) return false;
      const bool has_room = count_ < most;
      if (has_room) {
        pile->next_pile = std::exchange(first_, pile);
        ++count_;
      }
      mu_.Unlock();
      return has_room;
    }

   private:
    Mutex mu_;
    Block* first_ = nullptr;
    size_t count_ = 0;
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
    shelf.top = common_.sizes[(size - 1) / kGrain].Take();
    if (shelf.top == nullptr) return false;
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
  if (!common_.sizes[number].Put(pile, most)) FreeAll(pile);
}

void ShortBlocks::Clear() {
  for (Shelf& shelf : shelves_) {
    FreeAll(shelf.top);
    FreeAll(shelf.full);
    shelf = Shelf();
  }
}

}  // namespace millrace::internal
