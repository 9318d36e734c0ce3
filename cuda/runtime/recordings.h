#pragma once

// Work that is recorded as a graph once and repeated, for the last few kinds of work.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "cuda/runtime/runtime.h"

namespace mote::cuda {

/// Key: all that the recorded work depends on, which can be compared.
template <class Key>
class Recordings {
 public:
  /// The graph of a kind of work. If it is not known, `enqueue()` gives the work to the stream, and
  /// must not grow buffers.
  template <class Enqueue>
  const Graph& graph_of(const Key& key, cudaStream_t stream, const Enqueue& enqueue) {
    const auto known =
        std::ranges::find_if(all_, [&](const Recording& own) { return own.key == key; });
    if (known != all_.end()) {
      std::rotate(known, known + 1, all_.end());
    } else {
      GraphCapture capture(stream);
      enqueue();
      Graph graph = capture.finish();
      if (all_.size() == kMost) all_.erase(all_.begin());
      all_.push_back({key, std::move(graph)});
    }
    return all_.back().graph;
  }

 private:
  // So that a few alternating kinds of work are each recorded once.
  static constexpr std::size_t kMost = 4;

  struct Recording {
    Key key;
    Graph graph;
  };
  std::vector<Recording> all_;  // the last used one at the end
};

}  // namespace mote::cuda
