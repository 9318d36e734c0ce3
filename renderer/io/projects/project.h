#pragma once

// A project: the open scenes with their edits and the view of them. It is saved as JSON beside the
// data, which it only names.

#include <cstddef>
#include <filesystem>
#include <glm/ext/quaternion_double.hpp>
#include <glm/vec3.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cameras/camera.h"
#include "io/projects/file_facts.h"
#include "scene/keyframe_path.h"
#include "scene/oriented_box.h"
#include "scene/similarity.h"
#include "splats/color_adjustment.h"

namespace mote {

/// The extension of project files, with the dot.
inline constexpr const char* kProjectExtension = ".mote";

// All paths are absolute, except in the file.

/// One scene: a file or folder, and what was done to it.
struct ProjectScene {
  std::string name = {};            // in the list of scenes
  std::filesystem::path path = {};  // empty: all of its splats are in `edits`
  std::string format = {};          // for the user; of a scene without a path
  /// The file that the edits refer to, when it was read. Empty: not known.
  std::optional<FileFacts> data = {};
  bool shown = true;
  Similarity placement = {};
  ColorAdjustment colors = {};
  std::vector<OrientedBox> crops = {};  // of a moving scene or a neural field, in its own frame
  std::filesystem::path edits = {};     // file of io/projects/edits_file.h; empty: none
  double frames_per_second = 0;         // of a moving scene; 0: of the settings
};

struct ProjectCamera {
  glm::dvec3 position_world{0, 0, -4};
  glm::dquat world_from_cam{1, 0, 0, 0};
  double focus_distance = 4;
  glm::dvec3 up_world{0, -1, 0};
  double speed = 1;  // world units a second
  Camera lens = {};  // size, focal lengths and principal point
  bool orthographic = false;
};

struct ProjectBox {
  OrientedBox box = {};
  std::optional<std::size_t> scene = {};  // with which it goes
};

struct ProjectPhotograph {
  std::size_t scene = 0;
  std::string name = {};
};

struct ProjectTime {
  double time_s = 0, speed = 1;
  bool loop = true;
};

/// The content of the view. Names are those of the viewer's actions.
struct ProjectView {
  std::string mode = "color", compare = "off", slice_axis = "view";
  int sh_degree = 4;
  double splat_scale = 1, slice_place = 0, split = 0.5;
  std::map<std::string, std::string> settings = {};  // name and value, as for the action `set`
};

struct Project {
  std::vector<ProjectScene> scenes = {};
  std::optional<std::size_t> active = {};   // the scene that edits act on
  std::optional<std::size_t> cameras = {};  // the dataset that was chosen
  ProjectCamera camera = {};
  std::optional<KeyframePath> path = {};
  std::filesystem::path path_file = {};  // the file that the path was saved to or opened from
  std::optional<ProjectBox> box = {};
  std::optional<ProjectPhotograph> photograph = {};
  ProjectTime time = {};
  ProjectView view = {};
  std::filesystem::path run = {};  // folder of the last training run; empty: none
  /// The file that a recovered project was saved in; empty: none.
  std::filesystem::path saved_in = {};
};

}  // namespace mote
