#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/images/pixel_store.h"
#include "train/fields/field_target.h"

namespace mote {

struct ImageComparison {
  double psnr_db = 0;          // over all pixels and channels, in display values
  std::optional<double> ssim;  // empty for pictures that are larger than those shown
};

/// Names of the pictures of a comparison in their folder: of the picture, of the field, and of the
/// difference, times kDiffGain.
std::vector<std::filesystem::path> comparison_files(const std::string& name);

/// Evaluates a neural image at all pixels of the picture, band by band, and writes
/// comparison_files() if they are requested. Throws Error if the picture cannot be read or one
/// cannot be written.
ImageComparison compare_with_picture(const PixelStore& pixels, const TargetScoreRequest& request,
                                     const std::string& name);

/// The positions that compare_with_picture() evaluates at once.
std::size_t positions_at_once(const PixelStore& pixels);

/// The memory of compare_with_picture() in bytes, beside that of the field.
std::uint64_t picture_comparison_bytes(const PixelStore& pixels, bool pictures);

}  // namespace mote
