#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "core/file.h"

namespace mote {

/// An array of NumPy with the last index the fastest.
struct NpyArray {
  std::vector<std::size_t> shape;
  std::vector<double> values;
};

/// Reads a .npy file, versions 1 to 3, of little-endian or single-byte numbers: floats of 4 or 8
/// bytes, integers of 1 to 8 bytes, booleans; in C or Fortran order. Throws Error, which names file
/// and place, for damaged files, for other types, and for more than 100 million values.
NpyArray read_npy(const std::filesystem::path& path);

/// Writes the array as doubles in C order.
void write_npy(const NpyArray& array, const std::filesystem::path& path,
               Existing existing = Existing::replace);

}  // namespace mote
