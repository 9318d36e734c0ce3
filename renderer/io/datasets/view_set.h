#pragma once

#include <string>
#include <vector>

#include "cameras/camera.h"

namespace mote {

/// The cameras of a dataset or camera file, in the file's order.
struct ViewSet {
  std::string source;  // for a person: what was read, and from where
  std::vector<View> views;
  std::vector<std::string> warnings;  // a phrase each
};

/// Gives every view the stem of its path in `paths` ("images/0001.jpg" -> "0001"; a name without an
/// image's extension is kept whole). Where stems repeat, those views keep their folders
/// ("left/0001"); what then still repeats gets a number. Names never leave the folder that they are
/// written to: "..", "." and roots are dropped. Throws Error for control characters.
void name_views(std::vector<View>& views, const std::vector<std::string>& paths,
                const std::string& where);

}  // namespace mote
