#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "model/drawable.h"
#include "model/models.h"

namespace mote {

class Differentiable;
class SceneSamples;

/// A model in the host's memory: read from a file, or copied from a learner.
class HostModel {
 public:
  virtual ~HostModel() = default;

  virtual const ModelEntry& model() const = 0;
  /// Number of elements.
  virtual std::uint64_t count() const = 0;
  virtual std::uint64_t memory_bytes() const = 0;
  /// Whether it was trained with RenderSettings::antialiased.
  virtual bool is_antialiased() const = 0;
  /// Highest level of detail, see Learner::detail_at().
  virtual int detail() const = 0;
  /// Position and size in the world. Slow: it looks at all elements.
  virtual SceneExtent extent() const = 0;
  /// The model's times, see Drawable::time_range().
  virtual TimeRange time_range() const { return {}; }
  /// A view from just in front of the surface at the centre of the first orbit view.
  virtual View closeup(const SceneExtent& extent, const OrbitOptions& orbit) const = 0;
  /// The view of a flat model that shows all of it; of its own size where `width` is 0. Empty for
  /// other models.
  virtual std::optional<View> front(int /*width*/, int /*height*/) const { return {}; }
  /// Samples the model for extent and close-up of several models together.
  virtual void add_samples(SceneSamples& samples, const Similarity& world_from_model) const = 0;
  /// Warnings about the file that it was read from, as phrases without the file's name.
  virtual std::vector<std::string> warnings() const = 0;
  /// The splats of all times with their stored values; null for a model of another kind, and for
  /// one that is read moment by moment.
  virtual const SplatCloud* splats() const { return nullptr; }
  /// Writes the file in the format of its extension, completely or not at all. Returns warnings.
  /// Throws Error if it cannot be written.
  virtual std::vector<std::string> write(const std::filesystem::path& path) const = 0;

  // The following functions move the parameters out of this model and leave it empty.

  /// Puts the model on the device, which must outlive the result.
  virtual std::unique_ptr<Drawable> upload(Backend& backend, const SceneExtent& extent) = 0;
  /// As upload(), with the additional memory for gradients. `antialiased` applies to all pictures.
  virtual std::unique_ptr<Differentiable> upload_for_gradients(Backend& backend,
                                                               const SceneExtent& extent,
                                                               bool antialiased) = 0;
  /// The splats with their stored values, for editing. Throws Error for a model of another kind.
  virtual SplatCloud take_splats() {
    throw Error("cannot be edited", std::string(model().name), "only splats can");
  }

 protected:
  HostModel() = default;
  HostModel(const HostModel&) = default;
  HostModel& operator=(const HostModel&) = default;
};

}  // namespace mote
