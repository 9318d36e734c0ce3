#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cameras/camera.h"
#include "cameras/lens.h"
#include "cameras/shutter_motion.h"
#include "core/error.h"
#include "io/datasets/view_set.h"

namespace mote {

/// The use of an image according to the dataset's files. `unused`: the files list other images
/// only.
enum class Split { unsaid, train, test, unused };

/// One image of a dataset as its files describe it, without its pixels.
struct PosedImage {
  std::string file;  // path of the image, as written
  Camera camera;     // with the size and the focal lengths in the file
  Lens lens;         // lens of the camera
  std::shared_ptr<const ShutterMotion> motion = {};  // while the image is taken; null: none
  std::string camera_model;                          // COLMAP's name for camera and lens
  std::string calibration;                           // file and place of the calibration
  std::filesystem::path image;                       // path of the image, if already known
  std::filesystem::path video = {};  // the video that contains the image; empty: none
  std::size_t video_frame = 0;       // its number in the video
  std::string mask;                  // path of its mask, as written; empty: none
  double time_s = 0;                 // on the dataset's one clock
  bool has_time = false;
  std::string camera_name = {};  // of the physical camera; empty: unknown
  double clock_offset_s = 0;     // contained in time_s
  double frames_per_second = 0;  // of the physical camera; 0: unknown
  /// Path of an image whose pixels other than black do not count; empty: none.
  std::filesystem::path uncounted = {};
  bool white_is_transparent = false, black_is_transparent = false;  // pixels of full white, black
  std::filesystem::path dynamic_mask = {};  // path of the mask of moving parts; empty: none
  std::filesystem::path scene_flow = {};    // path of its true velocities; empty: none
  Split split = Split::unsaid;
};

/// The posed images of one COLMAP model or transforms file, in the file's order.
struct PosedImages {
  std::string source;  // for messages: format and path
  std::vector<PosedImage> images;
  std::vector<std::string> notes, warnings;  // one phrase each
  /// The cameras that are usually tested on, if the format has such a convention.
  std::vector<std::string> test_cameras = {};
};

/// Whether the names of photographs keep the folders of their files: those of several named
/// cameras, each of which has a folder.
bool keeps_folders(const PosedImages& posed);

/// The cameras of the images as pinholes, named by name_views(). Lenses are dropped with a warning.
ViewSet as_views(const PosedImages& posed, const std::string& where);

/// Items of one kind that were left out, reported in one phrase.
class LeftOut {
 public:
  void add(std::string name);
  std::size_t count() const { return count_; }
  /// "a.png, b.png and 1 more"
  std::string names() const;
  /// "3 of 50 images are missing and left out: a.png, b.png and 1 more" for `what` "images are
  /// missing and left out".
  std::string phrase(std::size_t total, const std::string& what) const;

 private:
  std::vector<std::string> first_;
  std::size_t count_ = 0;
};

/// Runs `work` and returns its Error, if any: for optional parts of a dataset. A shortage of
/// resources is rethrown, since the part itself may be intact.
std::optional<Error> attempt(const std::function<void()>& work);

}  // namespace mote
