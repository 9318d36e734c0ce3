// The answers of a backend without neural fields.
#include "backend/field_fitter.h"
#include "backend/field_trainer.h"
#include "core/error.h"

namespace mote {
namespace {

[[noreturn]] void refuse(const Backend& backend) {
  throw Error("neural fields are not built for this device", backend.description(),
              "use --device cpu");
}

}  // namespace

std::unique_ptr<DeviceField> Backend::upload_field(NeuralField) {
  refuse(*this);
}

std::unique_ptr<FieldTrainer> Backend::make_field_trainer(NeuralField, const FieldTrainerSettings&,
                                                          std::span<const Camera>) {
  refuse(*this);
}

std::unique_ptr<FieldFitter> Backend::make_field_fitter(NeuralField) {
  refuse(*this);
}

FieldStepResult FieldTrainer::differentiate(const FieldStepRequest&) {
  throw Error("this device has no gradients of neural fields by cameras", "poses",
              "use --device cpu");
}

void DeviceField::radiance(const float*, const float*, std::size_t, std::size_t, float*) {
  throw Error("has no colours that depend on the view", "this kind of field", "give a NeRF");
}

}  // namespace mote
