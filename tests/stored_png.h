#pragma once

#include <string>

#include "core/image.h"

namespace mote {

/// A PNG as it is stored, without any conversion.
struct StoredPng {
  int depth = 8;       // bits of a sample
  int color_type = 2;  // the number in the file
  bool interlaced = false;
  double gamma = 0;             // of the chunk gAMA; 0: none
  std::string text = {};        // of the chunk tEXt called Comment; empty: none
  int across = 0, down = 0;     // of the chunk pHYs, in a metre; 0: none
  std::string color_code = {};  // the four bytes of the chunk cICP; empty: none
  Image8 pixels = {};  // a channel is a byte of a pixel; samples below 8 bits have a byte each
};

/// The bytes of its file; with a palette of as many colours as the depth allows where it needs one.
std::string png_bytes(const StoredPng& png);
StoredPng read_stored_png(const std::string& file);

}  // namespace mote
