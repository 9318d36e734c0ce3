#pragma once

#include <filesystem>
#include <functional>

#include "io/images/pixel_store.h"
#include "train/fields/field_target.h"
#include "train/fields/image_comparison.h"

namespace mote {

/// A picture that a neural image is fitted to. Pictures of 8 and 16 bits are fitted by their
/// display values, EXR by its linear ones. Positions are the centres of pixels, from 0 to 1 along
/// each side.
class ImageTarget : public FieldTarget {
 public:
  /// Reads the picture, see PixelStore.
  ImageTarget(const std::filesystem::path& file, std::uint64_t memory_bytes,
              const std::function<void(double fraction)>& progress);

  FieldApplication application() const override { return FieldApplication::image; }
  std::string description() const override;
  const std::vector<std::string>& notes() const override { return notes_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  std::uint64_t fingerprint() const override { return pixels_.fingerprint(); }
  std::uint64_t memory_bytes() const override { return pixels_.memory_bytes(); }
  std::uint64_t evaluation_bytes(bool pictures) const override;

  NeuralField untrained(const FieldConfig& chosen) const override;
  /// Pixels are spread evenly over the picture. Neighbouring samples of a picture that is not in
  /// memory come from one tile.
  void fill(const TargetDraw& draw, const FieldSamples& samples) const override;
  std::size_t scored_at_once() const override { return positions_at_once(pixels_); }
  std::vector<std::filesystem::path> picture_files() const override;
  /// "psnr" over all pixels, in display values; "ssim" of pictures up to kMostShown_px; bytes of
  /// the parameters as halves: "bits_per_pixel", "of_raw" (8 bits per value) and "of_file".
  /// Pictures are gt, render and diff, scaled down to kMostShown_px if they are larger.
  std::vector<TargetScore> score(const TargetScoreRequest& request) const override;
  static constexpr int kMostShown_px = 4096;

 private:
  void fill_anywhere(const TargetDraw& draw, const FieldSamples& samples) const;
  void fill_from_tiles(const TargetDraw& draw, const FieldSamples& samples) const;
  void put(const PixelStore::TileReader& tile, int x, int y, const FieldSamples& samples,
           std::size_t at) const;

  std::filesystem::path file_;
  std::uint64_t file_bytes_;
  PixelStore pixels_;
  std::vector<std::string> notes_, warnings_;
};

}  // namespace mote
