// ShortBlocks: the heap memory of short strings, kept when it is freed.
#pragma once

#include <array>
#include <cstddef>
#include <new>

namespace millrace::internal {

// Without it the heap would take most of the time of an op over many short
// strings. Blocks are of whole multiples of kGrain bytes, and change hands in
// piles of kPile: a thread keeps up to two piles of each size, and the process
// up to kMaxCommonBytes of each size, for threads that allocate what others
// free. What is kept is not in the memory budget, as what the heap keeps.
// Trivial, so that a thread-local one costs nothing.
class ShortBlocks {
 public:
  static constexpr size_t kMaxBytes = 96;

  // Returns null if the heap has no room. Requires: 0 < size <= kMaxBytes.
  char* New(size_t size) {
    Shelf& shelf = ShelfOf(size);
    if (shelf.top == nullptr) [[unlikely]] {
      if (!Refill(size, shelf)) return Allocate(size);
    }
    --shelf.count;
    Block* const block = shelf.top;
    shelf.top = block->next;
    return reinterpret_cast<char*>(block);
  }
  // Frees a block of any thread's New or of Allocate. Requires: `size` as
  // before.
  void Delete(char* data, size_t size) {
    Shelf& shelf = ShelfOf(size);
    if (shelf.count == kPile) [[unlikely]]
      PutAway(size, shelf);
    ++shelf.count;
    shelf.top = new (data) Block{shelf.top, nullptr};
  }
  // Gives everything back to the heap.
  void Clear();

  // Do the same by the heap alone.
  static char* Allocate(size_t size);
  static void Free(char* data);

 private:
  static constexpr size_t kGrain = 24;  // the heap adds 8 bytes
  static constexpr size_t kPile = 256;
  static constexpr size_t kMaxCommonBytes = size_t{4} << 20;
  static constexpr size_t kSizes = kMaxBytes / kGrain;

  struct Block {
    Block* next;
    Block* next_pile;  // of the first block of a pile that the process keeps
  };
  struct Shelf {
    Block* top = nullptr;
    Block* full = nullptr;  // a pile of its own
    size_t count = 0;       // of the blocks from `top` on
  };
  struct Common;
  static Common common_;

  Shelf& ShelfOf(size_t size) { return shelves_[(size - 1) / kGrain]; }
  static void FreeAll(Block* block);
  // Puts a pile on an empty shelf. Returns false if there is none.
  static bool Refill(size_t size, Shelf& shelf);
  // Clears the shelf.
  static void PutAway(size_t size, Shelf& shelf);

  std::array<Shelf, kSizes> shelves_{};
};

}  // namespace millrace::internal
