#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cameras/camera.h"
#include "cameras/lens.h"
#include "core/error.h"
#include "io/datasets/view_set.h"

namespace mote {

/// What a dataset's own files say an image is for: `unused` where they say so of others only.
enum class Split { unsaid, train, test, unused };

/// One image of a dataset as its files describe it; nothing is known of its pixels.
struct PosedImage {
  std::string file;             // path of the image, as written
  Camera camera;                // of the size and the focal lengths that are written
  Lens lens;                    // in front of it
  std::string camera_model;     // COLMAP's name for the two
  std::string calibration;      // where the two are written: file and place
  std::filesystem::path image;  // where it lies, if that is known already
  std::string mask;             // path of its mask, as written; empty where none is named
  double time_s = 0;
  Split split = Split::unsaid;
};

/// The posed images of one COLMAP model or transforms file, in the file's order.
struct PosedImages {
  std::string source;  // for a person: what was read, and from where
  std::vector<PosedImage> images;
  std::vector<std::string> notes, warnings;  // a phrase each
};

/// The images' cameras as pinholes, named by name_views(); a lens that is left out so becomes a
/// warning.
ViewSet as_views(const PosedImages& posed, const std::string& where);

/// Things of one kind that were left out, told of in one phrase however many they are.
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

/// Runs `work`, and returns the Error that it throws, if it does: for parts that a dataset can do
/// without. A shortage of the machine is thrown on, since it says nothing of the part.
std::optional<Error> attempt(const std::function<void()>& work);

}  // namespace mote
