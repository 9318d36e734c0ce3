#pragma once

#include <string>
#include <vector>

#include "cameras/camera.h"

namespace mote {

/// The cameras of a dataset or camera file, in the file's order.
struct ViewSet {
  std::string source;  // for messages: format and path
  std::vector<View> views;
  std::vector<std::string> warnings;  // one phrase each
};

/// Names every view by the stem of its path in `paths` ("images/0001.jpg" -> "0001"). A name
/// without an image extension is kept. Views with equal stems keep their folders ("left/0001");
/// names that are still equal get a number. Names never lead out of the output folder: "..", "."
/// and roots are dropped. Throws Error for control characters.
/// `keep_folders`: names keep their folders even if the stems differ.
void name_views(std::vector<View>& views, const std::vector<std::string>& paths,
                const std::string& where, bool keep_folders = false);

}  // namespace mote
