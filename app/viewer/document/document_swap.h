#pragma once

#include <cstdint>
#include <vector>

#include "app/viewer/document/document.h"

namespace mote {

/// Documents that a step of a scene's history opens and closes: a selection that becomes a scene of
/// its own, scenes that are merged into another one.
struct DocumentSwap {
  std::uint32_t scene = 0;                 // whose history has the step
  std::uint64_t content = 0;               // EditState::content after the step
  bool done = true;                        // the step is not undone
  std::vector<std::uint32_t> opened = {};  // ids of the documents that are open because of it
  std::vector<Document> closed = {};       // documents that are not open because of it
};

/// Opens and closes the documents of the steps that an undo or a redo has passed. `before` and
/// `after`: EditState::content of the scene. Documents that were closed meanwhile stay closed.
void follow_history(Documents& documents, std::vector<DocumentSwap>& swaps, std::uint32_t scene,
                    std::uint64_t before, std::uint64_t after);

}  // namespace mote
