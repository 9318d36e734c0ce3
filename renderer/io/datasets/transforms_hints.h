#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "io/datasets/posed_images.h"
#include "scene/dataset.h"

namespace mote {

/// Whether a transforms.json has the cameras and the axes of Mitsuba.
bool is_from_mitsuba(const nlohmann::json& top);

/// The keys of a transforms.json about the radiance field that instant-ngp trains on it: `scale`,
/// `offset`, `aabb`, `aabb_scale`, `render_aabb`, `from_mitsuba`, `n_extra_learnable_dims`. Adds a
/// warning, which names the key, for a value that is not used since it is impossible.
FieldHints read_field_hints(const nlohmann::json& top, const std::string& file,
                            std::vector<std::string>& warnings);

/// Colours whose pixels are transparent.
struct ClearColors {
  bool white = false, black = false;
};

/// Reads `white_transparent` and `black_transparent`. Adds a warning, which names the key, for a
/// value that is not used since it is impossible.
ClearColors read_clear_colors(const nlohmann::json& top, const std::string& file,
                              std::vector<std::string>& warnings);

/// The sharpness of the images of one transforms file.
struct FileSharpness {
  std::string file;
  std::size_t images = 0;              // their number
  std::vector<double> of_images = {};  // in their order; empty: none has one
  double threshold = 0;                // see leave_out_blurred()
};

/// Keys of the frames of a transforms.json that are not about cameras: `sharpness` and
/// `depth_path`.
class FrameHints {
 public:
  /// Reads those of a frame that has an image; `name` is the frame's in warnings.
  void read(const nlohmann::json& frame, const std::string& name);
  /// Returns the sharpness of these images. Adds a note about depths, and a warning for each key
  /// with values that are not used since they are impossible.
  FileSharpness finish(const nlohmann::json& top, const std::string& file,
                       PosedImages& posed) const;

 private:
  std::vector<double> sharpness_;
  bool has_sharpness_ = false;
  std::size_t deep_ = 0;
  LeftOut odd_sharpness_, odd_depths_;
};

/// Leaves out images that are less sharp than the threshold of their file times the mean of their
/// neighbours in it by name, with a warning. `posed` has the images of the files, one file after
/// the other. Throws Error where none of a file is left.
void leave_out_blurred(std::span<const FileSharpness> files, PosedImages& posed);

}  // namespace mote
