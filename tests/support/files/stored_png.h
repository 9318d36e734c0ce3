#pragma once

#include <string>

#include "core/image.h"

namespace mote {

/// A PNG as stored in its file, without conversion.
struct StoredPng {
  int depth = 8;       // bits per sample
  int color_type = 2;  // the file's colour type
  bool interlaced = false;
  double gamma = 0;             // chunk gAMA; 0: none
  std::string text = {};        // chunk tEXt with the keyword Comment; empty: none
  int across = 0, down = 0;     // chunk pHYs, pixels per metre; 0: none
  std::string color_code = {};  // the four bytes of the chunk cICP; empty: none
  /// A channel is one byte of a pixel; samples below 8 bits have a byte each.
  Image8 pixels = {};
};

/// The bytes of the file. A palette, if necessary, has as many colours as the depth allows.
std::string png_bytes(const StoredPng& png);
StoredPng read_stored_png(const std::string& file);

}  // namespace mote
