#include "io/transforms_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "io/transforms_frame.h"

// Sources: the NeRF-synthetic data of Mildenhall et al. 2020; D-NeRF of Pumarola et al. 2021 (a
// `time` per frame); instant-ngp, docs/nerf_dataset_tips.md; nerfstudio,
// docs/quickstart/data_conventions.

namespace mote {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxFileBytes = 1ull << 30;

json parse(const std::filesystem::path& path) {
  const std::string text = read_text_file(path, kMaxFileBytes);
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    throw Error("is not valid JSON", path.string() + ", byte " + std::to_string(error.byte),
                "correct the file or write it again");
  } catch (const json::out_of_range&) {
    throw Error("holds a number too large to represent", path.string(), "correct the number");
  }
}

/// The frames of a file, once it is known to be one.
const json& frames_of(const json& top, const std::string& file) {
  const auto frames = top.is_object() ? top.find("frames") : top.end();
  if (!top.is_object() || frames == top.end() || !frames->is_array()) {
    throw Error("expected an object with a list `frames`", file,
                "give a transforms.json of NeRF, instant-ngp or nerfstudio");
  }
  if (frames->empty()) {
    throw Error("the list is empty", file + ", frames", "add at least one frame");
  }
  return *frames;
}

/// Sets the size, from the file, the image or the fallback; 0 where the image is needed for more
/// than its size and is missing.
void set_size(const TransformsFrame& frame, const TransformsRequest& request, PosedImage& image) {
  std::optional<ImageSize> size = frame.size();
  if (!size && !image.image.empty()) size = read_image_size(image.image);
  if (!size) size = request.fallback_size;
  if (!size && request.images_needed) return;
  if (!size) {
    frame.fail(frame.number("w") ? "h" : "w",
               "the image size is missing and the image is not there either",
               "add w and h to the file, put the images beside it, or give --size");
  }
  image.camera.width = size->width;
  image.camera.height = size->height;
}

/// Reads one frame but for its pose.
PosedImage read_frame(const TransformsFrame& frame, const TransformsRequest& request,
                      const ImageFinder& finder) {
  PosedImage image;
  image.file = frame.text("file_path");
  image.mask = frame.text("mask_path");
  image.time_s = frame.number("time").value_or(0);
  image.lens = frame.lens();
  image.camera_model = frame.camera_model();
  if (image.camera_model.empty()) {
    image.camera_model = is_identity(image.lens) ? "PINHOLE" : "OPENCV";
  }
  frame.require_intrinsics();
  if (request.images_needed || !frame.size()) {
    if (auto found = finder.find(image.file)) image.image = *std::move(found);
  }
  set_size(frame, request, image);
  if (image.camera.width > 0) frame.read_intrinsics(image.camera);
  return image;
}

/// Reads all frames; those without a usable pose are left out.
void read_frames(const json& top, const std::string& file, const TransformsRequest& request,
                 const ImageFinder& finder, PosedImages& posed) {
  const json& frames = frames_of(top, file);
  LeftOut unusable;
  std::optional<Error> first_fault;
  std::size_t number = 0;
  for (const json& entry : frames) {
    std::string where = fmt::format("{}, frame {}", file, number++);
    if (!entry.is_object()) {
      throw Error("expected an object, found " + quoted(entry), where, "correct the frame");
    }
    const std::string name = TransformsFrame(top, entry, where).text("file_path");
    if (!name.empty()) where += fmt::format(" ({})", name.substr(0, 80));
    const TransformsFrame frame(top, entry, where);
    PosedImage image = read_frame(frame, request, finder);
    if (const auto fault = attempt([&] { frame.read_pose(image.camera); })) {
      if (!first_fault) first_fault = fault;
      unusable.add(fmt::format("frame {} ({})", number - 1, name.substr(0, 80)));
    } else {
      posed.images.push_back(std::move(image));
    }
  }
  if (posed.images.empty()) throw *first_fault;
  if (first_fault) {
    posed.warnings.push_back(
        unusable.phrase(frames.size(), "frames have an unusable pose and are left out") +
        "; the first: " + first_fault->problem());
  }
}

using Names = std::unordered_set<std::string>;

Names names_in(const json& top, const char* key, const std::string& file) {
  Names names;
  const auto list = top.find(key);
  if (list == top.end() || list->is_null()) return names;
  if (!list->is_array()) {
    throw Error("expected a list, found " + quoted(*list), file + ", " + key, "correct the list");
  }
  for (const json& name : *list) {
    if (name.is_string()) names.insert(name.get<std::string>());
  }
  return names;
}

/// nerfstudio's lists of which file is for what.
void read_split(const json& top, const std::string& file, PosedImages& posed) {
  const Names train = names_in(top, "train_filenames", file);
  const Names validation = names_in(top, "val_filenames", file);
  Names test = names_in(top, "test_filenames", file);
  if (test.empty()) test = validation;
  if (test.empty() || train.empty()) return;
  std::erase_if(posed.images, [&](PosedImage& image) {
    if (test.contains(image.file)) {
      image.split = Split::test;
    } else if (!validation.contains(image.file)) {
      image.split = Split::train;
    }
    return image.split == Split::unsaid;
  });
}

std::optional<glm::dmat4> read_applied_transform(const json& top, const std::string& file) {
  const auto found = top.find("applied_transform");
  if (found == top.end() || found->is_null()) return {};
  const auto fault = [&]() -> Error {
    return {"expected 3 or 4 rows of 4 numbers, found " + quoted(*found),
            file + ", applied_transform", "correct the matrix"};
  };
  if (!found->is_array() || found->size() < 3 || found->size() > 4) throw fault();
  glm::dmat4 matrix(1);
  for (int row = 0; row < 3; ++row) {
    const json& values = (*found)[static_cast<std::size_t>(row)];
    if (!values.is_array() || values.size() != 4) throw fault();
    for (int column = 0; column < 4; ++column) {
      const json& value = values[static_cast<std::size_t>(column)];
      if (!value.is_number()) throw fault();
      matrix[column][row] = value.get<double>();
    }
  }
  return matrix;
}

}  // namespace

TransformsFile read_transforms_json(const std::filesystem::path& path,
                                    const TransformsRequest& request) {
  const json top = parse(path);
  const std::string file = path.string();
  const ImageFinder beside({path.parent_path()});
  TransformsFile result;
  read_frames(top, file, request, request.finder ? *request.finder : beside, result.posed);
  read_split(top, file, result.posed);
  result.posed.source = file + ": " + std::to_string(result.posed.images.size()) + " frames";
  result.applied_transform = read_applied_transform(top, file);
  const TransformsFrame whole(top, top, file);
  result.point_file = whole.text("ply_file_path");
  return result;
}

}  // namespace mote
