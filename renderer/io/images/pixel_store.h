#pragma once

// The pixels of one picture of any size, for random access. They are kept as exactly as in the
// file: in memory within a budget, otherwise uncompressed in an unnamed temporary file.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "core/buffer.h"
#include "io/images/picture_rows.h"
#include "io/images/temporary_file.h"

namespace mote {

/// Pixels are stored in square tiles, so that few reads serve many samples.
class PixelStore {
 public:
  static constexpr int kTile_px = 64;

  /// Reads the picture. `memory_bytes` are for the pixels and for decoding them. Throws the errors
  /// of read_picture(), and Error if a temporary file is needed but cannot be written.
  PixelStore(const std::filesystem::path& path, std::uint64_t memory_bytes,
             const std::function<void(double fraction)>& progress);

  const PictureFacts& facts() const { return facts_; }
  int width() const { return facts_.size.width; }
  int height() const { return facts_.size.height; }
  bool is_in_memory() const { return !held_.empty(); }
  std::uint64_t memory_bytes() const { return held_.size(); }
  std::uint64_t fingerprint() const { return fingerprint_; }

  int tiles_across() const { return tiles(width()); }
  int tiles_down() const { return tiles(height()); }

  /// The pixels of a tile, valid as long as the reader.
  class TileReader {
   public:
    explicit TileReader(const PixelStore& store) : store_(store) {}
    /// Throws Error if the temporary file cannot be read.
    void open(int tile_x, int tile_y);
    /// Colour of a pixel of the tile, from its corner.
    void color(int x, int y, float (&rgb)[3]) const;

   private:
    const PixelStore& store_;
    std::vector<std::byte> read_;
    const std::byte* pixels_ = nullptr;
  };

 private:
  static int tiles(int side) { return (side + kTile_px - 1) / kTile_px; }
  std::size_t value_bytes() const { return facts_.depth == PictureDepth::bits8 ? 1 : 2; }
  std::size_t tile_bytes() const { return value_bytes() * 3 * kTile_px * kTile_px; }
  std::uint64_t begin(const PictureFacts& facts, std::uint64_t memory_bytes);
  void take_row(int y, const float* rgb);
  void store_band(int band);

  PictureFacts facts_;
  Buffer<std::byte> held_;             // [tiles]
  std::optional<TemporaryFile> file_;  // the same
  std::vector<std::byte> band_;        // tiles of the rows that are being read
  std::uint64_t fingerprint_ = 0;
};

}  // namespace mote
