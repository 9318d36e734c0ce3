#pragma once

#include <string>
#include <vector>

#include "core/options.h"

namespace mote {

/// Kind of values that a shell can offer for an option.
struct ValueKind {
  std::vector<std::string> words;       // for example "png", "exr"
  bool list = false;                    // several words separated by commas
  bool files = false;                   // files with the extensions, and folders
  std::vector<std::string> extensions;  // with dots; empty: all files
  bool folders = false;                 // folders only

  bool nothing() const { return words.empty() && !files && !folders; }
};

/// The kind of an option's value, from its choices or from the value's name in help. In that name
/// '|' separates alternatives. Words in lower case are offered as they are. SCENE, FILE.mp4, DIR
/// and similar names offer files or folders. For "cuda[:N]" the part before the bracket is offered.
ValueKind value_kind(const Option& option);

}  // namespace mote
