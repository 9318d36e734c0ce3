#pragma once

#include <cstdint>

#include "core/byte_stream.h"
#include "core/log.h"

namespace mote {

/// Counts the parameters that kept their value in a step, since their gradient was not finite.
class BrokenParameters {
 public:
  /// Logs the first step that has some.
  void note(std::uint64_t step, std::uint64_t broken) {
    if (broken > 0 && count_ == 0) {
      log_warning("step {}: {} parameters had a gradient that is not finite; they keep their value",
                  step, broken);
    }
    count_ += broken;
  }
  std::uint64_t count() const { return count_; }

  void save(ByteSink& sink) const { sink.put(count_); }
  void restore(ByteSource& source) { count_ = source.get<std::uint64_t>(); }

 private:
  std::uint64_t count_ = 0;
};

}  // namespace mote
