#pragma once

#include <cstdint>
#include <filesystem>

namespace mote {

/// Facts by which a file is recognised: its size, and a hash of samples of its content. They cost
/// the same for a file of any size. A file that differs in a few places only may have equal facts.
struct FileFacts {
  std::uint64_t bytes = 0;
  std::uint64_t fingerprint = 0;

  bool operator==(const FileFacts&) const = default;
};

/// Throws Error where the file cannot be read.
FileFacts file_facts(const std::filesystem::path& file);

}  // namespace mote
