#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace mote {

/// An in-memory file with a path. With an extension such as ".obj", the path is a link that ends in
/// it.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size, const std::string& extension = {});
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  const std::string& path() const { return link_.empty() ? file_ : link_; }

 private:
  int descriptor_;
  std::string file_, link_;
};

}  // namespace mote
