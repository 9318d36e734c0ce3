#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "io/images/image_files.h"

namespace mote {

/// A test that imports photographs with a fake COLMAP. `Base` has path().
template <class Base>
class WithFakeColmap : public Base {
 protected:
  using Base::path;

  void write_photos(const std::vector<std::string>& names, int width = 32) const {
    Image image;
    image.resize_discard(width, 24, 3);
    for (float& value : image.pixels.span()) value = 0.5f;
    for (const std::string& name : names) {
      std::filesystem::create_directories(
          std::filesystem::path(path("photos/" + name)).parent_path());
      write_png(image, path("photos/" + name));
    }
  }

  /// Writes a program that runs `body` with the command as $1, and appends all arguments to
  /// calls.txt. Before `body` it writes features to the database. After it, the mapper writes one
  /// model per number in `registered`, with that number of images. These are named `names`.
  std::string write_colmap(const std::string& body, const std::vector<int>& registered,
                           const std::vector<std::string>& names = {}) const {
    std::string script =
        "#!/bin/sh\n[ \"$1\" = help ] && { echo 'COLMAP 3.8 -- of a test'; exit 0; }\n"
        "echo \"$@\" >> '" +
        path("calls.txt") + "'\necho \"platform $QT_QPA_PLATFORM\"\nprevious=\n" +
        "for word; do\n"
        "  [ \"$previous\" = --output_path ] && out=$word\n"
        "  [ \"$previous\" = --database_path ] && database=$word\n"
        "  [ \"$previous\" = --image_path ] && images=$word\n"
        "  previous=$word\n"
        "done\n"
        "[ \"$1\" = feature_extractor ] && echo features >> \"$database\"\n" +
        body + "\n:\n";
    for (std::size_t i = 0; i < registered.size(); ++i) {
      const std::string folder = "\"$out/" + std::to_string(i) + "\"";
      script += "if [ \"$1\" = mapper ]; then mkdir -p " + folder + "; cp -r '" +
                path("model_" + std::to_string(i)) + "'/* " + folder + "; fi\n";
      write_model(path("model_" + std::to_string(i)), registered[i], names);
    }
    return write_program("colmap.sh", script);
  }

  std::string write_program(const std::string& name, const std::string& script) const {
    std::ofstream(path(name)) << script;
    std::filesystem::permissions(path(name), std::filesystem::perms::owner_all);
    return path(name);
  }

  /// Writes a text model of cameras beside each other. The binary point file announces five points
  /// for images without names, which no test reads, and else none.
  static void write_model(const std::filesystem::path& folder, int images,
                          const std::vector<std::string>& names = {}) {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "cameras.txt") << "1 PINHOLE 32 24 30 30 16 12\n";
    std::ofstream list(folder / "images.txt");
    for (int i = 0; i < images; ++i) {
      const std::string name = names.empty() ? "photo " + std::to_string(i) + ".png"
                                             : names[static_cast<std::size_t>(i)];
      list << i + 1 << " 1 0 0 0 0 0 " << i << " 1 " << name << "\n\n";
    }
    const char points = names.empty() ? 5 : 0;
    std::ofstream(folder / "points3D.bin", std::ios::binary) << points << std::string(7, '\0');
  }
};

}  // namespace mote
