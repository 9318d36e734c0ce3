#pragma once

#include <string>
#include <vector>

#include "core/options.h"

namespace mote {

/// Values that a shell can offer for an option.
struct ValueKind {
  std::vector<std::string> words;       // "png", "exr"
  bool list = false;                    // several words, separated by commas
  bool files = false;                   // of the extensions, and folders on the way to them
  std::vector<std::string> extensions;  // with their dots; none stands for all files
  bool folders = false;                 // and no files

  bool nothing() const { return words.empty() && !files && !folders; }
};

/// The kind of an option's value, by its choices or by what stands for the value in help. There
/// '|' separates alternatives: words in lower case stand for themselves, and SCENE, FILE.mp4, DIR
/// and other names of files for them. Of "cuda[:N]" the word before the bracket is offered.
ValueKind value_kind(const Option& option);

}  // namespace mote
