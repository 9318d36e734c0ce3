#pragma once

// A NeRF whose pictures have gradients by the camera.

#include <memory>
#include <string>
#include <string_view>

#include "train/fields/field_model.h"

namespace mote {

/// A NeRF in the memory of a trainer, drawn with averaged parameters.
class NerfInTraining : public FieldInTraining {
 public:
  /// `trainer` must outlive this.
  NerfInTraining(FieldTrainer& trainer, const SceneExtent& extent, std::string description);

  /// At the same pixels in each call, so that losses of different poses are comparable. Throws
  /// Error if the device has no gradients by cameras.
  PhotoStepResult differentiate(const LearnRequest& request) override;

 private:
  FieldTrainer& trainer_;
};

/// Copies the gradients of one photograph's parameters.
void set_gradients(const FieldPhotoGradient& gradient, PhotoStepResult& result);

/// Uploads a trained NeRF, whose encoding has slopes, see check_slopes(). The backend must outlive
/// it. Throws Error if the device has no gradients by cameras.
std::unique_ptr<Differentiable> upload_nerf_for_gradients(Backend& backend, NeuralField field,
                                                          const SceneExtent& extent);

/// Throws Error if the encoding has no slopes by the position. `option`: needs them. `where` and
/// `remedy`: of the error.
void check_slopes(const EncodingConfig& encoding, std::string_view option, const std::string& where,
                  const std::string& remedy);
/// The same for a field that is not trained yet: another configuration is a remedy.
void check_slopes(const EncodingConfig& encoding, std::string_view option);

}  // namespace mote
