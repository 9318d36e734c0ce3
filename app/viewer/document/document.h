#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/viewer/document/field_scene.h"
#include "app/viewer/document/movement.h"
#include "app/viewer/document/run_facts.h"
#include "io/projects/file_facts.h"
#include "scene/camera_path.h"
#include "scene/similarity.h"
#include "splats/motion_trails.h"

namespace mote {

/// Content number of a scene that no file holds.
inline constexpr std::uint64_t kInNoFile = std::numeric_limits<std::uint64_t>::max();

/// State of a scene that a file contains.
struct SavedState {
  std::uint64_t content = 0;  // content number, as in EditState
  Similarity transform = {};  // transform that was applied to the file's splats
  bool operator==(const SavedState&) const = default;
};

/// One row of the list of scenes: static or moving splats, a neural field, or a dataset, cameras or
/// a run without a model yet.
struct Document {
  std::uint32_t id = 0;   // never reused
  std::string name = {};  // unique among the documents: the file's name, with a number if necessary
  std::filesystem::path source = {};  // empty while it is trained
  std::string format = {};            // name for the user
  /// Shared with workers; null: no splats yet, another model, or the scene moves.
  std::shared_ptr<EditableScene> scene = nullptr;
  std::shared_ptr<FieldScene> field = nullptr;    // instead, for a neural field
  std::shared_ptr<StreamScene> stream = nullptr;  // instead, for splats that are streamed
  std::shared_ptr<Movement> movement = nullptr;   // null: a static scene
  EditState edit = {};                            // of the scene, the field or the movement
  bool points = false;                            // the splats are the points of a dataset
  SceneExtent extent = {};                        // extent of the scene when it was opened
  RunFacts run = {};                              // facts of the run that made the model
  Similarity transform = {};                      // from the scene's frame to the viewer's world
  SavedState saved = {};                          // by the source file, or by the last export
  std::optional<SavedState> in_project = {};      // by the project's file
  std::optional<FileFacts> data = {};             // of the model's file when it was read
  std::uint64_t placements = 0;                   // value that edit.placements will reach
  bool shown = true;
  bool training = false;      // its model comes from the running training
  bool trains_field = false;  // this model is a neural field
  /// The fields that are trained on the source, if it is a mesh, a picture or a volume.
  std::optional<FieldApplication> target = {};
  std::uint64_t revision = 1;  // increases with every visible change of the splats themselves
};

/// Whether there is something to draw.
inline bool has_model(const Document& document) {
  return document.scene || document.field || document.stream || document.movement;
}
/// Whether what it shows depends on the time.
inline bool moves(const Document& document) {
  return document.movement || document.edit.times.duration_s > 0;
}
/// The same, or its training will give it.
inline bool may_have_model(const Document& document) {
  return has_model(document) || document.training;
}
/// The name of what its model consists of: "splats", "points" or "parameters".
std::string_view counted(const Document& document);

/// The ways of some of its splats that move, in the scene's frame, see MotionTrails::at(). They are
/// kept while time and length stay. Null: none moves.
std::shared_ptr<const MotionWays> trails_of(const Document& document, double time_s,
                                            double length_s);

/// Whether the document was edited or placed after it was opened, exported or saved in a project.
bool has_unsaved_edits(const Document& document);
/// The scene's extent in the viewer's world.
SceneExtent placed_extent(const Document& document);

/// The open scenes, in the order of the list on screen. Not thread-safe.
class Documents {
 public:
  /// Adds the document under a new id and a unique name; returns the id.
  std::uint32_t add(Document document);
  void remove(std::uint32_t id);
  const std::vector<Document>& list() const { return documents_; }
  bool empty() const { return documents_.empty(); }

  /// Null if there is no such document.
  const Document* find(std::uint32_t id) const;
  /// Finds a document by its name, or by its index in the list, from 1. Throws UsageError if there
  /// is none.
  const Document& named(std::string_view name) const;

  /// The document that edits and exports act on; null if nothing is open.
  const Document* active() const { return find(active_); }
  void set_active(std::uint32_t id) { active_ = id; }

  // A setter that changes the splats increases the revision.
  void set_shown(std::uint32_t id, bool shown);
  void set_transform(std::uint32_t id, const Similarity& transform);
  /// Like set_transform(), for a placement that is also recorded in the scene's edit history by
  /// SplatEditor::place().
  void place(std::uint32_t id, const Similarity& transform);
  /// Also applies the placement of the edit history, once the history contains every place().
  void set_edit(std::uint32_t id, const EditState& state);
  /// Replaces the model and the edit history.
  void set_model(std::uint32_t id, StillModel model, const SceneExtent& extent);
  /// Records the state that a file contains now.
  void set_saved(std::uint32_t id, const SavedState& saved);
  /// The same for the project's file.
  void set_in_project(std::uint32_t id, const SavedState& saved) { at(id).in_project = saved; }
  /// The number of elements of a document under training, which its model may not have yet.
  void set_count(std::uint32_t id, std::size_t elements) { at(id).edit.splats = elements; }
  void set_times(std::uint32_t id, const SceneTimes& times) { at(id).edit.times = times; }
  /// Marks the training as ended. The model is in the run's folder `source`, in a file that
  /// `format` names for the user.
  void end_training(std::uint32_t id, const std::filesystem::path& source, std::string format);
  /// Updates the run facts of all documents of this run's folder.
  void set_run(const RunFacts& run);

  /// The neural image that is shown, if nothing else is and it is not placed: dragging then moves
  /// the picture. Else null.
  const Document* only_image() const;
  /// Joint extent of the shown documents, or of all documents if none is shown.
  SceneExtent extent() const;

 private:
  Document& at(std::uint32_t id);
  std::string free_name(const std::string& name) const;

  std::vector<Document> documents_;
  std::uint32_t last_ = 0, active_ = 0;
};

}  // namespace mote
