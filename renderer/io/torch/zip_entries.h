#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/file.h"

namespace mote {

/// The place of the bytes of a file in a ZIP archive that does not compress it.
struct ZipEntry {
  std::uint64_t offset = 0, bytes = 0;
};

/// The stored files of a ZIP archive (PKWARE APPNOTE 6.3, with ZIP64) by their names. Files that
/// are compressed or encrypted are left out. Every entry is within the file. Throws Error for an
/// archive that is damaged, that has two files of one name, or more than 100,000.
std::map<std::string, ZipEntry> stored_zip_entries(const InputFile& file);

}  // namespace mote
