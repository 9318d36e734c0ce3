// Actions that write the surface of a neural field as a mesh.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "app/jobs/field_mesh.h"
#include "app/viewer/actions/action_lists.h"
#include "app/viewer/actions/edits.h"
#include "app/viewer/actions/named_arguments.h"
#include "app/viewer/session/session.h"
#include "core/release.h"
#include "io/meshes/mesh_writing.h"

namespace mote {
namespace {

/// A field that is evaluated in turns of its own, so that view and training go on meanwhile.
class FieldInTurns : public DeviceField {
 public:
  FieldInTurns(DeviceTurns& device, NeuralField field) : device_(device) {
    const DeviceTurns::Turn turn(device_, DeviceUser::upload);
    field_ = turn.backend().upload_field(std::move(field));
  }
  ~FieldInTurns() override {
    const DeviceTurns::Turn turn(device_, DeviceUser::upload);
    field_.reset();
  }
  FieldInTurns(const FieldInTurns&) = delete;
  FieldInTurns& operator=(const FieldInTurns&) = delete;

  FrameStats render(const Camera& camera, const RenderSettings& settings, Frame& frame) override {
    const DeviceTurns::Turn turn(device_, DeviceUser::upload);
    return field_->render(camera, settings, frame);
  }
  void evaluate(const float* positions, std::size_t count, std::size_t stride,
                float* values) override {
    const DeviceTurns::Turn turn(device_, DeviceUser::upload);
    field_->evaluate(positions, count, stride, values);
  }
  void radiance(const float* positions, const float* directions, std::size_t count,
                std::size_t stride, float* colors) override {
    const DeviceTurns::Turn turn(device_, DeviceUser::upload);
    field_->radiance(positions, directions, count, stride, colors);
  }

 private:
  DeviceTurns& device_;
  std::unique_ptr<DeviceField> field_;
};

/// Steps of the progress of a mesh, for LongTask::Control.
constexpr std::size_t kSteps = 1000;

struct MeshOrder {
  std::shared_ptr<const FieldScene> field;
  std::string name;
  Similarity place;
  MeshConversion conversion;
  NamedFile file;
};

/// Returns the message about the mesh.
std::string write_mesh_of(DeviceTurns& device, const MeshOrder& order,
                          const LongTask::Control& control) {
  NeuralField facts = order.field->cropped();
  FieldInTurns field(device, facts);
  release(facts.parameters);
  TriangleMesh mesh = field_surface(field, facts, order.name, order.conversion, [&](double done) {
    control.progress(static_cast<std::size_t>(done * kSteps), kSteps);
  });
  const glm::mat3 linear(order.place.scale * order.place.rotation);
  for (glm::vec3& position : mesh.positions) {
    position = linear * position + glm::vec3(order.place.translation);
  }
  write_surface(mesh, order.file.path, order.file.existing,
                [&] { control.progress(kSteps, kSteps); });
  return fmt::format("{}: {} vertices, {} triangles written", order.file.path.string(),
                     mesh.positions.size(), mesh.triangles.size());
}

/// Whether the active scene is a field with a surface.
bool any_surface(const Session& session) {
  const Document* document = session.documents.active();
  return document != nullptr && document->field && document->field->has_surface();
}

void export_mesh(Session& session, const Arguments& arguments) {
  const Document& document = active_scene(session);
  if (!any_surface(session)) {
    throw UsageError("has no surface", document.name,
                     "choose a signed distance field or a NeRF, after its training has shown it");
  }
  MeshOrder order{.field = document.field,
                  .name = document.name,
                  .place = document.transform,
                  .conversion = session.mesh,
                  .file = {}};
  const std::filesystem::path path = arguments.word(0);
  if (!is_writable_mesh(path)) arguments.refuse(0, "a .ply, .obj or .glb");
  order.file = named_file(session, path);
  session.meshing.start(path.string(), [&session, order](const LongTask::Control& control) {
    const std::string words = write_mesh_of(session.device, order, control);
    control.reply([&session, words] { session.notices.add(NoticeKind::info, words); });
  });
}

void set_mesh_options(Session& session, const Arguments& arguments) {
  MeshConversion changed = session.mesh;
  OptionTable table;
  changed.describe(table);
  for (const std::string& word : arguments.words()) set_named(table, word);
  session.mesh = changed;
}

void cancel_mesh(Session& session, const Arguments&) {
  session.meshing.cancel();
}

}  // namespace

std::vector<Action> mesh_actions() {
  constexpr std::string_view kGroup = "Scenes";
  return {
      {"mesh export",
       kGroup,
       "write the surface of the active neural field as a mesh",
       "",
       {{"PATH", "a .ply, .obj or .glb", false, false, PathUse::new_file, ".ply .obj .glb"}},
       export_mesh,
       false,
       any_surface},
      {"mesh set",
       kGroup,
       "set options of the next meshes",
       "",
       {{"NAME=VALUE", "options of mote convert: resolution, density, box", false, true}},
       set_mesh_options},
      {"mesh cancel", kGroup, "stop writing the mesh", "", {}, cancel_mesh},
  };
}

}  // namespace mote
