#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/datasets/posed_images.h"

namespace mote {

/// Help for the readers of rigs.

/// The rate of pictures without a rate of their own, and the text of a warning that says so.
inline constexpr double kAssumedRate = 30;

/// One camera of a rig with everything but its pictures.
struct RigView {
  std::string name;
  PosedImage posed;  // camera, lens and calibration
  double clock_offset_s = 0;
};

/// Appends an image for each frame of the video. The times are those at which the video shows them,
/// from 0 for the first, plus the camera's clock offset.
void add_video(const RigView& view, const std::filesystem::path& video, PosedImages& posed);

/// A picture with the number in its name.
struct NumberedFile {
  std::filesystem::path path;
  std::uint64_t number = 0;
};

/// The pictures of a folder by number: the last digits of their names. If a name has none, all are
/// numbered by their order. Throws Error where two have the same number.
std::vector<NumberedFile> numbered_pictures(const std::filesystem::path& folder);

/// Appends the pictures of a camera. A picture's time is its number minus `first`, at the given
/// rate, plus the clock offset.
void add_pictures(const RigView& view, const std::vector<NumberedFile>& files, std::uint64_t first,
                  double frames_per_second, PosedImages& posed);

/// Warns of numbers that other cameras have and this one lacks. `cameras`: names and pictures.
struct CameraPictures {
  std::string name;
  std::vector<NumberedFile> files;
};
void warn_of_gaps(const std::vector<CameraPictures>& cameras, PosedImages& posed);

/// The last number in a name, such as 17 of "cam17"; empty where it ends with no digit.
std::optional<std::uint64_t> last_number(const std::string& name);

/// Adds masks of moving parts and true velocities, FOLDER/dynamic_masks/CAMERA/FRAME.png and
/// FOLDER/scene_flow/CAMERA/FRAME.exr, where they exist.
void find_truth(const std::filesystem::path& folder, PosedImages& posed);

}  // namespace mote
