#include "app/viewer/actions/field_export.h"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <utility>

#include "core/options.h"
#include "io/fields/field_format.h"
#include "io/splats/scene_format.h"

namespace mote {
namespace {

/// The field elsewhere in the world. Files hold scale and position of a field, but no rotation.
NeuralField placed_field(NeuralField field, const Similarity& world_from_field) {
  const double scale = field.placement.scale / world_from_field.scale;
  field.placement = {scale, field.placement.offset - scale * world_from_field.translation};
  return field;
}

void check_placement(const Document& document) {
  const Similarity& place = document.transform;
  if (place.rotation != glm::dmat3(1)) {
    throw UsageError("is rotated, and files of neural fields hold no rotation", document.name,
                     "reset its rotation to 0");
  }
  const bool is_image =
      document.field && document.field->host().field().application == FieldApplication::image;
  if (is_image && !is_identity(place)) {
    throw UsageError("is transformed, and files of neural images hold no transform", document.name,
                     "reset its transform");
  }
}

/// A field for a worker, and the words about it in the message.
struct ExportedField {
  std::shared_ptr<const FieldScene> field;
  std::string of;
};

std::function<ExportedField()> exported_field(Session& session, const Document& document) {
  if (!document.training) {
    return [field = document.field] { return ExportedField{field, ""}; };
  }
  return [run = session.trainer.scene()] {
    const TrainedScene& trained = run.get();
    return ExportedField{trained.model.field,
                         fmt::format(", the field after step {}", trained.step)};
  };
}

}  // namespace

void export_field(Session& session, const Document& document, const std::filesystem::path& path) {
  check_holds(writable_scene_format(path), ModelKind::field, path);
  check_placement(document);
  const Existing existing = named_file(session, path).existing;
  const auto job = [&session, path, existing, id = document.id, trains = document.training,
                    read = exported_field(session, document), place = document.transform] {
    const ExportedField exported = read();
    auto [field, content] = exported.field->cropped_content();
    save_field(is_identity(place) ? field : placed_field(std::move(field), place), path, existing);
    return [&session, path, of = exported.of, id, trains, saved = SavedState{content, place}] {
      if (!trains && session.documents.find(id) != nullptr) {
        session.documents.set_saved(id, saved);
      }
      session.notices.add(NoticeKind::info, fmt::format("{}: written{}", path.string(), of));
    };
  };
  session.writer.add(job, true);
}

}  // namespace mote
