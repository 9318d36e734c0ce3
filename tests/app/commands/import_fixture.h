#pragma once

#include "io/images/image_files.h"
#include "support/program_fixture.h"

namespace mote {

inline const std::vector<std::string> kFour{"a 1.png", "b.png", "grün.png", "日本.png"};

/// Runs `mote import` with a fake COLMAP that succeeds, fails in every known way, or hangs.
class ImportCommand : public Program {
 protected:
  void write_photos(const std::vector<std::string>& names, int width = 32) const {
    Image image;
    image.resize_discard(width, 24, 3);
    for (float& value : image.pixels.span()) value = 0.5f;
    for (const std::string& name : names) {
      fs::create_directories(fs::path(path("photos/" + name)).parent_path());
      write_png(image, path("photos/" + name));
    }
  }

  /// Writes a program that runs `body` with the command as $1, and appends all arguments to
  /// calls.txt. Before `body` it writes features to the database. After it, the mapper writes one
  /// model per number in `registered`, with that number of images.
  std::string write_colmap(const std::string& body, const std::vector<int>& registered) const {
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
      write_model(path("model_" + std::to_string(i)), registered[i]);
    }
    const std::string program = write_file("colmap.sh", script);
    fs::permissions(program, fs::perms::owner_all);
    return program;
  }

  /// Writes a text model, with an empty binary point file for its count.
  static void write_model(const fs::path& folder, int images) {
    fs::create_directories(folder);
    std::ofstream(folder / "cameras.txt") << "1 PINHOLE 32 24 30 30 16 12\n";
    std::ofstream list(folder / "images.txt");
    for (int i = 0; i < images; ++i) {
      list << i + 1 << " 1 0 0 0 0 0 " << i << " 1 photo " << i << ".png\n\n";
    }
    std::ofstream(folder / "points3D.bin", std::ios::binary) << std::string("\5\0\0\0\0\0\0\0", 8);
  }

  std::vector<std::string> import_words(const std::string& colmap) const {
    return {"import", path("photos"), "-o", path("out"), "--colmap", colmap};
  }

  std::string calls() const {
    return fs::exists(path("calls.txt")) ? text_of(path("calls.txt")) : "";
  }
  /// Names of the files and folders in a folder.
  std::vector<std::string> names_in(const std::string& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path(folder))) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

}  // namespace mote
