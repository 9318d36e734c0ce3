#include "app/viewer/document/document_swap.h"

#include <algorithm>
#include <utility>

namespace mote {
namespace {

/// Documents get new ids when they are opened again.
void rename(std::vector<DocumentSwap>& swaps, std::uint32_t before, std::uint32_t after) {
  for (DocumentSwap& swap : swaps) {
    if (swap.scene == before) swap.scene = after;
    std::ranges::replace(swap.opened, before, after);
  }
}

void turn(Documents& documents, std::vector<DocumentSwap>& swaps, DocumentSwap& swap) {
  std::vector<Document> closed;
  for (const std::uint32_t id : swap.opened) {
    const Document* document = documents.find(id);
    if (document == nullptr) continue;
    closed.push_back(*document);
    documents.remove(id);
  }
  swap.opened.clear();
  for (Document& document : std::exchange(swap.closed, std::move(closed))) {
    const std::uint32_t before = document.id, after = documents.add(std::move(document));
    rename(swaps, before, after);
    swap.opened.push_back(after);
  }
  swap.done = !swap.done;
}

}  // namespace

void follow_history(Documents& documents, std::vector<DocumentSwap>& swaps, std::uint32_t scene,
                    std::uint64_t before, std::uint64_t after) {
  if (before == after) return;
  for (DocumentSwap& swap : swaps) {
    const bool passed = swap.content == (swap.done ? before : after);
    if (swap.scene == scene && passed) turn(documents, swaps, swap);
  }
  documents.set_active(scene);
}

}  // namespace mote
